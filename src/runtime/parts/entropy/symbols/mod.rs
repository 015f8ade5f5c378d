//! Entropy coding: unsigned numbers, most of them small, as few bits.
//!
//! A reader is made once and then started on one block after another: all it needs is allocated when it is made. Any bytes
//! are safe to read; damaged or missing ones give other numbers, never an error, so that sampling needs no error path.

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
    /// A range variant of asymmetric numeral systems with chances that never change, compiled in.
    Rans = 4,
}

impl EntropyCoder {
    /// In the order of their codes.
    pub const ALL: [Self; 5] = [Self::None, Self::Zlib, Self::Huffman, Self::Arithmetic, Self::Rans];
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
    /// Classes of neighbours: half octaves.
    pub const NEAR: u8 = 16;
    /// Lengths of runs of zeros.
    pub const RUN: Self = Self { kind: Self::KINDS, near: 0 };
    /// Number of contexts.
    pub const COUNT: usize = (Self::KINDS as usize + 2) * Self::NEAR as usize;

    /// A value of some kind among neighbours of some class; what is beyond the last counts as the last.
    #[inline]
    pub fn value(kind: u8, near: u8) -> Self {
        Self { kind: kind.min(Self::KINDS - 1), near: near.min(Self::NEAR - 1) }
    }

    /// Settings, such as steps, of some component.
    #[inline]
    pub fn setting(axis: u8) -> Self {
        Self { kind: Self::KINDS + 1, near: axis.min(Self::NEAR - 1) }
    }

    /// Among all contexts.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.kind) * usize::from(Self::NEAR) + usize::from(self.near)
    }

    /// Contexts for coders that pay for each: octaves of neighbours, runs and settings.
    #[inline]
    pub fn coarse(self) -> usize {
        usize::from(if self.kind < Self::KINDS { self.near / 2 } else { Self::NEAR / 2 + self.kind - Self::KINDS })
    }

    /// Number of coarse contexts.
    pub const COARSE_COUNT: usize = Self::NEAR as usize / 2 + 2;

    /// Contexts for coders that keep a table for each: neighbours only, runs, settings of the first component and of others.
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

/// Gives numbers back.
pub trait SymbolReader {
    /// The next number.
    fn symbol(&mut self, context: Context) -> u32;
    /// The next `bits` (at most 32).
    fn raw(&mut self, bits: u32) -> u32;
}

/// 0, 1, 2, 3, 4, ... as zero, -1, 1, -2, 2, ...
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
