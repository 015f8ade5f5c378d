/// Size of a window: a word may start at any offset of a `u8`.
const BYTES: usize = 256 + WORD - 1;
/// Bytes of a word.
const WORD: usize = 8;

/// Bytes behind one bounds check. Reads of a [`word`] need no further check.
pub type Window = [u8; BYTES];

/// The last bytes of a payload, then zeros, for windows that reach past the end.
#[derive(Debug)]
pub struct PayloadEnd {
    /// Offset of the first of these bytes in the payload.
    start: usize,
    bytes: [u8; 2 * BYTES],
}

impl PayloadEnd {
    /// Copies the end of a payload.
    pub fn new(payload: &[u8]) -> Self {
        let start = payload.len().saturating_sub(BYTES - 1);
        let mut bytes = [0; 2 * BYTES];
        bytes.iter_mut().zip(&payload[start..]).for_each(|(to, from)| *to = *from);
        Self { start, bytes }
    }

    /// The window at an offset. Bytes past the end read as zero.
    #[inline(always)]
    pub fn window<'a>(&'a self, payload: &'a [u8], byte: usize) -> &'a Window {
        if let Some(window) = payload.get(byte..).and_then(|rest| rest.first_chunk()) {
            return window;
        }
        let from = byte.saturating_sub(self.start).min(BYTES);
        self.bytes[from..].first_chunk().unwrap_or(&[0; BYTES])
    }
}

/// Eight bytes as a little-endian number.
#[inline(always)]
pub fn word(window: &Window, byte: u8) -> u64 {
    window[usize::from(byte)..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::word_at;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_window_shows_the_bytes_that_lie_there(
            payload in prop::collection::vec(any::<u8>(), 0..700), at in 0usize..1500, byte in any::<u8>(),
        ) {
            let end = PayloadEnd::new(&payload);
            prop_assert_eq!(word(end.window(&payload, at), byte), word_at(&payload, 8 * (at + usize::from(byte))));
        }
    }

    #[test]
    fn what_is_read_of_other_bytes_than_were_opened_is_something() {
        let end = PayloadEnd::new(&[1; 900]);
        assert_eq!(end.window(&Vec::new(), 5)[0], 1);
    }
}
