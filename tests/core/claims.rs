//! What the articles say in numbers, on real clips. What does not hold here stands in `docs/codecs.md` with our figure.

use crate::codec_fixtures::{TOLERANCE_M, chain, clip_of, values_of};
use crate::project::corpus;
use glam::Quat;
use posepress_core::codecs::{
    Codec, Encoder, ParamValues, Progress, Source, by_name, by_name_and_preset, encode_clip, encoders, open_clip,
};
use posepress_core::import::{ImportOptions, Imported, LengthUnit, import_file};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, ModelPose, Pose, Skeleton};

const SHELL_M: f32 = 0.03;

/// `None` without the corpus.
fn import(file: &str, unit: LengthUnit) -> Option<Imported> {
    let options = ImportOptions { unit: Some(unit), rate_hz: Some(30.0), ..ImportOptions::default() };
    Some(import_file(&corpus(file)?, &options).unwrap_or_else(|e| panic!("{e}")))
}

fn encode(codec: &dyn Encoder, values: &ParamValues, rig: &Skeleton, clip: &Clip, shells_m: &[f32]) -> Vec<u8> {
    let source = Source::new(rig, clip, TOLERANCE_M, shells_m);
    encode_clip(codec, &source, values, &Progress::new()).unwrap().bytes
}

/// Bytes of every `step`-th clip of a file.
fn bytes_of(imported: &Imported, step: usize, (codec, values): (&dyn Codec, &ParamValues)) -> usize {
    let rig = &imported.rig.skeleton;
    let shells_m = vec![SHELL_M; rig.len()];
    let codec = codec.encoder().unwrap();
    imported.clips.iter().step_by(step).map(|clip| encode(codec, values, rig, clip, &shells_m).len()).sum()
}

/// Riot: curve fitting leaves 25 to 70 % of what quantization leaves. So it is of captured motion; hand-keyed clips take less.
#[test]
fn riots_curves_take_a_part_of_the_quantized_bytes() {
    let sets = [
        ("bandai/ds1_walk_normal_001.bvh", LengthUnit::Centimetre, 1, 25.0..70.0),
        ("kaykit/Knight.glb", LengthUnit::Metre, 9, 10.0..25.0),
        ("fox/Fox.glb", LengthUnit::Centimetre, 1, 10.0..25.0),
    ];
    for (file, unit, step, percent) in sets {
        let Some(imported) = import(file, unit) else { return };
        let bytes = |name: &str| {
            let (codec, values) = by_name_and_preset(name).unwrap();
            bytes_of(&imported, step, (codec, &values))
        };
        let found = 100.0 * bytes("catmull-rom:riot") as f64 / bytes("quantize:riot") as f64;
        println!("{file}: {found:.1} % of the quantized bytes");
        assert!(percent.contains(&found), "{file}: {found} %, not {percent:?}");
    }
}

/// Advanced Quantization: leaves first saves 2 % against root first. So it is of Fox; of the other sets it is not.
#[test]
fn leaves_first_saves_what_the_article_says_on_fox() {
    let Some(fox) = import("fox/Fox.glb", LengthUnit::Centimetre) else { return };
    let codec = by_name("variable-rate").unwrap();
    let bytes = |order: &str| {
        let values = values_of(codec, &[("range", "clip-segment"), ("order", order)]);
        bytes_of(&fox, 1, (codec, &values)) as f64
    };
    let saved = 1.0 - bytes("leaves") / bytes("root");
    println!("leaves first saves {:.2} %", 100.0 * saved);
    assert!((0.01..0.025).contains(&saved), "{saved}");
}

/// A shell of 1 m in the middle of a chain, as a weapon's joint has it, is held by steps and formats: nothing is stored as
/// float32 for it.
#[test]
fn an_override_on_an_inner_joint_costs_bits_and_not_float32() {
    let rig = chain(8);
    let data = clip_of(&rig, 90, |s, j| {
        let t = s as f32 / 30.0;
        let turn = Quat::from_rotation_z((2.0 * t + j as f32).sin() * 0.4) * Quat::from_rotation_x(0.2 * t);
        Transform { rotation: turn, ..rig.bind(j) }
    });
    let clip = Clip::new(data).unwrap();
    let (plain_m, mut shells_m) = (vec![SHELL_M; rig.len()], vec![SHELL_M; rig.len()]);
    shells_m[3] = 1.0;
    for codec in encoders().filter(|codec| codec.info().promises_tolerance) {
        let bytes = |shells_m: &[f32]| encode(codec, &ParamValues::new(), &rig, &clip, shells_m).len();
        let (plain, overridden) = (bytes(&plain_m), bytes(&shells_m));
        assert!(overridden < 2 * plain, "{}: {overridden} bytes, {plain} without the override", codec.name());
    }
}

/// A loop's last pose is its first: decoded, they are apart by no more than both may err.
#[test]
fn a_loops_seam_opens_by_no_more_than_the_tolerance_twice() {
    let Some(knight) = import("kaykit/Knight.glb", LengthUnit::Metre) else { return };
    let rig = &knight.rig.skeleton;
    let (shells_m, bind) = (vec![SHELL_M; rig.len()], rig.bind_pose(0).joints);
    let loops: Vec<&Clip> = knight.clips.iter().filter(|clip| clip.is_looping()).step_by(4).collect();
    assert!(loops.len() >= 3, "{} loops", loops.len());
    for clip in loops {
        let gap = |first: &ModelPose, last: &ModelPose| {
            let apart = first.joints.iter().zip(&last.joints).map(|(a, b)| (a.translation - b.translation).length());
            apart.fold(0.0, f32::max)
        };
        let raw_m = gap(&ModelPose::new(rig, clip.pose(0)), &ModelPose::new(rig, clip.pose(clip.samples() - 1)));
        for codec in encoders().filter(|codec| codec.info().promises_tolerance) {
            let bytes = encode(codec, &ParamValues::new(), rig, clip, &shells_m);
            let (header, mut sampler) = open_clip(codec, &bytes, &bind).unwrap();
            let mut at = |sample: usize| {
                let mut pose = Pose::with_size(header.joints, header.float_tracks);
                sampler.sample(sample as f64, &mut pose);
                ModelPose::new(rig, &pose.joints)
            };
            let found_m = gap(&at(0), &at(clip.samples() - 1));
            let limit_m = raw_m + 2.0 * TOLERANCE_M + 1e-6;
            assert!(found_m <= limit_m, "{} '{}': {found_m} m", codec.name(), clip.name());
        }
    }
}
