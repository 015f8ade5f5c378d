//! Real clips through the codecs that promise a tolerance. Skipped, and says so, where the corpus is not there.

use posepress::codecs::{CODECS, ParamValues, Progress, Source, encode_clip, open_clip};
use posepress::import::{ImportOptions, Imported, LengthUnit, import_file};
use posepress::model::{Clip, ModelPose, Pose, Skeleton};
use std::path::PathBuf;

const TOLERANCE_M: f32 = 0.0001;
const SHELL_M: f32 = 0.03;

fn import(file: &str, unit: LengthUnit) -> Option<Imported> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let path = std::env::var_os("POSEPRESS_CORPUS").map_or_else(default, PathBuf::from).join(file);
    if !path.exists() {
        println!("SKIPPED: no corpus file {file}; set POSEPRESS_CORPUS to its folder");
        return None;
    }
    let options = ImportOptions { unit: Some(unit), ..ImportOptions::default() };
    Some(import_file(&path, &options).unwrap_or_else(|e| panic!("{e}")))
}

/// Largest shell error at the samples of what the bytes decode to.
fn error_m(skeleton: &Skeleton, clip: &Clip, codec: &dyn posepress::codecs::Codec) -> f32 {
    let shells_m = vec![SHELL_M; skeleton.len()];
    let source = Source { skeleton, clip, tolerance_m: TOLERANCE_M, shells_m: &shells_m };
    let encoded = encode_clip(codec, &source, &ParamValues::new(), &Progress::new()).unwrap();
    let bind = Pose::bind(skeleton, 0).joints;
    let (header, mut sampler) = open_clip(codec, &encoded.bytes, &bind).unwrap();
    let mut pose = Pose::with_size(header.joints, header.float_tracks);
    let mut worst = 0.0f32;
    for sample in 0..clip.samples() {
        sampler.sample(clip.grid().time_secs(sample as f64), &mut pose);
        let lossy = ModelPose::new(skeleton, &pose.joints);
        let raw = ModelPose::new(skeleton, clip.pose(sample));
        for (a, b) in raw.joints.iter().zip(&lossy.joints) {
            for axis in [glam::Vec3::X, glam::Vec3::Y, glam::Vec3::Z] {
                let error = a.transform_point3(axis * SHELL_M).distance(b.transform_point3(axis * SHELL_M));
                assert!(error.is_finite());
                worst = worst.max(error);
            }
        }
    }
    worst
}

/// Every `step`-th clip of a file keeps the promise of every codec that makes one.
fn keeps_promises(file: &str, unit: LengthUnit, step: usize) {
    let Some(imported) = import(file, unit) else { return };
    let skeleton = &imported.rig.skeleton;
    for clip in imported.clips.iter().step_by(step) {
        for codec in CODECS.iter().filter(|c| c.promises_tolerance()) {
            let found_m = error_m(skeleton, clip, *codec);
            // Points are rounded in another order here than in the encoder: a millionth of where they are.
            let size_m = clip.pose(0).iter().map(|t| t.translation.length()).sum::<f32>();
            let limit_m = TOLERANCE_M + 2e-7 * size_m;
            assert!(found_m <= limit_m, "{} on {file} '{}': {found_m} m", codec.name(), clip.name());
        }
    }
}

#[test]
fn knight_stays_within_the_tolerance() {
    keeps_promises("kaykit/Knight.glb", LengthUnit::Metre, 9);
}

#[test]
fn fox_stays_within_the_tolerance_at_its_size_and_170_metres_tall() {
    keeps_promises("fox/Fox.glb", LengthUnit::Centimetre, 2);
    keeps_promises("fox/Fox.glb", LengthUnit::Metre, 2);
}

#[test]
fn motion_capture_stays_within_the_tolerance() {
    keeps_promises("bandai/ds1_dash_normal_001.bvh", LengthUnit::Centimetre, 1);
    keeps_promises("bandai/ds2_walk_elderly_002.bvh", LengthUnit::Centimetre, 1);
}
