//! The external result in place of a recipe: its file, its times, and its missing clips.

use crate::session::{imported, settle, workspace};
use crate::written;
use posepress_core::export::ExportTarget;
use posepress_core::import::{ImportOptions, Imported, LengthUnit};
use posepress_core::model::ClipId;
use posepress_core::pipeline::CONTAINER;
use posepress_core::recipe::Recipe;
use posepress_core::workspace::{Workspace, WorkspaceEvent};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Clips in a file as another tool might write them.
fn write(folder: &Path, name: &str, imported: &Imported, clips: usize, format: &str) -> PathBuf {
    let rig = Arc::new(imported.rig.clone());
    let clips: Vec<_> = imported.clips.iter().take(clips).cloned().map(Arc::new).collect();
    let recipe = Recipe { tolerance_m: 0.002, ..Recipe::chosen("linear-keys").unwrap() };
    let bytes = written::export(&rig, &clips, &recipe, format, &ExportTarget::default()).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn report_of(workspace: &Workspace, clip: ClipId) -> Result<&posepress_core::report::ClipReport, String> {
    let answer = workspace.answer(clip, workspace.external_slot().unwrap()).expect("it was judged");
    answer.report.as_ref().map(|report| &**report).map_err(|error| error.to_string())
}

#[test]
fn another_tools_file_is_judged_where_a_recipe_stands() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [("other.glb", "glb"), ("other.posepress", CONTAINER)] {
        let (mut workspace, clips) = workspace(6, 40, 2);
        let path = write(folder.path(), name, &imported(6, 40, 2), 1, format);
        workspace.compare_with(path, [ImportOptions::default(); 2]);
        assert!(workspace.document().external.is_some());
        let events = settle(&mut workspace);
        assert!(events.is_empty(), "{events:?}");
        assert_eq!((workspace.external_slot(), workspace.active_slot()), (Some(3), 3));
        assert_eq!((workspace.slot_letter(3), workspace.slot_title(3).as_str()), ("F", name));
        let report = report_of(&workspace, clips[0]).unwrap();
        let external = report.external.as_ref().unwrap();
        assert_eq!((external.file.as_str(), external.clip.as_str(), external.samples), (name, "clip0", 40));
        assert!(external.bytes > 0 && report.bytes as u64 == external.bytes && report.file_bytes == 0);
        assert!((0.01..2.01).contains(&report.error.max_mm), "{} mm", report.error.max_mm);
        assert!(workspace.shown().unwrap().outcome.encoding().is_none() && workspace.proposals().is_empty());
        // The second clip is missing in that file.
        let words = report_of(&workspace, clips[1]).unwrap_err();
        assert!(words.contains(name) && words.contains("'clip1'") && words.contains("clip0"), "{words}");
        // Recipes still work.
        workspace.activate_slot(0);
        settle(&mut workspace);
        assert!(workspace.shown().unwrap().report.external.is_none());
    }
}

#[test]
fn a_file_that_fits_no_rig_in_one_unit_is_read_in_the_other_it_may_have() {
    let folder = tempfile::tempdir().unwrap();
    let (mut workspace, clips) = workspace(6, 40, 1);
    let path = write(folder.path(), "metres.glb", &imported(6, 40, 1), 1, "glb");
    let as_source = ImportOptions { unit: Some(LengthUnit::Centimetre), ..ImportOptions::default() };
    workspace.compare_with(path.clone(), [as_source, ImportOptions::default()]);
    assert!(settle(&mut workspace).is_empty());
    assert!((0.01..2.01).contains(&report_of(&workspace, clips[0]).unwrap().error.max_mm));
    assert_eq!(workspace.document().external.as_ref().unwrap().options, ImportOptions::default());
    workspace.undo();
    assert!(workspace.document().external.is_none(), "one step");
    // If neither reading fits, the slot stays and shows the reason.
    workspace.compare_with(path, [as_source; 2]);
    settle(&mut workspace);
    let words = report_of(&workspace, clips[0]).unwrap_err();
    assert!(words.contains("0.01 times as long"), "{words}");
}

#[test]
fn it_is_moved_in_time_and_taken_away_and_undo_brings_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let (mut workspace, clips) = workspace(6, 40, 1);
    // The external clip starts three samples late.
    let mut late = imported(6, 43, 1);
    let early = imported(6, 40, 1);
    let data: Vec<_> = (0..43usize).flat_map(|s| early.clips[0].pose(s.saturating_sub(3)).to_vec()).collect();
    late.clips[0] = posepress_core::model::Clip::new(posepress_core::model::ClipData {
        name: "renamed".into(),
        joints: 6,
        duration_secs: 42.0 / 30.0,
        transforms: data,
        float_tracks: 0,
        floats: vec![],
        holds: vec![],
        looping: None,
    })
    .unwrap();
    workspace.compare_with(write(folder.path(), "late.glb", &late, 1, "glb"), [ImportOptions::default(); 2]);
    settle(&mut workspace);
    let error_mm = |workspace: &Workspace| report_of(workspace, clips[0]).unwrap().error.max_mm;
    let apart = error_mm(&workspace);
    assert!(apart > 20.0, "{apart} mm");
    for _ in 0..3 {
        workspace.shift_external(1.0);
    }
    settle(&mut workspace);
    assert!(error_mm(&workspace) < 2.01, "{} mm", error_mm(&workspace));
    assert!((report_of(&workspace, clips[0]).unwrap().external.as_ref().unwrap().offset_secs - 0.1).abs() < 1e-6);
    workspace.undo();
    settle(&mut workspace);
    assert!(error_mm(&workspace) > 2.01);
    workspace.stop_comparing();
    assert_eq!((workspace.external_slot(), workspace.active_slot()), (None, 2));
    workspace.undo();
    settle(&mut workspace);
    assert!(error_mm(&workspace) > 2.01 && workspace.external_slot() == Some(3));
    // A restart finds the file again.
    let mut again = Workspace::new(workspace.document().clone(), || {});
    again.add_source(crate::session::file(imported(6, 40, 1)));
    settle(&mut again);
    let clip = again.library().clip_ids().next().unwrap();
    assert!(report_of(&again, clip).unwrap().external.is_some());
}

#[test]
fn a_file_that_cannot_be_read_or_is_of_another_rig_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (mut workspace, clips) = workspace(6, 10, 1);
    workspace.compare_with(folder.path().join("none.glb"), [ImportOptions::default(); 2]);
    let events = settle(&mut workspace);
    assert!(
        matches!(&events[..], [WorkspaceEvent::Failed(error)] if error.to_string().contains("none.glb")),
        "{events:?}"
    );
    assert_eq!((workspace.external_slot(), workspace.history().undo_label()), (None, None));
    let mut other = imported(6, 10, 1);
    let joints = other
        .rig
        .skeleton
        .joints()
        .iter()
        .map(|joint| posepress_core::model::Joint { name: format!("bone_{}", joint.name), ..joint.clone() });
    other.rig.skeleton = posepress_core::model::Skeleton::new(joints.collect()).unwrap();
    workspace.compare_with(write(folder.path(), "crab.glb", &other, 1, "glb"), [ImportOptions::default(); 2]);
    settle(&mut workspace);
    let words = report_of(&workspace, clips[0]).unwrap_err();
    assert!(words.contains("crab.glb") && words.contains("another rig"), "{words}");
}
