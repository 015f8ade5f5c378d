//! External results, judged against their source.

use crate::support::Bench;
use serde_json::Value;

fn number(row: &Value, path: &str) -> f64 {
    row.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("no number at {path} of {row}"))
}

fn judged(bench: &Bench, line: &str, status: i32) -> Vec<Value> {
    let run = bench.run(line);
    assert_eq!(run.status, status, "{line}: {}", run.messages);
    let value: Value = serde_json::from_str(&run.out).unwrap();
    value["clips"].as_array().unwrap().clone()
}

#[test]
fn a_container_is_judged_as_verify_measures_it() {
    let bench = Bench::with_sources();
    bench.ok("compress biped.gltf --codec quantize -o w.posepress");
    let verified = bench.json("verify w.posepress --against biped.gltf --json")["clips"].as_array().unwrap().clone();
    let compared = judged(&bench, "compare biped.gltf w.posepress --json", 0);
    assert_eq!(compared.len(), 2);
    for (ours, theirs) in verified.iter().zip(&compared) {
        for path in ["/bytes", "/error/max_mm", "/error/mean_mm", "/sub_frame_error/max_mm", "/vertex_error/max_mm"] {
            let (ours, theirs) = (number(ours, path), number(theirs, path));
            // A container is judged at its samples, blended as players blend.
            assert!((ours - theirs).abs() < 1e-3, "{path}: {ours} and {theirs}");
        }
        assert_eq!(ours["slide"], theirs["slide"]);
        assert_eq!((&theirs["external"]["file"], &theirs["external"]["clip"]), (&"w.posepress".into(), &ours["clip"]));
    }
}

#[test]
fn another_file_has_the_error_of_the_keys_in_it() {
    let bench = Bench::with_sources();
    let error = |tolerance: f64, status: i32| {
        bench.ok(&format!("export biped.gltf --clip Walk --tolerance-mm {tolerance} --to glb -o coarse.glb"));
        let row = judged(&bench, "compare biped.gltf coarse.glb --clip Walk --json", status).remove(0);
        let judged = number(&row, "/error/max_mm");
        // Keys of the source use more of the tolerance than samples do.
        assert!((0.3..=1.0).contains(&(judged / tolerance)), "{judged} mm at {tolerance} mm: {row}");
        row
    };
    error(0.1, 0);
    let row = &error(5.0, 3);
    assert!(number(row, "/external/bytes") > 100.0 && number(row, "/ratio") > 1.0);
    assert_eq!(row["codec"], "coarse.glb");
    let table = bench.run("compare biped.gltf coarse.glb --clip Walk");
    assert!(table.out.contains("coarse.glb") && table.messages.contains("gate: Walk"), "{}", table.messages);
}

#[test]
fn a_file_is_itself_and_not_itself_a_sample_later() {
    let bench = Bench::with_sources();
    let same = &judged(&bench, "compare biped.gltf biped.gltf --clip Walk --json", 0)[0];
    assert_eq!((number(same, "/error/max_mm"), &same["verdict"]), (0.0, &"good".into()));
    let late = &judged(&bench, "compare biped.gltf biped.gltf --clip Walk --offset 0.0333 --json", 3)[0];
    assert!(number(late, "/error/max_mm") > 1.0 && number(late, "/external/offset_secs") == 0.0333, "{late}");
}

#[test]
fn what_cannot_be_judged_is_said() {
    let bench = Bench::with_sources();
    let alone = bench.run("compare biped.gltf");
    assert!(alone.status == 2 && alone.messages.contains("two files"), "{}", alone.messages);
    let other = bench.run("compare biped.gltf chain.bvh");
    assert!(other.status == 1 && other.messages.contains("cannot be put on the rig"), "{}", other.messages);
    bench.ok("export biped.gltf --clip Walk --to glb -o walk.glb");
    let run = bench.run("compare biped.gltf walk.glb --json");
    assert!(run.status == 1 && run.messages.contains("walk.glb has no clip 'Wave'"), "{}", run.messages);
    assert!(run.out.contains("\"Walk\""), "what is there is judged");
    let kept = bench.read("walk.glb");
    let over = bench.run("compare biped.gltf walk.glb --clip Walk --html walk.glb");
    assert!(over.messages.contains("would be lost") && over.status != 0, "{}", over.messages);
    assert_eq!(bench.read("walk.glb"), kept);
}

#[test]
fn of_many_clips_without_a_counterpart_some_are_named() {
    let bench = Bench::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/src/app/assets/sample.glb");
    bench.ok(&format!("export {sample} --clip pose_t --to glb -o pose.glb"));
    let run = bench.run(&format!("compare {sample} pose.glb"));
    assert_eq!(run.status, 1);
    assert_eq!(run.messages.matches("pose.glb has no clip").count(), 3, "{}", run.messages);
    assert!(run.messages.contains("pose.glb: no counterpart of 6 more clips"), "{}", run.messages);
}

