//! `posepress batch`: an earlier result stays unless the new one is smaller and no worse.

use crate::batch::{RECIPE, batch, library, manifest, worked};
use crate::support::Bench;
use serde_json::Value;

fn row(bench: &Bench, clip: &str) -> Value {
    let manifest = manifest(bench, "out");
    manifest["rows"].as_array().unwrap().iter().find(|row| row["clip"] == clip).unwrap().clone()
}

fn rules(bench: &Bench, text: &str) {
    bench.write("lib/posepress.toml", text.as_bytes());
}

#[test]
fn a_result_that_is_not_better_leaves_the_earlier_one_and_says_why() {
    let bench = library();
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    let (before, walk) = (bench.read("out/a/biped.posepress"), row(&bench, "Walk"));
    rules(&bench, "[[rule]]\nclip = \"W*\"\nrecipe.codec = \"raw\"\n[output]\nonly-better = true\n");
    let run = batch(&bench, "lib -o out");
    assert_eq!((run.status, worked(&run)), (0, 2), "{}", run.messages);
    assert_eq!(bench.read("out/a/biped.posepress"), before, "the file stays as it is");
    let kept = row(&bench, "Walk");
    assert_eq!((&kept["key"], &kept["numbers"]), (&walk["key"], &walk["numbers"]));
    assert!(kept["kept"].as_str().unwrap().contains("larger"), "{kept}");
    assert_eq!(row(&bench, "chain")["kept"], Value::Null, "it has the same recipe");
    assert!(run.out.contains("earlier result kept") && run.out.contains("2 kept"), "{}", run.out);
    assert!(batch(&bench, "lib -o out --markdown").out.contains("| earlier result kept | |"));
    assert_eq!(batch(&bench, "lib -o out --html page.html").status, 0);
    let page = String::from_utf8(bench.read("page.html")).unwrap();
    assert!(page.contains("the new result is not better") && page.contains("No curves of lib/a/biped.gltf#Walk"));
    let first = bench.read("out/posepress-batch.json");
    let again = batch(&bench, "lib -o out");
    assert_eq!((again.status, worked(&again)), (0, 0), "{}", again.messages);
    assert_eq!(bench.read("out/posepress-batch.json"), first, "the same run gives the same bytes");
    // The mode off: the new result replaces it.
    rules(&bench, "[[rule]]\nclip = \"W*\"\nrecipe.codec = \"raw\"\n");
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    assert!(bench.read("out/a/biped.posepress") != before);
    // Back again: smaller, but with an error that raw does not have.
    rules(&bench, "");
    let smaller = batch(&bench, "lib -o out --only-better");
    assert_eq!(smaller.status, 0, "{}", smaller.messages);
    let why = row(&bench, "Walk")["kept"].as_str().unwrap().to_owned();
    assert!(why.contains("error +") && !why.contains("larger"), "{why}");
}

#[test]
fn a_better_result_and_one_of_another_source_replace_the_earlier_one() {
    let bench = library();
    rules(&bench, "[[rule]]\nrecipe.codec = \"raw\"\n");
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    let raw = row(&bench, "chain");
    // Lossless as well, and smaller: nothing moves between samples in another way.
    rules(&bench, "[[rule]]\nrecipe = { codec = \"wavelet\", tolerance_m = 0.000001 }\n");
    let line = "batch lib -o out --only-better --fail-sampling-mm 1000";
    let run = bench.run(line);
    let now = row(&bench, "chain");
    let is_better = now["kept"] == Value::Null;
    assert_eq!(is_better, now["key"] != raw["key"], "{}", run.messages);
    // The same file name with other motion: what was kept of the old motion would be wrong, however small it is.
    let text = String::from_utf8(bench.read("lib/chain.bvh")).unwrap();
    bench.write("lib/chain.bvh", text.replace("0 91 2 0 10", "0 97 2 0 10").as_bytes());
    rules(&bench, "[[rule]]\nrecipe.codec = \"raw\"\n");
    let before = row(&bench, "chain");
    assert!(matches!(bench.run(line).status, 0 | 3));
    let now = row(&bench, "chain");
    assert_eq!(now["kept"], Value::Null, "{now}");
    assert!(now["subject"] != before["subject"] && now["key"] != before["key"], "{now}");
}

