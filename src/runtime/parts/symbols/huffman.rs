//! Canonical Huffman codes of number sizes.
//!
//! Our own and not a crate's: those on the registry are for bytes or unmaintained, and deflate's, which is kept well, is what
//! the coder beside this one uses.

use super::{Context, SymbolReader, SymbolWriter};
use crate::format::{BitReader, BitWriter, DecodeError, bits_at};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Numbers below this have a code of their own; larger ones share one a size in bits.
const OWN: u32 = 16;
const OWN_BITS: u32 = OWN.ilog2();
const SYMBOLS: usize = (OWN + u32::BITS - OWN_BITS) as usize;
/// Longest code.
const MAX_LENGTH: usize = 15;
const LENGTH_BITS: u32 = 4;
const COUNT_BITS: u32 = 6;

/// Symbol, and how many digits follow it.
#[inline]
fn split(value: u32) -> (usize, u32) {
    if value < OWN {
        return (value as usize, 0);
    }
    let below = value.ilog2();
    ((OWN + below - OWN_BITS) as usize, below)
}

/// Length of every code, one table a coarse context.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HuffmanTables {
    lengths: [Table; Context::COARSE_COUNT],
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Table([u8; SYMBOLS]);

impl Default for Table {
    fn default() -> Self {
        Self([0; SYMBOLS])
    }
}

/// Finds out how often each symbol comes: a dry run of [`HuffmanWriter`].
#[derive(Debug, Clone)]
pub struct HuffmanCounter {
    counts: [[u32; SYMBOLS]; Context::COARSE_COUNT],
}

impl Default for HuffmanCounter {
    fn default() -> Self {
        Self { counts: [[0; SYMBOLS]; Context::COARSE_COUNT] }
    }
}

impl HuffmanCounter {
    /// The shortest codes for what was counted.
    pub fn tables(&self) -> HuffmanTables {
        HuffmanTables { lengths: self.counts.map(|counts| Table(code_lengths(counts))) }
    }
}

impl SymbolWriter for HuffmanCounter {
    fn symbol(&mut self, value: u32, context: Context) {
        self.counts[context.coarse()][split(value).0] += 1;
    }

    fn raw(&mut self, _: u32, _: u32) {}

    fn bit_position(&self) -> u64 {
        0
    }
}

/// Lengths of the optimal code (Huffman 1952); where one is too long, counts are halved until none is.
fn code_lengths(mut counts: [u32; SYMBOLS]) -> [u8; SYMBOLS] {
    loop {
        let lengths = optimal_lengths(&counts);
        if lengths.iter().all(|l| usize::from(*l) <= MAX_LENGTH) {
            return lengths;
        }
        counts.iter_mut().filter(|c| **c > 0).for_each(|c| *c = c.div_ceil(2));
    }
}

fn optimal_lengths(counts: &[u32; SYMBOLS]) -> [u8; SYMBOLS] {
    // Weight and members of each subtree; equal weights are taken in the order in which they came.
    let used = counts.iter().enumerate().filter(|(_, c)| **c > 0);
    let mut trees: Vec<(u64, Vec<usize>)> = used.map(|(symbol, c)| (u64::from(*c), vec![symbol])).collect();
    let mut lengths = [0; SYMBOLS];
    if let [(_, only)] = &trees[..] {
        lengths[only[0]] = 1;
    }
    while trees.len() > 1 {
        trees.sort_by_key(|t| core::cmp::Reverse(t.0));
        let (Some((a, mut members)), Some((b, others))) = (trees.pop(), trees.pop()) else { break };
        members.extend(others);
        members.iter().for_each(|symbol| lengths[*symbol] += 1);
        trees.insert(0, (a + b, members));
    }
    lengths
}

impl HuffmanTables {
    /// Appends the tables: how many symbols have an entry, then 4 bits each.
    pub fn write(&self, out: &mut BitWriter) {
        for Table(lengths) in &self.lengths {
            let count = lengths.iter().rposition(|l| *l > 0).map_or(0, |last| last + 1);
            out.push(count as u64, COUNT_BITS);
            lengths[..count].iter().for_each(|l| out.push(u64::from(*l), LENGTH_BITS));
        }
    }

    /// Reads what [`HuffmanTables::write`] wrote.
    ///
    /// # Errors
    /// [`DecodeError`] when lengths do not make a code.
    pub fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let mut out = Self::default();
        for Table(lengths) in &mut out.lengths {
            let at = input.bit_position() / 8;
            let count = input.read("size of a code table", COUNT_BITS)? as usize;
            let Some(lengths) = lengths.get_mut(..count) else {
                return Err(DecodeError::invalid("size of a code table", at, count, format!("at most {SYMBOLS}")));
            };
            for length in lengths.iter_mut() {
                *length = input.read("code table", LENGTH_BITS)? as u8;
            }
            let taken: u32 = lengths.iter().filter(|l| **l > 0).map(|l| 1 << (MAX_LENGTH - usize::from(*l))).sum();
            if taken > 1 << MAX_LENGTH {
                return Err(DecodeError::invalid("code table", at, "too many short codes", "lengths of a prefix code"));
            }
        }
        Ok(out)
    }
}

/// Symbols in the order of their codes: by length, then by symbol.
#[derive(Debug)]
struct Canonical {
    /// How many codes have each length.
    counts: [u16; MAX_LENGTH + 1],
    symbols: [u8; SYMBOLS],
}

