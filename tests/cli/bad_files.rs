use crate::support::Bench;
use std::path::Path;
use std::process::{Command, Stdio};

/// Every wrong command line ends with status 2 and names what was expected.
#[test]
fn usage() {
    let bench = Bench::with_sources();
    for (line, expected) in [
        ("report", "FILE"),
        ("report biped.gltf --codec zip", "expected one of: raw"),
        ("report biped.gltf --codec quantize --set nonsense=1", "expected one of: "),
        ("report biped.gltf --codec raw --set x", "expected KEY=VALUE"),
        ("report biped.gltf --tolerance-mm -1", "expected a number from 0.0001 to 1000000"),
        ("report biped.gltf --sub-frames 0", "expected a whole number from 1 to 64"),
        ("report biped.gltf --clip [", "--clip"),
        ("report biped.gltf --recipe a.toml --codec raw", "cannot be used with"),
        ("compress biped.gltf", "--output"),
        ("export biped.gltf --to fbx -o x", "possible values: glb"),
        ("reprot biped.gltf", "neither a file nor a subcommand"),
        ("codecs zip", "expected one of: raw"),
    ] {
        let run = bench.run(line);
        assert_eq!(run.status, 2, "{line}: {}", run.messages);
        assert!(run.messages.contains(expected), "{line}: {}", run.messages);
        assert!(run.out.is_empty(), "{line} printed {}", run.out);
    }
}

/// Every bad file ends with status 1. The error names the file and the fault.
#[test]
fn files() {
    let bench = Bench::with_sources();
    let json = bench.read("biped.gltf");
    bench.write("empty.glb", b"");
    bench.write("text.gltf", b"{ \"hello\": 1 }");
    bench.write("cut.gltf", &json[..json.len() / 2]);
    bench.write("cut.glb", b"glTF\x02\0\0\0\xff\0\0\0");
    bench.write("nan.bvh", crate::support::BVH.replace("0 91 2", "0 NaN 2").as_bytes());
    bench.write("clip.xyz", b"?");
    bench.write("bad.toml", b"codec = \"raw\"\nspeed = 1\n");
    for (line, expected) in [
        ("info missing.glb", "missing.glb"),
        ("info empty.glb", "empty.glb: the file is empty (0 bytes)"),
        ("info text.gltf", "text.gltf"),
        ("info cut.gltf", "cut.gltf"),
        ("report cut.glb", "cut.glb"),
        ("report nan.bvh", "nan.bvh"),
        ("compress clip.xyz -o x.posepress", "'.xyz' are not supported"),
        ("report biped.gltf --recipe bad.toml", "bad.toml: not a recipe"),
        ("report biped.gltf --clip Jump*", "no clip matches 'Jump*'; there are: Walk, Wave"),
    ] {
        let run = bench.run(line);
        assert_eq!(run.status, 1, "{line}: {}", run.messages);
        assert!(run.messages.contains("error: ") && run.messages.contains(expected), "{line}: {}", run.messages);
    }
}

#[test]
fn one_bad_file_loses_nothing_of_the_others() {
    let bench = Bench::with_sources();
    bench.write("empty.glb", b"");
    let run = bench.run("report empty.glb biped.gltf --codec raw --csv");
    assert_eq!(run.status, 1);
    assert_eq!(run.out.lines().count(), 3, "{}", run.out);
    assert!(run.messages.contains("1 of 2 files could not be used, or not with all clips: "), "{}", run.messages);
    let run = bench.run("compress empty.glb biped.gltf --codec raw -o x.posepress");
    assert!(run.status == 1 && run.messages.lines().last().unwrap().contains("empty.glb"), "{}", run.messages);
    assert_eq!(bench.json("info x.posepress --json")["files"][0]["clips"].as_array().unwrap().len(), 2);
}

