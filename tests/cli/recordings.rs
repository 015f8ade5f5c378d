//! Sessions of the real window on the bundled sample, recorded with `--record`. Each is replayed with one, two and seven
//! threads, and the document is compared after every command. After an intended change (a default, a command's name), record
//! them again: `posepress --replay tests/recordings/NAME.jsonl --record NEW.jsonl`.

use crate::support::{Bench, Run};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn lines(recording: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(recording).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A bench with the shortest recording, after an edit.
fn bench_with(change: impl FnOnce(&mut Vec<Value>)) -> Bench {
    let bench = Bench::new();
    let mut lines = recordings().iter().map(|file| lines(file)).min_by_key(Vec::len).unwrap();
    change(&mut lines);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    bench.write("session.jsonl", text.as_bytes());
    bench
}

fn is_settled(line: &Value) -> bool {
    line["done"]["settled"] == true
}

#[test]
fn what_was_done_in_a_window_comes_out_the_same_with_any_number_of_threads() {
    let bench = Bench::new();
    assert_eq!(recordings().len(), 3);
    for recording in recordings() {
        let commands = lines(&recording).len() - 1;
        let [one, two, seven] = [1, 2, 7].map(|threads| {
            let mut command = bench.command(&format!("--threads {threads} --replay"));
            let output = command.arg(&recording).output().unwrap();
            let messages = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(0), "{}: {messages}", recording.display());
            String::from_utf8(output.stdout).unwrap()
        });
        assert!(one.starts_with(&format!("{commands} commands, each as recorded")), "{one}");
        assert_eq!((&one, &one), (&two, &seven));
    }
}

#[test]
fn sessions_on_the_sample_hold_no_path_of_the_machine_that_recorded_them() {
    for recording in recordings() {
        let start = &lines(&recording)[0]["start"]["with"];
        assert_eq!(start["opens"], "Sample");
        assert_eq!((&start["settings"]["recent"], &start["settings"]["author"]), (&json!([]), &json!("")));
        let text = std::fs::read_to_string(&recording).unwrap();
        assert!(!text.contains("\"/") && !text.contains(":\\\\"), "{}", recording.display());
    }
}

#[test]
fn a_replay_stops_at_the_first_command_that_makes_another_document() {
    let mut line = 0;
    let bench = bench_with(|lines| {
        line = lines.iter().rposition(is_settled).unwrap() + 1;
        lines[line - 1]["done"]["digest"] = json!("00000000000000000000000000000000");
    });
    let Run { status, messages, .. } = bench.run("--replay session.jsonl");
    assert_eq!(status, 3, "{messages}");
    let said = format!("session.jsonl: line {line}: after {{");
    assert!(messages.contains(&said) && messages.contains("recorded 00000000000000000000000000000000"), "{messages}");
}

#[test]
fn a_recording_is_made_anew_from_an_old_one() {
    let bench = bench_with(|lines| {
        lines.iter_mut().skip(1).for_each(|line| line["done"]["digest"] = json!(""));
    });
    let made = bench.ok("--replay session.jsonl --record new.jsonl");
    assert!(!made.contains("as recorded"), "{made}");
    assert!(bench.ok("--replay new.jsonl").contains("each as recorded"));
    let session = recordings().into_iter().min_by_key(|file| lines(file).len()).unwrap();
    let (old, new) = (lines(&session), lines(&bench.path("new.jsonl")));
    let done = |lines: &[Value]| -> Vec<Value> {
        lines[1..].iter().map(|line| json!([line["done"]["command"], line["done"]["digest"]])).collect()
    };
    assert_eq!(done(&old), done(&new));
}

#[test]
fn what_is_no_recording_is_said_with_its_line() {
    for (what, line, change) in [
        (
            "is not said where the file begins with a command",
            "first line",
            (|lines| drop(lines.remove(0))) as fn(&mut Vec<Value>),
        ),
        ("begins twice", "line 4: a second start", |lines| lines.insert(3, lines[0].clone())),
        ("holds a command of no version", "line 2: ", |lines| lines[1]["done"]["command"] = json!("Explode")),
        ("is empty", "first line", Vec::clear),
    ] {
        let run = bench_with(change).run("--replay session.jsonl");
        assert_eq!(run.status, 1, "{what}: {}", run.messages);
        assert!(run.messages.contains("session.jsonl") && run.messages.contains(line), "{what}: {}", run.messages);
    }
    let missing = Bench::new().run("--replay missing.jsonl");
    assert_eq!(missing.status, 1);
    assert!(missing.messages.contains("missing.jsonl"), "{}", missing.messages);
}

#[test]
fn a_recording_replaces_no_file_that_is_read_and_belongs_to_a_window() {
    let bench = bench_with(|_| {});
    bench.write("walk.bvh", b"HIERARCHY");
    for line in
        ["--replay session.jsonl --record session.jsonl", "walk.bvh --record ./walk.bvh", "codecs --record new.jsonl"]
    {
        let before = (bench.read("session.jsonl"), bench.read("walk.bvh"));
        let run = bench.run(line);
        assert_eq!(run.status, 2, "{line}: {}", run.messages);
        assert_eq!(before, (bench.read("session.jsonl"), bench.read("walk.bvh")), "{line}");
        assert!(!bench.path("new.jsonl").exists());
    }
}

#[test]
fn a_replay_writes_no_files() {
    let export = json!({"ExportTo": {"exporter": "glb", "scope": "Clip", "path": "here.glb"}});
    let bench = bench_with(|lines| {
        let mut line = lines.last().unwrap().clone();
        line["done"]["command"] = json!({"Export": export});
        lines.push(line);
    });
    let said = bench.ok("--replay session.jsonl");
    assert!(said.contains("1 command left out: a replay writes no files"), "{said}");
    assert!(!bench.path("here.glb").exists());
}
