use super::key::KeyFormat;
use super::key_coding::KeyReader;
use super::ranged::RangedPart;

/// The cursor of a track: two neighbouring keys, decoded.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyPair<K> {
    /// The first key.
    pub a: K,
    /// The second key.
    pub b: K,
    /// Sample of the first key.
    pub from: u16,
    /// Sample of the second key.
    pub to: u16,
    /// In lists, the index of the first key.
    pub index: u16,
    /// In blocks, the place after the second key.
    pub next: BlockPlace,
}

/// The place of a key, and the range of its block. In blocks, each key follows the one before.
#[derive(Debug, Clone, Copy, Default)]
pub struct BlockPlace {
    /// Bit of the key.
    pub bit: u32,
    /// First sample after its block.
    pub block_end: u16,
    /// Range of its block. Fixed formats have none.
    pub part: RangedPart,
}

impl BlockPlace {
    /// Reads the key, and moves to the next one of the block.
    #[inline(always)]
    pub fn take<F: KeyFormat>(&mut self, coding: &KeyReader<F>, bytes: &[u8]) -> F::Key {
        let key = match coding.ranged() {
            Some(ranged) => F::key_without(ranged.dropped(), ranged.numbers_over(&self.part, bytes, self.bit as usize)),
            None => coding.key(bytes, self.bit as usize),
        };
        // Last: a load of the range that also covers this store would wait for it.
        self.bit += self.key_bits(coding);
        key
    }

    /// Bits of each key of the block.
    #[inline]
    pub fn key_bits<F: KeyFormat>(&self, coding: &KeyReader<F>) -> u32 {
        if coding.ranged().is_some() { self.part.bits() } else { coding.bits() }
    }
}
