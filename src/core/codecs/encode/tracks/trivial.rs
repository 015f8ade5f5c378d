//! Finds tracks without motion: at bind pose, or constant.

use crate::codecs::encode::error::virtual_vertices::{Reach, VertexSet, VirtualVertices, raw_track};
use crate::codecs::encode::write::WriteKey;
use crate::codecs::runtime::{RotationFormat, TrackKind, TrackTable, VectorFormat, is_usable};
use crate::codecs::{BoolParam, Cancelled, EncodeError, ParamValues, Progress, Source};
use crate::math::{Range3, Transform, unit};
use crate::model::{Channel, Clip};
use glam::{Affine3A, Quat, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// The setting for tracks at bind pose.
pub const REMOVE_BIND: BoolParam = BoolParam::new(
    "remove_bind",
    "Remove tracks at bind pose",
    "Does not store tracks that stay at the rig's bind pose, within a share of the tolerance.",
    true,
);

/// The setting for tracks with one value.
pub const REMOVE_CONSTANTS: BoolParam = BoolParam::new(
    "remove_constants",
    "One key for constant tracks",
    "Stores a track once, in high precision, if it keeps one value within a share of the tolerance. Can make the file larger where one value would need few bits.",
    true,
);

/// Share of the tolerance that removing a still track may cost, for codecs whose search keeps the tolerance.
pub const SEARCHED_TRIVIAL_SHARE: f32 = 0.05;
/// The same for codecs with fixed formats, which do not search.
pub const FIXED_TRIVIAL_SHARE: f32 = 0.1;

/// The tracks that may be removed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrivialSettings {
    /// True if tracks at the rig's bind pose are not stored.
    pub remove_bind: bool,
    /// True if tracks with one value are stored once.
    pub remove_constants: bool,
    /// Largest error that removing one track may cause at the joint and its descendants, metres in object space.
    pub limit_m: f32,
}

impl TrivialSettings {
    /// The values of a codec that has both settings.
    pub fn chosen(values: &ParamValues) -> Self {
        let (remove_bind, remove_constants) = (values.get(&REMOVE_BIND), values.get(&REMOVE_CONSTANTS));
        Self { remove_bind, remove_constants, limit_m: 0.0 }
    }

    /// The same settings with another limit.
    pub fn within(self, limit_m: f32) -> Self {
        Self { limit_m, ..self }
    }
}

/// Marks every track as animated, for clips that only float32 samples keep within the tolerance.
pub fn all_animated(source: &Source<'_>) -> TrackTable {
    TrackTable {
        kinds: vec![[TrackKind::Animated; 3]; source.skeleton.len()],
        still: source.skeleton.bind_pose(0).joints,
        constant_format: RotationFormat::Full,
    }
}

/// Rejects clips with coordinates that a codec cannot blend.
pub fn check_usable(clip: &Clip) -> Result<(), EncodeError> {
    let is_fine = |t: &Transform| is_usable(t.translation) && is_usable(t.scale);
    match (0..clip.samples()).find_map(|s| clip.pose(s).iter().position(|t| !is_fine(t)).map(|joint| (s, joint))) {
        None => Ok(()),
        Some((sample, joint)) => Err(EncodeError::Unsupported(format!(
            "clip '{}', sample {sample}, joint {joint}: a number above {:e}; check the unit of the source",
            clip.name(),
            VectorFormat::LARGEST
        ))),
    }
}

/// Classifies every track as bind pose, constant or animated. Each is judged alone, with all others as in the raw clip.
pub fn classify(source: &Source<'_>, settings: &TrivialSettings, progress: &Progress) -> Result<TrackTable, Cancelled> {
    // 62 bits are precise enough for almost every constant. Clips with very long chains need float32.
    let table = classify_with(source, settings, RotationFormat::Largest62, progress)?;
    match table {
        Some(table) => Ok(table),
        None => Ok(classify_with(source, settings, RotationFormat::Full, progress)?
            .expect("float32 holds every constant exactly")),
    }
}

