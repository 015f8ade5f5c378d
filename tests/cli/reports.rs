//! Output of `report`, and its status 3.

use crate::support::{Bench, keys};
use std::collections::BTreeSet;

/// The keys that cli.md promises, by object.
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
            "slide",
            "loop",
            "encode_ms",
            "decode_ns_per_pose",
        ],
    ),
    (
        "/error",
        &[
            "tolerance_mm",
            "shell_mm",
            "max_mm",
            "p99_mm",
            "rms_mm",
            "mean_mm",
            "joint_mean_mm",
            "worst",
            "promise",
            "within",
        ],
    ),
    ("/error/worst", &["joint", "time_secs"]),
    ("/sub_frame_error", &["per_sample", "max_mm", "worst"]),
    ("/slide", &["contacts", "worst_slide_mm"]),
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
    let one_segment = count(rates_of("variable-rate:advanced-quantization").unwrap());
    assert!(one_segment > 0);
    // 31 samples: one segment of at least 16, or three of at least 8.
    let three_segments = count(rates_of("variable-rate:advanced-quantization --set segment_samples=8").unwrap());
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
    // The clip's own header, float tracks and steps are added to the last stage.
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
fn every_class_of_a_page_has_a_style() {
    let bench = Bench::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/src/app/assets/sample.glb");
    bench.run(&format!("report {sample} --clip walk --codec linear-keys --tolerance-mm 6 --html page.html"));
    let page = String::from_utf8(bench.read("page.html")).unwrap();
    let (style, body) = page.split_once("</style>").unwrap();
    let classes: BTreeSet<_> = body.split("class=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(classes.contains("contact fail") && classes.len() > 5, "{classes:?}");
    for class in classes {
        let styled = |selector: String| style.contains(&format!("{selector}{{"));
        let words: Vec<_> = class.split(' ').collect();
        assert!(
            styled(format!(".{}", words.join("."))) || words.iter().all(|word| styled(format!(".{word}"))),
            "{class}"
        );
    }
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

/// The first picture of the window: recipe A is within its tolerance but a foot slides. Recipe B holds the foot.
#[test]
fn the_bundled_walk_slides_within_tolerance_until_the_tolerance_is_tightened() {
    let bench = Bench::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/src/app/assets/sample.glb");
    let loose = bench.run(&format!("report {sample} --clip walk --codec linear-keys --tolerance-mm 6 --json"));
    assert_eq!(loose.status, 3, "{}", loose.messages);
    assert!(loose.messages.contains(" slides "), "{}", loose.messages);
    let report: serde_json::Value = serde_json::from_str(&loose.out).unwrap();
    assert_eq!(report["clips"][0]["error"]["within"], true);
    bench.ok(&format!("report {sample} --clip walk --codec linear-keys --tolerance-mm 0.5"));
}

#[test]
fn compensation_is_reported_stored_and_read_back() {
    let bench = Bench::with_sources();
    // Any exit status will do, because the test does not check the tolerance.
    let json = |line: &str| serde_json::from_str::<serde_json::Value>(&bench.run(line).out).unwrap();
    let line = "biped.gltf --clip Walk --codec quantize --set rotation_format=fixed32";
    let own = json(&format!("report {line} --json"));
    let own = &own["clips"][0]["compensation"];
    assert!(own["asked"] == "none" && own["applied"] == "in-place", "what the codec does by itself is reported: {own}");
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
    let skipped = bench.run("report biped.gltf --clip Walk --codec raw --compensation in-place");
    assert!(skipped.out.contains("compensation in-place skipped, Walk of raw"), "{}", skipped.out);
    let wrong = bench.run("report biped.gltf --compensation more");
    assert!(wrong.status == 2 && wrong.messages.contains("in-place"), "{}", wrong.messages);
}

#[test]
fn what_sampling_lost_fails_the_gate_beyond_its_limit_which_is_set() {
    let bench = Bench::with_sources();
    let run = bench.run("report biped.gltf --rate 2 --json");
    let clip = &serde_json::from_str::<serde_json::Value>(&run.out).unwrap()["clips"][0];
    assert_eq!((run.status, &clip["verdict"], &clip["source_verdict"]), (3, &"good".into(), &"fail".into()), "{clip}");
    assert!(run.messages.contains("sampling lost") && run.messages.contains("--rate "), "{}", run.messages);
    let sampling = clip["judged"].as_array().unwrap().iter().find(|judged| judged["by"] == "sampling").unwrap();
    let reason = &sampling["reason"];
    assert!(
        ["complaint", "measured", "limit", "advice", "switch"].iter().all(|key| reason[key].is_string()),
        "{reason}"
    );
    let table = bench.run("report biped.gltf --rate 2").out;
    assert!(table.contains("source") && table.contains("sample rate too low"), "{table}");
    let set = bench.run("report biped.gltf --rate 2 --fail-sampling-mm 100000 --json");
    let clip = &serde_json::from_str::<serde_json::Value>(&set.out).unwrap()["clips"][0];
    assert_eq!((set.status, &clip["source_verdict"]), (0, &"warn".into()), "{}", set.messages);
}

#[test]
fn a_promised_mean_is_named_and_passes_above_the_tolerance() {
    let bench = Bench::with_sources();
    let line = "report biped.gltf --clip Walk --codec press --tolerance-mm 0.1";
    let json = |more: &str| {
        let run = bench.run(&format!("{line} {more} --json"));
        let clip = serde_json::from_str::<serde_json::Value>(&run.out).unwrap()["clips"][0].clone();
        (run.status, clip["error"].clone())
    };
    let ((usual_status, usual), (status, mean)) = (json(""), json("--set promise=mean"));
    assert_eq!((usual_status, &usual["promise"], status), (0, &"largest".into(), 0));
    assert_eq!((&mean["promise"], &mean["within"]), (&"mean".into(), &true.into()), "{mean}");
    let number = |of: &serde_json::Value, key: &str| of[key].as_f64().unwrap();
    assert!(number(&usual, "max_mm") <= 0.1 && number(&mean, "max_mm") > 0.1, "{mean}");
    assert!(number(&mean, "joint_mean_mm") <= 0.1 && number(&mean, "mean_mm") <= number(&mean, "joint_mean_mm"));
    let table = bench.run(&format!("{line} --set promise=mean")).out;
    assert!(table.contains("tolerance 0.10 mm for the mean of each joint"), "{table}");
    assert!(!bench.run(line).out.contains("for the mean"), "the usual promise needs no words");
}
