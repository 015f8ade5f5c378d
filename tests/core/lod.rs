//! Levels of detail: which joints move, when the pose is updated, what that costs in millimetres and pixels.

use crate::project::project;
use posepress_core::codecs::Progress;
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::lod::{
    BetweenUpdates, LodBy, LodLevel, LodPlay, LodSampler, Platform, TiersLeftOut, UpdateRate, joints_by_reach,
};
use posepress_core::metrics::Verdict;
use posepress_core::model::{ClipSampler, Pose, Sampler};
use posepress_core::pipeline::{
    LodFault, MeasuredClip, MeasuredLod, Outcome, TierSettings, compress_shell, measure_lods,
};
use posepress_core::project::Document;
use posepress_core::recipe::Recipe;
use posepress_core::report::{LodFigures, LodRow, Screen, lod_at, lod_starts_m, lods_by};
use std::collections::BTreeSet;
use std::sync::Arc;

fn walk() -> (MeasuredClip, Outcome) {
    let sample = import_file(&project("src/app/assets/sample.glb"), &ImportOptions::default()).unwrap();
    let recipe = Recipe::chosen("press").unwrap();
    let source = MeasuredClip::new(Arc::new(sample.rig), Arc::new(sample.clips.into_iter().next().unwrap()), &recipe);
    let outcome = compress_shell(&source, &recipe, &Progress::new()).unwrap();
    (source, outcome)
}

fn measured(
    source: &MeasuredClip,
    outcome: &Outcome,
    platform: &Platform,
    tiers: &TierSettings,
) -> Vec<Result<MeasuredLod, LodFault>> {
    measure_lods(source, outcome, (platform, tiers), &Progress::new())
}

fn figures(source: &MeasuredClip, outcome: &Outcome, levels: Vec<LodLevel>) -> Vec<LodFigures> {
    let platform = Platform { levels, ..Platform::default() };
    let levels = measured(source, outcome, &platform, &TierSettings::default());
    let rows = LodRow::of(&platform, &source.rig, &Screen::default(), &levels);
    rows.into_iter().map(|row| row.measured.unwrap()).collect()
}

#[test]
fn parents_come_before_children_and_legs_before_feet() {
    let (source, _) = walk();
    let skeleton = &source.rig.skeleton;
    let order = joints_by_reach(&source.rig);
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), skeleton.len());
    let place = |joint: usize| order.iter().position(|other| *other == joint).unwrap();
    for joint in 0..skeleton.len() {
        assert!(skeleton.parent(joint).is_none_or(|parent| place(parent) < place(joint)), "{}", skeleton.name(joint));
    }
    let places = |names: &[&str]| names.iter().map(|name| place(skeleton.find(name).unwrap())).collect::<Vec<_>>();
    for chain in [["upper_leg_l", "foot_r", "toes_l"], ["upper_arm_r", "hand_l", "index_03_r"]] {
        assert!(places(&chain).is_sorted(), "{chain:?} {:?}", places(&chain));
    }
}

#[test]
fn frames_between_updates_are_blended_or_held_and_the_last_update_is_the_end() {
    let (source, _) = walk();
    let (clip, rig) = (&source.clip, &source.rig);
    // 30 Hz samples, and every 4th frame of 60: an update each second sample.
    let level = LodLevel { every: UpdateRate::Fourth, ..LodLevel::default() };
    let pose_of = |between, at_sample: f64| {
        let platform = Platform { between, ..Platform::default() };
        let play = Arc::new(LodPlay::new(&platform, &level, rig));
        let mut sampler = LodSampler::new(Box::new(ClipSampler::new(clip.clone())), play, clip.grid());
        let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
        // Played from the start, so that poses of earlier updates are there.
        (0..=(at_sample * 4.0) as usize).for_each(|step| sampler.sample(step as f64 / 4.0, &mut pose));
        pose
    };
    let raw = |at_sample: usize| {
        let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
        clip.sample(at_sample as f64, &mut pose);
        pose
    };
    assert!((clip.grid().rate_hz() - 30.0).abs() < 1e-4);
    let (a, b) = (raw(2), raw(4));
    assert_ne!(a, b);
    for between in [BetweenUpdates::Blend, BetweenUpdates::Hold] {
        assert_eq!(pose_of(between, 4.0), b, "an update");
    }
    assert_eq!(pose_of(BetweenUpdates::Hold, 3.75), a);
    let blended = pose_of(BetweenUpdates::Blend, 3.0);
    for (joint, ((blended, a), b)) in blended.joints.iter().zip(&a.joints).zip(&b.joints).enumerate() {
        assert_eq!(*blended, a.lerp(*b, 0.5), "{joint}");
    }
    let last = clip.samples() - 1;
    assert_eq!(pose_of(BetweenUpdates::Blend, last as f64), raw(last));
}

