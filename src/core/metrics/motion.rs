use super::{LoopReport, ModelTrack, Worst};
use crate::model::Skeleton;
use glam::{Affine3A, Vec3A};
use rayon::prelude::*;

/// Measures a decoded clip's seam and bone lengths against the raw clip.
pub(super) fn measure_motion(skeleton: &Skeleton, looping: bool, raw: &ModelTrack, lossy: &ModelTrack) -> LoopReport {
    let seam = if looping { seam(raw, lossy) } else { Seam::default() };
    LoopReport {
        looping,
        seam_pop_m: seam.pop_m,
        seam_velocity_m_s: seam.velocity_m_s,
        seam_worst: seam.worst,
        bone_length_m: bone_length(skeleton, raw, lossy),
    }
}

#[derive(Default)]
struct Seam {
    pop_m: f32,
    velocity_m_s: f32,
    /// The joint with the largest jump, or change of speed per sample.
    worst: Worst,
}

/// Jumps of the error d = lossy - raw from the last sample to the first. The raw clip's own jump cancels, and so does the distance that a
/// loop with root motion travels.
fn seam(raw: &ModelTrack, lossy: &ModelTrack) -> Seam {
    let (first, last, sample) = (0, raw.steps() - 1, raw.sub_frames());
    let sample_secs = raw.time_secs(sample.min(last));
    if sample_secs <= 0.0 {
        return Seam::default();
    }
    let error = |step: usize, joint: usize| origin(lossy, step, joint) - origin(raw, step, joint);
    let time_secs = raw.time_secs(last);
    let mut out = Seam { worst: Worst { time_secs, ..Worst::default() }, ..Seam::default() };
    for joint in 0..raw.joints() {
        let (start, end) = (error(first, joint), error(last, joint));
        let leaving = end - error(last - sample, joint);
        let entering = error(first + sample, joint) - start;
        let pop_m = finite_or_infinite((end - start).length());
        let change_m = finite_or_infinite((entering - leaving).length());
        out.pop_m = out.pop_m.max(pop_m);
        out.velocity_m_s = out.velocity_m_s.max(change_m / sample_secs);
        let error_m = pop_m.max(change_m);
        if error_m > out.worst.error_m {
            out.worst = Worst { joint, error_m, ..out.worst };
        }
    }
    out
}

/// The largest change of a joint's distance from its parent, over all steps.
fn bone_length(skeleton: &Skeleton, raw: &ModelTrack, lossy: &ModelTrack) -> f32 {
    let bones: Vec<_> = (0..raw.joints()).filter_map(|j| skeleton.parent(j).map(|p| (j, p))).collect();
    let change = |step: usize| {
        let length = |pose: &[Affine3A], (joint, parent): (usize, usize)| {
            (pose[joint].translation - pose[parent].translation).length()
        };
        let (raw, lossy) = (raw.pose(step), lossy.pose(step));
        let changes = bones.iter().map(|&bone| (length(&lossy, bone) - length(&raw, bone)).abs());
        changes.map(finite_or_infinite).fold(0.0, f32::max)
    };
    (0..raw.steps()).into_par_iter().with_min_len(16).map(change).reduce(|| 0.0, f32::max)
}

fn origin(track: &ModelTrack, step: usize, joint: usize) -> Vec3A {
    track.pose(step)[joint].translation
}

pub(super) fn finite_or_infinite(value: f32) -> f32 {
    if value.is_nan() { f32::INFINITY } else { value }
}
