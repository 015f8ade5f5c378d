//! A character whose rig and clips are in different files.

use crate::project::corpus;
use crate::support::Bench;

#[test]
fn clips_of_one_file_move_the_rig_of_another() {
    let bench = Bench::with_sources();
    let info = bench.json("info chain.bvh --rig biped.gltf --unit cm --json");
    let file = &info["files"][0];
    assert_eq!((file["rig"]["joints"].as_u64(), file["meshes"].as_array().map(Vec::len)), (Some(3), Some(1)));
    let findings = file["findings"].as_array().unwrap();
    let said = findings.iter().find(|f| f["what"].as_str().unwrap().contains("move the rig 'biped'")).unwrap();
    assert!(said["meaning"].as_str().unwrap().contains("in the rest pose: foot."), "{said}");

    bench.ok("compress chain.bvh --rig biped.gltf --unit cm --codec quantize -o take.posepress");
    let verified = bench.json("verify take.posepress --against chain.bvh --rig biped.gltf --unit cm --json");
    assert_eq!(verified["clips"].as_array().map(Vec::len), Some(1));
    bench.ok("export chain.bvh --rig biped.gltf --unit cm --to glb -o take.glb");
    let exported = bench.json("info take.glb --json");
    assert_eq!(exported["files"][0]["meshes"].as_array().map(Vec::len), Some(1), "with the rig's mesh");
}

#[test]
fn a_rig_that_is_not_there_or_does_not_fit_is_said() {
    let bench = Bench::with_sources();
    let run = bench.run("report chain.bvh --rig nowhere.glb --codec raw");
    assert!(run.status == 1 && run.messages.contains("nowhere.glb"), "{}", run.messages);
    let run = bench.run("report chain.bvh --rig biped.gltf --codec raw");
    assert!(
        run.status == 1 && run.messages.contains("chain.bvh: cannot be put on the rig of biped.gltf"),
        "{}",
        run.messages
    );
}

#[test]
fn takes_that_differ_in_their_rest_go_into_one_container() {
    let takes =
        ["kick_normal_001", "walk_normal_001", "dash_normal_001"].map(|name| corpus(&format!("bandai/ds1_{name}.bvh")));
    let [Some(a), Some(b), Some(c)] = takes else { return };
    let bench = Bench::new();
    let (a, b, c) = (a.display(), b.display(), c.display());
    bench.ok(&format!("compress {a} {b} {c} --unit cm --codec raw -o takes.posepress"));
    bench.ok(&format!("verify takes.posepress --against {a} --against {b} --against {c} --unit cm"));
    let info = bench.json("info takes.posepress --json");
    assert_eq!(info["files"][0]["clips"].as_array().map(Vec::len), Some(3));
}

#[test]
fn what_the_checks_find_is_fixed_when_it_is_asked_for() {
    let bench = Bench::with_sources();
    let text = String::from_utf8(bench.read("chain.bvh")).unwrap();
    let (head, motion) = text.split_once("Frame Time").unwrap();
    let (time, frames) = motion.split_once('\n').unwrap();
    let frames: Vec<&str> = frames.lines().filter(|line| !line.trim().is_empty()).collect();
    let doubled = [frames.clone(), vec![frames[frames.len() - 1]]].concat();
    let head = head.replace(&format!("Frames: {}", frames.len()), &format!("Frames: {}", doubled.len()));
    bench.write("doubled.bvh", format!("{head}Frame Time{time}\n{}\n", doubled.join("\n")).as_bytes());
    let samples = |line: &str| bench.json(line)["files"][0]["clips"][0]["samples"].as_u64().unwrap();
    assert_eq!(samples("info doubled.bvh --json"), doubled.len() as u64);
    assert_eq!(samples("info doubled.bvh --fix doubled-last --json"), frames.len() as u64);
    assert_eq!(samples("info doubled.bvh --fix flips,jumps --json"), doubled.len() as u64);
    assert!(bench.ok("info doubled.bvh").contains("Fixed by --fix doubled-last."));
    let run = bench.run("info doubled.bvh --fix nothing");
    assert!(run.status == 2 && run.messages.contains("flips, half-turns, jumps"), "{}", run.messages);
}
