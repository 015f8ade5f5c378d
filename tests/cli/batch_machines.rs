//! `posepress batch` on many machines: parts, claims, the merge, and Dask as their engine.

use crate::batch::{RECIPE, SLOW, batch, library, long_library, manifest, worked};
use crate::project::project;
use crate::support::Bench;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// A library with a file that cannot be read, and the folder `whole`, which a single run made of it.
fn library_and_whole() -> Bench {
    let bench = library();
    bench.write("lib/torn.glb", b"glTF\x02\0\0\0");
    bench.write("lib/b.bvh", bench.read("chain.bvh").as_slice());
    assert_eq!(batch(&bench, "lib -o whole").status, 1);
    bench
}

fn same_as_whole(bench: &Bench, output: &str) {
    for name in ["posepress-batch.json", "a/biped.posepress", "b.posepress", "chain.posepress"] {
        assert!(bench.read(&format!("{output}/{name}")) == bench.read(&format!("whole/{name}")), "{name}");
    }
}

fn plan(bench: &Bench) -> Vec<Value> {
    let plan = bench.json(&format!("batch lib -o out --store store --plan --json {RECIPE}"));
    plan["tasks"].as_array().unwrap().clone()
}

fn key(task: &Value) -> &str {
    task["key"].as_str().unwrap()
}

#[test]
fn parts_share_out_every_file_once_and_the_merge_is_a_single_run() {
    let bench = library_and_whole();
    let mut compressed = 0;
    for part in ["2/3", "1/3", "3/3"] {
        let run = batch(&bench, &format!("lib -o out --store store --json --part {part}"));
        let report: Value = serde_json::from_str(&run.out).unwrap();
        let failed = report["failed"].as_array().unwrap();
        assert_eq!(run.status, i32::from(!failed.is_empty()), "{}", run.messages);
        assert!(failed.iter().all(|row| row["source"] == "lib/torn.glb"), "{}", run.out);
        assert_eq!(report["compressed"], worked(&run));
        compressed += worked(&run);
        assert!(!bench.path("out/posepress-batch.json").exists(), "outputs are left to the merge");
    }
    assert_eq!(compressed, 4);
    let merged = batch(&bench, "lib -o out --store store --merge");
    assert_eq!((merged.status, worked(&merged)), (1, 0), "{}", merged.messages);
    same_as_whole(&bench, "out");
    let again = batch(&bench, "lib -o out --store store --part 1/1");
    assert!(again.out.starts_with("0 clips compressed, 4 were in the store"), "{}", again.out);
    for wrong in ["0/3", "4/3", "1", "1/2 --merge", "1/2 --plan"] {
        assert_eq!(batch(&bench, &format!("lib -o out --part {wrong}")).status, 2, "{wrong}");
    }
}

#[test]
fn tasks_of_the_plan_are_claimed_one_by_one() {
    let bench = library_and_whole();
    let tasks = plan(&bench);
    assert_eq!(tasks.len(), 4, "clips are known only after an import: {tasks:?}");
    for task in &tasks {
        assert!(task["estimated_secs"].as_f64().unwrap() > 0.0 && task["clip"].is_null(), "{task}");
        // The task's file is enough: no worker looks through the library.
        let line = format!("{} -o out --store store --claim {}", task["source"].as_str().unwrap(), key(task));
        let run = batch(&bench, &line);
        assert_eq!(run.status, i32::from(task["source"] == "lib/torn.glb"), "{}", run.messages);
    }
    batch(&bench, "lib -o out --store store --merge");
    same_as_whole(&bench, "out");
}

#[test]
fn a_claim_takes_its_clip_alone_and_an_old_key_is_said() {
    let bench = library();
    assert_eq!(batch(&bench, "lib -o out --store store").status, 0);
    bench.write("lib/posepress.toml", b"[[rule]]\nrecipe.tolerance_m = 0.04\n");
    let tasks = plan(&bench);
    let wave = tasks.iter().find(|task| task["clip"] == "Wave").unwrap();
    assert_eq!(wave["state"], "changed", "{wave}");
    let line = format!("lib -o out --store store --claim {}", key(wave));
    let run = batch(&bench, &line);
    assert_eq!((run.status, worked(&run)), (0, 1), "{}", run.messages);
    assert!(run.messages.contains("biped.gltf#Wave"), "{}", run.messages);
    let merged = batch(&bench, "lib -o out --store store --merge");
    assert!(merged.status == 1 && merged.messages.contains("2 rows without a result"), "{}", merged.messages);
    assert!(manifest(&bench, "out").to_string().contains("it has no result in the store yet"));
    bench.write("lib/posepress.toml", b"[[rule]]\nrecipe.tolerance_m = 0.03\n");
    let old = batch(&bench, &line);
    assert!(old.status == 1 && old.messages.contains("Plan again") && worked(&old) == 0, "{}", old.messages);
    assert_eq!(batch(&bench, "lib -o out --claim walk").status, 2);
}

