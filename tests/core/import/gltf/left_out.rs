//! An error in one clip drops only that clip. Unusual times cause a question.

use crate::import_support::{Doc, import_bytes, small_rig};
use posepress_core::import::{ChosenFixes, Finding, Fix, Fixer, ImportOptions, Imported, Severity, TimeUnit};
use serde_json::{Value, json};

/// The small rig with a valid clip, and a second clip that `spoil` changes.
fn with_bad(spoil: impl FnOnce(&mut Doc, usize)) -> Doc {
    let mut doc = small_rig();
    let bad = doc.animation("bad");
    doc.channel(bad, 1, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 1.0, 0.0, 0.5, 1.0, 0.0]);
    spoil(&mut doc, bad);
    doc.json["animations"].as_array_mut().unwrap().swap(0, bad);
    doc
}

fn names(imported: &Imported) -> Vec<&str> {
    imported.clips.iter().map(|clip| clip.name()).collect()
}

fn about<'a>(imported: &'a Imported, subject: &str) -> Vec<&'a Finding> {
    imported.findings.iter().filter(|finding| finding.subject == subject).collect()
}

fn channel(doc: &mut Doc, bad: usize) -> &mut Value {
    &mut doc.json["animations"][bad]["channels"][0]
}

/// The accessor of the clip's times or values.
fn accessor<'a>(doc: &'a mut Doc, bad: usize, which: &str) -> &'a mut Value {
    let at = doc.json["animations"][bad]["samplers"][0][which].as_u64().unwrap() as usize;
    &mut doc.json["accessors"][at]
}

#[test]
fn one_bad_clip_costs_that_clip_whatever_is_wrong_with_it() {
    type Spoil = fn(&mut Doc, usize);
    let spoilt: [(Spoil, &str); 16] = [
        (|d, c| channel(d, c)["target"]["node"] = json!(99), "node 99 is out of range"),
        (
            |d, c| {
                channel(d, c)["target"] = json!({ "node": 99, "path": "weights" });
            },
            "node 99 is out of range",
        ),
        (|d, c| channel(d, c)["sampler"] = json!(7), "sampler 7 is out of range"),
        (|d, c| d.json["animations"][c]["samplers"][0]["input"] = json!(77), "accessor 77"),
        (|d, c| d.json["animations"][c]["samplers"][0]["output"] = json!(77), "accessor 77"),
        (|d, c| d.json["animations"][c]["samplers"][0]["interpolation"] = json!("BEZIER"), "interpolation"),
        (|d, c| accessor(d, c, "output")["count"] = json!(1), "1 values for 2 keys"),
        (|d, c| accessor(d, c, "output")["bufferView"] = json!(99), "buffer view 99"),
        (|d, c| accessor(d, c, "output")["byteOffset"] = json!(100_000), "outside its buffer view"),
        (|d, c| accessor(d, c, "output")["type"] = json!("VEC4"), "expected Vec3"),
        (|d, c| accessor(d, c, "output")["componentType"] = json!(1), "is unknown; expected"),
        (|d, c| accessor(d, c, "input")["count"] = json!(1_u64 << 60), "bytes of numbers"),
        (
            |d, c| {
                let times = d.floats(&[f32::NAN, 1.0], "SCALAR");
                d.json["animations"][c]["samplers"][0]["input"] = json!(times);
            },
            "time of key 0",
        ),
        (
            |d, c| {
                let times = d.floats(&[0.0, 1e7], "SCALAR");
                d.json["animations"][c]["samplers"][0]["input"] = json!(times);
            },
            "for 2 key times",
        ),
        (|d, c| channel(d, c)["target"]["node"] = json!("hips"), "expected"),
        (
            |d, c| {
                let view = accessor(d, c, "output")["bufferView"].as_u64().unwrap() as usize;
                let packed =
                    json!({ "buffer": 0, "byteLength": 7, "byteStride": 12, "count": 2, "mode": "ATTRIBUTES" });
                d.json["bufferViews"][view]["extensions"] = json!({ "EXT_meshopt_compression": packed });
            },
            "buffer view",
        ),
    ];
    let good = small_rig().import().unwrap();
    for (spoil, word) in spoilt {
        let doc = with_bad(spoil);
        let imported = doc.import().unwrap_or_else(|error| panic!("{word}: {error}"));
        assert_eq!(names(&imported), ["wave"], "{word}");
        assert_eq!((&imported.clips, &imported.clip_bytes), (&good.clips, &good.clip_bytes), "{word}");
        let said = about(&imported, "bad");
        let warning =
            said.iter().find(|f| f.severity == Severity::Warning).unwrap_or_else(|| panic!("{word}: {said:?}"));
        assert!(warning.what.contains(word), "{word}: {warning:?}");
        assert!(warning.meaning.contains("left out"), "{word}: {warning:?}");
        // As the only clip, it makes the file fail with the same words.
        let mut alone = doc;
        alone.json["animations"].as_array_mut().unwrap().remove(0);
        assert!(alone.import().is_ok(), "{word}");
        alone.json["animations"] = json!([with_bad(spoil).json["animations"][0]]);
        let error = alone.import().unwrap_err().to_string();
        assert!(error.contains("bad") || error.contains("animations[0]"), "{word}: {error}");
    }
}

