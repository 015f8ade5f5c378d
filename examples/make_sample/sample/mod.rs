//! The bundled sample: a mannequin and its clips, made from formulas only.

pub mod check;
pub mod figure;
pub mod motion;

use posepress_core::export::{ExportClip, ExportTarget, Exporter, Glb};
use posepress_core::model::{Clip, Rig};

/// The rig and the clips of the sample.
pub fn sample() -> (Rig, Vec<Clip>) {
    let rig = figure::rig();
    let clips = motion::takes().iter().map(|take| checked(&rig, take)).collect();
    (rig, clips)
}

/// Largest allowed movement of a resting sole over the ground, metres.
pub const MOST_DRIFT_M: f32 = 5e-5;

fn checked(rig: &Rig, take: &motion::Take) -> Clip {
    let clip = motion::sampled(rig, take);
    let drift_m = check::sole_drift_m(rig, take, &clip);
    assert!(drift_m < MOST_DRIFT_M, "a sole of '{}' drifts by {} mm while it stands", take.name, drift_m * 1e3);
    clip
}

/// The bytes of the committed file.
pub fn glb(rig: &Rig, clips: &[Clip]) -> Vec<u8> {
    let exact = |clip| ExportClip { tolerance_m: 0.0, ..ExportClip::raw(clip) };
    let mut clips: Vec<_> = clips.iter().map(exact).collect();
    Glb.export(rig, &mut clips, &ExportTarget::default()).expect("the sample fits GLB")
}
