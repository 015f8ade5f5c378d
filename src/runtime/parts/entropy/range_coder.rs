//! A binary range coder (Martin 1979; carries as in LZMA) with adaptive probabilities.
//!
//! The crate `constriction` does not fit: it divides once per symbol, has no adaptive binary model, and its decoder may panic. This
//! coder uses only integers, without division, allocation or errors.

/// If the range is below this, it is extended by a byte.
pub const LOW_RANGE: u32 = 1 << 24;
/// Bits of a probability while coding.
pub const PROBABILITY_BITS: u32 = 15;

/// The adaptive probability that a bit is zero.
#[derive(Debug, Clone, Copy)]
pub struct Chance {
    /// In 65536ths.
    zero: u16,
    /// Bits seen so far, limited to the last of [`RATES`].
    seen: u16,
}

/// Adaptation rates by bits seen, in 65536ths: `1 / (seen + 1.5)`. Later bits use the last rate.
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
    /// Zero and one are equally likely.
    pub const EVEN: Self = Self { zero: 1 << 15, seen: 0 };

    /// A probability of zero in 65536ths, as if `seen` bits had been seen.
    pub fn likely(zero: u16, seen: u16) -> Self {
        Self { zero, seen }
    }

    /// Bits seen so far, limited to the largest number that changes the adaptation rate.
    #[inline]
    pub fn seen(self) -> u16 {
        self.seen
    }

    /// Probability that the bit is zero, in parts of `2^PROBABILITY_BITS`. It is never 0 or 1.
    #[inline]
    pub fn of_zero(self) -> u32 {
        (u32::from(self.zero) >> (16 - PROBABILITY_BITS)).clamp(24, (1 << PROBABILITY_BITS) - 24)
    }

    /// Adapts to a bit.
    #[inline]
    pub fn learn(&mut self, bit: bool) {
        let seen = usize::from(self.seen);
        let missed = if bit { u32::from(self.zero) } else { 0xffff - u32::from(self.zero) };
        let step = (missed * (RATES[seen] >> 1)) >> 15;
        self.zero = if bit { self.zero - step as u16 } else { self.zero + step as u16 };
        self.seen = (seen + 1).min(RATES.len() - 1) as u16;
    }
}

/// An encoder or decoder of bits, so that models are written once for both. An encoder writes the `wanted` bit and returns it. A decoder
/// ignores `wanted` and returns the bit that it reads.
pub trait CodeBit {
    /// Codes a bit with the probability `zero` of being zero, in parts of `2^PROBABILITY_BITS`: neither 0 nor `2^PROBABILITY_BITS`.
    fn likely(&mut self, wanted: bool, zero: u32) -> bool;
    /// Codes a bit that is zero or one with equal probability.
    fn even(&mut self, wanted: bool) -> bool;

    /// Codes a bit with an adaptive probability, and adapts it.
    #[inline]
    fn bit(&mut self, wanted: bool, chance: &mut Chance) -> bool {
        let bit = self.likely(wanted, chance.of_zero());
        chance.learn(bit);
        bit
    }
}

/// Codes the bits below the highest bit of a magnitude of `size` bits. The first two have adaptive probabilities. Returns the magnitude.
#[inline]
pub fn code_digits(magnitude: u64, size: usize, digits: &mut [Chance; 3], bits: &mut impl CodeBit) -> u64 {
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
    out
}

/// Reads the output of a range encoder. Bytes past the end read as zero.
#[derive(Debug)]
pub struct RangeDecoder<'a> {
    left: &'a [u8],
    /// Bytes in all.
    bytes: usize,
    /// Bytes read past the end.
    missing: usize,
    code: u32,
    range: u32,
}

impl<'a> RangeDecoder<'a> {
    /// Starts a block.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut out = Self { left: bytes, bytes: bytes.len(), missing: 0, code: 0, range: u32::MAX };
        (0..4).for_each(|_| out.shift());
        out
    }

    /// Bytes read past the end.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// Bytes not yet read.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    /// Bytes read, with those past the end.
    pub fn position(&self) -> usize {
        self.bytes + self.missing - self.left.len()
    }

    #[inline]
    fn shift(&mut self) {
        let byte = match self.left.split_first() {
            Some((first, rest)) => {
                self.left = rest;
                *first
            }
            None => {
                self.missing += 1;
                0
            }
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
    fn likely(&mut self, _: bool, zero: u32) -> bool {
        let bound = (self.range >> PROBABILITY_BITS) * zero;
        let bit = self.code >= bound;
        if bit {
            self.code -= bound;
            self.range -= bound;
        } else {
            self.range = bound;
        }
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
