//! Containers: written files are read back; stripped, unrelated and damaged files are refused.

use crate::written;
use posepress_core::codecs::{CODECS, Progress};
use posepress_core::format::{Container, ContainerFile, DecodeError};
use posepress_core::math::Transform;
use posepress_core::metrics::Verdict;
use posepress_core::model::{Channel, Clip, ClipData, Hold, Joint, Pose, Rig, Skeleton};
use posepress_core::pipeline::{
    Archive, ArchiveError, ArchiveListing, MeasuredClip, Outcome, compress, measure_archived, rig_digest,
};
use posepress_core::recipe::Recipe;
use posepress_core::report::ClipReport;
use std::sync::Arc;

use glam::{Quat, Vec3};

const JOINTS: usize = 5;
const SAMPLES: usize = 24;

/// A tail of five joints with a float track.
pub fn rig(name: &str, bone_m: f32) -> Rig {
    let joint = |index: usize| Joint {
        name: format!("tail{index}"),
        parent: index.checked_sub(1),
        bind: Transform::from_translation(Vec3::new(0.0, bone_m, 0.0)),
    };
    let skeleton = Skeleton::new((0..JOINTS).map(joint).collect()).unwrap();
    Rig { float_names: vec!["smile".into()], ..Rig::from_skeleton(name, skeleton) }
}

/// Every joint swings. Joint 1 jumps after sample 10 and keeps its value before.
pub fn clip(name: &str) -> Clip {
    let transform = |sample: usize, joint: usize| Transform {
        rotation: Quat::from_rotation_z((sample as f32 * 0.3 + joint as f32).sin() * 0.5),
        translation: Vec3::new(if joint == 1 && sample > 10 { 0.5 } else { 0.0 }, 0.3, 0.0),
        scale: Vec3::ONE,
    };
    Clip::new(ClipData {
        name: name.into(),
        joints: JOINTS,
        duration_secs: (SAMPLES - 1) as f32 / 30.0,
        transforms: (0..SAMPLES).flat_map(|s| (0..JOINTS).map(move |j| transform(s, j))).collect(),
        float_tracks: 1,
        floats: (0..SAMPLES).map(|s| s as f32 / SAMPLES as f32).collect(),
        holds: vec![Hold { sample: 10, joint: 1, channel: Channel::Translation }],
        looping: None,
    })
    .unwrap()
}

pub fn outcome(rig: &Rig, codec: &str) -> (MeasuredClip, Outcome) {
    let recipe = Recipe { tolerance_m: 0.001, sub_frames: 2, ..Recipe::chosen(codec).unwrap() };
    let measured = MeasuredClip::new(Arc::new(rig.clone()), Arc::new(clip("swing")), &recipe);
    let outcome = compress(&measured, &recipe, &Progress::new()).unwrap();
    (measured, outcome)
}

#[test]
fn what_is_written_is_read_back_for_every_codec() {
    let rig = rig("cat", 0.3);
    for codec in CODECS {
        let (measured, outcome) = outcome(&rig, codec.name());
        let bytes = written::archive(&rig, &[("swing", &outcome), ("again", &outcome)]);
        let archive = Archive::open(&bytes, None).unwrap();
        assert_eq!(archive.skeleton(), &rig.skeleton);
        assert_eq!(archive.float_names(), ["smile"]);
        let names: Vec<_> = archive.clips().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["swing", "again"]);
        let read = &archive.clips()[0];
        assert_eq!((&read.recipe(), read.bytes.len()), (&outcome.recipe, outcome.bytes()));
        let again = measure_archived(&measured, read).unwrap();
        assert_eq!(again.report, outcome.report, "{codec:?}");
    }
}

