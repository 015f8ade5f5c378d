//! `posepress batch --watch`: a changed file is compressed again, and Ctrl-C ends the run.

use crate::batch::{RECIPE, library, manifest};
use crate::support::Bench;
use crate::until::until;
use std::process::Stdio;

fn tolerance(bench: &Bench) -> f64 {
    if !bench.path("out/posepress-batch.json").exists() {
        return 0.0;
    }
    manifest(bench, "out")["rows"][0]["numbers"]["tolerance_mm"].as_f64().unwrap_or_default()
}

fn rows(bench: &Bench) -> usize {
    manifest(bench, "out")["rows"].as_array().map_or(0, Vec::len)
}

#[test]
fn changed_new_and_lost_files_are_seen_and_an_interrupt_ends_it() {
    let bench = library();
    let table = std::fs::File::create(bench.path("table.txt")).unwrap();
    let mut command = bench.command(&format!("batch lib -o out --watch {RECIPE}"));
    let run = command.stdout(table).stderr(Stdio::piped()).spawn().unwrap();
    until("the first run", || tolerance(&bench), |mm| *mm == 50.0);
    let shown = || String::from_utf8(bench.read("table.txt")).unwrap();
    until("its table, while the program goes on", shown, |table| table.contains("3 clips"));
    bench.write("lib/posepress.toml", b"[[rule]]\nrecipe.tolerance_m = 0.02\n");
    until("the run by the new rules", || tolerance(&bench), |mm| *mm == 20.0);
    bench.write("lib/new.bvh", &bench.read("chain.bvh"));
    until("the run with the new file", || rows(&bench), |rows| *rows == 4);
    bench.write("lib/new.posepress.toml", b"tag = 1");
    let error = || manifest(&bench, "out")["rows"][3]["error"].as_str().map(str::to_owned).unwrap_or_default();
    until("the run with the wrong tags", error, |error| error.contains("did you mean 'tags'?"));
    std::fs::remove_file(bench.path("lib/new.posepress.toml")).unwrap();
    std::fs::remove_file(bench.path("lib/new.bvh")).unwrap();
    until("the run without the file", || rows(&bench), |rows| *rows == 3);
    // A file that is read with another one.
    let before = bench.read("out/posepress-batch.json");
    let mut buffer = bench.read("lib/a/biped.bin");
    let middle = buffer.len() / 2;
    buffer[middle] ^= 1;
    bench.write("lib/a/biped.bin", &buffer);
    until("the run with the new buffer", || bench.read("out/posepress-batch.json"), |now| *now != before);
    let sent = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let ended = run.wait_with_output().unwrap();
    let messages = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code().is_some(), "it ends by itself: {messages}");
    assert!(messages.matches("watching; Ctrl-C ends it").count() >= 5, "{messages}");
    assert_eq!(std::fs::read_dir(bench.path("out/.posepress-store/leases")).unwrap().count(), 0, "{messages}");
}
