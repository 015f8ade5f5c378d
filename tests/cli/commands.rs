use crate::support::{Bench, keys};
use posepress_core::codecs::{CODECS, ParamValue, Progress};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::session::{
    CONTAINER, Document, Judgement, MeasuredClip, MomentNote, Project, ProjectSource, Recipe, Reviewer, SourceFile,
    Workspace, compress, export_clips, write_archive,
};
use std::sync::Arc;

#[test]
fn info_lists_rig_meshes_and_clips() {
    let bench = Bench::with_sources();
    let info = bench.json("info biped.gltf chain.bvh --unit cm --json");
    assert_eq!(info["schema"], 1);
    let biped = &info["files"][0];
    assert_eq!(biped["rig"]["joints"], 3);
    assert_eq!(biped["meshes"][0]["vertices"], 4);
    assert_eq!(biped["clips"][0]["name"], "Walk");
    assert_eq!(biped["clips"][0]["samples"], 31);
    assert_eq!(biped["clips"][0]["moving_tracks"], 4);
    assert_eq!(info["files"][1]["rig"]["joints"], 2);
    let table = bench.ok("info biped.gltf");
    assert!(table.contains("1 mesh") && table.contains("Wave") && table.contains("30 Hz"), "{table}");
}

#[test]
fn settings_lists_every_table_and_the_commands_take_every_option_of_them() {
    let bench = Bench::with_sources();
    let listed = bench.json("settings --json");
    let text = bench.ok("settings");
    let help = bench.ok("report --help") + &bench.ok("export --help");
    let rows: Vec<_> =
        listed["groups"].as_array().unwrap().iter().flat_map(|g| g["settings"].as_array().unwrap()).collect();
    assert!(rows.len() > 20, "{} settings", rows.len());
    for row in rows {
        let (key, option) = (row["key"].as_str().unwrap(), row["option"].as_str().unwrap());
        assert!(text.contains(&format!("{key}, --{option}\n")), "{key} is not listed");
        assert!(help.contains(&format!("--{option} ")) || help.contains(&format!("--{option}\n")), "no --{option}");
    }
    let tolerance = &listed["groups"][0]["settings"][0];
    assert_eq!((&tolerance["key"], &tolerance["default"]), (&"tolerance_m".into(), &0.0001.into()));
    assert_eq!((&tolerance["unit"], &tolerance["max"]), (&"m".into(), &1000.0.into()));
}

#[test]
fn codecs_lists_the_registry_with_every_parameter() {
    let bench = Bench::new();
    let listed = bench.json("codecs --json");
    let listed = listed["codecs"].as_array().unwrap();
    assert_eq!(listed.len(), CODECS.len());
    for (row, codec) in listed.iter().zip(CODECS) {
        assert_eq!(row["name"], codec.name());
        let params = row["params"].as_array().unwrap();
        assert_eq!(params.len(), codec.params().len());
        let text = bench.ok(&format!("codecs {}", codec.name()));
        assert!(text.contains(codec.info().source), "{text}");
        for (row, param) in params.iter().zip(codec.params()) {
            assert_eq!(row["key"], param.key);
            match param.default_value() {
                ParamValue::Lines(lines) => assert!(lines.iter().all(|line| text.lines().any(|l| l == line)), "{text}"),
                value => assert!(text.contains(&format!("--set {}={value}", param.key)), "{text}"),
            }
        }
        let presets: Vec<_> = row["presets"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
        assert_eq!(presets, codec.info().presets.iter().map(|p| p.name).collect::<Vec<_>>());
        assert!(presets.iter().all(|p| text.contains(&format!("{}:{p} ", codec.name()))), "{text}");
    }
}

/// The keys that cli.md promises, by place.
const PROMISED: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "source",
            "clip",
            "codec",
            "recipe",
            "joints",
            "samples",
            "rate_hz",
            "duration_secs",
            "raw_bytes",
            "bytes",
            "file_bytes",
            "resident_bytes",
            "ratio",
            "bytes_by",
            "error",
            "sub_frame_error",
            "vertex_error",
            "contacts",
            "loop",
            "encode_ms",
            "decode_ns_per_pose",
        ],
    ),
    ("/error", &["tolerance_mm", "shell_mm", "max_mm", "p99_mm", "rms_mm", "mean_mm", "worst", "within"]),
    ("/error/worst", &["joint", "time_secs"]),
    ("/sub_frame_error", &["per_sample", "max_mm", "worst"]),
    ("/contacts", &["plants", "worst_slide_mm"]),
    ("/loop", &["looping", "seam_pop_mm"]),
];

