//! Any two sides compared: the original, a recipe, an external file, the approved result; also swapped.

use crate::session::{imported, settle, workspace};
use crate::written;
use posepress_core::export::ExportTarget;
use posepress_core::import::ImportOptions;
use posepress_core::metrics::shell_errors;
use posepress_core::model::{ClipId, ModelPose, Pose, Rig};
use posepress_core::pipeline::TierSettings;
use posepress_core::project::{DecisionKind, Reviewer};
use posepress_core::recipe::Recipe;
use posepress_core::report::Sides;
use posepress_core::workspace::{Reference, Workspace, WorkspaceEvent};
use std::sync::Arc;
use std::time::SystemTime;

/// The largest shell error at a sample, computed from the two samplers alone.
fn apart_m(sides: &Sides) -> f32 {
    let (rig, clip) = (&sides.source.rig, &sides.source.clip);
    let (mut left, mut right) = (sides.source_sampler(), sides.outcome.sampler());
    let mut pose = Pose::with_size(clip.joints(), 0);
    let mut largest = 0.0_f32;
    for sample in 0..clip.samples() {
        let [left, right] = [&mut left, &mut right].map(|side| {
            side.sample(sample as f64, &mut pose);
            ModelPose::new(&rig.skeleton, &pose.joints).joints
        });
        largest = shell_errors(&left, &right, &sides.outcome.shells_m).into_iter().fold(largest, f32::max);
    }
    largest
}

fn shown(workspace: &Workspace) -> &Sides {
    workspace.shown().expect("it is measured")
}

fn is_near(a: f32, b: f32) -> bool {
    (a - b).abs() <= 1e-6 + b.abs() * 1e-3
}

fn looked_at(clips: usize) -> (Workspace, Vec<ClipId>) {
    let (mut workspace, ids) = workspace(6, 40, clips);
    workspace.select(Some(ids[0]));
    settle(&mut workspace);
    (workspace, ids)
}

#[test]
fn what_is_left_without_tiers_stands_beside_the_original() {
    let (mut workspace, _) = looked_at(1);
    workspace.preview("press", |document| {
        let slot = document.recipes.len() - 1;
        document.recipes[slot] = Recipe::chosen("press").unwrap();
    });
    workspace.commit();
    workspace.activate_slot(workspace.document().recipes.len() - 1);
    settle(&mut workspace);
    assert!(workspace.tiers().is_none() && !workspace.has_reference(Reference::Level(1)));
    let settings = TierSettings { on: true, low_m: 0.001, medium_m: 0.01 };
    workspace.ask_tiers(Some(settings));
    settle(&mut workspace);
    let levels = workspace.tiers().expect("an answer").as_ref().expect("press has tiers");
    assert_eq!(levels.len(), 3);
    assert_eq!(levels[0].outcome.bytes(), workspace.compressed().unwrap().outcome.bytes());
    let left = levels[2].outcome.decoded.clone();
    workspace.compare_to(Reference::Level(2));
    settle(&mut workspace);
    let pair = workspace.pair().expect("the original beside what is left of the clip");
    assert!(Arc::ptr_eq(&pair.source.raw, &workspace.compressed().unwrap().source.raw) && pair.reference.is_none());
    assert!(Arc::ptr_eq(&pair.outcome.decoded, &left));
    assert!(is_near(pair.outcome.report.samples.stats.max_m, apart_m(pair)));

    // Other codecs report why they have no tiers.
    workspace.activate_slot(0);
    settle(&mut workspace);
    workspace.ask_tiers(Some(settings));
    settle(&mut workspace);
    let error = workspace.tiers().expect("an answer").as_ref().expect_err("no tiers");
    assert!(error.to_string().contains("use --codec press"), "{error}");
    workspace.ask_tiers(None);
    assert!(workspace.tiers().is_none() && workspace.is_plainly_paired());
}

