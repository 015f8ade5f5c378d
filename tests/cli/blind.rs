//! Blind tests in the record of a review, and their export.

use crate::support::{Bench, settle};
use posepress_core::import::ImportOptions;
use posepress_core::project::{DecisionKind, Document, Letter, Project, Reviewer, Trial};
use posepress_core::tasks::{LoadedSource, SourceFile};
use posepress_core::workspace::{ClipSlot, Workspace};
use std::time::UNIX_EPOCH;

pub fn by(author: &str) -> Reviewer {
    Reviewer { author: author.into(), note: String::new(), time: UNIX_EPOCH }
}

/// 8 trials, the first of them right. The original is A in every second one.
fn trials(right: usize) -> Vec<Trial> {
    let letter = |is_a| if is_a { Letter::A } else { Letter::B };
    (0..8)
        .map(|at| Trial { original: letter(at % 2 == 0), x: Letter::A, answer: letter(at < right), secs: 2.5 })
        .collect()
}

/// Saves the files and the document of a workspace as a project.
pub fn save(bench: &Bench, workspace: &Workspace, name: &str) {
    let sources = workspace.library().sources().iter().filter_map(LoadedSource::project_source).collect();
    let project = Project { sources, document: workspace.document().clone() };
    bench.write(name, project.to_toml(&bench.path("")).as_bytes());
}

/// Projects of Ann, and of Ben, who continued with hers.
pub fn projects(bench: &Bench) -> Workspace {
    let mut workspace = Workspace::new(Document::default(), || {});
    workspace.open(SourceFile::Path(bench.path("biped.gltf")), ImportOptions::default());
    settle(&mut workspace);
    save(bench, &workspace, "none.posepress.toml");
    let clips: Vec<_> = workspace.library().clip_ids().collect();
    let of = |clip: usize, slot| ClipSlot { clip: clips[clip], slot };
    assert!(workspace.add_blind_test(of(0, 0), trials(7), &by("Ann, \"A\"")));
    assert!(workspace.add_blind_test(of(0, 1), trials(4), &by("Ann, \"A\"")));
    save(bench, &workspace, "ann.posepress.toml");
    assert!(workspace.add_blind_test(of(0, 0), trials(8), &by("Ben")));
    assert_eq!(workspace.decide(&clips, DecisionKind::Approved, &by("Ben")), clips.len());
    save(bench, &workspace, "ben.posepress.toml");
    workspace
}

#[test]
fn a_study_has_a_row_per_trial_of_every_person_and_counts_each_test_once() {
    let bench = Bench::with_sources();
    projects(&bench);
    let run = bench.run("study ann.posepress.toml ben.posepress.toml");
    assert_eq!(run.status, 0, "{}", run.messages);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "study,file,clip,recipe,person,time,trial,a,x,answer,right,secs");
    assert_eq!(lines.len(), 1 + 3 * 8, "Ann's tests are in both projects");
    let ann = "biped.gltf,Walk,press 0.10 mm,\"Ann, \"\"A\"\"\",1970-01-01T00:00:00Z";
    let of_ann: Vec<&&str> = lines.iter().filter(|line| line.contains(ann)).collect();
    assert_eq!(of_ann.len(), 8);
    assert!(of_ann[0].ends_with(",1,original,A,A,true,2.500"), "{}", of_ann[0]);
    assert!(of_ann[7].ends_with(",8,compressed,A,B,false,2.500"), "{}", of_ann[7]);
    assert!(
        run.messages.contains("Walk, press 0.10 mm: 2 people, 15 of 16 (p < 0.001), difference seen"),
        "{}",
        run.messages
    );
    assert!(
        run.messages.contains("Walk, linear-keys 0.10 mm: 1 person, 4 of 8 (p = 0.637), no difference shown"),
        "{}",
        run.messages
    );
    bench.ok("study ann.posepress.toml ben.posepress.toml -o trials.csv");
    assert_eq!(String::from_utf8(bench.read("trials.csv")).unwrap(), run.out);
    let summary = bench.ok("study ben.posepress.toml --summary");
    assert!(summary.lines().count() == 3 && summary.contains("15 of 16 (p < 0.001)"), "{summary}");
}

#[test]
fn a_study_without_tests_or_with_a_bad_file_says_what_to_do() {
    let bench = Bench::with_sources();
    projects(&bench);
    for (line, status, words) in [
        ("study none.posepress.toml", 1, "the project holds no blind test; run 'Blind test' in the window (Ctrl+B)"),
        ("study ann.posepress.toml missing.posepress.toml", 1, "missing.posepress.toml: "),
        ("study ann.posepress.toml biped.gltf", 1, "biped.gltf: "),
        ("study ann.posepress.toml -o ann.posepress.toml", 2, "ann.posepress.toml"),
        ("study", 2, "NAME.posepress.toml"),
    ] {
        let run = bench.run(line);
        assert!(run.status == status && run.messages.contains(words), "{line}: {} {}", run.status, run.messages);
    }
}

#[test]
fn the_sign_off_has_the_blind_tests_of_what_was_judged() {
    let bench = Bench::with_sources();
    projects(&bench);
    let record = bench.json("signoff ben.posepress.toml --json");
    let decisions = record["decisions"].as_array().unwrap();
    let of_walk = decisions.iter().find(|one| one["clip"] == "Walk").unwrap()["blind_tests"].as_array().unwrap();
    let rows: Vec<_> =
        of_walk.iter().map(|one| (one["author"].as_str().unwrap(), one["right"].as_u64().unwrap())).collect();
    assert_eq!(rows, [("Ann, \"A\"", 7), ("Ben", 8)], "the test of recipe B is not about the approved recipe");
    assert!(of_walk[1]["trials"] == 8 && of_walk[1]["p_value"] == 1.0 / 256.0, "{of_walk:?}");
    let of_wave = decisions.iter().find(|one| one["clip"] == "Wave").unwrap();
    assert_eq!(of_wave["blind_tests"].as_array().map(Vec::len), Some(0));
    let out = bench.ok("signoff ben.posepress.toml");
    assert!(out.contains("blind test by") && out.contains("7 of 8 (p = 0.035)"), "{out}");
    let undecided = bench.json("signoff ann.posepress.toml --allow-undecided --json");
    let tests = |name: &str| {
        let clip = undecided["undecided"].as_array().unwrap().iter().find(|one| one["clip"] == name).unwrap().clone();
        let tests = clip["blind_tests"].as_array().unwrap().iter();
        tests
            .map(|test| (test["recipe"].as_str().unwrap().to_owned(), test["right"].as_u64().unwrap()))
            .collect::<Vec<_>>()
    };
    let known = [("press 0.10 mm".to_owned(), 7), ("linear-keys 0.10 mm".to_owned(), 4)];
    assert_eq!((tests("Walk"), tests("Wave")), (known.to_vec(), Vec::new()), "both recipes are in slots");
    let page = bench.ok("signoff ben.posepress.toml --html -");
    assert!(page.contains("<h2>Blind tests</h2>") && page.contains("8 of 8 (p = 0.004)"), "{page}");
}
