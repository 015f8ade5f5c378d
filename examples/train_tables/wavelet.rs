//! Trains the initial chances of the entropy coders of `wavelet`: `parts/entropy/symbols/trained.rs` of the runtime.

use crate::{SHELL_M, Set};
use posepress_core::codecs::internal::{
    SymbolWriter, WaveletCodec, WaveletSketch, huffman_symbol, search_wavelet_blocks,
};
use posepress_core::codecs::{Codec, EncodeError, ParamValues, Progress, Source};
use posepress_core::model::{Clip, Skeleton};
use posepress_runtime::internal::parts::{ARITHMETIC_SIZES, Context, HUFFMAN_OWN, HUFFMAN_SYMBOLS, RANS_BITS};

const TOLERANCE_M: f32 = 1e-4;
/// Weight of numbers with the same neighbours in other bands, in counts of the context's own numbers.
const PRIOR: f64 = 8.0;

/// Rows of the three tables: chances of sizes, chances of digits, shares of symbols.
pub fn tables(sets: &[Set]) -> Result<Vec<String>, EncodeError> {
    let mut counter = ChanceCounter::default();
    sets.iter().flatten().try_for_each(|(skeleton, clip)| counter.clip(skeleton, clip))?;
    let digits = counter.digits.map(|digits| digits.map(|[zero, one]| in_256ths(zero, one)));
    Ok([lines(&counter.chances()), lines(&digits), lines(&counter.shares())].concat())
}

/// Counts of zero and one bits per context, and counts of symbols.
struct ChanceCounter {
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
    /// Counts the numbers of a clip in the form in which the entropy coder gets them.
    fn clip(&mut self, skeleton: &Skeleton, clip: &Clip) -> Result<(), EncodeError> {
        let shells_m = vec![SHELL_M; skeleton.len()];
        let (source, progress) = (Source::new(skeleton, clip, TOLERANCE_M, &shells_m), Progress::new());
        let mut values = ParamValues::new();
        values.set_text(WaveletCodec.params(), "entropy", "none")?;
        let sketch = WaveletSketch::within(&source, &values, TOLERANCE_M, &progress)?;
        let blocks = search_wavelet_blocks(&sketch, TOLERANCE_M, &progress)?;
        sketch.count(&blocks, self);
        Ok(())
    }

    /// Chance per context and size. It is one half in contexts that never occur.
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

    /// Share per symbol. Both signs of a magnitude get the same share.
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
