use crate::codecs::runtime::{CodeBit, LOW_RANGE, PROBABILITY_BITS};

/// Writes the bits that [`crate::codecs::runtime::RangeDecoder`] reads.
#[derive(Debug)]
pub struct RangeEncoder {
    low: u64,
    range: u32,
    /// The byte that a carry may still change, and the number of 255s after it.
    cache: Option<u8>,
    pending: usize,
    bytes: Vec<u8>,
}

impl Default for RangeEncoder {
    fn default() -> Self {
        Self { low: 0, range: u32::MAX, cache: None, pending: 0, bytes: Vec::new() }
    }
}

impl RangeEncoder {
    /// Bits so far, without those that may still change.
    pub fn bit_position(&self) -> u64 {
        let whole = self.bytes.len() + self.pending + usize::from(self.cache.is_some());
        8 * whole as u64 + u64::from(self.range.leading_zeros())
    }

    /// The bytes that a reader takes. The last three are zero: the range is at least `2^24`, so it contains a number that ends with them.
    pub fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }

    fn shift_low(&mut self) {
        if self.low < 0xff00_0000 || self.low > 0xffff_ffff {
            let carry = (self.low >> 32) as u8;
            if let Some(cache) = self.cache {
                self.bytes.push(cache.wrapping_add(carry));
            }
            self.bytes.extend(std::iter::repeat_n(0xffu8.wrapping_add(carry), self.pending));
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

    /// Picks the number with the most trailing zeros in the range.
    fn flush(&mut self) {
        for zeros in (0..=32).rev() {
            let mask = (1u64 << zeros) - 1;
            let value = (self.low + mask) & !mask;
            if value - self.low < u64::from(self.range) {
                self.low = value;
                break;
            }
        }
        (0..5).for_each(|_| self.shift_low());
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
