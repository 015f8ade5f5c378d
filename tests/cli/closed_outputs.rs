//! A closed output or a full disk: the work is done, and the status shows the failure.

use crate::support::Bench;
use std::process::Stdio;

/// Runs a line with one of its outputs closed from the start. Returns the status and the text of the other output.
fn closed(bench: &Bench, line: &str, output: usize) -> (Option<i32>, String) {
    // The lines are read completely before any output, so the pipe is closed by then.
    let mut command = bench.command(line);
    let mut child = command.env("RUST_LOG", "trace").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    match output {
        1 => drop(child.stdout.take()),
        _ => drop(child.stderr.take()),
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

const COMPRESS: &str = "compress biped.gltf chain2.gltf --codec quantize -o out.posepress --html out.html";

fn bench() -> Bench {
    let bench = Bench::with_sources();
    bench.write("chain2.gltf", &bench.read("biped.gltf"));
    bench
}

#[test]
fn messages_that_nobody_reads_change_nothing() {
    let bench = bench();
    let expected = bench.ok(COMPRESS);
    let files = [bench.read("out.posepress"), bench.read("out.html")];
    for file in ["out.posepress", "out.html"] {
        std::fs::remove_file(bench.path(file)).unwrap();
    }
    let without_times =
        |table: &str| table.lines().map(|l| l.split("  ").next().unwrap().to_owned()).collect::<Vec<_>>();
    let (status, out) = closed(&bench, COMPRESS, 2);
    assert_eq!((status, without_times(&out)), (Some(0), without_times(&expected)));
    assert_eq!(bench.read("out.posepress"), files[0]);
    assert_eq!(bench.read("out.html").len(), files[1].len());
    for (line, expected) in [
        ("verify out.posepress --against biped.gltf --clip Walk", 1),
        ("report missing.glb", 1),
        ("report biped.gltf --codec zip", 2),
        ("report biped.gltf --codec quantize --tolerance-mm 0.001", 3),
    ] {
        assert_eq!(closed(&bench, line, 2).0, Some(expected), "{line}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error_and_hides_none() {
    let bench = bench();
    for (line, expected) in [
        (COMPRESS, 0),
        ("decode out.posepress --clip biped/Walk --rate 20000", 0),
        ("codecs --json", 0),
        ("--help", 0),
        ("report biped.gltf --codec quantize --tolerance-mm 0.001", 3),
        ("report biped.gltf missing.glb", 1),
    ] {
        let (status, messages) = closed(&bench, line, 1);
        assert_eq!(status, Some(expected), "{line}: {messages}");
        assert!(!messages.contains("panicked") && !messages.contains("standard output"), "{line}: {messages}");
    }
    assert!(bench.path("out.posepress").exists() && bench.path("out.html").exists());
}

/// A device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_the_output_is_an_error_and_files_are_written() {
    let bench = bench();
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    bench.write("raw.toml", b"codec = 'raw'");
    bench.ok(COMPRESS);
    let file = bench.read("out.posepress");
    std::fs::remove_file(bench.path("out.posepress")).unwrap();
    for line in [
        COMPRESS,
        "info biped.gltf",
        "info biped.gltf --json",
        "codecs",
        "settings",
        "report biped.gltf --csv",
        "compare biped.gltf --recipe raw.toml --json",
        "decode out.posepress --clip biped/Walk",
        "--help",
        "report --help",
        "--version",
    ] {
        let output = bench.command(line).stdout(full()).output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {messages}");
        assert!(messages.contains("error: standard output: "), "{line}: {messages}");
    }
    assert_eq!(bench.read("out.posepress"), file);
    let status = bench.command(COMPRESS).stdout(Stdio::null()).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(0));
}
