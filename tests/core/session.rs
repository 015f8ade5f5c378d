//! Recipes, undo, background jobs: the base of the window, without the window.

use crate::until::until;
use crate::written;
use glam::{Affine3A, Quat, Vec3};
use posepress_core::codecs::{self, CompensationMethod, Progress};
use posepress_core::import::{ImportOptions, Imported};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, ClipData, ClipId, Joint, Rig, Skeleton, SkinJoint, SkinnedMesh, SourceDigest};
use posepress_core::pipeline::{CONTAINER, MeasuredClip, compress};
use posepress_core::project::Document;
use posepress_core::recipe::Recipe;
use posepress_core::report::Totals;
use posepress_core::tasks::{CompressTask, ImportedSource, Lane, Request, Scheduler, Task};
use posepress_core::workspace::{ClipListing, ClipRow, Workspace, WorkspaceEvent};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A chain of swinging joints, long enough to make encoding slow.
pub fn imported(joints: usize, samples: usize, clips: usize) -> Imported {
    let joint = |index: usize| Joint {
        name: format!("joint{index}"),
        parent: index.checked_sub(1),
        bind: Transform::from_translation(Vec3::new(0.0, 0.1, 0.0)),
    };
    let skeleton = Skeleton::new((0..joints).map(joint).collect()).unwrap();
    let at = |clip: usize, sample: usize, index: usize| Transform {
        rotation: Quat::from_rotation_z((sample as f32 * 0.13 + index as f32 + clip as f32).sin() * 0.4),
        ..Transform::from_translation(Vec3::new(0.0, 0.1, 0.0))
    };
    let clip = |number: usize| {
        let transforms =
            (0..samples).flat_map(|s| (0..joints).map(move |j| at(number, s, j))).collect::<Vec<Transform>>();
        let data = ClipData {
            name: format!("clip{number}"),
            joints,
            duration_secs: (samples - 1) as f32 / 30.0,
            transforms,
            float_tracks: 0,
            floats: vec![],
            holds: vec![],
            looping: None,
        };
        Clip::new(data).unwrap()
    };
    Imported {
        rig: Rig::from_skeleton("chain", skeleton),
        clips: (0..clips).map(clip).collect(),
        clip_bytes: vec![0; clips],
        findings: vec![],
        beside: vec![],
    }
}

/// The same as a read file.
pub fn file(imported: Imported) -> ImportedSource {
    let digest = SourceDigest::of(b"chain");
    ImportedSource { path: None, options: ImportOptions::default(), digest, imported }
}

/// Two recipes that hold a tolerance, and one that does not.
pub fn document() -> Document {
    let with = |tolerance_m| Recipe { tolerance_m, ..Recipe::chosen("linear-keys").unwrap() };
    Document { recipes: vec![with(0.004), with(0.0005), Recipe::chosen("quantize").unwrap()], ..Document::default() }
}

/// A workspace with such a file open.
pub fn workspace(joints: usize, samples: usize, clips: usize) -> (Workspace, Vec<ClipId>) {
    let mut workspace = Workspace::new(document(), || {});
    workspace.add_source(file(imported(joints, samples, clips)));
    let ids = workspace.library().clip_ids().collect();
    (workspace, ids)
}

/// Polls until all work is done. Returns the events.
pub fn settle(workspace: &mut Workspace) -> Vec<WorkspaceEvent> {
    let mut events = Vec::new();
    let step = || {
        events.extend(workspace.poll());
        workspace.is_settled()
    };
    until("the tasks come to rest", step, |is_settled| *is_settled);
    events.extend(workspace.poll());
    events
}

