use super::SymbolWriter;
use crate::codecs::runtime::{ArithmeticModel, ArithmeticStart, CodeBit, Context, RangeEncoder};
use posepress_runtime::internal::StateMemory;

/// Writes numbers of one block.
pub struct ArithmeticWriter {
    model: ArithmeticModel,
    range: RangeEncoder,
}

impl ArithmeticWriter {
    /// An empty block, with the start probabilities of a model.
    pub fn new(start: &'static ArithmeticStart) -> Self {
        Self { model: ArithmeticModel::new(start, StateMemory::HEAP).expect("memory"), range: RangeEncoder::default() }
    }

    /// The bytes without trailing zeros, which readers assume.
    pub fn finish(self) -> Vec<u8> {
        let mut bytes = self.range.finish().expect("memory");
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        bytes
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
        self.range.bit_position()
    }
}
