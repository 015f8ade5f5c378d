//! Forecasts of the integers of an archive.

use super::least_squares::LeastSquares;
use super::residuals::{FORECASTS, Forecast, Known, Residuals, Weights};
use crate::memory::{NoMemory, TryList};
use crate::parts::{CodeBit, tail};
use alloc::vec::Vec;

/// Number of a component's last differences, the inputs of its first adaptive prediction.
const PAST: usize = 4;
/// Number of inputs of the second adaptive prediction: the component's last two differences; the errors of the guide and of the track's
/// other components, in this sample and in the one before. Errors that are not known yet are zero.
const NEAR: usize = 12;
/// Number of predictions, whose weighted mean is a prediction too.
const PREDICTIONS: usize = 5;
/// Index of the first adaptive prediction. The two adaptive predictions are the means of the forecasts.
const OWN: usize = 3;
/// Share of a new squared error in the mean squared error of a prediction.
const SCORE_RATE: f64 = 1.0 / 8.0;
/// Shares of a new error in the slow and in the fast mean size.
const RATES: [f64; 2] = [1.0 / 24.0, 1.0 / 4.0];
/// Scale of a logistic distribution, per mean size of errors.
const SCALE: f64 = 0.57;
/// Smallest scale of a forecast.
const LEAST_SCALE: f64 = 0.08;
/// Part of the trust that is divided equally among forecasts at each sample.
const EVEN_TRUST: f64 = 0.02;
/// Number of first samples, whose residual sizes are estimated from other components.
const FIRST_SAMPLES: usize = 3;
/// First estimates of these sizes, in radians or metres.
const FIRST_SIZES: [f64; FIRST_SAMPLES] = [0.25, 0.03, 0.015];
/// Share of a new component in these estimates.
const FIRST_RATE: f64 = 0.05;
/// Limit of a clip's integers.
pub const LARGEST: i32 = 1 << 29;
/// Largest size of a residual in statistics.
const LARGEST_SIZE: f64 = 1e6;

/// Settings of a track, coded before its integers.
#[derive(Debug, Clone, Copy)]
pub struct SeriesTrack {
    /// Index of its guide: an earlier track whose errors help to predict its integers, such as the parent's rotation.
    pub guide: Option<usize>,
    /// Step sizes, in radians, metres or scale factors.
    pub steps: [f64; 3],
    /// True for a rotation. Sizes of first residuals are estimated from rotations or from other tracks.
    pub is_rotation: bool,
}

/// Codes integers, sample by sample, for encoders and decoders.
///
/// It uses integers and `+ - * /` of float64 only, so all machines get the same bits.
#[derive(Debug)]
pub struct SeriesModel {
    tracks: Vec<SeriesTrack>,
    series: Vec<Series>,
    residuals: Residuals,
    /// Mean residual sizes in the first samples: of rotations, and of other tracks.
    firsts: [[f64; FIRST_SAMPLES]; 2],
    sample: usize,
    /// Mean size of recent residuals, relative to their expected sizes.
    activity: f64,
}

/// State of one component.
#[derive(Debug, Clone)]
struct Series {
    /// Integer of the last sample.
    last: i32,
    /// Differences from sample to sample, the latest first.
    past: [f64; PAST],
    own: LeastSquares<PAST>,
    near: LeastSquares<NEAR>,
    /// Mean squared errors of the predictions.
    scores: [f64; PREDICTIONS],
    /// Shares of the predictions in their mean, which add up to 1.
    shares: [f64; PREDICTIONS],
    /// Slow and fast mean sizes of errors: of the mean of predictions, and of each forecast.
    sizes: [[f64; 2]; 1 + FORECASTS],
    trust: [f64; FORECASTS],
    /// Errors of the mean of predictions in the last sample, and in the one before.
    left: [f64; 2],
}

