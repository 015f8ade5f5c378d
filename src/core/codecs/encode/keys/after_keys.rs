//! Keys that are chosen among exact values and rounded afterwards, as Unreal does it.

use super::choose::{KeyChooser, KeyedTrack};
use super::joint::{JointSolver, Part};
use super::metric::{LocalThresholds, local_error};
use super::tracks::{Rounded, TrackKeys, blend_at, track_bits};
use crate::codecs::encode::write::{WriteCoding, WriteKey};
use crate::math::Transform;

impl<C: KeyChooser> JointSolver<'_, C> {
    /// See [`super::FormatChoice::AfterKeys`]. `limit` is for the removal of keys.
    pub fn rounded_after<F: WriteKey>(
        &self,
        part: Part<F>,
        raw: &[F::Key],
        formats: &[F],
        (limit, cutoffs): (f32, &[LocalThresholds]),
    ) -> KeyedTrack<F> {
        let last = *formats.last().expect("there is a format");
        let exact = Rounded { coding: self.coding(part, last, raw), stored: raw.to_vec(), values: raw.to_vec() };
        let times = self.keys_in(part, &exact, raw, limit).keys.times;
        let keys: Vec<F::Key> = times.iter().map(|sample| raw[*sample as usize]).collect();
        let is_fine = |rounded: &[F::Key]| {
            cutoffs.get(self.joint).is_some_and(|cutoffs| rounding(part, &keys, rounded) <= cutoffs.of(part.channel))
        };
        let in_format = |format: F| {
            let coding = self.coding(part, format, &keys);
            (coding, coding.round_trips(&keys))
        };
        let fine = formats.iter().map(|format| in_format(*format)).filter(|(_, rounded)| is_fine(rounded));
        let smallest = fine.min_by_key(|(coding, _)| track_bits(coding, keys.len(), raw.len()));
        let (coding, rounded) = smallest.unwrap_or_else(|| in_format(last));
        let stride = self.settings.stride;
        let steps = (raw.len() - 1) * stride + 1;
        let values = (0..steps).map(|step| blend_at::<F>(&times, &rounded, step, stride)).collect();
        KeyedTrack { keys: TrackKeys { coding, times, keys, inserted: Vec::new() }, values }
    }
}

/// Largest distance of a key from its rounded value.
fn rounding<F: WriteKey>(part: Part<F>, keys: &[F::Key], rounded: &[F::Key]) -> f32 {
    let local = |key: F::Key| {
        let mut local = Transform::IDENTITY;
        *(part.of)(&mut local) = key;
        local
    };
    let apart = |(key, rounded): (&F::Key, &F::Key)| local_error(part.channel, local(*key), &local(*rounded));
    keys.iter().zip(rounded).map(apart).fold(0.0, f32::max)
}
