//! `posepress mcp`: the protocol, what its tools refuse, and the official client.

use crate::project::{corpus, project};
use crate::support::Bench;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server, and a client that speaks the protocol by hand.
struct Session {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    last: u64,
}

impl Session {
    fn start(bench: &Bench, options: &str) -> Self {
        let mut command = bench.command(&format!("mcp {options}"));
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        let mut session = Self { server, to, from, last: 0 };
        let client = json!({ "name": "test", "version": "1" });
        let asked = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let hello = session.ask("initialize", asked);
        assert!(hello["instructions"].as_str().unwrap().contains("'judge'"), "{hello}");
        session.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    fn send(&mut self, message: Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The result of a request.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        self.send(json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(answer["id"], self.last, "{answer}");
        answer.get("result").or(answer.get("error")).unwrap().clone()
    }

    /// The JSON that a tool returns, or its error as text.
    fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let result = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let Some(text) = result["content"][0]["text"].as_str() else { return Err(result.to_string()) };
        match result["isError"] == true {
            true => Err(text.to_owned()),
            false => Ok(serde_json::from_str(text).unwrap()),
        }
    }

    /// Ends standard input. Returns the status of the server.
    fn end(mut self) -> Option<i32> {
        self.to = None;
        self.server.wait().unwrap().code()
    }
}

#[test]
fn tools_answer_with_the_numbers_of_the_command_line() {
    let bench = Bench::with_sources();
    let mut session = Session::start(&bench, "");
    let tools = session.ask("tools/list", json!({}));
    let names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 8, "{names:?}");
    let listed = session.call("list", json!({ "files": ["biped.gltf"] })).unwrap();
    assert_eq!(listed, bench.json("info biped.gltf --json"));
    let recipe = json!({ "codec": "linear-keys", "tolerance_m": 0.02 });
    let judged = session.call("judge", json!({ "files": ["biped.gltf"], "recipe": recipe, "worst": 1 })).unwrap();
    let all = bench.json("report biped.gltf --codec linear-keys --tolerance-mm 20 --json");
    assert_eq!((&judged["all_clips"], judged["clips"].as_array().unwrap().len()), (&2.into(), 1));
    let worst = &judged["clips"][0];
    let row = all["clips"].as_array().unwrap().iter().find(|row| row["clip"] == worst["clip"]).unwrap();
    assert!(worst["bytes"] == row["bytes"] && worst["judged"] == row["judged"], "{worst}");
    let explained = session.call("explain", json!({ "files": ["biped.gltf"], "clips": ["Walk"], "recipe": recipe }));
    assert!(explained.unwrap()["clips"][0]["bytes_by"].is_object());
    let recipes = json!([recipe, { "codec": "press" }, { "codec": "nothing" }]);
    let tuned = session.call("tune", json!({ "files": ["biped.gltf"], "recipes": recipes })).unwrap();
    assert!(
        tuned[1]["result"]["clips"][0]["bytes"].is_u64() && tuned[2]["error"].as_str().unwrap().contains("nothing")
    );
    let fitted = session.call("fit", json!({ "files": ["biped.gltf"], "recipe": recipe, "kilobytes": 2 })).unwrap();
    assert!(fitted["file"]["bytes"].as_u64().unwrap() <= 2048, "{fitted}");
    assert!(session.call("settings", json!({})).unwrap()["codecs"].to_string().contains("press"));
    assert_eq!(session.end(), Some(0));
    assert_eq!(std::fs::read_dir(bench.path("")).unwrap().count(), 3, "nothing was written");
}

#[test]
fn a_server_writes_below_its_folder_only_and_refuses_what_it_does_not_know() {
    let bench = Bench::with_sources();
    std::fs::create_dir(bench.path("out")).unwrap();
    let mut reads = Session::start(&bench, "");
    let asked = |output: &str| json!({ "files": ["biped.gltf"], "output": output });
    let refused = reads.call("export", asked("x.posepress")).unwrap_err();
    assert!(refused.contains("--allow-write FOLDER"), "{refused}");
    for (tool, arguments, words) in [
        ("judge", json!({ "files": ["missing.gltf"] }), "missing.gltf"),
        ("judge", json!({ "files": ["biped.gltf"], "tolerance_mm": 1 }), "unknown argument 'tolerance_mm'"),
        ("judge", json!({ "files": ["biped.gltf"], "recipe": { "tolerance": 1 } }), "tolerance"),
        ("judge", json!({ "files": ["biped.gltf"], "clips": ["--html=x.html"] }), "--html=x.html"),
        ("explain", json!({ "file": "biped.gltf" }), "unknown field"),
    ] {
        let error = reads.call(tool, arguments).unwrap_err();
        assert!(error.contains(words), "{tool}: {error}");
    }
    assert_eq!(reads.end(), Some(0));
    let mut writes = Session::start(&bench, "--allow-write out");
    for outside in ["../x.posepress", "/x.posepress"] {
        assert!(writes.call("export", asked(outside)).unwrap_err().contains("is not below"), "{outside}");
    }
    let exported = writes.call("export", asked("walk.posepress")).unwrap();
    assert_eq!(exported["file"]["bytes"], bench.read("out/walk.posepress").len());
    assert!(writes.call("export", asked("walk.png")).unwrap_err().contains("png"));
    assert_eq!(writes.end(), Some(0));
    let run = bench.run("mcp --allow-write missing");
    assert!(run.status == 2 && run.messages.contains("--allow-write missing"), "{}", run.messages);
}

#[test]
fn the_skill_names_every_command() {
    let bench = Bench::new();
    bench.ok("generate skill -o skills");
    let text = String::from_utf8(bench.read("skills/SKILL.md")).unwrap();
    assert!(text.starts_with("---\nname: posepress\ndescription: "), "{text}");
    for command in ["info", "report", "compress", "export", "batch", "mcp", "generate"] {
        assert!(text.contains(&format!("\n| `posepress {command}` | ")), "{command}");
    }
}

#[test]
#[ignore = "needs Python and the package mcp: scripts/test.sh --readers"]
fn readers_the_official_client_fixes_the_three_worst_of_the_knights_clips_in_ten_calls() {
    let Some(knight) = corpus("kaykit/Knight.glb") else { return };
    let bench = Bench::new();
    let mut client = Command::new(project("tests/readers/python/bin/python"));
    client.arg(project("tests/readers/mcp_client.py")).arg(env!("CARGO_BIN_EXE_posepress"));
    let output = client.arg(knight).arg(bench.path("")).output().unwrap();
    let (out, messages) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{messages}");
    let last: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    let clips = last["clips"].as_array().unwrap();
    assert!(clips.len() == 3 && clips.iter().all(|clip| clip["before"] != "good" && clip["after"] == "good"), "{last}");
    let limit = last["kilobytes"].as_f64().unwrap() * 1024.0;
    assert!(bench.read("worst.posepress").len() as f64 <= limit, "{last}");
    // One line per call, and the result.
    assert!(out.lines().count() <= 11, "{out}");
}
