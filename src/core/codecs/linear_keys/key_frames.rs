//! Removes whole key frames: each keeps or drops the keys of all tracks.

use super::decode::{KeyHeader, KeyLayout};
use super::header::write_header;
use crate::codecs::encode::keys::{
    Effectors, LinearChooser, LocalThresholds, Metric, SolveSettings, fraction, local_error, reduce_keys,
};
use crate::codecs::encode::write::{WriteCoding, WriteKey, write_times};
use crate::codecs::encode::{PoseChannels, PoseFormats, RawModel};
use crate::codecs::runtime::{KeyCoding, KeySearch, RotationFormat, TrackKind, TrackTable, VectorFormat, count_bits};
use crate::codecs::{EncodeError, Encoded, KeptKeys, Ledger, Progress, Section, Source};
use crate::format::BitWriter;
use crate::math::Transform;
use crate::model::{Channel, Clip, ModelPose};

/// Part of the limit that rounding may use. The remainder decides how many key frames can be removed.
const ROUNDING_SHARE: f32 = 0.5;

/// Chooses formats, removes key frames and packs the rest. `dense` has a sample at every step, `clip` is the original clip.
pub fn encode_key_frames(
    (dense, clip): (&Source<'_>, &Clip),
    table: &TrackTable,
    settings: &SolveSettings<'_, LinearChooser>,
    search: KeySearch,
    progress: &Progress,
) -> Result<Encoded, EncodeError> {
    let raw = RawModel::new(dense, 0..dense.clip.samples());
    let vertices = match &settings.metric {
        Metric::EndEffectors(_, limits) => Effectors::new(dense).counts_of_all(limits),
        Metric::ObjectSpace | Metric::Local(_) => Vec::new(),
    };
    let mut frames = Frames { source: dense, raw, table, settings, vertices, poses: Vec::new(), blended: Vec::new() };
    let formats = frames.choose_formats(clip, progress)?;
    let mut cancelled = false;
    let limit = frames.limit();
    let times = reduce_keys(clip.samples(), settings.chooser.order, limit, |a, b, limit| {
        // After a cancellation every error is infinite, so that the search ends at once.
        cancelled |= progress.is_cancelled();
        if cancelled { f32::INFINITY } else { frames.blend_error(a, b, limit) }
    });
    progress.check()?;
    pack(clip, table, &formats, &times, search, progress)
}

fn pack(
    clip: &Clip,
    table: &TrackTable,
    formats: &PoseFormats,
    times: &[u32],
    search: KeySearch,
    progress: &Progress,
) -> Result<Encoded, EncodeError> {
    let (mut out, mut ledger) = (BitWriter::new(), Ledger::default());
    write_header(KeyHeader { layout: KeyLayout::KeyFrames, search, has_jumps: false, blocks: None }, &mut out);
    ledger.clip(Section::Header, out.bit_len() as u64);
    let before = out.bit_len();
    out.push(times.len() as u64, count_bits(clip.samples()));
    write_times(times, clip.samples(), &mut out);
    ledger.clip(Section::KeyTimes, (out.bit_len() - before) as u64);
    let samples: Vec<usize> = times.iter().map(|t| *t as usize).collect();
    let channels = PoseChannels::new(clip, table, formats);
    channels.pack(clip, table, &samples, &mut out, &mut ledger, progress)?;
    let tracks = Channel::ALL.into_iter().flat_map(|c| table.animated(c).map(move |joint| (joint, c)));
    let kept = tracks.map(|(joint, channel)| KeptKeys {
        joint: joint as u16,
        channel,
        samples: times.to_vec(),
        inserted: Vec::new(),
    });
    Ok(Encoded { payload: out.finish(), ledger, kept: kept.collect() })
}

/// The poses that could be key frames, with the errors of blends between them.
struct Frames<'a> {
    source: &'a Source<'a>,
    raw: RawModel,
    table: &'a TrackTable,
    settings: &'a SolveSettings<'a, LinearChooser>,
    /// For metrics with end effectors: weight per joint, `None` for other joints.
    vertices: Vec<Option<f32>>,
    /// The decoded pose of each sample.
    poses: Vec<Vec<Transform>>,
    blended: Vec<Transform>,
}

