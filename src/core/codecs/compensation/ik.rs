//! Inverse kinematic correction: object-space tracks of hands and feet, by which two bones are turned.

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
/// Joints nearer than this share of a limb's length to the one below are helpers on the same spot, not a bone.
const BONE_SHARE: f32 = 0.05;
/// Limbs that one byte counts.
const MOST_LIMBS: usize = 255;

/// Gives every limb whose end is off by more than the accuracy of limbs a track of how far off it is, and keeps those that bring
/// their end nearer, no other's away, and no joint, knees among them, farther off than any was. One limb after another, each on top of what the ones before it decode to: a foot
/// and its toe may both be ends. `before`: what is corrected already.
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

/// Joints of a limb: hip, knee, ankle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LimbJoints {
    start: usize,
    bend: usize,
    end: usize,
}

impl LimbJoints {
    /// The two bones above an end in the bind pose. Twist joints on the way turn with the bone that they are on; helpers on the
    /// same spot as the joint below them are passed over.
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

/// A joint that steps takes its end along in a step, which a target that moves evenly between samples would not.
fn has_holds(job: &Job<'_>, limb: &LimbJoints) -> bool {
    let on_limb = |joint: usize| joint == limb.end || job.source.skeleton.ancestors(limb.end).any(|a| a == joint);
    job.source.clip.holds().iter().any(|hold| on_limb(usize::from(hold.joint)))
}

/// Joints in groups stay as they are.
fn is_grouped(job: &Job<'_>, limb: &LimbJoints) -> bool {
    [limb.start, limb.bend, limb.end].iter().any(|joint| job.source.is_grouped(*joint))
}

/// What the end of a limb lacks, in object space.
///
/// The difference and not the place itself: between samples an end moves on an arc, which the decoded joints follow and a
/// straight line from one place to the next does not. (A knee that bends fast was 25 mm off halfway between samples.)
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