#[test]
fn a_decoded_clip_keeps_steps_and_float_tracks() {
    let rig = rig("cat", 0.3);
    let (measured, outcome) = outcome(&rig, "raw");
    let archive = Archive::open(&written::archive(&rig, &[("swing", &outcome)]), None).unwrap();
    let decoded = archive.decode(&archive.clips()[0]).unwrap();
    assert_eq!(&decoded, measured.clip.as_ref());
    let mut pose = Pose::with_size(JOINTS, 1);
    archive.sampler(&archive.clips()[0]).unwrap().sample(10.9, &mut pose);
    assert_eq!(pose.joints[1].translation.x, 0.0, "the step was smeared");
}

#[test]
fn other_morph_weights_fail_a_container() {
    let rig = rig("cat", 0.3);
    let (measured, outcome) = outcome(&rig, "linear-keys");
    let archive = Archive::open(&written::archive(&rig, &[("swing", &outcome)]), None).unwrap();
    let clip = &archive.clips()[0];
    let verify = |weights: &dyn Fn(f32) -> f32| {
        let source = measured.clip.as_ref();
        let data = ClipData {
            name: source.name().into(),
            joints: JOINTS,
            duration_secs: source.duration_secs(),
            transforms: (0..SAMPLES).flat_map(|s| source.pose(s).to_vec()).collect(),
            float_tracks: 1,
            floats: (0..SAMPLES).map(|s| weights(source.floats(s)[0])).collect(),
            holds: source.holds().to_vec(),
            looping: Some(source.is_looping()),
        };
        let other = MeasuredClip::new(measured.rig.clone(), Arc::new(Clip::new(data).unwrap()), &clip.recipe());
        ClipReport::new("cat.glb", "swing", &other, &measure_archived(&other, clip).unwrap())
    };
    let same = verify(&|weight| weight);
    assert!(same.passes() && same.float_error.as_ref().is_some_and(|row| row.max <= 1e-4), "{same:?}");
    let off = verify(&|weight| weight + 0.5);
    assert!(!off.passes(), "{off:?}");
    let words = off.verdict_words();
    assert!(
        off.verdict == Verdict::Fail && words.starts_with("morph weights differ: smile 0.500, limit 0."),
        "{words}"
    );
    assert!(off.reasons().first().is_some_and(|reason| words.starts_with(&reason.words())), "{words}");
    let row = off.float_error.unwrap();
    assert!((row.max - 0.5).abs() < 1e-6 && row.track == "smile", "{row:?}");
}

#[test]
fn the_rig_must_be_the_one_that_the_clips_were_made_for() {
    let cat = rig("cat", 0.3);
    let (_, outcome) = outcome(&cat, "raw");
    let bytes = written::archive(&cat, &[("swing", &outcome)]);
    assert_eq!(rig_digest(&cat), rig_digest(&rig("renamed file", 0.3)));
    assert!(Archive::open(&bytes, Some(&rig("renamed file", 0.3))).is_ok());
    let other = Archive::open(&bytes, Some(&rig("cat", 0.31))).unwrap_err();
    assert!(matches!(other, ArchiveError::OtherRig { .. }), "{other}");
    let bald = Rig { float_names: vec![], ..cat };
    let error = Archive::open(&bytes, Some(&bald)).unwrap_err();
    assert_eq!(error.to_string(), "the source has 0 float tracks; expected 1");
}

#[test]
fn a_stripped_container_needs_its_rig() {
    let rig = rig("cat", 0.3);
    let (_, outcome) = outcome(&rig, "quantize");
    let whole = written::archive(&rig, &[("swing", &outcome)]);
    let container = Container { rig: None, ..Container::read(&whole).unwrap() };
    let stripped = container.write();
    assert!(stripped.len() < whole.len());
    assert_eq!(Archive::open(&stripped, None).unwrap_err(), ArchiveError::NoRig);
    assert_eq!(ArchiveListing::read(&stripped).unwrap().joints, JOINTS);
    let (with, without) = (Archive::open(&whole, None).unwrap(), Archive::open(&stripped, Some(&rig)).unwrap());
    assert_eq!(with.decode(&with.clips()[0]), without.decode(&without.clips()[0]));
}

