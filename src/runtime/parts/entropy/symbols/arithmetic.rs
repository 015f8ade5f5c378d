//! Numbers through a binary arithmetic coder with adaptive probabilities.

use super::{Context, SymbolReader};
use crate::memory::NoMemory;
use crate::parts::entropy::range_coder::{Chance, CodeBit, RangeDecoder, code_digits};
use crate::{Boxed, StateMemory};

/// Sizes of numbers that a context tells apart; larger ones share the last.
pub const ARITHMETIC_SIZES: usize = 14;

/// Where the chances of a model begin.
#[derive(Debug)]
pub struct ArithmeticStart {
    /// Of each context, in 256ths, how likely a number ends at a size that it has reached.
    pub sizes: [[u8; ARITHMETIC_SIZES]; Context::COUNT],
    /// The same of digits: uppermost below the first, then the one below it by the value of the former.
    pub digits: [[u8; 3]; ARITHMETIC_SIZES],
    /// How often they count as seen.
    pub seen: u16,
}

impl ArithmeticStart {
    /// Nothing is known.
    pub const EVEN: Self =
        Self { sizes: [[128; ARITHMETIC_SIZES]; Context::COUNT], digits: [[128; 3]; ARITHMETIC_SIZES], seen: 0 };

    #[inline]
    fn chance(&self, zero: u8) -> Chance {
        Chance::likely(u16::from(zero) << 8, self.seen)
    }
}

/// Chances of all contexts.
///
/// A number is zigzag: its magnitude is coded as its size in bits, one question a bit, then the digits below the first, of
/// which the uppermost two are learned; then the sign.
#[derive(Debug, Clone)]
pub struct ArithmeticModel {
    start: &'static ArithmeticStart,
    sizes: Boxed<[[Chance; ARITHMETIC_SIZES]; Context::COUNT]>,
    /// Uppermost digit below the first, then the one below it by the value of the former.
    digits: Boxed<[[Chance; 3]; ARITHMETIC_SIZES]>,
}

impl ArithmeticModel {
    /// A model whose chances begin there in every block.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(start: &'static ArithmeticStart, memory: StateMemory) -> Result<Self, NoMemory> {
        let sizes = memory.boxed([[Chance::EVEN; ARITHMETIC_SIZES]; Context::COUNT])?;
        let mut out = Self { start, sizes, digits: memory.boxed([[Chance::EVEN; 3]; ARITHMETIC_SIZES])? };
        out.reset();
        Ok(out)
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.sizes) + size_of_val(&*self.digits)
    }

    fn reset(&mut self) {
        let start = self.start;
        self.sizes.iter_mut().zip(&start.sizes).for_each(|(to, from)| *to = from.map(|zero| start.chance(zero)));
        self.digits.iter_mut().zip(&start.digits).for_each(|(to, from)| *to = from.map(|zero| start.chance(zero)));
    }

    /// Codes one number with whatever codes bits: written once for both directions. `value` says what to write and is
    /// ignored by a reader.
    #[inline]
    pub fn code(&mut self, value: u32, context: Context, bits: &mut impl CodeBit) -> u32 {
        let magnitude = (u64::from(value) + 1) >> 1;
        let wanted = u64::BITS - magnitude.leading_zeros();
        let chances = &mut self.sizes[context.index()];
        let mut size = 0;
        while size < 32 && bits.bit(wanted > size, &mut chances[(size as usize).min(ARITHMETIC_SIZES - 1)]) {
            size += 1;
        }
        if size == 0 {
            return 0;
        }
        let digits = &mut self.digits[(size as usize).min(ARITHMETIC_SIZES - 1)];
        let out = code_digits(magnitude, size as usize, digits, bits);
        // Magnitude and sign as they were: odd numbers are negative.
        let is_negative = bits.even(value & 1 == 1);
        (2 * out - u64::from(is_negative)) as u32
    }
}

/// Reads the numbers of one block.
pub struct ArithmeticReader<'a> {
    model: &'a mut ArithmeticModel,
    range: RangeDecoder<'a>,
}

impl<'a> ArithmeticReader<'a> {
    /// Starts on a block, with a model that may have served for others.
    pub fn new(model: &'a mut ArithmeticModel, bytes: &'a [u8]) -> Self {
        model.reset();
        Self { model, range: RangeDecoder::new(bytes) }
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
