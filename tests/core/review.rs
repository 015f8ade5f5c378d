//! Decisions about clips: by recipe and file, undo, saving, export.

use crate::session::{file, imported, settle, workspace};
use posepress_core::import::Fix;
use posepress_core::model::{ClipId, SourceDigest};
use posepress_core::pipeline::Archive;
use posepress_core::project::{DecisionKind, Document, Letter, ReviewFilter, ReviewState, Reviewer, Trial};
use posepress_core::recipe::{JointOverride, Recipe};
use posepress_core::workspace::{ClipSlot, ExportScope, Untestable, Workspace};
use std::time::{Duration, SystemTime};

fn reviewer(note: &str) -> Reviewer {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    Reviewer { author: "Ann".into(), note: note.into(), time }
}

fn reviewed() -> (Workspace, Vec<ClipId>) {
    let (mut workspace, clips) = workspace(6, 40, 4);
    settle(&mut workspace);
    (workspace, clips)
}

fn set_tolerance(workspace: &mut Workspace, slot: usize, tolerance_m: f32) {
    workspace.edit("Tolerance", |document| document.recipes[slot].tolerance_m = tolerance_m);
}

#[test]
fn a_decision_holds_while_a_slot_has_its_recipe_and_undo_takes_it_back() {
    let (mut workspace, clips) = reviewed();
    assert_eq!(workspace.review_count(ReviewFilter::ToDo), 4);
    assert_eq!(workspace.decide(&clips[..1], DecisionKind::Approved, &reviewer(" fine ")), 1);
    let approved = ReviewState::Decided(DecisionKind::Approved);
    assert_eq!(workspace.review_state(clips[0]), approved);
    let decision = workspace.decision(clips[0]).unwrap();
    assert_eq!((&*decision.author, &*decision.note, &*decision.clip), ("Ann", "fine", "clip0"));
    assert_eq!(decision.time, "2023-11-14T22:13:20Z");
    let bytes = workspace.answer(clips[0], 0).unwrap().report.as_ref().unwrap().bytes as u64;
    assert_eq!(decision.figures.unwrap().bytes, bytes);
    // Another slot has another recipe, but the approved recipe is still there.
    workspace.activate_slot(1);
    assert_eq!(workspace.review_state(clips[0]), approved);
    set_tolerance(&mut workspace, 0, 0.0042);
    assert_eq!(workspace.review_state(clips[0]), ReviewState::Changed(DecisionKind::Approved));
    assert_eq!((workspace.review_count(ReviewFilter::Changed), workspace.review_count(ReviewFilter::ToDo)), (1, 3));
    assert!(workspace.decision(clips[0]).is_some() && workspace.undo());
    assert_eq!(workspace.review_state(clips[0]), approved);
    assert_eq!(workspace.history().undo_label(), Some("Approve clip0"));
    assert!(workspace.undo());
    assert_eq!(workspace.review_state(clips[0]), ReviewState::ToDo);
    assert!(workspace.redo());
    workspace.undecide(&clips[..1]);
    assert_eq!((workspace.review_state(clips[0]), workspace.decision(clips[0])), (ReviewState::ToDo, None));
}

#[test]
fn a_decision_is_about_the_clip_with_its_fixes() {
    let (mut workspace, clips) = reviewed();
    workspace.fix(clips[0], Fix::UnevenScale, true);
    settle(&mut workspace);
    assert_eq!(workspace.decide(&clips[..2], DecisionKind::Approved, &reviewer("")), 2);
    let approved = ReviewState::Decided(DecisionKind::Approved);
    assert_eq!([0, 1].map(|at| workspace.review_state(clips[at])), [approved; 2]);
    let text = workspace.document().to_toml();
    assert_eq!(Document::from_toml(&text).unwrap(), *workspace.document());
    workspace.fix(clips[0], Fix::UnevenScale, false);
    workspace.fix(clips[1], Fix::Feet, true);
    let changed = ReviewState::Changed(DecisionKind::Approved);
    assert_eq!([0, 1].map(|at| workspace.review_state(clips[at])), [changed; 2]);
    assert!(workspace.undo() && workspace.undo());
    assert_eq!([0, 1].map(|at| workspace.review_state(clips[at])), [approved; 2]);
}

#[test]
fn what_is_not_measured_cannot_be_approved_but_ignored() {
    let (mut workspace, clips) = workspace(6, 40, 2);
    let by = reviewer("");
    assert_eq!(workspace.decide(&clips, DecisionKind::Approved, &by), 0);
    assert_eq!(workspace.history().undo_label(), None);
    assert_eq!(workspace.decide(&clips, DecisionKind::Ignored, &by), 2);
    set_tolerance(&mut workspace, 0, 0.0042);
    assert_eq!(workspace.review_count(ReviewFilter::Ignored), 2, "an ignored clip is ignored with any recipe");
}