#[test]
fn another_sampling_of_the_source_is_refused() {
    let rig = rig("cat", 0.3);
    let (mut measured, outcome) = outcome(&rig, "raw");
    let archive = Archive::open(&written::archive(&rig, &[("swing", &outcome)]), None).unwrap();
    let short = ClipData {
        name: "swing".into(),
        joints: JOINTS,
        duration_secs: 0.1,
        transforms: vec![Transform::IDENTITY; 4 * JOINTS],
        float_tracks: 1,
        floats: vec![0.0; 4],
        holds: vec![],
        looping: None,
    };
    measured.clip = Arc::new(Clip::new(short).unwrap());
    let error = measure_archived(&measured, &archive.clips()[0]).unwrap_err();
    assert!(matches!(error, ArchiveError::Shape { found: SAMPLES, expected: 4, .. }), "{error}");
}

#[test]
fn an_unknown_codec_or_recipe_is_named() {
    let rig = rig("cat", 0.3);
    let (_, outcome) = outcome(&rig, "raw");
    let container = Container::read(&written::archive(&rig, &[("swing", &outcome)])).unwrap();
    let mut newer = container.clone();
    newer.clips[0].codec = *b"NEW9";
    let error = Archive::open(&newer.write(), None).unwrap_err().to_string();
    assert!(error.starts_with("clip 'swing' needs codec 'NEW9'") && error.contains("RAW0"), "{error}");
    let mut odd = container.clone();
    odd.clips[0].recipe = "codec = 3".into();
    let error = Archive::open(&odd.write(), None).unwrap_err();
    assert!(matches!(error, ArchiveError::Recipe { .. }), "{error}");
    // A recipe of one codec with the bytes of another would give wrong measurements.
    let mut swapped = container;
    swapped.clips[0].recipe = Recipe::chosen("quantize").unwrap().to_toml().into();
    let error = Archive::open(&swapped.write(), None).unwrap_err().to_string();
    assert_eq!(error, "clip 'swing' is stored by codec 'raw', but its recipe names 'quantize'");
}

#[test]
fn every_cut_and_flipped_bits_are_refused() {
    let rig = rig("cat", 0.3);
    let (_, outcome) = outcome(&rig, "quantize");
    let good = written::archive(&rig, &[("swing", &outcome)]);
    for end in 0..good.len() {
        assert!(Archive::open(&good[..end], None).is_err(), "cut at {end}");
    }
    for bit in (0..8 * good.len()).step_by(61) {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(Archive::open(&bytes, None).is_err(), "bit {bit}");
    }
}

#[test]
fn sound_checksums_over_bad_bytes_are_still_refused_or_decoded_without_a_panic() {
    let rig = rig("cat", 0.3);
    for codec in CODECS {
        let (_, outcome) = outcome(&rig, codec.name());
        let container = Container::read(&written::archive(&rig, &[("swing", &outcome)])).unwrap();
        let len = container.clips[0].bytes.len();
        let mut refused = 0;
        for bit in (0..8 * len).step_by(29) {
            let mut bad = container.clone();
            bad.clips[0].bytes[bit / 8] ^= 1 << (bit % 8);
            match Archive::open(&bad.write(), None) {
                Ok(archive) => drop(archive.decode(&archive.clips()[0])),
                Err(ArchiveError::Clip { .. } | ArchiveError::FloatTracks { .. }) => refused += 1,
                Err(other) => panic!("{codec:?}, bit {bit}: {other}"),
            }
        }
        assert!(refused > 0, "{codec:?} accepts every flipped header bit");
        let mut short = container.clone();
        short.clips[0].bytes.truncate(len - 1);
        let error = Archive::open(&short.write(), None).unwrap_err();
        assert!(
            matches!(&error, ArchiveError::Clip { error: DecodeError::Truncated { .. }, .. }),
            "{codec:?}: {error}"
        );
    }
}
