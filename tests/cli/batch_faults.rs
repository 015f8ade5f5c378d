//! `posepress batch`: files, rules and stores that change or vanish during a run.

use crate::batch::{RECIPE, SLOW, batch, library, long_library, manifest, start, until_entries, worked};
use crate::support::Bench;
use std::time::{Duration, SystemTime};

fn line(rest: &str) -> String {
    format!("batch long --jobs 1 --store store {rest} {SLOW}")
}

#[test]
fn a_store_that_vanishes_is_said_and_a_later_run_starts_a_new_one() {
    let bench = Bench::new();
    long_library(&bench, 6);
    let run = start(&bench, &line("-o out"));
    until_entries(&bench, "store", 1);
    std::fs::rename(bench.path("store"), bench.path("elsewhere")).unwrap();
    let ended = run.wait_with_output().unwrap();
    let messages = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{messages}");
    assert!(messages.contains("store: "), "{messages}");
    assert!(!bench.path("store").exists(), "half a store would be none");
    let again = bench.run(&line("-o out"));
    assert_eq!((again.status, worked(&again)), (0, 6), "{}", again.messages);
}

#[test]
fn a_file_that_changes_during_the_run_is_right_after_the_next_one() {
    let bench = Bench::new();
    long_library(&bench, 6);
    let run = start(&bench, &line("-o out"));
    until_entries(&bench, "store", 1);
    for at in 0..6 {
        let name = format!("long/take{at}.bvh");
        let text = String::from_utf8(bench.read(&name)).unwrap();
        bench.write(&name, text.replace(" 90 1 0 ", " 91 1 0 ").as_bytes());
    }
    let ended = run.wait_with_output().unwrap();
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&ended.stderr));
    let next = bench.run(&line("-o out"));
    assert_eq!(next.status, 0, "{}", next.messages);
    let fresh = bench.run(&format!("batch long -o fresh {SLOW}"));
    assert_eq!(fresh.status, 0, "{}", fresh.messages);
    assert!(bench.read("out/posepress-batch.json") == bench.read("fresh/posepress-batch.json"));
    assert!(bench.read("out/take0.posepress") == bench.read("fresh/take0.posepress"));
}

#[test]
fn rules_that_are_edited_during_the_run_count_in_the_next_one() {
    let bench = Bench::new();
    long_library(&bench, 5);
    let rules =
        |mm: &str| bench.write("long/posepress.toml", format!("[[rule]]\nrecipe.tolerance_m = {mm}\n").as_bytes());
    let tolerances = || -> Vec<String> {
        let manifest = manifest(&bench, "out");
        manifest["rows"].as_array().unwrap().iter().map(|row| row["numbers"]["tolerance_mm"].to_string()).collect()
    };
    rules("0.002");
    let run = start(&bench, &line("-o out"));
    until_entries(&bench, "store", 1);
    rules("0.004");
    let ended = run.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(tolerances(), ["2.0"; 5], "one run has one set of rules");
    let next = bench.run(&line("-o out"));
    assert_eq!((next.status, worked(&next)), (0, 5), "{}", next.messages);
    assert_eq!(tolerances(), ["4.0"; 5]);
}

#[test]
fn a_file_with_a_time_in_the_future_is_read_in_every_run() {
    let bench = library();
    let future = SystemTime::now() + Duration::from_secs(86_400);
    let set = |bytes: &[u8]| {
        bench.write("lib/chain.bvh", bytes);
        let file = std::fs::File::options().write(true).open(bench.path("lib/chain.bvh")).unwrap();
        file.set_modified(future).unwrap();
    };
    let text = String::from_utf8(bench.read("lib/chain.bvh")).unwrap();
    set(text.as_bytes());
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    assert_eq!(worked(&batch(&bench, "lib -o out")), 0);
    // The same size and time: a clock that jumped may give both twice.
    set(text.replace("0 91 2 0 10", "0 92 2 0 10").as_bytes());
    assert_eq!(worked(&batch(&bench, "lib -o out")), 1);
}

