//! `posepress batch`: outputs by rule. Formats beside the container, and containers per character.

use crate::batch::{RECIPE, batch, library, manifest, worked};
use crate::support::Bench;
use serde_json::Value;

fn there(bench: &Bench, name: &str) -> bool {
    bench.path("out").join(name).exists()
}

fn rows(bench: &Bench) -> Vec<Value> {
    manifest(bench, "out")["rows"].as_array().unwrap().clone()
}

#[test]
fn files_of_other_formats_have_the_bytes_of_export() {
    let bench = library();
    let run = batch(&bench, "lib -o out --format container,glb,ozz,anm,ozz-skeleton");
    assert!(matches!(run.status, 0 | 3), "{}", run.messages);
    bench.run(&format!("export lib/a/biped.gltf {RECIPE} --to glb -o whole.glb"));
    assert_eq!(bench.read("out/a/biped.glb"), bench.read("whole.glb"));
    for (format, extension) in [("ozz", "ozz"), ("anm", "anm")] {
        bench.run(&format!("export lib/a/biped.gltf {RECIPE} --to {format} --clip Walk -o one.{extension}"));
        assert_eq!(bench.read(&format!("out/a/biped.Walk.{extension}")), bench.read(&format!("one.{extension}")));
    }
    bench.run("export lib/a/biped.gltf --to ozz-skeleton -o rig.ozz");
    assert_eq!(bench.read("out/a/biped.skeleton.ozz"), bench.read("rig.ozz"));
    assert!(there(&bench, "chain.ozz"), "the only clip of its file");
    assert!(there(&bench, "a/biped.posepress"));
    let names = ["a/biped.glb", "a/biped.Walk.ozz", "a/biped.skeleton.ozz", "a/biped.Walk.anm"];
    let mut exports: Vec<String> = rows(&bench)[0]["exports"].as_array().unwrap().iter().map(text).collect();
    exports.sort();
    let mut expected = names.map(str::to_owned);
    expected.sort();
    assert_eq!(exports, expected);
}

#[test]
fn two_files_with_one_place_cost_only_the_second() {
    let bench = library();
    bench.write("lib/a/biped.Walk.bvh", &bench.read("chain.bvh"));
    for _ in 0..2 {
        let run = batch(&bench, "lib -o out --format ozz");
        assert!(run.status == 1 && run.messages.contains("1 row without a result"), "{}", run.messages);
        let error = |row: Value| row["error"].as_str().unwrap_or_default().to_owned();
        let errors: Vec<String> = rows(&bench).into_iter().map(error).collect();
        assert!(errors[1].contains("a/biped.Walk.ozz, as one of lib/a/biped.Walk.bvh"), "{errors:?}");
        assert_eq!(errors.iter().filter(|error| error.is_empty()).count(), 3, "{errors:?}");
        assert!(there(&bench, "a/biped.Walk.ozz") && there(&bench, "a/biped.Wave.ozz"));
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn a_second_run_writes_no_export_and_a_later_one_finds_those_without_an_input() {
    let bench = library();
    bench.write("lib/posepress.toml", b"[output]\nformat = \"glb\"\n");
    assert!(matches!(batch(&bench, "lib -o out").status, 0 | 3));
    assert!(there(&bench, "chain.glb") && !there(&bench, "chain.posepress"), "only what was asked for");
    let time = || bench.path("out/chain.glb").metadata().unwrap().modified().unwrap();
    let (written, before) = (time(), bench.read("out/posepress-batch.json"));
    let again = batch(&bench, "lib -o out");
    assert_eq!((worked(&again), time()), (0, written), "{}", again.messages);
    assert_eq!(bench.read("out/posepress-batch.json"), before);
    bench.write("out/chain.glb", b"torn");
    assert!(matches!(batch(&bench, "lib -o out").status, 0 | 3));
    bench.ok("info out/chain.glb");
    std::fs::remove_file(bench.path("lib/chain.bvh")).unwrap();
    assert!(batch(&bench, "lib -o out --plan").out.contains("chain.glb"));
    assert!(matches!(batch(&bench, "lib -o out --prune").status, 0 | 3));
    assert!(!there(&bench, "chain.glb") && there(&bench, "a/biped.glb"));
    let wrong = batch(&bench, "lib -o out --format gbl");
    assert!(wrong.status == 2 && wrong.messages.contains("glb, "), "{}", wrong.messages);
}

/// The float16 translations of ozz are far coarser than a millimetre on a rig of 90 m.
#[test]
fn an_export_over_the_tolerance_is_a_fault_of_its_clip_also_in_the_next_run() {
    let bench = library();
    let text = String::from_utf8(bench.read("lib/chain.bvh")).unwrap();
    bench.write("lib/chain.bvh", text.replace("0 91 2 0 10", "0 91.34 2 0 10").as_bytes());
    let line = "batch lib/chain.bvh -o out --format container,ozz --codec raw --tolerance-mm 1 --fail-sampling-mm 1000";
    for _ in 0..2 {
        let run = bench.run(line);
        assert_eq!(run.status, 3, "{}", run.messages);
        let played = rows(&bench)[0]["played"][0].as_str().unwrap().to_owned();
        assert!(played.contains("in the file"), "{played}");
        assert!(run.messages.contains("chain.bvh#chain: chain.ozz: clip 'chain': in the file"), "{}", run.messages);
    }
}

#[test]
fn clips_on_one_skeleton_share_the_container_of_their_first_file() {
    let bench = library();
    bench.write("lib/a/biped.bvh", &bench.read("chain.bvh"));
    bench.write("lib/zebra.bvh", &bench.read("chain.bvh"));
    let run = batch(&bench, "lib -o out --one-per character");
    assert_eq!(run.status, 0, "{}", run.messages);
    // Both files of a stem keep their endings.
    let containers: Vec<String> = rows(&bench).iter().map(|row| text(&row["output"])).collect();
    let (biped, chain) = ("a/biped.gltf.posepress", "a/biped.bvh.posepress");
    assert_eq!(containers, [chain, biped, biped, chain, chain]);
    let listed = bench.ok("info out/a/biped.bvh.posepress");
    assert!(["biped", "chain", "zebra"].iter().all(|clip| listed.contains(clip)), "{listed}");
    assert!(!there(&bench, "chain.posepress") && !there(&bench, "zebra.posepress"));
    let before = bench.read("out/posepress-batch.json");
    let again = batch(&bench, "lib -o out --one-per character --jobs 1");
    assert_eq!((again.status, worked(&again)), (0, 0), "{}", again.messages);
    assert_eq!(bench.read("out/posepress-batch.json"), before);
}

#[test]
fn parts_and_their_merge_write_the_files_of_a_single_run() {
    let bench = library();
    let how = "lib --format container,glb,anm --one-per character";
    batch(&bench, &format!("{how} -o out"));
    for share in ["--part 1/2", "--part 2/2", "--merge"] {
        let run = batch(&bench, &format!("{how} -o merged {share}"));
        assert!(matches!(run.status, 0 | 3), "{}", run.messages);
    }
    let files = ["posepress-batch.json", "a/biped.posepress", "a/biped.glb", "a/biped.Wave.anm", "chain.anm"];
    for file in files {
        assert!(bench.read(&format!("merged/{file}")) == bench.read(&format!("out/{file}")), "{file}");
    }
}
