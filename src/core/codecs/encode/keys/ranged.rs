//! The steps of a track whose keys take only as many bits as they need.

use super::bound::{FourBounds, transposed};
use super::choose::KeyChooser;
use super::four_keys::FourKeys;
use super::joint::{JointSolver, Part};
use super::tracks::Rounded;
use crate::codecs::encode::write::{KeyNumbers, WriteCoding, WriteKey};
use crate::codecs::runtime::{KeyCoding, RANGED_COARSER_BITS, RANGED_COARSER_CODES, Ranged};
use crate::math::{LANES, each_lane};
use glam::Vec4;
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
        let bounds: Vec<_> = self.key_bounds().collect();
        let bounds = bounds.chunks(LANES).map(|four| FourBounds::new(four, room)).collect();
        let fours = self.four_keys(raw.len());
        let mut trials = Trials { solver: self, part, raw, room, bounds, fours, numbers, hardest: 0 };
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
    /// One for every four samples. Empty if unknown.
    bounds: Vec<FourBounds>,
    /// The surroundings of the keys of every four samples. Empty if keys are tested one by one.
    fours: Vec<FourKeys>,
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
        let mut stored = self.raw.to_vec();
        for sample in coarse {
            let Some(key) = self.beside(&ranged, sample, values[sample]) else {
                self.hardest = sample;
                return None;
            };
            (stored[sample], values[sample]) = (key, key);
        }
        Some(Rounded { coding: KeyCoding::Ranged(ranged), stored, values })
    }

    /// All keys at their nearest steps, and the samples at which these are too coarse. `None` if that are too many: trials of steps that are
    /// too coarse end here, and the search beside a step takes much longer.
    fn nearest(&self, ranged: &Ranged) -> Option<(Vec<F::Key>, Vec<usize>)> {
        let samples = self.raw.len();
        let most = if C::TAKES_STORED { (samples as f32 * BESIDE_SHARE) as usize } else { 0 };
        let (mut values, mut coarse) = (Vec::with_capacity(samples), Vec::new());
        for first in (0..samples).step_by(LANES) {
            let four = decoded::<F>(ranged, self.numbers.codes_of_four(ranged, first));
            let near = self.bounds.get(first / LANES).map_or(0, |bounds| bounds.near(&four, F::IS_ROTATION));
            let keys = each_lane(transposed(four), F::key_of);
            let left = LANES.min(samples - first);
            let asked = !near & ((1 << left) - 1);
            let fine = match self.fours.get(first / LANES) {
                Some(fours) if asked != 0 => self.solver.measured_fine(self.part, fours, &four, (asked, self.room)),
                Some(_) => 0,
                None => (0..left)
                    .filter(|lane| asked >> lane & 1 == 1 && self.is_measured_fine(first + lane, keys[*lane]))
                    .fold(0, |fine, lane| fine | 1 << lane),
            };
            coarse.extend((0..left).filter(|lane| (asked & !fine) >> lane & 1 == 1).map(|lane| first + lane));
            if coarse.len() > most {
                return None;
            }
            values.extend_from_slice(&keys[..left]);
        }
        Some((values, coarse))
    }

    /// The first fine key up to one step from the nearest one, in every component.
    fn beside(&self, ranged: &Ranged, sample: usize, nearest: F::Key) -> Option<F::Key> {
        let codes = self.numbers.codes(ranged, sample);
        let highest = ranged.widths().map(|width| (1 << width) - 1);
        let code = |i: usize, n: i32| {
            let thirds = [n % 3, n / 3 % 3, n / 9];
            (codes[i] as i32 + thirds[i] - 1).clamp(0, highest[i]) as f32
        };
        let coding = KeyCoding::<F>::Ranged(*ranged);
        let is_fine = |key: &F::Key| self.is_measured_fine(sample, *key) && coding.round_trip(*key) == *key;
        let worst = self.solver.worst_point(self.part, sample, nearest, self.room);
        (0..NEIGHBOURS).step_by(LANES).find_map(|first| {
            let codes = |i: usize| Vec4::from_array(each_lane([0, 1, 2, 3], |lane| code(i, first + lane)));
            let four = decoded::<F>(ranged, [codes(0), codes(1), codes(2)]);
            let hopeful = worst.as_ref().map_or(u32::MAX, |worst| worst.hopeful(&four));
            let keys = each_lane(transposed(four), F::key_of);
            let left = (NEIGHBOURS - first).min(LANES as i32) as usize;
            (0..left).filter(|lane| hopeful >> lane & 1 == 1).map(|lane| keys[lane]).find(is_fine)
        })
    }

    fn is_measured_fine(&self, sample: usize, key: F::Key) -> bool {
        self.solver.is_measured_fine(self.part, sample, key, self.room)
    }
}

/// Keys up to one step apart in three components.
const NEIGHBOURS: i32 = 27;

/// The decoded keys of four triples of codes, component by component.
#[inline]
fn decoded<F: WriteKey>(ranged: &Ranged, codes: [Vec4; 3]) -> [Vec4; 4] {
    F::four_without(ranged.dropped(), ranged.numbers_of_four(codes))
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
