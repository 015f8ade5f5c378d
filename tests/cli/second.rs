//! A second implementation of the measures, in Python with numpy, written from the pages of the book.

use crate::numpy::measures_agree;
use crate::project::sample;
use crate::support::Bench;

/// Writes the poses of a container at a rate.
fn decode(bench: &Bench, name: &str, rate_hz: f64) {
    let poses = bench.run(&format!("decode {name}.posepress --rate {rate_hz}"));
    assert_eq!(poses.status, 0, "{}", poses.messages);
    bench.write(&format!("{name}.csv"), poses.out.as_bytes());
}

#[test]
#[ignore = "needs Python with numpy"]
fn readers_of_the_book_measure_the_same() {
    let bench = Bench::new();
    bench.write("sample.glb", &std::fs::read(sample()).unwrap());
    for clip in ["walk", "run", "walk_root_motion", "turn_90", "idle", "jump", "wave"] {
        for (codec, to) in [("raw", "original"), ("press --tolerance-mm 1", "decoded")] {
            bench.ok(&format!("compress sample.glb --clip {clip} --codec {codec} -o {to}.posepress"));
            decode(&bench, to, 120.0);
        }
        let report = bench.run(&format!("report sample.glb --clip {clip} --codec press --tolerance-mm 1 --json"));
        bench.write("report.json", report.out.as_bytes());
        measures_agree(&bench.path(""), clip, &["sample.glb", "original.csv", "decoded.csv", "report.json"]);
    }
}

#[test]
#[ignore = "needs Python with numpy"]
fn readers_of_the_book_find_what_sampling_loses() {
    let bench = Bench::new();
    bench.write("sample.glb", &std::fs::read(sample()).unwrap());
    for clip in ["walk_root_motion", "idle", "jump"] {
        // The exit status says that sampling lost too much.
        let report = bench.run(&format!("report sample.glb --clip {clip} --rate 20 --codec raw --json"));
        let said: serde_json::Value = serde_json::from_str(&report.out).unwrap();
        bench.write("report.json", report.out.as_bytes());
        bench.run(&format!("compress sample.glb --clip {clip} --rate 20 --codec raw -o samples.posepress"));
        decode(&bench, "samples", 8.0 * said["clips"][0]["rate_hz"].as_f64().unwrap());
        measures_agree(&bench.path(""), clip, &["--sampling", "sample.glb", "samples.csv", "report.json"]);
    }
}
