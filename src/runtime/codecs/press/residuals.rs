//! Coding of the residuals of integers. A residual is a series of yes-or-no questions. The probability of each answer is mixed from
//! several opinions.

use super::residuals_trained::{AGES, TRAINED};
use crate::memory::{NoMemory, filled};
use crate::parts::{Chance, CodeBit, PROBABILITY_BITS, squash, stretch, stretch_of_zero, tail};
use alloc::vec::Vec;

/// Number of questions: nonzero, negative, then one per size in bits. The largest sizes share the last.
const QUESTIONS: usize = 16;
/// The first question about sizes.
const FIRST_SIZE: usize = 2;
/// Largest size of an integer, bits.
const LARGEST_SIZE: u32 = 31;
/// Number of digits below the first whose probabilities come from the forecast. Lower digits are equally likely 0 or 1.
const FORECAST_DIGITS: usize = 2;
/// Number of probabilities that are mixed: that of the forecast, and adaptive ones by expected size, by recent sizes and by component.
pub const OPINIONS: usize = 4;
/// Number of size classes: half octaves.
const LEVELS: usize = 32;
/// Number of classes of [`Known::activity`].
const ACTIVITIES: usize = 16;
/// Number of classes of the forecast's position between two integers.
const SIDES: usize = 5;
/// Number of bits that an adaptive probability counts for when it begins at that of the forecast.
const SEEN: u16 = 4;
/// Learning rate of weights.
const LEARNING: f64 = 0.006;
/// Smallest probability of a coded bit.
const LEAST_CHANCE: f64 = 1.0 / 2048.0;
/// Smallest probability of the forecast before mixing.
const LEAST_OPINION: f64 = 1e-4;
/// Number of forecasts that are mixed.
pub const FORECASTS: usize = 2;

/// The forecast of an integer: a mixture of logistic distributions.
#[derive(Debug, Clone, Copy)]
pub struct Forecast {
    /// Their means.
    pub means: [f64; FORECASTS],
    /// One over their scales.
    pub steepness: [f64; FORECASTS],
    /// Their shares of the mixture, which add up to 1.
    pub trust: [f64; FORECASTS],
}

impl Forecast {
    /// Probability of values below `place`.
    #[inline]
    pub fn below(&self, place: f64) -> f64 {
        let of = |i: usize| self.trust[i] * tail((self.means[i] - place) * self.steepness[i]);
        of(0) + of(1)
    }

    /// Probability of values above `place`.
    #[inline]
    pub fn above(&self, place: f64) -> f64 {
        let of = |i: usize| self.trust[i] * tail((place - self.means[i]) * self.steepness[i]);
        of(0) + of(1)
    }
}

/// The context of an integer, besides its forecast.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    pub component: usize,
    /// Mean of all predictions.
    pub mean: f64,
    /// Expected size of the residual.
    pub expected: f64,
    /// Mean size of recent residuals.
    pub late: f64,
    /// Mean size of the residuals coded before, relative to their expected sizes.
    pub activity: f64,
    /// Index of the sample.
    pub sample: usize,
}

/// Weights of opinions, by question and age of the clip.
pub type Weights = [[[f64; OPINIONS]; AGES]; QUESTIONS];

/// The first weights.
pub fn trained_weights() -> Weights {
    core::array::from_fn(|question| {
        TRAINED[question.min(TRAINED.len() - 1)].map(|row| row.map(|weight| f64::from(weight) / 64.0))
    })
}

/// Adaptive probabilities and weights of all questions.
#[derive(Debug)]
pub struct Residuals {
    by_size: Vec<Chance>,
    by_late: Vec<Chance>,
    by_component: Vec<Chance>,
    pub weights: Weights,
}

/// State for the questions of one integer.
struct IntegerContext<'a, B> {
    residuals: &'a mut Residuals,
    bits: &'a mut B,
    /// Indices of the probabilities of the first question. Those of the other questions follow, in the same cache lines.
    places: [usize; OPINIONS - 1],
    /// Age class of the clip: see [`AGES`].
    age: usize,
}