#[test]
fn report_json_has_the_promised_keys_and_its_bytes_add_up() {
    let bench = Bench::with_sources();
    let report = bench.json("report biped.gltf --codec raw --json --shell-mm 50");
    assert_eq!(report["schema"], 1);
    let clips = report["clips"].as_array().unwrap();
    let names: Vec<_> = clips.iter().map(|c| c["clip"].as_str().unwrap()).collect();
    assert_eq!(names, ["Walk", "Wave"]);
    for clip in clips {
        for (place, wanted) in PROMISED {
            let found = keys(clip.pointer(place).unwrap());
            let missing: Vec<_> = wanted.iter().filter(|k| !found.contains(k)).collect();
            assert!(missing.is_empty(), "{place}: {missing:?} missing");
        }
        let parts: u64 = clip["bytes_by"].as_object().unwrap().values().map(|v| v.as_u64().unwrap()).sum();
        assert_eq!(parts, clip["bytes"].as_u64().unwrap());
        assert_eq!(clip["raw_bytes"], 40 * 3 * 31);
        assert_eq!(clip["error"]["max_mm"], 0.0, "raw loses nothing");
        assert_eq!(clip["error"]["shell_mm"], 50.0);
        assert_eq!(clip["error"]["tolerance_mm"], 0.1);
        assert!((clip["recipe"]["shell_m"].as_f64().unwrap() - 0.05).abs() < 1e-12, "{}", clip["recipe"]);
    }
}

#[test]
fn report_json_tells_the_distribution_of_bit_rates() {
    let bench = Bench::with_sources();
    let rates_of = |line: &str| {
        let report = bench.json(&format!("report biped.gltf --clip Walk --json --codec {line}"));
        report["clips"][0].get("bit_rates").map(|rates| rates.as_object().unwrap().clone())
    };
    assert_eq!(rates_of("raw"), None);
    let count = |rates: serde_json::Map<String, serde_json::Value>| {
        let is_rate = |bits: &String| matches!(bits.parse::<u32>(), Ok(0 | 3..=16 | 23 | 32));
        assert!(rates.keys().all(is_rate), "{rates:?}");
        rates.values().map(|v| v.as_u64().unwrap()).sum::<u64>()
    };
    let one_segment = count(rates_of("variable-rate").unwrap());
    assert!(one_segment > 0);
    // 31 samples: one segment of 16 and more, three of 8 and more.
    let three_segments = count(rates_of("variable-rate --set segment_samples=8").unwrap());
    assert_eq!(three_segments, 3 * one_segment);
}

#[test]
fn report_tells_what_each_step_of_wavelet_leaves() {
    let bench = Bench::with_sources();
    let report = bench.json("report biped.gltf --clip Walk --json --codec wavelet");
    let clip = &report["clips"][0];
    let stages = clip["stages"].as_array().unwrap();
    let bytes: Vec<u64> = stages.iter().map(|s| s["bytes"].as_u64().unwrap()).collect();
    assert_eq!(stages[0]["name"], "raw samples");
    assert_eq!((stages.len(), bytes[0]), (5, clip["raw_bytes"].as_u64().unwrap()));
    // The clip's own header, float tracks and steps lie around the last.
    assert!(bytes[4] < clip["bytes"].as_u64().unwrap() && bytes[1] < bytes[0], "{bytes:?}");
    assert!(bench.ok("report biped.gltf --codec wavelet").contains("wavelet, step by step: raw samples"));
    assert!(bench.json("report biped.gltf --json --codec raw")["clips"][0].get("stages").is_none());
}

