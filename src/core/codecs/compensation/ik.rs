//! Correction by inverse kinematics: object-space tracks of hands and feet, which two bones are rotated to reach.

use super::LeftOff;
use super::correction_bytes::{Corrections, TrackBytes};
use super::decode::CorrectionSteps;
use super::job::{Attempt, Job};
use super::motion::{Motion, largest};
use super::track::write_track;
use crate::codecs::runtime::{Limb, Limbs};
use crate::codecs::{Encoded, Progress};
use crate::format::BitWriter;
use crate::model::{Channel, Skeleton};
use glam::Vec3A;

/// An offset is stored to this share of the accuracy.
const STORED_SHARE: f32 = 0.5;
/// A joint closer to its child than this share of a limb's length is a helper at the same place, not a bone.
const BONE_SHARE: f32 = 0.05;
/// The largest number of limbs, which is stored in one byte.
const MOST_LIMBS: usize = 255;

/// Gives every limb whose end has an error above the accuracy of limbs a track with that error. Keeps the tracks that move their end
/// closer, move no other end away, and raise no joint's error above the largest so far, knees included. Limbs are processed one after
/// another, each on top of the decoded limbs before it, since a foot and its toe may both be ends. `before`: the corrections so far.
pub fn encode(job: &Job<'_>, encoded: &Encoded, before: &Corrections, progress: &Progress) -> Attempt<Corrections> {
    let skeleton = job.source.skeleton;
    let mut reached = job.decoded(encoded, before)?;
    let enough_m = reached.error_m(&job.raw, job.source).max(job.accuracy_m);
    let (mut limbs, mut offsets) = (Vec::new(), Vec::new());
    let mut found = Err(LeftOff::NothingToCorrect);
    let candidates = job.ends.iter().filter_map(|&end| LimbJoints::above(skeleton, end)).take(MOST_LIMBS);
    for limb in candidates.filter(|limb| !has_holds(job, limb) && !is_grouped(job, limb)) {
        progress.check()?;
        if end_error_m(job, &reached, &limb) <= job.limb_accuracy_m {
            continue;
        }
        limbs.push(limb);
        offsets.push(offset_track(job, &reached, &limb));
        let correction = with_limbs(before, skeleton, &limbs, &offsets);
        let with = job.decoded(encoded, &correction)?;
        let is_no_farther = |limb: &LimbJoints| {
            end_error_m(job, &with, limb) <= end_error_m(job, &reached, limb).max(job.limb_accuracy_m)
        };
        let is_nearer = end_error_m(job, &with, &limb) < end_error_m(job, &reached, &limb);
        let is_harmless = limbs.iter().all(is_no_farther) && with.error_m(&job.raw, job.source) <= enough_m;
        if is_nearer && is_harmless {
            (found, reached) = (Ok(correction), with);
        } else {
            limbs.pop();
            offsets.pop();
            found = found.map_err(|_| LeftOff::NotNearer);
        }
    }
    Ok(found)
}

/// The joints of a limb: hip, knee, ankle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LimbJoints {
    start: usize,
    bend: usize,
    end: usize,
}

impl LimbJoints {
    /// The two bones above an end in the bind pose. Twist joints in between rotate with their bone. Helpers at the place of their child are
    /// skipped.
    fn above(skeleton: &Skeleton, end: usize) -> Option<Self> {
        let parents: Vec<usize> = std::iter::once(end).chain(skeleton.ancestors(end)).collect();
        let length_m = |joint: usize| skeleton.bind(joint).translation.length();
        // The bones from the end up to and including each joint.
        let longest_m = parents.iter().take(3).map(|joint| length_m(*joint)).fold(0.0, f32::max);
        let is_bone = |joint: &usize| length_m(*joint) > BONE_SHARE * longest_m;
        let mut bones = parents.iter().filter(|joint| is_bone(joint)).filter_map(|joint| skeleton.parent(*joint));
        Some(Self { bend: bones.next()?, start: bones.next()?, end })
    }
}

fn end_error_m(job: &Job<'_>, motion: &Motion, limb: &LimbJoints) -> f32 {
    let origin = |motion: &Motion, sample| motion.model(sample, limb.end).translation;
    (0..motion.samples()).map(|s| (origin(&job.raw, s) - origin(motion, s)).length()).fold(0.0, largest)
}

/// True if a joint of the limb has stepped intervals. Its end then moves in steps, but a target moves evenly between samples.
fn has_holds(job: &Job<'_>, limb: &LimbJoints) -> bool {
    let on_limb = |joint: usize| joint == limb.end || job.source.skeleton.ancestors(limb.end).any(|a| a == joint);
    job.source.clip.holds().iter().any(|hold| on_limb(usize::from(hold.joint)))
}

/// True if a joint of the limb is in a group. Such joints are not corrected.
fn is_grouped(job: &Job<'_>, limb: &LimbJoints) -> bool {
    [limb.start, limb.bend, limb.end].iter().any(|joint| job.source.is_grouped(*joint))
}

/// The error of a limb's end in object space.
///
/// This is a difference and not the position itself. Between samples an end moves on an arc. The decoded joints follow it, but a straight
/// line between positions does not. (A knee that bends fast had an error of 25 mm halfway between samples.)
fn offset_track(job: &Job<'_>, motion: &Motion, limb: &LimbJoints) -> TrackBytes {
    let origin = |motion: &Motion, sample| motion.model(sample, limb.end).translation;
    let offsets: Vec<Vec3A> =
        (0..motion.samples()).map(|sample| origin(&job.raw, sample) - origin(motion, sample)).collect();
    let mut out = BitWriter::new();
    write_track(&offsets, Channel::Translation, STORED_SHARE * job.limb_accuracy_m, &mut out);
    TrackBytes { joint: limb.end, channel: Channel::Translation, bits: out.bit_len(), bytes: out.finish() }
}

fn with_limbs(before: &Corrections, skeleton: &Skeleton, limbs: &[LimbJoints], offsets: &[TrackBytes]) -> Corrections {
    let needed = |joint: &usize| {
        limbs.iter().any(|limb| limb.end == *joint || skeleton.ancestors(limb.end).any(|a| a == *joint))
    };
    let joints: Vec<usize> = (0..skeleton.len()).filter(needed).collect();
    let place = |joint: usize| joints.binary_search(&joint).map_or(0, |place| place as u16);
    let chain = joints.iter().map(|&joint| (joint as u16, skeleton.parent(joint).map(place))).collect();
    let places = limbs.iter().map(|l| Limb { start: place(l.start), bend: place(l.bend), end: place(l.end) }).collect();
    let limbs = Limbs::new(chain, places)
        .expect("memory")
        .expect("joints of a skeleton are ordered, and a limb's are above each other");
    let steps = CorrectionSteps { ik: true, ..before.steps };
    Corrections { steps, limbs: Some((limbs, offsets.to_vec())), ..before.clone() }
}