#[test]
fn a_clip_whose_owner_died_is_taken_over() {
    let bench = library();
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    let before = bench.read("out/posepress-batch.json");
    let rows = manifest(&bench, "out")["rows"].clone();
    std::fs::remove_dir_all(bench.path("out/.posepress-store/entries")).unwrap();
    std::fs::remove_dir_all(bench.path("out/a")).unwrap();
    for row in rows.as_array().unwrap() {
        let lease = format!("out/.posepress-store/leases/{}", row["key"].as_str().unwrap());
        bench.write(&lease, b"owner 1-0\nexpires 1000\nrenewals 3\n");
    }
    let run = batch(&bench, "lib -o out --hash");
    assert_eq!(run.status, 0, "{}", run.messages);
    assert_eq!(bench.read("out/posepress-batch.json"), before);
    assert_eq!(std::fs::read_dir(bench.path("out/.posepress-store/leases")).unwrap().count(), 0);
}

/// Also for root, who may write everywhere: then the run has the rights of another user.
#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_costs_its_outputs_alone() {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    const OTHER_USER: u32 = 65_534;
    let bench = library();
    let allow = |name: &str, mode: u32| {
        std::fs::set_permissions(bench.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    std::fs::create_dir_all(bench.path("out/a")).unwrap();
    ["", "out"].iter().for_each(|name| allow(name, 0o777));
    allow("out/a", 0o555);
    let is_root = std::fs::write(bench.path("out/a/probe"), b"").is_ok();
    // A copy that the other user may run, wherever the program was built.
    std::fs::copy(env!("CARGO_BIN_EXE_posepress"), bench.path("posepress")).unwrap();
    let mut command = std::process::Command::new(bench.path("posepress"));
    command.current_dir(bench.path("")).args(format!("batch lib -o out {RECIPE}").split_whitespace());
    if is_root {
        std::fs::remove_file(bench.path("out/a/probe")).unwrap();
        command.uid(OTHER_USER).gid(OTHER_USER);
    }
    let ended = command.output().unwrap();
    allow("out/a", 0o755);
    let messages = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{messages}");
    let rows = manifest(&bench, "out")["rows"].clone();
    assert!(rows[0]["error"].as_str().unwrap().contains("biped.posepress"), "{rows}");
    assert!(rows[2]["error"].is_null() && bench.path("out/chain.posepress").exists(), "{rows}");
}

/// As in version control: a file is read-only until it is checked out.
#[cfg(unix)]
#[test]
fn a_read_only_output_stays_and_its_results_are_not_made_again() {
    use std::os::unix::fs::PermissionsExt;
    let bench = library();
    let allow = |mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(bench.path("out/chain.posepress"), permissions).unwrap();
    };
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    let before = bench.read("out/chain.posepress");
    allow(0o444);
    let changed = "batch lib -o out --codec quantize --tolerance-mm 60 --fail-sampling-mm 1000";
    let run = bench.run(changed);
    let rows = manifest(&bench, "out")["rows"].clone();
    let errors: Vec<&str> = rows.as_array().unwrap().iter().filter_map(|row| row["error"].as_str()).collect();
    assert!(run.status == 1 && errors.len() == 1, "{errors:?}: {}", run.messages);
    assert!(errors[0].contains("chain.posepress is read-only") && errors[0].contains("Check it out"), "{errors:?}");
    assert_eq!(bench.read("out/chain.posepress"), before);
    allow(0o644);
    let again = bench.run(changed);
    assert_eq!((again.status, worked(&again)), (0, 0), "{}", again.messages);
    assert_ne!(bench.read("out/chain.posepress"), before);
}

