//! The aspects of a clip's verdict, its worst frame, and the suggestions against its errors.

use crate::project::corpus;
use crate::session::{file, imported, settle, with_sword};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::metrics::{
    Aspect, Blame, Complaint, ContactSlide, ErrorReport, LoopReport, PinDrift, PinReport, PinSpace, RootDrift,
    SlideLimit, SlideLimits, Verdict, Worst, WorstMean,
};
use posepress_core::model::SamplingError;
use posepress_core::pipeline::{MeasuredClip, Outcome, compress};
use posepress_core::project::Document;
use posepress_core::recipe::Recipe;
use posepress_core::report::{ClipReport, REPORT_COLUMNS, Reason, Remedy, Sides, slide_limit, worst_moment};
use posepress_core::workspace::Workspace;
use std::sync::Arc;

/// The recipe of the sample at a first start.
fn first_recipe() -> Recipe {
    Document::of_sample().recipes[0].clone()
}

fn sword(recipe: &Recipe) -> (MeasuredClip, Outcome) {
    let mut imported = with_sword(imported(6, 60, 1));
    let source = MeasuredClip::new(Arc::new(imported.rig), Arc::new(imported.clips.remove(0)), recipe);
    let outcome = compress(&source, recipe, &Default::default()).unwrap();
    (source, outcome)
}

fn verdict_of(report: &ErrorReport, aspect: Aspect) -> Verdict {
    report.judged().iter().find(|j| j.aspect == aspect).expect("it is judged").verdict
}

/// A report of errors in millimetres, for a recipe with that tolerance in millimetres.
fn errors(tolerance: f32, shell: f32, between: f32, skin: f32) -> ErrorReport {
    let tolerance_m = tolerance * 0.001;
    let limits = Recipe { tolerance_m, ..Recipe::default() }.limits();
    let mut report = ErrorReport { tolerance_m, limits, sub_frames: 4, ..ErrorReport::default() };
    report.samples.worst.error_m = shell * 0.001;
    report.samples.stats.max_m = shell * 0.001;
    report.between.worst.error_m = between * 0.001;
    report.vertex = Some(Default::default());
    report.vertex.as_mut().unwrap().worst.error_m = skin * 0.001;
    report
}

#[test]
fn each_error_is_held_against_its_own_limit() {
    use Verdict::{Fail, Good, Warn};
    for (tolerance, shell, between, skin, wanted) in [
        (0.1, 0.1, 0.9, 0.9, Good),
        (0.1, 0.11, 0.0, 0.0, Warn),
        (0.1, 1.01, 0.0, 0.0, Fail),
        (0.1, 0.1, 1.1, 0.0, Warn),
        (0.1, 0.1, 5.1, 0.0, Fail),
        (0.1, 0.1, 0.0, 1.1, Warn),
        (0.1, 0.1, 0.0, 5.1, Fail),
        // Errors below the tolerance of the samples do not warn in other aspects.
        (5.0, 5.0, 4.9, 14.9, Good),
        (5.0, 5.0, 5.1, 0.0, Warn),
        (5.0, 5.0, 25.1, 0.0, Fail),
        (5.0, 5.0, 0.0, 15.1, Warn),
        (5.0, 5.0, 0.0, 75.1, Fail),
    ] {
        assert_eq!(errors(tolerance, shell, between, skin).verdict(), wanted, "{tolerance} {shell} {between} {skin}");
    }
    let mut strict = errors(0.1, 0.1, 0.0, 0.6);
    strict.limits.warn_m = 0.0005;
    assert_eq!(strict.verdict(), Warn, "limits are set");
    strict.vertex = None;
    assert_eq!(strict.verdict(), Good, "what is not measured is not judged");
}

/// A recipe that bounds the mean of every joint.
fn of_the_mean() -> Recipe {
    let mut recipe = Recipe { tolerance_m: 0.0001, ..Recipe::chosen("press").unwrap() };
    recipe.values.set_text(recipe.codec.params(), "promise", "mean").unwrap();
    recipe
}

