//! Joints with other tolerances, and the cost of these overrides.

use crate::support::Bench;
use posepress_core::recipe::{JointOverride, Recipe};

#[test]
fn a_report_says_what_each_override_costs() {
    let bench = Bench::with_sources();
    // Errors between samples are not limited here, so that they cannot fail.
    let plain = Recipe { tolerance_m: 0.002, fail_error_m: 10.0, ..Recipe::chosen("linear-keys").unwrap() };
    let tight = JointOverride { tolerance_m: Some(0.000_02), ..JointOverride::of("*") };
    let elsewhere = JointOverride { tolerance_m: Some(0.000_02), ..JointOverride::of("tail") };
    let nothing = JointOverride::of("*");
    let with = Recipe { overrides: vec![tight, elsewhere, nothing], ..plain.clone() };
    bench.write("plain.toml", plain.to_toml().as_bytes());
    bench.write("with.toml", with.to_toml().as_bytes());
    let [plain, with] =
        ["plain", "with"].map(|name| bench.json(&format!("report biped.gltf --recipe {name}.toml --json")));
    assert!(plain["clips"][0].get("overrides").is_none());
    let bytes = |report: &serde_json::Value, clip: usize| report["clips"][clip]["bytes"].as_i64().unwrap();
    for clip in 0..2 {
        let overrides = with["clips"][clip]["overrides"].as_array().unwrap();
        assert_eq!(overrides.len(), 1, "those that change nothing cost nothing: {overrides:?}");
        assert_eq!((&overrides[0]["joint"], &overrides[0]["tolerance_mm"]), (&"*".into(), &0.02.into()));
        let cost = overrides[0]["extra_bytes"].as_i64().unwrap();
        assert_eq!(cost, bytes(&with, clip) - bytes(&plain, clip));
    }
    assert!(with["clips"][0]["overrides"][0]["extra_bytes"].as_i64().unwrap() > 0);
    let text = bench.ok("report biped.gltf --recipe with.toml");
    assert!(text.contains("override of * in Walk, linear-keys: +"), "{text}");
}

#[test]
fn a_report_says_what_is_never_touched_and_what_has_parameters_of_its_own() {
    let bench = Bench::with_sources();
    bench.write(
        "kept.toml",
        b"codec = \"linear-keys\"\ntolerance_m = 0.002\n\n[[overrides]]\njoint = \"*\"\nset = { key_format = \"largest48\" }\n\n\
          [[overrides]]\njoint = \"*\"\nclip = \"Walk\"\nexact = true\nspan_secs = [0.2, 0.4]\n",
    );
    let rows = bench.run("report biped.gltf --clip Walk --recipe kept.toml --json");
    let rows: serde_json::Value = serde_json::from_str(&rows.out).unwrap();
    let overrides = rows["clips"][0]["overrides"].as_array().unwrap();
    assert_eq!(overrides.len(), 2, "{overrides:?}");
    assert_eq!((&overrides[0]["set"]["key_format"], &overrides[0]["exact"]), (&"largest48".into(), &().into()));
    assert_eq!((&overrides[1]["exact"], &overrides[1]["span_secs"][0]), (&true.into(), &0.2.into()));
    assert!(overrides[1]["extra_bytes"].as_i64().unwrap() > 0);
    bench.write(
        "both.toml",
        b"codec = \"linear-keys\"\n[[overrides]]\njoint = \"*\"\nset = { key_format = \"none such\" }\n",
    );
    let run = bench.run("report biped.gltf --recipe both.toml");
    assert!(run.status != 0 && run.messages.contains("both.toml: override of '*'"), "{}", run.messages);
}