#[test]
fn every_clip_gets_numbers_for_every_recipe_and_only_the_selected_one_keeps_its_outcome() {
    let (mut workspace, ids) = workspace(6, 40, 4);
    settle(&mut workspace);
    for slot in 0..3 {
        let totals = workspace.totals(slot);
        assert_eq!((totals.clips, totals.measured), (4, 4), "slot {slot}");
        assert!(totals.bytes > 0 && totals.bytes < totals.raw_bytes);
        for id in &ids {
            let answer = workspace.answer(*id, slot).unwrap();
            assert!(answer.done && workspace.is_fresh(*id, slot));
            assert_eq!(answer.full.is_some(), workspace.selected() == Some(*id), "memory stays bounded");
        }
    }
    workspace.select(Some(ids[2]));
    settle(&mut workspace);
    assert!(workspace.shown().is_some() && workspace.answer(ids[0], 0).unwrap().full.is_none());
}

#[test]
fn numbers_in_the_window_are_those_of_the_one_compress_path() {
    let (mut workspace, ids) = workspace(8, 60, 1);
    settle(&mut workspace);
    let (rig, clip) = workspace.library().clip(ids[0]).unwrap();
    let recipe = workspace.recipe(0);
    let direct = compress(&MeasuredClip::new(rig.clone(), clip.clone(), recipe), recipe, &Default::default()).unwrap();
    let shown = workspace.shown().unwrap();
    assert_eq!(shown.outcome.encoding().unwrap().encoded.bytes, direct.encoding().unwrap().encoded.bytes);
    assert_eq!(shown.outcome.report, direct.report);
}

#[test]
fn a_drag_shows_the_last_good_numbers_until_the_newest_are_there_and_undoes_as_one_step() {
    let (mut workspace, ids) = workspace(10, 200, 1);
    settle(&mut workspace);
    let report = |workspace: &Workspace| workspace.answer(ids[0], 0).unwrap().report.clone().unwrap();
    // Times differ in each run.
    let summary = |workspace: &Workspace| report(workspace).bytes;
    let before = summary(&workspace);
    for step in 1..40 {
        workspace.preview("Tolerance", |d| d.recipes[0].tolerance_m = 0.004 / step as f32);
        workspace.poll();
        assert!(workspace.shown().is_some(), "something is always shown");
    }
    workspace.commit();
    settle(&mut workspace);
    let after = summary(&workspace);
    assert!(workspace.is_fresh(ids[0], 0) && after > before);
    assert!(workspace.undo());
    assert_eq!(workspace.recipe(0).tolerance_m, 0.004);
    assert!(!workspace.undo(), "the drag was one step");
    settle(&mut workspace);
    assert_eq!(summary(&workspace), before);
    assert!(workspace.redo());
}

#[test]
fn a_newer_request_supersedes_an_older_one() {
    let Imported { rig, clips, .. } = imported(40, 600, 1);
    let (rig, clip) = (Arc::new(rig), Arc::new(clips.into_iter().next().unwrap()));
    let woken = Arc::new(AtomicUsize::new(0));
    let scheduler = Scheduler::new({
        let woken = woken.clone();
        move || {
            woken.fetch_add(1, Ordering::Relaxed);
        }
    });
    let request = |tolerance_m: f32| {
        let recipe = Arc::new(Recipe { tolerance_m, ..Recipe::chosen("linear-keys").unwrap() });
        let task = CompressTask {
            file: "clip.glb".into(),
            rig: rig.clone(),
            clip: clip.clone(),
            recipe,
            external: None,
            skin: true,
        };
        Request { key: (), task: Task::Compress(task), live: true }
    };
    for step in 1..=30 {
        scheduler.set_wanted(Lane::Compress, vec![request(0.01 / step as f32)]);
    }
    until("the tasks come to rest", || scheduler.is_idle(), |is_idle| *is_idle);
    let mut done = Vec::new();
    while let Some(event) = scheduler.poll() {
        match event.task {
            Task::Compress(task) if event.done => done.push(task.recipe.tolerance_m),
            _ => {}
        }
    }
    assert_eq!(done.last(), Some(&(0.01 / 30.0)), "the last wish is answered last");
    assert!(done.len() < 30, "{} of 30 wishes were worked out to the end", done.len());
    assert!(woken.load(Ordering::Relaxed) > 0);
}

