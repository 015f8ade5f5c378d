//! Which keys a track keeps, and what lies between them: lines here, curves elsewhere.

use super::reduce::{KeyOrder, reduce_keys_to};
use super::tracks::{TrackKeys, blend_at, fraction};
use crate::codecs::encode::write::WriteKey;
use crate::codecs::runtime::KeyCoding;
use crate::math::Range3;
use crate::model::Channel;

/// A track whose keys are to be chosen.
#[derive(Debug)]
pub struct TrackToKey<'a, F: WriteKey> {
    pub joint: usize,
    pub channel: Channel,
    pub coding: KeyCoding<F>,
    /// Values, one per sample.
    pub raw: &'a [F::Key],
    /// What is to be written of them.
    pub stored: &'a [F::Key],
    /// The same as it reads back.
    pub rounded: &'a [F::Key],
    /// Steps from one sample to the next; the error is judged at every step.
    pub stride: usize,
    /// Square of the largest error.
    pub limit_sq: f32,
    /// With more keys the coding is of no use.
    pub max_keys: usize,
}

/// Chosen keys and what they decode to.
#[derive(Debug)]
pub struct KeyedTrack<F: WriteKey> {
    pub keys: TrackKeys<F>,
    /// One per step.
    pub values: Vec<F::Key>,
}

/// Chooses the keys of a track.
pub trait KeyChooser: Sync {
    /// Whether keys are those of [`TrackToKey::stored`], and not values of the chooser's own.
    const TAKES_STORED: bool;

    /// How far keys may lie beyond the track's values, as a part of their range.
    fn overshoot(&self) -> f32 {
        0.0
    }

    /// The range that a format's keys are fractions of.
    fn range<F: WriteKey>(&self, format: F, _channel: Channel, raw: &[F::Key]) -> Range3 {
        format.range(raw)
    }

    /// The keys to keep. `error_sq` is the square of the error of a value at a step; it may return the first beyond the
    /// limit given to it. It is never NaN. `None` only where more than [`TrackToKey::max_keys`] are needed.
    fn choose<F: WriteKey>(
        &self,
        track: &TrackToKey<'_, F>,
        error_sq: impl Fn(usize, F::Key, f32) -> f32,
    ) -> Option<KeyedTrack<F>>;
}

/// Removes keys that a blend of their neighbours can rebuild.
#[derive(Debug, Clone, Copy)]
pub struct LinearChooser {
    pub order: KeyOrder,
}

impl KeyChooser for LinearChooser {
    const TAKES_STORED: bool = true;

    fn choose<F: WriteKey>(
        &self,
        track: &TrackToKey<'_, F>,
        error_sq: impl Fn(usize, F::Key, f32) -> f32,
    ) -> Option<KeyedTrack<F>> {
        let TrackToKey { coding, raw, stored, rounded, stride, .. } = *track;
        let order = self.order.of_track(track.joint, track.channel);
        let times = reduce_keys_to(raw.len(), order, track.limit_sq, track.max_keys, |a, b, limit_sq| {
            let (first, last) = (a * stride, b * stride);
            let mut worst = 0.0f32;
            for step in first + 1..last {
                let value = F::blend(rounded[a], rounded[b], fraction(first, last, step));
                worst = worst.max(error_sq(step, value, limit_sq));
                if worst > limit_sq {
                    break;
                }
            }
            worst
        })?;
        let keys = times.iter().map(|t| stored[*t as usize]).collect();
        let kept: Vec<F::Key> = times.iter().map(|t| rounded[*t as usize]).collect();
        let steps = (raw.len() - 1) * stride + 1;
        let values = (0..steps).map(|step| blend_at::<F>(&times, &kept, step, stride)).collect();
        Some(KeyedTrack { keys: TrackKeys { coding, times, keys, inserted: Vec::new() }, values })
    }
}
