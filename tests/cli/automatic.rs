//! The codec `automatic`.

use crate::support::Bench;
use posepress_core::recipe::Recipe;

const CANDIDATES: &str = "# what we try; nothing else\n\nquantize\n  per-track\nevery-second-key:every-third\n#raw\n";

#[test]
fn automatic_tells_every_candidate_and_marks_the_winner() {
    let bench = Bench::with_sources();
    bench.write("few.txt", CANDIDATES.as_bytes());
    let run = bench.run("report biped.gltf --clip Walk --candidates few.txt --set measure_all=true --json");
    assert_eq!(run.status, 0, "{}", run.messages);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let clip = &report["clips"][0];
    assert_eq!(clip["codec"], "automatic");
    let rows = clip["candidates"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|r| r["candidate"].as_str().unwrap()).collect();
    assert_eq!(names, ["quantize", "per-track", "every-second-key:every-third"]);
    for row in rows {
        let name = row["candidate"].as_str().unwrap();
        assert!(run.messages.contains(name), "{}", run.messages);
        let alone = bench.run(&format!("report biped.gltf --clip Walk --codec {name} --json"));
        let alone: serde_json::Value = serde_json::from_str(&alone.out).unwrap();
        let alone = &alone["clips"][0];
        assert_eq!(row["bytes"], alone["bytes"], "{name}");
        assert_eq!(row["within"], alone["error"]["within"], "{name}");
        assert_eq!(row["max_mm"], alone["error"]["max_mm"], "{name}");
    }
    let winner: Vec<_> = rows.iter().filter(|r| r["winner"] == true).collect();
    assert_eq!(winner.len(), 1);
    assert_eq!(winner[0]["bytes"], clip["bytes"]);
    let smaller = |r: &&serde_json::Value| r["within"] == true && r["bytes"].as_u64() < winner[0]["bytes"].as_u64();
    assert_eq!(rows.iter().find(smaller), None);
    let sums = bench.run("report biped.gltf --candidates few.txt");
    for part in ["wins", "larger", "of 2 clips"] {
        assert!(sums.messages.contains(part), "{part}: {}", sums.messages);
    }
}

#[test]
fn a_candidate_that_was_given_up_says_how_many_bytes_were_certain() {
    let bench = Bench::with_sources();
    bench.write("two.txt", b"press\nraw\n");
    let run = bench.run("report biped.gltf --clip Walk --candidates two.txt --json");
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let clip = &report["clips"][0];
    let [press, raw] = [0, 1].map(|place| &clip["candidates"][place]);
    assert_eq!((&press["winner"], &raw["winner"], &press["bytes"]), (&true.into(), &false.into(), &clip["bytes"]));
    let certain = raw["bytes_at_least"].as_u64().unwrap();
    assert!(certain >= press["bytes"].as_u64().unwrap() && raw["bytes"].is_null(), "{raw}");
    assert!(run.messages.contains(&format!("{certain} or more")), "{}", run.messages);
}

#[test]
fn a_container_of_automatic_decodes_and_keeps_its_list() {
    let bench = Bench::with_sources();
    bench.write("few.txt", CANDIDATES.as_bytes());
    bench.ok("compress biped.gltf --candidates few.txt -o a.posepress");
    bench.ok("verify a.posepress --against biped.gltf");
    let archive = posepress_core::pipeline::Archive::open(&bench.read("a.posepress"), None).unwrap();
    let recipe = &archive.clips()[0].recipe();
    assert_eq!(Recipe::from_toml(&recipe.to_toml()).as_ref(), Ok(recipe));
    assert!(recipe.to_toml().contains("\"per-track\""), "{}", recipe.to_toml());
    bench.write("again.toml", recipe.to_toml().as_bytes());
    let again = bench.json("report biped.gltf --recipe again.toml --json");
    assert_eq!(again["clips"][0]["candidates"].as_array().unwrap().len(), 3);
}

#[test]
fn a_wrong_candidate_is_named_by_file_and_line() {
    let bench = Bench::with_sources();
    for (text, line, word) in [
        ("quantize\n\nquantise\n", "line 3", "'quantise'"),
        ("# a remark; with a semicolon\nautomatic\n", "line 2", "cannot be one"),
        ("variable-rate segment_samples=2", "line 1", "4 to 256"),
    ] {
        bench.write("bad.txt", text.as_bytes());
        let run = bench.run("report biped.gltf --candidates bad.txt");
        assert_eq!(run.status, 1, "{text}");
        for part in ["bad.txt", line, word] {
            assert!(run.messages.contains(part), "{text}: {}", run.messages);
        }
    }
    let run = bench.run("report biped.gltf --codec raw --candidates bad.txt");
    assert_eq!(run.status, 2, "{}", run.messages);
    assert!(run.messages.contains("'raw' takes no list"), "{}", run.messages);
}
