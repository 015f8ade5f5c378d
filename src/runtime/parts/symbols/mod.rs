//! Entropy coding: unsigned numbers, most of them small, as few bits.
//!
//! A reader is made once and then started on one block after another: all it needs is allocated when it is made. Any bytes
//! are safe to read; damaged or missing ones give other numbers, never an error, so that sampling needs no error path.

mod arithmetic;
mod bytes;
mod huffman;
mod zero_runs;

pub use arithmetic::{ArithmeticModel, ArithmeticReader, ArithmeticWriter};
pub use bytes::{ByteReaderOf, InflateBuffer, Inflater, PlainBytes, VarintWriter};
pub use huffman::{HuffmanCodes, HuffmanCounter, HuffmanReader, HuffmanTables, HuffmanWriter};
pub use zero_runs::{ZeroRunReader, ZeroRunWriter};

/// How numbers become bits. The number is the code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EntropyCoder {
    /// Seven bits a byte, the eighth says whether more follow (LEB128).
    None = 0,
    /// Those bytes through deflate (RFC 1951, what zlib wraps).
    Zlib = 1,
    /// Canonical Huffman codes of sizes, with the digits after them; tables once a clip.
    Huffman = 2,
    /// Binary arithmetic coding with probabilities that adapt to what was read so far in the block.
    Arithmetic = 3,
}

impl EntropyCoder {
    /// In the order of their codes.
    pub const ALL: [Self; 4] = [Self::None, Self::Zlib, Self::Huffman, Self::Arithmetic];
}

/// What is known of a number before it is read: numbers of one context are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    kind: u8,
    near: u8,
}

impl Context {
    /// Kinds of numbers that [`Context::value`] tells apart.
    pub const KINDS: u8 = 7;
    /// Classes of neighbours.
    pub const NEAR: u8 = 8;
    /// Lengths of runs of zeros.
    pub const RUN: Self = Self { kind: Self::KINDS, near: 0 };
    /// Settings, such as steps.
    pub const SETTING: Self = Self { kind: Self::KINDS + 1, near: 0 };
    /// Number of contexts.
    pub const COUNT: usize = (Self::KINDS as usize + 2) * Self::NEAR as usize;

    /// A value of some kind among neighbours of some class; what is beyond the last counts as the last.
    #[inline]
    pub fn value(kind: u8, near: u8) -> Self {
        Self { kind: kind.min(Self::KINDS - 1), near: near.min(Self::NEAR - 1) }
    }

    #[inline]
    fn index(self) -> usize {
        usize::from(self.kind) * usize::from(Self::NEAR) + usize::from(self.near)
    }

    /// Contexts for coders that pay for each: neighbours only, runs and settings.
    #[inline]
    fn coarse(self) -> usize {
        usize::from(if self.kind < Self::KINDS { self.near } else { Self::NEAR + self.kind - Self::KINDS })
    }

    const COARSE_COUNT: usize = Self::NEAR as usize + 2;
}

/// Takes numbers. What is written in some contexts must be read in the same.
pub trait SymbolWriter {
    /// Appends a number.
    fn symbol(&mut self, value: u32, context: Context);
    /// Appends the lowest `bits` (at most 32) of a number that nothing is known of.
    fn raw(&mut self, value: u32, bits: u32);
    /// Bits so far; grows with every call, for whoever wants to know what a number cost.
    fn bit_position(&self) -> u64;
}

/// Gives numbers back.
pub trait SymbolReader {
    /// The next number.
    fn symbol(&mut self, context: Context) -> u32;
    /// The next `bits` (at most 32).
    fn raw(&mut self, bits: u32) -> u32;
}

