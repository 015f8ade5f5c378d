use super::SymbolWriter;
use crate::codecs::runtime::Context;

/// Writes numbers with seven bits per byte, lowest first, and raw bits as whole bytes.
#[derive(Debug, Default)]
pub struct VarintWriter {
    bytes: Vec<u8>,
}

impl VarintWriter {
    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

impl SymbolWriter for VarintWriter {
    fn symbol(&mut self, mut value: u32, _: Context) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn raw(&mut self, value: u32, bits: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes()[..bits.div_ceil(8) as usize]);
    }

    fn bit_position(&self) -> u64 {
        8 * self.bytes.len() as u64
    }
}
