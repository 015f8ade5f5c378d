//! The steps of a track whose keys take only as many bits as they need.

use super::bound::ErrorBound;
use super::choose::KeyChooser;
use super::joint::{JointSolver, Part};
use super::tracks::Rounded;
use crate::codecs::encode::write::{KeyNumbers, WriteCoding, WriteKey};
use crate::codecs::runtime::{KeyCoding, RANGED_COARSER_BITS, RANGED_COARSER_CODES, Ranged};
use std::ops::Range;

/// Part of a track's samples that may use a step beside the nearest one if that has too large an error. On the corpus at 0.1 mm, such steps
/// save 3.6 % (hand-keyed) and 7.4 % (captured). Twice this part saves no more.
const BESIDE_SHARE: f32 = 0.25;
/// Codes by which all steps are first made finer than needed. Then the steps of some components are made coarser again.
const FINER: u8 = RANGED_COARSER_CODES;

impl<C: KeyChooser> JointSolver<'_, C> {
    /// Keys in the fewest bits with errors within `room`. `None` if no steps are fine enough. Finer steps would leave more of the limit to
    /// the values between keys, but give larger files.
    pub fn ranged<F: WriteKey>(&self, part: Part<F>, raw: &[F::Key], room: f32) -> Option<Rounded<F>> {
        let numbers = KeyNumbers::new(raw, F::best_dropped(raw));
        let bounds = self.key_bounds().map(|bound| (*bound, bound.reach_sq(room))).collect();
        let mut trials = Trials { solver: self, part, raw, room, bounds, numbers, hardest: 0 };
        let (code, even) = last_that(0..u8::MAX, |code| trials.fine([code; 3]));
        let even = even.or_else(|| trials.fine([code; 3]));
        // Components that move the descendants less can have coarser steps, once all steps are slightly finer.
        let mut codes = [code.saturating_sub(FINER); 3];
        let mut uneven = None;
        for axis in 0..3 {
            let coarser = |n: u8| {
                let mut codes = codes;
                codes[axis] = codes[axis].saturating_add(n * RANGED_COARSER_CODES);
                codes
            };
            let (n, found) = last_that(0..1 << RANGED_COARSER_BITS, |n| trials.fine(coarser(n)));
            (codes, uneven) = (coarser(n), found.or(uneven));
        }
        match (even, uneven.or_else(|| trials.fine(codes))) {
            (Some(even), Some(uneven)) if even.coding.bits() <= uneven.coding.bits() => Some(even),
            (even, uneven) => uneven.or(even),
        }
    }
}

/// Trials of step sizes for the keys of one track.
struct Trials<'a, C, F: WriteKey> {
    solver: &'a JointSolver<'a, C>,
    part: Part<F>,
    raw: &'a [F::Key],
    room: f32,
    /// Per sample, with the squared distance from the target within which a key is fine. Empty if unknown.
    bounds: Vec<(ErrorBound, f32)>,
    numbers: KeyNumbers<F>,
    /// The sample that made the last trial fail. The next one is likely to fail there too.
    hardest: usize,
}

impl<C: KeyChooser, F: WriteKey> Trials<'_, C, F> {
    /// Keys in steps of those codes. Each takes the nearest step, or one beside it if the nearest has an error beyond `room`. `None` if too
    /// many keys need that, or if it does not help.
    fn fine(&mut self, step_codes: [u8; 3]) -> Option<Rounded<F>> {
        let ranged = self.numbers.ranged(step_codes, self.solver.settings.chooser.overshoot())?;
        let (mut values, mut coarse) = self.nearest(&ranged)?;
        if let Some(place) = coarse.iter().position(|sample| *sample == self.hardest) {
            coarse.swap(0, place);
        }
        let coding = KeyCoding::Ranged(ranged);
        let mut stored = self.raw.to_vec();
        for sample in coarse {
            let is_fine = |key: &F::Key| self.is_measured_fine(sample, *key) && coding.round_trip(*key) == *key;
            let Some(key) = beside::<F>(&ranged, self.numbers.codes(&ranged, sample)).find(is_fine) else {
                self.hardest = sample;
                return None;
            };
            (stored[sample], values[sample]) = (key, key);
        }
        Some(Rounded { coding, stored, values })
    }

    /// All keys at their nearest steps, and the samples at which these are too coarse. `None` if that are too many: trials of steps that are
    /// too coarse end here, and the search beside a step takes 27 times as long.
    fn nearest(&self, ranged: &Ranged) -> Option<(Vec<F::Key>, Vec<usize>)> {
        let samples = self.raw.len();
        let most = if C::TAKES_STORED { (samples as f32 * BESIDE_SHARE) as usize } else { 0 };
        let (mut values, mut coarse) = (Vec::with_capacity(samples), Vec::new());
        for sample in 0..samples {
            let value = decoded::<F>(ranged, self.numbers.codes(ranged, sample));
            if !self.is_near(sample, value) && !self.is_measured_fine(sample, value) {
                coarse.push(sample);
                if coarse.len() > most {
                    return None;
                }
            }
            values.push(value);
        }
        Some((values, coarse))
    }

    /// True if a key is so near its target that it needs no measurement.
    #[inline]
    fn is_near(&self, sample: usize, key: F::Key) -> bool {
        let is_near =
            |(bound, reach_sq): &(ErrorBound, f32)| bound.apart_sq(F::numbers(key), F::IS_ROTATION) <= *reach_sq;
        self.bounds.get(sample).is_some_and(is_near)
    }

    fn is_measured_fine(&self, sample: usize, key: F::Key) -> bool {
        self.solver.is_measured_fine(self.part, sample, key, self.room)
    }
}

/// The decoded keys up to one step from that of those codes, in every component.
fn beside<F: WriteKey>(ranged: &Ranged, codes: [u32; 3]) -> impl Iterator<Item = F::Key> {
    let highest = ranged.widths().map(|width| (1 << width) - 1);
    (0..27).map(move |n| {
        let thirds = [n % 3, n / 3 % 3, n / 9];
        let code = |i: usize| (codes[i] as i32 + thirds[i] - 1).clamp(0, highest[i]) as u32;
        decoded::<F>(ranged, std::array::from_fn(code))
    })
}

fn decoded<F: WriteKey>(ranged: &Ranged, codes: [u32; 3]) -> F::Key {
    F::key_without(ranged.dropped(), ranged.numbers_of(codes))
}

/// The last value with a result, if there are results up to some value of the range, and that result. The first value, which is not tried, if
/// no other has one.
fn last_that<T>(range: Range<u8>, mut result: impl FnMut(u8) -> Option<T>) -> (u8, Option<T>) {
    let (mut last, mut beyond) = ((range.start, None), range.end);
    while beyond - last.0 > 1 {
        let middle = last.0 + (beyond - last.0) / 2;
        match result(middle) {
            Some(found) => last = (middle, Some(found)),
            None => beyond = middle,
        }
    }
    last
}
