//! Numbers in the range variant of asymmetric numeral systems (Duda 2013), with fixed probabilities.

use super::trained::RANS_SHARES;
use super::{Context, HUFFMAN_OWN, HUFFMAN_SYMBOLS, SymbolReader};

/// Bits of a share. The shares of a table add up to `2^RANS_BITS`.
pub const RANS_BITS: u32 = 11;
/// Smallest state. A smaller state is extended by 16 bits.
pub const RANS_LOW: u32 = 1 << 16;
const SLOTS: usize = 1 << RANS_BITS;

/// The shares of symbols in one context.
#[derive(Debug, Clone, Copy)]
pub struct RansTable {
    /// Start of each symbol's share, then `2^RANS_BITS`.
    pub starts: [u16; HUFFMAN_SYMBOLS + 1],
    /// The symbol of each slot.
    symbols: [u8; SLOTS],
}

/// One table per dense context, computed at compile time. Clips store no tables.
pub static RANS_TABLES: [RansTable; Context::DENSE_COUNT] = {
    let mut tables = [RansTable { starts: [0; HUFFMAN_SYMBOLS + 1], symbols: [0; SLOTS] }; Context::DENSE_COUNT];
    let mut context = 0;
    while context < Context::DENSE_COUNT {
        tables[context] = table(&RANS_SHARES[context]);
        context += 1;
    }
    tables
};

const fn table(shares: &[u16; HUFFMAN_SYMBOLS]) -> RansTable {
    let mut out = RansTable { starts: [0; HUFFMAN_SYMBOLS + 1], symbols: [0; SLOTS] };
    let (mut symbol, mut at) = (0, 0);
    while symbol < HUFFMAN_SYMBOLS {
        let mut place = 0;
        while place < shares[symbol] {
            out.symbols[at] = symbol as u8;
            (at, place) = (at + 1, place + 1);
        }
        symbol += 1;
        out.starts[symbol] = at as u16;
    }
    assert!(at == SLOTS, "shares do not add up");
    out
}

/// Reads the numbers of one block. Bytes past the end read as zero.
pub struct RansReader<'a> {
    state: u32,
    words: &'a [u8],
}

impl<'a> RansReader<'a> {
    /// Starts a block.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut out = Self { state: 0, words: bytes };
        out.state = out.word() << 16 | out.word();
        out
    }

    #[inline]
    fn word(&mut self) -> u32 {
        let Some((word, rest)) = self.words.split_first_chunk::<2>() else {
            // Zero bytes at the end are not stored, so half a word may be missing.
            let half = self.words.first().copied().unwrap_or(0);
            self.words = &[];
            return u32::from(half);
        };
        self.words = rest;
        u32::from(u16::from_le_bytes(*word))
    }

    #[inline]
    fn fill(&mut self) {
        if self.state < RANS_LOW {
            self.state = self.state << 16 | self.word();
        }
    }

    /// The next `bits` (at most 16).
    #[inline]
    fn few(&mut self, bits: u32) -> u32 {
        let value = self.state & ((1 << bits) - 1);
        self.state >>= bits;
        self.fill();
        value
    }
}

impl SymbolReader for RansReader<'_> {
    #[inline]
    fn symbol(&mut self, context: Context) -> u32 {
        let table = &RANS_TABLES[context.dense()];
        let slot = self.state & (SLOTS as u32 - 1);
        let symbol = u32::from(table.symbols[slot as usize]);
        let [start, end] = [0, 1].map(|i| u32::from(table.starts[symbol as usize + i]));
        self.state = (end - start) * (self.state >> RANS_BITS) + slot - start;
        self.fill();
        if symbol < HUFFMAN_OWN {
            return symbol;
        }
        let digits = symbol - HUFFMAN_OWN + HUFFMAN_OWN.ilog2();
        (1 << digits) | self.raw(digits)
    }

    #[inline]
    fn raw(&mut self, bits: u32) -> u32 {
        let low = self.few(bits.min(16));
        if bits > 16 { low | self.few(bits - 16) << 16 } else { low }
    }
}
