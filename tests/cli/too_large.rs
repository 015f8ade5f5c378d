//! Files that are none, and files that take more memory than there is.

use crate::support::Bench;
use std::path::Path;
use std::process::{Command, Stdio};

/// A process that is killed at the end of its test.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it may have ended already
    }
}

/// Runs a command in a process with a memory limit in kilobytes. Returns its status and messages.
fn limited(bench: &Bench, memory_kb: u64, arguments: &[&std::ffi::OsStr]) -> (std::process::ExitStatus, String) {
    let script = format!("ulimit -v {memory_kb}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_posepress")]).args(arguments);
    let said = bench.path("said");
    command.current_dir(bench.path("")).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(std::fs::File::create(&said).unwrap());
    let mut child = Ended(command.spawn().unwrap());
    let what = format!("{arguments:?} ends");
    let status = crate::until::until(&what, || child.0.try_wait().unwrap(), Option::is_some).unwrap();
    (status, String::from_utf8_lossy(&std::fs::read(&said).unwrap()).into_owned())
}

/// A pipe without a writer, an endless device, a folder, and a file longer than memory: refused at every option that takes a file.
#[test]
fn what_is_no_file_is_refused_at_every_door() {
    let bench = Bench::with_sources();
    bench.ok("compress chain.bvh -o good.posepress");
    let doors = [
        ("glb", "info X"),
        ("bvh", "report X"),
        ("glb", "report biped.gltf --rig X"),
        ("toml", "report chain.bvh --recipe X"),
        ("txt", "report chain.bvh --codec automatic --candidates X"),
        ("posepress", "info X"),
        ("posepress", "decode X"),
        ("posepress", "export X --to csv -o out.csv"),
        ("posepress", "verify X --against chain.bvh"),
        ("posepress-tier", "info X"),
        ("posepress-tier", "decode good.posepress --tier X"),
        ("posepress.toml", "signoff X"),
        ("posepress.toml", "study X"),
    ];
    for (extension, line) in doors {
        let named = |kind: &str| bench.path(&format!("{kind}.{extension}"));
        for made in ["pipe", "device", "folder", "long"].map(named) {
            let _ = std::fs::remove_dir(&made);
            let _ = std::fs::remove_file(&made);
        }
        assert!(Command::new("mkfifo").arg(named("pipe")).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", named("device")).unwrap();
        std::fs::create_dir(named("folder")).unwrap();
        std::fs::File::create(named("long")).unwrap().set_len(3 << 30).unwrap(); // sparse: without a byte on the disk
        for (kind, words) in [("pipe", "a pipe"), ("device", "a device"), ("folder", "a folder"), ("long", "3.0 GB")] {
            let file = format!("{kind}.{extension}");
            let arguments: Vec<String> = line.split(' ').map(|word| word.replace('X', &file)).collect();
            let arguments: Vec<&std::ffi::OsStr> = arguments.iter().map(AsRef::as_ref).collect();
            let (status, said) = limited(&bench, 2_000_000, &arguments);
            assert_eq!(status.code(), Some(1), "{line}, {kind}: {said}");
            assert!(said.contains(&file) && said.contains(words), "{line}, {kind}: {said}");
        }
    }
}

/// A clip that its file can describe, but that needs more memory than there is.
#[test]
fn memory_that_is_not_there_is_an_error() {
    const JOINTS: usize = 400;
    let bench = Bench::new();
    let children: Vec<String> = (1..JOINTS).map(|joint| joint.to_string()).collect();
    let numbers = [0.0f32, 2000.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8];
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let gltf = format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"children":[{}]}}{}],"extras":"{}",
        "buffers":[{{"byteLength":40,"uri":"long.bin"}}],
        "bufferViews":[{{"buffer":0,"byteLength":8}},{{"buffer":0,"byteOffset":8,"byteLength":32}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR"}},
        {{"bufferView":1,"componentType":5126,"count":2,"type":"VEC4"}}],
        "animations":[{{"samplers":[{{"input":0,"output":1}}],
        "channels":[{{"sampler":0,"target":{{"node":0,"path":"rotation"}}}}]}}]}}"#,
        children.join(","),
        ",{}".repeat(JOINTS - 1),
        "x".repeat(2 << 20)
    );
    bench.write("long.bin", &bytes);
    bench.write("long.gltf", gltf.as_bytes());
    let (status, said) =
        limited(&bench, 700_000, &["info".as_ref(), "--rate".as_ref(), "30".as_ref(), "long.gltf".as_ref()]);
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("memory does not suffice"), "{said}");
}

/// Small files that once used gigabytes or minutes, if they are next to the checkout. Every command must end by itself with
/// little memory.
#[test]
fn hostile_files_exhaust_no_command() {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/hostile");
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let file = entry.unwrap().path();
        let is_container = file.extension().is_some_and(|e| e == "posepress");
        let lines: &[&[&str]] = match is_container {
            true => &[&["info"], &["export", "--to", "csv", "-o", "out.csv"], &["decode"]],
            false => &[&["info"], &["report"], &["export", "--to", "glb", "-o", "out.glb"]],
        };
        for line in lines {
            let arguments: Vec<&std::ffi::OsStr> =
                [line[0].as_ref(), file.as_os_str()].into_iter().chain(line[1..].iter().map(AsRef::as_ref)).collect();
            let (status, said) = limited(&bench, 3_000_000, &arguments);
            let code = status.code();
            assert!(code.is_some_and(|code| (0..=3).contains(&code)), "{line:?} {}: {status}: {said}", file.display());
        }
    }
}

/// Texts that need many times their length in memory: a GLB of empty nodes, a glTF that is parsed twice, a BVH of short numbers.
fn hungry_files(bench: &Bench) {
    let list = |of: &str, count: usize| vec![of; count].join(",");
    let nodes = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{}]}}"#, list("{}", 400_000));
    bench.write("nodes.gltf", nodes.as_bytes());
    let twice = r#""animations":[{"channels":[{"sampler":0,"target":{"path":"translation"}}],"samplers":[]}]"#;
    let extras = format!(r#"{{"asset":{{"version":"2.0","extras":[{}]}},{twice}}}"#, list("[]", 400_000));
    bench.write("extras.gltf", extras.as_bytes());
    let joint = "OFFSET 0 1 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
    let frames = format!("{}\n", ["0"; 6].join(" ")).repeat(200_000);
    let take = format!("HIERARCHY ROOT r {{ {joint} }} MOTION\nFrames: 200000\nFrame Time: 0.01\n{frames}");
    bench.write("take.bvh", take.as_bytes());
}

/// Memory in steps, from too little to enough. Every file is read or refused with a reason, and no step ends the program.
#[test]
fn a_text_that_does_not_fit_into_memory_is_an_error() {
    let bench = Bench::with_sources();
    hungry_files(&bench);
    for file in ["nodes.gltf", "extras.gltf", "take.bvh"] {
        let mut refusals = 0;
        for memory_kb in (150_000..=650_000).step_by(50_000) {
            let (status, said) = limited(&bench, memory_kb, &["info".as_ref(), file.as_ref()]);
            assert!(status.code().is_some(), "{file} in {memory_kb} KB: {status} {said}");
            refusals += u32::from(said.contains("memory does not suffice"));
        }
        assert!(refusals > 0, "{file}");
    }
}
