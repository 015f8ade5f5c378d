//! Kept keys and their decoded values.

use crate::codecs::Source;
use crate::codecs::encode::write::{WriteCoding, WriteKey};
use crate::codecs::runtime::{KeyCoding, RotationFormat, TrackKind, VectorFormat, time_bits};
use crate::math::Transform;

/// The kept keys of one track.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackKeys<F: WriteKey> {
    pub coding: KeyCoding<F>,
    /// Ascending samples, with the first and the last.
    pub times: Vec<u32>,
    /// The raw values at those samples.
    pub keys: Vec<F::Key>,
    /// The samples in the order in which a fit inserted them. Empty if keys were removed instead.
    pub inserted: Vec<u32>,
}

/// The tracks of one joint to store.
#[derive(Debug, Clone, PartialEq)]
pub struct JointKeys {
    pub kinds: [TrackKind; 3],
    pub still: Transform,
    pub rotation: Option<TrackKeys<RotationFormat>>,
    pub translation: Option<TrackKeys<VectorFormat>>,
    pub scale: Option<TrackKeys<VectorFormat>>,
}

impl JointKeys {
    /// Bits of the keys, without times and ranges.
    pub fn key_bits(&self) -> u64 {
        fn of<F: WriteKey>(track: &Option<TrackKeys<F>>) -> u64 {
            track.as_ref().map_or(0, |track| u64::from(track.coding.bits()) * track.keys.len() as u64)
        }
        of(&self.rotation) + of(&self.translation) + of(&self.scale)
    }
}

impl<F: WriteKey> TrackKeys<F> {
    /// Approximate bits of range, times and keys, for comparing two codings.
    pub fn bits(&self, samples: usize) -> u64 {
        track_bits(&self.coding, self.times.len(), samples)
    }
}

/// Bits of that many keys, with times and range. Never fewer for more keys.
pub fn track_bits<F: WriteKey>(coding: &KeyCoding<F>, keys: usize, samples: usize) -> u64 {
    let times = (keys * time_bits(samples) as usize).min(samples);
    u64::from(coding.head_bits()) + times as u64 + u64::from(coding.bits()) * keys as u64
}

/// A track in one coding, and all samples as decoded.
pub struct Rounded<F: WriteKey> {
    pub coding: KeyCoding<F>,
    /// The value to write for each sample: its own, or one step beside it if that decodes closer.
    pub stored: Vec<F::Key>,
    pub values: Vec<F::Key>,
}

/// Every sample of every track in float32.
pub fn exact_keys(source: &Source<'_>) -> Vec<JointKeys> {
    fn all<F: WriteKey>(format: F, keys: Vec<F::Key>) -> Option<TrackKeys<F>> {
        let coding = KeyCoding::Format(format, format.range(&keys));
        let times = (0..keys.len() as u32).collect();
        Some(TrackKeys { coding, times, keys, inserted: Vec::new() })
    }
    let of_joint = |joint: usize| {
        let track = || source.clip.track(joint);
        JointKeys {
            kinds: [TrackKind::Animated; 3],
            still: source.skeleton.bind(joint),
            rotation: all(RotationFormat::Full, track().map(|t| t.rotation).collect()),
            translation: all(VectorFormat::Float96, track().map(|t| t.translation).collect()),
            scale: all(VectorFormat::Float96, track().map(|t| t.scale).collect()),
        }
    };
    (0..source.skeleton.len()).map(of_joint).collect()
}

/// Position of `step` between `a` and `b`, in the decoder's own arithmetic.
pub fn fraction(a: usize, b: usize, step: usize) -> f32 {
    ((step - a) as f64 / (b - a) as f64) as f32
}

/// The decoded value at a step, with `stride` steps per sample.
pub fn blend_at<F: WriteKey>(times: &[u32], values: &[F::Key], step: usize, stride: usize) -> F::Key {
    let at = |key: usize| times[key] as usize * stride;
    let next = times.partition_point(|t| *t as usize * stride <= step);
    if at(next - 1) == step {
        return values[next - 1];
    }
    F::blend(values[next - 1], values[next], fraction(at(next - 1), at(next), step))
}