#[test]
fn a_promised_mean_is_judged_by_the_mean_and_by_ten_times_as_much() {
    use Verdict::{Fail, Good, Warn};
    let recipe = of_the_mean();
    for (mean, largest, wanted, said) in [
        (0.1, 0.9, Good, ""),
        (0.11, 0.9, Warn, "over tolerance: mean 0.11 mm, limit 0.10 mm"),
        (1.01, 2.0, Fail, "over tolerance: mean 1.0 mm, limit 0.10 mm"),
        (0.05, 1.1, Warn, "over tolerance: 1.1 mm, limit 1.0 mm"),
        (0.05, 10.1, Fail, "over tolerance: 10.1 mm, limit 1.0 mm"),
    ] {
        let mean = Some(WorstMean { joint: 0, mean_m: mean * 0.001 });
        let report = ErrorReport { mean, limits: recipe.limits(), ..errors(0.1, largest, 0.0, 0.0) };
        let judged = report.judged().into_iter().find(|judged| judged.aspect == Aspect::Shell).unwrap();
        assert_eq!((judged.verdict, report.within()), (wanted, wanted == Good), "{mean:?} {largest}");
        let reason = Reason::of(&judged, &recipe, 30.0);
        assert_eq!(reason.map(|reason| reason.words()).unwrap_or_default(), said);
    }
    for (skin, wanted) in [(0.9, Good), (1.1, Warn)] {
        let mean = Some(WorstMean { joint: 0, mean_m: 0.00005 });
        let report = ErrorReport { mean, limits: recipe.limits(), ..errors(0.1, 0.2, 0.2, skin) };
        assert_eq!(verdict_of(&report, Aspect::Skin), wanted, "the skin has its usual limit");
    }
}

#[test]
fn a_clip_with_a_promised_mean_passes_at_ten_times_the_usual_errors() {
    let recipe = of_the_mean();
    let (source, outcome) = sword(&recipe);
    let (report, usual) = (&outcome.report, sword(&Recipe { values: Default::default(), ..recipe.clone() }).1);
    let mean = report.mean.expect("the mean is judged");
    assert!(report.within() && mean.mean_m > 0.5 * recipe.tolerance_m, "{mean:?}");
    assert_eq!(verdict_of(report, Aspect::Shell), Verdict::Good);
    assert!(report.samples.stats.max_m > usual.report.samples.stats.max_m && usual.report.mean.is_none());
    assert!(outcome.bytes() <= usual.bytes(), "{} and {} bytes", outcome.bytes(), usual.bytes());
    let row = ClipReport::new("file", "clip", &source, &outcome).error;
    assert_eq!((row.promise, row.within), ("mean", true));
    assert!((row.joint_mean_mm - f64::from(mean.mean_m) * 1000.0).abs() < 1e-6, "{row:?}");
}

#[test]
fn a_tighter_recipe_is_never_judged_worse_for_the_same_errors() {
    for between in [0.05, 0.5, 2.0, 8.0] {
        for skin in [0.05, 0.29, 0.9] {
            let verdicts = [0.3, 0.1, 0.01, 0.001].map(|tolerance| errors(tolerance, 0.0, between, skin).verdict());
            assert_eq!(verdicts, [verdicts[0]; 4], "{between} {skin}");
        }
    }
}

#[test]
fn what_sampling_lost_is_the_sources_own_mark_whatever_the_tolerance_and_fails_beyond_its_limit() {
    use Verdict::{Fail, Good, Warn};
    for tolerance in [0.01, 0.1, 10.0] {
        for (lost, wanted) in [(0.9, Good), (1.1, Warn), (9.9, Warn), (10.1, Fail)] {
            let mut sampled = errors(tolerance, 0.0, 0.0, 0.0);
            sampled.sampling = Some(SamplingError { error_m: lost * 0.001, joint: 0, time_secs: 0.0 });
            assert_eq!((sampled.verdict(), sampled.source_verdict()), (Good, wanted), "{tolerance} {lost}");
            sampled.limits.fail_sampling_m = 1.0;
            assert_ne!(sampled.source_verdict(), Fail, "limits are set");
        }
    }
}

