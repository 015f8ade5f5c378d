use super::SymbolWriter;
use super::huffman::huffman_symbol;
use crate::codecs::runtime::{Context, RANS_BITS, RANS_LOW, RANS_TABLES};

/// The effect of a symbol or of raw bits on the state.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A symbol with its share, and the start of the share.
    Symbol {
        share: u32,
        start: u32,
    },
    Raw {
        value: u32,
        bits: u32,
    },
}

/// Writes the numbers of one block. The last number is coded first, so all are kept until the end.
#[derive(Debug, Default)]
pub struct RansWriter {
    steps: Vec<Step>,
    /// Bits so far, in 1/256 bit.
    bits: u64,
}

impl RansWriter {
    /// The bytes without trailing zeros, which readers assume.
    pub fn finish(self) -> Vec<u8> {
        let mut state = RANS_LOW;
        let mut words: Vec<u16> = Vec::new();
        for step in self.steps.iter().rev() {
            // A state that would leave its range first gives off a word.
            let largest = match step {
                Step::Symbol { share, .. } => u64::from(*share) << (32 - RANS_BITS),
                Step::Raw { bits, .. } => 1 << (32 - bits),
            };
            if u64::from(state) >= largest {
                words.push(state as u16);
                state >>= 16;
            }
            state = match step {
                Step::Symbol { share, start } => ((state / share) << RANS_BITS) + state % share + start,
                Step::Raw { value, bits } => state << bits | value,
            };
        }
        words.extend([state as u16, (state >> 16) as u16]);
        let mut bytes: Vec<u8> = words.into_iter().rev().flat_map(u16::to_le_bytes).collect();
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        bytes
    }

    fn few(&mut self, value: u32, bits: u32) {
        if bits > 0 {
            self.steps.push(Step::Raw { value, bits });
        }
    }
}

impl SymbolWriter for RansWriter {
    fn symbol(&mut self, value: u32, context: Context) {
        let (symbol, digits) = huffman_symbol(value);
        let table = &RANS_TABLES[context.dense()];
        let [start, end] = [0, 1].map(|i| u32::from(table.starts[symbol + i]));
        self.steps.push(Step::Symbol { share: end - start, start });
        self.bits += 256 * u64::from(RANS_BITS) - log256(end - start);
        self.raw(if digits > 0 { value - (1 << digits) } else { 0 }, digits);
    }

    fn raw(&mut self, value: u32, bits: u32) {
        self.few(value & 0xffff & ((1u64 << bits) - 1) as u32, bits.min(16));
        self.few(value >> 16, bits.saturating_sub(16));
        self.bits += 256 * u64::from(bits);
    }

    fn bit_position(&self) -> u64 {
        self.bits / 256
    }
}

/// About 256 times the binary logarithm of a share, linear between powers of two.
fn log256(share: u32) -> u64 {
    let octave = share.ilog2();
    u64::from(octave * 256 + ((share << 8 >> octave) - 256))
}
