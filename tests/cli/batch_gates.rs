//! `posepress batch`: rules, gates, baselines and report formats.

use crate::batch::{RECIPE, TORN, batch, library, manifest, worked};
use serde_json::Value;

const RULES: &str =
    "[[rule]]\nmatch = \"a/**\"\nrecipe.tolerance_m = 0.002\n\n[[rule]]\nclip = \"Wave\"\nrecipe.tolerance_m = 0.004\n";

#[test]
fn rules_choose_recipes_and_a_changed_rule_changes_only_its_clips() {
    let bench = library();
    bench.write("lib/posepress.toml", RULES.as_bytes());
    let run = batch(&bench, "lib -o out");
    assert!(matches!(run.status, 0 | 3) && worked(&run) == 3, "{}", run.messages);
    let tolerances = || -> Vec<f64> {
        manifest(&bench, "out")["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["numbers"]["tolerance_mm"].as_f64().unwrap())
            .collect()
    };
    assert_eq!(tolerances(), [2.0, 4.0, 50.0]);
    let why = bench.ok(&format!("batch --why lib/a/biped.gltf#Wave {RECIPE}"));
    for words in ["rule 1", "a/**", "rule 2", "clip = \"Wave\"", "tolerance_m = 0.004\n"] {
        assert!(why.contains(words), "{why}");
    }
    bench.write("lib/posepress.toml", RULES.replace("0.004", "0.003").as_bytes());
    let plan = bench.json(&format!("batch lib -o out --plan --json {RECIPE}"));
    assert_eq!((&plan["counts"]["changed"], &plan["counts"]["done"]), (&1.into(), &2.into()), "{plan}");
    let again = batch(&bench, "lib -o out");
    assert_eq!(worked(&again), 1, "{}", again.messages);
    assert_eq!(tolerances(), [2.0, 3.0, 50.0]);
    bench.write("lib/posepress.toml", b"[[rule]]\nrecipe.tolerence_m = 1.0\n");
    let wrong = batch(&bench, "lib -o out");
    assert!(wrong.status == 1 && wrong.messages.contains("did you mean 'tolerance_m'?"), "{}", wrong.messages);
    bench.write("lib/a/posepress.toml", b"");
    let both = batch(&bench, "lib -o out");
    assert!(both.status == 2 && both.messages.contains("Run them apart"), "{}", both.messages);
}

#[test]
fn rules_say_how_files_are_read_and_a_changed_unit_changes_only_its_files() {
    let bench = library();
    bench.write("lib/posepress.toml", b"[[rule]]\nmatch = \"*.bvh\"\nimport.unit = \"cm\"\n");
    let run = batch(&bench, "lib -o out");
    assert!(matches!(run.status, 0 | 3) && worked(&run) == 3, "{}", run.messages);
    let chain = |folder: &str| -> Value {
        let rows = manifest(&bench, folder)["rows"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["source"].as_str().unwrap().ends_with("chain.bvh")).unwrap()["numbers"].clone()
    };
    std::fs::create_dir_all(bench.path("apart")).unwrap();
    bench.write("apart/chain.bvh", &bench.read("chain.bvh"));
    for (folder, unit) in [("alone", "--unit cm"), ("metres", "")] {
        let run = batch(&bench, &format!("apart -o {folder} {unit}"));
        assert!(matches!(run.status, 0 | 3), "{}", run.messages);
    }
    assert_eq!(chain("out"), chain("alone"));
    assert_ne!(chain("out"), chain("metres"));
    let why = bench.ok(&format!("batch --why lib/chain.bvh#chain {RECIPE}"));
    assert!(why.contains("rule 1  match = \"*.bvh\": import.unit = \"cm\""), "{why}");
    assert_eq!(worked(&batch(&bench, "lib -o out")), 0, "a second run works on nothing");
    bench.write("lib/posepress.toml", b"[[rule]]\nmatch = \"*.bvh\"\nimport.unit = \"m\"\n");
    assert_eq!(worked(&batch(&bench, "lib -o out")), 1);
    assert_eq!(chain("out"), chain("metres"));
    bench.write("lib/posepress.toml", b"[[rule]]\nclip = \"Walk\"\nimport.unit = \"cm\"\n");
    let wrong = batch(&bench, "lib -o out");
    assert!(wrong.status == 1 && wrong.messages.contains("'import' is about whole files"), "{}", wrong.messages);
}

#[test]
fn gates_give_status_3_and_name_clip_and_limit() {
    let bench = library();
    let gate = |gate: &str| batch(&bench, &format!("lib -o out --gate {gate}"));
    assert_eq!(gate("max-error=1m,total=1GB").status, 0);
    let unmet = gate("max-error=0.000001mm");
    assert!(unmet.status == 3 && unmet.messages.contains("lib/a/biped.gltf#W"), "{}", unmet.messages);
    assert!(gate("total=1B").status == 3 && gate("slide=2").status == 2 && gate("growth=5%").status == 2);
    bench.write("lib/posepress.toml", b"[gate]\ntotal = \"1B\"\n");
    let of_file = batch(&bench, "lib -o out");
    assert!(of_file.status == 3 && of_file.messages.contains("library: all clips take"), "{}", of_file.messages);
    assert_eq!(gate("total=1GB").status, 0, "the option counts before the file");
    // A clip over the tolerance of its recipe fails without a gate.
    bench.write("lib/posepress.toml", b"");
    let over = bench.run("batch lib -o over --codec quantize --tolerance-mm 0.0001");
    assert!(over.status == 3 && over.messages.contains("gate: lib/"), "{}", over.messages);
}

#[test]
fn a_baseline_shows_the_clip_that_got_worse_first() {
    let bench = library();
    let first = batch(&bench, "lib -o out --baseline base.json --update-baseline --gate growth=5%");
    assert!(
        first.status == 0 && bench.read("base.json") == bench.read("out/posepress-batch.json"),
        "{}",
        first.messages
    );
    bench.write(
        "lib/posepress.toml",
        b"[[rule]]\nclip = \"Wave\"\nrecipe.values = { rotation_format = \"largest32\" }\n",
    );
    let run = batch(&bench, "lib -o out --baseline base.json");
    let lines: Vec<&str> = run.out.lines().collect();
    let at =
        lines.iter().position(|line| line.starts_with("since the baseline")).unwrap_or_else(|| panic!("{}", run.out));
    assert!(lines[at + 1].starts_with("lib/a/biped.gltf#Wave") && lines[at + 1].contains("error +"), "{}", run.out);
    assert!(run.out.contains("1 clip changed since the baseline, 1 with larger errors"), "{}", run.out);
    bench.write("lib/posepress.toml", b"[[rule]]\nrecipe.codec = \"raw\"\n");
    let grown = batch(&bench, "lib -o out --baseline base.json --gate growth=5%");
    assert!(grown.status == 3 && grown.messages.contains("grew by"), "{}", grown.messages);
    bench.write("base.json", b"{}");
    assert_eq!(batch(&bench, "lib -o out --baseline base.json").status, 1);
}

#[test]
fn every_format_has_the_clip_that_fails() {
    let bench = library();
    bench.write(TORN, b"glTF\x02\0\0\0");
    let run = |format: &str| bench.run(&format!("batch lib -o out --gate max-error=0.000001mm {format} {RECIPE}"));
    let json: Value = serde_json::from_str(&run("--json").out).unwrap();
    assert_eq!((&json["totals"]["clips"], &json["totals"]["failed"]), (&3.into(), &1.into()));
    let csv = run("--csv").out;
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert!(csv.lines().all(|line| line.split(',').count() >= 19), "{csv}");
    let markdown = run("--markdown").out;
    assert!(markdown.contains(&format!("| {} | ", TORN.replace('<', "&lt;"))), "{markdown}");
    let sarif: Value = serde_json::from_str(&run("--sarif").out).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results[0]["ruleId"], "no-result");
    assert_eq!(results[1]["ruleId"], "gate");
    let github = run("--github").out;
    assert!(github.lines().count() <= 10 && github.starts_with(&format!("::error file={TORN},title=")), "{github}");
    let junit = run("--junit").out;
    assert_eq!(
        events(&junit),
        [("testsuites", 1), ("testsuite", 3), ("testcase", 4), ("error", 1)]
            .map(|(name, count)| (name.to_owned(), count)),
        "{junit}"
    );
    assert_eq!(run("--json --csv").status, 2);
}

/// Counts of the elements of an XML text, except failures, as a reader finds them.
fn events(text: &str) -> Vec<(String, usize)> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(text);
    let names = ["testsuites", "testsuite", "testcase", "error"];
    let mut counts = names.map(|name| (name.to_owned(), 0));
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return counts.to_vec(),
            Event::Start(tag) | Event::Empty(tag) => {
                tag.attributes().for_each(|attribute| assert!(attribute.is_ok()));
                let name = String::from_utf8(tag.name().as_ref().to_vec()).unwrap();
                counts.iter_mut().filter(|(known, _)| *known == name).for_each(|(_, count)| *count += 1);
            }
            _ => {}
        }
    }
}
