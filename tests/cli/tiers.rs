//! Tiers: optional files next to the container, and the clips without them.

use crate::project::project;
use crate::support::Bench;
use serde_json::{Value, json};

const TIERS: &str = "--tiers --low-tier-mm 1 --medium-tier-mm 30";
const FILES: [&str; 2] = ["out.medium.posepress-tier", "out.low.posepress-tier"];

/// A bench with `whole.posepress`, and `out.posepress` with its tiers.
fn tiered() -> Bench {
    let bench = Bench::with_sources();
    bench.run("compress biped.gltf --codec press -o whole.posepress");
    let run = bench.run(&format!("compress biped.gltf --codec press {TIERS} -o out.posepress"));
    assert!([0, 3].contains(&run.status), "{}", run.messages);
    assert!(run.out.contains("without low and medium") && run.out.contains("all clips"), "{}", run.out);
    assert!(FILES.iter().all(|name| run.messages.contains(name) && bench.path(name).exists()), "{}", run.messages);
    bench
}

#[test]
fn a_container_plays_without_its_tiers_and_is_whole_with_them() {
    let bench = tiered();
    assert!(bench.read("out.posepress").len() < bench.read("whole.posepress").len() + 100);
    for clip in ["Walk", "Wave"] {
        let decode = |rest: &str| bench.ok(&format!("decode out.posepress --clip {clip} {rest}"));
        let whole = bench.ok(&format!("decode whole.posepress --clip {clip}"));
        assert_eq!(decode(&format!("--tier {} --tier {}", FILES[1], FILES[0])), whole, "in any order");
        assert_eq!(decode("").lines().count(), whole.lines().count());
    }
    let decode = |rest: &str| bench.ok(&format!("decode out.posepress --clip Walk {rest}"));
    assert!(decode("") != decode(&format!("--tier {} --tier {}", FILES[0], FILES[1])), "something was removed");
}

#[test]
fn info_names_the_tiers_that_are_absent() {
    let bench = tiered();
    let tiers = |rest: &str| bench.json(&format!("info out.posepress --json {rest}"))["files"][0]["tiers"].clone();
    let names = |tiers: &serde_json::Value| -> Vec<String> {
        tiers.as_array().into_iter().flatten().map(|tier| tier["name"].as_str().unwrap().to_owned()).collect()
    };
    let all = tiers("");
    assert_eq!(names(&all), ["medium", "low"]);
    assert_eq!((&all[0]["tolerance_mm"], &all[1]["tolerance_mm"]), (&30.0.into(), &1.0.into()));
    assert_eq!(all[0]["bytes"], bench.read(FILES[0]).len());
    assert_eq!(names(&tiers(&format!("--tier {}", FILES[0]))), ["low"]);
    assert!(names(&tiers(&format!("--tier {} --tier {}", FILES[0], FILES[1]))).is_empty());
    let text = bench.ok("info out.posepress");
    assert!(text.contains("without tier medium") && text.contains("stay within 30.0 mm"), "{text}");
}

#[test]
fn info_of_a_tier_file_says_whose_it_is() {
    let bench = tiered();
    let info = |files: &str| bench.json(&format!("info {files} --json"));
    let low = info(FILES[1])["tier_files"][0].clone();
    let container = json!({ "source": "out.posepress", "after": ["medium"], "tolerance_mm": 1.0 });
    assert_eq!((&low["name"], &low["container"]), (&"low".into(), &container));
    assert_eq!(low["bytes"], bench.read(FILES[1]).len());
    let marks = info("out.posepress")["files"][0]["tiers"].clone();
    assert_eq!(low["checksum"], marks[1]["checksum"]);
    let clips = low["clips"].as_array().unwrap();
    assert_eq!(clips.iter().map(|clip| &clip["name"]).collect::<Vec<_>>(), ["Walk", "Wave"]);
    let of_clips: u64 = clips.iter().map(|clip| clip["bytes"].as_u64().unwrap()).sum();
    assert!((1..low["bytes"].as_u64().unwrap()).contains(&of_clips), "{low}");
    let text = bench.ok(&format!("info {} {}", FILES[0], FILES[1]));
    for words in ["tier medium of 2 clips", "joined first; without it clips stay within 30.0 mm", "joined after medium"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }

    // With another name, its container must be among the files. Otherwise only the content of the tier file is shown.
    bench.write("moved.posepress-tier", &bench.read(FILES[1]));
    let both = info("moved.posepress-tier out.posepress");
    assert_eq!((&both["tier_files"][0]["container"], &both["files"][0]["tiers"]), (&container, &marks));
    let alone = info("moved.posepress-tier")["tier_files"][0].clone();
    assert_eq!((&alone["container"], &alone["clips"][0]["name"]), (&Value::Null, &Value::Null));
    assert!(alone["no_container"].as_str().unwrap().starts_with("moved.posepress: cannot be read"), "{alone}");
    bench.write("moved.posepress", &bench.read("whole.posepress"));
    let text = bench.ok("info moved.posepress-tier");
    assert!(
        text.contains("known only from its container") && text.contains("(moved.posepress: it has no tiers)"),
        "{text}"
    );
}

