//! Joints with other limits than the rest: overrides by pattern and time, and locked feet.

use crate::import_support::import_corpus;
use crate::project::sample;
use crate::session::imported;
use posepress_core::codecs::{CODECS, Codec, Progress};
use posepress_core::import::{ImportOptions, Imported, import_file};
use posepress_core::metrics::{Aspect, Contact, Verdict};
use posepress_core::pipeline::{ContactLock, MeasuredClip, Outcome, compress};
use posepress_core::recipe::{JointOverride, Recipe, RecipeError};
use std::sync::Arc;

/// Codecs that promise the tolerance by default, except the one that tries all others.
fn searching() -> impl Iterator<Item = &'static dyn Codec> {
    CODECS.iter().copied().filter(|codec| {
        let values = Recipe::of(*codec).values;
        codec.promises_with(&values) && codec.name() != "raw" && codec.encoder().is_some()
    })
}

fn measured(imported: &Imported, clip: &str, recipe: &Recipe) -> MeasuredClip {
    let clip = imported.clips.iter().find(|c| c.name() == clip).unwrap_or(&imported.clips[0]);
    MeasuredClip::new(imported.rig.clone().into(), Arc::new(clip.clone()), recipe)
}

fn made(source: &MeasuredClip, recipe: &Recipe) -> Outcome {
    compress(source, recipe, &Progress::new()).unwrap()
}

fn lock(outcome: &Outcome) -> Option<ContactLock> {
    outcome.encoding().and_then(|encoding| encoding.lock)
}

/// A recipe with sliding feet, and the same recipe with locked contacts.
fn loose_and_locked(codec: &'static dyn Codec, tolerance_m: f32) -> [Recipe; 2] {
    let loose = Recipe { tolerance_m, ..Recipe::of(codec) };
    let mut locked = loose.clone();
    locked.contacts.lock = true;
    [loose, locked]
}

fn feet_hold(imported: &Imported, clip: &str, tolerance_m: f32) {
    let mut slid = 0;
    for codec in searching() {
        let [loose, locked] = loose_and_locked(codec, tolerance_m);
        let source = measured(imported, clip, &loose);
        let (before, after) = (made(&source, &loose), made(&source, &locked));
        let found = lock(&after).expect("it says what it took");
        let limit_m = locked.contacts.lock_slide_m * source.plan.scale;
        let slide_m = |outcome: &Outcome| outcome.report.slide.worst_slide_m().unwrap();
        println!(
            "{} {clip}: {:.2} to {:.2} mm of {:.2}, {} to {} bytes; {}",
            codec.name(),
            slide_m(&before) * 1e3,
            slide_m(&after) * 1e3,
            limit_m * 1e3,
            before.bytes(),
            after.bytes(),
            found.words()
        );
        assert!(slide_m(&after) <= limit_m && found.left == 0, "{}: {found:?}", codec.name());
        assert!(after.report.within(), "{}", codec.name());
        assert_eq!(found.contacts, after.report.slide.contacts.len());
        assert_eq!((found.before_m, found.worst_m), (slide_m(&before), slide_m(&after)), "{}", codec.name());
        assert_eq!(found.extra_bytes, after.bytes() as i64 - before.bytes() as i64);
        let fares = after.report.judged().into_iter().find(|j| j.aspect == Aspect::Slide).unwrap();
        assert_eq!(fares.verdict, Verdict::Good, "{}", codec.name());
        if found.tightened > 0 {
            slid += 1;
            assert!(slide_m(&before) > limit_m || found.before_m > 0.0);
            assert!(!after.is_stored_exactly(), "{}: it takes bits, not float32", codec.name());
        } else {
            assert_eq!(after.encoding().unwrap().encoded, before.encoding().unwrap().encoded, "nothing to hold");
        }
    }
    assert!(slid > 0, "no codec lets feet slide: the test shows nothing");
}

#[test]
fn locked_feet_hold_on_the_samples_walk_with_every_codec_that_searches() {
    let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
    feet_hold(&imported, "walk", 0.003);
}

#[test]
fn locked_feet_hold_on_knights_walk() {
    let Some(imported) = import_corpus("kaykit/Knight.glb", &ImportOptions::default()) else { return };
    feet_hold(&imported, "Walking_A", 0.003);
}

