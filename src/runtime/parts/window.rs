//! Fixed-size windows into a payload. One bounds check covers all reads of a window.

use core::mem::MaybeUninit;

/// Bytes of a word.
pub const WORD: usize = 8;

/// A window in which a [`word`] may start at any offset of a `u8`.
pub type Window = [u8; WINDOW];
/// Bytes of a [`Window`].
pub const WINDOW: usize = 256 + WORD - 1;

/// Scratch memory for a window of `N` bytes past the end of the payload: its last bytes, then zeros.
pub struct Tail<const N: usize>(MaybeUninit<[u8; N]>);

impl<const N: usize> Default for Tail<N> {
    #[inline(always)]
    fn default() -> Self {
        Self(MaybeUninit::uninit())
    }
}

impl<const N: usize> Tail<N> {
    /// The window at an offset. Bytes past the end read as zero.
    #[inline(always)]
    pub fn window<'a>(&'a mut self, payload: &'a [u8], byte: usize) -> &'a [u8; N] {
        match payload.get(byte..).and_then(|rest| rest.first_chunk()) {
            Some(window) => window,
            None => self.fill(payload.get(byte..).unwrap_or_default()),
        }
    }

    #[cold]
    fn fill(&mut self, rest: &[u8]) -> &[u8; N] {
        let window = self.0.write([0; N]);
        let len = rest.len().min(N);
        window[..len].copy_from_slice(&rest[..len]);
        window
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
            let mut tail = Tail::default();
            let window: &Window = tail.window(&payload, at);
            prop_assert_eq!(word(window, byte), word_at(&payload, 8 * (at + usize::from(byte))));
        }
    }

    #[test]
    fn a_payload_without_bytes_reads_as_zero() {
        assert_eq!(Tail::default().window(&Vec::new(), 5), &[0; 3]);
    }
}
