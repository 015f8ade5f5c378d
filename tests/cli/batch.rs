//! A library of clips: what is worked on and what is not, faults that cost themselves alone, rules, gates, baselines, formats.

use crate::support::{Bench, Run};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

/// A quick recipe within which the bench's clips stay.
/// A file that cannot be read, with as many signs in its name as the system allows.
pub const TORN: &str = if cfg!(windows) { "lib/torn &.glb" } else { "lib/torn <&>.glb" };
/// Drives of Windows have one file of names that differ in capitals.
const DISTINGUISHES_CAPITALS: bool = !cfg!(windows);
pub const RECIPE: &str = "--codec quantize --tolerance-mm 50 --fail-sampling-mm 1000";

/// A bench with the library `lib`: `a/biped.gltf` and `chain.bvh`. All files rest for an hour.
pub fn library() -> Bench {
    let bench = Bench::with_sources();
    std::fs::create_dir_all(bench.path("lib/a")).unwrap();
    for (from, to) in
        [("biped.gltf", "lib/a/biped.gltf"), ("biped.bin", "lib/a/biped.bin"), ("chain.bvh", "lib/chain.bvh")]
    {
        bench.write(to, &bench.read(from));
        rest(&bench, to);
    }
    bench
}

/// Sets a file's time to an hour ago.
fn rest(bench: &Bench, name: &str) {
    let file = std::fs::File::options().write(true).open(bench.path(name)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
}

pub fn batch(bench: &Bench, rest: &str) -> Run {
    bench.run(&format!("batch {rest} {RECIPE}"))
}

pub fn manifest(bench: &Bench, output: &str) -> Value {
    serde_json::from_slice(&bench.read(&format!("{output}/posepress-batch.json"))).unwrap()
}

/// `FILE#CLIP` of each row, and its error if it has one.
fn rows(bench: &Bench, output: &str) -> Vec<(String, Option<String>)> {
    let manifest = manifest(bench, output);
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let row = |row: &Value| {
        let error = row["error"].as_str().map(str::to_owned);
        (format!("{}#{}", text(row, "source"), text(row, "clip")), error)
    };
    manifest["rows"].as_array().unwrap().iter().map(row).collect()
}

/// Number of clips that a run compressed.
pub fn worked(run: &Run) -> usize {
    run.messages.lines().filter(|line| line.starts_with("compressed ")).count()
}

/// The entries of a store that hold clips.
fn entries(bench: &Bench, store: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in std::fs::read_dir(bench.path(store).join("entries")).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            // One that is being written has an extension, and may be gone again.
            let bytes = if path.extension().is_none() { std::fs::read(&path).unwrap() } else { Vec::new() };
            let is_clip = bytes.windows(13).any(|bytes| bytes == b"\"kind\":\"clip\"");
            found.extend(is_clip.then_some(path));
        }
    }
    found.sort();
    found
}

#[test]
fn containers_are_those_of_compress_and_the_second_run_does_nothing() {
    let bench = library();
    let run = batch(&bench, "lib -o out");
    assert_eq!(run.status, 0, "{}", run.messages);
    assert_eq!(worked(&run), 3, "{}", run.messages);
    let names = ["lib/a/biped.gltf#Walk", "lib/a/biped.gltf#Wave", "lib/chain.bvh#chain"];
    assert_eq!(rows(&bench, "out"), names.map(|name| (name.to_owned(), None)));
    bench.ok(&format!("compress lib/a/biped.gltf {RECIPE} -o biped.posepress"));
    assert_eq!(bench.read("out/a/biped.posepress"), bench.read("biped.posepress"));
    let before = bench.read("out/posepress-batch.json");
    let time = |name: &str| bench.path(name).metadata().unwrap().modified().unwrap();
    let written = time("out/a/biped.posepress");
    let again = batch(&bench, "lib -o out");
    assert_eq!((again.status, worked(&again)), (0, 0), "{}", again.messages);
    assert_eq!(bench.read("out/posepress-batch.json"), before);
    assert_eq!(time("out/a/biped.posepress"), written, "the container is not written again");
    let plan = bench.json(&format!("batch lib -o out --plan --json {RECIPE}"));
    assert_eq!((&plan["counts"]["done"], &plan["counts"]["new"]), (&3.into(), &0.into()));
}

