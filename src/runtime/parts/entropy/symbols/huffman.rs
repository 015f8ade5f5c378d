//! Canonical Huffman codes of number sizes.
//!
//! Crates for Huffman codes are for bytes, or unmaintained. Those of deflate are used by [`super::EntropyCoder::Zlib`].

use super::{Context, SymbolReader};
use crate::format::{BitReader, DecodeError, bits_at};
use crate::memory::{NoMemory, TryList};
use alloc::vec::Vec;

/// Numbers below this have their own code. Larger numbers share one code per size in bits.
pub const HUFFMAN_OWN: u32 = 16;
const OWN_BITS: u32 = HUFFMAN_OWN.ilog2();
/// Number of symbols: numbers with their own code, then sizes in bits.
pub const HUFFMAN_SYMBOLS: usize = (HUFFMAN_OWN + u32::BITS - OWN_BITS) as usize;
/// Length of the longest code, bits.
pub const HUFFMAN_LONGEST: usize = 15;

/// Lengths of all codes, one table per coarse context.
///
/// On disk, per table: the number of symbols with an entry, then the length of each, 0 for a symbol without a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HuffmanTables {
    /// Lengths in bits, at most [`HUFFMAN_LONGEST`]; 0 for a symbol without a code.
    pub lengths: [[u8; HUFFMAN_SYMBOLS]; Context::COARSE_COUNT],
}

impl Default for HuffmanTables {
    fn default() -> Self {
        Self { lengths: [[0; HUFFMAN_SYMBOLS]; Context::COARSE_COUNT] }
    }
}

impl HuffmanTables {
    /// Bits of the number of symbols with an entry.
    pub const COUNT_BITS: u32 = 6;
    /// Bits of a code's length.
    pub const LENGTH_BITS: u32 = 4;

    /// Reads the tables of a clip.
    ///
    /// # Errors
    /// [`DecodeError`] if the bits end early, or the lengths are not those of a prefix code.
    pub fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let mut out = Self::default();
        for lengths in &mut out.lengths {
            let at = input.bit_position() / 8;
            let count = input.read("size of a code table", Self::COUNT_BITS)? as usize;
            let Some(lengths) = lengths.get_mut(..count) else {
                return Err(DecodeError::invalid(
                    "size of a code table",
                    at,
                    count,
                    format_args!("at most {HUFFMAN_SYMBOLS}"),
                ));
            };
            for length in lengths.iter_mut() {
                *length = input.read("code table", Self::LENGTH_BITS)? as u8;
            }
            let taken: u32 = lengths.iter().filter(|l| **l > 0).map(|l| 1 << (HUFFMAN_LONGEST - usize::from(*l))).sum();
            if taken > 1 << HUFFMAN_LONGEST {
                return Err(DecodeError::invalid("code table", at, "too many short codes", "lengths of a prefix code"));
            }
        }
        Ok(out)
    }
}

/// Symbols in the order of their codes: by length, then by symbol.
#[derive(Debug)]
pub struct CanonicalCode {
    /// Number of codes of each length.
    pub counts: [u16; HUFFMAN_LONGEST + 1],
    /// Symbols with a code; the rest of the list is unused.
    pub symbols: [u8; HUFFMAN_SYMBOLS],
}

impl CanonicalCode {
    /// The code with these lengths, from [`HuffmanTables::read`] or from an encoder.
    pub fn new(lengths: &[u8; HUFFMAN_SYMBOLS]) -> Self {
        let mut out = Self { counts: [0; HUFFMAN_LONGEST + 1], symbols: [0; HUFFMAN_SYMBOLS] };
        let mut at = 0;
        for length in 1..=HUFFMAN_LONGEST {
            for symbol in (0..HUFFMAN_SYMBOLS).filter(|s| usize::from(lengths[*s]) == length) {
                out.symbols[at] = symbol as u8;
                at += 1;
                out.counts[length] += 1;
            }
        }
        out
    }
}

/// The tables of a clip, in the form that decodes.
#[derive(Debug)]
pub struct HuffmanCodes(Vec<CanonicalCode>);

impl HuffmanCodes {
    /// Builds the codes of tables.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(tables: &HuffmanTables) -> Result<Self, NoMemory> {
        Ok(Self(tables.lengths.iter().map(CanonicalCode::new).try_list()?))
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }
}

/// Reads the numbers of one block.
pub struct HuffmanReader<'a> {
    tables: &'a [CanonicalCode],
    bytes: &'a [u8],
    at: usize,
}

impl<'a> HuffmanReader<'a> {
    /// Starts a block.
    pub fn new(codes: &'a HuffmanCodes, bytes: &'a [u8]) -> Self {
        Self { tables: &codes.0, bytes, at: 0 }
    }
}

impl SymbolReader for HuffmanReader<'_> {
    #[inline]
    fn symbol(&mut self, context: Context) -> u32 {
        let table = &self.tables[context.coarse()];
        let word = bits_at(self.bytes, self.at, HUFFMAN_LONGEST as u32);
        let (mut code, mut first, mut at) = (0, 0, 0);
        for length in 1..=HUFFMAN_LONGEST {
            code |= (word >> (length - 1) & 1) as usize;
            let count = usize::from(table.counts[length]);
            if code < first + count {
                self.at += length;
                let symbol = u32::from(table.symbols[at + code - first]);
                if symbol < HUFFMAN_OWN {
                    return symbol;
                }
                let digits = symbol - HUFFMAN_OWN + OWN_BITS;
                return (1 << digits) | self.raw(digits);
            }
            at += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        // No code of the table fits: the bytes are damaged.
        self.at += HUFFMAN_LONGEST;
        0
    }

    #[inline]
    fn raw(&mut self, bits: u32) -> u32 {
        let value = bits_at(self.bytes, self.at, bits) as u32;
        self.at += bits as usize;
        value
    }
}