/// Errors of standing feet count several times: every codec that searches makes them smaller by that factor, and uses more bytes.
#[test]
fn feet_that_count_more_are_held_better() {
    let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
    for codec in searching() {
        let [plain, _] = loose_and_locked(codec, 0.003);
        let mut weighed = plain.clone();
        weighed.contacts.weight = 10.0;
        let source = measured(&imported, "walk", &plain);
        let (before, after) = (made(&source, &plain), made(&source, &weighed));
        let standing_m = |outcome: &Outcome| {
            let of = |contact: &Contact| {
                let joint = source.plan.feet[contact.foot].joint;
                let at = |secs: f32| source.clip.grid().sample_at(secs);
                let samples = at(contact.start_secs).ceil() as usize
                    ..=at(contact.end_secs.min(source.clip.duration_secs())) as usize;
                joint_error_m(&source, outcome, joint, samples)
            };
            source.plan.contacts.iter().map(of).fold(0.0, f32::max)
        };
        assert!(standing_m(&after) <= 0.000_31, "{}: {} m", codec.name(), standing_m(&after));
        assert!(standing_m(&before) > 0.000_31, "{}: {} m without", codec.name(), standing_m(&before));
        assert!(after.report.within() && after.bytes() > before.bytes(), "{}", codec.name());
    }
}

#[test]
fn codecs_that_do_not_search_are_not_asked_twice() {
    let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
    let [loose, locked] = loose_and_locked(Recipe::chosen("quantize").unwrap().codec, 0.003);
    let source = measured(&imported, "walk", &loose);
    let (before, after) = (made(&source, &loose), made(&source, &locked));
    assert_eq!((before.bytes(), lock(&after)), (after.bytes(), None));
}

/// Largest error of a joint between two samples, metres.
fn joint_error_m(
    source: &MeasuredClip,
    outcome: &Outcome,
    joint: usize,
    samples: std::ops::RangeInclusive<usize>,
) -> f32 {
    let stride = source.raw.sub_frames();
    samples.map(|sample| outcome.report.shell.step(sample * stride)[joint]).fold(0.0, f32::max)
}

#[test]
fn a_tolerance_of_its_own_holds_on_the_joints_and_times_that_it_names_and_there_alone() {
    let imported = imported(8, 61, 1);
    for codec in searching() {
        // Jitter warns at every tolerance.
        let common = Recipe { tolerance_m: 0.001, warn_jitter_m: 1.0, ..Recipe::of(codec) };
        let source = measured(&imported, "", &common);
        let grid = source.clip.grid();
        let (last, name) = (source.rig.skeleton.len() - 1, |joint: usize| source.rig.skeleton.name(joint).to_owned());
        let with = |one: JointOverride| Recipe { overrides: vec![one], ..common.clone() }.validated().unwrap();
        let plain = made(&source, &common);

        let tight =
            made(&source, &with(JointOverride { tolerance_m: Some(0.000_05), ..JointOverride::of(&name(last)) }));
        let error_m = joint_error_m(&source, &tight, last, 0..=60);
        assert!(error_m <= 0.000_05, "{}: {error_m}", codec.name());
        assert!(tight.report.within() && tight.bytes() > plain.bytes(), "{}", codec.name());

        let span_secs = Some([grid.time_secs(20.0), grid.time_secs(40.0)]);
        let relaxed = JointOverride { tolerance_m: Some(0.02), span_secs, ..JointOverride::of("*") };
        let loose = made(&source, &with(relaxed.clone()));
        let outside = |joint| [0..=19, 41..=60].map(|s| joint_error_m(&source, &loose, joint, s)).into_iter();
        let outside_m = (0..=last).flat_map(outside).fold(0.0, f32::max);
        assert!(outside_m <= 0.001, "{}: {outside_m}", codec.name());
        // press has one step per clip and axis, so freedom in a part of a short clip may save nothing.
        let most = plain.bytes() + if codec.name() == "press" { plain.bytes() / 50 } else { 0 };
        assert!(loose.bytes() <= most, "{}: {} {}", codec.name(), loose.bytes(), plain.bytes());
        let inside_m = (0..=last).map(|joint| joint_error_m(&source, &loose, joint, 20..=40)).fold(0.0, f32::max);
        assert!(inside_m > 0.001 && inside_m <= 0.02, "{}: {inside_m}", codec.name());
        assert!(
            loose.report.within() && loose.report.verdict() <= plain.report.verdict(),
            "{:?}",
            loose.report.judged()
        );

        let elsewhere = made(&source, &with(JointOverride { clip: "combat/*".into(), ..relaxed }));
        assert_eq!(elsewhere.bytes(), plain.bytes(), "{}: another clip's", codec.name());
    }
}

