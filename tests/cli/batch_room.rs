//! `posepress batch`: the memory of a run, and outputs of files that are gone.

use crate::batch::{SLOW, batch, library, long_library, manifest, worked};
use crate::support::Bench;
use serde_json::Value;

#[test]
fn files_wait_for_memory_and_a_clip_that_needs_too_much_is_a_row() {
    let bench = Bench::new();
    long_library(&bench, 4);
    // Room for one take at a time.
    let few = bench.run(&format!("batch long -o few --jobs 4 --memory 48MiB {SLOW}"));
    assert_eq!((few.status, worked(&few)), (0, 4), "{}", few.messages);
    assert_eq!(bench.run(&format!("batch long -o all {SLOW}")).status, 0);
    assert_eq!(bench.read("few/posepress-batch.json"), bench.read("all/posepress-batch.json"));
    bench.write("long/short.bvh", crate::support::BVH.as_bytes());
    let none = bench.run(&format!("batch long -o none --memory 42MiB {SLOW}"));
    assert_eq!(none.status, 1, "{}", none.messages);
    let rows = manifest(&bench, "none");
    let reason = |row: &Value| row["error"].as_str().unwrap_or_default().to_owned();
    let reasons: Vec<String> = rows["rows"].as_array().unwrap().iter().map(reason).collect();
    assert_eq!(reasons.iter().filter(|reason| reason.contains("--memory allows 42.0 MB")).count(), 4, "{reasons:?}");
    assert_eq!(reasons.iter().filter(|reason| reason.is_empty()).count(), 1, "the short take is worked on");
    for wrong in ["4", "4TB", "-1GiB"] {
        assert_eq!(bench.run(&format!("batch long -o none --memory={wrong}")).status, 2, "{wrong}");
    }
}

#[test]
fn outputs_of_files_that_are_gone_are_planned_and_removed_only_on_request() {
    let bench = library();
    bench.write("lib/b.bvh", &bench.read("chain.bvh"));
    bench.write("lib/c.bvh", &bench.read("chain.bvh"));
    bench.write("lib/torn.bvh", &bench.read("chain.bvh"));
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    bench.write("out/own.posepress", b"mine");
    for gone in ["lib/a/biped.gltf", "lib/b.bvh", "lib/c.bvh"] {
        std::fs::remove_file(bench.path(gone)).unwrap();
    }
    bench.write("lib/torn.bvh", b"torn");
    bench.write("out/c.posepress", b"changed by hand");
    assert_eq!(batch(&bench, "lib -o out").status, 1);
    let there = |name: &str| bench.path("out").join(name).exists();
    assert!(there("a/biped.posepress") && there("b.posepress"), "they stay without --prune");
    let plan = batch(&bench, "lib -o out --plan").out;
    assert!(plan.contains("a/biped.posepress") && plan.contains("b.posepress"), "later runs know them: {plan}");
    let pruned = batch(&bench, "lib -o out --prune");
    assert!(pruned.messages.contains("2 outputs without an input removed"), "{}", pruned.messages);
    assert!(pruned.messages.contains("c.posepress: no input has this output, but it changed"), "{}", pruned.messages);
    assert!(!there("a") && !there("b.posepress"), "also the empty folder");
    let kept = ["c.posepress", "own.posepress", "torn.posepress", "chain.posepress"];
    assert!(kept.iter().all(|name| there(name)), "{}", pruned.messages);
    assert!(!batch(&bench, "lib -o out --plan").out.contains("b.posepress"));
}
