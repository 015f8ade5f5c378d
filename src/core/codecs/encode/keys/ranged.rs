//! The steps of a track whose keys take as many bits as they need.

use super::choose::KeyChooser;
use super::joint::{JointSolver, Part};
use super::tracks::Rounded;
use crate::codecs::encode::write::{WriteCoding, WriteKey, ranged};
use crate::codecs::runtime::{KeyCoding, RANGED_COARSER_BITS, RANGED_COARSER_CODES, Ranged};
use crate::math::step_of_code;
use glam::Vec3;
use std::ops::Range;

/// Part of a track's samples that may take another step than the nearest, where that one errs too much. On the corpus at 0.1 mm
/// such steps save 3.6 % (hand-keyed) and 7.4 % (captured); twice as many save no more.
const BESIDE_SHARE: f32 = 0.25;
/// How much finer than they need be all steps are made before those of some components are made coarser again, in codes.
const FINER: u8 = RANGED_COARSER_CODES;

impl<C: KeyChooser> JointSolver<'_, C> {
    /// Keys in as few bits as err no more than `room`; `None` where no steps are that fine. Finer ones, which would leave more
    /// of the limit to the keys between, give larger files.
    pub fn ranged<F: WriteKey>(&self, part: Part<F>, raw: &[F::Key], room: f32) -> Option<Rounded<F>> {
        let (dropped, overshoot) = (F::best_dropped(raw), self.settings.chooser.overshoot());
        let fine = |codes: [u8; 3]| self.in_steps(part, raw, ranged::<F>(raw, overshoot, dropped, codes)?, room);
        let code = last_that(0..u8::MAX, |code| fine([code; 3]).is_some());
        let even = fine([code; 3]);
        // Components that move less of what hangs on the joint do with coarser steps, once all are a bit finer.
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

    /// Keys in those steps, each in the nearest or, where that errs more than `room`, in one beside it; `None` where too many
    /// are beyond it, or one whatever it takes.
    fn in_steps<F: WriteKey>(&self, part: Part<F>, raw: &[F::Key], ranged: Ranged, room: f32) -> Option<Rounded<F>> {
        let coding = KeyCoding::Ranged(ranged);
        let (mut stored, mut values) = (raw.to_vec(), coding.round_trips(raw));
        let is_fine = |sample: usize, key: F::Key| self.is_fine_at(part, sample, key, room);
        let mut left = if C::TAKES_STORED { (raw.len() as f32 * BESIDE_SHARE) as usize } else { 0 };
        for sample in 0..raw.len() {
            if is_fine(sample, values[sample]) {
                continue;
            }
            left = left.checked_sub(1)?;
            let read = |key: F::Key| (key, coding.round_trip(key));
            let found = beside::<F>(&ranged, values[sample]).map(read).find(|(_, value)| is_fine(sample, *value))?;
            (stored[sample], values[sample]) = found;
        }
        Some(Rounded { coding, stored, values })
    }
}

/// The keys one step beside a key in any of its components.
fn beside<F: WriteKey>(ranged: &Ranged, key: F::Key) -> impl Iterator<Item = F::Key> {
    let (dropped, numbers) = (ranged.dropped(), F::without(ranged.dropped(), key));
    let steps = Vec3::from_array(ranged.step_codes().map(|code| step_of_code(code) as f32));
    let third = |n: i32| (n.rem_euclid(3) - 1) as f32;
    (0..27).map(move |n| F::key_without(dropped, numbers + steps * Vec3::new(third(n), third(n / 3), third(n / 9))))
}

/// The last of a range for which something is true that is true up to a place; the first where it is not even there.
fn last_that(range: Range<u8>, mut is_true: impl FnMut(u8) -> bool) -> u8 {
    let (mut last, mut beyond) = (range.start, range.end);
    while beyond - last > 1 {
        let middle = last + (beyond - last) / 2;
        if is_true(middle) { last = middle } else { beyond = middle }
    }
    last
}