#[test]
fn approving_what_passes_touches_nothing_that_was_decided() {
    let (mut workspace, clips) = reviewed();
    workspace.edit("Plain", |document| document.recipes[0] = Recipe::chosen("raw").unwrap());
    settle(&mut workspace);
    workspace.decide(&clips[..1], DecisionKind::Rejected, &reviewer("arms"));
    workspace.decide(&clips[1..2], DecisionKind::Ignored, &reviewer(""));
    assert_eq!(workspace.passing_to_do(), &clips[2..]);
    workspace.select(Some(clips[3]));
    assert_eq!(workspace.next_to_decide(&clips), Some(clips[2]), "it wraps around");
    assert_eq!(workspace.decide(&clips[2..], DecisionKind::Approved, &reviewer("")), 2);
    assert_eq!(workspace.history().undo_label(), Some("Approve 2 clips"));
    assert_eq!((workspace.next_to_decide(&clips), workspace.passing_to_do()), (None, vec![]));
    assert_eq!(workspace.decision(clips[0]).unwrap().note, "arms");
}

#[test]
fn the_approved_clips_are_written_each_with_its_recipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approved.posepress");
    let (mut workspace, clips) = reviewed();
    workspace.decide(&clips[..1], DecisionKind::Approved, &reviewer(""));
    workspace.activate_slot(1);
    workspace.decide(&clips[2..3], DecisionKind::Approved, &reviewer(""));
    workspace.decide(&clips[3..], DecisionKind::Rejected, &reviewer(""));
    assert_eq!(workspace.approved_count(), 2);
    workspace.export(clips[1], ExportScope::Approved, posepress_core::pipeline::CONTAINER, path.clone());
    settle(&mut workspace);
    let archive = Archive::open(&std::fs::read(&path).unwrap(), None).unwrap();
    let written: Vec<_> = archive.clips().iter().map(|clip| (clip.name.clone(), clip.recipe())).collect();
    let recipes = &workspace.document().recipes;
    assert_ne!(recipes[0], recipes[1]);
    assert_eq!(written, [("clip0".into(), recipes[0].clone()), ("clip2".into(), recipes[1].clone())]);
}

#[test]
fn decisions_are_kept_and_a_file_that_was_written_anew_asks_for_another_look() {
    let (mut before, clips) = reviewed();
    before.decide(&clips[..2], DecisionKind::Approved, &reviewer("good"));
    let text = before.document().to_toml();
    let document = Document::from_toml(&text).unwrap();
    assert_eq!(document, *before.document());
    let reopen = |name: &str| {
        let mut workspace = Workspace::new(document.clone(), || {});
        let mut source = file(imported(6, 40, 4));
        source.digest = if name == "same" { source.digest } else { SourceDigest::of(name.as_bytes()) };
        workspace.add_source(source);
        let clips: Vec<ClipId> = workspace.library().clip_ids().collect();
        (workspace, clips)
    };
    let (same, clips) = reopen("same");
    assert_eq!(same.review_count(ReviewFilter::Approved), 2);
    assert_eq!(same.decision(clips[1]).unwrap().note, "good");
    let (newer, clips) = reopen("newer");
    assert_eq!((newer.review_count(ReviewFilter::Approved), newer.review_count(ReviewFilter::Changed)), (0, 2));
    assert_eq!(newer.review_state(clips[0]), ReviewState::Changed(DecisionKind::Approved));
    assert_eq!(newer.decision(clips[0]).unwrap().note, "good");
    assert_eq!(newer.approved_count(), 0);
    let wrong = text.replace("kind = \"approved\"", "kind = \"loved\"");
    assert!(Document::from_toml(&wrong).unwrap_err().to_string().contains("loved"));
}

#[test]
fn what_is_said_of_one_clip_leaves_the_answers_and_decisions_of_others_alone() {
    let (mut workspace, clips) = reviewed();
    let clips = &clips[..2];
    assert_eq!(workspace.decide(clips, DecisionKind::Approved, &reviewer("")), 2);
    workspace.edit("Override", |document| {
        let one = JointOverride { clip: "clip1".into(), tolerance_m: Some(0.000_01), ..JointOverride::of("*") };
        document.recipes[0].overrides.push(one);
    });
    let states: Vec<_> = clips.iter().map(|clip| workspace.review_state(*clip)).collect();
    assert_eq!(states, [ReviewState::Decided(DecisionKind::Approved), ReviewState::Changed(DecisionKind::Approved)]);
    let fresh: Vec<bool> = clips.iter().map(|clip| workspace.is_fresh(*clip, 0)).collect();
    assert_eq!(fresh, [true, false]);
    settle(&mut workspace);
    assert!(clips.iter().all(|clip| workspace.is_fresh(*clip, 0)));
}

