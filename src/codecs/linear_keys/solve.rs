//! The closed loop: parents are decided first, children are judged on top of what their parents decode to.

use super::reduce::{KeyOrder, reduce_keys};
use crate::codecs::levers::{Levers, RawModel};
use crate::codecs::runtime::{
    KeyFormat, RANGE_BITS, RangeSource, RotationFormat, TrackKind, TrackTable, VectorFormat, time_bits,
};
use crate::codecs::trivial::{constant_value, stored_constant, with_channel};
use crate::codecs::{Cancelled, Progress, Source};
use crate::format::BitWriter;
use crate::math::{Range3, Transform};
use crate::model::Channel;
use glam::{Affine3A, Quat, Vec3};
use rayon::prelude::*;

/// The kept keys of one track.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackKeys<F: KeyFormat> {
    pub format: F,
    pub range: Range3,
    /// Ascending samples, the first and the last among them.
    pub times: Vec<u32>,
    /// The raw values at those samples.
    pub keys: Vec<F::Key>,
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

/// How keys are removed.
#[derive(Debug, Clone, Copy)]
pub struct SolveSettings<'a> {
    pub order: KeyOrder,
    /// Tried in turn until one is fine enough; the last must be exact.
    pub rotation_formats: &'a [RotationFormat],
    /// The same for translation and scale.
    pub vector_formats: &'a [VectorFormat],
    /// Largest error at anything, metres in object space.
    pub limit_m: f32,
}

/// How the limit is shared along a chain of `n` animated tracks: the k-th may raise the error to `(k / n) ^ this` of it.
///
/// At 1 all get equal parts; less gives more to those near the root. Among 0.4 ... 1
/// sizes on the corpus at 0.1 mm differ by 2 %; this is near the smallest of hand-keyed and captured clips alike.
const SHARE_EXPONENT: f32 = 0.6;

/// Decides every joint, level by level from the roots.
pub fn solve(
    source: &Source<'_>,
    raw: &RawModel,
    trivial: &TrackTable,
    settings: &SolveSettings<'_>,
    progress: &Progress,
) -> Result<Vec<JointKeys>, Cancelled> {
    let shares = Shares::new(source, trivial);
    let joints = source.skeleton.len();
    let mut decided: Vec<Option<Decided>> = (0..joints).map(|_| None).collect();
    let levels = levels(source);
    let total = levels.len() as f32;
    for (done, level) in levels.into_iter().enumerate() {
        progress.set_fraction(done as f32 / total);
        let solved: Vec<Decided> = level
            .par_iter()
            .map(|&joint| {
                progress.check()?;
                let parent = source.skeleton.parent(joint).and_then(|p| decided[p].as_ref());
                let parent = parent.map(|p| p.model_from_joint.as_slice());
                Ok(JointSolver::new(source, raw, trivial, settings, joint, parent).solve(&shares))
            })
            .collect::<Result<_, Cancelled>>()?;
        for (joint, solved) in level.into_iter().zip(solved) {
            decided[joint] = Some(solved);
        }
    }
    Ok(decided.into_iter().flatten().map(|d| d.keys).collect())
}

/// Joints by their distance from the root.
fn levels(source: &Source<'_>) -> Vec<Vec<usize>> {
    let mut depths = vec![0; source.skeleton.len()];
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for joint in 0..depths.len() {
        depths[joint] = source.skeleton.parent(joint).map_or(0, |p| depths[p] + 1);
        if levels.len() <= depths[joint] {
            levels.push(Vec::new());
        }
        levels[depths[joint]].push(joint);
    }
    levels
}

/// How many animated tracks lie above each joint, on it, and on the longest chain below.
struct Shares {
    above: Vec<u32>,
    own: Vec<u32>,
    below: Vec<u32>,
}

impl Shares {
    fn new(source: &Source<'_>, table: &TrackTable) -> Self {
        let animated = |kinds: &[TrackKind; 3]| kinds.iter().filter(|k| **k == TrackKind::Animated).count() as u32;
        let own: Vec<u32> = table.kinds.iter().map(animated).collect();
        let (mut above, mut below) = (vec![0; own.len()], vec![0; own.len()]);
        for joint in 0..own.len() {
            above[joint] = source.skeleton.parent(joint).map_or(0, |p| above[p] + own[p]);
        }
        for joint in (0..own.len()).rev() {
            if let Some(parent) = source.skeleton.parent(joint) {
                below[parent] = below[parent].max(below[joint] + own[joint]);
            }
        }
        Self { above, own, below }
    }

