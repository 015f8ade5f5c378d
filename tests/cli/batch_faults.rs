//! `posepress batch`: files, rules and stores that change or vanish during a run.

use crate::batch::{SLOW, long_library, manifest, start, until_entries, worked};
use crate::support::Bench;

fn line(rest: &str) -> String {
    format!("batch long --jobs 1 --store store {rest} {SLOW}")
}

#[test]
fn a_store_that_vanishes_is_said_and_a_later_run_starts_a_new_one() {
    let bench = Bench::new();
    long_library(&bench, 6);
    let run = start(&bench, &line("-o out"));
    until_entries(&bench, "store", 1);
    std::fs::rename(bench.path("store"), bench.path("elsewhere")).unwrap();
    let ended = run.wait_with_output().unwrap();
    let messages = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{messages}");
    assert!(messages.contains("store: "), "{messages}");
    assert!(!bench.path("store").exists(), "half a store would be none");
    let again = bench.run(&line("-o out"));
    assert_eq!((again.status, worked(&again)), (0, 6), "{}", again.messages);
}

#[test]
fn a_file_that_changes_during_the_run_is_right_after_the_next_one() {
    let bench = Bench::new();
    long_library(&bench, 6);
    let run = start(&bench, &line("-o out"));
    until_entries(&bench, "store", 1);
    for at in 0..6 {
        let name = format!("long/take{at}.bvh");
        let text = String::from_utf8(bench.read(&name)).unwrap();
        bench.write(&name, text.replace(" 90 1 0 ", " 91 1 0 ").as_bytes());
    }
    let ended = run.wait_with_output().unwrap();
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&ended.stderr));
    let next = bench.run(&line("-o out"));
    assert_eq!(next.status, 0, "{}", next.messages);
    let fresh = bench.run(&format!("batch long -o fresh {SLOW}"));
    assert_eq!(fresh.status, 0, "{}", fresh.messages);
    assert!(bench.read("out/posepress-batch.json") == bench.read("fresh/posepress-batch.json"));
    assert!(bench.read("out/take0.posepress") == bench.read("fresh/take0.posepress"));
}

#[test]
fn rules_that_are_edited_during_the_run_count_in_the_next_one() {
    let bench = Bench::new();
    long_library(&bench, 5);
    let rules =
        |mm: &str| bench.write("long/posepress.toml", format!("[[rule]]\nrecipe.tolerance_m = {mm}\n").as_bytes());
    let tolerances = || -> Vec<String> {
        let manifest = manifest(&bench, "out");
        manifest["rows"].as_array().unwrap().iter().map(|row| row["numbers"]["tolerance_mm"].to_string()).collect()
    };
    rules("0.002");
    let run = start(&bench, &line("-o out"));
    until_entries(&bench, "store", 1);
    rules("0.004");
    let ended = run.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(tolerances(), ["2.0"; 5], "one run has one set of rules");
    let next = bench.run(&line("-o out"));
    assert_eq!((next.status, worked(&next)), (0, 5), "{}", next.messages);
    assert_eq!(tolerances(), ["4.0"; 5]);
}