/// The manifest's rows: clip, and the reason why it has no result.
fn reasons(bench: &Bench) -> Vec<(String, String)> {
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    manifest(bench, "out")["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (text(row, "clip"), text(row, "error")))
        .collect()
}

#[test]
fn a_clip_that_the_file_holds_and_cannot_be_read_is_a_row_in_every_run() {
    let bench = library();
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    let mut gltf: serde_json::Value = serde_json::from_slice(&bench.read("lib/a/biped.gltf")).unwrap();
    gltf["animations"][0]["samplers"][0]["input"] = 99_999.into();
    let name = gltf["animations"][0]["name"].as_str().unwrap().to_owned();
    bench.write("lib/a/biped.gltf", gltf.to_string().as_bytes());
    for run in ["first", "second"] {
        let ended = batch(&bench, "lib -o out");
        assert_eq!(ended.status, 1, "{run}: {}", ended.messages);
        let rows = reasons(&bench);
        let lost: Vec<_> = rows.iter().filter(|row| !row.1.is_empty()).collect();
        assert_eq!(lost.iter().map(|row| &*row.0).collect::<Vec<_>>(), [&name], "{run}: {rows:?}");
        assert!(lost[0].1.contains("cannot be used"), "{run}: {rows:?}");
        assert_eq!(rows.len(), 3, "{run}: {rows:?}");
    }
    let plan = bench.json(&format!("batch lib -o out --plan --json {RECIPE}"));
    assert_eq!((&plan["counts"]["failed"], &plan["counts"]["done"]), (&1.into(), &2.into()), "{plan}");
    let part = batch(&bench, "lib -o out --part 1/1");
    assert!(part.status == 1 && part.messages.contains(&name), "{}", part.messages);
}

#[test]
fn a_file_that_fails_later_is_one_row_a_clip_with_its_reason() {
    let bench = library();
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    let line = "lib -o out --tolerance-mm 40 --memory 1MB";
    let ended = bench.run(&format!("batch {line} --codec quantize --fail-sampling-mm 1000"));
    assert_eq!(ended.status, 1, "{}", ended.messages);
    let rows = reasons(&bench);
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(rows.iter().all(|(clip, error)| !clip.is_empty() && error.contains("memory")), "{rows:?}");
    // A merge knows the reason of a part.
    let merged = bench.run("batch lib -o out --tolerance-mm 40 --merge --codec quantize --fail-sampling-mm 1000");
    assert_eq!(merged.status, 1, "{}", merged.messages);
    assert!(reasons(&bench).iter().all(|(_, error)| error.contains("memory")), "{:?}", reasons(&bench));
}

#[test]
fn the_outer_of_two_folders_gives_the_place_in_whichever_order() {
    let bench = library();
    assert_eq!(batch(&bench, "lib lib/a -o one").status, 0);
    assert_eq!(batch(&bench, "lib/a lib -o two").status, 0);
    assert_eq!(bench.read("one/posepress-batch.json"), bench.read("two/posepress-batch.json"));
    assert_eq!(bench.read("one/a/biped.posepress"), bench.read("two/a/biped.posepress"));
}

#[test]
fn a_shells_pattern_may_name_rules_and_sidecars_and_separators_may_be_doubled() {
    let bench = library();
    bench.write("lib/posepress.toml", b"");
    bench.write("lib/chain.posepress.toml", b"tags = [\"chains\"]\n");
    let named = batch(&bench, "lib/chain.bvh lib/chain.posepress.toml lib/posepress.toml -o out");
    assert_eq!((named.status, worked(&named)), (0, 1), "{}", named.messages);
    assert_eq!(batch(&bench, "lib//*.bvh -o out").status, 0);
}

#[test]
fn a_library_of_few_files_has_parts_without_work() {
    let bench = library();
    let beyond = usize::MAX;
    let idle = batch(&bench, &format!("lib -o out --part {beyond}/{beyond}"));
    assert_eq!((idle.status, worked(&idle)), (0, 0), "{}", idle.messages);
    let first = batch(&bench, &format!("lib -o out --part 1/{beyond}"));
    assert!(first.status == 0 && worked(&first) > 0, "{}", first.messages);
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_counts_only_if_it_names_a_source() {
    let bench = library();
    std::os::unix::fs::symlink("nowhere", bench.path("lib/.#notes.txt")).unwrap();
    assert_eq!(batch(&bench, "lib -o out").status, 0);
    std::os::unix::fs::symlink("nowhere", bench.path("lib/gone.bvh")).unwrap();
    assert_eq!(batch(&bench, "lib -o out").status, 1);
    assert!(reasons(&bench).iter().any(|(clip, error)| clip.is_empty() && error.contains("cannot be read")));
}

#[test]
fn names_with_a_number_sign_are_split_where_the_file_ends() {
    let bench = library();
    bench.write("lib/chain#2.bvh", &bench.read("lib/chain.bvh"));
    let why = batch(&bench, "--why lib/chain#2.bvh#chain#2");
    assert_eq!(why.status, 0, "{}", why.messages);
    let other = batch(&bench, "--why lib/chain.bvh#chain");
    assert_eq!(other.status, 0, "{}", other.messages);
}
