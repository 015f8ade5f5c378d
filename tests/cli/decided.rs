//! Fitting several clips into a budget, and the record of decisions.

use crate::support::{Bench, settle};
use posepress_core::import::ImportOptions;
use posepress_core::project::{DecisionKind, Document, MomentNote, Project, Reviewer};
use posepress_core::tasks::{LoadedSource, SourceFile};
use posepress_core::workspace::Workspace;

#[test]
fn clips_are_fitted_into_a_budget_and_keep_their_own_tolerance() {
    let bench = Bench::with_sources();
    let command = "compress biped.gltf --codec variable-rate --tolerance-mm 1 --json";
    let asked = bench.json(&format!("{command} -o asked.posepress"));
    let bytes = |report: &serde_json::Value| report["file"]["bytes"].as_u64().unwrap();
    let limit = bytes(&asked) * 3 / 4;
    let run = bench.run(&format!("{command} -o fitted.posepress --fit-kb {}", limit as f64 / 1024.0));
    assert_eq!(run.status, 0, "{}", run.messages);
    assert!(run.messages.contains("fits: ") && run.messages.contains("has the largest error"), "{}", run.messages);
    let fitted: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert!(bytes(&fitted) <= limit && bytes(&fitted) > limit / 2, "{} of {limit}", bytes(&fitted));
    assert_eq!(bytes(&fitted), bench.read("fitted.posepress").len() as u64, "the message has the size of the file");
    let clips = fitted["clips"].as_array().unwrap().iter().map(|clip| clip["bytes"].as_u64().unwrap()).sum::<u64>();
    let file = &fitted["file"];
    assert_eq!((&file["clips_bytes"], &file["other_bytes"]), (&clips.into(), &(bytes(&fitted) - clips).into()));
    for rest in ["--set storage=archive", "--recipes none", "--set storage=archive --recipes none"] {
        let line = format!("compress biped.gltf --codec press -o {}.posepress --fit-kb 1", rest.len());
        let run = bench.run(&format!("{line} {rest}"));
        assert!([0, 3].contains(&run.status), "{rest}: {}", run.messages);
        let size = bench.read(&format!("{}.posepress", rest.len())).len();
        assert!(size <= 1024, "{rest}: {size} bytes");
        assert!(run.out.contains(&format!("file: {size} B: clips ")), "{}", run.out);
    }
    // Without recipes the tolerance is still known, and a message explains the rest.
    let run = bench.run("verify 14.posepress --against biped.gltf");
    assert!(run.messages.contains("2 clips without a recipe"), "{}", run.messages);
    for clip in fitted["clips"].as_array().unwrap() {
        assert!(clip["error"]["tolerance_mm"].as_f64().unwrap() > 1.0, "{clip}");
    }
    bench.ok("verify fitted.posepress --against biped.gltf");
    for (line, words) in [
        ("compress biped.gltf --codec variable-rate -o x.posepress --fit-kb 0.01", "the clips take"),
        ("compress biped.gltf --codec quantize -o x.posepress --fit-kb 10", "nothing to fit"),
    ] {
        let run = bench.run(line);
        assert!(run.status == 1 && run.messages.contains(words), "{line}: {}", run.messages);
    }
    for option in ["fit-kb", "fit-memory-kb"] {
        let run = bench.run(&format!("compress biped.gltf --codec press -o x.posepress --{option} 0"));
        assert!(run.status == 2 && run.messages.contains(option), "{}", run.messages);
    }
}

#[test]
fn clips_are_fitted_into_a_budget_of_memory() {
    let bench = Bench::with_sources();
    let command = "compress biped.gltf --codec press --tolerance-mm 0.1 --json";
    let memory = |report: &serde_json::Value| -> u64 {
        report["clips"].as_array().unwrap().iter().map(|clip| clip["resident_bytes"].as_u64().unwrap()).sum()
    };
    let limit = memory(&bench.json(&format!("{command} -o asked.posepress"))) * 9 / 10;
    let run = bench.run(&format!("{command} -o fitted.posepress --fit-memory-kb {}", limit as f64 / 1024.0));
    let fitted: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert!(memory(&fitted) <= limit && memory(&fitted) > limit / 2, "{} of {limit}", memory(&fitted));
    assert!(run.messages.contains(" of memory; limit ") && run.messages.contains(" KB of memory;"), "{}", run.messages);
}