#[test]
fn an_animation_of_riots_is_judged_on_the_rig_of_its_source_and_alone_says_what_it_needs() {
    let bench = Bench::with_sources();
    bench.ok("export biped.gltf --clip Walk --to anm -o walk.anm");
    let row = &judged(&bench, "compare biped.gltf walk.anm --clip Walk --tolerance-mm 2 --json", 0)[0];
    let error_mm = number(row, "/error/max_mm");
    assert!(error_mm > 0.0 && error_mm <= 2.0, "{row}");
    assert_eq!((&row["codec"], &row["external"]["clip"]), (&"walk.anm".into(), &"walk".into()));
    assert!(number(row, "/external/bytes") > 100.0);
    let alone = bench.json("info walk.anm --json")["files"][0].clone();
    let said = &alone["findings"][0];
    assert!(said["what"].as_str().unwrap().contains("Riot") && said["meaning"].as_str().unwrap().contains("--rig"));
    let on_rig = bench.json("info walk.anm --rig biped.gltf --json")["files"][0].clone();
    assert_eq!(on_rig["rig"]["joints"], bench.json("info biped.gltf --json")["files"][0]["rig"]["joints"]);
    assert!(!on_rig.to_string().contains("hashes"), "{on_rig}");
    for line in ["compress walk.anm --codec quantize -o w.posepress", "compare walk.anm biped.gltf"] {
        let run = bench.run(line);
        assert_eq!(run.status, 1, "{line}: {}", run.messages);
        assert!(run.messages.contains("walk.anm") && run.messages.contains("--rig"), "{line}: {}", run.messages);
    }
    bench.ok("compress walk.anm --rig biped.gltf --codec quantize -o w.posepress");
}

/// Unit and axes of a source do not apply to an external result in metres.
#[test]
fn a_source_in_another_unit_is_compared_with_what_was_made_of_it() {
    let bench = Bench::with_sources();
    let sources = [
        ("chain.bvh", "--unit cm"),
        ("chain.bvh", "--unit cm --up z"),
        ("chain.bvh", "--scale 0.01"),
        ("chain.bvh", "--unit 5.644cm"),
        ("chain.bvh", "--unit cm --frames-are 60"),
        ("biped.gltf", "--unit cm"),
        ("biped.gltf", "--frames-are 60"),
    ];
    let made = [
        ("export", "--to glb -o o.glb", "o.glb"),
        ("export", "--to glb --into new -o new.glb", "new.glb"),
        ("compress", "-o o.posepress", "o.posepress"),
        ("export", "--clip Walk --clip chain --to anm --tolerance-mm 0.1 -o o.anm", "o.anm"),
    ];
    for (source, space) in sources {
        for (command, words, other) in made {
            bench.ok(&format!("{command} {source} {words} {space}"));
            let clip = if other == "o.anm" { "--clip Walk --clip chain" } else { "" };
            let run = bench.run(&format!("compare {source} {other} {space} {clip} --tolerance-mm 5"));
            assert_eq!(run.status, 0, "{source} {space}, {other}: {}{}", run.out, run.messages);
        }
        bench.ok(&format!("compare {source} {source} {}", space.replace("--frames-are 60", "")));
    }
}

#[test]
fn the_other_file_has_options_of_its_own() {
    let bench = Bench::with_sources();
    let millimetres = crate::support::BVH.replace("90", "900").replace("-45", "-450").replace(" 91 ", " 910 ");
    let millimetres =
        millimetres.replace(" 1 0 5", " 10 0 5").replace(" 2 0 10", " 20 0 10").replace(" 3 0 15", " 30 0 15");
    bench.write("mm.bvh", millimetres.as_bytes());
    let refused = bench.run("compare chain.bvh mm.bvh --unit cm");
    assert!(refused.status == 1 && refused.messages.contains("--other-unit"), "{}", refused.messages);
    bench.ok("compare chain.bvh mm.bvh --unit cm --other-unit mm");
    bench.ok("compare chain.bvh mm.bvh --unit cm --other-scale 0.001");
    let turned = bench.run("compare chain.bvh mm.bvh --unit cm --other-unit mm --other-up z");
    assert_eq!(turned.status, 3, "{}", turned.messages);
    let wrong = bench.run("compare chain.bvh chain.bvh --unit cm --other-unit mm");
    assert!(wrong.status == 1 && wrong.messages.contains("0.1 times as long"), "{}", wrong.messages);
}

#[test]
fn frames_are_of_the_rate_that_is_said() {
    let bench = Bench::with_sources();
    for (file, samples) in [("chain.bvh", 4), ("biped.gltf", 31)] {
        let info = bench.json(&format!("info {file} --frames-are 120 --json"));
        let clip = &info["files"][0]["clips"][0];
        assert_eq!(clip["samples"], samples);
        assert!((number(clip, "/rate_hz") - 120.0).abs() < 0.01, "{clip}");
        assert!((number(clip, "/duration_secs") - f64::from(samples - 1) / 120.0).abs() < 1e-6, "{clip}");
    }
    bench.write("odd.bvh", crate::support::BVH.replace("0.0333333", "0.033").as_bytes());
    let asked = bench.ok("info odd.bvh --unit cm");
    assert!(
        asked.contains("decide: odd: its frame time of 0.033 s is 30.303 Hz") && asked.contains("--frames-are 30 "),
        "{asked}"
    );
    let answered = bench.ok("info odd.bvh --unit cm --frames-are 30");
    assert!(!answered.contains("decide") && answered.contains("30 Hz"), "{answered}");
    let run = bench.run("info chain.bvh --frames-are 0");
    assert!(run.status == 2 && run.messages.contains("1 to 1000"), "{}", run.messages);
}

#[test]
fn a_joint_that_stands_twice_in_an_animation_is_named_on_its_rig() {
    let bench = Bench::with_sources();
    bench.ok("export biped.gltf --clip Walk --to anm -o walk.anm");
    let mut bytes = bench.read("walk.anm");
    bytes.copy_within(128..132, 128 + 4);
    bench.write("twice.anm", &bytes);
    let info = bench.ok("info twice.anm --rig biped.gltf");
    assert!(
        info.contains("warning: hips (#") && info.contains("joints 0 and 1 of the file have the same hash"),
        "{info}"
    );
}