#[test]
fn an_earlier_result_that_left_the_store_is_not_lost() {
    let bench = library();
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    let before = bench.read("out/a/biped.posepress");
    std::fs::remove_dir_all(bench.path("out/.posepress-store/entries")).unwrap();
    rules(&bench, "[[rule]]\nclip = \"Walk\"\nrecipe.codec = \"raw\"\n");
    let kept = batch(&bench, "lib -o out --only-better");
    assert_eq!(kept.status, 0, "{}", kept.messages);
    assert_eq!(bench.read("out/a/biped.posepress"), before, "the container is as it was written");
    // Now the container must be written again, and its earlier result is nowhere.
    bench.write("out/a/biped.posepress", b"changed by hand");
    let lost = batch(&bench, "lib -o out --only-better");
    assert_eq!(lost.status, 1, "{}", lost.messages);
    assert!(row(&bench, "Walk")["error"].as_str().unwrap().contains("--only-better"), "{}", row(&bench, "Walk"));
    assert_eq!(bench.read("out/a/biped.posepress"), b"changed by hand");
    assert_eq!(bench.run(&format!("batch lib -o out {RECIPE}")).status, 0);
    bench.ok("info out/a/biped.posepress");
}

#[test]
fn a_run_that_fails_does_not_make_the_next_one_forget_what_is_there() {
    let bench = library();
    let line = "lib -o out --only-better";
    assert_eq!(batch(&bench, line).status, 0);
    let before = [bench.read("out/a/biped.posepress"), bench.read("out/chain.posepress")];
    let (walk, first, chain) = (row(&bench, "Walk"), row(&bench, "chain"), bench.read("lib/chain.bvh"));
    // The store is gone, one file is torn, and all recipes are worse.
    std::fs::remove_dir_all(bench.path("out/.posepress-store")).unwrap();
    bench.write("lib/chain.bvh", &chain[..chain.len() / 2]);
    rules(&bench, "[[rule]]\nrecipe.codec = \"raw\"\n");
    let failed = batch(&bench, line);
    assert_eq!(failed.status, 1, "{}", failed.messages);
    let torn = row(&bench, "chain");
    assert!(torn["error"].is_string() && torn["key"].is_string() && torn["numbers"].is_object(), "{torn}");
    bench.write("lib/chain.bvh", &chain);
    let again = batch(&bench, line);
    assert!(matches!(again.status, 0 | 1), "{}", again.messages);
    assert!(bench.read("out/a/biped.posepress") == before[0] && bench.read("out/chain.posepress") == before[1]);
    for (clip, first) in [("Walk", walk), ("chain", first)] {
        let now = row(&bench, clip);
        assert_eq!((&now["key"], &now["numbers"]), (&first["key"], &first["numbers"]), "{now}");
        assert!(now["kept"].is_string(), "{now}");
    }
}

#[test]
fn an_earlier_result_of_a_clip_that_cannot_be_read_any_more_stays_in_the_container() {
    let bench = library();
    assert_eq!(batch(&bench, "lib -o out --only-better").status, 0);
    let walk = row(&bench, "Walk");
    let mut gltf: Value = serde_json::from_slice(&bench.read("lib/a/biped.gltf")).unwrap();
    let of_walk = gltf["animations"].as_array().unwrap().iter().position(|one| one["name"] == "Walk").unwrap();
    gltf["animations"][of_walk]["samplers"][0]["input"] = 99_999.into();
    bench.write("lib/a/biped.gltf", gltf.to_string().as_bytes());
    for run in ["first", "second"] {
        let ended = batch(&bench, "lib -o out --only-better");
        assert_eq!(ended.status, 1, "{run}: {}", ended.messages);
        let now = row(&bench, "Walk");
        assert_eq!((&now["key"], &now["numbers"]), (&walk["key"], &walk["numbers"]), "{run}: {now}");
        assert!(now["error"].as_str().unwrap().contains("cannot be used") && now["kept"].is_string(), "{run}: {now}");
        let info = bench.ok("info out/a/biped.posepress");
        assert!(info.contains("Walk") && info.contains("Wave"), "{run}: {info}");
    }
    assert_eq!(batch(&bench, "lib -o out").status, 1);
    assert!(!bench.ok("info out/a/biped.posepress").contains("Walk"), "without the mode it is gone, and said");
}