#[test]
fn closing_cancels_the_job_that_runs_and_frees_its_clips() {
    let (mut workspace, ids) = workspace(40, 600, 3);
    let is_working = || {
        workspace.poll();
        workspace.activity().is_some()
    };
    until("a job runs", is_working, |is_working| *is_working);
    let clip = Arc::downgrade(workspace.library().clip(ids[0]).unwrap().1);
    assert!(!workspace.is_settled() && clip.strong_count() > 0);
    drop(workspace);
    assert_eq!(until("its clips are freed", || clip.strong_count(), |owners| *owners == 0), 0);
}

#[test]
fn a_recipe_that_does_not_fit_says_so_and_the_rest_goes_on() {
    let (mut workspace, ids) = workspace(1, 60, 1);
    let mut mixed = Recipe::chosen("catmull-rom").unwrap();
    mixed.values.set_text(mixed.codec.params(), "knots", "uniform").unwrap();
    mixed.codec = codecs::by_name("linear-keys").unwrap();
    workspace.edit("Codecs", |d| d.recipes = vec![Recipe::chosen("raw").unwrap(), mixed]);
    settle(&mut workspace);
    let error = workspace.answer(ids[0], 1).unwrap().report.clone().unwrap_err().to_string();
    assert!(error.contains("knots"), "{error}");
    assert!(workspace.answer(ids[0], 0).unwrap().report.is_ok());
}

#[test]
fn what_is_exported_is_what_was_measured() {
    let Imported { rig, clips, .. } = imported(5, 30, 3);
    let rig = Arc::new(rig);
    let clips: Vec<Arc<Clip>> = clips.into_iter().map(Arc::new).collect();
    let recipe = Recipe::chosen("linear-keys").unwrap();
    let bytes = written::export(&rig, &clips, &recipe, CONTAINER, &Default::default()).unwrap();
    let archive = posepress_core::pipeline::Archive::open(&bytes, None).unwrap();
    assert_eq!(archive.clips().len(), 3);
    for (stored, clip) in archive.clips().iter().zip(&clips) {
        let source = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
        let outcome = compress(&source, &recipe, &Default::default()).unwrap();
        let again = posepress_core::pipeline::measure_archived(&source, stored).unwrap();
        assert_eq!(again.report.samples, outcome.report.samples);
    }
    assert!(written::export(&rig, &clips, &recipe, "glb", &Default::default()).unwrap().starts_with(b"glTF"));
    assert!(written::export(&rig, &clips, &recipe, "mp3", &Default::default()).is_err());
}

#[test]
fn recipes_survive_their_file_and_bad_ones_are_refused() {
    let mut recipe = Recipe { tolerance_m: 0.0007, ..Recipe::chosen("linear-keys").unwrap() };
    recipe.contacts.fail_slide_m = 0.003;
    assert!(!recipe.to_toml().contains("compensation"), "files of recipes without one are what they were");
    recipe.compensation.method = CompensationMethod::Ik;
    recipe.compensation.accuracy_m = Some(0.002);
    recipe.compensation.limbs = vec!["paw".into()];
    assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe);
    for (text, word) in [
        ("codec = 'nope'", "nope"),
        ("tolerance_m = -1.0", "tolerance_m"),
        ("colour = 1", "colour"),
        ("[compensation]\nmethod = 'more'", "in-place"),
        ("[compensation]\nloosen = 0.5", "loosen"),
        ("[compensation]\naccuracy_m = 0.0", "accuracy_m"),
        ("[values]\nspeed = 1", "speed"),
    ] {
        let error = Recipe::from_toml(text).unwrap_err().to_string();
        assert!(error.contains(word), "{text}: {error}");
    }
}