#[test]
fn the_record_of_a_review_says_what_stands_and_what_has_changed() {
    let bench = Bench::with_sources();
    let path = bench.path("biped.gltf");
    let mut workspace = Workspace::new(Document::default(), || {});
    workspace.open(SourceFile::Path(path), ImportOptions::default());
    settle(&mut workspace);
    let clips: Vec<_> = workspace.library().clip_ids().collect();
    let by = |note: &str| Reviewer { author: "Ann".into(), note: note.into(), time: std::time::UNIX_EPOCH };
    assert_eq!(workspace.decide(&clips, DecisionKind::Approved, &by("<fine>")), clips.len());
    workspace.add_note(clips[0], MomentNote::new(0.5, Some("foot_l".into()), by("<pops>")));
    let save = |workspace: &Workspace| {
        let sources = workspace.library().sources().iter().filter_map(LoadedSource::project_source).collect();
        let project = Project { sources, document: workspace.document().clone() };
        bench.write("biped.posepress.toml", project.to_toml(&bench.path("")).as_bytes());
    };
    save(&workspace);
    let record = bench.json("signoff biped.posepress.toml --json");
    assert_eq!(record["decisions"].as_array().unwrap().len(), clips.len());
    let first = &record["decisions"][0];
    assert_eq!(
        (&first["standing"], &first["author"], &first["kind"]),
        (&"holds".into(), &"Ann".into(), &"approved".into())
    );
    assert!(first["figures"]["bytes"].as_u64().unwrap() > 0);
    let worst = &first["worst"];
    assert!(!worst["joint"].as_str().unwrap().is_empty() && worst["time_secs"].as_f64().is_some(), "{first}");
    let noted = &record["notes"][0];
    let note = &noted["notes"][0];
    assert_eq!((&noted["clip"], &noted["file"]), (&first["clip"], &"biped.gltf".into()));
    assert_eq!((&note["joint"], &note["author"], &note["text"]), (&"foot_l".into(), &"Ann".into(), &"<pops>".into()));
    assert!(note["at_secs"] == 0.5 && note["time"] == "1970-01-01T00:00:00Z", "{note}");
    bench.ok("signoff biped.posepress.toml --html record.html");
    let page = String::from_utf8(bench.read("record.html")).unwrap();
    assert!(page.contains("Walk") && page.contains("&lt;fine&gt;") && !page.contains("<fine>"), "{page}");
    assert!(page.contains("<h2>Notes</h2>") && page.contains("&lt;pops&gt;") && page.contains("foot_l"), "{page}");
    if cfg!(feature = "gui") {
        // Original, compressed and error, at the time in the record.
        assert_eq!(page.matches("data:image/png;base64,").count(), 3 * clips.len());
        let at = posepress_core::text::clock(worst["time_secs"].as_f64().unwrap() as f32);
        assert!(page.contains(&format!("Worst frame: {} at {at}", worst["joint"].as_str().unwrap())), "{page}");
    } else {
        assert!(page.contains("No pictures: this build"), "{page}");
    }
    assert!(page.contains("id=\"clip-0\""), "approved clips play");

    workspace.decide(&clips[..1], DecisionKind::Rejected, &by("feet"));
    save(&workspace);
    let run = bench.run("signoff biped.posepress.toml");
    assert!(run.status == 3 && run.messages.contains("rejected"), "{}", run.messages);
    workspace.decide(&clips[..1], DecisionKind::Approved, &by(""));
    workspace.edit("Tolerance", |document| document.recipes[0].tolerance_m = 0.003);
    save(&workspace);
    let run = bench.run("signoff biped.posepress.toml");
    assert!(run.status == 3 && run.out.contains("recipe changed"), "{}{}", run.out, run.messages);
    workspace.undo();
    save(&workspace);
    bench.ok("signoff biped.posepress.toml");
    let mut other = bench.read("biped.gltf");
    other.extend_from_slice(b"\n");
    bench.write("biped.gltf", &other);
    let run = bench.run("signoff biped.posepress.toml");
    assert!(run.status == 3 && run.out.contains("file changed"), "{}{}", run.out, run.messages);
    std::fs::remove_file(bench.path("biped.gltf")).unwrap();
    assert!(bench.run("signoff biped.posepress.toml").out.contains("file missing"));
    let run = bench.run("signoff biped.bvh");
    assert_eq!(run.status, 1, "{}", run.messages);
}

