use super::{LoopReport, ModelTrack};
use crate::model::Skeleton;
use glam::{Affine3A, Vec3A};
use rayon::prelude::*;

/// Mean third difference, metres, below which a joint's shaking is invisible. It is added to both sides of the jitter ratio, so that joints
/// that hardly move do not decide it.
const UNSEEN_JITTER_M: f64 = 1e-4;

/// Measures a decoded clip's seam, roughness and bone lengths against the raw clip.
pub(super) fn measure_motion(skeleton: &Skeleton, looping: bool, raw: &ModelTrack, lossy: &ModelTrack) -> LoopReport {
    let seam = if looping { seam(raw, lossy) } else { Seam::default() };
    LoopReport {
        looping,
        seam_pop_m: seam.pop_m,
        seam_velocity_m_s: seam.velocity_m_s,
        jitter_ratio: jitter_ratio(raw, lossy),
        bone_length_m: bone_length(skeleton, raw, lossy),
    }
}

#[derive(Default)]
struct Seam {
    pop_m: f32,
    velocity_m_s: f32,
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
    let mut out = Seam::default();
    for joint in 0..raw.joints() {
        let (start, end) = (error(first, joint), error(last, joint));
        let leaving = end - error(last - sample, joint);
        let entering = error(first + sample, joint) - start;
        out.pop_m = out.pop_m.max(finite_or_infinite((end - start).length()));
        let jump = finite_or_infinite((entering - leaving).length() / sample_secs);
        out.velocity_m_s = out.velocity_m_s.max(jump);
    }
    out
}

/// The largest ratio, lossy to raw, of a joint's mean third difference over the samples. It shows roughness added by a fit or a quantizer.
/// 1 for clips of fewer than four samples.
fn jitter_ratio(raw: &ModelTrack, lossy: &ModelTrack) -> f32 {
    let samples = raw.grid().samples();
    if samples < 4 {
        return 1.0;
    }
    let (raw_m, lossy_m) = rayon::join(|| third_differences(raw), || third_differences(lossy));
    let ratios = raw_m.iter().zip(&lossy_m).map(|(r, l)| (l + UNSEEN_JITTER_M) / (r + UNSEEN_JITTER_M));
    finite_or_infinite(ratios.fold(0.0, |max, r| if r > max || r.is_nan() { r } else { max }) as f32)
}

/// Mean |p(i) - 3 p(i-1) + 3 p(i-2) - p(i-3)| of every joint's origin, metres.
fn third_differences(track: &ModelTrack) -> Vec<f64> {
    let (samples, stride) = (track.grid().samples(), track.sub_frames());
    let mut sums = vec![0.0; track.joints()];
    for sample in 3..samples {
        let poses = [3, 2, 1, 0].map(|back| track.pose((sample - back) * stride));
        for (joint, sum) in sums.iter_mut().enumerate() {
            let [a, b, c, d] = poses.each_ref().map(|pose| pose[joint].translation);
            *sum += f64::from((d - a + (b - c) * 3.0).length());
        }
    }
    sums.iter_mut().for_each(|s| *s /= (samples - 3) as f64);
    sums
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

fn finite_or_infinite(value: f32) -> f32 {
    if value.is_nan() { f32::INFINITY } else { value }
}