#[test]
fn manifest_and_containers_are_the_same_whatever_the_order_and_the_jobs() {
    let bench = library();
    let outputs =
        [("one", "lib --jobs 1"), ("two", "lib --jobs 4"), ("turned", "lib/chain.bvh lib lib/a/biped.gltf --jobs 3")];
    for (output, how) in outputs {
        let run = batch(&bench, &format!("{how} -o {output}"));
        assert_eq!((run.status, worked(&run)), (0, 3), "{}", run.messages);
    }
    // The place of an output depends on what was given; its bytes do not.
    assert_eq!(bench.read("one/posepress-batch.json"), bench.read("two/posepress-batch.json"));
    assert_eq!(bench.read("one/a/biped.posepress"), bench.read("two/a/biped.posepress"));
    assert_eq!(bench.read("one/a/biped.posepress"), bench.read("turned/a/biped.posepress"));
    let keys = |output: &str| {
        manifest(&bench, output)["rows"].as_array().unwrap().iter().map(|r| r["key"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys("one"), keys("turned"));
    let names = |output: &str| {
        entries(&bench, &format!("{output}/.posepress-store"))
            .iter()
            .map(|p| p.file_name().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("one"), names("two"));
    for (one, two) in entries(&bench, "one/.posepress-store").iter().zip(entries(&bench, "two/.posepress-store")) {
        assert!(std::fs::read(one).unwrap() == std::fs::read(two).unwrap(), "{}", one.display());
    }
}

#[test]
fn a_run_that_finds_nothing_or_writes_over_its_inputs_is_no_success() {
    let bench = library();
    std::fs::create_dir(bench.path("empty")).unwrap();
    let empty = batch(&bench, "empty -o out");
    assert_eq!(empty.status, 1);
    assert!(empty.messages.contains("1 row without a result: empty"), "{}", empty.messages);
    for (line, why) in [("lib -o lib", "it is also an input"), ("lib -o lib/chain.bvh", "it is a file")] {
        let run = batch(&bench, line);
        assert!(run.status == 2 && run.messages.contains(why), "{line}: {} {}", run.status, run.messages);
    }
    assert!(!bench.path("lib/.posepress-store").exists());
}

#[test]
fn a_file_of_the_same_size_and_time_is_read_only_with_hash() {
    let bench = library();
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    let time = bench.path("lib/chain.bvh").metadata().unwrap().modified().unwrap();
    let text = String::from_utf8(bench.read("lib/chain.bvh")).unwrap();
    bench.write("lib/chain.bvh", text.replace("0 91 2 0 10", "0 92 2 0 10").as_bytes());
    let file = std::fs::File::options().write(true).open(bench.path("lib/chain.bvh")).unwrap();
    file.set_modified(time).unwrap();
    assert_eq!(worked(&batch(&bench, "lib -o out")), 0, "size and time are the same");
    assert_eq!(worked(&batch(&bench, "lib -o out --hash")), 1);
    assert_eq!(worked(&batch(&bench, "lib -o out --hash")), 0);
}

#[test]
fn only_what_changed_is_made_again_and_what_is_gone_is_named() {
    let bench = library();
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    // The buffer beside the glTF.
    let mut buffer = bench.read("lib/a/biped.bin");
    let middle = buffer.len() / 2;
    buffer[middle] ^= 1;
    bench.write("lib/a/biped.bin", &buffer);
    bench.write("lib/b.bvh", &bench.read("chain.bvh"));
    let plan = |rest: &str| bench.json(&format!("batch {rest} -o out --plan --json {RECIPE}"));
    let counts = plan("lib");
    assert_eq!(
        (&counts["counts"]["changed"], &counts["counts"]["new"], &counts["counts"]["done"]),
        (&1.into(), &1.into(), &1.into())
    );
    let run = batch(&bench, "lib -o out");
    // The byte is of Wave. Walk is the same clip as before.
    assert_eq!((run.status, worked(&run)), (0, 2), "{}", run.messages);
    let gone = plan("lib/a");
    let orphans: Vec<_> = gone["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|t| t["state"] == "orphaned")
        .map(|t| t["note"].clone())
        .collect();
    // With another folder as input, the output has another place.
    assert_eq!(orphans, ["no input has this output", "b.posepress", "chain.posepress"]);
}

#[test]
fn a_damaged_entry_is_said_and_made_again_and_never_used() {
    let bench = library();
    assert_eq!(batch(&bench, "lib -o out --store store").status, 0);
    let good = bench.read("out/a/biped.posepress");
    let paths = entries(&bench, "store");
    let mut bytes = std::fs::read(&paths[0]).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&paths[0], &bytes).unwrap();
    std::fs::write(&paths[1], b"").unwrap();
    let list = bench.run("store list --store store");
    assert!(list.status == 1 && list.messages.contains("damaged"), "{}", list.messages);
    for output in ["a/biped.posepress", "chain.posepress"] {
        std::fs::remove_file(bench.path("out").join(output)).unwrap();
    }
    let run = batch(&bench, "lib -o out --store store");
    assert_eq!((run.status, worked(&run)), (0, 2), "{}", run.messages);
    assert_eq!(run.messages.matches("It is made again").count(), 2, "{}", run.messages);
    assert_eq!(bench.read("out/a/biped.posepress"), good);
    assert_eq!(bench.ok("store verify --store store"), "5 entries, 0 damaged\n");
    std::fs::write(&paths[2], b"posepress-entry 1 0 0 0\n").unwrap();
    let verify = bench.run("store verify --store store");
    assert!(
        verify.status == 1 && verify.out.contains("5 entries, 1 damaged") && !paths[2].exists(),
        "{}",
        verify.messages
    );
    assert!(bench.ok("store gc --keep-days 30 --store store").starts_with("0 removed"));
    assert!(bench.ok("store gc --max-gb 0 --store store").starts_with("4 removed"));
    assert_eq!(bench.run("store gc --store store").status, 2);
    assert_eq!(bench.run("store list --store lib").status, 1);
}

#[test]
fn faults_cost_themselves_alone_and_are_named() {
    let bench = library();
    bench.write("lib/torn.glb", b"glTF\x02\0\0\0");
    bench.write("lib/rig.bvh", bench.read("chain.bvh").as_slice());
    if DISTINGUISHES_CAPITALS {
        bench.write("lib/Chain.bvh", bench.read("chain.bvh").as_slice());
    }
    std::fs::create_dir_all(bench.path("lib/deep").join("d".repeat(120)).join("e".repeat(120))).unwrap();
    let long = format!("lib/deep/{}/{}/walk.bvh", "d".repeat(120), "e".repeat(120));
    bench.write(&long, bench.read("chain.bvh").as_slice());
    let run = batch(&bench, "lib gone.glb lib/*.fbx -o out");
    assert_eq!(run.status, 1, "{}", run.messages);
    let rows = rows(&bench, "out");
    let error = |name: &str| rows.iter().find(|row| row.0 == name).unwrap_or_else(|| panic!("{rows:?}")).1.clone();
    assert!(error("lib/torn.glb#").is_some_and(|error| error.contains("torn.glb")), "{rows:?}");
    assert!(error("gone.glb#").is_some_and(|error| error.contains("Check the path")), "{rows:?}");
    assert!(error("lib/*.fbx#").is_some_and(|error| error.contains("no file")), "{rows:?}");
    if DISTINGUISHES_CAPITALS {
        let error = error("lib/chain.bvh#");
        assert!(error.is_some_and(|error| error.contains("capitals") && error.contains("lib/Chain.bvh")), "{rows:?}");
        assert_eq!(rows.iter().find(|row| row.0 == "lib/Chain.bvh#Chain").unwrap().1, None);
    }
    assert_eq!([error("lib/a/biped.gltf#Walk"), error(&format!("{long}#walk"))], [None, None]);
    let count = if DISTINGUISHES_CAPITALS { "4 rows without a result: " } else { "3 rows without a result: " };
    assert!(run.messages.lines().last().unwrap().contains(count), "{}", run.messages);
}

#[test]
fn two_files_with_one_clip_name_and_one_stem_keep_both() {
    let bench = library();
    bench.write("lib/biped.gltf", &bench.read("biped.gltf"));
    bench.write("lib/biped.bin", &bench.read("biped.bin"));
    bench.write("lib/biped.bvh", &bench.read("chain.bvh"));
    let run = batch(&bench, "lib -o out");
    assert_eq!(run.status, 0, "{}", run.messages);
    assert!(
        ["biped.gltf.posepress", "biped.bvh.posepress", "a/biped.posepress"]
            .iter()
            .all(|name| bench.path("out").join(name).exists())
    );
    // Two copies of a file are compressed once.
    assert_eq!(worked(&run), 4, "{}", run.messages);
    std::fs::remove_file(bench.path("lib/chain.bvh")).unwrap();
    std::fs::remove_file(bench.path("lib/biped.bvh")).unwrap();
    let all = batch(&bench, "lib -o all --one-per all");
    assert_eq!(all.status, 0, "{}", all.messages);
    let listed = bench.ok("info all/all.posepress");
    assert!(listed.contains("biped/Walk") && listed.contains("biped/Walk.1"), "{listed}");
    let folders = batch(&bench, "lib -o folders --one-per folder");
    assert!(
        folders.status == 0
            && bench.path("folders/a.posepress").exists()
            && bench.path("folders/all.posepress").exists()
    );
    // A file on another rig has no part in the container. It costs only itself.
    bench.write("lib/a/chain.bvh", &bench.read("chain.bvh"));
    let mixed = batch(&bench, "lib -o mixed --one-per all");
    assert!(mixed.status == 1 && mixed.messages.contains("1 row without a result"), "{}", mixed.messages);
    assert_eq!(bench.ok("info mixed/all.posepress"), listed.replace("all/all", "mixed/all"));
    let errors: Vec<_> = rows(&bench, "mixed").into_iter().filter_map(|row| row.1).collect();
    assert!(errors.len() == 1 && errors[0].contains("its rig is not that of lib/a/biped.gltf"), "{errors:?}");
    let again = batch(&bench, "lib -o mixed --one-per all");
    assert!(again.status == 1 && worked(&again) == 0, "{}", again.messages);
}

#[cfg(unix)]
#[test]
fn links_that_lead_back_and_names_that_are_no_text_are_no_danger() {
    use std::os::unix::ffi::OsStrExt;
    let bench = library();
    std::os::unix::fs::symlink("..", bench.path("lib/a/back")).unwrap();
    std::os::unix::fs::symlink(bench.path("lib/chain.bvh"), bench.path("lib/link.bvh")).unwrap();
    let odd = bench.path("lib").join(std::ffi::OsStr::from_bytes(b"odd\xff.bvh"));
    std::fs::write(odd, bench.read("chain.bvh")).unwrap();
    let run = batch(&bench, "lib -o lib/out");
    assert_eq!(run.status, 1, "{}", run.messages);
    let rows = rows(&bench, "lib/out");
    let failed: Vec<_> = rows.iter().filter_map(|row| row.1.as_ref()).collect();
    assert!(rows.len() == 4 && failed.len() == 1 && failed[0].contains("UTF-8"), "{rows:?}");
    assert_eq!(worked(&batch(&bench, "lib -o lib/out")), 0, "the output is not an input");
}

#[cfg(unix)]
#[test]
fn an_output_that_cannot_be_written_is_said_and_the_results_stay_in_the_store() {
    let bench = library();
    bench.write("file", b"");
    assert_eq!(batch(&bench, "lib -o file/out --store store").status, 1);
    // A folder in the place of a container.
    std::fs::create_dir_all(bench.path("out/chain.posepress/x")).unwrap();
    let run = batch(&bench, "lib -o out --store store");
    assert_eq!(run.status, 1, "{}", run.messages);
    let errors: Vec<_> = rows(&bench, "out").into_iter().filter_map(|row| row.1).collect();
    assert!(errors.len() == 1 && errors[0].contains("chain.posepress"), "{errors:?}");
    std::fs::remove_dir_all(bench.path("out/chain.posepress")).unwrap();
    let again = batch(&bench, "lib -o out --store store");
    assert_eq!((again.status, worked(&again)), (0, 0), "{}", again.messages);
    // A disk that takes no more: the store and the outputs refuse, and the next run goes on.
    let script = format!("ulimit -f 1; exec {} batch lib -o small {RECIPE}", env!("CARGO_BIN_EXE_posepress"));
    let full = std::process::Command::new("sh").args(["-c", &script]).current_dir(bench.path("")).output().unwrap();
    assert_eq!(full.status.code(), Some(1), "{}", String::from_utf8_lossy(&full.stderr));
    assert_eq!(batch(&bench, "lib -o small").status, 0);
}

/// A library whose clips take a while: long takes, each with its own motion.
pub fn long_library(bench: &Bench, files: usize) {
    std::fs::create_dir_all(bench.path("long")).unwrap();
    for at in 0..files {
        let head = crate::support::BVH.split("Frames:").next().unwrap();
        let frames: String = (0..1500)
            .map(|frame| {
                let turn = (frame as f32 * 0.05 + at as f32).sin() * 40.0;
                format!("{at} 90 {frame} 0 {turn} 0 0 {turn} 10\n")
            })
            .collect();
        bench.write(
            &format!("long/take{at}.bvh"),
            format!("{head}Frames: 1500\nFrame Time: 0.0333333\n{frames}").as_bytes(),
        );
    }
}

/// A slow recipe, in which most of the time is spent on the clips.
pub const SLOW: &str = "--codec linear-keys --tolerance-mm 0.1 --fail-sampling-mm 1000";

pub fn start(bench: &Bench, line: &str) -> Child {
    bench.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until a store has entries of clips.
pub fn until_entries(bench: &Bench, store: &str, count: usize) {
    let found = || match bench.path(store).join("entries").exists() {
        true => entries(bench, store).len(),
        false => 0,
    };
    crate::until::until("entries in the store", found, |found| *found >= count);
}

#[test]
fn a_killed_run_loses_the_clips_in_work_and_nothing_else() {
    let bench = Bench::new();
    long_library(&bench, 6);
    let line = format!("batch long --jobs 1 {SLOW}");
    let mut killed = start(&bench, &format!("{line} -o out --store store"));
    until_entries(&bench, "store", 2);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let done = entries(&bench, "store").len();
    let again = bench.run(&format!("{line} -o out --store store"));
    assert!(again.status == 0 && worked(&again) <= 6 - done, "{done} were done: {}", again.messages);
    assert!(bench.run(&format!("{line} -o whole")).status == 0);
    assert_eq!(bench.read("out/posepress-batch.json"), bench.read("whole/posepress-batch.json"));
    assert_eq!(bench.read("out/take3.posepress"), bench.read("whole/take3.posepress"));
}

#[test]
fn two_runs_at_once_share_the_work() {
    let bench = Bench::new();
    long_library(&bench, 6);
    let line = |output: &str| format!("batch long --jobs 2 -o {output} --store store {SLOW}");
    let [a, b] = ["a", "b"].map(|output| start(&bench, &line(output)));
    let ended = [a, b].map(|run| run.wait_with_output().unwrap());
    let messages = ended.each_ref().map(|run| String::from_utf8_lossy(&run.stderr).into_owned());
    assert!(ended.iter().all(|run| run.status.success()), "{messages:?}");
    assert_eq!(bench.read("a/posepress-batch.json"), bench.read("b/posepress-batch.json"));
    assert_eq!(bench.read("a/take5.posepress"), bench.read("b/take5.posepress"));
    assert_eq!(entries(&bench, "store").len(), 6);
    assert_eq!(std::fs::read_dir(bench.path("store/leases")).unwrap().count(), 0, "no lease is left");
}

#[cfg(unix)]
#[test]
fn a_first_interrupt_finishes_what_is_in_work() {
    let bench = Bench::new();
    long_library(&bench, 8);
    let run = start(&bench, &format!("batch long --jobs 1 -o out --store store {SLOW}"));
    until_entries(&bench, "store", 1);
    let sent = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let ended = run.wait_with_output().unwrap();
    let messages = String::from_utf8_lossy(&ended.stderr);
    let is_stopped = ended.status.code() == Some(1) && messages.contains("the same command goes on");
    assert!(is_stopped || ended.status.success(), "{messages}");
    assert_eq!(std::fs::read_dir(bench.path("store/leases")).unwrap().count(), 0, "{messages}");
    let done = entries(&bench, "store").len();
    let again = bench.run(&format!("batch long -o out --store store {SLOW}"));
    assert_eq!((again.status, worked(&again)), (0, 8 - done), "{}", again.messages);
}

#[test]
fn a_pattern_finds_files_below_its_folder() {
    let bench = library();
    let run = batch(&bench, "lib/**/*.gltf -o out");
    assert_eq!((run.status, worked(&run)), (0, 2), "{}", run.messages);
    assert!(bench.path("out/a/biped.posepress").exists());
    assert_eq!(rows(&bench, "out").len(), 2);
}
