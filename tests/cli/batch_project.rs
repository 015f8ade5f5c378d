//! `posepress batch` with the decisions that a person made in the window.

use crate::batch::{library, manifest};
use crate::blind::{by, save};
use crate::support::{Bench, settle};
use posepress_core::codecs::LinearKeys;
use posepress_core::import::ImportOptions;
use posepress_core::model::ClipId;
use posepress_core::project::{DecisionKind, Document};
use posepress_core::recipe::Recipe;
use posepress_core::store::Store;
use posepress_core::tasks::SourceFile;
use posepress_core::workspace::Workspace;

/// Gates of the clips' verdict are not the subject.
const GATE: &str = "--fail-sampling-mm 1000";

/// A project about `lib/a/biped.gltf`: *Walk* was approved at 4 mm, *Wave* has 3 mm of its own and is marked as no loop, and slot A has 1 mm
/// now. Returns the bytes of both in the window.
pub fn reviewed(bench: &Bench, store: Option<Store>) -> [u64; 2] {
    let mut workspace = Workspace::new(Document::default(), || {});
    workspace.results().set_store(store);
    workspace.open(SourceFile::Path(bench.path("lib/a/biped.gltf")), ImportOptions::default());
    settle(&mut workspace);
    let clips: Vec<ClipId> = workspace.library().clip_ids().collect();
    let tolerance = |workspace: &mut Workspace, tolerance_m: f32| {
        workspace.edit("Recipe", |document| {
            document.recipes[0] = Recipe { tolerance_m, ..Recipe::of(&LinearKeys) };
        });
        settle(workspace);
    };
    let bytes = |workspace: &Workspace, clip: usize| {
        workspace.answer(clips[clip], 0).unwrap().report.as_ref().unwrap().bytes as u64
    };
    tolerance(&mut workspace, 0.004);
    workspace.decide(&clips[..1], DecisionKind::Approved, &by("Ann"));
    let approved = bytes(&workspace, 0);
    tolerance(&mut workspace, 0.001);
    workspace.select(Some(clips[1]));
    let key = workspace.library().clip_key(clips[1]).unwrap();
    workspace.edit("Loop", |document| _ = document.loops.insert(key, false));
    workspace.preview_tolerance(Some(0.003));
    workspace.commit();
    settle(&mut workspace);
    save(bench, &workspace, "lib/review.posepress.toml");
    [approved, bytes(&workspace, 1)]
}

/// Clip, tolerance in mm and bytes of each row.
fn rows(bench: &Bench) -> Vec<(String, f64, u64)> {
    let manifest = manifest(bench, "out");
    let row = |row: &serde_json::Value| {
        let numbers = &row["numbers"];
        let tolerance_mm = numbers["tolerance_mm"].as_f64().unwrap_or_else(|| panic!("{row}"));
        (row["clip"].as_str().unwrap().to_owned(), tolerance_mm, numbers["figures"]["bytes"].as_u64().unwrap())
    };
    manifest["rows"].as_array().unwrap().iter().map(row).collect()
}

fn tolerances(bench: &Bench) -> Vec<f64> {
    rows(bench).into_iter().map(|(_, tolerance_mm, _)| tolerance_mm).collect()
}

#[test]
fn a_project_is_worked_on_with_its_own_recipes_and_gives_the_bytes_of_the_window() {
    let bench = library();
    let [walk, wave] = reviewed(&bench, None);
    let run = bench.run(&format!("batch lib/review.posepress.toml -o out {GATE}"));
    assert!(matches!(run.status, 0 | 3), "{}", run.messages);
    assert_eq!(rows(&bench), [("Walk".into(), 4.0, walk), ("Wave".into(), 3.0, wave)]);
    assert!(bench.path("out/a/biped.posepress").exists(), "its place below the project's folder");
    for (line, words) in [
        ("lib/review.posepress.toml lib/other.posepress.toml", "are two projects. Run them apart"),
        ("lib/missing.posepress.toml", "missing.posepress.toml"),
    ] {
        let run = bench.run(&format!("batch {line} -o out"));
        assert!(run.status != 0 && run.messages.contains(words), "{line}: {}", run.messages);
    }
}