#[test]
fn whatever_is_not_good_has_its_reason_a_number_a_limit_and_what_to_do() {
    let (rate_hz, recipe) = (30.0, Recipe { shell_from_mesh: false, ..Recipe::default() });
    let mut report = errors(0.1, 0.2, 6.0, 2.0);
    report.sampling = Some(SamplingError { error_m: 0.004, joint: 0, time_secs: 0.0 });
    let contact = ContactSlide {
        foot: 0,
        joint: 0,
        start_secs: 0.0,
        end_secs: 1.0,
        slide_m: 0.001,
        source_m: 0.0,
        sampling_m: None,
        rate_m_s: 0.024,
        shimmer_m: 0.0,
        float_m: 0.0,
        sink_m: 0.0,
        worst_secs: 0.5,
        verdict: Verdict::Warn,
        over: Some(SlideLimit::WarnRate),
    };
    report.slide.contacts = vec![contact];
    report.slide.limits = SlideLimits { warn_slide_m: 0.002, warn_rate_m_s: 0.02, fail_slide_m: 0.005 };
    let pin = PinDrift {
        joint: 1,
        on: PinSpace::World,
        start_secs: 0.0,
        end_secs: 1.0,
        drift_m: 0.0021,
        source_m: 0.0,
        worst_secs: 0.5,
        marked: true,
        verdict: Verdict::Warn,
        over: Some(SlideLimit::WarnSlide),
    };
    report.pins = PinReport { pins: vec![pin], limits: report.slide.limits, ..PinReport::default() };
    report.jitter = Some(Worst { joint: 0, time_secs: 0.2, error_m: 0.0006 });
    let seam_worst = Worst { joint: 0, time_secs: 1.0, error_m: 0.0015 };
    report.motion = LoopReport { looping: true, seam_worst, ..LoopReport::default() };
    let (way_m, drift_m) = (100.0, 2.0);
    report.root = Some(RootDrift { joint: 0, way_m, drift_m, turn_rad: 0.0, speed_m_s: 0.0, end_secs: 1.0 });
    let mut judged = report.judged();
    report.farthest.distance_m = 1_730_000.0;
    let far = report.judged().into_iter().find(|judged| judged.aspect == Aspect::Precision);
    judged.insert(8, far.expect("float32 does not tell it there"));
    let aspects: Vec<Aspect> = judged.iter().map(|judged| judged.aspect).collect();
    assert_eq!(aspects, Aspect::ALL, "each is not good");
    let reasons: Vec<Reason> =
        judged.iter().map(|judged| Reason::of(judged, &recipe, rate_hz).expect("it is not good")).collect();
    let said: Vec<[&str; 3]> =
        reasons.iter().map(|r| [&*r.measured, &*r.limit, r.switch.get(..19).unwrap_or(&r.switch)]).collect();
    assert_eq!(
        said,
        [
            ["0.20 mm", "0.10 mm", "--tolerance-mm 0.2"],
            ["6.0 mm", "5.0 mm", "--tolerance-mm 0.01"],
            ["2.0 mm", "1.0 mm", "--shell-from-mesh"],
            ["2.4 cm/s", "2.0 cm/s", "--lock-contacts"],
            ["2.1 mm", "2.0 mm", "--lock-contacts"],
            ["0.60 mm", "0.50 mm", "--tolerance-mm 0.07"],
            ["1.5 mm", "1.0 mm", "--tolerance-mm 0.06"],
            ["2.00 m", "1.00 m", "--tolerance-mm 0.04"],
            ["12.5 cm", "0.01 mm", ""],
            ["4.0 mm", "1.0 mm", "--rate 60"],
        ]
    );
    assert!(reasons.iter().all(|reason| !reason.advice.is_empty() && reason.words().contains(&reason.limit)));
    assert_eq!(Reason::of(&errors(0.1, 0.0, 0.0, 0.0).judged()[0], &recipe, rate_hz), None, "what is good has none");
}

