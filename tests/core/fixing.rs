//! Choices for open files: fixes of their clips, their rig, and their import options.

use crate::session::{document, imported, settle};
use glam::Quat;
use posepress_core::import::{Fix, ImportOptions, Imported, LengthUnit};
use posepress_core::model::{Clip, ClipId, SourceDigest};
use posepress_core::pipeline::CONTAINER;
use posepress_core::project::{DecisionKind, Document, Reviewer, RigChoice};
use posepress_core::tasks::{ImportedSource, LoadedSource, SourceFile, TaskFault};
use posepress_core::workspace::{ExportScope, Workspace, WorkspaceEvent};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

fn file(name: &str, imported: Imported) -> ImportedSource {
    let (path, digest) = (Some(PathBuf::from(name)), SourceDigest::of(name.as_bytes()));
    ImportedSource { path, options: ImportOptions::default(), digest, imported }
}

fn open(files: Vec<ImportedSource>) -> Workspace {
    let mut workspace = Workspace::new(document(), || {});
    files.into_iter().for_each(|file| _ = workspace.add_source(file));
    workspace
}

fn source<'a>(workspace: &'a Workspace, name: &str) -> &'a LoadedSource {
    workspace.library().sources().iter().find(|source| source.name() == name).unwrap()
}

fn clips(workspace: &Workspace, name: &str) -> Vec<Arc<Clip>> {
    source(workspace, name).clips.clone()
}

/// Joint 2 of the first clip turns away and back.
fn with_flip() -> Imported {
    let mut imported = imported(4, 30, 2);
    let spoilt = imported.clips[0].edited(|data| data.transforms[10 * 4 + 2].rotation *= Quat::from_rotation_x(1.5));
    imported.clips[0] = spoilt.unwrap();
    imported
}

#[test]
fn what_is_fixed_is_measured_anew_and_undo_brings_back_the_files_own_samples() {
    let mut workspace = open(vec![file("walk.bvh", with_flip())]);
    settle(&mut workspace);
    let before = clips(&workspace, "walk.bvh");
    let clip = ClipId { source: 0, clip: 0 };
    workspace.fix(clip, Fix::Flips, true);
    assert!(Arc::ptr_eq(&before[0], &clips(&workspace, "walk.bvh")[0]) && workspace.library().is_unfixed(clip));
    assert!(!workspace.is_fresh(clip, 0), "its numbers are those of the old samples");
    let by = Reviewer { author: String::new(), note: String::new(), time: SystemTime::now() };
    assert_eq!(workspace.decide(&[clip], DecisionKind::Approved, &by), 0);
    settle(&mut workspace);
    let after = clips(&workspace, "walk.bvh");
    assert!(Arc::ptr_eq(&before[1], &after[1]), "the other clip is the very same");
    assert!(before[0].at(10, 2).rotation.angle_between(after[0].at(10, 2).rotation) > 1.4);
    assert!(workspace.is_fresh(clip, 0));
    let text = workspace.document().to_toml();
    assert_eq!(Document::from_toml(&text).unwrap(), *workspace.document());
    assert!(text.contains("flips"), "{text}");

    workspace.undo();
    assert_eq!(clips(&workspace, "walk.bvh"), before);
    workspace.redo();
    assert_eq!(clips(&workspace, "walk.bvh"), after);
    workspace.fix(clip, Fix::Flips, false);
    assert_eq!(clips(&workspace, "walk.bvh"), before);
    assert!(workspace.document().fixes.is_empty());
}

#[test]
fn fixes_are_of_clips_and_marks_of_loops_stay_beside_them() {
    let mut workspace = open(vec![file("walk.bvh", with_flip())]);
    let clip = ClipId { source: 0, clip: 0 };
    workspace.mark_loop(clip, "loops", Some(true));
    workspace.fix(clip, Fix::Flips, true);
    settle(&mut workspace);
    assert!(clips(&workspace, "walk.bvh")[0].is_looping());
    workspace.mark_loop(clip, "as found", None);
    let fixed = clips(&workspace, "walk.bvh");
    assert!(!fixed[0].is_looping() && fixed[0].at(10, 2) != with_flip().clips[0].at(10, 2));
}

#[test]
fn a_clip_is_not_exported_before_its_fixes_are_applied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.posepress");
    let mut workspace = open(vec![file("walk.bvh", with_flip())]);
    settle(&mut workspace);
    let clip = ClipId { source: 0, clip: 0 };
    workspace.fix(clip, Fix::Flips, true);
    workspace.export(clip, ExportScope::All, CONTAINER, path.clone());
    let events = settle(&mut workspace);
    let [WorkspaceEvent::Failed(error)] = &events[..] else { panic!("{events:?}") };
    assert!(matches!(*error.fault, TaskFault::Unfixed) && error.place.clip.is_some() && !path.exists(), "{error}");
    workspace.export(clip, ExportScope::All, CONTAINER, path.clone());
    let events = settle(&mut workspace);
    assert!(matches!(&events[..], [WorkspaceEvent::Written { .. }]) && path.exists(), "{events:?}");
}

