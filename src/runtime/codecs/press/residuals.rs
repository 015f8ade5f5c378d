//! What is left of integers beside their forecasts, as questions whose chances are mixed from what is known.

use super::residuals_trained::{AGES, TRAINED};
use crate::memory::{NoMemory, filled};
use crate::parts::{Chance, CodeBit, PROBABILITY_BITS, squash, stretch, stretch_of_zero, tail};
use alloc::vec::Vec;

/// Questions that are told apart: zero or not, negative or not, then one for each size in bits; the largest share the last.
const QUESTIONS: usize = 16;
/// The first question of sizes.
const FIRST_SIZE: usize = 2;
/// Sizes of the largest integers.
const LARGEST_SIZE: u32 = 31;
/// Digits below the first that are expected by the forecast; nothing is known of the others.
const FORECAST_DIGITS: usize = 2;
/// Chances that are mixed: that of the forecast, and what was found by its size, by sizes of late, by component.
pub const OPINIONS: usize = 4;
/// Half octaves of sizes.
const LEVELS: usize = 32;
/// Classes of how much the components before left, in parts of what was expected.
const ACTIVITIES: usize = 16;
/// Classes of where the forecast lies between integers.
const SIDES: usize = 5;
/// How often a chance counts as asked that begins as the forecast has it.
const SEEN: u16 = 4;
/// How fast weights move.
const LEARNING: f64 = 0.006;
/// Chances are never more certain than this.
const LEAST_CHANCE: f64 = 1.0 / 2048.0;
const LEAST_OPINION: f64 = 1e-4;
/// Forecasts that are mixed.
pub const FORECASTS: usize = 2;

/// Logistic distributions of what an integer may be, mixed.
#[derive(Debug, Clone, Copy)]
pub struct Forecast {
    /// Where they are.
    pub means: [f64; FORECASTS],
    /// One over their scales.
    pub steepness: [f64; FORECASTS],
    /// How much they are trusted: 1 together.
    pub trust: [f64; FORECASTS],
}

impl Forecast {
    /// Chance of what is below a place.
    #[inline]
    pub fn below(&self, place: f64) -> f64 {
        let of = |i: usize| self.trust[i] * tail((self.means[i] - place) * self.steepness[i]);
        of(0) + of(1)
    }

    /// Chance of what is above.
    #[inline]
    pub fn above(&self, place: f64) -> f64 {
        let of = |i: usize| self.trust[i] * tail((place - self.means[i]) * self.steepness[i]);
        of(0) + of(1)
    }
}

/// What is known of an integer besides its forecast.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    pub component: usize,
    /// Mean of all predictions.
    pub mean: f64,
    /// Expected size, and that of late, in integers.
    pub expected: f64,
    pub late: f64,
    /// How much the components before left, in parts of what was expected.
    pub activity: f64,
    /// Of how many samples.
    pub sample: usize,
}

/// What opinions weigh, by question and age of the clip.
pub type Weights = [[[f64; OPINIONS]; AGES]; QUESTIONS];

/// As they begin.
pub fn trained_weights() -> Weights {
    core::array::from_fn(|question| {
        TRAINED[question.min(TRAINED.len() - 1)].map(|row| row.map(|weight| f64::from(weight) / 64.0))
    })
}

/// Chances of all questions.
#[derive(Debug)]
pub struct Residuals {
    by_size: Vec<Chance>,
    by_late: Vec<Chance>,
    by_component: Vec<Chance>,
    pub weights: Weights,
}

/// One integer's questions.
struct IntegerContext<'a, B> {
    residuals: &'a mut Residuals,
    bits: &'a mut B,
    /// Where the chances of the first question lie; those of the others lie behind it, in the same lines of memory.
    places: [usize; OPINIONS - 1],
    age: usize,
}

impl Residuals {
    /// Nothing of the clip is known.
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

    /// Codes how far an integer is from `nearest`.
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

/// The half octave of a size.
fn level(size: f64) -> usize {
    let size = ((size * 256.0) as u32).max(4);
    let octave = size.ilog2();
    ((2 * (octave - 2) + (size >> (octave - 1) & 1)) as usize).min(LEVELS - 1)
}

impl<B: CodeBit> IntegerContext<'_, B> {
    /// The size of a magnitude in bits, then its digits; `beyond`: the chance of one or more.
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

    /// A bit that is set with that chance.
    fn forecast_bit(&mut self, wanted: bool, chance: f64) -> bool {
        self.bits.likely(wanted, parts(chance.clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE)))
    }

    /// One question, whose answer is yes with that chance as far as the forecast goes.
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

/// The chance of zero of a bit that is set with that chance.
#[inline(always)]
fn parts(chance: f64) -> u32 {
    let whole = 1 << PROBABILITY_BITS;
    (((1.0 - chance) * f64::from(whole)) as u32).clamp(1, whole - 1)
}
