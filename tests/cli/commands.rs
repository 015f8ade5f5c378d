use crate::support::Bench;
use crate::written;
use posepress_core::codecs::{CODECS, ParamValue, Progress};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::pipeline::{CONTAINER, MeasuredClip, compress};
use posepress_core::recipe::Recipe;
use posepress_core::report::ClipReport;
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
        let is_there = [' ', '\n', '['].into_iter().any(|end| help.contains(&format!("--{option}{end}")));
        assert!(is_there, "no --{option}");
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

#[test]
fn compress_writes_the_bytes_of_the_library() {
    let bench = Bench::with_sources();
    for codec in CODECS {
        let name = codec.name();
        let table = bench.run(&format!("compress biped.gltf --codec {name} --tolerance-mm 0.5 -o out.posepress"));
        let recipe = Recipe { tolerance_m: 0.0005, ..Recipe::chosen(name).unwrap() };
        let imported = import_file(&bench.path("biped.gltf"), &ImportOptions::default()).unwrap();
        let rig = Arc::new(imported.rig);
        let clips: Vec<_> = imported.clips.into_iter().map(Arc::new).collect();
        let of_the_window = written::export(&rig, &clips, &recipe, CONTAINER, &Default::default()).unwrap();
        assert_eq!(bench.read("out.posepress"), of_the_window, "{name}");
        let (reports, outcomes): (Vec<_>, Vec<_>) = clips
            .into_iter()
            .map(|clip| {
                let measured = MeasuredClip::new(rig.clone(), clip, &recipe);
                let outcome = compress(&measured, &recipe, &Progress::new()).unwrap();
                (ClipReport::new("biped.gltf", measured.clip.name(), &measured, &outcome), outcome)
            })
            .unzip();
        let passes = reports.iter().all(ClipReport::passes);
        assert_eq!(table.status, if passes { 0 } else { 3 }, "{name}: {}", table.messages);
        let expected = written::archive(&rig, &[("Walk", &outcomes[0]), ("Wave", &outcomes[1])]);
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
        for key in ["clip", "recipe", "bytes", "error", "sub_frame_error", "vertex_error", "slide", "loop"] {
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