/// `None` if the format of constant rotations is too coarse for the clip.
fn classify_with(
    source: &Source<'_>,
    settings: &TrivialSettings,
    constant_format: RotationFormat,
    progress: &Progress,
) -> Result<Option<TrackTable>, Cancelled> {
    let slopes = slopes(source);
    let joints: Vec<_> = (0..source.skeleton.len())
        .into_par_iter()
        .map(|joint| {
            progress.check()?;
            let points = Points { source, joint, slopes: slopes[joint], held: None };
            Ok(classify_joint(points, settings, constant_format))
        })
        .collect::<Result<_, Cancelled>>()?;
    let Some(joints) = joints.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let (kinds, still) = joints.into_iter().unzip();
    Ok(Some(TrackTable { kinds, still, constant_format }))
}

fn classify_joint(
    mut points: Points<'_>,
    settings: &TrivialSettings,
    constant_format: RotationFormat,
) -> Option<([TrackKind; 3], Transform)> {
    let (source, joint) = (points.source, points.joint);
    let bind = source.skeleton.bind(joint);
    let mut fits = |channel, value: &Transform| points.all_within(channel, value, settings.limit_m * settings.limit_m);
    let mut kinds = [TrackKind::Animated; 3];
    let mut still = bind;
    let exact = constant_value(source.clip.track(joint));
    for channel in Channel::ALL {
        let kind = &mut kinds[channel as usize];
        if settings.remove_bind && fits(channel, &bind) {
            *kind = TrackKind::Bind;
        } else if settings.remove_constants && fits(channel, &exact) {
            let stored = stored_constant(exact, constant_format);
            if !fits(channel, &stored) {
                return None;
            }
            *kind = TrackKind::Constant;
            still = with_channel(still, channel, &stored);
        }
    }
    Some((kinds, still))
}

/// Samples whose points are held in memory at a time.
const SPAN_SAMPLES: usize = 2048;
/// Factor of tolerance for f32 rounding.
const SLACK: f32 = 1.000_1;

/// The points by which a joint is measured, one span of samples at a time.
struct Points<'a> {
    source: &'a Source<'a>,
    joint: usize,
    /// The joint's [`slopes`].
    slopes: [f32; 3],
    held: Option<ConstantSpan>,
}

struct ConstantSpan {
    samples: Range<usize>,
    vertices: VirtualVertices,
    /// `model_from_joint` of the joint and of its parent in the raw clip, one per sample.
    models: Vec<(Affine3A, Affine3A)>,
}

impl Points<'_> {
    /// True if all points stay within the limit at every sample with one channel of the joint replaced by that of `value`.
    fn all_within(&mut self, channel: Channel, value: &Transform, limit_sq: f32) -> bool {
        let clip = self.source.clip;
        let (mut farthest, mut apart) = (0, 0.0);
        for (sample, local) in clip.track(self.joint).enumerate() {
            let found = distance(channel, &local, value);
            if found > apart {
                (farthest, apart) = (sample, found);
            }
        }
        let at_most_m = apart * self.slopes[channel as usize];
        // The bound is within the limit, or the worst sample exceeds it: then not all samples need a check.
        at_most_m * at_most_m <= limit_sq
            || self.are_within(farthest..farthest + 1, channel, value, limit_sq)
                && (0..clip.samples()).step_by(SPAN_SAMPLES).all(|first| {
                    let samples = first..clip.samples().min(first + SPAN_SAMPLES);
                    self.are_within(samples, channel, value, limit_sq)
                })
    }

    fn are_within(&mut self, samples: Range<usize>, channel: Channel, value: &Transform, limit_sq: f32) -> bool {
        let (clip, joint) = (self.source.clip, self.joint);
        let ConstantSpan { vertices, models, .. } = self.span(samples.clone());
        samples.zip(models).all(|(sample, (raw, parent))| {
            let local = with_channel(clip.at(sample, joint), channel, value);
            vertices.error_sq(sample, (raw, &(*parent * local.to_affine())), limit_sq) <= limit_sq
        })
    }

    fn span(&mut self, samples: Range<usize>) -> &ConstantSpan {
        let Self { source, joint, held, .. } = self;
        let held_span = held.take().filter(|span| span.samples == samples);
        held.insert(held_span.unwrap_or_else(|| {
            let local = |sample: usize, joint: usize| source.clip.at(sample, joint).to_affine();
            let vertices = VirtualVertices::new(source, *joint, VertexSet::All, samples.clone(), local);
            let raw = raw_track(source, *joint, samples.clone());
            let models = match source.skeleton.parent(*joint) {
                Some(parent) => raw.zip(raw_track(source, parent, samples.clone())).collect(),
                None => raw.map(|raw| (raw, Affine3A::IDENTITY)).collect(),
            };
            ConstantSpan { samples, vertices, models }
        }))
    }
}