#[test]
fn report_prints_csv_and_writes_a_page() {
    let bench = Bench::with_sources();
    let csv = bench.ok("report biped.gltf --codec raw --clip W*e --csv --html page.html");
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines.len(), 2, "{csv}");
    assert_eq!(lines[0].split(',').count(), lines[1].split(',').count());
    assert!(lines[1].starts_with("biped.gltf,Wave,raw,3,31,"), "{csv}");
    let page = String::from_utf8(bench.read("page.html")).unwrap();
    assert!(page.contains("<td class=\"t\" title=\"biped.gltf\">Wave</td>"), "{page}");
}

#[test]
fn a_gate_that_is_not_met_ends_with_three_and_names_joint_and_time() {
    let bench = Bench::with_sources();
    let run = bench.run("report biped.gltf --codec quantize --tolerance-mm 0.0002");
    assert_eq!(run.status, 3, "{}", run.messages);
    assert!(run.messages.contains("gate: Walk, quantize: ") && run.messages.contains("tolerance 0.0002 mm"));
    assert!(run.out.contains("over tolerance"), "{}", run.out);
    let run = bench.run("compress biped.gltf --codec quantize --tolerance-mm 0.0002 -o over.posepress");
    assert_eq!(run.status, 3);
    assert!(bench.path("over.posepress").exists(), "the file is written all the same");
}

/// What the window shows first: recipe A is within its tolerance while a foot slides, recipe B holds it.
#[test]
fn the_bundled_walk_slides_within_tolerance_until_the_tolerance_is_tightened() {
    let bench = Bench::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.glb");
    let loose = bench.run(&format!("report {sample} --clip walk --codec linear-keys --tolerance-mm 6 --json"));
    assert_eq!(loose.status, 3, "{}", loose.messages);
    assert!(loose.messages.contains(" slides "), "{}", loose.messages);
    let report: serde_json::Value = serde_json::from_str(&loose.out).unwrap();
    assert_eq!(report["clips"][0]["error"]["within"], true);
    bench.ok(&format!("report {sample} --clip walk --codec linear-keys --tolerance-mm 0.5"));
}

#[test]
fn compress_writes_the_bytes_of_the_library() {
    let bench = Bench::with_sources();
    for codec in CODECS {
        let name = codec.name();
        let table = bench.run(&format!("compress biped.gltf --codec {name} --tolerance-mm 0.5 -o out.posepress"));
        assert!(matches!(table.status, 0 | 3), "{name}: {}", table.messages);
        let recipe = Recipe { tolerance_m: 0.0005, ..Recipe::chosen(name).unwrap() };
        let imported = import_file(&bench.path("biped.gltf"), &ImportOptions::default()).unwrap();
        let rig = Arc::new(imported.rig);
        let clips: Vec<_> = imported.clips.into_iter().map(Arc::new).collect();
        let of_the_window =
            export_clips(&rig, &clips, &recipe, CONTAINER, &Default::default(), &Progress::new()).unwrap();
        assert_eq!(bench.read("out.posepress"), of_the_window, "{name}");
        let outcomes: Vec<_> = clips
            .into_iter()
            .map(|clip| {
                let measured = MeasuredClip::new(rig.clone(), clip, &recipe);
                compress(&measured, &recipe, &Progress::new()).unwrap()
            })
            .collect();
        let expected = write_archive(&rig, &[("Walk", &outcomes[0]), ("Wave", &outcomes[1])]);
        assert_eq!(bench.read("out.posepress"), expected, "{name}");
    }
}

#[test]
fn report_says_the_bytes_that_compress_writes() {
    let bench = Bench::with_sources();
    let report = bench.json("report biped.gltf --clip Walk --tolerance-mm 0.5 --json");
    bench.ok("compress biped.gltf --clip Walk --tolerance-mm 0.5 -o one.posepress");
    let info = bench.json("info one.posepress --json");
    assert_eq!(report["clips"][0]["bytes"], info["files"][0]["clips"][0]["bytes"]);
    assert_eq!(report["clips"][0]["file_bytes"], bench.read("one.posepress").len());
}

