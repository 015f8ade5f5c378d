//! The writer of what a [`RangeDecoder`](super::RangeDecoder) reads.

use super::range_coder::{CodeBit, LOW_RANGE, PROBABILITY_BITS};
use crate::memory::{NoMemory, TryPush};
use alloc::vec::Vec;

/// Bytes after the end of [`RangeEncoder::ended`] that a decoder reads and that may have any value.
pub const READ_AHEAD: usize = 2;

/// Writes the bits that a [`RangeDecoder`](super::RangeDecoder) reads.
#[derive(Debug)]
pub struct RangeEncoder {
    low: u64,
    range: u32,
    /// The byte that a carry may still change, and the number of 255s after it.
    cache: Option<u8>,
    pending: usize,
    bytes: Vec<u8>,
    /// True if memory ran out, so that bytes are missing.
    is_cut: bool,
}

impl Default for RangeEncoder {
    fn default() -> Self {
        Self { low: 0, range: u32::MAX, cache: None, pending: 0, bytes: Vec::new(), is_cut: false }
    }
}

impl RangeEncoder {
    /// Bits so far, without those that may still change.
    pub fn bit_position(&self) -> u64 {
        let whole = self.bytes.len() + self.pending + usize::from(self.cache.is_some());
        8 * whole as u64 + u64::from(self.range.leading_zeros())
    }

    /// The bytes that a reader takes. The last three are zero: the range is at least `2^24`, so it contains a number that ends with them.
    ///
    /// # Errors
    /// [`NoMemory`] if memory ran out while writing.
    pub fn finish(self) -> Result<Vec<u8>, NoMemory> {
        self.flushed(|low, range| {
            let ends_with = |zeros: &u32| (low + ones(*zeros)) & !ones(*zeros);
            (0..=32).rev().map(|zeros| ends_with(&zeros)).find(|value| value - low < range)
        })
    }

    /// The bytes, if others follow them. A reader that has decoded everything has read [`READ_AHEAD`] of those.
    ///
    /// # Errors
    /// [`NoMemory`] if memory ran out while writing.
    pub fn ended(self) -> Result<Vec<u8>, NoMemory> {
        let any = ones(8 * READ_AHEAD as u32);
        let mut out = self.flushed(|low, _| Some((low + any) & !any))?;
        out.truncate(out.len() - READ_AHEAD);
        Ok(out)
    }

    /// Writes the number that `choose` finds, given the lowest number that decodes to the bits written so far, and how many do.
    fn flushed(mut self, choose: impl Fn(u64, u64) -> Option<u64>) -> Result<Vec<u8>, NoMemory> {
        self.low = choose(self.low, self.range.into()).unwrap_or(self.low);
        (0..5).for_each(|_| self.shift_low());
        if self.is_cut { Err(NoMemory) } else { Ok(self.bytes) }
    }

    fn push(&mut self, byte: u8) {
        self.is_cut |= self.bytes.try_push(byte).is_err();
    }

    fn shift_low(&mut self) {
        if self.low < 0xff00_0000 || self.low > 0xffff_ffff {
            let carry = (self.low >> 32) as u8;
            if let Some(cache) = self.cache {
                self.push(cache.wrapping_add(carry));
            }
            (0..self.pending).for_each(|_| self.push(0xffu8.wrapping_add(carry)));
            self.pending = 0;
            self.cache = Some((self.low >> 24) as u8);
        } else {
            self.pending += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    fn fill(&mut self) {
        while self.range < LOW_RANGE {
            self.range <<= 8;
            self.shift_low();
        }
    }
}

impl CodeBit for RangeEncoder {
    #[inline]
    fn likely(&mut self, wanted: bool, zero: u32) -> bool {
        let bound = (self.range >> PROBABILITY_BITS) * zero;
        if wanted {
            self.low += u64::from(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        self.fill();
        wanted
    }

    fn even(&mut self, wanted: bool) -> bool {
        self.range >>= 1;
        if wanted {
            self.low += u64::from(self.range);
        }
        self.fill();
        wanted
    }
}

/// The number with that many ones.
fn ones(count: u32) -> u64 {
    (1 << count) - 1
}

#[cfg(test)]
mod tests {
    use super::super::range_coder::{Chance, RangeDecoder};
    use super::*;
    use proptest::prelude::*;

    /// Writes or reads bits with an adaptive probability, every third without.
    fn code(wanted: &[bool], bits: &mut impl CodeBit) -> Vec<bool> {
        let mut chance = Chance::EVEN;
        let code = |(i, bit): (usize, &bool)| if i % 3 == 0 { bits.even(*bit) } else { bits.bit(*bit, &mut chance) };
        wanted.iter().enumerate().map(code).collect()
    }

    proptest! {
        #[test]
        fn reads_what_was_written_whatever_follows(
            wanted in prop::collection::vec(any::<bool>(), 0..300),
            rest in prop::collection::vec(any::<u8>(), 0..4),
        ) {
            let mut whole = RangeEncoder::default();
            code(&wanted, &mut whole);
            let bytes = whole.finish().unwrap();
            prop_assert!(bytes.ends_with(&[0; 3]));
            prop_assert_eq!(&code(&wanted, &mut RangeDecoder::new(&bytes[..bytes.len() - 3])), &wanted);

            let mut before = RangeEncoder::default();
            code(&wanted, &mut before);
            let head = before.ended().unwrap();
            let bytes = [&head[..], &rest].concat();
            let mut reader = RangeDecoder::new(&bytes);
            prop_assert_eq!(&code(&vec![false; wanted.len()], &mut reader), &wanted);
            prop_assert_eq!(reader.position(), head.len() + READ_AHEAD);
        }
    }
}
