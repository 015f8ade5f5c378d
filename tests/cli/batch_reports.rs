//! Reports of a library: its page, the difference of two results, progress for programs, and readers of others for its formats.

use crate::batch::{RECIPE, TORN, batch, library};
use crate::project::project;
use crate::support::{Bench, Run};
use serde_json::Value;
use std::process::Command;

/// A library with a file that cannot be read. Its clips are over a gate, and so is their size.
fn faulty_library() -> Bench {
    let bench = library();
    bench.write(TORN, b"glTF\x02\0\0\0");
    bench
}

fn faulty(bench: &Bench, format: &str) -> Run {
    bench.run(&format!("batch lib -o out --gate max-error=0.000001mm,total=1KB {format} {RECIPE}"))
}

#[test]
fn the_page_of_a_library_has_the_worst_first_and_their_curves() {
    let bench = faulty_library();
    assert_eq!(faulty(&bench, "--html page.html").status, 1);
    let page = String::from_utf8(bench.read("page.html")).unwrap();
    assert_eq!(page.matches("<polyline").count(), 3, "one curve per clip");
    let place = |words: &str| page.find(words).unwrap_or_else(|| panic!("{words}: {page}"));
    let torn = TORN.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    assert!(place(&torn) < place("lib/a/biped.gltf#Walk"), "a file without a result is the worst");
    assert!(
        page.contains("<h2>lib/a/biped.gltf#Wave, quantize</h2>") && page.contains("the gate's limit is"),
        "{page}"
    );
    for outside in ["http:", "https:", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}: a page must work without other files");
    }
    if cfg!(feature = "gui") {
        assert!(page.contains("src=\"data:image/png;base64,"));
    }
    assert_eq!(batch(&bench, "lib -o out --html lib/chain.bvh").status, 2, "no source is overwritten");
}

#[test]
fn the_difference_of_two_results_has_what_got_worse_first() {
    let bench = library();
    for (output, tolerance) in
        [("fine", "--tolerance-mm 50"), ("rough", "--tolerance-mm 50 --set rotation_format=largest32")]
    {
        let line = format!("batch lib -o {output} --codec quantize {tolerance} --fail-sampling-mm 1000");
        assert!(matches!(bench.run(&line).status, 0 | 3));
    }
    let manifests = "fine/posepress-batch.json rough/posepress-batch.json";
    let text = bench.ok(&format!("report diff {manifests}"));
    assert!(text.lines().nth(1).unwrap().contains("error +"), "{text}");
    assert!(text.contains("3 clips changed since the baseline"), "{text}");
    let diff = bench.json(&format!("report diff {manifests} --json"));
    let growth = |change: &Value| {
        change["worse"].as_array().unwrap().iter().map(|by| by[1].as_f64().unwrap()).fold(0.0, f64::max)
    };
    let changes: Vec<f64> = diff["changes"].as_array().unwrap().iter().map(growth).collect();
    assert!(changes.len() == 3 && changes[0] > 0.0 && changes.iter().rev().is_sorted(), "{diff}");
    assert!(diff["bytes_now"].as_u64() < diff["bytes_before"].as_u64(), "{diff}");
    // The output of `report` has the same numbers as the manifest of the same clips.
    let report = bench.run(&format!("report lib/a/biped.gltf --json {RECIPE}"));
    bench.write("report.json", report.out.as_bytes());
    bench.ok(&format!("batch lib/a/biped.gltf -o same {RECIPE}"));
    let same = bench.json("report diff report.json same/posepress-batch.json --json");
    assert_eq!(same["changes"], serde_json::json!([]), "{same}");
    bench.write("other.json", b"{}");
    let wrong = bench.run("report diff report.json other.json");
    assert!(
        wrong.status == 1 && wrong.messages.contains("other.json") && wrong.messages.contains("report --json"),
        "{}",
        wrong.messages
    );
    assert_eq!(bench.run("report diff report.json").status, 2);
    assert_eq!(bench.run("report").status, 2);
}

