//! Additive correction: extra tracks with the error of decoded poses, which are added to them.

use super::LeftOff;
use super::correction_bytes::{Corrections, TrackBytes};
use super::job::{Attempt, Job};
use super::motion::{Motion, largest};
use super::retarget::under_parent;
use super::track::{rotation_numbers, write_track};
use crate::codecs::runtime::CorrectionTrack;
use crate::codecs::{Encoded, Progress};
use crate::format::{BitReader, BitWriter};
use crate::math::{Transform, product, unit};
use crate::metrics::shell_error_m;
use crate::model::Channel;
use glam::Vec3A;

/// A track is stored to this share of the accuracy, so that rotation and translation together keep it.
const STORED_SHARE: f32 = 0.5;

/// Gives every ungrouped joint with an error above the accuracy the cheapest tracks that correct it: rotation, translation or both. Parents
/// come first, and their corrections are decoded before their children are measured. Fails if no joint needs a correction.
pub fn encode(job: &Job<'_>, encoded: &Encoded, progress: &Progress) -> Attempt<Vec<TrackBytes>> {
    let (skeleton, joints) = (job.source.skeleton, job.source.clip.joints());
    let mut motion = job.decoded(encoded, &Corrections::default())?;
    let mut tracks = Vec::new();
    for joint in 0..joints {
        progress.check()?;
        progress.set_fraction(joint as f32 / joints as f32);
        for sample in 0..motion.samples() {
            let local = motion.local(sample, joint);
            motion.set(skeleton, sample, joint, local);
        }
        let is_off = || motion.joint_error_m(&job.raw, joint, job.source.shells_m[joint]) > job.accuracy_m;
        if !job.source.is_grouped(joint) && is_off() {
            tracks.extend(correct(job, &mut motion, joint));
        }
    }
    Ok(if tracks.is_empty() { Err(LeftOff::NothingToCorrect) } else { Ok(tracks) })
}

/// Corrects a joint and returns its tracks. Takes the first choice that is accurate enough, else both channels. Returns nothing under a
/// flat parent, or if the correction is too large for a track.
fn correct(job: &Job<'_>, motion: &mut Motion, joint: usize) -> Vec<TrackBytes> {
    let Some(needed) = Needed::new(job, motion, joint) else { return Vec::new() };
    let choices: [&[Channel]; 3] =
        [&[Channel::Rotation], &[Channel::Translation], &[Channel::Rotation, Channel::Translation]];
    let mut tried = Vec::new();
    for channels in choices {
        let tracks: Vec<_> = channels.iter().map(|channel| needed.track(job, motion, joint, *channel)).collect();
        if let Some(locals) = apply(motion, joint, &tracks) {
            tried.push((error_m(job, motion, joint, &locals), tracks, locals));
        }
    }
    let Some(both) = tried.len().checked_sub(1) else { return Vec::new() };
    let bits = |tracks: &[TrackBytes]| tracks.iter().map(|t| t.bits).sum::<usize>();
    let fine = (0..tried.len()).filter(|i| tried[*i].0 <= job.accuracy_m).min_by_key(|i| bits(&tried[*i].1));
    let (_, tracks, locals) = tried.swap_remove(fine.unwrap_or(both));
    set_all(job, motion, joint, &locals);
    tracks
}

/// Shell error of a joint with other local transforms, metres.
fn error_m(job: &Job<'_>, motion: &Motion, joint: usize, locals: &[Transform]) -> f32 {
    let error_m = |(sample, local): (usize, &Transform)| {
        let model = motion.parent(job.source.skeleton, sample, joint).0 * local.to_affine();
        shell_error_m(&job.raw.model(sample, joint), &model, job.source.shells_m[joint])
    };
    locals.iter().enumerate().map(error_m).fold(0.0, largest)
}

fn set_all(job: &Job<'_>, motion: &mut Motion, joint: usize, locals: &[Transform]) {
    locals.iter().enumerate().for_each(|(sample, local)| motion.set(job.source.skeleton, sample, joint, *local));
}

/// The correction that a joint needs at every sample.
struct Needed {
    rotations: Vec<Vec3A>,
    translations: Vec<Vec3A>,
    /// The largest distance at which the joint's rotation moves something that is measured, metres.
    reach_m: f32,
}

impl Needed {
    fn new(job: &Job<'_>, motion: &Motion, joint: usize) -> Option<Self> {
        let skeleton = job.source.skeleton;
        let mut out = Self { rotations: Vec::new(), translations: Vec::new(), reach_m: job.source.shells_m[joint] };
        for sample in 0..motion.samples() {
            let wanted = under_parent(skeleton, &job.raw, motion, sample, joint)?;
            let found = motion.local(sample, joint);
            out.rotations.push(rotation_numbers(unit(product(found.rotation.conjugate(), wanted.rotation))));
            out.translations.push((wanted.translation - found.translation).into());
            for &child in skeleton.children(joint) {
                out.reach_m = out.reach_m.max(job.raw.local(sample, child).translation.length());
            }
        }
        Some(out)
    }

    fn track(&self, job: &Job<'_>, motion: &Motion, joint: usize, channel: Channel) -> TrackBytes {
        let mut out = BitWriter::new();
        let limit_m = STORED_SHARE * job.accuracy_m;
        match channel {
            // A component of a quaternion is half an angle.
            Channel::Rotation => write_track(&self.rotations, channel, limit_m / (2.0 * self.reach_m), &mut out),
            _ => write_track(&self.translations, channel, limit_m / scale_above(job, motion, joint), &mut out),
        }
        TrackBytes { joint, channel, bits: out.bit_len(), bytes: out.finish() }
    }
}

/// The largest factor by which the matrices above a joint scale its translation.
fn scale_above(job: &Job<'_>, motion: &Motion, joint: usize) -> f32 {
    let of = |sample| {
        let m = motion.parent(job.source.skeleton, sample, joint).0.matrix3;
        m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length())
    };
    (0..motion.samples()).map(of).fold(f32::MIN_POSITIVE, f32::max)
}

/// The joint's local transforms with decoded tracks applied. `None` if a track holds numbers that no decoder accepts.
fn apply(motion: &Motion, joint: usize, tracks: &[TrackBytes]) -> Option<Vec<Transform>> {
    let samples = motion.samples();
    let mut locals: Vec<Transform> = (0..samples).map(|sample| motion.local(sample, joint)).collect();
    for track in tracks {
        let read = CorrectionTrack::read(&mut BitReader::new(&track.bytes), &track.bytes, track.channel, samples);
        let read = read.ok()?;
        for (sample, local) in locals.iter_mut().enumerate() {
            super::decode::correct(local, track.channel, &read, &track.bytes, (sample, 0.0));
        }
    }
    Some(locals)
}
