use super::SymbolWriter;
use crate::codecs::runtime::{CanonicalCode, Context, HUFFMAN_LONGEST, HUFFMAN_OWN, HUFFMAN_SYMBOLS, HuffmanTables};
use crate::format::BitWriter;

/// The symbol of a number, and the number of raw bits after it.
#[inline]
pub fn huffman_symbol(value: u32) -> (usize, u32) {
    if value < HUFFMAN_OWN {
        return (value as usize, 0);
    }
    let below = value.ilog2();
    ((HUFFMAN_OWN + below - HUFFMAN_OWN.ilog2()) as usize, below)
}

/// Counts symbols: a dry run of [`HuffmanWriter`].
#[derive(Debug, Clone)]
pub struct HuffmanCounter {
    counts: [[u32; HUFFMAN_SYMBOLS]; Context::COARSE_COUNT],
}

impl Default for HuffmanCounter {
    fn default() -> Self {
        Self { counts: [[0; HUFFMAN_SYMBOLS]; Context::COARSE_COUNT] }
    }
}

impl HuffmanCounter {
    /// The shortest codes for the counted symbols.
    pub fn tables(&self) -> HuffmanTables {
        HuffmanTables { lengths: self.counts.map(code_lengths) }
    }
}

impl SymbolWriter for HuffmanCounter {
    fn symbol(&mut self, value: u32, context: Context) {
        self.counts[context.coarse()][huffman_symbol(value).0] += 1;
    }

    fn raw(&mut self, _: u32, _: u32) {}

    fn bit_position(&self) -> u64 {
        0
    }
}

/// Lengths of the optimal code (Huffman 1952). If one is too long, counts are halved and lengths computed again.
fn code_lengths(mut counts: [u32; HUFFMAN_SYMBOLS]) -> [u8; HUFFMAN_SYMBOLS] {
    loop {
        let lengths = optimal_lengths(&counts);
        if lengths.iter().all(|l| usize::from(*l) <= HUFFMAN_LONGEST) {
            return lengths;
        }
        counts.iter_mut().filter(|c| **c > 0).for_each(|c| *c = c.div_ceil(2));
    }
}

fn optimal_lengths(counts: &[u32; HUFFMAN_SYMBOLS]) -> [u8; HUFFMAN_SYMBOLS] {
    // Weight and symbols of each subtree. Equal weights are taken in order of creation.
    let used = counts.iter().enumerate().filter(|(_, c)| **c > 0);
    let mut trees: Vec<(u64, Vec<usize>)> = used.map(|(symbol, c)| (u64::from(*c), vec![symbol])).collect();
    let mut lengths = [0; HUFFMAN_SYMBOLS];
    if let [(_, only)] = &trees[..] {
        lengths[only[0]] = 1;
    }
    while trees.len() > 1 {
        trees.sort_by_key(|t| std::cmp::Reverse(t.0));
        let (Some((a, mut members)), Some((b, others))) = (trees.pop(), trees.pop()) else { break };
        members.extend(others);
        members.iter().for_each(|symbol| lengths[*symbol] += 1);
        trees.insert(0, (a + b, members));
    }
    lengths
}

/// Appends tables that [`HuffmanTables::read`] reads.
pub fn write_huffman_tables(tables: &HuffmanTables, out: &mut BitWriter) {
    for lengths in &tables.lengths {
        let count = lengths.iter().rposition(|l| *l > 0).map_or(0, |last| last + 1);
        out.push(count as u64, HuffmanTables::COUNT_BITS);
        lengths[..count].iter().for_each(|l| out.push(u64::from(*l), HuffmanTables::LENGTH_BITS));
    }
}

/// The code of each symbol, first bit lowest.
fn codes(canonical: &CanonicalCode) -> [u16; HUFFMAN_SYMBOLS] {
    let mut codes = [0; HUFFMAN_SYMBOLS];
    let (mut code, mut at) = (0u16, 0);
    for length in 1..=HUFFMAN_LONGEST {
        code <<= 1;
        for symbol in &canonical.symbols[at..at + usize::from(canonical.counts[length])] {
            codes[usize::from(*symbol)] = code.reverse_bits() >> (16 - length);
            code += 1;
        }
        at += usize::from(canonical.counts[length]);
    }
    codes
}

/// Writes the numbers of one block.
pub struct HuffmanWriter<'a> {
    tables: &'a HuffmanTables,
    codes: Vec<[u16; HUFFMAN_SYMBOLS]>,
    out: BitWriter,
}

impl<'a> HuffmanWriter<'a> {
    /// An empty block. All numbers must have been counted for the tables.
    pub fn new(tables: &'a HuffmanTables) -> Self {
        let codes = tables.lengths.iter().map(|lengths| codes(&CanonicalCode::new(lengths))).collect();
        Self { tables, codes, out: BitWriter::new() }
    }

    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.out.finish()
    }
}

impl SymbolWriter for HuffmanWriter<'_> {
    fn symbol(&mut self, value: u32, context: Context) {
        let (symbol, digits) = huffman_symbol(value);
        let table = context.coarse();
        let length = self.tables.lengths[table][symbol];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::BitReader;

    #[test]
    fn lengths_are_optimal_and_limited() {
        let mut counts = [0; HUFFMAN_SYMBOLS];
        counts[..4].copy_from_slice(&[8, 4, 2, 2]);
        assert_eq!(code_lengths(counts)[..4], [1, 2, 3, 3]);
        // Fibonacci counts need codes of 29 bits.
        let mut fibonacci = [0; HUFFMAN_SYMBOLS];
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
        write_huffman_tables(&tables, &mut out);
        let bytes = out.finish();
        assert_eq!(HuffmanTables::read(&mut BitReader::new(&bytes)), Ok(tables));
        let mut out = BitWriter::new();
        out.push(3, HuffmanTables::COUNT_BITS);
        (0..3).for_each(|_| out.push(1, HuffmanTables::LENGTH_BITS));
        let error = HuffmanTables::read(&mut BitReader::new(&out.finish())).unwrap_err();
        assert!(error.to_string().contains("prefix code"), "{error}");
    }
}