#[test]
fn verify_measures_what_report_measured_and_refuses_another_rig() {
    let bench = Bench::with_sources();
    bench.ok("compress biped.gltf --tolerance-mm 0.5 -o b.posepress");
    let reported = bench.json("report biped.gltf --tolerance-mm 0.5 --json");
    let verified = bench.json("verify b.posepress --against biped.gltf --json");
    for (r, v) in reported["clips"].as_array().unwrap().iter().zip(verified["clips"].as_array().unwrap()) {
        for key in ["clip", "recipe", "bytes", "error", "sub_frame_error", "vertex_error", "contacts", "loop"] {
            assert_eq!(r[key], v[key], "{key}");
        }
    }
    let run = bench.run("verify b.posepress --against chain.bvh");
    assert_eq!(run.status, 1);
    assert!(run.messages.contains("was made for another rig"), "{}", run.messages);
    let run = bench.run("verify b.posepress --against biped.gltf --rate 60");
    assert_eq!(run.status, 1);
    assert!(run.messages.contains("read it with the same --rate"), "{}", run.messages);
}

#[test]
fn decode_takes_rates_and_times() {
    let bench = Bench::with_sources();
    bench.ok("compress biped.gltf --clip Walk -o w.posepress");
    let rows = |line: &str| bench.ok(line).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows("decode w.posepress --csv").len(), 31 * 3);
    assert_eq!(rows("decode w.posepress --rate 7").len(), 8 * 3);
    let at = rows("decode w.posepress --times 0.5");
    assert_eq!(at.len(), 3);
    assert!(at[1].starts_with("0.5,1,knee,0,-0.5,0,"), "{at:?}");
    let json = bench.json("decode w.posepress --times 0,0.5 --json");
    assert_eq!(json["poses"][1]["joints"][1]["translation"][1], -0.5);
    assert_eq!(json["joints"][2]["parent"], 1);
    bench.ok("compress biped.gltf -o two.posepress");
    let run = bench.run("decode two.posepress");
    assert_eq!(run.status, 2);
    assert!(run.messages.contains("one of: Walk, Wave"), "{}", run.messages);
}

#[test]
fn export_writes_joints_from_a_container_and_meshes_with_its_source() {
    let bench = Bench::with_sources();
    bench.ok("compress biped.gltf --tolerance-mm 0.5 -o b.posepress");
    bench.ok("export b.posepress --to glb -o joints.glb");
    bench.ok("export b.posepress --to glb --against biped.gltf -o mesh.glb");
    bench.ok("export biped.gltf --to glb -o raw.glb");
    let info = bench.json("info joints.glb mesh.glb raw.glb --json");
    let clips = |file: usize| info["files"][file]["clips"].as_array().unwrap().len();
    let meshes = |file: usize| info["files"][file]["meshes"].as_array().unwrap().len();
    assert_eq!([clips(0), clips(1), clips(2)], [2, 2, 2]);
    assert_eq!([meshes(0), meshes(1), meshes(2)], [0, 1, 1]);
    bench.ok("export b.posepress --to csv --clip Wave -o wave.csv");
    assert_eq!(String::from_utf8(bench.read("wave.csv")).unwrap(), bench.ok("decode b.posepress --clip Wave --csv"));
}

#[test]
fn export_with_a_recipe_writes_what_its_bytes_decode_to() {
    let bench = Bench::with_sources();
    bench.ok("export biped.gltf --clip Walk --tolerance-mm 2 --to csv -o lossy.csv");
    bench.ok("compress biped.gltf --clip Walk --tolerance-mm 2 -o w.posepress");
    assert_eq!(String::from_utf8(bench.read("lossy.csv")).unwrap(), bench.ok("decode w.posepress"));
    bench.ok("export biped.gltf --clip Walk --to csv -o raw.csv");
    assert_ne!(bench.read("lossy.csv"), bench.read("raw.csv"));
}

