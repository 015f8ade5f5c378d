//! The bundled sample: a mannequin and its clips, made from formulas only.

pub mod figure;
pub mod motion;

use posepress::export::{ExportClip, Exporter, Glb, RotationFormat};
use posepress::model::{Clip, Rig};

/// Rig and clips.
pub fn sample() -> (Rig, Vec<Clip>) {
    let rig = figure::rig();
    let clips = motion::takes().iter().map(|take| motion::sampled(&rig, take)).collect();
    (rig, clips)
}

/// The file as it is committed.
pub fn glb(rig: &Rig, clips: &[Clip]) -> Vec<u8> {
    let mut clips: Vec<_> = clips.iter().map(ExportClip::raw).collect();
    let exporter = Glb { rotations: RotationFormat::Float };
    exporter.export(rig, &mut clips).expect("the sample fits GLB")
}
