//! `posepress batch --review`: a project of the run for the window.

use crate::batch::{library, manifest};
use crate::batch_project::reviewed;
use crate::blind::{by, save};
use crate::support::{Bench, settle};
use posepress_core::project::{DecisionKind, Document, Project};
use posepress_core::store::Store;
use posepress_core::tasks::SourceFile;
use posepress_core::workspace::Workspace;
use std::collections::BTreeMap;

/// Gates of the clips' verdict are not the subject.
const GATE: &str = "--fail-sampling-mm 1000";

const RULES: &[u8] = b"[[rule]]\nmatch = \"**\"\nrecipe.fail_sampling_m = 1.0\n
[[rule]]\nmatch = \"a/*\"\nrecipe.tolerance_m = 0.002\n
[[rule]]\nclip = \"Wave\"\nrecipe.codec = \"linear-keys\"\n
[[budget]]\nmatch = \"*.bvh\"\nmost = \"1KB\"\n";

fn project(bench: &Bench, name: &str) -> Project {
    let text = String::from_utf8(bench.read(name)).unwrap();
    Project::from_toml(&text, bench.path(name).parent().unwrap()).unwrap()
}

/// Codec and bytes of every clip.
type Rows = BTreeMap<String, (String, u64)>;

/// A window with a project and the store.
fn window(bench: &Bench, project: Project) -> Workspace {
    let mut workspace = Workspace::new(Document::default(), || {});
    workspace.results().set_store(Some(Store::open_existing(&bench.path("store")).unwrap()));
    workspace.edit("Open", |document| *document = project.document);
    for source in project.sources {
        workspace.open(SourceFile::Path(source.path), source.import);
    }
    settle(&mut workspace);
    workspace
}

/// The clips in a window, and the number of those that the window compressed.
fn in_window(workspace: &Workspace) -> (Rows, usize) {
    let report = |clip| workspace.answer(clip, 0).unwrap().report.clone().unwrap();
    let reports: Vec<_> = workspace.library().clip_ids().map(report).collect();
    let made = reports.iter().filter(|report| report.encode_ms.is_some()).count();
    let rows = reports.iter().map(|report| (report.clip.clone(), (report.codec.to_string(), report.bytes as u64)));
    (rows.collect(), made)
}

/// The clips of the batch.
fn in_batch(bench: &Bench) -> Rows {
    let manifest = manifest(bench, "out");
    let row = |row: &serde_json::Value| {
        let numbers = &row["numbers"];
        let codec = numbers["codec"].as_str().unwrap_or_else(|| panic!("{row}")).to_owned();
        (row["clip"].as_str().unwrap().into(), (codec, numbers["figures"]["bytes"].as_u64().unwrap()))
    };
    manifest["rows"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn a_window_opens_a_run_with_its_recipes_and_results() {
    let bench = library();
    bench.write("lib/posepress.toml", RULES);
    let run = bench.run("batch lib -o out --store store --review out/run.posepress.toml");
    assert!(matches!(run.status, 0 | 3), "{}", run.messages);
    assert!(
        run.messages.contains(
            "out/run.posepress.toml: 3 clips. Open it with: posepress --store 'store' 'out/run.posepress.toml'"
        ),
        "{}",
        run.messages
    );
    let batch = in_batch(&bench);
    assert_eq!(batch["Wave"].0, "linear-keys");
    let project = project(&bench, "out/run.posepress.toml");
    let document = &project.document;
    let counts = (document.recipes.len(), document.named.len(), document.tolerances["A"].len());
    assert_eq!(counts, (1, 1, 3), "tolerances of a budget stay apart from the recipes");
    assert_eq!(in_window(&window(&bench, project)), (batch, 0), "each was found in the store");
}

#[test]
fn decisions_of_the_project_of_the_run_go_along() {
    let bench = library();
    reviewed(&bench, None);
    let line = format!("batch lib/review.posepress.toml -o out --store store {GATE} --review run.posepress.toml");
    assert!(matches!(bench.run(&line).status, 0 | 3));
    let (before, after) = (project(&bench, "lib/review.posepress.toml"), project(&bench, "run.posepress.toml"));
    assert_eq!(after.sources[0].digest, before.sources[0].digest);
    assert_eq!(after.document.decisions, before.document.decisions);
    assert_eq!(after.document.loops, before.document.loops);
    assert_eq!(in_window(&window(&bench, after)).0, in_batch(&bench));
}

#[test]
fn what_a_person_decided_in_it_outlives_the_next_run() {
    let bench = library();
    let line = format!("batch lib -o out --store store {GATE} --review run.posepress.toml");
    assert!(matches!(bench.run(&line).status, 0 | 3));
    let mut workspace = window(&bench, project(&bench, "run.posepress.toml"));
    let clips: Vec<_> = workspace.library().clip_ids().collect();
    workspace.decide(&clips[..1], DecisionKind::Approved, &by("Ann"));
    let key = workspace.library().clip_key(clips[1]).unwrap();
    workspace.edit("Loop", |document| _ = document.loops.insert(key, false));
    save(&bench, &workspace, "run.posepress.toml");
    let reviewed = project(&bench, "run.posepress.toml");
    assert_eq!(reviewed.document.decisions.len(), 1);
    assert!(matches!(bench.run(&format!("{line} --tolerance-mm 0.5")).status, 0 | 3));
    let after = project(&bench, "run.posepress.toml").document;
    assert_eq!((&after.decisions, &after.loops), (&reviewed.document.decisions, &reviewed.document.loops));
    assert_eq!(after.recipes[0].tolerance_m, 0.0005);
    bench.write("run.posepress.toml", b"version = 1\ndocument = 3");
    let damaged = bench.run(&line);
    assert!(damaged.status == 1 && damaged.messages.contains("run.posepress.toml"), "{}", damaged.messages);
}

#[test]
fn a_wrong_name_is_refused_before_the_work() {
    let bench = library();
    for (name, words) in [
        ("run.toml", "expected a name that ends with .posepress.toml"),
        ("lib/chain.posepress.toml", "it would hold the tags of lib/chain.bvh. Give another name"),
    ] {
        let run = bench.run(&format!("batch lib -o out --review {name}"));
        assert!(run.status == 2 && run.messages.contains(words), "{name}: {}", run.messages);
        assert!(!bench.path("out/posepress-batch.json").exists());
    }
    bench.write("lib/mine.posepress.toml", b"version = 1\n[document]\nrecipes = [{ codec = \"press\" }]\n");
    let run = bench.run("batch lib/mine.posepress.toml -o out --review lib/mine.posepress.toml");
    assert!(run.status == 2 && run.messages.contains("mine.posepress.toml"), "{}", run.messages);
}