#[test]
fn compare_prints_a_row_a_clip_and_recipe_and_reads_files() {
    let bench = Bench::with_sources();
    bench.write("a.toml", b"codec = \"raw\"\n");
    bench.write("b.toml", b"codec = \"linear-keys\"\ntolerance_m = 0.002\n");
    let rows = bench.json("compare biped.gltf --recipe a.toml --recipe b.toml --json");
    let rows: Vec<_> = rows["clips"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| format!("{} {} {}", r["clip"], r["codec"], r["error"]["tolerance_mm"]))
        .collect();
    let expected = ["raw\" 0.1", "linear-keys\" 2.0"].map(|end| format!("\"Walk\" \"{end}"));
    assert_eq!(rows[..2], expected);
    assert_eq!(rows.len(), 4);
}

#[cfg(not(feature = "gui"))]
#[test]
fn a_build_without_a_window_says_so_and_names_the_subcommands() {
    let bench = Bench::with_sources();
    for line in ["", "biped.gltf"] {
        let run = bench.run(line);
        assert_eq!(run.status, 1);
        assert!(run.messages.contains("no window") && run.messages.contains("report"), "{}", run.messages);
    }
    assert_eq!(bench.run("render biped.gltf --clip Walk -o p.png").status, 1);
}

#[test]
fn a_preset_is_chosen_behind_its_codec() {
    let bench = Bench::with_sources();
    let report = bench.json("report biped.gltf --clip Walk --codec linear-keys:riot-order --set order=random --json");
    let values = &report["clips"][0]["recipe"]["values"];
    assert_eq!((&values["layout"], &values["order"]), (&"time-needed".into(), &"random".into()), "{values}");
    let wrong = bench.run("report biped.gltf --codec linear-keys:fast");
    assert_eq!(wrong.status, 2);
    assert!(wrong.messages.contains("'fast'") && wrong.messages.contains("tech-intro"), "{}", wrong.messages);
}

const CANDIDATES: &str = "# what we try; nothing else\n\nquantize\n  per-track\nevery-second-key:every-third\n#raw\n";

#[test]
fn automatic_tells_every_candidate_and_marks_the_winner() {
    let bench = Bench::with_sources();
    bench.write("few.txt", CANDIDATES.as_bytes());
    let run = bench.run("report biped.gltf --clip Walk --candidates few.txt --json");
    assert_eq!(run.status, 0, "{}", run.messages);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let clip = &report["clips"][0];
    assert_eq!(clip["codec"], "automatic");
    let rows = clip["candidates"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|r| r["candidate"].as_str().unwrap()).collect();
    assert_eq!(names, ["quantize", "per-track", "every-second-key:every-third"]);
    for row in rows {
        let name = row["candidate"].as_str().unwrap();
        assert!(run.messages.contains(name), "{}", run.messages);
        let alone = bench.run(&format!("report biped.gltf --clip Walk --codec {name} --json"));
        let alone: serde_json::Value = serde_json::from_str(&alone.out).unwrap();
        let alone = &alone["clips"][0];
        assert_eq!(row["bytes"], alone["bytes"], "{name}");
        assert_eq!(row["within"], alone["error"]["within"], "{name}");
        assert_eq!(row["max_mm"], alone["error"]["max_mm"], "{name}");
    }
    let winner: Vec<_> = rows.iter().filter(|r| r["winner"] == true).collect();
    assert_eq!(winner.len(), 1);
    assert_eq!(winner[0]["bytes"], clip["bytes"]);
    let smaller = |r: &&serde_json::Value| r["within"] == true && r["bytes"].as_u64() < winner[0]["bytes"].as_u64();
    assert_eq!(rows.iter().find(smaller), None);
    let sums = bench.run("report biped.gltf --candidates few.txt");
    assert!(sums.messages.contains("wins") && sums.messages.contains("of 2 clips"), "{}", sums.messages);
}