#[test]
fn a_far_shell_on_an_inner_joint_is_no_reason_to_store_float32() {
    let imported = imported(8, 61, 1);
    for codec in searching() {
        let common = Recipe { tolerance_m: 0.001, ..Recipe::of(codec) };
        let source = measured(&imported, "", &common);
        let mut far = common.clone();
        far.set_override(source.rig.skeleton.name(3), 1.0);
        let outcome = made(&source, &far);
        assert_eq!(outcome.shells_m[3], 1.0);
        assert!(outcome.report.within() && !outcome.is_stored_exactly(), "{}", codec.name());
        let bytes = (made(&source, &common).bytes(), outcome.bytes());
        assert!(bytes.1 < bytes.0 * 2, "{}: {bytes:?}", codec.name());
    }
}

#[test]
fn of_several_overrides_the_last_one_counts_and_patterns_name_many() {
    let imported = imported(8, 61, 1);
    let names: Vec<String> = (0..8).map(|joint| imported.rig.skeleton.name(joint).to_owned()).collect();
    let recipe = Recipe::from_toml(&format!(
        "[[overrides]]\njoint = \"*\"\nshell_m = 0.2\ntolerance_m = 0.001\n\
         [[overrides]]\njoint = \"{}\"\nclip = \"c*\"\nshell_m = 0.5\n\
         [[overrides]]\njoint = \"{}\"\nspan_secs = [0.5, 1.0]\ntolerance_m = 0.00001\n",
        names[2], names[5]
    ))
    .unwrap();
    let clip = &imported.clips[0];
    let limits = recipe.limits_of(&imported.rig, clip);
    let is_named = clip.name().starts_with('c');
    assert_eq!((limits.shells_m[1], limits.shells_m[2]), (0.2, if is_named { 0.5 } else { 0.2 }));
    let weights = limits.weights.at_samples();
    let last = clip.samples() - 1;
    assert!((weights.at(0, 5) - 0.1).abs() < 1e-6 && (weights.at(last, 4) - 0.1).abs() < 1e-6);
    let inside = clip.grid().sample_at(0.75) as usize;
    assert!((weights.at(inside, 5) - 10.0).abs() < 1e-4);
    assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe);
}

#[test]
fn overrides_that_cannot_be_say_why() {
    for (text, wanted) in [
        ("joint = \"\"\nshell_m = 1.0", "the joint is missing"),
        ("joint = \"a\"\nspan_secs = [1.0, 0.5]", "ends before it begins"),
        ("joint = \"a\"\nspan_secs = [0.0, nan]", "ends before it begins"),
        ("joint = \"a\"\nspan_secs = [0.0, 1.0]\nshell_m = 1.0", "the whole clip"),
    ] {
        let error = Recipe::from_toml(&format!("[[overrides]]\n{text}\n")).unwrap_err();
        assert!(matches!(&error, RecipeError::Override { .. }) && error.to_string().contains(wanted), "{error}");
    }
    let error = Recipe::from_toml("[[overrides]]\njoint = \"a\"\ntolerance_m = -1.0\n").unwrap_err();
    assert!(error.to_string().contains("tolerance"), "{error}");
}

#[test]
fn locked_feet_hold_on_captured_motion() {
    let cm = ImportOptions { unit: Some(posepress_core::import::LengthUnit::Centimetre), ..ImportOptions::default() };
    for take in ["ds1_walk_normal_001.bvh", "ds2_walk-turn-left_normal_001.bvh"] {
        let Some(imported) = import_corpus(&format!("bandai/{take}"), &cm) else { return };
        feet_hold(&imported, "", 0.003);
    }
}

/// An override of one joint for a part of a clip costs steps of that joint and its ancestors, not of all joints.
#[test]
fn an_override_on_a_part_of_a_clip_does_not_tighten_the_rest() {
    let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
    let plain = Recipe { tolerance_m: 0.0001, shell_from_mesh: false, ..Recipe::default() };
    let own = JointOverride { tolerance_m: Some(0.000_02), span_secs: Some([0.6, 0.9]), ..JointOverride::of("hand_l") };
    let with = Recipe { overrides: vec![own], ..plain.clone() };
    let source = measured(&imported, "walk", &plain);
    let right_arm: Vec<usize> = {
        let skeleton = &source.rig.skeleton;
        (0..skeleton.len()).filter(|joint| skeleton.name(*joint).ends_with("_r")).collect()
    };
    let mean_m = |recipe: &Recipe| {
        let outcome = made(&source, recipe);
        assert!(outcome.report.within());
        let joints = &outcome.report.samples.per_joint;
        right_arm.iter().map(|joint| joints[*joint].rms_m).sum::<f32>() / right_arm.len() as f32
    };
    let (before_m, after_m) = (mean_m(&plain), mean_m(&with));
    assert!(
        after_m > 0.85 * before_m,
        "the right side: {before_m} m, with a part of the left hand tightened {after_m} m"
    );
}