#[test]
fn clips_without_a_decision_are_listed_and_fail() {
    let bench = Bench::with_sources();
    let project = |sources: &str, recipes: &str| {
        let text = format!("version = 1\n{sources}\n[document]\n{recipes}");
        bench.write("p.posepress.toml", text.as_bytes());
    };
    let recipes = "[[document.recipes]]\ncodec = \"press\"\n";
    let digest = posepress_core::model::SourceDigest::of(&bench.read("biped.gltf")).to_string();
    let source = |path: &str| format!("[[sources]]\npath = \"{path}\"\ndigest = \"{digest}\"\n");
    project(&source("biped.gltf"), recipes);
    let run = bench.run("signoff p.posepress.toml");
    assert!(run.status == 3 && run.messages.contains("2 of 2 clips undecided"), "{}", run.messages);
    assert!(run.out.contains("Walk") && run.out.contains("Wave") && run.out.contains("undecided"), "{}", run.out);
    let allowed = bench.json("signoff p.posepress.toml --allow-undecided --json");
    let clips: Vec<&str> =
        allowed["undecided"].as_array().unwrap().iter().map(|one| one["clip"].as_str().unwrap()).collect();
    assert_eq!(clips, ["Walk", "Wave"]);
    let page = bench.run("signoff p.posepress.toml --html -");
    assert!(page.status == 3 && page.out.contains("2 undecided") && page.out.contains("Wave"), "{}", page.messages);

    // Another file with the same name and the same clips, approved as a whole, decides nothing here.
    std::fs::create_dir(bench.path("other")).unwrap();
    std::fs::copy(bench.path("biped.bin"), bench.path("other/biped.bin")).unwrap();
    let mut bytes = bench.read("biped.gltf");
    bytes.extend_from_slice(b"\n");
    bench.write("other/biped.gltf", &bytes);
    let approve = |digest: &str, clip: &str| {
        format!(
            "[document.decisions.\"{digest} / {clip}\"]\nkind = \"approved\"\nauthor = \"Ann\"\ntime = \"2026-11-27T10:00:00Z\"\n\
             file = \"biped.gltf\"\nclip = \"{clip}\"\nrecipe = {{ codec = \"press\" }}\n"
        )
    };
    let other = posepress_core::model::SourceDigest::of(&bytes).to_string();
    let approved = format!("{recipes}{}{}", approve(&other, "Walk"), approve(&other, "Wave"));
    let beside = |path: &str| source("biped.gltf") + &source(path).replace(&digest, &other);
    project(&beside("other/biped.gltf"), &approved);
    let run = bench.run("signoff p.posepress.toml");
    assert!(run.status == 3 && run.messages.contains("2 of 4 clips undecided"), "{}", run.messages);
    std::fs::rename(bench.path("biped.gltf"), bench.path("moved")).unwrap();
    let run = bench.run("signoff p.posepress.toml");
    assert!(run.messages.contains("1 of 3 clips undecided"), "the missing file of the same name: {}", run.messages);
    std::fs::rename(bench.path("moved"), bench.path("biped.gltf")).unwrap();

    project(&source("gone.gltf"), recipes);
    let run = bench.run("signoff p.posepress.toml");
    assert!(run.status == 3 && run.out.contains("gone.gltf") && run.messages.contains("undecided"), "{}", run.messages);
    project("", recipes);
    for line in ["signoff p.posepress.toml", "signoff p.posepress.toml --allow-undecided"] {
        let run = bench.run(line);
        assert!(run.status == 3 && run.messages.contains("no file and no decision"), "{line}: {}", run.messages);
    }
    project(&source("biped.gltf"), "");
    let run = bench.run("signoff p.posepress.toml");
    assert!(run.status == 1 && run.messages.contains("[[document.recipes]]"), "{}", run.messages);
}

#[test]
fn notes_of_a_page_are_merged_into_the_project_once() {
    let bench = Bench::with_sources();
    crate::blind::projects(&bench);
    let note = r#"{"file":"biped.gltf","clip":"Walk","at_secs":0.5,"joint":"foot","text":"pops","author":"Eve","time":"2026-11-28T10:00:00Z"}"#;
    bench.write("notes.json", format!(r#"{{"kind":"posepress-notes","schema":1,"notes":[{note}]}}"#).as_bytes());
    let line = "notes merge notes.json none.posepress.toml";
    assert_eq!(bench.ok(line), "1 note added, 0 already there\n");
    assert_eq!(bench.ok(line), "0 notes added, 1 already there\n");
    let record = bench.json("signoff none.posepress.toml --allow-undecided --json");
    let notes = record["notes"][0]["notes"].as_array().unwrap();
    assert_eq!((notes.len(), &notes[0]["text"], &notes[0]["author"]), (1, &"pops".into(), &"Eve".into()));

    bench.write(
        "notes.json",
        format!(r#"{{"kind":"posepress-notes","schema":1,"notes":[{}]}}"#, note.replace("biped", "other")).as_bytes(),
    );
    let run = bench.run(line);
    assert!(run.status == 1 && run.messages.contains("no file 'other.gltf'"), "{}", run.messages);
    bench.write("notes.json", b"{}");
    let run = bench.run(line);
    assert!(run.status == 1 && run.messages.contains("no file of notes"), "{}", run.messages);
}
