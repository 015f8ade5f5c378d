//! Patterns among the files of a command.

use crate::support::{BVH, Bench};

#[test]
fn the_files_of_a_pattern_come_in_the_order_of_their_names() {
    let bench = Bench::with_sources();
    std::fs::create_dir_all(bench.path("lib/deep")).unwrap();
    for name in ["lib/two.bvh", "lib/one.bvh", "lib/deep/three.bvh", "lib/walk[1].bvh"] {
        bench.write(name, BVH.as_bytes());
    }
    for (pattern, files) in [
        ("*.bvh", "chain.bvh"),
        ("lib/*.bvh", "lib/one.bvh lib/two.bvh lib/walk[1].bvh"),
        ("lib/**/t*.bvh", "lib/deep/three.bvh lib/two.bvh"),
        ("chain.bvh lib/{two,one}.bvh", "chain.bvh lib/one.bvh lib/two.bvh"),
        ("lib/walk[1].bvh", "lib/walk[1].bvh"),
    ] {
        let shown = |text: String| text.replace('\\', "/");
        assert_eq!(shown(bench.ok(&format!("info {pattern}"))), shown(bench.ok(&format!("info {files}"))), "{pattern}");
    }
    assert_eq!(bench.json("report lib/*.bvh --json")["clips"].as_array().unwrap().len(), 3);
    bench.ok("compress lib/t*.bvh -o two.posepress");
}

#[test]
fn a_pattern_that_no_file_fits_is_named_and_the_other_files_are_read() {
    let bench = Bench::with_sources();
    let alone = bench.ok("info chain.bvh");
    for (line, status, shown, expected) in [
        ("info lib/*.bvh", 1, "", "lib/*.bvh: no file fits the pattern"),
        ("info *.fbx chain.bvh", 1, &alone[..], "*.fbx: no file fits the pattern"),
        ("study none-* -o page.html", 1, "", "none-*: no file fits the pattern"),
        ("info [ch", 2, "", "'[ch'"),
    ] {
        let run = bench.run(line);
        let named = run.messages.replace('\\', "/").contains(expected);
        assert!(run.status == status && run.out == shown && named, "{line}: {} {}", run.out, run.messages);
    }
    let report = bench.run("report chain.bvh *.fbx --json");
    let json: serde_json::Value = serde_json::from_str(&report.out).unwrap();
    assert!(report.status == 1 && json["clips"].as_array().unwrap().len() == 1, "{json}");
}
