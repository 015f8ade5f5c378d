//! `posepress batch` and the window with one store.

use crate::batch::{library, manifest};
use crate::batch_project::reviewed;
use crate::support::{Bench, settle};
use crate::until::until;
use posepress_core::batch::StoredHead;
use posepress_core::import::ImportOptions;
use posepress_core::project::Document;
use posepress_core::report::ClipReport;
use posepress_core::store::{ResultKey, Store};
use posepress_core::tasks::SourceFile;
use posepress_core::workspace::Workspace;
use std::collections::BTreeSet;

const FILES: [&str; 2] = ["biped.gltf", "chain.bvh"];
/// Gates of the clips' verdict are not the subject.
const BATCH: &str = "batch biped.gltf chain.bvh -o out --store store --fail-sampling-mm 1000";

/// A window with the files, with a store or without one.
fn window(bench: &Bench, store: Option<Store>, tolerance_m: Option<f32>) -> Workspace {
    window_of(bench, &FILES, store, tolerance_m)
}

fn window_of(bench: &Bench, files: &[&str], store: Option<Store>, tolerance_m: Option<f32>) -> Workspace {
    let mut workspace = Workspace::new(Document::default(), || {});
    workspace.results().set_store(store);
    workspace.edit("Recipe", |document| {
        document.recipes.truncate(1);
        document.recipes[0].fail_sampling_m = 1.0;
        document.recipes[0].tolerance_m = tolerance_m.unwrap_or(document.recipes[0].tolerance_m);
    });
    for file in files {
        workspace.open(SourceFile::Path(bench.path(file)), ImportOptions::default());
    }
    settle(&mut workspace);
    let first = workspace.library().clip_ids().next();
    workspace.select(first);
    settle(&mut workspace);
    workspace
}

fn reports(workspace: &Workspace) -> Vec<ClipReport> {
    let report = |clip| ClipReport::clone(workspace.answer(clip, 0).unwrap().report.as_ref().unwrap());
    workspace.library().clip_ids().map(report).collect()
}

/// The report as text, without times.
fn timeless(report: &ClipReport) -> String {
    let mut report = serde_json::to_value(report).unwrap();
    for key in ["encode_ms", "decode_ns_per_pose"] {
        report.as_object_mut().unwrap().remove(key);
    }
    report.to_string()
}

/// Keys of the clips in a store.
fn clips(store: &Store) -> BTreeSet<ResultKey> {
    let is_clip = |key: &ResultKey| {
        let entry = store.get(key).unwrap().unwrap();
        matches!(StoredHead::of(&entry), Ok(StoredHead::Clip { .. }))
    };
    store.entries().unwrap().into_iter().map(|entry| entry.key).filter(is_clip).collect()
}

#[test]
fn a_batch_s_results_open_at_once_and_are_the_same() {
    let bench = Bench::with_sources();
    assert_eq!(bench.run(BATCH).status, 0);
    let store = Store::open_existing(&bench.path("store")).unwrap();
    let before = clips(&store);
    let (opened, made) = (window(&bench, Some(store.clone()), None), window(&bench, None, None));
    let (found, fresh) = (reports(&opened), reports(&made));
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|report| report.encode_ms.is_none()), "each was found");
    assert!(fresh.iter().all(|report| report.encode_ms.is_some()));
    assert_eq!(found.iter().map(timeless).collect::<Vec<_>>(), fresh.iter().map(timeless).collect::<Vec<_>>());
    let [a, b] = [&opened, &made].map(|workspace| workspace.compressed().unwrap());
    assert_eq!(a.outcome.report, b.outcome.report);
    assert!(!a.outcome.report.shell.is_empty(), "measured at its first use");
    assert_eq!(a.outcome.decoded.pose(3), b.outcome.decoded.pose(3));
    assert_eq!(a.source.plan, b.source.plan);
    assert_eq!(a.outcome.encoding().unwrap().encoded.bytes, b.outcome.encoding().unwrap().encoded.bytes);
    assert_eq!(clips(&store), before, "nothing was made again");
}

