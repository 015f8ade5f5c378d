use crate::support::Bench;

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