#[test]
fn a_container_of_automatic_decodes_and_keeps_its_list() {
    let bench = Bench::with_sources();
    bench.write("few.txt", CANDIDATES.as_bytes());
    bench.ok("compress biped.gltf --candidates few.txt -o a.posepress");
    bench.ok("verify a.posepress --against biped.gltf");
    let archive = posepress_core::session::Archive::open(&bench.read("a.posepress"), None).unwrap();
    let recipe = &archive.clips()[0].recipe;
    assert_eq!(Recipe::from_toml(&recipe.to_toml()).as_ref(), Ok(recipe));
    assert!(recipe.to_toml().contains("\"per-track\""), "{}", recipe.to_toml());
    bench.write("again.toml", recipe.to_toml().as_bytes());
    let again = bench.json("report biped.gltf --recipe again.toml --json");
    assert_eq!(again["clips"][0]["candidates"].as_array().unwrap().len(), 3);
}

#[test]
fn a_wrong_candidate_is_named_by_file_and_line() {
    let bench = Bench::with_sources();
    for (text, line, word) in [
        ("quantize\n\nquantise\n", "line 3", "'quantise'"),
        ("# a remark; with a semicolon\nautomatic\n", "line 2", "cannot be one"),
        ("variable-rate segment_samples=2", "line 1", "4 to 256"),
    ] {
        bench.write("bad.txt", text.as_bytes());
        let run = bench.run("report biped.gltf --candidates bad.txt");
        assert_eq!(run.status, 1, "{text}");
        for part in ["bad.txt", line, word] {
            assert!(run.messages.contains(part), "{text}: {}", run.messages);
        }
    }
    let run = bench.run("report biped.gltf --codec raw --candidates bad.txt");
    assert_eq!(run.status, 2, "{}", run.messages);
    assert!(run.messages.contains("'raw' takes no list"), "{}", run.messages);
}

#[test]
fn compensation_is_reported_stored_and_read_back() {
    let bench = Bench::with_sources();
    // Whether the tolerance is kept is not the question here, so any exit status will do.
    let json = |line: &str| serde_json::from_str::<serde_json::Value>(&bench.run(line).out).unwrap();
    let line = "biped.gltf --clip Walk --codec quantize --set rotation_format=fixed32";
    let own = json(&format!("report {line} --json"));
    let own = &own["clips"][0]["compensation"];
    assert!(own["asked"] == "none" && own["applied"] == "in-place", "what the codec does by itself is told: {own}");
    let line = &format!("{line} --set in_place=false");
    let plain = json(&format!("report {line} --json"));
    assert!(plain["clips"][0].get("compensation").is_none());
    let with = json(&format!("report {line} --compensation additive --accuracy-mm 0.2 --json"));
    let (plain, with) = (&plain["clips"][0], &with["clips"][0]);
    let tracks = with["compensation"]["tracks"].as_u64().unwrap();
    assert!(with["compensation"]["applied"] == "additive" && tracks > 0, "{with}");
    assert!(with["error"]["max_mm"].as_f64() < plain["error"]["max_mm"].as_f64());
    assert!(with["bytes_by"]["compensation"].as_u64() > Some(0));
    assert_eq!(with["recipe"]["compensation"]["method"], "additive");
    bench.run(&format!("compress {line} --compensation additive --accuracy-mm 0.2 -o c.posepress"));
    let read = json("verify c.posepress --against biped.gltf --json");
    assert_eq!(read["clips"][0]["compensation"], with["compensation"]);
    assert_eq!(read["clips"][0]["error"], with["error"]);
    let left_off = bench.run("report biped.gltf --clip Walk --codec raw --compensation in-place");
    assert!(left_off.out.contains("compensation left off, Walk of raw"), "{}", left_off.out);
    let wrong = bench.run("report biped.gltf --compensation more");
    assert!(wrong.status == 2 && wrong.messages.contains("in-place"), "{}", wrong.messages);
}

