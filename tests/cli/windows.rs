//! Manners of Windows: files that other programs hold, capitals, and paths as people write them.

use crate::support::{BVH, Bench};
use std::fs::File;
use std::os::windows::fs::OpenOptionsExt;

/// A file that another program has open, as an editor or a virus scanner does.
fn held(bench: &Bench, name: &str) -> File {
    File::options().read(true).share_mode(0).open(bench.path(name)).unwrap()
}

#[test]
fn a_file_that_another_program_has_open_is_named_before_the_work_and_stays() {
    let bench = Bench::with_sources();
    let line = "compress chain.bvh -o out.posepress";
    bench.ok(line);
    let old = bench.read("out.posepress");
    let holder = held(&bench, "out.posepress");
    let run = bench.run(&format!("{line} --codec raw"));
    assert_eq!(run.status, 1, "{}", run.messages);
    assert!(run.messages.contains("out.posepress is open in another program"), "{}", run.messages);
    drop(holder);
    assert_eq!(bench.read("out.posepress"), old);
    bench.ok(line);

    let holder = held(&bench, "chain.bvh");
    let run = bench.run("info chain.bvh biped.gltf");
    assert!(run.status == 1 && run.messages.contains("chain.bvh"), "{}", run.messages);
    assert!(run.out.contains("Walk"), "the other file is read: {}", run.out);
    drop(holder);
    bench.ok("info chain.bvh");
}

#[test]
fn a_read_only_file_says_what_to_do() {
    let bench = Bench::with_sources();
    bench.write("out.posepress", b"checked in");
    let mut rights = bench.path("out.posepress").metadata().unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(bench.path("out.posepress"), rights).unwrap();
    let run = bench.run("compress chain.bvh -o out.posepress");
    assert!(run.status == 1 && run.messages.contains("Check it out"), "{}", run.messages);
    assert_eq!(bench.read("out.posepress"), b"checked in");
}

#[test]
fn other_capitals_and_links_are_the_same_file() {
    let bench = Bench::with_sources();
    std::fs::hard_link(bench.path("chain.bvh"), bench.path("hard.bvh")).unwrap();
    for output in ["CHAIN.BVH", "hard.bvh", ".\\chain.bvh"] {
        let run = bench.run(&format!("compress chain.bvh -o {output}"));
        assert!(run.status != 0 && run.messages.contains("chain.bvh"), "{output}: {}", run.messages);
    }
    assert_eq!(bench.read("chain.bvh"), BVH.as_bytes());
    assert_eq!(bench.json("report *.BVH --json")["clips"].as_array().unwrap().len(), 2, "patterns ignore capitals");
}

#[test]
fn paths_are_written_as_people_write_them() {
    let bench = Bench::with_sources();
    let whole = bench.path("chain.bvh").display().to_string();
    assert!(whole.contains(":\\"), "{whole}");
    let runs = [
        bench.run(&format!("info {whole}")),
        bench.run(&format!("batch {whole} gone.bvh -o out")),
        bench.run("info none.bvh"),
    ];
    for run in runs {
        assert!(!run.out.contains("\\\\?\\") && !run.messages.contains("\\\\?\\"), "{}{}", run.out, run.messages);
    }
    let manifest = String::from_utf8(bench.read("out/posepress-batch.json")).unwrap();
    assert!(!manifest.contains("?\\"), "{manifest}");
}
