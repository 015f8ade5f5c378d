//! The choice of a track's keys, and the interpolation between them: lines here, curves elsewhere.

use super::bound::Interest;
use super::reduce::{KeyOrder, reduce_keys_to};
use super::tracks::{TrackKeys, blend_at, fraction};
use crate::codecs::encode::write::WriteKey;
use crate::codecs::runtime::KeyCoding;
use crate::math::Range3;
use crate::model::Channel;
use std::cell::Cell;
use std::ops::Range;

/// A track whose keys are to be chosen.
#[derive(Debug)]
pub struct TrackToKey<'a, F: WriteKey> {
    pub joint: usize,
    pub channel: Channel,
    pub coding: KeyCoding<F>,
    /// The source values, one per sample.
    pub raw: &'a [F::Key],
    /// The values to write.
    pub stored: &'a [F::Key],
    /// The same values, decoded.
    pub rounded: &'a [F::Key],
    /// Steps per sample. The error is measured at every step.
    pub stride: usize,
    /// The square of the largest error.
    pub limit_sq: f32,
    /// Per sample, the relative error growth of the joint and its descendants. Empty if unknown or not needed.
    pub weights: &'a [f32],
    /// With more keys than this, the coding is not an improvement.
    pub max_keys: usize,
}

/// The chosen keys with their decoded values.
#[derive(Debug)]
pub struct KeyedTrack<F: WriteKey> {
    pub keys: TrackKeys<F>,
    /// One per step.
    pub values: Vec<F::Key>,
}

/// Chooses the keys of a track.
pub trait KeyChooser: Sync {
    /// True if keys are those of [`TrackToKey::stored`], and not the chooser's own values.
    const TAKES_STORED: bool;
    /// True if it needs [`TrackToKey::weights`].
    const WANTS_WEIGHTS: bool;

    /// The distance by which keys may exceed the track's values, as a part of their range.
    fn overshoot(&self) -> f32 {
        0.0
    }

    /// The range in which a format's keys are stored as fractions.
    fn range<F: WriteKey>(&self, format: F, _channel: Channel, raw: &[F::Key]) -> Range3 {
        format.range(raw)
    }

    /// The keys to keep. `error_sq` is the squared error of a value at a step, as far as the [`Interest`] asks, and never NaN. `None` only
    /// if more than [`TrackToKey::max_keys`] are needed.
    fn choose<F: WriteKey>(
        &self,
        track: &TrackToKey<'_, F>,
        error_sq: impl Fn(usize, F::Key, Interest) -> f32,
    ) -> Option<KeyedTrack<F>>;
}

/// Removes keys that a blend of their neighbours reproduces.
#[derive(Debug, Clone, Copy)]
pub struct LinearChooser {
    pub order: KeyOrder,
    /// Distance of samples that may become keys, where that is close enough.
    pub keep_every: usize,
    /// False if all of those become keys.
    pub removes: bool,
}

impl KeyChooser for LinearChooser {
    const TAKES_STORED: bool = true;
    const WANTS_WEIGHTS: bool = false;

    fn choose<F: WriteKey>(
        &self,
        track: &TrackToKey<'_, F>,
        error_sq: impl Fn(usize, F::Key, Interest) -> f32,
    ) -> Option<KeyedTrack<F>> {
        let TrackToKey { coding, raw, stored, rounded, stride, limit_sq, .. } = *track;
        // Other orders do not need the size of an error within the limit.
        let is_ranked = self.order == KeyOrder::SmallestError;
        let hardest = Cell::new(0);
        let worst_sq = |a: usize, b: usize, limit_sq: f32| {
            let (first, last) = (a * stride, b * stride);
            let asked =
                if is_ranked { Interest { enough_sq: limit_sq, ..Interest::ALL } } else { Interest::within(limit_sq) };
            let mut worst = 0.0f32;
            for step in hardest_first(first + 1..last, hardest.get()) {
                let value = F::blend(rounded[a], rounded[b], fraction(first, last, step));
                worst = worst.max(error_sq(step, value, asked.beyond(worst)));
                if worst > limit_sq {
                    hardest.set(step);
                    break;
                }
            }
            worst
        };
        let grid = sub_sampled(raw.len(), self.keep_every, |a, b| worst_sq(a, b, limit_sq) <= limit_sq);
        let order = self.order.of_track(track.joint, track.channel);
        let between = |a: usize, b: usize, limit_sq| worst_sq(grid[a], grid[b], limit_sq);
        let kept = if self.removes {
            reduce_keys_to(grid.len(), order, limit_sq, track.max_keys, between)?
        } else {
            (grid.len() <= track.max_keys).then(|| (0..grid.len() as u32).collect())?
        };
        let times: Vec<u32> = kept.iter().map(|place| grid[*place as usize] as u32).collect();
        let keys = times.iter().map(|t| stored[*t as usize]).collect();
        let kept: Vec<F::Key> = times.iter().map(|t| rounded[*t as usize]).collect();
        let steps = (raw.len() - 1) * stride + 1;
        let values = (0..steps).map(|step| blend_at::<F>(&times, &kept, step, stride)).collect();
        Some(KeyedTrack { keys: TrackKeys { coding, times, keys, inserted: Vec::new() }, values })
    }
}

/// The steps of a blend: first the one at which the last blend failed, or else the middle, then all in order.
fn hardest_first(steps: Range<usize>, hardest: usize) -> impl Iterator<Item = usize> {
    let suspect = if steps.contains(&hardest) { hardest } else { steps.start.midpoint(steps.end) };
    (!steps.is_empty()).then_some(suspect).into_iter().chain(steps)
}

/// The samples that may become keys: every `keep_every`-th and the last, and all samples between two of them whose blend exceeds the limit.
fn sub_sampled(samples: usize, keep_every: usize, holds: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let last = samples - 1;
    let mut grid = vec![0];
    let mut a = 0;
    while a < last {
        let b = (a + keep_every).min(last);
        let is_whole = b - a > 1 && !holds(a, b);
        grid.extend(if is_whole { a + 1..b } else { b..b });
        grid.push(b);
        a = b;
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_so_many_samples_may_become_a_key_and_all_where_that_does_not_hold() {
        assert_eq!(sub_sampled(1, 3, |_, _| true), [0]);
        assert_eq!(sub_sampled(5, 1, |_, _| false), [0, 1, 2, 3, 4]);
        assert_eq!(sub_sampled(9, 3, |_, _| true), [0, 3, 6, 8]);
        assert_eq!(sub_sampled(9, 3, |a, _| a != 3), [0, 3, 4, 5, 6, 8]);
        assert_eq!(sub_sampled(4, 30, |_, _| true), [0, 3]);
    }
}