    /// Part of the limit that the error may reach once `done` of the joint's animated tracks are decided.
    fn part(&self, joint: usize, done: u32) -> f32 {
        let up_to_here = self.above[joint] + done;
        let all = self.above[joint] + self.own[joint] + self.below[joint];
        (up_to_here as f32 / all.max(1) as f32).powf(SHARE_EXPONENT)
    }
}

/// A joint's keys and what they decode to.
struct Decided {
    keys: JointKeys,
    /// One a sample.
    model_from_joint: Vec<Affine3A>,
}

/// Decides the tracks of one joint, one after another.
struct JointSolver<'a> {
    source: &'a Source<'a>,
    settings: &'a SolveSettings<'a>,
    constant_format: RotationFormat,
    joint: usize,
    /// Decoded matrices of the parent, one a sample; `None` above a root.
    model_from_parent: Option<&'a [Affine3A]>,
    levers: Levers,
    /// Decoded where decided, raw elsewhere; one a sample.
    locals: Vec<Transform>,
    kinds: [TrackKind; 3],
    still: Transform,
}

impl<'a> JointSolver<'a> {
    fn new(
        source: &'a Source<'a>,
        raw: &RawModel,
        trivial: &TrackTable,
        settings: &'a SolveSettings<'a>,
        joint: usize,
        model_from_parent: Option<&'a [Affine3A]>,
    ) -> Self {
        let (kinds, still) = (trivial.kinds[joint], trivial.still[joint]);
        let decode_still = |mut local: Transform| {
            for channel in Channel::ALL {
                if kinds[channel as usize] != TrackKind::Animated {
                    local = with_channel(local, channel, &still);
                }
            }
            local
        };
        let locals: Vec<Transform> = source.clip.track(joint).map(decode_still).collect();
        let levers = Levers::new(source, raw, joint);
        let constant_format = trivial.constant_format;
        Self { source, settings, constant_format, joint, model_from_parent, levers, locals, kinds, still }
    }

    fn solve(mut self, shares: &Shares) -> Decided {
        let mut done = 0;
        let mut limit_of_next = |kind: TrackKind| {
            done += u32::from(kind == TrackKind::Animated);
            self.settings.limit_m * shares.part(self.joint, done)
        };
        let limits_m = self.kinds.map(&mut limit_of_next);
        let (rotations, vectors) = (self.settings.rotation_formats, self.settings.vector_formats);
        let rotation = self.solve_channel(Channel::Rotation, rotations, limits_m[0], rotation_mut);
        let translation = self.solve_channel(Channel::Translation, vectors, limits_m[1], translation_mut);
        let scale = self.solve_channel(Channel::Scale, vectors, limits_m[2], scale_mut);
        let model_from_joint = (0..self.locals.len()).map(|s| self.model(s, &self.locals[s])).collect();
        let keys = JointKeys { kinds: self.kinds, still: self.still, rotation, translation, scale };
        Decided { keys, model_from_joint }
    }

    fn model(&self, sample: usize, local: &Transform) -> Affine3A {
        match self.model_from_parent {
            Some(parent) => parent[sample] * local.to_affine(),
            None => local.to_affine(),
        }
    }

    /// Square of the error at one sample with that local transform.
    fn error_sq(&self, sample: usize, local: &Transform, limit_sq: f32) -> f32 {
        self.levers.error_sq(sample, &self.model(sample, local), limit_sq)
    }

    fn solve_channel<F: KeyFormat>(
        &mut self,
        channel: Channel,
        formats: &[F],
        limit_m: f32,
        part: fn(&mut Transform) -> &mut F::Key,
    ) -> Option<TrackKeys<F>> {
        if self.kinds[channel as usize] != TrackKind::Animated || self.becomes_constant(channel, limit_m) {
            return None;
        }
        let raw: Vec<F::Key> = self.source.clip.track(self.joint).map(|mut t| *part(&mut t)).collect();
        let (mut track, decoded) = self.keys_in(self.fine_enough(&raw, formats, limit_m, part), &raw, limit_m, part);
        let mut values = decoded;
        // A few keys in float32 take fewer bits than a range and rounded keys.
        let exact = *formats.last().expect("formats end with an exact one");
        if track.format != exact && track.bits(raw.len()) > u64::from(exact.bits()) * track.times.len() as u64 {
            let (other, exact_values) = self.keys_in(exact, &raw, limit_m, part);
            if other.bits(raw.len()) < track.bits(raw.len()) {
                (track, values) = (other, exact_values);
            }
        }
        for sample in 0..self.locals.len() {
            *part(&mut self.locals[sample]) = blend_at::<F>(&track.times, &values, sample);
        }
        Some(track)
    }