#[test]
fn the_merge_knows_why_a_part_failed() {
    let bench = library();
    let tasks = plan(&bench);
    let of_file = tasks.iter().find(|task| task["source"] == "lib/a/biped.gltf").unwrap();
    assert_eq!(batch(&bench, &format!("lib -o out --store store --claim {}", key(of_file))).status, 0);
    bench.write("lib/posepress.toml", b"[[rule]]\nrecipe.tolerance_m = 0.04\n");
    let walk = plan(&bench).into_iter().find(|task| task["clip"] == "Walk").unwrap();
    std::fs::create_dir(bench.path("store/failures")).unwrap();
    bench.write(&format!("store/failures/{}", key(&walk)), b"its rig is torn");
    batch(&bench, "lib -o out --store store --merge");
    let errors = manifest(&bench, "out")["rows"].to_string();
    assert!(errors.contains("its rig is torn"), "{errors}");
    assert_eq!(batch(&bench, "lib -o out --store store").status, 0, "a run tries the clip again");
    assert!(!bench.path(&format!("store/failures/{}", key(&walk))).exists());
}

/// A library whose clips share a budget, and the options of its runs.
fn library_with_budget() -> (Bench, &'static str) {
    let bench = library();
    bench.write("lib/posepress.toml", b"[[budget]]\nmost = \"1.4KB\"\n");
    (bench, "--codec press --fail-sampling-mm 1000 --fail-error-mm 1000")
}

#[test]
fn clips_that_share_a_budget_are_claimed_with_all_inputs() {
    let (bench, options) = library_with_budget();
    let plan = bench.json(&format!("batch lib -o out --plan --json {options}"));
    assert_eq!(plan["has_budgets"], true);
    let tasks = plan["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 3, "{plan}");
    let alone = bench.run(&format!("batch lib/chain.bvh -o out {options} --claim {}", key(&tasks[2])));
    assert!(alone.status == 1 && alone.messages.contains("name all inputs of the plan"), "{}", alone.messages);
    for task in tasks {
        let claimed = bench.run(&format!("batch lib -o out {options} --claim {}", key(task)));
        assert_eq!((claimed.status, worked(&claimed)), (0, 1), "{}", claimed.messages);
    }
    let merged = bench.run(&format!("batch lib -o out {options} --merge"));
    assert_eq!(manifest(&bench, "out")["totals"]["failed"], 0, "{}", merged.messages);
}

/// The Python that has Dask: `scripts/test.sh --readers` makes it.
fn python() -> PathBuf {
    project("tests/readers/python/bin/python")
}

#[test]
#[ignore = "needs Dask: scripts/test.sh --readers"]
fn readers_dask_loses_a_worker_and_a_connection_and_makes_the_same_bytes() {
    let bench = Bench::new();
    long_library(&bench, 36);
    assert_eq!(bench.run(&format!("batch long -o single --store one {SLOW}")).status, 0);
    let mut check = Command::new(python());
    check.arg(project("tests/readers/dask_cluster.py")).args([
        env!("CARGO_BIN_EXE_posepress"),
        "long",
        "single",
        "one",
    ]);
    let output = check.args(["--"]).args(SLOW.split(' ')).current_dir(bench.path("")).output().expect("Dask's Python");
    let log = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{log}{}", String::from_utf8_lossy(&output.stderr));
    for event in ["killed worker", "cut the connection", "the same bytes"] {
        assert!(log.contains(event), "{log}");
    }
    println!("{log}");
}

#[test]
#[ignore = "needs Dask: scripts/test.sh --readers"]
fn readers_dask_compresses_any_file_name_and_the_merge_has_options_of_its_own() {
    let bench = library();
    bench.write("-first.bvh", &bench.read("chain.bvh"));
    let mut script = Command::new(python());
    script.arg(project("scripts/batch_dask.py")).args(["lib", "./-first.bvh", "-o", "out", "--workers", "1"]);
    script.args(["--posepress", env!("CARGO_BIN_EXE_posepress"), "--"]).args(RECIPE.split(' '));
    script.args(["--", "--csv", "--gate", "total=1B"]);
    let output = script.current_dir(bench.path("")).output().expect("Dask's Python");
    let (out, messages) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), out.lines().count()), (Some(3), 5), "{out}{messages}");
    assert!(out.lines().nth(1).unwrap().starts_with("-first.bvh,") && messages.contains("gate: library"), "{messages}");
}

#[test]
#[ignore = "needs Dask: scripts/test.sh --readers"]
fn readers_dask_keeps_a_budget_that_clips_of_several_groups_share() {
    let (bench, options) = library_with_budget();
    let mut script = Command::new(python());
    script.arg(project("scripts/batch_dask.py")).args(["lib", "-o", "out", "--workers", "1", "--group-secs", "0.001"]);
    script.args(["--posepress", env!("CARGO_BIN_EXE_posepress"), "--"]).args(options.split(' '));
    let output = script.current_dir(bench.path("")).output().expect("Dask's Python");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && messages.contains("3 groups"), "{messages}");
    assert_eq!(bench.run(&format!("batch lib -o single {options}")).status, 0);
    assert_eq!(bench.read("out/posepress-batch.json"), bench.read("single/posepress-batch.json"));
}
