//! The steps of a track whose keys take only as many bits as they need.

use super::choose::KeyChooser;
use super::joint::{JointSolver, Part};
use super::tracks::Rounded;
use crate::codecs::encode::write::{KeyNumbers, WriteCoding, WriteKey};
use crate::codecs::runtime::{KeyCoding, RANGED_COARSER_BITS, RANGED_COARSER_CODES, Ranged};
use crate::math::step_of_code;
use glam::Vec3;
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
        let mut trials = Trials { solver: self, part, raw, room, numbers, hardest: 0 };
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
            let read = |key: F::Key| (key, coding.round_trip(key));
            let found = beside::<F>(&ranged, values[sample]).map(read).find(|(_, value)| self.is_fine(sample, *value));
            let Some(found) = found else {
                self.hardest = sample;
                return None;
            };
            (stored[sample], values[sample]) = found;
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
            let value = self.numbers.decoded(ranged, sample);
            if !self.is_fine(sample, value) {
                coarse.push(sample);
                if coarse.len() > most {
                    return None;
                }
            }
            values.push(value);
        }
        Some((values, coarse))
    }

    fn is_fine(&self, sample: usize, key: F::Key) -> bool {
        self.solver.is_fine_at(self.part, sample, key, self.room)
    }
}

/// The keys up to one step from a key, in every component.
fn beside<F: WriteKey>(ranged: &Ranged, key: F::Key) -> impl Iterator<Item = F::Key> {
    let (dropped, numbers) = (ranged.dropped(), F::without(ranged.dropped(), key));
    let steps = Vec3::from_array(ranged.step_codes().map(|code| step_of_code(code) as f32));
    let third = |n: i32| (n.rem_euclid(3) - 1) as f32;
    (0..27).map(move |n| F::key_without(dropped, numbers + steps * Vec3::new(third(n), third(n / 3), third(n / 9))))
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