impl SeriesModel {
    /// The state before the first sample. A guide precedes the tracks that it guides.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(tracks: Vec<SeriesTrack>) -> Result<Self, NoMemory> {
        let components = 3 * tracks.len();
        Ok(Self {
            tracks,
            series: (0..components).map(|_| Series::new()).try_list()?,
            residuals: Residuals::new(components)?,
            firsts: [FIRST_SIZES; 2],
            sample: 0,
            activity: 1.0,
        })
    }

    /// Weights of the opinions about residuals.
    pub fn weights(&mut self) -> &mut Weights {
        &mut self.residuals.weights
    }

    /// Writes or reads the three integers of a track, and returns them. Tracks come in order; after the last track, the next sample begins.
    /// A decoder ignores `integers`.
    pub fn code(&mut self, track: usize, integers: [i32; 3], bits: &mut impl CodeBit) -> [i32; 3] {
        let mut out = integers;
        for component in 0..3 {
            out[component] = self.one(track, component, integers[component], bits);
        }
        if track + 1 == self.tracks.len() {
            self.sample += 1;
        }
        out
    }

    fn one(&mut self, track: usize, component: usize, value: i32, bits: &mut impl CodeBit) -> i32 {
        let near = self.near(track, component);
        let SeriesTrack { steps, is_rotation, .. } = self.tracks[track];
        let (index, sample) = (3 * track + component, self.sample);
        let series = &mut self.series[index];
        let predictions = series.predictions(&near);
        let mean = if sample == 0 { 0.0 } else { series.mean(&predictions) };
        let first = self.firsts[usize::from(!is_rotation)].get_mut(sample);
        let step = steps[component];
        if let Some(first) = &first {
            series.sizes = [[(**first / step).min(LARGEST_SIZE); 2]; 1 + FORECASTS];
        }
        let expected = series.expected(0);
        let activity = (1.0 + self.activity) * 0.5;
        let forecast = series.forecast(mean, &predictions, activity, sample);
        let nearest = round(mean);
        let left = value.wrapping_sub(series.last).wrapping_sub(nearest);
        let late = series.sizes[0][1];
        let known =
            Known { component: index, mean, expected: expected * activity, late, activity: self.activity, sample };
        let left = self.residuals.code(left, nearest.into(), &forecast, &known, bits);
        let value = series.last.wrapping_add(nearest).wrapping_add(left);
        let size = f64::from(left.unsigned_abs()).min(LARGEST_SIZE);
        self.activity = (self.activity * 5.0 + (size / (expected + 1.0 / 16.0)).min(6.0)) / 6.0;
        if let Some(first) = first {
            *first += FIRST_RATE * (size * step - *first);
            series.sizes = [[((*first / step).min(LARGEST_SIZE) + size) * 0.5; 2]; 1 + FORECASTS];
        }
        series.learn(value, (mean, size), &forecast, &predictions, &near, sample);
        value
    }

    /// Inputs of the second adaptive prediction of a component.
    fn near(&self, track: usize, component: usize) -> [f64; NEAR] {
        let own = 3 * track;
        let left = |index: usize| self.series[index].left;
        let [d1, d2, ..] = self.series[own + component].past;
        let mut out = [0.0; NEAR];
        out[..2].copy_from_slice(&[d1, d2]);
        if let Some(guide) = self.tracks[track].guide {
            (0..3).for_each(|i| [out[2 + i], out[5 + i]] = left(3 * guide + i));
        }
        // Components before this one are known in this sample; those after it are not yet.
        let others = [0, 1, 2].into_iter().filter(|i| *i != component);
        for (place, other) in others.enumerate() {
            let [now, before] = left(own + other);
            [out[8 + place], out[10 + place]] = if other < component { [now, before] } else { [0.0, now] };
        }
        out
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
            shares: [1.0 / PREDICTIONS as f64; PREDICTIONS],
            sizes: [[1.0; 2]; 1 + FORECASTS],
            trust: [1.0 / FORECASTS as f64; FORECASTS],
            left: [0.0; 2],
        }
    }

    fn predictions(&self, near: &[f64; NEAR]) -> [f64; PREDICTIONS] {
        let [d1, d2, ..] = self.past;
        [0.0, d1, 2.0 * d1 - d2, bounded(self.own.predict(&self.past)), bounded(self.near.predict(near))]
    }

    /// The mean of the predictions, weighted by their recent errors.
    fn mean(&self, predictions: &[f64; PREDICTIONS]) -> f64 {
        let part = |i: usize| self.shares[i] * predictions[i];
        bounded((part(0) + part(1)) + (part(2) + part(3)) + part(4))
    }

    /// Expected size of an error: of the mean of predictions (0), or of a forecast (1 or 2).
    fn expected(&self, forecast: usize) -> f64 {
        let [slow, fast] = self.sizes[forecast];
        (slow + fast) * 0.5
    }

    fn forecast(&self, mean: f64, predictions: &[f64; PREDICTIONS], activity: f64, sample: usize) -> Forecast {
        let steepness = |i: usize| 1.0 / (self.expected(i) * activity * SCALE).max(LEAST_SCALE);
        if sample <= FIRST_SAMPLES {
            return Forecast { means: [mean; FORECASTS], steepness: [steepness(0); FORECASTS], trust: [1.0, 0.0] };
        }
        let means = [predictions[OWN], predictions[OWN + 1]];
        Forecast { means, steepness: [steepness(1), steepness(2)], trust: self.trust }
    }

    fn learn(
        &mut self,
        value: i32,
        (mean, size): (f64, f64),
        forecast: &Forecast,
        predictions: &[f64; PREDICTIONS],
        near: &[f64; NEAR],
        sample: usize,
    ) {
        let step = f64::from(value.wrapping_sub(self.last));
        self.last = value;
        if sample == 0 {
            return;
        }
        if sample >= FIRST_SAMPLES {
            self.judge(step, size, forecast);
        }
        self.score(step, predictions);
        let past = self.past;
        self.own.learn(&past, step - predictions[OWN]);
        self.near.learn(near, step - predictions[OWN + 1]);
        self.past = [step, past[0], past[1], past[2]];
        self.left = [step - mean, self.left[0]];
    }

    /// Updates the mean squared errors of the predictions. Their shares are proportional to the inverse square of these.
    fn score(&mut self, step: f64, predictions: &[f64; PREDICTIONS]) {
        let mut weights = 0.0;
        for ((prediction, score), share) in predictions.iter().zip(&mut self.scores).zip(&mut self.shares) {
            let error = step - prediction;
            *score += SCORE_RATE * (error * error - *score);
            *share = 1.0 / (*score * *score + 1e-6);
            weights += *share;
        }
        let whole = 1.0 / weights;
        self.shares.iter_mut().for_each(|share| *share *= whole);
    }

    /// Updates the trust in the forecasts by the probability that each gave to `step`, and the mean sizes of errors. `size` is the size of
    /// the coded residual.
    fn judge(&mut self, step: f64, size: f64, forecast: &Forecast) {
        let right = |i: usize| {
            let (mean, steepness) = (forecast.means[i], forecast.steepness[i]);
            tail((step - 0.5 - mean) * steepness) - tail((step + 0.5 - mean) * steepness) + 1e-6
        };
        let trust = [self.trust[0] * right(0), self.trust[1] * right(1)];
        let share = (1.0 - EVEN_TRUST) / (trust[0] + trust[1]);
        for (own, trust) in self.trust.iter_mut().zip(trust) {
            *own = trust * share + EVEN_TRUST / FORECASTS as f64;
        }
        for (i, sizes) in self.sizes.iter_mut().enumerate() {
            let error = if i == 0 { size } else { (step - forecast.means[i - 1]).abs().min(LARGEST_SIZE) };
            for (size, rate) in sizes.iter_mut().zip(RATES) {
                *size += rate * (error - *size);
            }
        }
    }
}

/// The number, or 0 if it is not finite or beyond plus or minus [`LARGEST`].
fn bounded(x: f64) -> f64 {
    if x > -f64::from(LARGEST) && x < f64::from(LARGEST) { x } else { 0.0 }
}

/// The nearest integer, without a branch, which processors would often predict wrongly.
fn round(x: f64) -> i32 {
    const ALL_POSITIVE: i64 = 1 << 30;
    ((x + (ALL_POSITIVE as f64 + 0.5)) as i64 - ALL_POSITIVE) as i32
}
