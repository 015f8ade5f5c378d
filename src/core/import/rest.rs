use super::UpAxis;
use crate::math::Transform;
use crate::model::{Rig, TimeGrid};

/// The rest pose, for channels without keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest<'a> {
    pub rig: &'a Rig,
    /// Local transforms in the file's up axis, one per joint.
    pub joints: &'a [Transform],
    /// Float tracks.
    pub floats: &'a [f32],
    /// The file's up axis. Imported clips have Y up.
    pub up: UpAxis,
    /// Shell of each joint, metres.
    pub shells_m: &'a [f32],
}

/// Distance at which a time snaps to a key, in samples.
const SNAP_SAMPLES: f64 = 1e-3;

pub(super) fn snap_secs(grid: TimeGrid) -> f32 {
    if grid.rate_hz() > 0.0 { (SNAP_SAMPLES / grid.rate_hz()) as f32 } else { 0.0 }
}

pub(super) fn raise_roots(transforms: &mut [Transform], rest: Rest<'_>) {
    let joints = rest.joints.len();
    let roots: Vec<usize> = (0..joints).filter(|&j| rest.rig.skeleton.parent(j).is_none()).collect();
    for pose in transforms.chunks_exact_mut(joints) {
        for &root in &roots {
            pose[root] = rest.up.raise(pose[root]);
        }
    }
}
