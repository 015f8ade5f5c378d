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

#[test]
fn memory_is_that_of_all_clips_and_of_a_hundred_players() {
    let bench = Bench::with_sources();
    let of = |clips: &str| {
        let document = bench.json(&format!("bench biped.gltf --codec press --resident {clips} --json"));
        let number = |key: &str| document["rows"][0][key].as_u64().unwrap();
        ["clips", "bytes", "resident_bytes", "cursor_bytes", "playing_bytes"].map(number)
    };
    let [[.., walk_opened, walk_cursor, _], [.., wave_opened, wave_cursor, _]] = [of("--clip Walk"), of("--clip Wave")];
    let [clips, bytes, opened, cursor, playing] = of("");
    assert_eq!((clips, opened, cursor), (2, walk_opened + wave_opened, walk_cursor.max(wave_cursor)));
    let bind_pose = 3 * size_of::<posepress_core::math::Transform>() as u64;
    assert_eq!(playing, opened + bind_pose + 50 * (walk_cursor + wave_cursor));
    assert!(bytes < opened);
    let table = bench.ok("bench biped.gltf --codec press --codec quantize --resident");
    assert!(table.contains("with 100 players") && table.lines().nth(1).unwrap().starts_with("press"), "{table}");
}