#[test]
fn clips_are_fitted_into_a_budget_and_keep_their_own_tolerance() {
    let bench = Bench::with_sources();
    let command = "compress biped.gltf --codec variable-rate --tolerance-mm 1 --json";
    let asked = bench.json(&format!("{command} -o asked.posepress"));
    let bytes = |report: &serde_json::Value| {
        let clips = report["clips"].as_array().unwrap().iter();
        clips.map(|clip| clip["bytes"].as_u64().unwrap()).sum::<u64>()
    };
    let limit = bytes(&asked) * 3 / 4;
    let run = bench.run(&format!("{command} -o fitted.posepress --fit-kb {}", limit as f64 / 1024.0));
    assert_eq!(run.status, 0, "{}", run.messages);
    assert!(run.messages.contains("fits: ") && run.messages.contains("fares worst"), "{}", run.messages);
    let fitted: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert!(bytes(&fitted) <= limit && bytes(&fitted) > limit / 2, "{} of {limit}", bytes(&fitted));
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
    assert_eq!(bench.run("compress biped.gltf --codec press -o x.posepress --fit-kb -3").status, 2);
}

#[test]
fn the_record_of_a_review_says_what_stands_and_what_has_changed() {
    let bench = Bench::with_sources();
    let path = bench.path("biped.gltf");
    let mut workspace = Workspace::new(Document::default(), || {});
    workspace.open(SourceFile::Path(path), ImportOptions::default());
    let settle = |workspace: &mut Workspace| {
        while !workspace.is_settled() {
            workspace.poll();
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        workspace.poll();
    };
    settle(&mut workspace);
    let clips: Vec<_> = workspace.library().clip_ids().collect();
    let by = |note: &str| Reviewer { author: "Ann".into(), note: note.into(), time: std::time::UNIX_EPOCH };
    assert_eq!(workspace.decide(&clips, Judgement::Approved, &by("<fine>")), clips.len());
    workspace.add_note(clips[0], MomentNote::new(0.5, Some("foot_l".into()), by("<pops>")));
    let save = |workspace: &Workspace| {
        let sources = workspace.library().sources().iter().filter_map(ProjectSource::of).collect();
        let project = Project { sources, document: workspace.document_to_keep() };
        bench.write("biped.posepress.toml", project.to_toml(&bench.path("")).as_bytes());
    };
    save(&workspace);
    let record = bench.json("signoff biped.posepress.toml --json");
    assert_eq!(record["decisions"].as_array().unwrap().len(), clips.len());
    let first = &record["decisions"][0];
    assert_eq!(
        (&first["standing"], &first["author"], &first["judgement"]),
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
        // As it was, as it is, and how far it is off; at the moment that the record names.
        assert_eq!(page.matches("data:image/png;base64,").count(), 3 * clips.len());
        let at = posepress_core::text::clock(worst["time_secs"].as_f64().unwrap() as f32);
        assert!(page.contains(&format!("Worst moment: {} at {at}", worst["joint"].as_str().unwrap())), "{page}");
    } else {
        assert!(page.contains("Without pictures: this build"), "{page}");
    }

    workspace.decide(&clips[..1], Judgement::Rejected, &by("feet"));
    save(&workspace);
    let run = bench.run("signoff biped.posepress.toml");
    assert!(run.status == 3 && run.messages.contains("rejected"), "{}", run.messages);
    workspace.decide(&clips[..1], Judgement::Approved, &by(""));
    workspace.edit("Tolerance", |document| document.recipes[0].tolerance_m = 0.003);
    save(&workspace);
    let run = bench.run("signoff biped.posepress.toml");
    assert!(run.status == 3 && run.out.contains("recipe changed since"), "{}{}", run.out, run.messages);
    workspace.undo();
    save(&workspace);
    bench.ok("signoff biped.posepress.toml");
    let mut other = bench.read("biped.gltf");
    other.extend_from_slice(b"\n");
    bench.write("biped.gltf", &other);
    let run = bench.run("signoff biped.posepress.toml");
    assert!(run.status == 3 && run.out.contains("file changed since"), "{}{}", run.out, run.messages);
    std::fs::remove_file(bench.path("biped.gltf")).unwrap();
    assert!(bench.run("signoff biped.posepress.toml").out.contains("file missing"));
    let run = bench.run("signoff biped.bvh");
    assert_eq!(run.status, 1, "{}", run.messages);
}
