//! Kept keys and what they decode to.

use crate::codecs::Source;
use crate::codecs::encode::write::WriteKey;
use crate::codecs::runtime::{RANGE_BITS, RangeSource, RotationFormat, TrackKind, VectorFormat, time_bits};
use crate::format::BitWriter;
use crate::math::{Range3, Transform};

/// The kept keys of one track.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackKeys<F: WriteKey> {
    pub format: F,
    pub range: Range3,
    /// Ascending samples, the first and the last among them.
    pub times: Vec<u32>,
    /// The raw values at those samples.
    pub keys: Vec<F::Key>,
    /// The samples in the order in which a fit inserted them; empty where keys were removed instead.
    pub inserted: Vec<u32>,
}

/// What is stored of one joint.
#[derive(Debug, Clone, PartialEq)]
pub struct JointKeys {
    pub kinds: [TrackKind; 3],
    pub still: Transform,
    pub rotation: Option<TrackKeys<RotationFormat>>,
    pub translation: Option<TrackKeys<VectorFormat>>,
    pub scale: Option<TrackKeys<VectorFormat>>,
}

impl<F: WriteKey> TrackKeys<F> {
    /// Bits of range, times and keys, about: good enough to compare two formats.
    pub fn bits(&self, samples: usize) -> u64 {
        track_bits(self.format, self.times.len(), samples)
    }
}

/// Bits of that many keys with their times and range; more keys never take less.
pub fn track_bits<F: WriteKey>(format: F, keys: usize, samples: usize) -> u64 {
    let range = if format.range_source() == RangeSource::None { 0 } else { RANGE_BITS };
    let times = (keys * time_bits(samples) as usize).min(samples);
    u64::from(range) + times as u64 + u64::from(format.bits()) * keys as u64
}

/// A track in one format: the range of its keys, and all samples as they read back.
pub struct Rounded<F: WriteKey> {
    pub format: F,
    pub range: Range3,
    pub values: Vec<F::Key>,
}

/// Every sample of every track in float32.
pub fn exact_keys(source: &Source<'_>) -> Vec<JointKeys> {
    fn all<F: WriteKey>(format: F, keys: Vec<F::Key>) -> Option<TrackKeys<F>> {
        let (range, times) = (format.range(&keys), (0..keys.len() as u32).collect());
        Some(TrackKeys { format, range, times, keys, inserted: Vec::new() })
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

/// Keys as they read back.
pub fn round_all<F: WriteKey>(format: F, range: &Range3, keys: &[F::Key]) -> Vec<F::Key> {
    let mut out = BitWriter::new();
    keys.iter().for_each(|key| format.write(*key, range, &mut out));
    let bytes = out.finish();
    (0..keys.len()).map(|i| format.read(&bytes, i * format.bits() as usize, range)).collect()
}

/// How far `step` lies from `a` to `b`, in the decoder's own arithmetic.
pub fn fraction(a: usize, b: usize, step: usize) -> f32 {
    ((step - a) as f64 / (b - a) as f64) as f32
}

/// The value of kept keys at a step, `stride` steps per sample.
pub fn blend_at<F: WriteKey>(times: &[u32], values: &[F::Key], step: usize, stride: usize) -> F::Key {
    let at = |key: usize| times[key] as usize * stride;
    let next = times.partition_point(|t| *t as usize * stride <= step);
    if at(next - 1) == step {
        return values[next - 1];
    }
    F::blend(values[next - 1], values[next], fraction(at(next - 1), at(next), step))
}