#[test]
fn a_swords_tip_that_is_far_off_is_not_green_and_the_worst_moment_is_its_own() {
    let plain = Recipe { tolerance_m: 0.002, shell_from_mesh: false, ..Recipe::chosen("linear-keys").unwrap() };
    let (source, outcome) = sword(&plain);
    let report = &outcome.report;
    assert!(report.within() && verdict_of(report, Aspect::Shell) == Verdict::Good);
    assert!(verdict_of(report, Aspect::Skin) > Verdict::Good, "{:?}", report.judged());
    let Some(Complaint::Skin { mesh: 0, vertex: 1, joint: 5, step }) = worst_moment(report) else {
        panic!("{:?}", worst_moment(report));
    };
    let worst = report.vertex.as_ref().unwrap().worst;
    assert_eq!(source.raw.time_secs(step), worst.time_secs);

    let complaint = worst_moment(report).unwrap();
    let plan = &report.slide.plan;
    let find = |complaint| {
        Blame::find(&source.rig, &source.clip, plan, &source.raw, &outcome.decoded, &outcome.shells_m, complaint)
    };
    let blame = find(complaint).unwrap();
    assert!((blame.error_m - worst.error_m).abs() < 1e-6, "{} {}", blame.error_m, worst.error_m);
    assert_eq!(blame.gains.len(), 6, "every joint from the root to the hand is tried");
    assert_eq!(find(Complaint::Skin { mesh: 0, vertex: 99, joint: 5, step }), None);

    let said = ClipReport::new("file", "clip", &source, &outcome);
    let at = said.worst_moment.as_ref().unwrap();
    assert_eq!((at.joint.as_str(), at.time_secs), ("joint5", worst.time_secs), "the report means the same moment");
    let column = REPORT_COLUMNS.iter().find(|c| c.label == Some("worst at")).unwrap();
    assert!((column.figure)(&said).shown().starts_with("joint5 "));
    assert!(said.verdict_words().contains("skin"), "{}", said.verdict_words());
}

#[test]
fn what_is_proposed_was_tried_and_is_what_the_recipe_then_gives() {
    let recipe = Recipe { tolerance_m: 0.002, shell_from_mesh: false, ..Recipe::chosen("linear-keys").unwrap() };
    let mut workspace = Workspace::new(Document { recipes: vec![recipe], ..Document::default() }, || {});
    workspace.add_source(file(with_sword(imported(6, 60, 1))));
    settle(&mut workspace);
    let trials: Vec<_> = workspace.proposals().into_iter().cloned().collect();
    let shell = Remedy::JointShell { joint: "joint5".into(), shell_m: 0.9 };
    for remedy in [Remedy::ShellFromMesh, shell] {
        let trial = trials.iter().find(|t| t.remedy == remedy).unwrap_or_else(|| panic!("{remedy:?} in {trials:?}"));
        assert!(trial.aspect == Aspect::Skin && trial.after_m < trial.before_m / 2.0, "{trial:?}");
        let bytes = workspace.shown().unwrap().outcome.bytes() as i64;
        workspace.accept(&trial.remedy);
        settle(&mut workspace);
        let shown = workspace.shown().unwrap();
        assert_eq!(shown.outcome.bytes() as i64 - bytes, trial.extra_bytes);
        assert_eq!(shown.outcome.report.vertex.as_ref().unwrap().worst.error_m, trial.after_m);
        assert_eq!(shown.outcome.report.verdict(), trial.verdict);
        assert!(workspace.undo());
        settle(&mut workspace);
        assert_eq!(workspace.proposals().len(), trials.len(), "it is one step, and taken back");
    }
}

#[test]
fn jitter_alone_has_a_tolerance_that_makes_it_good() {
    let coarse = Recipe { tolerance_m: 0.0018, ..Recipe::default() };
    let mut workspace = Workspace::new(Document { recipes: vec![coarse], ..Document::default() }, || {});
    workspace.add_source(file(imported(6, 60, 1)));
    settle(&mut workspace);
    let report = &workspace.shown().unwrap().outcome.report;
    assert_eq!((verdict_of(report, Aspect::Jitter), report.verdict()), (Verdict::Warn, Verdict::Warn));
    let [trial] = workspace.proposals()[..] else { panic!("{:?}", workspace.proposals()) };
    assert!(trial.aspect == Aspect::Jitter && matches!(trial.remedy, Remedy::Tolerance { .. }), "{trial:?}");
    let remedy = trial.remedy.clone();
    workspace.accept(&remedy);
    settle(&mut workspace);
    assert_eq!(workspace.shown().unwrap().outcome.report.verdict(), Verdict::Good);
}