#[test]
fn blind_tests_are_of_the_recipe_and_the_file_that_were_compared() {
    let (mut workspace, clips) = reviewed();
    let of = ClipSlot { clip: clips[0], slot: 0 };
    let counts = |workspace: &Workspace, of| {
        let tests = workspace.blind_tests(of);
        (tests.current.len(), tests.older.len())
    };
    let trial = Trial { original: Letter::A, x: Letter::B, answer: Letter::B, secs: 1.5 };
    assert!(!workspace.add_blind_test(of, vec![], &reviewer("")), "no trials");
    for count in [8, 16] {
        assert!(workspace.add_blind_test(of, vec![trial; count], &reviewer("")));
    }
    assert_eq!((counts(&workspace, of), counts(&workspace, ClipSlot { clip: clips[1], slot: 0 })), ((2, 0), (0, 0)));
    assert_eq!(counts(&workspace, ClipSlot { slot: 1, ..of }), (0, 2), "another slot has another recipe");
    assert_eq!(workspace.history().undo_label(), Some("Blind test of clip0"));
    assert!(workspace.undo());
    assert_eq!(counts(&workspace, of), (1, 0));
    assert!(workspace.redo());
    set_tolerance(&mut workspace, 0, 0.0042);
    assert_eq!(counts(&workspace, of), (0, 2));
    assert!(workspace.undo());
    let document = Document::from_toml(&workspace.document().to_toml()).unwrap();
    assert_eq!(document, *workspace.document());
    for (bytes, expected) in [(None, (2, 0)), (Some("saved again"), (0, 2))] {
        let mut source = file(imported(6, 40, 4));
        source.digest = bytes.map_or(source.digest, |bytes| SourceDigest::of(bytes.as_bytes()));
        let mut reopened = Workspace::new(document.clone(), || {});
        reopened.add_source(source);
        let clip = reopened.library().clip_ids().next().unwrap();
        assert_eq!(counts(&reopened, ClipSlot { clip, slot: 0 }), expected);
    }
}

#[test]
fn only_a_finished_result_of_the_current_recipe_is_compared_blindly() {
    let (mut workspace, clips) = workspace(6, 40, 2);
    workspace.select(Some(clips[0]));
    assert_eq!(workspace.blind_sides().err(), Some(Untestable::NotMade));
    settle(&mut workspace);
    let made = workspace.blind_sides().unwrap().outcome.clone();
    assert_eq!(made.recipe, workspace.document().recipes[0]);
    set_tolerance(&mut workspace, 0, 0.0042);
    assert_eq!(workspace.blind_sides().err(), Some(Untestable::NotMade), "the old result is still shown");
    settle(&mut workspace);
    assert_ne!(workspace.blind_sides().unwrap().outcome.recipe, made.recipe);
}

#[test]
fn a_decision_keeps_those_before_it() {
    let (mut workspace, clips) = reviewed();
    workspace.decide(&clips[..1], DecisionKind::Rejected, &reviewer("too soft"));
    assert!(workspace.decision(clips[0]).unwrap().earlier.is_empty());
    set_tolerance(&mut workspace, 0, 0.0005);
    settle(&mut workspace);
    for time in 0..30 {
        workspace.decide(&clips[..1], DecisionKind::Approved, &reviewer(&time.to_string()));
    }
    let decision = workspace.decision(clips[0]).unwrap();
    assert_eq!(decision.earlier.len(), 20);
    workspace.undo();
    let kept = Document::from_toml(&workspace.document().to_toml()).unwrap();
    let earlier = &kept.decisions.values().next().unwrap().earlier;
    assert_eq!(earlier.len(), 20);
    assert!(earlier.iter().all(|one| one.kind == DecisionKind::Approved && one.author == "Ann"));
    (0..20).for_each(|_| assert!(workspace.undo()));
    let decision = workspace.decision(clips[0]).unwrap();
    assert_eq!((decision.earlier.len(), &*decision.note), (9, "8"));
    let first = &decision.earlier[0];
    assert_eq!((first.kind, &*first.note), (DecisionKind::Rejected, "too soft"));
    assert_ne!(first.recipe, decision.recipe.title(), "the recipe of its time");
}

#[test]
fn what_still_passes_is_approved_again_with_its_note() {
    let (mut workspace, clips) = reviewed();
    workspace.edit("Plain", |document| document.recipes[0] = Recipe::chosen("raw").unwrap());
    settle(&mut workspace);
    workspace.decide(&clips[..1], DecisionKind::Approved, &reviewer("from afar"));
    workspace.decide(&clips[1..3], DecisionKind::Approved, &reviewer(""));
    assert!(workspace.changed_approvals().is_empty() && workspace.approve_again(&reviewer("")) == 0);
    set_tolerance(&mut workspace, 0, 0.0042);
    assert_eq!((workspace.changed_approvals(), workspace.passing_again()), (clips[..3].to_vec(), vec![]));
    settle(&mut workspace);
    assert_eq!(workspace.approve_again(&reviewer("")), 3);
    assert_eq!(workspace.decision(clips[0]).unwrap().note, "from afar");
    assert_eq!(workspace.review_count(ReviewFilter::Approved), 3);
    assert!(workspace.undo() && workspace.changed_approvals() == clips[..3]);
}