#[test]
fn a_window_s_results_are_those_of_the_batch() {
    let bench = Bench::with_sources();
    let store = Store::open(&bench.path("store")).unwrap();
    let made = window(&bench, Some(store.clone()), Some(0.002));
    until("three clips are kept", || clips(&store).len(), |found| *found == 3);
    let kept = clips(&store);
    assert_eq!(bench.run(&format!("{BATCH} --tolerance-mm 2")).status, 0);
    assert_eq!(clips(&store), kept, "the batch found all of them");
    let rows = manifest(&bench, "out")["rows"].as_array().unwrap().clone();
    let bytes = |row: &serde_json::Value| row["numbers"]["figures"]["bytes"].as_u64().unwrap();
    let mut of_window: Vec<u64> = reports(&made).iter().map(|report| report.bytes as u64).collect();
    let mut of_batch: Vec<u64> = rows.iter().map(bytes).collect();
    of_window.sort_unstable();
    of_batch.sort_unstable();
    assert_eq!(of_window, of_batch);
    // A second window finds the same.
    let again = window(&bench, Some(store), Some(0.002));
    assert!(reports(&again).iter().all(|report| report.encode_ms.is_none()));
}

#[test]
fn a_damaged_result_is_made_again_and_a_store_that_vanishes_is_said() {
    let bench = Bench::with_sources();
    assert_eq!(bench.run(BATCH).status, 0);
    let store = Store::open_existing(&bench.path("store")).unwrap();
    let before = clips(&store);
    for key in &before {
        let text = key.to_string();
        let path = bench.path("store/entries").join(&text[..2]).join(&text[2..]);
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    let made = window(&bench, Some(store.clone()), None);
    assert!(reports(&made).iter().all(|report| report.encode_ms.is_some()));
    let is_whole = |key: &ResultKey| store.get(key).is_ok_and(|entry| entry.is_some());
    until("they are whole again", || before.iter().filter(|key| is_whole(key)).count(), |found| *found == 3);
    std::fs::remove_dir_all(bench.path("store")).unwrap();
    let made = window(&bench, Some(store), None);
    assert!(reports(&made).iter().all(|report| report.encode_ms.is_some()));
    let fault = until("the fault is known", || made.results().take_fault(), Option::is_some);
    assert!(fault.is_some_and(|fault| fault.starts_with("store: ")));
    assert!(!bench.path("store").exists(), "no half store is left");
}

#[test]
fn what_a_person_decided_in_the_window_is_done_for_a_batch_that_reads_the_project() {
    let bench = library();
    let store = Store::open(&bench.path("store")).unwrap();
    let bytes = reviewed(&bench, Some(store.clone()));
    let kept = clips(&store);
    let line = "batch lib/review.posepress.toml -o out --store store --fail-sampling-mm 1000";
    assert!(matches!(bench.run(line).status, 0 | 3));
    let of_batch = manifest(&bench, "out")["rows"].as_array().unwrap().clone();
    assert_eq!(
        of_batch.iter().map(|row| row["numbers"]["figures"]["bytes"].as_u64().unwrap()).collect::<Vec<_>>(),
        bytes
    );
    assert_eq!(clips(&store), kept, "the batch found the approved clip and the one with marks");
}

#[test]
fn of_a_dragged_slider_the_last_result_is_kept() {
    let bench = Bench::with_sources();
    let store = Store::open(&bench.path("store")).unwrap();
    let mut workspace = window_of(&bench, &FILES[1..], Some(store.clone()), Some(0.001));
    until("what was opened is kept", || clips(&store).len(), |found| *found == 1);
    for step in 1..=20u8 {
        workspace.preview("Tolerance", |document| document.recipes[0].tolerance_m = 0.001 + 0.0001 * f32::from(step));
        settle(&mut workspace);
    }
    workspace.commit();
    drop(workspace);
    let found = clips(&store).len();
    // A machine that pauses for half a second keeps one more.
    assert!((2..10).contains(&found), "{found} entries after 20 steps");
    let again = window_of(&bench, &FILES[1..], Some(store), Some(0.001 + 0.0001 * 20.0));
    assert!(reports(&again).iter().all(|report| report.encode_ms.is_none()));
}