/// The distance between one channel of two transforms. For unit quaternions it is the chord.
fn distance(channel: Channel, a: &Transform, b: &Transform) -> f32 {
    match channel {
        Channel::Rotation => {
            (a.rotation - b.rotation).length_squared().min((a.rotation + b.rotation).length_squared()).sqrt()
        }
        Channel::Translation => a.translation.distance(b.translation),
        Channel::Scale => a.scale.distance(b.scale),
    }
}

/// Error growth in metres per unit of [`distance`], at most, for each channel of each joint over all samples.
fn slopes(source: &Source<'_>) -> Vec<[f32; 3]> {
    let (skeleton, clip) = (source.skeleton, source.clip);
    let mut largest = vec![(0.0f32, Vec3::ZERO); skeleton.len()];
    for sample in 0..clip.samples() {
        for ((length_sq, scale), local) in largest.iter_mut().zip(clip.pose(sample)) {
            *length_sq = length_sq.max(local.translation.length_squared());
            *scale = scale.max(local.scale.abs());
        }
    }
    let stretch = |joint: usize| largest[joint].1.max_element();
    let mut radius_m = source.shells_m.to_vec();
    let mut above = vec![1.0f32; skeleton.len()];
    for joint in 0..skeleton.len() {
        above[joint] = skeleton.parent(joint).map_or(1.0, |parent| above[parent] * stretch(parent));
    }
    for joint in (0..skeleton.len()).rev() {
        if let Some(parent) = skeleton.parent(joint) {
            radius_m[parent] = radius_m[parent].max(largest[joint].0.sqrt() + stretch(joint) * radius_m[joint]);
        }
    }
    let slope = |joint: usize, channel: Channel| {
        let reach = Reach { radius_m: radius_m[joint], weight: 1.0 };
        // The weights of errors are not known here.
        let counts = if source.weights.is_even() { 1.0 } else { f32::INFINITY };
        counts * above[joint] * reach.slope(channel, largest[joint].1)
    };
    (0..skeleton.len()).map(|joint| Channel::ALL.map(|channel| SLACK * slope(joint, channel))).collect()
}

/// A transform with one channel taken from another.
pub fn with_channel(mut local: Transform, channel: Channel, from: &Transform) -> Transform {
    match channel {
        Channel::Rotation => local.rotation = from.rotation,
        Channel::Translation => local.translation = from.translation,
        Channel::Scale => local.scale = from.scale,
    }
    local
}

/// A constant as its decoder reads it.
pub fn stored_constant(value: Transform, format: RotationFormat) -> Transform {
    Transform { rotation: format.round_trip(value.rotation, &Range3::UNIT), ..value }
}

/// The value nearest to all samples, per channel. Exactly the samples' value if they are equal.
pub fn constant_value(mut track: impl Iterator<Item = Transform>) -> Transform {
    let first = track.next().unwrap_or_default();
    let mut sum = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let (mut same_rotation, mut translations, mut scales) = (true, Extent::new(), Extent::new());
    for t in std::iter::once(first).chain(track) {
        sum += t.rotation;
        same_rotation &= t.rotation == first.rotation;
        translations.add(t.translation);
        scales.add(t.scale);
    }
    let is_mean = !same_rotation && sum.length_squared() > 1e-6;
    Transform {
        rotation: if is_mean { unit(sum) } else { first.rotation },
        translation: translations.middle(),
        scale: scales.middle(),
    }
}

struct Extent {
    min: Vec3,
    max: Vec3,
}

impl Extent {
    fn new() -> Self {
        Self { min: Vec3::splat(f32::MAX), max: Vec3::splat(f32::MIN) }
    }

    fn add(&mut self, v: Vec3) {
        (self.min, self.max) = (self.min.min(v), self.max.max(v));
    }

    /// The centre. Exactly the value if there was only one.
    fn middle(&self) -> Vec3 {
        self.min + (self.max - self.min) * 0.5
    }
}
