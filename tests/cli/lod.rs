//! Levels of detail from the command line.

use crate::project::sample;
use crate::support::Bench;
use posepress_core::lod::Platform;

const PHONE: &str =
    "frame_rate_hz = 30.0\nlimit_px = 0.5\n[[levels]]\n[[levels]]\nfrom = 10.0\njoints = 6\nevery = \"4\"\n";

#[test]
fn each_level_has_its_error_in_pixels_and_a_level_over_the_limit_is_status_3() {
    let bench = Bench::with_sources();
    bench.write("sample.glb", &std::fs::read(sample()).unwrap());
    bench.write("phone.toml", PHONE.as_bytes());
    let run = bench.run("lod sample.glb --clip walk --platform phone.toml");
    assert_eq!(run.status, 3, "{}", run.messages);
    let rows: Vec<&str> = run.out.lines().filter(|line| line.starts_with("walk")).collect();
    assert_eq!(rows.len(), 2, "{}", run.out);
    assert!(rows[0].contains("camera") && rows[0].ends_with("good"), "{}", rows[0]);
    assert!(rows[1].contains("10.0 m") && rows[1].contains("passes from"), "{}", rows[1]);
    assert!(run.messages.contains("level 1") && run.messages.contains("limit 0.50 px"), "{}", run.messages);
    let json: serde_json::Value =
        serde_json::from_str(&bench.run("lod sample.glb --clip walk --platform phone.toml --json").out).unwrap();
    let clip = &json["clips"][0];
    let [near, far] = [&clip["levels"][0], &clip["levels"][1]];
    assert_eq!((&near["verdict"], &far["verdict"], &far["joints"]), (&"good".into(), &"fail".into(), &6.into()));
    assert!(clip["joints"].as_array().unwrap().len() > 6 && near["joints"] == clip["joints"].as_array().unwrap().len());
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    // Where it passes, the same error takes the limit.
    let there_m = number(&far["passes_from_m"]);
    assert!((number(&far["max_px"]) * 10.0 / there_m / 0.5 - 1.0).abs() < 1e-3, "{far}");
    // The fitted platform passes, and starts no later than it must.
    let run = bench.run("lod sample.glb --clip walk --platform phone.toml --fit fitted.toml");
    assert!(run.status == 0 && run.messages.contains("fitted.toml: levels start at "), "{}", run.messages);
    let fitted = Platform::from_toml(&String::from_utf8(bench.read("fitted.toml")).unwrap()).unwrap();
    assert!((f64::from(fitted.levels[1].from) - there_m).abs() < 0.11, "{} {there_m}", fitted.levels[1].from);
    assert_eq!(bench.run("lod sample.glb --clip walk --platform fitted.toml").status, 0);
    let both = bench.run("lod sample.glb --clip walk --clip run --platform phone.toml --fit fitted.toml");
    assert_eq!(both.status, 0, "{}", both.messages);
    assert_eq!(bench.run("lod sample.glb --clip walk --clip run --platform fitted.toml").status, 0);
    let onto = bench.run("lod sample.glb --platform phone.toml --fit phone.toml");
    assert!(onto.status != 0 && bench.read("phone.toml") == PHONE.as_bytes(), "it is read: {}", onto.messages);
}

#[test]
fn what_is_no_platform_is_named_and_levels_without_tiers_say_how_to_have_them() {
    let bench = Bench::with_sources();
    bench.write("wrong.toml", b"[[levels]]\n[[levels]]\nfrom = 20.0\n[[levels]]\nfrom = 10.0\n");
    let run = bench.run("lod biped.gltf --platform wrong.toml");
    assert!(run.status == 1 && run.messages.contains("wrong.toml: level 1 starts from 20"), "{}", run.messages);
    bench.write("tiers.toml", b"limit_px = 100.0\n[[levels]]\n[[levels]]\nfrom = 9.0\nleft_out = \"both\"\n");
    let run = bench.run("lod biped.gltf --clip Walk --platform tiers.toml");
    assert!(run.status == 3 && run.messages.contains("turn tiers on"), "{}", run.messages);
    let run = bench.run("lod biped.gltf --clip Walk --platform tiers.toml --tiers --json");
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let bytes = |level: usize| json["clips"][0]["levels"][level]["bytes"].as_u64().unwrap();
    assert!(run.status == 0 && bytes(1) < bytes(0), "{}", run.out);
}
