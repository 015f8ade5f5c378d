use super::SymbolWriter;
use crate::codecs::runtime::{ArithmeticModel, Chance, CodeBit, Context, LOW_RANGE, PROBABILITY_BITS};
use posepress_runtime::StateMemory;

/// Writes numbers of one block.
pub struct ArithmeticWriter {
    model: ArithmeticModel,
    range: RangeEncoder,
}

struct RangeEncoder {
    low: u64,
    range: u32,
    /// The byte that a carry may still change, and how many 255s follow it.
    cache: Option<u8>,
    pending: usize,
    bytes: Vec<u8>,
}

impl Default for ArithmeticWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl ArithmeticWriter {
    /// An empty block.
    pub fn new() -> Self {
        let range = RangeEncoder { low: 0, range: u32::MAX, cache: None, pending: 0, bytes: Vec::new() };
        Self { model: ArithmeticModel::new(StateMemory::HEAP), range }
    }

    /// The bytes; zeros at the end are left out, since readers find zeros there.
    pub fn finish(mut self) -> Vec<u8> {
        self.range.flush();
        self.range.bytes
    }
}

impl RangeEncoder {
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

    /// Picks the number with the most zeros at its end among those that mean the same.
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
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
    }
}

impl CodeBit for RangeEncoder {
    #[inline]
    fn bit(&mut self, wanted: bool, chance: &mut Chance) -> bool {
        let bound = (self.range >> PROBABILITY_BITS) * chance.of_zero();
        if wanted {
            self.low += u64::from(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        chance.learn(wanted);
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

impl SymbolWriter for ArithmeticWriter {
    fn symbol(&mut self, value: u32, context: Context) {
        self.model.code(value, context, &mut self.range);
    }

    fn raw(&mut self, value: u32, bits: u32) {
        (0..bits).rev().for_each(|bit| {
            self.range.even(value >> bit & 1 == 1);
        });
    }

    fn bit_position(&self) -> u64 {
        let whole = self.range.bytes.len() + self.range.pending + usize::from(self.range.cache.is_some());
        8 * whole as u64 + u64::from(self.range.range.leading_zeros())
    }
}
