//! Entropy coding of unsigned numbers that are mostly small.
//!
//! The memory of a reader is allocated once and used for all blocks. Any bytes are safe to read. Damaged or missing bytes give wrong
//! numbers instead of an error, so sampling cannot fail.

mod arithmetic;
mod bytes;
mod huffman;
mod rans;
mod trained;
mod zero_runs;

pub use arithmetic::{ARITHMETIC_SIZES, ArithmeticModel, ArithmeticReader, ArithmeticStart};
pub use bytes::{ByteReaderOf, InflateBuffer, Inflater, PlainBytes};
pub use huffman::{
    CanonicalCode, HUFFMAN_LONGEST, HUFFMAN_OWN, HUFFMAN_SYMBOLS, HuffmanCodes, HuffmanReader, HuffmanTables,
};
pub use rans::{RANS_BITS, RANS_LOW, RANS_TABLES, RansReader};
pub use trained::ARITHMETIC_TRAINED;
pub use zero_runs::ZeroRunReader;

/// The entropy code of numbers. The discriminant is its code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EntropyCoder {
    /// Seven bits per byte. The eighth bit is set if more bytes follow (LEB128).
    None = 0,
    /// The same bytes, deflated (RFC 1951, without zlib's header).
    Zlib = 1,
    /// Canonical Huffman codes of sizes, each followed by the number's digits. The tables are stored once per clip.
    Huffman = 2,
    /// Binary arithmetic coding with probabilities that adapt to the numbers read so far in the block.
    Arithmetic = 3,
    /// The range variant of asymmetric numeral systems (rANS), with fixed probabilities that are compiled in.
    Rans = 4,
}

impl EntropyCoder {
    /// All codes, in the order of their numbers on disk.
    pub const ALL: [Self; 5] = [Self::None, Self::Zlib, Self::Huffman, Self::Arithmetic, Self::Rans];
}

/// The context of a number, known before the number is read. Numbers of one context share probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    kind: u8,
    near: u8,
}

impl Context {
    /// Number of kinds for [`Context::value`].
    pub const KINDS: u8 = 7;
    /// Number of size classes of neighbours: half octaves.
    pub const NEAR: u8 = 16;
    /// Context of the lengths of zero runs.
    pub const RUN: Self = Self { kind: Self::KINDS, near: 0 };
    /// Number of contexts.
    pub const COUNT: usize = (Self::KINDS as usize + 2) * Self::NEAR as usize;

    /// Context of a value, from its kind and the size class of its neighbours. Numbers beyond the last count as the last.
    #[inline]
    pub fn value(kind: u8, near: u8) -> Self {
        Self { kind: kind.min(Self::KINDS - 1), near: near.min(Self::NEAR - 1) }
    }

    /// Context of settings, such as steps, of a component.
    #[inline]
    pub fn setting(axis: u8) -> Self {
        Self { kind: Self::KINDS + 1, near: axis.min(Self::NEAR - 1) }
    }

    /// Index among all contexts.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.kind) * usize::from(Self::NEAR) + usize::from(self.near)
    }

    /// Index among the coarse contexts, for coders whose tables are stored: octaves of neighbours, runs, settings.
    #[inline]
    pub fn coarse(self) -> usize {
        usize::from(if self.kind < Self::KINDS { self.near / 2 } else { Self::NEAR / 2 + self.kind - Self::KINDS })
    }

    /// Number of coarse contexts.
    pub const COARSE_COUNT: usize = Self::NEAR as usize / 2 + 2;

    /// Index among the dense contexts, for coders with large tables: neighbours, runs, settings of the first component, settings of others.
    #[inline]
    pub fn dense(self) -> usize {
        usize::from(match self.kind.checked_sub(Self::KINDS) {
            None => self.near,
            Some(0) => Self::NEAR,
            Some(_) => Self::NEAR + 1 + self.near.min(1),
        })
    }

    /// Number of dense contexts.
    pub const DENSE_COUNT: usize = Self::NEAR as usize + 3;
}

/// Reads entropy-coded numbers.
pub trait SymbolReader {
    /// The next number.
    fn symbol(&mut self, context: Context) -> u32;
    /// The next `bits` (at most 32), as they were written.
    fn raw(&mut self, bits: u32) -> u32;
}

/// Decodes zigzag codes: 0, 1, 2, 3, 4, ... as 0, -1, 1, -2, 2, ...
#[inline]
pub fn unzigzag(code: u32) -> i32 {
    (code >> 1) as i32 ^ -((code & 1) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn noise_reads_as_some_numbers(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let read = |from: &mut dyn FnMut(u32)| (0..1000).for_each(from);
            let context = |i: u32| Context::value((i % 16) as u8, (i % 9) as u8);
            let mut model = ArithmeticModel::new(&ArithmeticStart::EVEN, crate::StateMemory::HEAP).unwrap();
            let mut reader = ArithmeticReader::new(&mut model, &bytes);
            read(&mut |i| { reader.symbol(context(i)); });
            let mut buffer = InflateBuffer::new(crate::StateMemory::HEAP).unwrap();
            let mut reader = ByteReaderOf(Inflater::new(&mut buffer, &bytes));
            read(&mut |i| { reader.symbol(context(i)); });
            let mut reader = RansReader::new(&bytes);
            read(&mut |i| { reader.symbol(context(i)); });
            let codes = HuffmanCodes::new(&HuffmanTables::default()).unwrap();
            let mut reader = HuffmanReader::new(&codes, &bytes);
            read(&mut |i| { reader.symbol(context(i)); });
        }
    }
}
