use super::stats::Moments;
use super::{JointError, ModelTrack, ShellReport, Stats, Worst};
use glam::Affine3A;
use rayon::prelude::*;

/// Steps that one task takes at least: below that, handing out tasks costs more than they do.
const STEPS_A_TASK: usize = 16;

/// Shell error of every joint at every step, the measure that codecs optimise.
///
/// For joint j at time t it is the largest of |M_raw v - M_lossy v| over three points v at `shell_m` along the joint's
/// local axes, in object space. It is taken from the difference of the matrices, so that scale needs no special case
/// and equal matrices give exactly zero. Whatever is not finite counts as an infinite error.
pub(super) struct ShellErrors {
    joints: usize,
    sub_frames: usize,
    errors_m: Vec<f32>,
}

impl ShellErrors {
    /// Measures all steps of two tracks of the same shape. `shells_m`: one a joint.
    pub(super) fn measure(raw: &ModelTrack, lossy: &ModelTrack, shells_m: &[f32]) -> Self {
        let joints = raw.joints();
        let mut errors_m = vec![0.0; raw.steps() * joints];
        errors_m.par_chunks_mut(joints).with_min_len(STEPS_A_TASK).enumerate().for_each(|(step, row)| {
            shell_errors_into(raw.pose(step), lossy.pose(step), shells_m, row);
        });
        Self { joints, sub_frames: raw.sub_frames(), errors_m }
    }

    /// Largest error over joints, one a step.
    pub(super) fn per_step(&self) -> Vec<f32> {
        self.errors_m.chunks_exact(self.joints).map(|row| row.iter().copied().fold(0.0, f32::max)).collect()
    }

    /// At the samples.
    pub(super) fn at_samples(&self, raw: &ModelTrack) -> ShellReport {
        self.report(raw, |step| step.is_multiple_of(self.sub_frames))
    }

    /// At the steps between samples only; all zero when there are none.
    pub(super) fn between_samples(&self, raw: &ModelTrack) -> ShellReport {
        self.report(raw, |step| !step.is_multiple_of(self.sub_frames))
    }

    fn report(&self, raw: &ModelTrack, include: impl Fn(usize) -> bool) -> ShellReport {
        let mut moments = vec![Moments::default(); self.joints];
        let mut worst_steps = vec![0; self.joints];
        let mut all = Vec::with_capacity(self.errors_m.len());
        let rows = self.errors_m.chunks_exact(self.joints).enumerate();
        for (step, row) in rows.filter(|&(step, _)| include(step)) {
            all.extend_from_slice(row);
            for ((&error, moments), worst_step) in row.iter().zip(&mut moments).zip(&mut worst_steps) {
                if error > moments.max {
                    *worst_step = step;
                }
                moments.add(error);
            }
        }
        let per_joint: Vec<_> = moments
            .iter()
            .zip(worst_steps)
            .map(|(m, step)| JointError { max_m: m.max, rms_m: m.rms(), worst_secs: raw.time_secs(step) })
            .collect();
        ShellReport { stats: Stats::of(&mut all), worst: worst(&per_joint), per_joint }
    }
}

/// Shell error of every joint between two poses, metres.
pub fn shell_errors(raw: &[Affine3A], lossy: &[Affine3A], shells_m: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; raw.len().min(lossy.len()).min(shells_m.len())];
    shell_errors_into(raw, lossy, shells_m, &mut out);
    out
}

fn shell_errors_into(raw: &[Affine3A], lossy: &[Affine3A], shells_m: &[f32], out: &mut [f32]) {
    for (error, ((a, b), &shell_m)) in out.iter_mut().zip(raw.iter().zip(lossy).zip(shells_m)) {
        *error = shell_error(a, b, shell_m);
    }
}

/// Of equal errors the earliest, then the joint nearest the root.
fn worst(per_joint: &[JointError]) -> Worst {
    per_joint.iter().enumerate().fold(Worst::default(), |worst, (joint, e)| {
        let larger = e.max_m > worst.error_m || (e.max_m == worst.error_m && e.worst_secs < worst.time_secs);
        if larger { Worst { joint, time_secs: e.worst_secs, error_m: e.max_m } } else { worst }
    })
}

#[inline]
pub(super) fn shell_error(a: &Affine3A, b: &Affine3A, shell_m: f32) -> f32 {
    let origin = a.translation - b.translation;
    let x = origin + (a.matrix3.x_axis - b.matrix3.x_axis) * shell_m;
    let y = origin + (a.matrix3.y_axis - b.matrix3.y_axis) * shell_m;
    let z = origin + (a.matrix3.z_axis - b.matrix3.z_axis) * shell_m;
    // Added and not maximised first: f32::max would drop a NaN.
    let squares = [x.length_squared(), y.length_squared(), z.length_squared()];
    if squares.iter().sum::<f32>().is_finite() {
        squares[0].max(squares[1]).max(squares[2]).sqrt()
    } else {
        f32::INFINITY
    }
}
