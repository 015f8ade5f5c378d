//! What a report says of errors besides millimetres: pixels of a camera, and why a foot slides.

use crate::project::project;
use crate::support::Bench;

#[test]
fn errors_in_pixels_are_those_of_the_camera_and_stand_only_where_asked_for() {
    let bench = Bench::new();
    let sample = project("assets/sample.glb");
    let line = &format!("report {} --clip walk --codec quantize:riot-32 --tolerance-mm 0.5", sample.display());
    let plain = bench.run(line);
    assert!(!plain.out.contains("max px"), "{}", plain.out);
    assert!(bench.run(&format!("{line} --json")).out.find("\"pixels\"").is_none());
    // 1080 lines over two metres: 0.54 pixels a millimetre.
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
    let slide_mm = at["contacts"]["worst_slide_mm"].as_f64().unwrap();
    assert!((of(pixels, "slide_px") - slide_mm * 0.54).abs() < 1e-5, "{at}");
    let twice = report(&format!("{near} --screen-lines 2160 --playback-scale 0.5"));
    assert!((of(&twice["pixels"], "max_px") / of(pixels, "max_px") - 1.0).abs() < 1e-5, "{twice}");
    assert_eq!(bench.run(&format!("{line} --pixels --camera-fov 180")).status, 2);
}