#[test]
fn joints_that_a_level_leaves_out_keep_their_bind_pose_and_the_others_their_motion() {
    let (source, outcome) = walk();
    let order = joints_by_reach(&source.rig);
    let kept = order.len() / 2;
    let platform = Platform { levels: vec![LodLevel { joints: kept, ..LodLevel::default() }], ..Platform::default() };
    let levels = measured(&source, &outcome, &platform, &TierSettings::default());
    let level = levels[0].as_ref().unwrap();
    assert_eq!(level.joints, kept);
    let mut poses = [&outcome, &level.outcome].map(|of| {
        let mut pose = Pose::with_size(source.clip.joints(), source.clip.float_tracks());
        of.sampler().sample(7.25, &mut pose);
        pose
    });
    for (place, joint) in order.into_iter().enumerate() {
        let expected = if place < kept { poses[0].joints[joint] } else { source.rig.skeleton.bind(joint) };
        assert_eq!(poses[1].joints[joint], expected, "{}", source.rig.skeleton.name(joint));
    }
    poses[1].joints.clear();
}

#[test]
fn the_whole_clip_is_level_0_and_less_detail_is_more_error_in_pixels_at_its_start() {
    let (source, outcome) = walk();
    let level = |from, joints, every| LodLevel { from, joints, every, ..LodLevel::default() };
    let all = source.rig.skeleton.len();
    let [whole, slower, fewer, both] = figures(
        &source,
        &outcome,
        vec![
            level(0.0, 0, UpdateRate::Each),
            level(10.0, 0, UpdateRate::Sixth),
            level(20.0, all / 2, UpdateRate::Each),
            level(20.0, all / 2, UpdateRate::Sixth),
        ],
    )
    .try_into()
    .unwrap();
    let (max_m, between_m) = (outcome.report.samples.stats.max_m, outcome.report.between.stats.max_m);
    let millimetres = |m: f32| f64::from(m) * 1000.0;
    assert!(
        (whole.max_mm - millimetres(max_m)).abs() < 1e-6 && (whole.between_mm - millimetres(between_m)).abs() < 1e-6
    );
    assert_eq!((whole.bytes, whole.joints), (outcome.bytes(), all));
    assert!(slower.max_mm > 10.0 * whole.max_mm, "a step takes a tenth of a second: {slower:?}");
    assert!(fewer.max_mm > 10.0 * whole.max_mm && both.max_mm >= fewer.max_mm * 0.99, "{fewer:?} {both:?}");
    for of in [&whole, &slower, &fewer, &both] {
        let error_mm = of.max_mm.max(of.between_mm).max(of.worst_slide_mm.unwrap_or(0.0));
        let there = Screen::default().at(of.passes_from_m as f32);
        assert!((there.pixels((error_mm / 1000.0) as f32) - 1.0).abs() < 1e-3, "{of:?}");
        assert_eq!(of.verdict == Verdict::Good, of.max_px <= 1.0);
    }
    let at_camera = figures(&source, &outcome, vec![level(0.0, 0, UpdateRate::Each), level(0.0, 0, UpdateRate::Each)]);
    assert!(at_camera[1].max_px.is_finite() && (at_camera[1].passes_from_m / whole.passes_from_m - 1.0).abs() < 1e-3);
    assert_eq!([whole.verdict, fewer.verdict], [Verdict::Good, Verdict::Fail]);
}

