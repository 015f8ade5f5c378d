//! `posepress bench`: the rows and numbers. Their sizes depend on the machine.

use crate::support::{Bench, keys};
use posepress_core::codecs::encoders;

#[test]
fn every_codec_is_timed_on_the_longest_clip() {
    let bench = Bench::with_sources();
    let document = bench.json("bench biped.gltf --json");
    let rows = document["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["codec"].as_str().unwrap()).collect();
    assert_eq!(names, encoders().map(|codec| codec.name()).collect::<Vec<_>>());
    for row in rows {
        assert_eq!((&row["joints"], &row["samples"]), (&3.into(), &31.into()));
        for key in keys(row).into_iter().filter(|key| !["clip", "codec"].contains(key)) {
            assert!(row[key].as_f64().is_some_and(|number| number > 0.0), "{key} of {row}");
        }
        let ratio = row["random_ns_per_pose"].as_f64().unwrap() / row["random_ns_per_joint"].as_f64().unwrap();
        assert!((ratio - 3.0).abs() < 1e-9, "{row}");
    }
}

#[test]
fn codecs_and_clips_can_be_chosen() {
    let bench = Bench::with_sources();
    let table = bench.ok("bench biped.gltf --codec press --codec quantize --clip W*");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().take(2).collect()).collect();
    let wanted = [["Walk", "press"], ["Walk", "quantize"], ["Wave", "press"], ["Wave", "quantize"]];
    assert_eq!(&rows[1..5], wanted.map(|row| row.to_vec()), "{table}");
    assert!(table.contains("ns per joint") && table.contains("encode MB/s"), "{table}");
    for (codec, reason) in [("automatic", "no format of its own"), ("nothing", "nothing")] {
        let run = bench.run(&format!("bench biped.gltf --codec {codec}"));
        assert!(run.status == 2 && run.messages.contains(reason), "{}", run.messages);
    }
}
