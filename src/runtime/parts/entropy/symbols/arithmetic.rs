//! Numbers in a binary arithmetic code with adaptive probabilities.

use super::{Context, SymbolReader};
use crate::memory::NoMemory;
use crate::parts::entropy::range_coder::{Chance, CodeBit, RangeDecoder, code_digits};
use crate::{Boxed, StateMemory};

/// Number sizes with their own probabilities, per context. Larger sizes share the last.
pub const ARITHMETIC_SIZES: usize = 14;

/// The first probabilities of a model.
#[derive(Debug)]
pub struct ArithmeticStart {
    /// Per context and size: probability, in 256ths, that a number of at least this size is not larger.
    pub sizes: [[u8; ARITHMETIC_SIZES]; Context::COUNT],
    /// Per size: probability, in 256ths, that the second-highest digit is zero; then that the third is zero, if the second is 0 and if it
    /// is 1.
    pub digits: [[u8; 3]; ARITHMETIC_SIZES],
    /// Number of bits that the probabilities count for: see [`Chance::likely`].
    pub seen: u16,
}

impl ArithmeticStart {
    /// Zero and one are equally likely everywhere.
    pub const EVEN: Self =
        Self { sizes: [[128; ARITHMETIC_SIZES]; Context::COUNT], digits: [[128; 3]; ARITHMETIC_SIZES], seen: 0 };

    #[inline]
    fn chance(&self, zero: u8) -> Chance {
        Chance::likely(u16::from(zero) << 8, self.seen)
    }
}

/// Probabilities of all contexts.
///
/// A number is a zigzag code. First comes the size of its magnitude in bits, in unary. Then come the binary digits below the first,
/// where the upper two have adaptive probabilities. Last comes the sign.
#[derive(Debug, Clone)]
pub struct ArithmeticModel {
    start: &'static ArithmeticStart,
    sizes: Boxed<[[Chance; ARITHMETIC_SIZES]; Context::COUNT]>,
    /// Per size: the second-highest digit; then the third, if the second is 0 and if it is 1.
    digits: Boxed<[[Chance; 3]; ARITHMETIC_SIZES]>,
}

impl ArithmeticModel {
    /// A model whose probabilities begin at `start` in every block.
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

    /// Writes or reads one number: `bits` is an encoder or a decoder. A decoder ignores `value`. Returns the number.
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
        // Zigzag: odd codes are negative numbers.
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
    /// Starts a block. The model may have been used for other blocks.
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