#[test]
fn progress_for_programs_counts_steps_and_failures() {
    let bench = faulty_library();
    let run = batch(&bench, "lib -o out --progress json");
    let events: Vec<Value> = run.messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(events.len(), 4, "{}", run.messages);
    let last = events.last().unwrap();
    assert_eq!((&last["done"], &last["total"], &last["failed"]), (&4.into(), &4.into(), &1.into()), "{}", run.messages);
    let failed = events.iter().find(|event| event["event"] == "failed").unwrap();
    assert!(failed["name"] == TORN && failed["error"].as_str().unwrap().contains("torn"), "{failed}");
    assert!(events.iter().all(|event| event["done"].as_u64() <= event["total"].as_u64()), "{}", run.messages);
}

#[test]
#[cfg(unix)]
fn a_file_name_cannot_control_the_terminal() {
    let bench = library();
    let name = "lib/torn\u{1b}[31m\nred.glb";
    bench.write(name, b"glTF\x02\0\0\0");
    for how in ["", "--plan", "--part 1/1", "--merge", "--github", "--progress json"] {
        let run = batch(&bench, &format!("lib -o out {how}"));
        let text = run.out.clone() + &run.messages;
        assert!(text.contains("red.glb") && !text.contains('\u{1b}'), "{how}: {text}");
        assert!(!text.lines().any(|line| line.starts_with("red.glb")), "{how}: {text}");
    }
    let run = batch(&bench, "lib -o out");
    let escaped = "lib/torn\\u{1b}[31m\\nred.glb";
    assert!(run.out.contains(escaped) && run.messages.contains(&format!("failed 1/1 {escaped}")), "{}", run.messages);
    let json = batch(&bench, "lib -o out --json").out;
    assert!(serde_json::from_str::<Value>(&json).unwrap().to_string().contains("torn\\u001b[31m\\nred.glb"), "{json}");
}

/// Runs a reader on a file. Returns what it prints.
fn read_by(mut reader: Command, file: &str, bench: &Bench) -> Value {
    let output = reader.arg(bench.path(file)).output().expect("the reader is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn node(script: &str) -> Command {
    let mut node = Command::new("node");
    node.arg(project("tests/readers").join(script));
    node
}

#[test]
#[ignore = "needs node, Python and packages: scripts/test.sh --readers"]
fn readers_of_junit_sarif_and_pages_find_every_fault() {
    let bench = faulty_library();
    bench.write("junit.xml", faulty(&bench, "--junit").out.as_bytes());
    let mut junit = Command::new(project("tests/readers/python/bin/python"));
    junit.arg(project("tests/readers/junit.py"));
    let tests = read_by(junit, "junit.xml", &bench);
    let of =
        |kind: &str| tests.as_array().unwrap().iter().filter(|test| test["results"].to_string().contains(kind)).count();
    assert_eq!((tests.as_array().unwrap().len(), of("Error"), of("Failure")), (5, 1, 4), "{tests}");
    assert!(tests.to_string().contains(TORN), "{tests}");
    let of_library = tests.as_array().unwrap().iter().find(|test| test["file"] == "library").unwrap();
    assert!(of_library["name"] == "total" && of_library["results"].to_string().contains("Failure"), "{tests}");
    bench.write("all.sarif", faulty(&bench, "--sarif").out.as_bytes());
    let sarif = read_by(node("sarif.mjs"), "all.sarif", &bench);
    assert_eq!(sarif, serde_json::json!({ "errors": [], "results": 5 }));
    faulty(&bench, "--html page.html");
    let page = read_by(node("page.mjs"), "page.html", &bench);
    for wrong in ["problems", "requests", "inaccessible"] {
        assert_eq!(page[wrong], serde_json::json!([]), "{wrong}: {page}");
    }
    assert_eq!(page["ascending"].as_array().unwrap().len(), 4);
}