    /// Keeps one value if that is good enough on top of the decoded parents too.
    fn becomes_constant(&mut self, channel: Channel, limit_m: f32) -> bool {
        let limit_sq = limit_m * limit_m;
        let stored = stored_constant(constant_value(self.source.clip, self.joint), self.constant_format);
        let local = |sample: usize| with_channel(self.locals[sample], channel, &stored);
        if !(0..self.locals.len()).all(|s| self.error_sq(s, &local(s), limit_sq) <= limit_sq) {
            return false;
        }
        self.kinds[channel as usize] = TrackKind::Constant;
        self.still = with_channel(self.still, channel, &stored);
        self.locals.iter_mut().for_each(|local| *local = with_channel(*local, channel, &stored));
        true
    }

    /// The first format whose rounding alone stays within the limit. On the corpus at 0.1 mm, leaving rounding a smaller
    /// part of what the track may add (0.2 ... 0.9 of it) gives larger files: fewer bits a key outweigh a few keys more.
    fn fine_enough<F: KeyFormat>(
        &self,
        raw: &[F::Key],
        formats: &[F],
        limit_m: f32,
        part: fn(&mut Transform) -> &mut F::Key,
    ) -> F {
        let worst_m = |values: &[F::Key]| {
            let error_sq = |(sample, value): (usize, &F::Key)| {
                let mut local = self.locals[sample];
                *part(&mut local) = *value;
                self.error_sq(sample, &local, f32::INFINITY)
            };
            values.iter().enumerate().map(error_sq).fold(0.0, f32::max).sqrt()
        };
        // Where the parents' error is beyond the limit already, a key need not mend it.
        let room_m = limit_m.max(worst_m(raw));
        let (exact, rounded) = formats.split_last().expect("formats end with an exact one");
        let is_fine = |f: &&F| worst_m(&round_all(**f, &f.range(raw), raw)) <= room_m;
        rounded.iter().find(is_fine).copied().unwrap_or(*exact)
    }

    /// The kept keys in one format, and all keys as they decode.
    fn keys_in<F: KeyFormat>(
        &self,
        format: F,
        raw: &[F::Key],
        limit_m: f32,
        part: fn(&mut Transform) -> &mut F::Key,
    ) -> (TrackKeys<F>, Vec<F::Key>) {
        let range = format.range(raw);
        let rounded = round_all(format, &range, raw);
        let times = reduce_keys(raw.len(), self.settings.order, limit_m * limit_m, |a, b, limit_sq| {
            let mut worst = 0.0f32;
            for sample in a + 1..b {
                let mut local = self.locals[sample];
                *part(&mut local) = F::blend(rounded[a], rounded[b], fraction(a, b, sample));
                worst = worst.max(self.error_sq(sample, &local, limit_sq));
                if worst > limit_sq {
                    break;
                }
            }
            worst
        });
        let keys = times.iter().map(|t| raw[*t as usize]).collect();
        let values = times.iter().map(|t| rounded[*t as usize]).collect();
        (TrackKeys { format, range, times, keys }, values)
    }
}

impl<F: KeyFormat> TrackKeys<F> {
    /// Bits of range, times and keys, about: good enough to compare two formats.
    fn bits(&self, samples: usize) -> u64 {
        let range = if self.format.range_source() == RangeSource::None { 0 } else { RANGE_BITS };
        let times = (self.times.len() * time_bits(samples) as usize).min(samples);
        u64::from(range) + times as u64 + u64::from(self.format.bits()) * self.times.len() as u64
    }
}

/// Keys as they read back.
fn round_all<F: KeyFormat>(format: F, range: &Range3, keys: &[F::Key]) -> Vec<F::Key> {
    let mut out = BitWriter::new();
    keys.iter().for_each(|key| format.write(*key, range, &mut out));
    let bytes = out.finish();
    (0..keys.len()).map(|i| format.read(&bytes, i * format.bits() as usize, range)).collect()
}

/// How far `sample` lies from `a` to `b`, in the decoder's own arithmetic.
fn fraction(a: usize, b: usize, sample: usize) -> f32 {
    ((sample - a) as f64 / (b - a) as f64) as f32
}

/// The value of kept keys at a sample.
fn blend_at<F: KeyFormat>(times: &[u32], values: &[F::Key], sample: usize) -> F::Key {
    match times.binary_search(&(sample as u32)) {
        Ok(key) => values[key],
        Err(next) => {
            let (a, b) = (times[next - 1] as usize, times[next] as usize);
            F::blend(values[next - 1], values[next], fraction(a, b, sample))
        }
    }
}

fn rotation_mut(local: &mut Transform) -> &mut Quat {
    &mut local.rotation
}

fn translation_mut(local: &mut Transform) -> &mut Vec3 {
    &mut local.translation
}

fn scale_mut(local: &mut Transform) -> &mut Vec3 {
    &mut local.scale
}