#[test]
fn a_rig_without_clips_is_shown_in_its_default_pose() {
    let rig = imported(4, 20, 0);
    let bind: Vec<Transform> = rig.rig.skeleton.joints().iter().map(|joint| joint.bind).collect();
    let mut workspace = Workspace::new(document(), || {});
    workspace.add_source(file(rig));
    settle(&mut workspace);
    let id = workspace.selected().expect("it is looked at");
    let (_, clip) = workspace.library().clip(id).unwrap();
    assert_eq!((clip.name(), clip.samples()), ("default pose", 1));
    assert_eq!(clip.pose(0), bind);
    // It is no clip: it is not compressed, counted or judged.
    assert!(workspace.library().is_rig(id) && workspace.library().clip_ids().next().is_none());
    assert!(workspace.shown().is_none() && workspace.verdict(id, 0).is_none());
    assert_eq!(workspace.totals(0), Totals::default());
    let rows = workspace.clip_rows(0, &ClipListing::default());
    assert!(matches!(&rows[..], [ClipRow::Rig { joints: 4, .. }]), "{rows:?}");
}

#[test]
fn undo_brings_a_search_back_without_searching_again() {
    let (mut workspace, ids) = workspace(4, 40, 2);
    let search = |tolerance_m: f32| {
        let mut recipe = Recipe { tolerance_m, ..Recipe::chosen("automatic").unwrap() };
        recipe.values.set_text(recipe.codec.params(), "candidates", "quantize; linear-keys").unwrap();
        recipe
    };
    workspace.edit("Automatic", |document| document.recipes = vec![search(0.004)]);
    settle(&mut workspace);
    let bytes = workspace.shown().unwrap().outcome.encoding().unwrap().encoded.bytes.clone();
    workspace.edit("Tolerance", |document| document.recipes = vec![search(0.0004)]);
    settle(&mut workspace);
    let finer = workspace.shown().unwrap().outcome.encoding().unwrap().encoded.bytes.clone();
    assert!(finer.len() > bytes.len());
    for (back, wanted) in [(true, &bytes), (false, &finer)] {
        assert!(if back { workspace.undo() } else { workspace.redo() });
        assert!(ids.iter().all(|id| workspace.is_fresh(*id, 0)), "nothing is left to be done");
        assert_eq!(&workspace.shown().unwrap().outcome.encoding().unwrap().encoded.bytes, wanted);
        assert!(workspace.candidates().0.iter().any(|row| row.is_winner), "the table is back too");
    }
}

#[test]
fn automatic_fills_its_table_while_it_runs_and_is_stopped_and_resumed() {
    let list = "variable-rate; variable-rate segment_samples=8; linear-keys; per-track; quantize; every-second-key";
    let mut recipe = Recipe::chosen("automatic").unwrap();
    recipe.values.set_text(recipe.codec.params(), "candidates", list).unwrap();
    let mut workspace = Workspace::new(Document { recipes: vec![recipe], ..Document::default() }, || {});
    workspace.add_source(file(imported(30, 400, 1)));
    let id = workspace.library().clip_ids().next().unwrap();
    let look = || {
        assert!(!workspace.is_settled(), "never seen half full");
        let (rows, running) = workspace.candidates();
        let measured = rows.iter().filter(|r| r.figures().is_some()).count();
        (running, measured, rows.len(), rows.iter().any(|r| r.is_winner))
    };
    let (_, measured, rows, has_winner) =
        until("the table fills", look, |(running, measured, ..)| *running && *measured > 0);
    assert!(measured < 6 && rows == 6 && !has_winner, "{measured} of {rows}");
    workspace.stop();
    settle(&mut workspace);
    assert!(workspace.is_stopped() && workspace.shown().is_none());
    assert!(workspace.answer(id, 0).unwrap().is_stopped());
    workspace.resume();
    settle(&mut workspace);
    let (rows, running) = workspace.candidates();
    assert!(!running && !workspace.is_stopped() && rows.iter().all(codecs::CandidateRow::is_tried));
    let winner = rows.iter().find(|r| r.is_winner).unwrap();
    assert_eq!(workspace.shown().unwrap().outcome.bytes(), winner.figures().unwrap().bytes);
    // The winner as its own recipe gives the result of its row.
    let candidate = winner.candidate.clone();
    workspace.edit("Winner", |d| {
        d.recipes[0] = Recipe { codec: candidate.codec, values: candidate.values, ..d.recipes[0].clone() };
    });
    settle(&mut workspace);
    let shown = workspace.shown().unwrap();
    assert_eq!(shown.outcome.bytes(), winner.figures().unwrap().bytes);
    assert_eq!(shown.outcome.report.samples.stats.max_m, winner.figures().unwrap().max_error_m);
}