impl Frames<'_> {
    /// The limit in the unit of [`Frames::error`]: metres, or 1 if each channel has its own threshold.
    fn limit(&self) -> f32 {
        match self.settings.metric {
            Metric::ObjectSpace => self.settings.limit_m,
            Metric::Local(_) => 1.0,
            Metric::EndEffectors(_, limits) => limits.most_m,
        }
    }

    /// The first formats whose rounding stays within its part of the limit, or the most exact ones.
    fn choose_formats(&mut self, clip: &Clip, progress: &Progress) -> Result<PoseFormats, EncodeError> {
        let limit = self.limit() * ROUNDING_SHARE;
        let mut formats = None;
        for vector in self.settings.vector_formats {
            for rotation in self.settings.rotation_formats {
                progress.check()?;
                let tried = PoseFormats { rotation: *rotation, translation: *vector, scale: *vector };
                formats = Some(tried);
                self.poses = rounded_poses(clip, self.table, &tried);
                if (0..clip.samples()).all(|sample| self.pose_error(sample, limit) <= limit) {
                    return Ok(tried);
                }
            }
        }
        Ok(formats.expect("there is a format"))
    }

    fn pose_error(&mut self, sample: usize, limit: f32) -> f32 {
        self.blended.clone_from(&self.poses[sample]);
        self.error(sample * self.settings.stride, limit)
    }

    /// The largest error strictly between two key frames. May stop at the first error beyond `limit`.
    fn blend_error(&mut self, a: usize, b: usize, limit: f32) -> f32 {
        let (first, last) = (a * self.settings.stride, b * self.settings.stride);
        let mut worst = 0.0f32;
        for step in first + 1..last {
            let alpha = fraction(first, last, step);
            self.blended.clear();
            self.blended.extend(self.poses[a].iter().zip(&self.poses[b]).map(|(a, b)| a.lerp(*b, alpha)));
            worst = worst.max(self.error(step, limit));
            if worst > limit {
                break;
            }
        }
        worst
    }

    /// Error of the blended pose at one step. May stop at the first error beyond `limit`. Never NaN.
    fn error(&self, step: usize, limit: f32) -> f32 {
        match self.settings.metric {
            Metric::ObjectSpace => self.shell_error_m(step, limit),
            Metric::Local(limits) => self.local_part(step, &limits),
            Metric::EndEffectors(limits, _) if self.local_part(step, &limits) > 1.0 => f32::INFINITY,
            Metric::EndEffectors(..) => self.effector_error_m(step),
        }
    }

    fn shell_error_m(&self, step: usize, limit: f32) -> f32 {
        let lossy = ModelPose::new(self.source.skeleton, &self.blended);
        let mut worst = 0.0f32;
        for (joint, lossy) in lossy.joints.iter().enumerate() {
            worst = worst.max(self.source.error_sq(step, joint, &self.raw.at(step, joint), lossy).sqrt());
            if worst > limit {
                break;
            }
        }
        worst
    }

    /// Largest weighted distance of the end effectors' virtual vertices.
    fn effector_error_m(&self, step: usize) -> f32 {
        let lossy = ModelPose::new(self.source.skeleton, &self.blended);
        let counted = self.vertices.iter().enumerate().filter_map(|(joint, count)| count.map(|count| (joint, count)));
        let error = |(joint, count): (usize, f32)| {
            let vertex = glam::Vec3A::X * self.source.shells_m[joint];
            let raw = self.raw.at(step, joint).transform_point3a(vertex);
            raw.distance(lossy.joints[joint].transform_point3a(vertex)) * self.source.weights.at(step, joint) * count
        };
        counted.map(error).fold(0.0, |worst, e| if e.is_nan() { f32::INFINITY } else { worst.max(e) })
    }

    /// The largest ratio of a channel's error to its threshold.
    fn local_part(&self, step: usize, limits: &LocalThresholds) -> f32 {
        let parts = self.blended.iter().enumerate().flat_map(|(joint, local)| {
            let raw = self.source.clip.at(step, joint);
            let kinds = self.table.kinds[joint];
            let animated = Channel::ALL.into_iter().filter(move |c| kinds[*c as usize] == TrackKind::Animated);
            animated.map(move |channel| local_error(channel, raw, local) / limits.of(channel))
        });
        parts.fold(0.0, f32::max)
    }
}

/// The decoded pose of each sample.
fn rounded_poses(clip: &Clip, table: &TrackTable, formats: &PoseFormats) -> Vec<Vec<Transform>> {
    let mut poses = vec![table.still.clone(); clip.samples()];
    let (rotation, translation, scale) = (formats.rotation, formats.translation, formats.scale);
    round_channel::<RotationFormat>(clip, table, Channel::Rotation, rotation, |t| &mut t.rotation, &mut poses);
    round_channel::<VectorFormat>(clip, table, Channel::Translation, translation, |t| &mut t.translation, &mut poses);
    round_channel::<VectorFormat>(clip, table, Channel::Scale, scale, |t| &mut t.scale, &mut poses);
    poses
}

fn round_channel<F: WriteKey>(
    clip: &Clip,
    table: &TrackTable,
    channel: Channel,
    format: F,
    part: fn(&mut Transform) -> &mut F::Key,
    poses: &mut [Vec<Transform>],
) {
    for joint in table.animated(channel) {
        let raw: Vec<F::Key> = clip.track(joint).map(|mut t| *part(&mut t)).collect();
        let rounded = KeyCoding::Format(format, format.range(&raw)).round_trips(&raw);
        for (pose, key) in poses.iter_mut().zip(rounded) {
            *part(&mut pose[joint]) = key;
        }
    }
}
