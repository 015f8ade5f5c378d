//! What a clip is judged by, which moment is the worst, and what is proposed against it.

use crate::project::corpus;
use crate::session::{file, imported, settle, with_sword};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::metrics::{Aspect, Blame, Complaint, ErrorReport, LoopReport, SlideLimit, SlideLimits, Verdict};
use posepress_core::model::SamplingError;
use posepress_core::session::{
    ClipReport, Document, MeasuredClip, Outcome, REPORT_COLUMNS, Recipe, Remedy, Workspace, compress, slide_limit,
    worst_moment,
};
use std::sync::Arc;

/// What the sample starts with.
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

/// A report of errors that are this many tolerances.
fn errors(shell: f32, between: f32, skin: f32) -> ErrorReport {
    let mut report = ErrorReport { tolerance_m: 0.001, sub_frames: 4, ..ErrorReport::default() };
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
    for (shell, between, skin, wanted) in [
        (1.0, 2.9, 2.9, Good),
        (1.1, 0.0, 0.0, Warn),
        (10.1, 0.0, 0.0, Fail),
        (1.0, 3.1, 0.0, Warn),
        (1.0, 10.1, 0.0, Fail),
        (1.0, 0.0, 3.1, Warn),
        (1.0, 0.0, 10.1, Fail),
    ] {
        assert_eq!(errors(shell, between, skin).verdict(), wanted, "{shell} {between} {skin}");
    }
    let mut strict = errors(1.0, 0.0, 2.0);
    strict.limits.warn_times = 1.5;
    assert_eq!(strict.verdict(), Warn, "limits are set");
    strict.vertex = None;
    assert_eq!(strict.verdict(), Good, "what is not measured is not judged");
    for (tolerances, wanted) in [(9.0, Good), (11.0, Warn), (1000.0, Warn)] {
        let mut sampled = errors(1.0, 0.0, 0.0);
        sampled.sampling = Some(SamplingError { error_m: tolerances * 0.001, joint: 0, time_secs: 0.0 });
        assert_eq!(sampled.verdict(), wanted, "no recipe mends what sampling lost");
    }
}

#[test]
fn a_swords_tip_that_is_far_off_is_not_green_and_the_worst_moment_is_its_own() {
    let (source, outcome) = sword(&Recipe { tolerance_m: 0.002, ..Recipe::chosen("linear-keys").unwrap() });
    let report = &outcome.report;
    assert!(report.within() && verdict_of(report, Aspect::Shell) == Verdict::Good);
    assert!(verdict_of(report, Aspect::Skin) > Verdict::Good, "{:?}", report.judged());
    let Some(Complaint::Skin { mesh: 0, vertex: 1, joint: 5, step }) = worst_moment(report) else {
        panic!("{:?}", worst_moment(report));
    };
    let worst = report.vertex.as_ref().unwrap().worst;
    assert_eq!(source.raw.time_secs(step), worst.time_secs);

    let complaint = worst_moment(report).unwrap();
    let plan = &report.contacts.plan;
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
    let recipe = Recipe { tolerance_m: 0.002, ..Recipe::chosen("linear-keys").unwrap() };
    let mut workspace = Workspace::new(Document { recipes: vec![recipe], ..Document::default() }, || {});
    workspace.add_source(file(with_sword(imported(6, 60, 1))));
    settle(&mut workspace);
    let trials: Vec<_> = workspace.proposals().into_iter().cloned().collect();
    let shell = Remedy::JointShell { joint: "joint5".into(), shell_m: 0.9 };
    for remedy in [Remedy::ShellFromMesh, shell] {
        let trial = trials.iter().find(|t| t.remedy == remedy).unwrap_or_else(|| panic!("{remedy:?} in {trials:?}"));
        assert!(trial.aspect == Aspect::Skin && trial.after_m < trial.before_m / 2.0, "{trial:?}");
        let bytes = workspace.shown().unwrap().outcome.bytes() as i64;
        workspace.accept(trial);
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
fn codecs_that_search_under_no_tolerance_get_no_proposals() {
    let plain = Recipe { tolerance_m: 1e-5, ..Recipe::chosen("quantize").unwrap() };
    let mut workspace = Workspace::new(Document { recipes: vec![plain], ..Document::default() }, || {});
    workspace.add_source(file(with_sword(imported(6, 60, 1))));
    settle(&mut workspace);
    assert!(workspace.shown().unwrap().outcome.report.verdict() > Verdict::Good);
    assert!(workspace.proposals().is_empty() && !workspace.is_trying());
}

#[test]
fn the_knights_sword_fails_with_the_recipe_that_the_sample_starts_with() {
    let Some(path) = corpus("kaykit/Knight.glb") else { return };
    let imported = import_file(&path, &ImportOptions::default()).unwrap();
    let clip = imported.clips.into_iter().find(|c| c.name() == "1H_Melee_Attack_Chop").unwrap();
    let recipe = first_recipe();
    let source = MeasuredClip::new(Arc::new(imported.rig), Arc::new(clip), &recipe);
    let outcome = compress(&source, &recipe, &Default::default()).unwrap();
    let skin = outcome.report.judged().into_iter().find(|j| j.aspect == Aspect::Skin).unwrap();
    assert!(outcome.report.within() && skin.error_m > 0.15, "{skin:?}");
    assert_eq!((skin.verdict, source.rig.skeleton.name(skin.joint)), (Verdict::Fail, "handslot.r"));
}

#[test]
fn a_seam_warns_by_its_jump_and_by_its_change_of_speed() {
    let seam = |pop_m, velocity_m_s| {
        let motion = LoopReport { seam_pop_m: pop_m, seam_velocity_m_s: velocity_m_s, ..LoopReport::default() };
        (motion.pop_verdict(0.001), motion.speed_verdict(0.001, 1.0 / 30.0))
    };
    assert_eq!(seam(0.0009, 0.02), (Verdict::Good, Verdict::Good));
    assert_eq!(seam(0.0011, 0.0), (Verdict::Warn, Verdict::Good));
    assert_eq!(seam(0.0, 0.031), (Verdict::Good, Verdict::Warn));
}

#[test]
fn a_plant_says_which_limit_it_is_over() {
    let limits = SlideLimits { warn_slide_m: 0.002, warn_rate_m_s: 0.02, fail_slide_m: 0.005 };
    for (slide_m, rate_m_s, over, text) in [
        (0.006, 0.5, Some(SlideLimit::FailSlide), "5.0 mm"),
        (0.003, 0.5, Some(SlideLimit::WarnSlide), "2.0 mm"),
        (0.001, 0.5, Some(SlideLimit::WarnRate), "2.0 cm/s"),
        (0.001, 0.01, None, ""),
    ] {
        assert_eq!(limits.over(slide_m, rate_m_s), over);
        assert_eq!(over.map_or(String::new(), |over| slide_limit(&limits, over)), text);
    }
}
