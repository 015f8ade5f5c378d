use crate::format::MAX_BITS_AT;
use crate::parts::window::{Tail, WORD};

/// Bytes of a window: 64 bytes at which a word may begin, and one word more.
const BYTES: usize = 72;

/// The bits of four keys. One bounds check covers all reads.
#[derive(Clone, Copy)]
pub struct BitWindow<'a> {
    bytes: &'a [u8; BYTES],
    /// Bits of the first byte before the window.
    skipped: usize,
}

impl<'a> BitWindow<'a> {
    /// Size of a window in bits.
    pub const BITS: usize = 8 * (BYTES - WORD);
    /// Bits of a word that are always usable: 64 minus up to 7 bits before the window and 7 before the first bit.
    pub const SHORT: u32 = 64 - 7 - 7;

    /// The bits that start at bit `at`. Bits past the end read as zero, as in [`crate::format::bits_at`].
    #[inline(always)]
    pub fn at(bytes: &'a [u8], at: usize, tail: &'a mut Tail<BYTES>) -> Self {
        Self { bytes: tail.window(bytes, at / 8), skipped: at % 8 }
    }

    /// The `count` bits (at most 57) from `offset` on, lowest first; `offset + count` is at most [`BitWindow::BITS`].
    #[inline(always)]
    pub fn bits(&self, offset: usize, count: u32) -> u64 {
        debug_assert!(count <= MAX_BITS_AT && offset + count as usize <= Self::BITS);
        self.word(offset) & ((1 << count) - 1)
    }

    /// The 57 bits from `offset` on, lowest first. The bits above them are arbitrary.
    #[inline(always)]
    pub fn word(&self, offset: usize) -> u64 {
        let at = self.skipped + offset;
        self.bytes_from(at / 8) >> (at % 8)
    }

    /// The [`BitWindow::SHORT`] bits from bit `bit` (below 8) of byte `byte` on. The bits above them are arbitrary. Like
    /// [`BitWindow::word`], without a division.
    #[inline(always)]
    pub fn short_word(&self, byte: usize, bit: usize) -> u64 {
        self.bytes_from(byte) >> (self.skipped + bit)
    }

    #[inline(always)]
    fn bytes_from(&self, byte: usize) -> u64 {
        // The remainder lets the compiler drop the bounds check.
        let from = byte % (BYTES - WORD);
        self.bytes[from..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::bits_at;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_window_shows_the_bits_that_lie_there(
            bytes in prop::collection::vec(any::<u8>(), 0..150), at in 0usize..1300,
            offset in 0..BitWindow::BITS - MAX_BITS_AT as usize, count in 0..=MAX_BITS_AT,
        ) {
            let mut tail = Tail::default();
            let found = BitWindow::at(&bytes, at, &mut tail).bits(offset, count);
            prop_assert_eq!(found, bits_at(&bytes, at + offset, count));
        }
    }
}