#[test]
fn info_refuses_damaged_tier_files() {
    let bench = tiered();
    let whole = bench.read(FILES[1]);
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let container = bench.read("out.posepress");
    for (bytes, words) in [
        (&whole[..whole.len() - 1], "tier of a clip"),
        (&whole[..20], "directory"),
        (&flipped, "checksum of tier of clip"),
        (&container, "that of a .posepress-tier file"),
        (&[], "magic of a .posepress-tier file"),
    ] {
        bench.write("bad.posepress-tier", bytes);
        let run = bench.run("info bad.posepress-tier");
        assert!(run.status == 2 || run.status == 1, "{words}: {}", run.status);
        assert!(
            run.messages.contains("bad.posepress-tier: ") && run.messages.contains(words),
            "{words}: {}",
            run.messages
        );
    }
}

#[test]
fn what_is_left_is_verified_by_what_it_stays_within() {
    let bench = tiered();
    let errors = |rest: &str| {
        let run = bench.run(&format!("verify out.posepress --against biped.gltf --json {rest}"));
        let report: serde_json::Value =
            serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {}", run.messages));
        report["clips"].as_array().unwrap().iter().map(|clip| clip["error"].clone()).collect::<Vec<_>>()
    };
    let both = format!("--tier {} --tier {}", FILES[0], FILES[1]);
    for (rest, tolerance_mm) in [(String::new(), 30.0), (format!("--tier {}", FILES[0]), 1.0), (both, 0.1)] {
        for error in errors(&rest) {
            assert_eq!((&error["within"], &error["tolerance_mm"]), (&true.into(), &tolerance_mm.into()), "{rest}");
        }
    }
}

#[test]
fn reports_have_every_level_beside_each_other() {
    let bench = Bench::with_sources();
    let run = bench.run(&format!("report biped.gltf --codec press {TIERS} --json"));
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    for clip in report["clips"].as_array().unwrap() {
        let levels = clip["tiers"].as_array().unwrap();
        let bytes: Vec<u64> = levels.iter().map(|level| level["bytes"].as_u64().unwrap()).collect();
        assert_eq!((levels.len(), bytes[0]), (3, clip["bytes"].as_u64().unwrap()));
        assert!(bytes[0] >= bytes[1] && bytes[1] >= bytes[2], "{bytes:?}");
        assert!(levels.iter().all(|l| l["max_mm"].as_f64() <= l["tolerance_mm"].as_f64()), "{levels:?}");
        assert_eq!(levels[0]["max_mm"], clip["error"]["max_mm"]);
    }
    let one = bench.run("report biped.gltf --codec press --tiers --medium-tier-mm 0");
    assert!(one.out.contains("without low") && !one.out.contains("medium"), "{}", one.out);
    assert!(!bench.run("report biped.gltf --codec press").out.contains("without low"));
}

#[test]
fn wrong_tiers_and_what_has_none_are_refused() {
    let bench = tiered();
    let refused = |line: &str, words: &[&str]| {
        let run = bench.run(line);
        assert!([1, 2].contains(&run.status), "{line}: {}", run.status);
        assert!(words.iter().all(|words| run.messages.contains(words)), "{line}: {}", run.messages);
    };
    let decode = "decode out.posepress --clip Walk";
    refused(&format!("{decode} --tier {}", FILES[1]), &["tier file 1", "expected 'medium' before it"]);
    refused(&format!("{decode} --tier out.posepress"), &["tier file 1", "that of a .posepress-tier file"]);
    refused(&format!("{decode} --tier none.posepress-tier"), &["none.posepress-tier", "cannot be read"]);
    bench.run("compress biped.gltf --codec press --tolerance-mm 0.2 --tiers --low-tier-mm 4 -o other.posepress");
    let other = format!("{decode} --tier {} --tier other.low.posepress-tier", FILES[0]);
    refused(&other, &["'low' with checksum", "it belongs to another file"]);
    refused(&format!("decode whole.posepress --clip Walk --tier {}", FILES[0]), &["every clip is whole"]);
    let mut damaged = bench.read(FILES[1]);
    *damaged.last_mut().unwrap() ^= 1;
    bench.write("damaged", &damaged);
    refused(&format!("{decode} --tier {} --tier damaged", FILES[0]), &["checksum of tier of clip"]);

    refused(
        "compress biped.gltf --codec quantize --tiers -o no.posepress",
        &["use --codec press", "nothing was written"],
    );
    refused("report biped.gltf --codec quantize --tiers", &["use --codec press"]);
    bench.write("sample.glb", &std::fs::read(project("src/app/assets/sample.glb")).unwrap());
    let archive = "compress sample.glb --clip walk --codec press --set storage=archive --tiers -o no.posepress";
    refused(archive, &["use --set storage=runtime"]); // a short clip is not smaller as an archive, so it is stored in runtime storage
    refused("compress biped.gltf --codec press --tiers -o -", &["tier files need a name", "-o NAME.posepress"]);
    assert!(!bench.path("no.posepress").exists());
}
