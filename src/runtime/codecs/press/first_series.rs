//! What the integers of the first archives are predicted from, and how what is left of them becomes bits.

use super::series::LARGEST;
use crate::memory::{NoMemory, TryList};
use crate::parts::{Chance, CodeBit, code_digits};
use alloc::vec::Vec;

/// Differences of a component's past that its prediction is made of.
const PAST: usize = 4;
/// With them: what the other components of its track and those of the track before left in this sample.
const NEAR: usize = 8;
/// Predictions that are mixed.
const PREDICTIONS: usize = 5;
/// How fast least squares forget.
const FORGETTING: f64 = 0.996;
/// How little is known of the first weights.
const FIRST_VARIANCE: f64 = 0.1;
/// Share of the next squared error in the mean that predictions are judged by.
const SCORE_RATE: f64 = 1.0 / 8.0;
/// Samples whose size is guessed from that of the components before.
const FIRST_SAMPLES: usize = 3;
/// Mean sizes are in parts of so many.
const ONE: u32 = 256;
/// Contexts of sizes, four an octave.
const LEVELS: usize = 64;
/// Sizes in bits that a context tells apart.
const SIZES: usize = 20;
/// How often a chance is taken to have been asked before the first.
const SEEN: u16 = 14;

/// Codes integers, sample by sample: written once for both directions.
///
/// Whole numbers and `+ - * /` of float64, which give the same bits on every machine.
#[derive(Debug)]
pub struct SeriesModel {
    series: Vec<Series>,
    sizes: Vec<SizeChances>,
    signs: [[Chance; 9]; 2],
    /// Mean sizes of what is left of the first samples.
    firsts: [u32; FIRST_SAMPLES],
    sample: usize,
    /// The component that comes next.
    next: usize,
    /// What was left of the components of the track before and of this one, so far, in this sample.
    near: [f64; 6],
    /// How large what was left of late was, in parts of what was expected.
    activity: u32,
}

/// One component.
#[derive(Debug, Clone)]
struct Series {
    last: i32,
    /// Differences from sample to sample, the latest first.
    past: [f64; PAST],
    own: LeastSquares<PAST>,
    near: LeastSquares<NEAR>,
    /// Mean squared errors of the predictions.
    scores: [f64; PREDICTIONS],
    /// Mean sizes of what was left, slow and fast.
    slow: u32,
    fast: u32,
    /// What was left in the latest sample.
    left: f64,
}

/// Chances of the sizes of numbers whose mean size is about the same.
#[derive(Debug, Clone)]
struct SizeChances {
    /// Zero or not, by how far the prediction was from an integer.
    zero: [Chance; 3],
    sizes: [Chance; SIZES],
    digits: [[Chance; 3]; SIZES],
}

