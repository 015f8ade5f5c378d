use super::farthest::brought_near;
use super::stats::Moments;
use super::{
    ErrorLimits, JointError, ModelTrack, Promise, PromisedError, ShellReport, Stats, StepTimes, WeighedWorst, Weights,
    Worst,
};
use crate::model::{ModelPose, Pose, Sampler, Skeleton};
use glam::Affine3A;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Fewest steps per parallel task. With fewer, scheduling costs more than the work.
const STEPS_A_TASK: usize = 16;

/// Shell error of every joint at every step: the measure that codecs optimise.
///
/// For joint j at time t it is the largest of |M_raw v - M_lossy v| over three points v at `shell_m` along the joint's local axes, in
/// object space. It is computed from the difference of the matrices. So scale needs no special case, and equal matrices give exactly zero.
/// A value that is not finite counts as an infinite error.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ShellErrors {
    joints: usize,
    sub_frames: usize,
    errors_m: Vec<f32>,
}

impl ShellErrors {
    /// Measures all steps of two tracks of the same shape. `shells_m` has one distance per joint.
    pub(super) fn measure(raw: &ModelTrack, lossy: &ModelTrack, shells_m: &[f32]) -> Self {
        let joints = raw.joints();
        let mut errors_m = vec![0.0; raw.steps() * joints];
        errors_m.par_chunks_mut(joints).with_min_len(STEPS_A_TASK).enumerate().for_each(|(step, row)| {
            shell_errors_into(&raw.pose(step), &lossy.pose(step), shells_m, row);
        });
        Self { joints, sub_frames: raw.sub_frames(), errors_m }
    }

    /// Like [`Self::measure`], with poses composed in f64. For clips so far from the origin that float32 is too coarse for the tolerance.
    pub(super) fn measure_far(skeleton: &Skeleton, raw: &ModelTrack, lossy: &ModelTrack, shells_m: &[f32]) -> Self {
        let joints = raw.joints();
        let mut errors_m = vec![0.0; raw.steps() * joints];
        errors_m.par_chunks_mut(joints).with_min_len(STEPS_A_TASK).enumerate().for_each(|(step, row)| {
            let [raw, lossy] = brought_near(skeleton, raw, lossy, step);
            shell_errors_into(&raw, &lossy, shells_m, row);
        });
        Self { joints, sub_frames: raw.sub_frames(), errors_m }
    }

    /// Measures two players of one rig step by step, without keeping matrices. Both play `float_tracks` float tracks.
    pub(super) fn played(
        skeleton: &Skeleton,
        [raw, lossy]: [&mut dyn Sampler; 2],
        times: StepTimes,
        float_tracks: usize,
        shells_m: &[f32],
    ) -> Self {
        let StepTimes { grid, sub_frames } = times;
        let joints = skeleton.len();
        let mut pose = Pose::with_size(joints, float_tracks);
        let [mut of_raw, mut of_lossy] = [(); 2].map(|()| ModelPose::default());
        let mut errors_m = Vec::with_capacity(grid.steps(sub_frames).len() * joints);
        for place in grid.steps(sub_frames) {
            raw.sample(place, &mut pose);
            of_raw.update(skeleton, &pose.joints);
            lossy.sample(place, &mut pose);
            of_lossy.update(skeleton, &pose.joints);
            errors_m.extend(shell_errors(&of_raw.joints, &of_lossy.joints, shells_m));
        }
        Self { joints, sub_frames, errors_m }
    }

    /// True if there are no steps.
    pub fn is_empty(&self) -> bool {
        self.errors_m.is_empty()
    }

    /// Error of every joint at a step, metres. Empty if the step does not exist.
    pub fn step(&self, step: usize) -> &[f32] {
        self.errors_m.chunks_exact(self.joints.max(1)).nth(step).unwrap_or(&[])
    }