/// Adds a sword of 0.9 m in the hand of the last joint, and a tassel far beyond it that hardly follows the hand.
pub fn with_sword(mut imported: Imported) -> Imported {
    let hand = imported.rig.skeleton.len() - 1;
    let at_hand = |out_m: f32| Vec3::new(0.0, out_m, 0.0);
    imported.rig.meshes.push(SkinnedMesh {
        name: "sword".into(),
        palette: [hand, 0].map(|joint| SkinJoint { joint, joint_from_mesh: Affine3A::IDENTITY }).to_vec(),
        positions: vec![at_hand(0.1), at_hand(0.9), at_hand(4.0)],
        influences: vec![[0, 1, 0, 0]; 3],
        weights: vec![[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.05, 0.95, 0.0, 0.0]],
        triangles: vec![[0, 1, 2]],
        ..SkinnedMesh::default()
    });
    imported
}

#[test]
fn a_shell_from_the_mesh_holds_a_swords_tip() {
    let Imported { rig, mut clips, .. } = with_sword(imported(6, 60, 1));
    let (rig, clip) = (Arc::new(rig), Arc::new(clips.remove(0)));
    let measured = |shell_from_mesh: bool| {
        let recipe = Recipe { tolerance_m: 0.002, shell_from_mesh, ..Recipe::chosen("linear-keys").unwrap() };
        let source = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
        let outcome = compress(&source, &recipe, &Progress::new()).unwrap();
        assert!(outcome.report.within(), "{shell_from_mesh}");
        let tip_m = |step: usize| {
            let at = |track: &posepress_core::metrics::ModelTrack| track.pose(step)[5].transform_point3(Vec3::Y * 0.9);
            at(&source.raw).distance(at(&outcome.decoded))
        };
        let samples = (0..source.raw.steps()).step_by(source.raw.sub_frames());
        (outcome.shells_m.to_vec(), samples.map(tip_m).fold(0.0, f32::max))
    };
    let (shells_m, tip_m) = measured(false);
    assert_eq!(shells_m, [0.03; 6]);
    assert!(tip_m > 0.01, "a shell of 30 mm says little of a sword: its tip is off by {tip_m} m");
    let (shells_m, tip_m) = measured(true);
    // The root moves the tassel, 4 m out. The hand moves it by a twentieth, which does not count.
    assert_eq!(shells_m, [4.0, 0.03, 0.03, 0.03, 0.03, 0.9]);
    assert!(tip_m <= 0.002, "{tip_m} m");
    let mut own = Recipe { shell_from_mesh: true, ..Recipe::chosen("raw").unwrap() };
    own.set_override("joint5", 0.5);
    assert_eq!(own.limits_of(&rig, &clip).shells_m[5], 0.5, "a joint's own shell is the last word");
}

#[test]
fn a_recipe_says_that_its_shell_is_not_from_the_mesh_only_if_so() {
    let recipe = Recipe { shell_from_mesh: false, ..Recipe::default() };
    assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe);
    assert!(!Recipe::default().to_toml().contains("shell_from_mesh"));
}

#[test]
fn with_many_clips_other_slots_compress_the_selected_clip_alone_until_they_are_asked() {
    let (mut workspace, clips) = workspace(2, 4, 101);
    settle(&mut workspace);
    let measured = |workspace: &Workspace| [0, 1].map(|slot| workspace.totals(slot).measured);
    assert!(workspace.compresses_all(0) && !workspace.compresses_all(1));
    assert_eq!(measured(&workspace), [101, 1]);
    assert!(workspace.totals(1).is_open(), "one clip is no verdict");
    workspace.select(Some(clips[7]));
    settle(&mut workspace);
    assert_eq!(measured(&workspace), [101, 2]);
    workspace.compress_all(1);
    settle(&mut workspace);
    assert_eq!(measured(&workspace), [101, 101]);
}