impl SeriesModel {
    /// Nothing is known of any component yet.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(components: usize) -> Result<Self, NoMemory> {
        let sizes = (0..LEVELS).map(SizeChances::new).try_list()?;
        let series = (0..components).map(|_| Series::new()).try_list()?;
        Ok(Self {
            series,
            sizes,
            signs: [[Chance::EVEN; 9]; 2],
            firsts: [200 * ONE, 20 * ONE, 8 * ONE],
            sample: 0,
            next: 0,
            near: [0.0; 6],
            activity: ONE,
        })
    }

    /// Codes the next integer: component after component, three a track, then those of the next sample. A writer gives it, a
    /// reader gets it.
    pub fn code(&mut self, value: i32, bits: &mut impl CodeBit) -> i32 {
        let component = self.next;
        if component.is_multiple_of(3) {
            let [.., a, b, c] = self.near;
            self.near = [a, b, c, 0.0, 0.0, 0.0];
        }
        let near = self.near;
        let value = self.one(component, value, &near, bits);
        self.near[3 + component % 3] = self.series[component].left;
        self.next += 1;
        if self.next == self.series.len() {
            (self.next, self.near) = (0, [0.0; 6]);
            self.sample += 1;
        }
        value
    }

    fn one(&mut self, component: usize, value: i32, before: &[f64; 6], bits: &mut impl CodeBit) -> i32 {
        let series = &mut self.series[component];
        let [d1, d2, d3, _] = series.past;
        let near = [d1, d2, d3, before[0], before[1], before[2], before[3], before[4]];
        let predictions = [0.0, d1, 2.0 * d1 - d2, series.own.predict(&series.past), series.near.predict(&near)];
        let way = if self.sample == 0 { 0.0 } else { series.mix(&predictions) };
        let whole = round(way);
        let first = self.firsts.get_mut(self.sample);
        let expected = first.as_deref().copied().unwrap_or((series.slow + series.fast) / 2);
        let size = (u64::from(expected) * u64::from(ONE + self.activity) / u64::from(2 * ONE)) as u32;
        let left = value.wrapping_sub(series.last).wrapping_sub(whole);
        let left = code_left(left, &mut self.sizes[level(size)], &mut self.signs, way - f64::from(whole), bits);
        let value = series.last.wrapping_add(whole).wrapping_add(left);
        let magnitude = left.unsigned_abs().min(1 << 19) * ONE;
        let ratio = (magnitude.min(1 << 20) * 16 / (expected / 16 + 4)).min(6 * ONE);
        self.activity = (self.activity * 5 + ratio) / 6;
        match first {
            Some(first) => {
                *first = (*first * 7 + magnitude) / 8;
                (series.slow, series.fast) = ((*first + magnitude) / 2, (*first + magnitude) / 2);
            }
            None => {
                series.slow = (series.slow * 23 + magnitude) / 24;
                series.fast = (series.fast * 3 + magnitude) / 4;
            }
        }
        let step = f64::from(value.wrapping_sub(series.last));
        if self.sample > 0 {
            series.learn(step, &predictions, &near);
            series.left = step - way;
        }
        series.last = value;
        value
    }
}

impl Series {
    fn new() -> Self {
        Self {
            last: 0,
            past: [0.0; PAST],
            own: LeastSquares::new(),
            near: LeastSquares::new(),
            scores: [1.0; PREDICTIONS],
            slow: ONE,
            fast: ONE,
            left: 0.0,
        }
    }

    /// The mean of the predictions, weighed by how good they were of late.
    fn mix(&self, predictions: &[f64; PREDICTIONS]) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (prediction, score) in predictions.iter().zip(&self.scores) {
            let weight = 1.0 / (score * score + 1e-6);
            sum += weight * prediction;
            weights += weight;
        }
        let mean = sum / weights;
        // Neither infinite nor no number, nor beyond what integers are.
        if mean > -f64::from(LARGEST) && mean < f64::from(LARGEST) { mean } else { 0.0 }
    }

    fn learn(&mut self, step: f64, predictions: &[f64; PREDICTIONS], near: &[f64; NEAR]) {
        for (prediction, score) in predictions.iter().zip(&mut self.scores) {
            let error = step - prediction;
            *score += SCORE_RATE * (error * error - *score);
        }
        let past = self.past;
        self.own.learn(&past, step - predictions[3]);
        self.near.learn(near, step - predictions[4]);
        self.past = [step, past[0], past[1], past[2]];
    }
}

/// Recursive least squares with forgetting.
#[derive(Debug, Clone)]
struct LeastSquares<const N: usize> {
    weights: [f64; N],
    /// Inverse of the correlation of the inputs.
    inverse: [[f64; N]; N],
}

impl<const N: usize> LeastSquares<N> {
    fn new() -> Self {
        let (mut weights, mut inverse) = ([0.0; N], [[0.0; N]; N]);
        weights[0] = 0.6;
        (0..N).for_each(|i| inverse[i][i] = FIRST_VARIANCE);
        Self { weights, inverse }
    }