    /// Error of one joint, per step.
    pub fn joint(&self, joint: usize) -> impl Iterator<Item = f32> + '_ {
        self.errors_m.chunks_exact(self.joints.max(1)).filter_map(move |row| row.get(joint).copied())
    }

    /// The joint with the largest error at a step. Ties go to the lowest joint index.
    pub fn worst_joint(&self, step: usize) -> Option<usize> {
        let row = self.step(step);
        (0..row.len()).rev().max_by(|a, b| row[*a].total_cmp(&row[*b]))
    }

    /// Largest error over all joints, per step.
    pub(super) fn per_step(&self) -> Vec<f32> {
        self.errors_m.chunks_exact(self.joints).map(|row| row.iter().copied().fold(0.0, f32::max)).collect()
    }

    /// The error that 99 % of the joints do not exceed, per step. It is interpolated between the two nearest ranks, because few rigs have a
    /// hundred joints.
    pub(super) fn p99_per_step(&self) -> Vec<f32> {
        let mut sorted = Vec::with_capacity(self.joints);
        let p99 = |row: &[f32]| {
            sorted.clear();
            sorted.extend_from_slice(row);
            let rank = 0.99 * (row.len() - 1) as f32;
            let (_, below, beyond) = sorted.select_nth_unstable_by(rank as usize, f32::total_cmp);
            let (below, share) = (*below, rank.fract());
            let above = beyond.iter().copied().min_by(f32::total_cmp).unwrap_or(below);
            if below.is_finite() { below + (above.min(f32::MAX) - below) * share } else { below }
        };
        self.errors_m.chunks_exact(self.joints).map(p99).collect()
    }

    /// The report on the samples.
    pub(super) fn at_samples(&self, times: StepTimes) -> ShellReport {
        self.report(times, |step| step.is_multiple_of(self.sub_frames))
    }

    /// The report on the steps between samples only. All zero if there are none.
    pub(super) fn between_samples(&self, times: StepTimes) -> ShellReport {
        self.report(times, |step| !step.is_multiple_of(self.sub_frames))
    }

    /// The largest error times its weight at the samples, and the largest share of the warn limit between them. Ties go to the earliest.
    pub(super) fn weighed_worst(
        &self,
        times: StepTimes,
        weights: Weights<'_>,
        limits: &ErrorLimits,
    ) -> (WeighedWorst, WeighedWorst) {
        let (mut samples, mut between) = (WeighedWorst::default(), WeighedWorst { weight: 1.0, ..Default::default() });
        for (step, row) in self.errors_m.chunks_exact(self.joints.max(1)).enumerate() {
            let is_sample = step.is_multiple_of(self.sub_frames);
            let found = if is_sample { &mut samples } else { &mut between };
            let part =
                |error_m, weight| if is_sample { error_m * weight } else { limits.part_between(error_m, weight) };
            for (joint, &error_m) in row.iter().enumerate() {
                let weight = weights.at(step, joint);
                if part(error_m, weight) > part(found.worst.error_m, found.weight) {
                    *found = WeighedWorst { worst: Worst { joint, time_secs: times.time_secs(step), error_m }, weight };
                }
            }
        }
        (samples, between)
    }

    /// The joint with the largest mean of its weighed errors at the samples, and that mean in metres. `None` for [`Promise::Largest`].
    pub(super) fn worst_mean(&self, promise: Promise, weights: Weights<'_>) -> Option<(usize, f32)> {
        let mut errors = PromisedError::new(promise, self.joints);
        let rows = self.errors_m.chunks_exact(self.joints.max(1)).enumerate().step_by(self.sub_frames.max(1));
        for (step, row) in rows {
            errors.add(row.iter().enumerate().map(|(joint, error_m)| error_m * weights.at(step, joint)));
        }
        errors.worst_mean()
    }

    fn report(&self, times: StepTimes, include: impl Fn(usize) -> bool) -> ShellReport {
        let mut moments = vec![Moments::default(); self.joints];
        let mut worst_steps = vec![0; self.joints];
        let rows = self.errors_m.chunks_exact(self.joints).enumerate().filter(|&(step, _)| include(step));
        for (step, row) in rows.clone() {
            for ((&error, moments), worst_step) in row.iter().zip(&mut moments).zip(&mut worst_steps) {
                if error > moments.max {
                    *worst_step = step;
                }
                moments.add(error);
            }
        }
        let per_joint: Vec<_> =
            moments.iter().zip(worst_steps).map(|(m, step)| m.of_joint(times.time_secs(step))).collect();
        let stats = Stats::of(rows.flat_map(|(_, row)| row.iter().copied()));
        ShellReport { stats, worst: worst(&per_joint), per_joint }
    }
}

/// Shell error of every joint between two poses, metres. `shells_m` has one distance per joint.
pub fn shell_errors(raw: &[Affine3A], lossy: &[Affine3A], shells_m: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; raw.len().min(lossy.len()).min(shells_m.len())];
    shell_errors_into(raw, lossy, shells_m, &mut out);
    out
}

fn shell_errors_into(raw: &[Affine3A], lossy: &[Affine3A], shells_m: &[f32], out: &mut [f32]) {
    for (error, ((a, b), &shell_m)) in out.iter_mut().zip(raw.iter().zip(lossy).zip(shells_m)) {
        *error = shell_error_m(a, b, shell_m);
    }
}

/// The largest error. Ties go to the earliest, then to the lowest joint index.
fn worst(per_joint: &[JointError]) -> Worst {
    per_joint.iter().enumerate().fold(Worst::default(), |worst, (joint, e)| {
        let larger = e.max_m > worst.error_m || (e.max_m == worst.error_m && e.worst_secs < worst.time_secs);
        if larger { Worst { joint, time_secs: e.worst_secs, error_m: e.max_m } } else { worst }
    })
}

/// The largest distance between a joint's shell points under two matrices, metres. Infinite if a matrix is not finite.
///
/// A rotation by 90 degrees about z moves the points on the x and y axes by sqrt(2) times the shell distance:
///
/// ```
/// use glam::{Affine3A, Quat};
/// use posepress_core::metrics::shell_error_m;
///
/// let turned = Affine3A::from_quat(Quat::from_rotation_z(90.0_f32.to_radians()));
/// let error_m = shell_error_m(&Affine3A::IDENTITY, &turned, 0.03);
/// assert!((error_m - 0.03 * 2.0_f32.sqrt()).abs() < 1e-6);
/// ```
#[inline]
pub fn shell_error_m(a: &Affine3A, b: &Affine3A, shell_m: f32) -> f32 {
    shell_error_sq(a, b, shell_m).sqrt()
}

/// The square of [`shell_error_m`], square metres. Searches compare squares to save the square root.
#[inline]
pub fn shell_error_sq(a: &Affine3A, b: &Affine3A, shell_m: f32) -> f32 {
    let origin = a.translation - b.translation;
    let x = origin + (a.matrix3.x_axis - b.matrix3.x_axis) * shell_m;
    let y = origin + (a.matrix3.y_axis - b.matrix3.y_axis) * shell_m;
    let z = origin + (a.matrix3.z_axis - b.matrix3.z_axis) * shell_m;
    // The sum keeps a NaN, which f32::max would drop.
    let squares = [x.length_squared(), y.length_squared(), z.length_squared()];
    if squares.iter().sum::<f32>().is_finite() { squares[0].max(squares[1]).max(squares[2]) } else { f32::INFINITY }
}