#[test]
fn recipes_change_their_order_with_their_results() {
    let (mut workspace, ids) = looked_at(2);
    workspace.compare_to(Reference::Slot(1));
    settle(&mut workspace);
    let bytes = |workspace: &Workspace| -> Vec<usize> {
        let of = |slot| workspace.answer(ids[0], slot).unwrap().report.as_ref().unwrap().bytes;
        (0..workspace.document().recipes.len()).map(of).collect()
    };
    let before = bytes(&workspace);
    let [a, b, c] = before[..] else { panic!("three slots") };
    assert!(a != b && b != c && c != a, "{before:?}");
    workspace.move_recipe(0, 2);
    assert!(ids.iter().all(|id| (0..3).all(|slot| workspace.is_fresh(*id, slot))), "nothing is compressed again");
    assert_eq!(bytes(&workspace), [b, c, a]);
    assert_eq!((workspace.active_slot(), workspace.reference()), (2, Reference::Slot(0)));
    assert!(workspace.pair().is_some());
    workspace.undo();
    settle(&mut workspace);
    assert_eq!(bytes(&workspace), before);
    workspace.move_recipe(0, 3);
    assert_eq!(bytes(&workspace), before, "there is no such slot");
}

#[test]
fn another_clip_stands_where_the_original_stands() {
    let (mut workspace, ids) = looked_at(2);
    let plain = shown(&workspace).outcome.report.samples.stats.max_m;
    let other = Reference::Clip(ids[1]);
    assert!(workspace.has_reference(other) && !workspace.has_reference(Reference::Clip(ids[0])), "not with itself");
    workspace.compare_to(other);
    settle(&mut workspace);
    let pair = workspace.pair().expect("the clip beside another one");
    let apart = pair.outcome.report.samples.stats.max_m;
    assert!(is_near(apart, apart_m(pair)) && apart > 10.0 * plain, "{apart} {plain}");
    let (mut theirs, mut seen) = (Pose::default(), Pose::with_size(6, 0));
    let (_, clip) = workspace.library().clip(ids[1]).unwrap();
    theirs.clone_from(&seen);
    for sample in [0.0, 7.25, 39.0] {
        clip.sample(sample, &mut theirs);
        pair.source_sampler().sample(sample, &mut seen);
        let is_same = theirs.joints.iter().zip(&seen.joints).all(|(a, b)| a.rotation.abs_diff_eq(b.rotation, 1e-6));
        assert!(is_same, "at {sample}: {theirs:?} {seen:?}");
    }
    // Lists and verdicts still compare with the original.
    assert_eq!(workspace.compressed().unwrap().outcome.report.samples.stats.max_m, plain);
    workspace.select(Some(ids[1]));
    settle(&mut workspace);
    assert!(workspace.is_plainly_paired(), "the clip itself");
    workspace.select(Some(ids[0]));
    settle(&mut workspace);
    assert_eq!(workspace.reference(), other, "it stays the reference");
    assert!(workspace.pair().is_some());
}

#[test]
fn a_recipe_stands_where_the_original_stands_and_the_sides_change_places() {
    let (mut workspace, _) = looked_at(2);
    let plain = shown(&workspace).outcome.report.samples.stats.max_m;
    assert!(plain > 0.0 && workspace.is_plainly_paired() && workspace.pair().is_none());
    workspace.compare_to(Reference::Slot(1));
    settle(&mut workspace);
    let of_b = workspace.answer(workspace.selected().unwrap(), 1).unwrap().full.as_ref().unwrap().clone();
    let pair = workspace.pair().expect("A beside B");
    assert!(Arc::ptr_eq(&pair.source.raw, &of_b.outcome.decoded));
    assert!(pair.outcome.report.vertex.is_none(), "this rig has no mesh");
    let apart = pair.outcome.report.samples.stats.max_m;
    assert!(apart > 0.0 && is_near(apart, apart_m(pair)) && !is_near(apart, plain), "{apart} {plain}");
    assert_eq!(pair.outcome.bytes(), workspace.compressed().unwrap().outcome.bytes());
    // Lists and verdicts still compare with the original.
    assert_eq!(workspace.compressed().unwrap().outcome.report.samples.stats.max_m, plain);

    workspace.swap_sides(true);
    settle(&mut workspace);
    let pair = workspace.pair().expect("A beside B, on either side");
    assert_eq!(pair.outcome.bytes(), workspace.compressed().unwrap().outcome.bytes());
    assert_eq!(pair.outcome.report.samples.stats.max_m, apart);

    // The recipe on the other side becomes the active one: a recipe cannot be compared with itself.
    workspace.activate_slot(1);
    settle(&mut workspace);
    assert_eq!(workspace.reference(), Reference::Original);
    assert!(workspace.is_plainly_paired() && workspace.pair().is_none() && workspace.is_swapped());
    workspace.activate_slot(0);
    assert_eq!(workspace.reference(), Reference::Slot(1), "what is wanted comes back with the other recipe");
}

