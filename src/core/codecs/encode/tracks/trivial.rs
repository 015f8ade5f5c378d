//! Which tracks need no keys: at bind pose, or constant.

use crate::codecs::encode::error::levers::{LeverPoints, Levers, Reach, raw_track};
use crate::codecs::encode::write::WriteKey;
use crate::codecs::runtime::{RotationFormat, TrackKind, TrackTable, VectorFormat, is_usable};
use crate::codecs::{BoolParam, Cancelled, EncodeError, ParamValues, Progress, Source};
use crate::math::{Range3, Transform};
use crate::model::{Channel, Clip};
use glam::{Affine3A, Quat, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Switch for tracks at bind pose.
pub const REMOVE_BIND: BoolParam = BoolParam::new(
    "remove_bind",
    "Remove tracks at bind pose",
    "Tracks that stay at the rig's bind pose within a share of the tolerance are not stored.",
    true,
);

/// Switch for tracks of one value.
pub const REMOVE_CONSTANTS: BoolParam = BoolParam::new(
    "remove_constants",
    "One key for constant tracks",
    "Tracks that keep one value within a share of the tolerance store it once, in high precision. Can cost bytes: where one number would need few bits, high precision needs more.",
    true,
);

/// Share of the tolerance that leaving out one still track may cost where a search keeps the rest of it.
pub const SEARCHED_TRIVIAL_SHARE: f32 = 0.05;
/// The same where a fixed format costs what it costs, tolerance or not.
pub const FIXED_TRIVIAL_SHARE: f32 = 0.1;

/// What may be removed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrivialSettings {
    /// Tracks at the rig's bind pose are not stored.
    pub remove_bind: bool,
    /// Tracks of one value are stored once.
    pub remove_constants: bool,
    /// Largest error that removing one track may cause at anything that hangs on its joint, metres in object space.
    pub limit_m: f32,
}

impl TrivialSettings {
    /// As chosen, of a codec that has both switches.
    pub fn chosen(values: &ParamValues) -> Self {
        let (remove_bind, remove_constants) = (values.get(&REMOVE_BIND), values.get(&REMOVE_CONSTANTS));
        Self { remove_bind, remove_constants, limit_m: 0.0 }
    }

    /// The same within another limit.
    pub fn within(self, limit_m: f32) -> Self {
        Self { limit_m, ..self }
    }
}

/// Every track animated: for clips that nothing but float32 samples keep within the tolerance.
pub fn all_animated(source: &Source<'_>) -> TrackTable {
    TrackTable {
        kinds: vec![[TrackKind::Animated; 3]; source.skeleton.len()],
        still: source.skeleton.bind_pose(0).joints,
        constant_format: RotationFormat::Full,
    }
}

/// Coordinates that no codec can blend.
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

/// Sorts every track into bind pose, constant or animated, each judged alone: with all else as in the raw clip.
pub fn classify(source: &Source<'_>, settings: &TrivialSettings, progress: &Progress) -> Result<TrackTable, Cancelled> {
    // 62 bits hold nearly every constant; a clip with a lever too long for them pays for float32.
    let table = classify_with(source, settings, RotationFormat::Largest62, progress)?;
    match table {
        Some(table) => Ok(table),
        None => Ok(classify_with(source, settings, RotationFormat::Full, progress)?
            .expect("float32 holds every constant exactly")),
    }
}

/// `None` when a constant rotation does not survive its format.
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

/// Samples of which a joint's points are held at a time.
const SPAN_SAMPLES: usize = 2048;
/// Room for what f32 rounds off.
const SLACK: f32 = 1.000_1;

/// The points by which a joint is judged, one span of samples at a time.
struct Points<'a> {
    source: &'a Source<'a>,
    joint: usize,
    /// Of [`slopes`].
    slopes: [f32; 3],
    held: Option<Span>,
}

struct Span {
    samples: Range<usize>,
    levers: Levers,
    /// `model_from_joint` of the joint and of its parent in the raw clip, one per sample.
    models: Vec<(Affine3A, Affine3A)>,
}

impl Points<'_> {
    /// True when all of them stay within the limit at every sample, with one channel of the joint as in `value`.
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
        // Next to nothing, or too much where it is most of all: no need to look at all points at all samples.
        at_most_m * at_most_m <= limit_sq
            || self.are_within(farthest..farthest + 1, channel, value, limit_sq)
                && (0..clip.samples()).step_by(SPAN_SAMPLES).all(|first| {
                    let samples = first..clip.samples().min(first + SPAN_SAMPLES);
                    self.are_within(samples, channel, value, limit_sq)
                })
    }

    fn are_within(&mut self, samples: Range<usize>, channel: Channel, value: &Transform, limit_sq: f32) -> bool {
        let (clip, joint) = (self.source.clip, self.joint);
        let Span { levers, models, .. } = self.span(samples.clone());
        samples.zip(models).all(|(sample, (raw, parent))| {
            let local = with_channel(clip.at(sample, joint), channel, value);
            levers.error_sq(sample, (raw, &(*parent * local.to_affine())), limit_sq) <= limit_sq
        })
    }

    fn span(&mut self, samples: Range<usize>) -> &Span {
        let Self { source, joint, held, .. } = self;
        let held_span = held.take().filter(|span| span.samples == samples);
        held.insert(held_span.unwrap_or_else(|| {
            let local = |sample: usize, joint: usize| source.clip.at(sample, joint).to_affine();
            let levers = Levers::new(source, *joint, LeverPoints::All, samples.clone(), local);
            let raw = raw_track(source, *joint, samples.clone());
            let models = match source.skeleton.parent(*joint) {
                Some(parent) => raw.zip(raw_track(source, parent, samples.clone())).collect(),
                None => raw.map(|raw| (raw, Affine3A::IDENTITY)).collect(),
            };
            Span { samples, levers, models }
        }))
    }
}

/// How far one channel of two transforms is apart: unit quaternions by their chord.
fn distance(channel: Channel, a: &Transform, b: &Transform) -> f32 {
    match channel {
        Channel::Rotation => {
            (a.rotation - b.rotation).length_squared().min((a.rotation + b.rotation).length_squared()).sqrt()
        }
        Channel::Translation => a.translation.distance(b.translation),
        Channel::Scale => a.scale.distance(b.scale),
    }
}

/// By how much more a value of each channel of each joint errs at most at any sample, metres a unit of [`distance`].
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
    let mut lever_m = source.shells_m.to_vec();
    let mut above = vec![1.0f32; skeleton.len()];
    for joint in 0..skeleton.len() {
        above[joint] = skeleton.parent(joint).map_or(1.0, |parent| above[parent] * stretch(parent));
    }
    for joint in (0..skeleton.len()).rev() {
        if let Some(parent) = skeleton.parent(joint) {
            lever_m[parent] = lever_m[parent].max(largest[joint].0.sqrt() + stretch(joint) * lever_m[joint]);
        }
    }
    let slope = |joint: usize, channel: Channel| {
        let reach = Reach { lever_m: lever_m[joint], weight: 1.0 };
        // Nobody knows here what errors count.
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

/// The value nearest to all samples of each channel: exactly theirs where they are equal.
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
        rotation: if is_mean { sum.normalize() } else { first.rotation },
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

    /// Exactly the value when there was only one.
    fn middle(&self) -> Vec3 {
        self.min + (self.max - self.min) * 0.5
    }
}
