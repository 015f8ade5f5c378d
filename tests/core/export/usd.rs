//! USD that is written: its samples, as our reader and usd-core read them.

use crate::engine_files::Case;
use crate::import::usd::readers;
use glam::{Quat, Vec3};
use posepress_core::export::{ExportClip, ExportTarget, Exported, by_key, export_measured};
use posepress_core::import::{ImportOptions, Imported, import_bytes};
use posepress_core::math::Transform;
use posepress_core::model::{Channel, Clip, ClipData, Hold, Joint, Rig, Skeleton};

/// Allowed difference of usd-core from our reader, relative to the rig's size. Between samples with hardly any rotation it blends without
/// normalising.
const PART: f32 = 1e-5;

fn rig() -> Rig {
    let joint = |name: &str, parent| Joint { name: name.into(), parent, bind: Transform::from_translation(Vec3::Y) };
    Rig::from_skeleton("a rig", Skeleton::new(vec![joint("mix:Hips", None), joint("1 leg", Some(0))]).unwrap())
}

/// A clip of a second, whose leg has a place at each sample.
fn clip(leg: impl Fn(usize) -> Transform, holds: Vec<Hold>) -> Clip {
    let pose = |sample: usize| [Transform::from_translation(Vec3::new(0.0, 1.0, 0.1 * sample as f32)), leg(sample)];
    Clip::new(ClipData {
        name: "run 1".into(),
        joints: 2,
        duration_secs: 1.0,
        transforms: (0..31).flat_map(pose).collect(),
        float_tracks: 0,
        floats: Vec::new(),
        holds,
        looping: None,
    })
    .unwrap()
}

fn written(rig: &Rig, clip: &Clip, tolerance_m: f32) -> (String, Exported, Imported) {
    let raw = ExportClip { tolerance_m, ..ExportClip::raw(clip) };
    let exported = export_measured(by_key("usda").unwrap(), rig, &mut [raw], &ExportTarget::default()).unwrap();
    let options = ImportOptions { rate_hz: Some(clip.grid().rate_hz() as f32), ..Default::default() };
    let read = import_bytes("clip.usda".as_ref(), exported.bytes.as_slice(), &options).unwrap();
    (String::from_utf8(exported.bytes.clone()).unwrap(), exported, read)
}

/// Samples of the translations.
fn samples(text: &str) -> usize {
    let of = text.split("translations.timeSamples = {").nth(1).unwrap().split('}').next().unwrap();
    of.lines().filter(|line| line.contains(':')).count()
}

#[test]
fn lines_take_two_samples_and_bends_take_more_within_the_tolerance() {
    let still = |_: usize| Transform::from_translation(Vec3::Y);
    let bent = |sample: usize| Transform {
        rotation: Quat::from_rotation_x((0.2 * sample as f32).sin()),
        ..Transform::from_translation(Vec3::Y)
    };
    let (rig, line, bend) = (rig(), clip(still, Vec::new()), clip(bent, Vec::new()));
    let (text, exported, _) = written(&rig, &line, 1e-4);
    assert_eq!(samples(&text), 2);
    assert!(text.contains("timeCodesPerSecond = 30\n"), "a whole rate");
    assert!(text.contains("half3[] scales = [(1, 1, 1), (1, 1, 1)]"), "one value");
    assert!(exported.clips[0].report.samples.stats.max_m < 1e-6, "{:?}", exported.clips);
    let (text, exported, _) = written(&rig, &bend, 1e-2);
    assert!((3..31).contains(&samples(&text)), "{}", samples(&text));
    assert!(
        exported.clips[0].report.samples.stats.max_m <= 1e-2 && exported.clips[0].report.samples.stats.max_m > 1e-4
    );
    assert_eq!(samples(&written(&rig, &bend, 0.0).0), 31);
}

#[test]
fn a_step_stays_a_step() {
    let jump = |sample: usize| Transform::from_translation(if sample < 10 { Vec3::Y } else { 3.0 * Vec3::Y });
    let hold = Hold { sample: 9, joint: 1, channel: Channel::Translation };
    let (_, exported, read) = written(&rig(), &clip(jump, vec![hold]), 1e-4);
    assert!(exported.clips[0].is_within(), "{:?}", exported.clips[0].complaint());
    let leg = |sample: usize| read.clips[0].at(sample, 1).translation;
    assert!([leg(9), leg(10)].iter().zip([1.0, 3.0]).all(|(found, y)| found.distance(y * Vec3::Y) < 1e-6));
    assert!(read.clips[0].holds().contains(&hold), "{:?}", read.clips[0].holds());
}

#[test]
fn names_that_usd_does_not_allow_come_back() {
    let (text, _, read) = written(&rig(), &clip(|_| Transform::IDENTITY, Vec::new()), 1e-4);
    assert!(text.contains("joints = [\"mix_Hips\", \"mix_Hips/_1_leg\"]"), "{text}");
    let names: Vec<&str> = read.rig.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!((names, read.clips[0].name()), (vec!["mix:Hips", "1 leg"], "run_1"));
}

/// `scripts/test.sh --readers` runs modules whose names end so.
mod usd_core_readers {
    use super::*;

    #[test]
    #[ignore = "needs Python and usd-core"]
    fn usd_core_plays_what_is_written() {
        for case in Case::all("press") {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("clip.usda");
            let dense = case.export("usda", 0.0).len();
            let bytes = case.export("usda", case.outcome.recipe.tolerance_m);
            std::fs::write(&path, &bytes).unwrap();
            let [played] = &readers::play(std::slice::from_ref(&path))[..] else { panic!("one file") };
            let read = import_bytes(&path, bytes.as_slice(), &played.options()).unwrap();
            let worst = readers::compared(&read, played);
            eprintln!("{}: {worst:.1e} of the rig's size, {} of {dense} bytes", case.name, bytes.len());
            assert!(worst <= PART, "{}: {worst}", case.name);
        }
    }
}