impl Residuals {
    /// The state at the start of a clip.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(components: usize) -> Result<Self, NoMemory> {
        Ok(Self {
            by_size: filled(Chance::EVEN, QUESTIONS * SIDES * LEVELS)?,
            by_late: filled(Chance::EVEN, QUESTIONS * LEVELS * ACTIVITIES)?,
            by_component: filled(Chance::EVEN, QUESTIONS * components)?,
            weights: trained_weights(),
        })
    }

    /// Codes the residual `left`: the integer minus `nearest`. Returns it.
    pub fn code<B: CodeBit>(
        &mut self,
        left: i32,
        nearest: f64,
        forecast: &Forecast,
        known: &Known,
        bits: &mut B,
    ) -> i32 {
        let mut asked = self.asked(nearest, known, bits);
        let (below, above) = (forecast.below(nearest - 0.5), forecast.above(nearest + 0.5));
        if !asked.ask(0, left != 0, below + above) {
            return 0;
        }
        let is_negative = asked.ask(1, left < 0, below / (below + above));
        let side = if is_negative { -1.0 } else { 1.0 };
        let beyond = |magnitude: f64| {
            let place = nearest + side * (magnitude - 0.5);
            if is_negative { forecast.below(place) } else { forecast.above(place) }
        };
        let magnitude = asked.magnitude(left.unsigned_abs(), if is_negative { below } else { above }, beyond) as i32;
        if is_negative { -magnitude } else { magnitude }
    }

    fn asked<'a, B>(&'a mut self, nearest: f64, known: &Known, bits: &'a mut B) -> IntegerContext<'a, B> {
        let between = known.mean - nearest + 0.5;
        let side = ((between * SIDES as f64) as usize).min(SIDES - 1);
        let activity = ((known.activity * 4.0) as usize).min(ACTIVITIES - 1);
        let places =
            [side * LEVELS + level(known.expected), level(known.late) * ACTIVITIES + activity, known.component];
        IntegerContext {
            residuals: self,
            bits,
            places: places.map(|place| place * QUESTIONS),
            age: ((usize::BITS - (known.sample / 4).leading_zeros()) as usize).min(AGES - 1),
        }
    }
}

/// The size class of a size: its half octave.
fn level(size: f64) -> usize {
    let size = ((size * 256.0) as u32).max(4);
    let octave = size.ilog2();
    ((2 * (octave - 2) + (size >> (octave - 1) & 1)) as usize).min(LEVELS - 1)
}

impl<B: CodeBit> IntegerContext<'_, B> {
    /// Codes the size of a magnitude in bits, then its digits. `all` is the probability of a magnitude of 1 or more, `beyond(m)` that of
    /// `m` or more.
    fn magnitude(&mut self, wanted: u32, all: f64, beyond: impl Fn(f64) -> f64) -> u32 {
        let wanted_size = u32::BITS - wanted.leading_zeros();
        let (mut size, mut from) = (1, all);
        let mut to = beyond(2.0);
        while size < LARGEST_SIZE {
            let question = (FIRST_SIZE + size as usize - 1).min(QUESTIONS - 1);
            if !self.ask(question, wanted_size > size, to / from) {
                break;
            }
            size += 1;
            (from, to) = (to, beyond((1u64 << size) as f64));
        }
        let mut out = 1u32;
        for digit in (0..size - 1).rev() {
            let bit = wanted >> digit & 1 == 1;
            let is_forecast = ((size - 2 - digit) as usize) < FORECAST_DIGITS;
            let bit = if is_forecast {
                let middle = beyond(((u64::from(out) * 2 + 1) << digit) as f64);
                let bit = self.forecast_bit(bit, (middle - to) / (from - to));
                *(if bit { &mut from } else { &mut to }) = middle;
                bit
            } else {
                self.bits.even(bit)
            };
            out = out << 1 | u32::from(bit);
        }
        out
    }

    /// Codes a bit that is one with the probability `chance`.
    fn forecast_bit(&mut self, wanted: bool, chance: f64) -> bool {
        self.bits.likely(wanted, parts(chance.clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE)))
    }

    /// Codes the answer to a question. `chance` is the forecast's probability of yes. Then adapts the weights and probabilities.
    fn ask(&mut self, question: usize, wanted: bool, chance: f64) -> bool {
        let Residuals { by_size, by_late, by_component, weights } = &mut *self.residuals;
        let place = |i: usize| self.places[i] + question;
        let found = [&mut by_size[place(0)], &mut by_late[place(1)], &mut by_component[place(2)]];
        let chance = chance.clamp(LEAST_OPINION, 1.0 - LEAST_OPINION);
        let forecast = stretch(chance);
        let opinion = |found: &Chance| if found.seen() > 0 { stretch_of_zero(*found) } else { forecast };
        let opinions = [forecast, opinion(found[0]), opinion(found[1]), opinion(found[2])];
        let weights = &mut weights[question][self.age];
        let sum = |i: usize| weights[i] * opinions[i];
        let mixed = squash((sum(0) + sum(1)) + (sum(2) + sum(3))).clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE);
        let bit = self.bits.likely(wanted, parts(mixed));
        let missed = LEARNING * (if bit { 1.0 } else { 0.0 } - mixed);
        for (weight, opinion) in weights.iter_mut().zip(opinions) {
            *weight += missed * opinion;
        }
        for found in found {
            if found.seen() == 0 {
                *found = Chance::likely(((1.0 - chance) * 65_535.0) as u16, SEEN);
            }
            found.learn(bit);
        }
        bit
    }
}

/// Converts the probability of a one to that of a zero, in parts of `2^PROBABILITY_BITS`.
#[inline(always)]
fn parts(chance: f64) -> u32 {
    let whole = 1 << PROBABILITY_BITS;
    (((1.0 - chance) * f64::from(whole)) as u32).clamp(1, whole - 1)
}