#[test]
fn tiers_that_a_level_leaves_out_make_it_smaller_and_clips_without_them_say_so() {
    let (source, outcome) = walk();
    let level = |left_out| LodLevel { left_out, ..LodLevel::default() };
    let levels = vec![level(TiersLeftOut::None), level(TiersLeftOut::Low), level(TiersLeftOut::Both)];
    let platform = Platform { levels, ..Platform::default() };
    let bytes = |tiers: TierSettings| -> Vec<Result<usize, String>> {
        let levels = measured(&source, &outcome, &platform, &tiers);
        levels.into_iter().map(|level| level.map(|of| of.outcome.bytes()).map_err(|fault| fault.to_string())).collect()
    };
    let sizes: Vec<usize> =
        bytes(TierSettings { on: true, ..TierSettings::default() }).into_iter().map(Result::unwrap).collect();
    assert!(sizes[0] == outcome.bytes() && sizes[1] < sizes[0] && sizes[2] < sizes[1], "{sizes:?}");
    let off = bytes(TierSettings::default());
    assert_eq!(off[0], Ok(outcome.bytes()));
    assert!(off[1..].iter().all(|level| level.as_ref().unwrap_err().contains("turn tiers on")), "{off:?}");
    let one = bytes(TierSettings { on: true, medium_m: 0.0, ..TierSettings::default() });
    assert!(one[1].is_ok() && one[2].is_err(), "{one:?}");
}

#[test]
fn levels_start_at_a_distance_or_where_the_character_is_small() {
    let (source, _) = walk();
    let (rig, screen) = (&source.rig, Screen::default());
    let platform = Platform::default();
    let starts_m = lod_starts_m(&platform, rig, &screen);
    assert_eq!(starts_m, [0.0, 10.0, 100.0]);
    assert_eq!([0.5, 9.9, 10.0, 25.0, 4000.0].map(|at_m| lod_at(&starts_m, at_m)), [0, 0, 1, 1, 2]);
    let small = |from| LodLevel { from, ..LodLevel::default() };
    let by_size =
        Platform { by: LodBy::Pixels, levels: vec![small(0.0), small(200.0), small(50.0)], ..Platform::default() };
    let starts_m = lod_starts_m(&by_size, rig, &screen);
    assert!((screen.at(starts_m[1]).pixels(rig.size_m()) - 200.0).abs() < 0.1, "{starts_m:?}");
    assert!((starts_m[2] / starts_m[1] - 4.0).abs() < 1e-3, "{starts_m:?}");
    let back = Platform { by: LodBy::Distance, ..by_size.clone() };
    let by_distance = lods_by(&by_size, back, rig, &screen);
    assert_eq!(lod_starts_m(&by_distance, rig, &screen), starts_m);
    assert!(by_distance.validated().is_ok());
    let finer = Screen { lines: 2160, ..screen };
    assert!((lod_starts_m(&by_size, rig, &finer)[1] / starts_m[1] - 2.0).abs() < 1e-3, "twice the lines, twice as far");
}

#[test]
fn a_project_keeps_its_platforms_and_refuses_what_is_none() {
    let mut document = Document::default();
    document.show_platform("Phone");
    assert_eq!(document.shown_platform(), Some(&Platform::default()));
    document.platforms.get_mut("Phone").unwrap().frame_rate_hz = 30.0;
    document.rename_platform("Phone", "Handheld");
    let text = document.to_toml();
    assert_eq!(Document::from_toml(&text).unwrap(), document);
    let error = |text: &str| Document::from_toml(text).unwrap_err().to_string();
    let wrong = text.replace("frame_rate_hz = 30.0", "frame_rate_hz = 0.0");
    assert!(
        error(&wrong).contains("platform 'Handheld'") && error(&wrong).contains("frame_rate_hz"),
        "{}",
        error(&wrong)
    );
    let wrong = text.replace("platform = \"Handheld\"", "platform = \"Phone\"");
    assert!(error(&wrong).contains("'Phone'"), "{}", error(&wrong));
    document.remove_platform("Handheld");
    assert_eq!((document.platforms.len(), &document.platform), (0, &None));
}