#[test]
fn a_container_holds_one_rig() {
    let bench = Bench::with_sources();
    let run = bench.run("compress biped.gltf chain.bvh --codec raw -o x.posepress");
    assert_eq!(run.status, 1);
    let says = |part: &str| assert!(run.messages.contains(part), "{}", run.messages);
    says("chain.bvh: cannot be put on the rig of biped.gltf");
    says("its bones are 90 times as long as those of the rig 'biped'");
    says("A container holds one rig");
    says("1 of 2 files could not be used, or not with all clips: chain.bvh");
    assert_eq!(bench.json("info x.posepress --json")["files"][0]["clips"].as_array().unwrap().len(), 2);
}

#[test]
fn damaged_containers_are_refused() {
    let bench = Bench::with_sources();
    bench.ok("compress biped.gltf --clip Walk -o good.posepress");
    let good = bench.read("good.posepress");
    for at in [0, 9, good.len() / 2, good.len() - 1] {
        let mut flipped = good.clone();
        flipped[at] ^= 4;
        bench.write("flipped.posepress", &flipped);
        bench.write("cut.posepress", &good[..at]);
        for line in ["decode flipped.posepress", "decode cut.posepress", "verify cut.posepress --against biped.gltf"] {
            let run = bench.run(line);
            assert_eq!(run.status, 1, "{line}, byte {at}: {}", run.messages);
            assert!(run.messages.contains(".posepress: "), "{}", run.messages);
            assert!(run.out.is_empty(), "{line} printed {}", run.out);
        }
    }
}

/// A source may be the only copy.
#[test]
fn no_command_writes_onto_what_it_reads() {
    let bench = Bench::with_sources();
    bench.ok("compress chain.bvh -o chain.posepress");
    #[cfg(unix)]
    std::os::unix::fs::symlink("chain.bvh", bench.path("link.bvh")).unwrap();
    let mut lines = vec![
        ("compress chain.bvh -o chain.bvh", "chain.bvh"),
        ("compress chain.bvh -o ./chain.bvh", "chain.bvh"),
        ("export chain.bvh --to glb -o chain.bvh", "chain.bvh"),
        ("export chain.posepress --to csv -o chain.posepress", "chain.posepress"),
        ("export chain.posepress --against chain.bvh --to glb -o chain.bvh", "chain.bvh"),
        ("report chain.bvh --html chain.bvh", "chain.bvh"),
        ("compress biped.gltf -o biped.bin", "biped.bin"),
        ("export biped.gltf --to glb -o biped.bin", "biped.bin"),
        ("report biped.gltf --html biped.bin", "biped.bin"),
    ];
    if cfg!(unix) {
        lines.push(("compress chain.bvh -o link.bvh", "chain.bvh"));
        lines.push(("compress link.bvh -o chain.bvh", "chain.bvh"));
    }
    for (line, file) in lines {
        let before = bench.read(file);
        let run = bench.run(line);
        assert_eq!(run.status, 2, "{line}: {}", run.messages);
        assert!(run.messages.contains("would be lost"), "{line}: {}", run.messages);
        assert_eq!(bench.read(file), before, "{line}");
    }
}

#[test]
fn a_dash_is_standard_output() {
    let bench = Bench::with_sources();
    bench.ok("compress chain.bvh -o chain.posepress");
    for (line, file) in
        [("compress chain.bvh -o -", "chain.posepress"), ("export chain.bvh --to csv -o -", "chain.csv")]
    {
        bench.ok(&line.replace("-o -", &format!("-o {file}")));
        let output = bench.command(line).output().unwrap();
        assert!(output.status.success() && output.stdout == bench.read(file), "{line}");
        assert!(!bench.path("-").exists(), "{line}");
    }
}

/// A process that is killed at the end of its test.
#[cfg(unix)]
struct Ended(std::process::Child);

#[cfg(unix)]
impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it may have ended already
    }
}

/// Runs a command in a process with a memory limit in kilobytes. Returns its status and messages.
#[cfg(unix)]
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
#[cfg(unix)]
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
#[cfg(unix)]
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
#[cfg(unix)]
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
#[cfg(unix)]
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
#[cfg(unix)]
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
