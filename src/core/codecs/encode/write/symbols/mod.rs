//! Entropy coding: one writer for each [`SymbolReader`](crate::codecs::runtime::SymbolReader).

mod arithmetic;
mod huffman;
mod rans;
mod varint;
mod zero_runs;

pub use arithmetic::ArithmeticWriter;
pub use huffman::{HuffmanCounter, HuffmanWriter, huffman_symbol, write_huffman_tables};
pub use rans::RansWriter;
pub use varint::VarintWriter;
pub use zero_runs::ZeroRunWriter;

use crate::codecs::runtime::Context;

/// A writer of numbers. The reader must use the same contexts.
pub trait SymbolWriter {
    /// Appends a number.
    fn symbol(&mut self, value: u32, context: Context);
    /// Appends the lowest `bits` (at most 32) bits of a number without a model.
    fn raw(&mut self, value: u32, bits: u32);
    /// Bits so far. They grow with every call, so differences give the cost of a number.
    fn bit_position(&self) -> u64;
}

/// Maps zero, -1, 1, -2, 2, ... to 0, 1, 2, 3, 4, ..., so that small numbers stay small without their sign.
#[inline]
pub fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::runtime::{
        ArithmeticModel, ArithmeticReader, ArithmeticStart, ByteReaderOf, HuffmanCodes, HuffmanReader, PlainBytes,
        RansReader, SymbolReader, ZeroRunReader, unzigzag,
    };
    use posepress_runtime::internal::StateMemory;
    use proptest::prelude::*;

    /// Numbers, mostly small, with contexts that roughly fit them, and raw bits between them.
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

    fn every_coder_round_trips(values: &[(u32, u8, u8)]) -> Result<(), TestCaseError> {
        let mut plain = VarintWriter::default();
        write(values, &mut plain);
        let bytes = plain.finish();
        check(values, &mut ByteReaderOf(PlainBytes(&bytes)))?;

        let mut arithmetic = ArithmeticWriter::new(&ArithmeticStart::EVEN);
        write(values, &mut arithmetic);
        let bytes = arithmetic.finish();
        let mut model = ArithmeticModel::new(&ArithmeticStart::EVEN, StateMemory::HEAP).unwrap();
        check(values, &mut ArithmeticReader::new(&mut model, &bytes))?;
        check(values, &mut ArithmeticReader::new(&mut model, &bytes))?;

        let mut rans = RansWriter::default();
        write(values, &mut rans);
        let bytes = rans.finish();
        check(values, &mut RansReader::new(&bytes))?;

        let mut counter = HuffmanCounter::default();
        write(values, &mut counter);
        let tables = counter.tables();
        let mut huffman = HuffmanWriter::new(&tables);
        write(values, &mut huffman);
        let bytes = huffman.finish();
        check(values, &mut HuffmanReader::new(&HuffmanCodes::new(&tables).unwrap(), &bytes))?;
        Ok(())
    }

    #[test]
    fn a_single_large_number_is_read_as_it_was_written() {
        every_coder_round_trips(&[(129, 0, 3)]).unwrap();
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
            every_coder_round_trips(&values)?;
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
    }

    #[test]
    fn zigzag_gives_the_leading_zeros_that_the_article_shows() {
        // "-50, 50, 32760 ... become 100, 99, 65519": the article maps positive numbers to odd codes, ours (the usual map) to even codes.
        // Both keep numbers near zero small.
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
        let mut arithmetic = ArithmeticWriter::new(&ArithmeticStart::EVEN);
        values.iter().for_each(|v| arithmetic.symbol(2 * v, Context::value(0, 0)));
        let bits = 8.0 * arithmetic.finish().len() as f64 / values.len() as f64;
        // The sign bit of each 1 and at most 3 % for learning.
        assert!(bits < entropy * 1.03 + 2.0 * ones && bits > entropy, "{bits} bits a number, entropy {entropy}");
    }
}
