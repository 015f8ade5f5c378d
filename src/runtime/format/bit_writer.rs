use crate::memory::{NoMemory, TryPush};
use alloc::vec::Vec;

/// Appends integers of any width, lowest bit first.
#[derive(Debug, Default, Clone)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// The last bits, fewer than a byte, and their number.
    pending: u64,
    pending_bits: u32,
    /// True if memory ran out, so that bytes are missing.
    is_cut: bool,
}

impl BitWriter {
    /// An empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// A writer that appends to bytes.
    pub fn after(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Bits written so far.
    pub fn bit_len(&self) -> usize {
        8 * self.bytes.len() + self.pending_bits as usize
    }

    /// Appends the lowest `bits` (at most 56) of a value. Its other bits must be zero.
    pub fn push(&mut self, value: u64, bits: u32) {
        debug_assert!(bits <= 56 && (bits == 0 || value >> bits == 0), "{value} does not fit {bits} bits");
        self.pending |= value << self.pending_bits;
        self.pending_bits += bits;
        // Writing all eight bytes and keeping the full ones is cheaper than a loop.
        let (before, full) = (self.bytes.len(), self.pending_bits / 8);
        let next = self.pending.to_le_bytes();
        match self.bytes.try_reserve(next.len()) {
            Ok(()) => {
                self.bytes.extend_from_slice(&next);
                self.bytes.truncate(before + full as usize);
            }
            Err(_) => self.is_cut = true,
        }
        self.pending >>= 8 * full;
        self.pending_bits -= 8 * full;
    }

    /// Appends `ones` ones (at most 55), then a zero.
    pub fn push_unary(&mut self, ones: u32) {
        self.push((1 << ones) - 1, ones + 1);
    }

    /// Appends an IEEE single.
    pub fn push_f32(&mut self, value: f32) {
        self.push(u64::from(value.to_bits()), 32);
    }

    /// Returns the bytes, with the last padded with zero bits.
    ///
    /// # Panics
    /// If memory ran out.
    pub fn finish(self) -> Vec<u8> {
        self.try_finish().expect("memory for what is written")
    }

    /// Like [`BitWriter::finish`], without a panic.
    ///
    /// # Errors
    /// [`NoMemory`] if memory ran out while writing.
    pub fn try_finish(mut self) -> Result<Vec<u8>, NoMemory> {
        if self.pending_bits > 0 {
            self.bytes.try_push(self.pending as u8)?;
        }
        if self.is_cut { Err(NoMemory) } else { Ok(self.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::BitReader;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reads_what_was_written(values in prop::collection::vec((any::<u64>(), 0u32..=56), 0..100)) {
            let values: Vec<_> = values.into_iter().map(|(v, bits)| (v & ((1 << bits) - 1), bits)).collect();
            let mut writer = BitWriter::new();
            values.iter().for_each(|&(v, bits)| writer.push(v, bits));
            prop_assert_eq!(writer.bit_len(), values.iter().map(|v| v.1 as usize).sum::<usize>());
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes);
            for (v, bits) in values {
                prop_assert_eq!(reader.read("value", bits), Ok(v));
            }
            prop_assert_eq!(reader.finish("values"), Ok(()));
        }
    }
}