#[test]
fn the_rig_that_clips_move_can_be_chosen_and_the_choice_taken_back() {
    let (mut wide, take) = (imported(6, 4, 1), imported(4, 30, 1));
    wide.rig.name = "wide".into();
    let mut workspace = open(vec![file("wide.fbx", wide), file("take.bvh", take)]);
    let own = clips(&workspace, "take.bvh");
    assert!(Arc::ptr_eq(&source(&workspace, "take.bvh").rig, source(&workspace, "take.bvh").own_rig()));

    let choice = RigChoice::Of(source(&workspace, "wide.fbx").digest.to_string());
    workspace.choose_rig(&[1], Some(&choice));
    let take = source(&workspace, "take.bvh");
    assert_eq!((take.rig.name.as_str(), take.clips[0].joints()), ("wide", 6));
    assert_eq!(take.clips[0].pose(7)[..4], *own[0].pose(7));
    assert!(take.findings.iter().any(|f| f.what.contains("move the rig 'wide'")), "{:?}", take.findings);
    settle(&mut workspace);
    let text = workspace.document().to_toml();
    assert_eq!(Document::from_toml(&text).unwrap(), *workspace.document());

    // If a rig is closed, clips use their own. When it is open again, they use it again.
    workspace.close(0);
    assert_eq!(clips(&workspace, "take.bvh"), own);
    let mut wide = imported(6, 4, 1);
    wide.rig.name = "wide".into();
    workspace.add_source(file("wide.fbx", wide));
    assert_eq!(source(&workspace, "take.bvh").rig.name, "wide");
    workspace.undo();
    assert_eq!(clips(&workspace, "take.bvh"), own);
    assert!(source(&workspace, "take.bvh").findings.is_empty());
}

#[test]
fn clips_can_keep_their_own_rig_and_none_that_does_not_fit_is_put_on_them() {
    let mut moved = imported(4, 5, 1);
    let bind = |at: usize| moved.rig.skeleton.bind(at);
    assert_eq!(bind(1), bind(2));
    // Takes that differ only in the rest pose are put on the first one automatically.
    let joints = moved.rig.skeleton.joints().iter().cloned().map(|mut joint| {
        joint.bind.translation.y *= 1.2;
        joint
    });
    moved.rig = posepress_core::model::Rig::from_skeleton(
        "moved",
        posepress_core::model::Skeleton::new(joints.collect()).unwrap(),
    );
    let mut workspace = open(vec![file("one.bvh", imported(4, 5, 1)), file("two.bvh", moved)]);
    let shares =
        |workspace: &Workspace| Arc::ptr_eq(&source(workspace, "one.bvh").rig, &source(workspace, "two.bvh").rig);
    assert!(shares(&workspace));
    workspace.choose_rig(&[1], Some(&RigChoice::Own));
    assert!(!shares(&workspace));
    workspace.choose_rig(&[1], None);
    assert!(shares(&workspace));

    let mut other = imported(9, 5, 1);
    let joints = other.rig.skeleton.joints().iter().cloned().map(|mut joint| {
        joint.name = format!("wing {}", joint.name);
        joint
    });
    other.rig = posepress_core::model::Rig::from_skeleton(
        "bird",
        posepress_core::model::Skeleton::new(joints.collect()).unwrap(),
    );
    workspace.add_source(file("bird.fbx", other));
    let bird = RigChoice::Of(source(&workspace, "bird.fbx").digest.to_string());
    workspace.choose_rig(&[0], Some(&bird));
    let one = source(&workspace, "one.bvh");
    assert!(Arc::ptr_eq(&one.rig, one.own_rig()), "no name is known there");
}

const TAKE: &str = "HIERARCHY\nROOT a\n{\nOFFSET 0 90 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT b\n{\nOFFSET 0 40 0\n\
    CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n\
    MOTION\nFrames: 3\nFrame Time: 0.0333333\n0 0 0 10 0 0\n5 0 0 20 0 0\n9 0 0 30 0 0\n";

#[test]
fn how_a_file_is_read_is_a_step_that_is_taken_back_and_what_cannot_be_read_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("take.bvh");
    std::fs::write(&path, TAKE).unwrap();
    let mut workspace = Workspace::new(document(), || {});
    workspace.open(SourceFile::Path(path.clone()), ImportOptions::default());
    settle(&mut workspace);
    let clip = ClipId { source: workspace.library().sources()[0].id, clip: 0 };
    let length_mm = |workspace: &Workspace| {
        (1000.0 * source(workspace, "take.bvh").rig.skeleton.bind(1).translation.length()).round() as u32
    };
    let read_as = |workspace: &mut Workspace, unit| {
        workspace.read_as("Unit", &[clip.source], |options| ImportOptions { unit: Some(unit), ..options });
    };
    workspace.mark_loop(clip, "Loop", Some(true));
    read_as(&mut workspace, LengthUnit::Centimetre);
    assert_eq!(length_mm(&workspace), 40_000, "what is open stays until the new is there");
    let events = settle(&mut workspace);
    assert!(matches!(events[..], [WorkspaceEvent::ReadAs { source }] if source == clip.source), "{events:?}");
    assert_eq!(length_mm(&workspace), 400);
    assert!(workspace.selected() == Some(clip) && workspace.loop_mark(clip) == Some(true), "marks and place stay");

    // Changes faster than the import: the last one counts.
    assert!(workspace.undo() && workspace.redo() && workspace.undo());
    settle(&mut workspace);
    assert_eq!(length_mm(&workspace), 40_000);
    assert!(workspace.redo());
    settle(&mut workspace);
    assert_eq!(length_mm(&workspace), 400);

    std::fs::remove_file(&path).unwrap();
    read_as(&mut workspace, LengthUnit::Millimetre);
    let events = settle(&mut workspace);
    assert!(matches!(&events[..], [WorkspaceEvent::Failed(_)]), "{events:?}");
    workspace.edit("Tolerance", |document| document.recipes[0].tolerance_m = 0.002);
    let events = settle(&mut workspace);
    assert!(events.is_empty() && length_mm(&workspace) == 400, "it is tried once: {events:?}");
}
