//! Judgement of errors in other ways than millimetres: pixels of a camera, and the cause of a slide.

use crate::project::project;
use crate::support::Bench;

#[test]
fn errors_in_pixels_are_those_of_the_camera_and_stand_only_where_asked_for() {
    let bench = Bench::new();
    let sample = project("src/app/assets/sample.glb");
    let line = &format!("report {} --clip walk --codec quantize:riot-32 --tolerance-mm 0.5", sample.display());
    let plain = bench.run(line);
    assert!(!plain.out.contains("max px"), "{}", plain.out);
    assert!(bench.run(&format!("{line} --json")).out.find("\"pixels\"").is_none());
    // 1080 lines over two metres: 0.54 pixels per millimetre.
    let near = format!("{line} --pixels --camera-distance 1 --camera-fov 90");
    let shown = bench.run(&near);
    assert!(shown.out.contains("max px") && shown.out.contains(" px"), "{}", shown.out);
    let report = |line: &str| -> serde_json::Value {
        let all: serde_json::Value = serde_json::from_str(&bench.run(&format!("{line} --json")).out).unwrap();
        all["clips"][0].clone()
    };
    let at = report(&near);
    let (pixels, mm) = (&at["pixels"], at["error"]["max_mm"].as_f64().unwrap());
    let of = |row: &serde_json::Value, key: &str| row[key].as_f64().unwrap();
    assert!(mm > 0.0 && (of(pixels, "max_px") / mm - 0.54).abs() < 1e-5, "{at}");
    assert!((of(pixels, "tolerance_px") - 0.27).abs() < 1e-6, "{pixels}");
    let slide_mm = at["slide"]["worst_slide_mm"].as_f64().unwrap();
    assert!((of(pixels, "slide_px") - slide_mm * 0.54).abs() < 1e-5, "{at}");
    let twice = report(&format!("{near} --screen-lines 2160 --playback-scale 0.5"));
    assert!((of(&twice["pixels"], "max_px") / of(pixels, "max_px") - 1.0).abs() < 1e-5, "{twice}");
    assert_eq!(bench.run(&format!("{line} --pixels --camera-fov 180")).status, 2);
}

#[test]
fn a_report_says_why_the_worst_contact_slides_and_what_it_would_need() {
    let bench = Bench::new();
    let sample = project("src/app/assets/sample.glb");
    let report = |options: &str| -> serde_json::Value {
        let run = bench.run(&format!("report {} --clip walk --json {options}", sample.display()));
        let all: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        all["clips"][0]["slide"].clone()
    };
    let loose = report("--codec linear-keys --tolerance-mm 30");
    let (why, worst) = (&loose["why"], loose["worst_slide_mm"].as_f64().unwrap());
    let mm = |row: &serde_json::Value, key: &str| row[key].as_f64().unwrap();
    assert!((mm(why, "slide_mm") / worst - 1.0).abs() < 1e-3, "{loose}");
    let contacts = loose["contacts"].as_array().unwrap();
    assert!(contacts.iter().any(|p| p["joint"] == why["joint"] && p["start_secs"] == why["start_secs"]), "{loose}");
    assert!(mm(&why["brought_by"], "left_mm") <= mm(why, "inherited_mm"), "{why}");
    let needed = mm(why, "tolerance_mm");
    assert!(needed < 30.0, "{why}");
    // A proportional estimate. A tenth of it is more than enough.
    let tight = report(&format!("--codec linear-keys --tolerance-mm {}", needed / 10.0));
    assert!(tight["why"].is_null() && tight["worst_slide_mm"].as_f64().unwrap() < worst / 2.0, "{tight}");
}