#[test]
fn a_clip_that_asks_for_too_much_leaves_room_for_the_others() {
    let mut doc = small_rig();
    let long = doc.animation("long");
    let times: Vec<f32> = (0..60).map(|key| key as f32 * 40.0).collect();
    doc.channel(long, 0, "translation", "LINEAR", &times, &[0.5; 180]);
    doc.json["animations"].as_array_mut().unwrap().swap(0, long);
    let options = ImportOptions { rate_hz: Some(1000.0), ..ImportOptions::default() };
    let imported = doc.import_with(&options).unwrap();
    assert_eq!(names(&imported), ["wave"]);
    assert!(about(&imported, "long").iter().any(|f| f.what.contains("cannot be used")), "{:?}", imported.findings);
}

#[test]
fn a_clip_that_waits_for_hours_begins_with_its_motion() {
    let late = |doc: &mut Doc, start: f32| {
        let clip = doc.animation("late");
        let times: Vec<f32> = (0..61).map(|key| start + key as f32 / 30.0).collect();
        let values: Vec<f32> = (0..61).flat_map(|key| [key as f32 * 0.01, 0.0, 0.0]).collect();
        doc.channel(clip, 0, "translation", "LINEAR", &times, &values);
    };
    let mut doc = small_rig();
    late(&mut doc, 3000.0);
    let imported = doc.import().unwrap();
    assert_eq!(names(&imported), ["wave", "late"]);
    assert_eq!(imported.clips[1].samples(), 61);
    assert!((imported.clips[1].at(60, 0).translation.x - 0.6).abs() < 1e-4);
    let said = about(&imported, "late");
    assert!(said.iter().any(|f| f.severity == Severity::Warning && f.what.contains("3000.000 s")), "{said:?}");

    let mut doc = small_rig();
    late(&mut doc, 2.0);
    let imported = doc.import().unwrap();
    assert_eq!(imported.clips[1].samples(), 121, "a short wait is kept ...");
    assert!(about(&imported, "late").iter().any(|f| f.fix == Some(Fix::Holds)), "... and can be trimmed");
    let fixer = Fixer::new(&imported.rig, &imported.clips);
    let trimmed = fixer.fixed(&imported.clips[1], &ChosenFixes::new([Fix::Holds].into(), &[])).unwrap().clip;
    assert_eq!((trimmed.samples(), trimmed.at(60, 0)), (61, imported.clips[1].at(120, 0)));
}

/// A clip of 31 keys at that distance, after another clip.
fn spaced(secs: f32) -> Doc {
    let mut doc = small_rig();
    doc.json["animations"] = json!([]);
    let clip = doc.animation("a");
    let times: Vec<f32> = (0..31).map(|key| key as f32 * secs).collect();
    let values: Vec<f32> = (0..31).flat_map(|key| [0.01 * (key as f32).sin(), 0.0, 0.0]).collect();
    doc.channel(clip, 0, "translation", "LINEAR", &times, &values);
    doc
}

#[test]
fn sparse_keys_over_a_long_time_ask_for_the_unit_of_time() {
    let question = |imported: &Imported| imported.findings.iter().find(|f| f.severity == Severity::Decide).cloned();
    assert_eq!(question(&spaced(1.0 / 30.0).import().unwrap()), None);
    assert_eq!(question(&spaced(1.0).import().unwrap()), None, "a slow door");
    let asked = spaced(100.0 / 3.0).import().unwrap();
    let found = question(&asked).unwrap();
    assert!(found.what.contains("31 key times") && found.what.contains("33.3 s apart"), "{found:?}");
    assert!(found.meaning.contains("1.00 s (--time-unit ms)"), "{found:?}");
    let options = found.readings[0].of(ImportOptions::default());
    assert_eq!(options.time_unit, Some(TimeUnit::Millisecond));
    let read = spaced(100.0 / 3.0).import_with(&options).unwrap();
    assert_eq!((read.clips[0].samples(), read.clips[0].grid().rate_hz().round()), (31, 30.0));
    assert_eq!(question(&read), None);
    let back = read.findings.iter().find(|f| !f.readings.is_empty()).unwrap();
    assert_eq!(back.readings[0].of(options).time_unit, Some(TimeUnit::Second));
    // Too long for seconds, and the only clip: the error names the option.
    let refused = spaced(1e4).import().unwrap_err().to_string();
    assert!(refused.contains("--time-unit ms"), "{refused}");
}

#[test]
fn whole_files_are_still_refused_for_what_all_clips_need() {
    let mut doc = small_rig();
    doc.json["buffers"][0]["byteLength"] = json!(1_000_000);
    assert!(import_bytes("glb", &doc.glb()).is_err());
}
