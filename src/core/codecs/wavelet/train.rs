//! The chances that entropy coding begins with, from clips of many kinds: what `src/runtime/parts/symbols/trained.rs` holds.

use super::pack::{count, in_place};
use super::params::{PARAMS, chosen_layout};
use super::{Sketch, search_blocks};
use crate::codecs::encode::write::{SymbolWriter, huffman_symbol};
use crate::codecs::encode::{SEARCHED_TRIVIAL_SHARE, TrivialSettings, classify};
use crate::codecs::runtime::{ARITHMETIC_SIZES, Context, HUFFMAN_OWN, HUFFMAN_SYMBOLS, RANS_BITS};
use crate::codecs::{ParamValues, Progress, Source};
use crate::model::{Clip, Skeleton};

const TOLERANCE_M: f32 = 1e-4;
const SHELL_M: f32 = 0.03;
/// Numbers of the same neighbours in other bands count as so many of the context's own.
const PRIOR: f64 = 8.0;

/// How often each bit was zero and one in each context, and how often each symbol came.
pub struct ChanceCounter {
    sizes: Vec<[[f64; 2]; ARITHMETIC_SIZES]>,
    digits: [[[f64; 2]; 3]; ARITHMETIC_SIZES],
    symbols: Vec<[f64; HUFFMAN_SYMBOLS]>,
}

impl Default for ChanceCounter {
    fn default() -> Self {
        Self {
            sizes: vec![Default::default(); Context::COUNT],
            digits: [[[0.5; 2]; 3]; ARITHMETIC_SIZES],
            symbols: vec![[0.02; HUFFMAN_SYMBOLS]; Context::DENSE_COUNT],
        }
    }
}

impl SymbolWriter for &mut ChanceCounter {
    fn symbol(&mut self, value: u32, context: Context) {
        self.symbols[context.dense()][huffman_symbol(value).0] += 1.0;
        let magnitude = (u64::from(value) + 1) >> 1;
        let size = (u64::BITS - magnitude.leading_zeros()) as usize;
        let last = ARITHMETIC_SIZES - 1;
        (0..=size).for_each(|i| self.sizes[context.index()][i.min(last)][usize::from(size > i)] += 1.0);
        let digit = |below: usize| (magnitude >> (size - 1 - below) & 1) as usize;
        if size > 1 {
            self.digits[size.min(last)][0][digit(1)] += 1.0;
        }
        if size > 2 {
            self.digits[size.min(last)][1 + digit(1)][digit(2)] += 1.0;
        }
    }

    fn raw(&mut self, _: u32, _: u32) {}

    fn bit_position(&self) -> u64 {
        0
    }
}

impl ChanceCounter {
    /// Counts what a clip comes to.
    pub fn clip(&mut self, skeleton: &Skeleton, clip: &Clip) {
        let shells_m = vec![SHELL_M; skeleton.len()];
        let (source, progress) = (Source::new(skeleton, clip, TOLERANCE_M, &shells_m), Progress::new());
        let mut values = ParamValues::new();
        values.set_text(PARAMS, "entropy", "none").unwrap();
        let trivial = TrivialSettings::chosen(&values).within(TOLERANCE_M * SEARCHED_TRIVIAL_SHARE);
        let sketch = Sketch::new(&source, chosen_layout(&values), classify(&source, &trivial, &progress).unwrap());
        let blocks = search_blocks(&sketch, TOLERANCE_M, &progress).unwrap();
        let blocks = in_place(clip, &sketch.layout, &sketch.tracks, &blocks);
        count(clip, &blocks, &mut *self);
    }

    /// The rows of the three tables.
    pub fn tables(&self) -> [Vec<String>; 3] {
        let digits = self.digits.map(|d| d.map(|[a, b]| in_256ths(a, b)));
        [lines(&self.chances()), lines(&digits), lines(&self.shares())]
    }

    /// Of contexts that are never seen, half.
    fn chances(&self) -> Vec<[u8; ARITHMETIC_SIZES]> {
        let near_of = |context: usize| context % usize::from(Context::NEAR);
        let values = usize::from(Context::KINDS) * usize::from(Context::NEAR);
        let alike = |context: usize, size: usize| {
            let others = (0..values).filter(|c| context < values && near_of(*c) == near_of(context));
            others.fold([0.5, 0.5], |[a, b], c| [a + self.sizes[c][size][0], b + self.sizes[c][size][1]])
        };
        let chance = |context: usize, size: usize| {
            let [zero, one] = alike(context, size);
            let [a, b] = self.sizes[context][size];
            in_256ths(a + PRIOR * zero / (zero + one), b + PRIOR * one / (zero + one))
        };
        (0..Context::COUNT).map(|context| std::array::from_fn(|size| chance(context, size))).collect()
    }

    /// Signs are as likely as each other.
    fn shares(&self) -> Vec<[u16; HUFFMAN_SYMBOLS]> {
        let mut out = Vec::new();
        for mut counts in self.symbols.iter().copied() {
            for pair in counts[1..HUFFMAN_OWN as usize].as_chunks_mut::<2>().0 {
                *pair = [0.5 * (pair[0] + pair[1]); 2];
            }
            let (sum, all) = (counts.iter().sum::<f64>(), 1u16 << RANS_BITS);
            let mut shares = counts.map(|c| (c / sum * f64::from(all)).round().max(1.0) as u16);
            while shares.iter().sum::<u16>() != all {
                let is_short = shares.iter().sum::<u16>() < all;
                let largest = shares.iter_mut().max().expect("symbols");
                *largest = if is_short { *largest + 1 } else { *largest - 1 };
            }
            out.push(shares);
        }
        out
    }
}

fn in_256ths(zero: f64, one: f64) -> u8 {
    (256.0 * zero / (zero + one)).round().clamp(3.0, 252.0) as u8
}

fn lines(rows: &[impl std::fmt::Debug]) -> Vec<String> {
    rows.iter().map(|row| format!("    {row:?},")).collect()
}