#[test]
fn codecs_that_search_under_no_tolerance_get_no_proposals() {
    let plain = Recipe { tolerance_m: 1e-5, ..Recipe::chosen("quantize").unwrap() };
    let mut workspace = Workspace::new(Document { recipes: vec![plain], ..Document::default() }, || {});
    workspace.add_source(file(with_sword(imported(6, 60, 1))));
    settle(&mut workspace);
    assert!(workspace.shown().unwrap().outcome.report.verdict() > Verdict::Good);
    assert!(workspace.proposals().is_empty() && !workspace.is_trying());
}

#[test]
fn the_knights_sword_fails_with_the_shell_alone_and_passes_with_the_default() {
    let Some(path) = corpus("kaykit/Knight.glb") else { return };
    let imported = import_file(&path, &ImportOptions::default()).unwrap();
    let clip = imported.clips.into_iter().find(|c| c.name() == "1H_Melee_Attack_Chop").unwrap();
    let plain = Recipe { shell_from_mesh: false, ..first_recipe() };
    let source = MeasuredClip::new(Arc::new(imported.rig), Arc::new(clip), &plain);
    let outcome = compress(&source, &plain, &Default::default()).unwrap();
    let skin = outcome.report.judged().into_iter().find(|j| j.aspect == Aspect::Skin).unwrap();
    assert!(outcome.report.within() && skin.error_m > 0.15, "{skin:?}");
    assert_eq!((skin.verdict, source.rig.skeleton.name(skin.joint)), (Verdict::Fail, "handslot.r"));
    let outcome = compress(&source, &Recipe::default(), &Default::default()).unwrap();
    assert_eq!(outcome.report.verdict(), Verdict::Good, "{:?}", outcome.report.judged());
}

/// A default that holds its tolerance passes its verdict, also with distant vertices that a joint moves only a little.
#[test]
fn every_codec_that_keeps_its_tolerance_passes_its_verdict_on_a_far_mesh() {
    for codec in ["press", "linear-keys", "variable-rate", "catmull-rom", "wavelet"] {
        for tolerance_m in [1e-5, 1e-4, 5e-4, 0.005] {
            let (_, outcome) = sword(&Recipe { tolerance_m, ..Recipe::chosen(codec).unwrap() });
            let skin = verdict_of(&outcome.report, Aspect::Skin);
            assert!(outcome.report.within() && skin == Verdict::Good, "{codec}: {:?}", outcome.report.judged());
        }
    }
}

#[test]
fn a_seam_warns_by_its_jump_or_by_its_change_of_speed_and_has_a_remedy() {
    let limits = Recipe::default().limits();
    for (jump_m, verdict) in [(0.0009, Verdict::Good), (0.0011, Verdict::Warn), (0.006, Verdict::Fail)] {
        assert_eq!(limits.seam_verdict(jump_m), verdict);
    }
    let recipe = Recipe { tolerance_m: 0.0005, ..Recipe::default() };
    let (source, mut outcome) = sword(&recipe);
    let seam_worst = Worst { joint: 2, time_secs: 2.0, error_m: 0.004 };
    outcome.report.motion = LoopReport { looping: true, seam_worst, ..LoopReport::default() };
    let sides = Sides::new("sword.glb", source, outcome);
    assert_eq!(sides.report.verdict, Verdict::Warn);
    let remedies = Remedy::of(&sides);
    let [(Aspect::Seam, Remedy::Tolerance { tolerance_m })] = remedies[..] else { panic!("{remedies:?}") };
    assert!(
        (0.0001..0.000_112_5).contains(&tolerance_m),
        "a quarter of the tolerance, and a little less: {tolerance_m}"
    );
}

#[test]
fn a_contact_says_which_limit_it_is_over() {
    let limits = SlideLimits { warn_slide_m: 0.002, warn_rate_m_s: 0.02, fail_slide_m: 0.005 };
    for (slide_m, rate_m_s, over, text) in [
        (0.006, 0.5, Some(SlideLimit::FailSlide), "5.0 mm"),
        (0.003, 0.5, Some(SlideLimit::WarnSlide), "2.0 mm"),
        (0.001, 0.5, Some(SlideLimit::WarnRate), "2.0 cm/s"),
        (0.0009, 0.5, None, ""),
        (0.001, 0.01, None, ""),
    ] {
        assert_eq!(limits.over(slide_m, rate_m_s), over);
        assert_eq!(over.map_or(String::new(), |over| slide_limit(&limits, over)), text);
    }
}