    fn predict(&self, inputs: &[f64; N]) -> f64 {
        (0..N).map(|i| self.weights[i] * inputs[i]).sum()
    }

    fn learn(&mut self, inputs: &[f64; N], error: f64) {
        let mut gain = [0.0; N];
        for (gain, row) in gain.iter_mut().zip(&self.inverse) {
            *gain = (0..N).map(|i| row[i] * inputs[i]).sum();
        }
        let spread = FORGETTING + (0..N).map(|i| gain[i] * inputs[i]).sum::<f64>();
        // What stands still teaches nothing, and must not be forgotten for.
        if spread - FORGETTING < 1e-4 {
            return;
        }
        let share = error / spread;
        for i in 0..N {
            self.weights[i] += gain[i] * share;
            for j in 0..=i {
                let value = (self.inverse[i][j] - gain[i] * gain[j] / spread) / FORGETTING;
                self.inverse[i][j] = value;
                self.inverse[j][i] = value;
            }
        }
        if !(0..N).all(|i| self.weights[i].is_finite() && self.inverse[i][i] > 0.0 && self.inverse[i][i] < 1e6) {
            *self = Self::new();
        }
    }
}

/// The nearest integer of a number that is one of an `i32`.
fn round(x: f64) -> i32 {
    if x < 0.0 { -((0.5 - x) as i32) } else { (x + 0.5) as i32 }
}

/// The context of a mean size: four an octave.
fn level(size: u32) -> usize {
    let size = size.max(4);
    let octave = size.ilog2();
    ((4 * (octave - 2) + (size >> (octave - 2) & 3)) as usize).min(LEVELS - 1)
}

/// The mean size in the middle of a context.
fn size_of_level(level: usize) -> f64 {
    f64::from(((4 + level as u32 % 4) * 2 + 1) << (level / 4)) / f64::from(2 * ONE)
}

impl SizeChances {
    /// As of a geometric distribution of both signs, whose size is that of the context on average.
    fn new(level: usize) -> Self {
        let mean = size_of_level(level);
        let mut theta = mean / (1.0 + mean);
        let likely = |zero: f64| Chance::likely((zero * 65_535.0) as u16, SEEN);
        let zero = likely(1.0 / (1.0 + mean));
        let mut out = Self { zero: [zero; 3], sizes: [zero; SIZES], digits: [[Chance::EVEN; 3]; SIZES] };
        for size in 1..SIZES {
            // `theta` to the power of half of the numbers of that size and below.
            let above = theta;
            out.sizes[size] = likely(1.0 - above);
            if size + 1 < SIZES {
                out.digits[size + 1] = [likely(1.0 / (1.0 + above)), likely(0.52), likely(0.52)];
            }
            theta *= theta;
        }
        out
    }
}

/// Codes what a prediction leaves: its size in bits, the digits below the first, of which two are learned, and its sign.
fn code_left(
    value: i32,
    chances: &mut SizeChances,
    signs: &mut [[Chance; 9]; 2],
    beyond: f64,
    bits: &mut impl CodeBit,
) -> i32 {
    let magnitude = value.unsigned_abs();
    let wanted = (u32::BITS - magnitude.leading_zeros()) as usize;
    let distance = if beyond < 0.0 { -beyond } else { beyond };
    if !bits.bit(wanted > 0, &mut chances.zero[((distance * 6.0) as usize).min(2)]) {
        return 0;
    }
    let mut size = 1;
    while size < 31 && bits.bit(wanted > size, &mut chances.sizes[size.min(SIZES - 1)]) {
        size += 1;
    }
    let digits = &mut chances.digits[size.min(SIZES - 1)];
    let out = code_digits(u64::from(magnitude), size, digits, bits) as u32;
    let side = ((beyond + 0.5) * 9.0) as usize;
    let is_negative = bits.bit(value < 0, &mut signs[usize::from(size > 1)][side.min(8)]);
    if is_negative { -(out as i32) } else { out as i32 }
}
