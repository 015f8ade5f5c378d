//! Failures around the work: outputs that cannot be written, failing files and clips among good ones, threads.

use crate::support::{Bench, Run};
use std::process::Stdio;

/// Names of the files in the bench's folder.
fn names(bench: &Bench) -> Vec<String> {
    let folder = std::fs::read_dir(bench.path("")).unwrap();
    let mut names: Vec<_> = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs a line with an environment variable.
fn with_variable(bench: &Bench, line: &str, name: &str, value: &str) -> Run {
    let output = bench.command(line).env(name, value).output().unwrap();
    Run {
        status: output.status.code().expect("ended by a signal"),
        out: String::from_utf8(output.stdout).unwrap(),
        messages: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn an_output_is_tried_before_the_work() {
    let bench = Bench::with_sources();
    std::fs::create_dir(bench.path("folder")).unwrap();
    bench.write("file", b"");
    let before = names(&bench);
    for line in [
        "compress biped.gltf --codec quantize -o none/out.posepress",
        "compress biped.gltf --codec quantize -o folder",
        "compress biped.gltf --codec quantize -o file/out.posepress",
        "compress biped.gltf --codec quantize -o out.posepress --html none/page.html",
        "report biped.gltf --codec quantize --html none/page.html",
        "export biped.gltf --to glb -o none/out.glb",
        "measure . -o file/tables --codec quantize",
    ] {
        let run = bench.run(line);
        assert_eq!(run.status, 1, "{line}: {}", run.messages);
        let worked = ["compressed 1/", "measured 1/"].iter().any(|words| run.messages.contains(words));
        assert!(!worked && run.messages.lines().count() < 3, "{line}: {}", run.messages);
        assert_eq!(names(&bench), before, "{line}");
    }
}

#[test]
fn what_fails_among_others_costs_itself_alone_and_is_named() {
    let bench = Bench::with_sources();
    bench.write("torn.glb", b"glTF\x02\0\0\0");
    let line = "compress biped.gltf torn.glb chain.bvh gone.glb --codec quantize --tolerance-mm 50 -o out.posepress";
    let run = bench.run(line);
    assert_eq!(run.status, 1, "{}", run.messages);
    let last = run.messages.lines().last().unwrap();
    assert!(
        last.contains("3 of 4 files could not be used, or not with all clips: torn.glb, gone.glb, chain.bvh"),
        "{}",
        run.messages
    );
    let listed = bench.ok("info out.posepress");
    assert!(listed.contains("Walk") && listed.contains("Wave"), "{listed}");
    let run = bench.run("compress torn.glb gone.glb --codec quantize -o none.posepress");
    assert!(run.status == 1 && !bench.path("none.posepress").exists(), "{}", run.messages);
    let run = bench.run("report biped.gltf torn.glb --codec quantize");
    assert!(run.status == 1 && run.out.contains("Walk") && run.messages.contains("torn.glb"), "{}", run.messages);
}

/// Root positions so large that codecs refuse the clip.
const TOO_LARGE: [f32; 2] = [0.0, 1e32];

/// Moves the root of a clip far along x at its first samples.
fn spoil(bench: &Bench, clip: &str, along_x: [f32; 2]) {
    let json: serde_json::Value = serde_json::from_slice(&bench.read("biped.gltf")).unwrap();
    let named = |animation: &&serde_json::Value| animation["name"] == clip;
    let animation = json["animations"].as_array().unwrap().iter().find(named).unwrap();
    let place = |value: &serde_json::Value| value.as_u64().unwrap() as usize;
    let moves = |channel: &&serde_json::Value| channel["target"]["path"] == "translation";
    let channel = animation["channels"].as_array().unwrap().iter().find(moves).unwrap();
    let sampler = &animation["samplers"][place(&channel["sampler"])];
    let view = &json["bufferViews"][place(&json["accessors"][place(&sampler["output"])]["bufferView"])];
    let mut buffer = bench.read("biped.bin");
    for (sample, x) in along_x.into_iter().enumerate() {
        let at = place(&view["byteOffset"]) + 12 * sample;
        buffer[at..at + 4].copy_from_slice(&x.to_le_bytes());
    }
    bench.write("biped.bin", &buffer);
}

#[test]
fn a_clip_that_cannot_be_compressed_costs_itself_alone_in_every_file_that_is_written() {
    let bench = Bench::with_sources();
    spoil(&bench, "Wave", TOO_LARGE);
    for (line, file) in [
        ("compress biped.gltf --codec linear-keys -o out.posepress", "out.posepress"),
        ("export biped.gltf --to glb --codec linear-keys -o out.glb", "out.glb"),
    ] {
        let run = bench.run(line);
        assert_eq!(run.status, 1, "{line}: {}", run.messages);
        let says = |words: &str| assert!(run.messages.contains(words), "{line}: {}", run.messages);
        says("error: biped.gltf: clip 'Wave'");
        says("1 clip could not be compressed: Wave");
        let listed = bench.ok(&format!("info {file}"));
        assert!(listed.contains("Walk") && !listed.contains("Wave"), "{line}: {listed}");
    }
    let json = bench.run("export biped.gltf --to glb --codec linear-keys -o out.glb --json");
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&json["clips"][0]["clip"], &json["missing"]), (&"Walk".into(), &serde_json::json!(["Wave"])));
    spoil(&bench, "Walk", TOO_LARGE);
    for (line, file) in [
        ("compress biped.gltf --codec linear-keys -o none.posepress", "none.posepress"),
        ("export biped.gltf --to glb --codec linear-keys -o none.glb", "none.glb"),
    ] {
        let run = bench.run(line);
        assert!(run.status == 1 && !bench.path(file).exists(), "{line}: {}", run.messages);
        let last = run.messages.lines().last().unwrap();
        assert!(last.contains("2 clips could not be compressed: Walk, Wave; nothing was written"), "{line}: {last}");
    }
}

/// If the clip is moved to the origin, its root is farther away than float32 can store.
#[test]
fn an_export_goes_on_past_a_clip_that_is_lost_as_it_is_read() {
    let bench = Bench::with_sources();
    spoil(&bench, "Wave", [-3e38, 3e38]);
    let run = bench.run("export biped.gltf --to glb --fix origin --codec linear-keys -o out.glb");
    let is_lost = run.messages.contains("error: biped.gltf: clip 'Wave'")
        && run.messages.contains("1 of 1 files could not be used, or not with all clips: biped.gltf");
    assert!(run.status == 1 && is_lost, "{}", run.messages);
    assert!(bench.ok("info out.glb").contains("Walk"));
}

/// The error of a file system with a size limit per file, in blocks of 512 bytes. The shell sets the limit.
#[cfg(unix)]
#[test]
fn a_file_that_grows_too_large_is_an_error_and_nothing_is_left_of_it() {
    let bench = Bench::with_sources();
    let before = names(&bench);
    for rest in [
        "compress biped.gltf --codec raw -o out.posepress",
        "compress biped.gltf --codec press --tiers --low-tier-mm 1 --medium-tier-mm 30 -o out.posepress",
        "export biped.gltf --to csv --clip Walk -o out.csv",
    ] {
        let script = format!("ulimit -f 1; exec {} {rest}", env!("CARGO_BIN_EXE_posepress"));
        let output =
            std::process::Command::new("sh").args(["-c", &script]).current_dir(bench.path("")).output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{rest}: {messages}");
        assert!(messages.contains("out."), "{rest}: {messages}");
        assert_eq!(names(&bench), before, "{rest}");
    }
}

/// A tier that cannot be written, because a folder has its name.
#[test]
fn a_container_is_not_written_without_its_tiers() {
    let bench = Bench::with_sources();
    bench.write("out.posepress", b"what was there");
    std::fs::create_dir_all(bench.path("out.low.posepress-tier/within")).unwrap();
    let before = names(&bench);
    let run =
        bench.run("compress biped.gltf --codec press --tiers --low-tier-mm 1 --medium-tier-mm 30 -o out.posepress");
    assert!(run.status == 1 && run.messages.contains("out.low.posepress-tier"), "{}", run.messages);
    assert_eq!((names(&bench), bench.read("out.posepress")), (before, b"what was there".to_vec()));
}

#[test]
fn any_number_of_threads_works() {
    let bench = Bench::with_sources();
    let line = "report biped.gltf --codec quantize --tolerance-mm 50 --csv";
    let clips = |out: &str| out.lines().count();
    let expected = clips(&bench.ok(line));
    for value in ["0", "1", "10000000", "99999999999999999999", "-1", "many", ""] {
        let run = with_variable(&bench, line, "RAYON_NUM_THREADS", value);
        assert_eq!((run.status, clips(&run.out)), (0, expected), "RAYON_NUM_THREADS={value}: {}", run.messages);
    }
    for value in ["0", "1", "3", "10000000"] {
        assert_eq!(clips(&bench.ok(&format!("{line} --threads {value}"))), expected, "--threads {value}");
    }
    assert_eq!(bench.run(&format!("{line} --threads many")).status, 2);
}

#[test]
fn a_file_on_a_closed_standard_output_is_an_error() {
    let bench = Bench::with_sources();
    for line in
        ["compress biped.gltf --codec raw --tolerance-mm 50 -o -", "export biped.gltf --to csv --clip Walk -o -"]
    {
        let mut child = bench.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {messages}");
        assert!(messages.contains("standard output") && !messages.contains("panicked"), "{line}: {messages}");
    }
}

/// The tables of sets that were measured before a failing set are kept.
#[test]
fn tables_are_written_set_by_set() {
    let bench = Bench::with_sources();
    for set in ["a", "b"] {
        std::fs::create_dir_all(bench.path(&format!("corpus/{set}"))).unwrap();
    }
    bench.write("corpus/a/chain.bvh", &bench.read("chain.bvh"));
    bench.write("corpus/b/torn.bvh", b"HIERARCHY\nROOT");
    let run = bench.run("measure corpus -o out --codec quantize --tolerances-mm 1");
    assert!(run.status == 1 && run.messages.contains("torn.bvh"), "{}", run.messages);
    assert!(bench.path("out/set-a.md").exists() && bench.path("out/sizes.md").exists(), "{}", run.messages);
}
