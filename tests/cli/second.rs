//! A second implementation of the measures, in Python with numpy, written from the pages of the book.

use crate::project::{project, sample};
use crate::support::Bench;
use std::process::Command;

/// The first Python that has numpy.
fn python() -> &'static str {
    let has_numpy = |python: &&str| {
        Command::new(python).args(["-c", "import numpy"]).output().is_ok_and(|output| output.status.success())
    };
    ["python3", "/usr/bin/python3"].into_iter().find(has_numpy).expect("a Python with numpy")
}

#[test]
#[ignore = "needs Python with numpy"]
fn readers_of_the_book_measure_the_same() {
    let bench = Bench::new();
    bench.write("sample.glb", &std::fs::read(sample()).unwrap());
    // Clips that stay in place are left out: the script knows still ground only.
    for clip in ["walk_root_motion", "turn_90", "idle", "jump", "wave"] {
        for (codec, to) in [("raw", "original"), ("press --tolerance-mm 1", "decoded")] {
            bench.ok(&format!("compress sample.glb --clip {clip} --codec {codec} -o {to}.posepress"));
            let poses = bench.run(&format!("decode {to}.posepress --rate 120"));
            assert_eq!(poses.status, 0, "{}", poses.messages);
            bench.write(&format!("{to}.csv"), poses.out.as_bytes());
        }
        let report = bench.run(&format!("report sample.glb --clip {clip} --codec press --tolerance-mm 1 --json"));
        bench.write("report.json", report.out.as_bytes());
        let output = Command::new(python())
            .arg(project("tests/readers/measures.py"))
            .args(["sample.glb", "original.csv", "decoded.csv", "report.json"])
            .current_dir(bench.path(""))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        println!("{clip}\n{said}");
        assert!(output.status.success(), "{clip}:\n{said}{}", String::from_utf8_lossy(&output.stderr));
    }
}