/// Zero, -1, 1, -2, 2, ... as 0, 1, 2, 3, 4, ...: small numbers stay small without their sign.
#[inline]
pub fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// Undoes [`zigzag`].
#[inline]
pub fn unzigzag(code: u32) -> i32 {
    (code >> 1) as i32 ^ -((code & 1) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers, mostly small, with contexts that fit them roughly, and raw bits between them.
    fn numbers() -> impl Strategy<Value = Vec<(u32, u8, u8)>> {
        let value = prop_oneof![6 => 0u32..3, 3 => 0u32..200, 1 => any::<u32>()];
        prop::collection::vec((value, 0u8..20, 0u8..10), 0..400)
    }

    fn write(values: &[(u32, u8, u8)], out: &mut impl SymbolWriter) {
        let mut before = out.bit_position();
        for &(value, kind, near) in values {
            if kind == 19 {
                out.raw(value & 0xfff, 12);
            } else {
                out.symbol(value, Context::value(kind, near));
            }
            assert!(out.bit_position() >= before);
            before = out.bit_position();
        }
    }

    fn check(values: &[(u32, u8, u8)], from: &mut impl SymbolReader) -> Result<(), TestCaseError> {
        for &(value, kind, near) in values {
            if kind == 19 {
                prop_assert_eq!(from.raw(12), value & 0xfff);
            } else {
                prop_assert_eq!(from.symbol(Context::value(kind, near)), value);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn zigzag_undoes_itself_and_keeps_order(value in any::<i32>()) {
            prop_assert_eq!(unzigzag(zigzag(value)), value);
            let magnitude = value.unsigned_abs();
            prop_assert_eq!(u64::from(zigzag(value)).div_ceil(2), u64::from(magnitude));
        }

        #[test]
        fn every_coder_reads_what_was_written(values in numbers()) {
            let mut plain = VarintWriter::default();
            write(&values, &mut plain);
            let bytes = plain.finish();
            check(&values, &mut ByteReaderOf(PlainBytes(&bytes)))?;


            let mut arithmetic = ArithmeticWriter::new();
            write(&values, &mut arithmetic);
            let bytes = arithmetic.finish();
            let mut model = ArithmeticModel::new();
            check(&values, &mut ArithmeticReader::new(&mut model, &bytes))?;
            check(&values, &mut ArithmeticReader::new(&mut model, &bytes))?;

            let mut counter = HuffmanCounter::default();
            write(&values, &mut counter);
            let tables = counter.tables();
            let mut huffman = HuffmanWriter::new(&tables);
            write(&values, &mut huffman);
            let bytes = huffman.finish();
            check(&values, &mut HuffmanReader::new(&HuffmanCodes::new(&tables), &bytes))?;
        }

        #[test]
        fn zero_runs_are_read_as_the_zeros_that_they_were(values in prop::collection::vec(prop_oneof![5 => Just(0u32), 1 => 0u32..50], 0..300)) {
            let context = Context::value(0, 0);
            let mut out = VarintWriter::default();
            let mut runs = ZeroRunWriter::new(&mut out, true);
            values.iter().for_each(|v| runs.symbol(*v, context));
            runs.flush();
            let bytes = out.finish();
            let zeros = values.iter().filter(|v| **v == 0).count();
            prop_assert!(bytes.len() <= values.len() + zeros);
            let mut reader = ByteReaderOf(PlainBytes(&bytes));
            let mut runs = ZeroRunReader::new(&mut reader, true);
            for v in values {
                prop_assert_eq!(runs.symbol(context), v);
            }
        }

        #[test]
        fn noise_reads_as_some_numbers(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let read = |from: &mut dyn FnMut(u32)| (0..1000).for_each(from);
            let context = |i: u32| Context::value((i % 16) as u8, (i % 9) as u8);
            let mut model = ArithmeticModel::new();
            let mut reader = ArithmeticReader::new(&mut model, &bytes);
            read(&mut |i| { reader.symbol(context(i)); });
            let mut buffer = InflateBuffer::default();
            let mut reader = ByteReaderOf(Inflater::new(&mut buffer, &bytes));
            read(&mut |i| { reader.symbol(context(i)); });
            let codes = HuffmanCodes::new(&HuffmanTables::default());
            let mut reader = HuffmanReader::new(&codes, &bytes);
            read(&mut |i| { reader.symbol(context(i)); });
        }
    }

    #[test]
    fn zigzag_gives_the_leading_zeros_that_the_article_shows() {
        // "-50, 50, 32760 ... become 100, 99, 65519": the article's own map puts positive numbers at odd codes, ours (the usual
        // one) at even codes; both keep what is near zero near zero.
        assert_eq!([-50, 50, 32_760].map(zigzag), [99, 100, 65_520]);
        assert_eq!([-50i16, 50, 32_760].map(|v| v as u16), [0xffce, 0x0032, 0x7ff8]);
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    }

    #[test]
    fn coders_near_the_entropy_of_a_skewed_source() {
        // One in 16 is a 1, the others are 0: 0.337 bits each.
        let values: Vec<u32> = (0..16_000u32).map(|i| u32::from(i.wrapping_mul(2_654_435_761) >> 28 == 0)).collect();
        let ones = values.iter().sum::<u32>() as f64 / values.len() as f64;
        let entropy = -(ones * ones.log2() + (1.0 - ones) * (1.0 - ones).log2());
        let mut arithmetic = ArithmeticWriter::new();
        values.iter().for_each(|v| arithmetic.symbol(2 * v, Context::value(0, 0)));
        let bits = 8.0 * arithmetic.finish().len() as f64 / values.len() as f64;
        // The sign bit of each 1 and at most 3 % for learning.
        assert!(bits < entropy * 1.03 + 2.0 * ones && bits > entropy, "{bits} bits a number, entropy {entropy}");
    }
}