#[test]
fn rules_come_before_what_a_person_chose_for_one_clip_and_an_approval_before_budgets() {
    let bench = library();
    reviewed(&bench, None);
    let rules = "project = \"review.posepress.toml\"\n[[rule]]\nmatch = \"**\"\nrecipe.tolerance_m = 0.0005\n";
    bench.write("lib/posepress.toml", rules.as_bytes());
    let run = |rest: &str| bench.run(&format!("batch lib -o out --codec linear-keys {GATE} {rest}"));
    assert!(matches!(run("").status, 0 | 3));
    assert_eq!(tolerances(&bench), [4.0, 3.0, 0.5]);
    let why = |clip: &str| bench.ok(&format!("batch --why lib/a/biped.gltf#{clip}"));
    assert!(
        why("Walk").contains("project approved by Ann: ") && why("Wave").contains("project tolerance of the clip: ")
    );
    assert!(why("Walk").contains("slot A of the project"), "{}", why("Walk"));
    // A budget of the whole leaves the approved clip as it is.
    let most = 3 * bench.read("out/a/biped.posepress").len();
    bench.write("lib/posepress.toml", format!("{rules}[[budget]]\nmost = \"{most}B\"\n").as_bytes());
    assert!(matches!(run("").status, 0 | 3));
    let fitted = tolerances(&bench);
    assert!(fitted[0] == 4.0 && fitted[1] != 3.0, "{fitted:?}");
    assert!(why("Walk").contains("keeps the approved tolerance"), "{}", why("Walk"));
    // A second project would decide otherwise.
    let same = bench.run("batch lib/review.posepress.toml -o out --codec linear-keys --plan");
    assert_eq!(same.status, 0, "{}", same.messages);
    bench.write("lib/other.posepress.toml", &bench.read("lib/review.posepress.toml"));
    let two = bench.run("batch lib/other.posepress.toml -o out --plan");
    assert!(two.status == 2 && two.messages.contains("Leave one of them out"), "{}", two.messages);
    // The approval was of other bytes. Other choices for the clip go on.
    bench.write("lib/posepress.toml", rules.as_bytes());
    let changed = [&bench.read("lib/a/biped.gltf")[..], b"\n"].concat();
    bench.write("lib/a/biped.gltf", &changed);
    assert!(matches!(run("").status, 0 | 3));
    assert_eq!(tolerances(&bench), [0.5, 3.0, 0.5]);
    bench.write("lib/posepress.toml", b"project = 1\n");
    let wrong = run("");
    assert!(wrong.status == 1 && wrong.messages.contains("'project' must be a path"), "{}", wrong.messages);
}

#[test]
fn a_changed_mark_changes_its_clip_and_no_other() {
    let bench = library();
    reviewed(&bench, None);
    let line = format!("batch lib/review.posepress.toml -o out {GATE}");
    assert!(matches!(bench.run(&line).status, 0 | 3));
    let counts = || bench.json(&format!("{line} --plan --json"))["counts"].clone();
    assert_eq!((&counts()["done"], &counts()["changed"]), (&2.into(), &0.into()));
    let text = String::from_utf8(bench.read("lib/review.posepress.toml")).unwrap();
    let marked = text.replace("/ Wave\" = false", "/ Wave\" = true");
    assert_ne!(marked, text);
    bench.write("lib/review.posepress.toml", marked.as_bytes());
    // The clips with their marks are known after an import.
    assert_eq!((&counts()["done"], &counts()["changed"]), (&0.into(), &1.into()));
    let run = bench.run(&line);
    assert!(run.messages.contains("compressed 1/1 "), "{}", run.messages);
    assert_eq!((&counts()["done"], &counts()["changed"]), (&2.into(), &0.into()));
}
