//! A binary range coder (Martin 1979; carries as in LZMA) with adaptive probabilities.
//!
//! Our own and not a crate's: `constriction`, the well-kept one, divides once a symbol, has no adaptive binary model, and its
//! decoder may panic where its invariants fail. Ours is whole numbers only, without division, allocation or error path.

use super::{Context, SymbolReader};
use crate::{Boxed, StateMemory};

/// Sizes of numbers that a context tells apart; larger ones share the last.
const SIZES: usize = 14;
/// Below this the range is filled up with another byte.
pub const LOW_RANGE: u32 = 1 << 24;
/// Bits of a probability while coding.
pub const PROBABILITY_BITS: u32 = 15;

/// Probability that a bit is zero, in 65536ths, and how often it was asked.
#[derive(Debug, Clone, Copy)]
pub struct Chance {
    zero: u16,
    seen: u16,
}

/// A chance moves by `1 / (seen + 1.5)` of what it missed, by no less than the last: fast at first, then steady.
const RATES: [u32; 40] = {
    let mut rates = [0; 40];
    let mut seen = 0;
    while seen < rates.len() {
        rates[seen] = (2 * 65_536 / (2 * seen + 3)) as u32;
        seen += 1;
    }
    rates
};

impl Chance {
    const EVEN: Self = Self { zero: 1 << 15, seen: 0 };

    /// Probability that the bit is zero, in parts of `2^PROBABILITY_BITS`; never certain.
    #[inline]
    pub fn of_zero(self) -> u32 {
        (u32::from(self.zero) >> (16 - PROBABILITY_BITS)).clamp(24, (1 << PROBABILITY_BITS) - 24)
    }

    /// Moves towards the bit that was found.
    #[inline]
    pub fn learn(&mut self, bit: bool) {
        let seen = usize::from(self.seen);
        let missed = if bit { u32::from(self.zero) } else { 0xffff - u32::from(self.zero) };
        let step = (missed * (RATES[seen] >> 1)) >> 15;
        self.zero = if bit { self.zero - step as u16 } else { self.zero + step as u16 };
        self.seen = (seen + 1).min(RATES.len() - 1) as u16;
    }
}

/// Chances of all contexts.
///
/// A number is zigzag: its magnitude is coded as its size in bits, one question a bit, then the digits below the first, of
/// which the uppermost two are learned; then the sign.
#[derive(Debug, Clone)]
pub struct ArithmeticModel {
    sizes: Boxed<[[Chance; SIZES]; Context::COUNT]>,
    /// Uppermost digit below the first, then the one below it by the value of the former.
    digits: Boxed<[[Chance; 3]; SIZES]>,
}

impl ArithmeticModel {
    /// Every chance even.
    pub fn new(memory: StateMemory) -> Self {
        let sizes = memory.boxed([[Chance::EVEN; SIZES]; Context::COUNT]);
        Self { sizes, digits: memory.boxed([[Chance::EVEN; 3]; SIZES]) }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.sizes) + size_of_val(&*self.digits)
    }

    fn reset(&mut self) {
        self.sizes.fill([Chance::EVEN; SIZES]);
        self.digits.fill([Chance::EVEN; 3]);
    }

    /// Codes one number with whatever codes bits: written once for both directions. `value` says what to write and is
    /// ignored by a reader.
    #[inline]
    pub fn code(&mut self, value: u32, context: Context, bits: &mut impl CodeBit) -> u32 {
        let magnitude = (u64::from(value) + 1) >> 1;
        let wanted = u64::BITS - magnitude.leading_zeros();
        let chances = &mut self.sizes[context.index()];
        let mut size = 0;
        while size < 32 && bits.bit(wanted > size, &mut chances[(size as usize).min(SIZES - 1)]) {
            size += 1;
        }
        if size == 0 {
            return 0;
        }
        let digits = &mut self.digits[(size as usize).min(SIZES - 1)];
        let mut out = 1u64;
        for digit in (0..size - 1).rev() {
            let wanted = magnitude >> digit & 1 == 1;
            let bit = match size - 2 - digit {
                0 => bits.bit(wanted, &mut digits[0]),
                1 => bits.bit(wanted, &mut digits[1 + (out & 1) as usize]),
                _ => bits.even(wanted),
            };
            out = out << 1 | u64::from(bit);
        }
        // Magnitude and sign as they were: odd numbers are negative.
        let is_negative = bits.even(value & 1 == 1);
        (2 * out - u64::from(is_negative)) as u32
    }
}

/// One direction of coding: both take the bit that is wanted and return the bit that is.
pub trait CodeBit {
    /// A bit that is zero as often as `chance` says, which learns of it.
    fn bit(&mut self, wanted: bool, chance: &mut Chance) -> bool;
    /// A bit that nothing is known of.
    fn even(&mut self, wanted: bool) -> bool;
}

/// Reads the numbers of one block.
pub struct ArithmeticReader<'a> {
    model: &'a mut ArithmeticModel,
    range: RangeDecoder<'a>,
}

struct RangeDecoder<'a> {
    left: &'a [u8],
    code: u32,
    range: u32,
}

impl<'a> ArithmeticReader<'a> {
    /// Starts on a block, with a model that may have served for others.
    pub fn new(model: &'a mut ArithmeticModel, bytes: &'a [u8]) -> Self {
        model.reset();
        let mut range = RangeDecoder { left: bytes, code: 0, range: u32::MAX };
        (0..4).for_each(|_| range.shift());
        Self { model, range }
    }
}

impl RangeDecoder<'_> {
    #[inline]
    fn shift(&mut self) {
        let byte = match self.left.split_first() {
            Some((first, rest)) => {
                self.left = rest;
                *first
            }
            None => 0,
        };
        self.code = self.code << 8 | u32::from(byte);
    }

    #[inline]
    fn fill(&mut self) {
        while self.range < LOW_RANGE {
            self.range <<= 8;
            self.shift();
        }
    }
}

impl CodeBit for RangeDecoder<'_> {
    #[inline]
    fn bit(&mut self, _: bool, chance: &mut Chance) -> bool {
        let bound = (self.range >> PROBABILITY_BITS) * chance.of_zero();
        let bit = self.code >= bound;
        if bit {
            self.code -= bound;
            self.range -= bound;
        } else {
            self.range = bound;
        }
        chance.learn(bit);
        self.fill();
        bit
    }

    #[inline]
    fn even(&mut self, _: bool) -> bool {
        self.range >>= 1;
        let bit = self.code >= self.range;
        if bit {
            self.code -= self.range;
        }
        self.fill();
        bit
    }
}

impl SymbolReader for ArithmeticReader<'_> {
    #[inline]
    fn symbol(&mut self, context: Context) -> u32 {
        self.model.code(0, context, &mut self.range)
    }

    fn raw(&mut self, bits: u32) -> u32 {
        (0..bits).fold(0, |value, _| value << 1 | u32::from(self.range.even(false)))
    }
}