#[test]
fn a_pair_follows_both_of_its_recipes_and_the_clip() {
    let (mut workspace, ids) = looked_at(2);
    workspace.compare_to(Reference::Slot(1));
    settle(&mut workspace);
    let before = shown(&workspace).outcome.report.samples.stats.max_m;
    workspace.edit("Tolerance", |document| document.recipes[1].tolerance_m = 0.02);
    settle(&mut workspace);
    let after = shown(&workspace).outcome.report.samples.stats.max_m;
    assert!(after > before, "{after} {before}");
    // Steps between samples are those of the active recipe, for any setting of the other recipe.
    workspace.edit("Steps", |document| document.recipes[0].sub_frames = 2);
    settle(&mut workspace);
    let pair = workspace.pair().unwrap();
    assert_eq!((pair.source.raw.sub_frames(), pair.outcome.decoded.sub_frames()), (2, 2));
    assert!(is_near(pair.outcome.report.samples.stats.max_m, apart_m(pair)));
    workspace.select(Some(ids[1]));
    assert!(workspace.pair().is_none(), "the other clip is not shown under this one's name");
    settle(&mut workspace);
    assert_eq!(workspace.pair().unwrap().source.clip.name(), "clip1");
    workspace.close(ids[1].source);
    settle(&mut workspace);
    assert!(workspace.shown().is_none());
}

#[test]
fn what_was_approved_stands_beside_what_is_tuned_now() {
    let (mut workspace, ids) = looked_at(1);
    assert!(!workspace.has_reference(Reference::Decided));
    let by = Reviewer { author: "Ann".into(), note: String::new(), time: SystemTime::UNIX_EPOCH };
    assert_eq!(workspace.decide(&ids, DecisionKind::Approved, &by), 1);
    let approved = shown(&workspace).outcome.bytes();
    workspace.edit("Tolerance", |document| document.recipes[0].tolerance_m = 0.02);
    workspace.compare_to(Reference::Decided);
    let events = settle(&mut workspace);
    assert!(events.is_empty(), "{events:?}");
    let pair = workspace.pair().expect("what is new beside what was approved");
    let reference = pair.reference.as_ref().unwrap();
    assert_eq!((reference.bytes(), reference.recipe.tolerance_m), (approved, 0.004));
    assert!(pair.outcome.bytes() < approved && pair.outcome.report.samples.stats.max_m > 0.0);
    workspace.undecide(&ids);
    settle(&mut workspace);
    assert!(workspace.is_plainly_paired(), "there is nothing that was decided");
}

#[test]
fn another_tools_file_stands_where_the_original_stands() {
    let folder = tempfile::tempdir().unwrap();
    let (mut workspace, _) = looked_at(1);
    let made = imported(6, 40, 1);
    let rig: Arc<Rig> = Arc::new(made.rig.clone());
    let clips: Vec<_> = made.clips.into_iter().map(Arc::new).collect();
    let recipe = workspace.recipe(1).as_ref().clone();
    let bytes = written::export(&rig, &clips, &recipe, "glb", &ExportTarget::default()).unwrap();
    let path = folder.path().join("other.glb");
    std::fs::write(&path, bytes).unwrap();
    workspace.compare_with(path, [ImportOptions::default(); 2]);
    workspace.compare_to(Reference::External);
    settle(&mut workspace);
    assert!(!workspace.has_reference(Reference::External) && workspace.is_plainly_paired(), "it is what is looked at");
    workspace.activate_slot(0);
    let events: Vec<WorkspaceEvent> = settle(&mut workspace);
    assert!(events.is_empty(), "{events:?}");
    let pair = workspace.pair().expect("A beside the other file");
    assert!(pair.reference.as_ref().unwrap().encoding().is_none());
    assert!(is_near(pair.outcome.report.samples.stats.max_m, apart_m(pair)));
    workspace.stop_comparing();
    settle(&mut workspace);
    assert!(workspace.is_plainly_paired());
}