impl Canonical {
    fn new(Table(lengths): &Table) -> Self {
        let mut out = Self { counts: [0; MAX_LENGTH + 1], symbols: [0; SYMBOLS] };
        let mut at = 0;
        for length in 1..=MAX_LENGTH {
            for symbol in (0..SYMBOLS).filter(|s| usize::from(lengths[*s]) == length) {
                out.symbols[at] = symbol as u8;
                at += 1;
                out.counts[length] += 1;
            }
        }
        out
    }

    /// The code of each symbol, first bit lowest.
    fn codes(&self) -> [u16; SYMBOLS] {
        let mut codes = [0; SYMBOLS];
        let (mut code, mut at) = (0u16, 0);
        for length in 1..=MAX_LENGTH {
            code <<= 1;
            for symbol in &self.symbols[at..at + usize::from(self.counts[length])] {
                codes[usize::from(*symbol)] = code.reverse_bits() >> (16 - length);
                code += 1;
            }
            at += usize::from(self.counts[length]);
        }
        codes
    }
}

/// Writes the numbers of one block.
pub struct HuffmanWriter<'a> {
    tables: &'a HuffmanTables,
    codes: Vec<[u16; SYMBOLS]>,
    out: BitWriter,
}

impl<'a> HuffmanWriter<'a> {
    /// An empty block; what is written must have been counted for the tables.
    pub fn new(tables: &'a HuffmanTables) -> Self {
        let codes = tables.lengths.iter().map(|t| Canonical::new(t).codes()).collect();
        Self { tables, codes, out: BitWriter::new() }
    }

    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.out.finish()
    }
}

impl SymbolWriter for HuffmanWriter<'_> {
    fn symbol(&mut self, value: u32, context: Context) {
        let (symbol, digits) = split(value);
        let table = context.coarse();
        let length = self.tables.lengths[table].0[symbol];
        debug_assert!(length > 0, "{value} was not counted");
        self.out.push(u64::from(self.codes[table][symbol]), u32::from(length));
        self.raw(if digits > 0 { value - (1 << digits) } else { 0 }, digits);
    }

    fn raw(&mut self, value: u32, bits: u32) {
        self.out.push(u64::from(value), bits);
    }

    fn bit_position(&self) -> u64 {
        self.out.bit_len() as u64
    }
}

/// The tables of a clip as its blocks are read with them.
#[derive(Debug)]
pub struct HuffmanCodes(Vec<Canonical>);

impl HuffmanCodes {
    /// Of tables that were read.
    pub fn new(tables: &HuffmanTables) -> Self {
        Self(tables.lengths.iter().map(Canonical::new).collect())
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }
}

/// Reads what [`HuffmanWriter`] wrote.
pub struct HuffmanReader<'a> {
    tables: &'a [Canonical],
    bytes: &'a [u8],
    at: usize,
}

impl<'a> HuffmanReader<'a> {
    /// Starts on a block.
    pub fn new(codes: &'a HuffmanCodes, bytes: &'a [u8]) -> Self {
        Self { tables: &codes.0, bytes, at: 0 }
    }
}

impl SymbolReader for HuffmanReader<'_> {
    #[inline]
    fn symbol(&mut self, context: Context) -> u32 {
        let table = &self.tables[context.coarse()];
        let word = bits_at(self.bytes, self.at, MAX_LENGTH as u32);
        let (mut code, mut first, mut at) = (0, 0, 0);
        for length in 1..=MAX_LENGTH {
            code |= (word >> (length - 1) & 1) as usize;
            let count = usize::from(table.counts[length]);
            if code < first + count {
                self.at += length;
                let symbol = u32::from(table.symbols[at + code - first]);
                if symbol < OWN {
                    return symbol;
                }
                let digits = symbol - OWN + OWN_BITS;
                return (1 << digits) | self.raw(digits);
            }
            at += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        // No code of the table: damaged.
        self.at += MAX_LENGTH;
        0
    }

    #[inline]
    fn raw(&mut self, bits: u32) -> u32 {
        let value = bits_at(self.bytes, self.at, bits) as u32;
        self.at += bits as usize;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_optimal_and_limited() {
        let mut counts = [0; SYMBOLS];
        counts[..4].copy_from_slice(&[8, 4, 2, 2]);
        assert_eq!(code_lengths(counts)[..4], [1, 2, 3, 3]);
        // Fibonacci counts want codes of 29 bits.
        let mut fibonacci = [0; SYMBOLS];
        let (mut a, mut b) = (1, 1);
        for count in &mut fibonacci[..30] {
            *count = a;
            (a, b) = (b, a + b);
        }
        let lengths = code_lengths(fibonacci);
        assert!(lengths[..30].iter().all(|l| (1..=15).contains(l)));
        let taken: u32 = lengths[..30].iter().map(|l| 1 << (15 - l)).sum();
        assert!(taken <= 1 << 15);
    }

    #[test]
    fn tables_read_back_and_impossible_ones_are_rejected() {
        let mut counter = HuffmanCounter::default();
        (0..40).for_each(|v| counter.symbol(v * v, Context::value(0, (v % 8) as u8)));
        let tables = counter.tables();
        let mut out = BitWriter::new();
        tables.write(&mut out);
        let bytes = out.finish();
        assert_eq!(HuffmanTables::read(&mut BitReader::new(&bytes)), Ok(tables));
        let mut out = BitWriter::new();
        out.push(3, COUNT_BITS);
        (0..3).for_each(|_| out.push(1, LENGTH_BITS));
        let error = HuffmanTables::read(&mut BitReader::new(&out.finish())).unwrap_err();
        assert!(error.to_string().contains("prefix code"), "{error}");
    }
}
