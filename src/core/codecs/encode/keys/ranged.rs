//! The steps of a track whose keys take only as many bits as they need.

use super::choose::KeyChooser;
use super::joint::{JointSolver, Part};
use super::tracks::Rounded;
use crate::codecs::encode::write::{WriteCoding, WriteKey, ranged};
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
        let (dropped, overshoot) = (F::best_dropped(raw), self.settings.chooser.overshoot());
        let fine = |codes: [u8; 3]| self.in_steps(part, raw, ranged::<F>(raw, overshoot, dropped, codes)?, room);
        let code = last_that(0..u8::MAX, |code| fine([code; 3]).is_some());
        let even = fine([code; 3]);
        // Components that move the descendants less can have coarser steps, once all steps are slightly finer.
        let mut codes = [code.saturating_sub(FINER); 3];
        for axis in 0..3 {
            let finest = codes;
            let coarser = |n: u8| {
                let mut codes = finest;
                codes[axis] = codes[axis].saturating_add(n * RANGED_COARSER_CODES);
                codes
            };
            codes = coarser(last_that(0..1 << RANGED_COARSER_BITS, |n| fine(coarser(n)).is_some()));
        }
        match (even, fine(codes)) {
            (Some(even), Some(uneven)) if even.coding.bits() <= uneven.coding.bits() => Some(even),
            (even, uneven) => uneven.or(even),
        }
    }

    /// Keys in those steps. Each takes the nearest step, or one beside it if the nearest has an error beyond `room`. `None` if too many
    /// keys need that, or if it does not help.
    fn in_steps<F: WriteKey>(&self, part: Part<F>, raw: &[F::Key], ranged: Ranged, room: f32) -> Option<Rounded<F>> {
        let coding = KeyCoding::Ranged(ranged);
        let (mut stored, mut values) = (raw.to_vec(), coding.round_trips(raw));
        let is_fine = |sample: usize, key: F::Key| self.is_fine_at(part, sample, key, room);
        let most = if C::TAKES_STORED { (raw.len() as f32 * BESIDE_SHARE) as usize } else { 0 };
        // Counted first: trials of steps that are too coarse end here, and the search beside a step takes 27 times as long.
        let coarse: Vec<usize> = (0..raw.len()).filter(|at| !is_fine(*at, values[*at])).take(most + 1).collect();
        if coarse.len() > most {
            return None;
        }
        for sample in coarse {
            let read = |key: F::Key| (key, coding.round_trip(key));
            let found = beside::<F>(&ranged, values[sample]).map(read).find(|(_, value)| is_fine(sample, *value))?;
            (stored[sample], values[sample]) = found;
        }
        Some(Rounded { coding, stored, values })
    }
}

/// The keys up to one step from a key, in every component.
fn beside<F: WriteKey>(ranged: &Ranged, key: F::Key) -> impl Iterator<Item = F::Key> {
    let (dropped, numbers) = (ranged.dropped(), F::without(ranged.dropped(), key));
    let steps = Vec3::from_array(ranged.step_codes().map(|code| step_of_code(code) as f32));
    let third = |n: i32| (n.rem_euclid(3) - 1) as f32;
    (0..27).map(move |n| F::key_without(dropped, numbers + steps * Vec3::new(third(n), third(n / 3), third(n / 9))))
}

/// The last value for which `is_true` holds, if it holds up to some value of the range. The first value if it never holds.
fn last_that(range: Range<u8>, mut is_true: impl FnMut(u8) -> bool) -> u8 {
    let (mut last, mut beyond) = (range.start, range.end);
    while beyond - last > 1 {
        let middle = last + (beyond - last) / 2;
        if is_true(middle) { last = middle } else { beyond = middle }
    }
    last
}
