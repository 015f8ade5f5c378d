//! Time: interpolations, steps, first keys, rates.

use super::{clip, sampled};
use crate::import_support::{Doc, import_corpus};
use crate::project::corpus;
use glam::{DQuat, DVec3, Vec3};
use posepress_core::import::{Finding, ImportOptions, Severity, TimeUnit};
use posepress_core::model::Channel;
use serde_json::{Value, json};

/// The interpolations of glTF 2.0, appendix C, implemented again in f64 from the specification.
fn by_the_specification(mode: &str, times: &[f64], values: &[Vec<f64>], t: f64) -> Vec<f64> {
    let per_key = if mode == "CUBICSPLINE" { 3 } else { 1 };
    let value = |k: usize| &values[k * per_key + per_key / 2];
    if t <= times[0] {
        return value(0).clone();
    }
    if t >= times[times.len() - 1] {
        return value(times.len() - 1).clone();
    }
    let k = times.iter().rposition(|&key| key <= t).unwrap();
    let (td, x) = (times[k + 1] - times[k], (t - times[k]) / (times[k + 1] - times[k]));
    let rotation = values[0].len() == 4;
    match mode {
        "STEP" => value(k).clone(),
        "LINEAR" if rotation => {
            let (a, b) = (value(k), value(k + 1));
            let d: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            let (angle, sign) = (d.abs().min(1.0).acos(), d.signum());
            if angle < 1e-9 {
                return a.clone();
            }
            let (wa, wb) = ((angle * (1.0 - x)).sin() / angle.sin(), sign * (angle * x).sin() / angle.sin());
            a.iter().zip(b).map(|(a, b)| wa * a + wb * b).collect()
        }
        "LINEAR" => value(k).iter().zip(value(k + 1)).map(|(a, b)| (1.0 - x) * a + x * b).collect(),
        _ => {
            let (x2, x3) = (x * x, x * x * x);
            let (out, into) = (&values[k * 3 + 2], &values[(k + 1) * 3]);
            let v: Vec<f64> = (0..values[0].len())
                .map(|i| {
                    (2.0 * x3 - 3.0 * x2 + 1.0) * value(k)[i]
                        + td * (x3 - 2.0 * x2 + x) * out[i]
                        + (-2.0 * x3 + 3.0 * x2) * value(k + 1)[i]
                        + td * (x3 - x2) * into[i]
                })
                .collect();
            let length = if rotation { v.iter().map(|x| x * x).sum::<f64>().sqrt() } else { 1.0 };
            v.iter().map(|x| x / length).collect()
        }
    }
}

/// Floats of an accessor of a plain document with one external buffer, read without the importer.
fn plain_floats(document: &Value, bin: &[u8], accessor: &Value) -> Vec<f64> {
    let accessor = &document["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let number = |v: &Value| v.as_u64().unwrap_or(0) as usize;
    let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
    let width = match accessor["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC3" => 3,
        _ => 4,
    };
    let bytes = &bin[start..][..number(&accessor["count"]) * width * 4];
    bytes.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect()
}

#[test]
fn all_nine_interpolations_follow_the_specification_at_every_sample() {
    let Some(path) = corpus("cesium_man/interpolation_test.gltf") else { return };
    let options = ImportOptions { rate_hz: Some(240.0), ..ImportOptions::default() };
    let imported = import_corpus("cesium_man/interpolation_test.gltf", &options).unwrap();
    let document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let bin = std::fs::read(path.with_extension("bin")).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for (index, animation) in document["animations"].as_array().unwrap().iter().enumerate() {
        let clip = &imported.clips[index];
        let (channel, sampler) = (&animation["channels"][0], &animation["samplers"][0]);
        let mode = sampler["interpolation"].as_str().unwrap_or("LINEAR");
        let property = channel["target"]["path"].as_str().unwrap();
        let times = plain_floats(&document, &bin, &sampler["input"]);
        let width = if property == "rotation" { 4 } else { 3 };
        let values = plain_floats(&document, &bin, &sampler["output"]);
        let values: Vec<Vec<f64>> = values.chunks(width).map(<[f64]>::to_vec).collect();
        let node = &document["nodes"][channel["target"]["node"].as_u64().unwrap() as usize];
        let joint = imported.rig.skeleton.find(node["name"].as_str().unwrap()).unwrap();
        assert_eq!(f64::from(clip.duration_secs()), times[times.len() - 1]);
        for sample in 0..clip.samples() {
            let t = f64::from(clip.grid().time_secs(sample as f64));
            // A time within a thousandth of a sample of a key is the key's time.
            let t = times.iter().copied().find(|k| (k - t).abs() < 1e-3 / 240.0).unwrap_or(t);
            let expected = by_the_specification(mode, &times, &values, t);
            let found = clip.at(sample, joint);
            let error = match property {
                "rotation" => {
                    let expected = DQuat::from_array(expected.try_into().unwrap());
                    1.0 - found.rotation.as_dquat().dot(expected.normalize()).abs()
                }
                "scale" => (found.scale.as_dvec3() - DVec3::from_slice(&expected)).length(),
                _ => (found.translation.as_dvec3() - DVec3::from_slice(&expected)).length(),
            };
            assert!(error < 2e-6, "{} at {t} s: off by {error}", clip.name());
        }
        seen.insert((mode.to_owned(), property.to_owned()));
    }
    // The clip named "Linear Scale" has a cubic spline: the file has eight kinds, and the ninth is tested below.
    assert_eq!(seen.len(), 8, "{seen:?}");
}

#[test]
fn linear_scale_is_a_lerp() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let wave = doc.animation("grow");
    doc.channel(wave, 0, "scale", "LINEAR", &[0.0, 1.0], &[1.0, 1.0, 1.0, 3.0, 1.0, -1.0]);
    let imported = doc.import().unwrap();
    let clip = &imported.clips[0];
    let times = [0.0, 1.0];
    let values = [vec![1.0, 1.0, 1.0], vec![3.0, 1.0, -1.0]];
    for sample in 0..clip.samples() {
        let t = f64::from(clip.grid().time_secs(sample as f64));
        let expected = DVec3::from_slice(&by_the_specification("LINEAR", &times, &values, t));
        assert!((clip.at(sample, 0).scale.as_dvec3() - expected).length() < 1e-6);
    }
}

#[test]
fn steps_stay_steps_between_samples() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let jump = doc.animation("jump");
    let ramp: Vec<f32> = (0..=10).map(|f| f as f32 / 30.0).collect();
    let keys: Vec<f32> = (0..=10).flat_map(|f| [if f < 5 { 0.0 } else { 1.0 }, 0.0, f as f32]).collect();
    doc.channel(jump, 0, "translation", "STEP", &ramp, &keys);
    let imported = doc.import().unwrap();
    let clip = &imported.clips[0];
    assert_eq!(clip.samples(), 11);
    assert_eq!(clip.holds().len(), 10, "one for each interval that ends in a key");
    assert!(clip.holds().iter().all(|h| h.channel == Channel::Translation && h.joint == 0));
    assert_eq!(sampled(clip, 4.9 / 30.0).joints[0].translation, Vec3::new(0.0, 0.0, 4.0));
    assert_eq!(sampled(clip, 5.0 / 30.0).joints[0].translation, Vec3::new(1.0, 0.0, 5.0));
}

#[test]
fn a_sparse_step_holds_only_where_it_jumps() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let jump = doc.animation("jump");
    doc.channel(jump, 0, "translation", "STEP", &[0.0, 0.5, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let options = ImportOptions { rate_hz: Some(10.0), ..ImportOptions::default() };
    let imported = doc.import_with(&options).unwrap();
    let holds: Vec<u32> = imported.clips[0].holds().iter().map(|h| h.sample).collect();
    assert_eq!(holds, [4, 9]);
    let x = |t: f32| sampled(&imported.clips[0], t).joints[0].translation.x;
    assert_eq!([x(0.0), x(0.499), x(0.5), x(0.99), x(1.0)], [0.0, 0.0, 1.0, 1.0, 2.0]);
}

#[test]
fn a_step_between_samples_plays_at_the_next_one_and_is_reported() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let jump = doc.animation("jump");
    doc.channel(jump, 0, "translation", "STEP", &[0.0, 0.25, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let options = ImportOptions { rate_hz: Some(10.0), ..ImportOptions::default() };
    let imported = doc.import_with(&options).unwrap();
    let x: Vec<f32> = imported.clips[0].track(0).map(|t| t.translation.x).take(4).collect();
    assert_eq!(x, [0.0, 0.0, 0.0, 1.0]);
    assert!(
        imported.findings.iter().any(|f| f.subject == "jump" && f.what.contains("50.0 ms")),
        "{:?}",
        imported.findings
    );
}

#[test]
fn time_starts_at_zero_and_the_first_key_holds_until_it_comes() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let late = doc.animation("late");
    doc.channel(late, 0, "translation", "LINEAR", &[1.0, 2.0], &[5.0, 0.0, 0.0, 6.0, 0.0, 0.0]);
    let imported = doc.import().unwrap();
    let clip = &imported.clips[0];
    assert_eq!(clip.duration_secs(), 2.0);
    assert_eq!(sampled(clip, 0.0).joints[0].translation.x, 5.0);
    assert_eq!(sampled(clip, 0.9).joints[0].translation.x, 5.0);
    assert!((sampled(clip, 1.5).joints[0].translation.x - 5.5).abs() < 1e-5);
    assert!(imported.findings.iter().any(|f| f.what == "its first key lies at 1.000 s"));
}

#[test]
fn keys_before_time_zero_are_a_finding_that_says_what_is_cut_off() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let early = doc.animation("early");
    doc.channel(early, 0, "translation", "LINEAR", &[-1.0, 1.0], &[4.0, 0.0, 0.0, 6.0, 0.0, 0.0]);
    let before = doc.animation("before");
    doc.channel(before, 0, "translation", "LINEAR", &[-2.0, -1.0], &[4.0, 0.0, 0.0, 6.0, 0.0, 0.0]);
    let imported = doc.import().unwrap();
    let [early, before] = &imported.clips[..] else { panic!("two clips") };
    assert_eq!((early.duration_secs(), sampled(early, 0.0).joints[0].translation.x), (1.0, 5.0));
    assert_eq!((before.samples(), before.at(0, 0).translation.x), (1, 6.0));
    let says = |subject: &str, what: &str, meaning: &str| {
        let found = |f: &&Finding| f.subject == subject && f.what.contains(what) && f.meaning.contains(meaning);
        assert!(imported.findings.iter().any(|f| found(&f)), "{:?}", imported.findings);
    };
    says("early", "-1.000 s", "cut off");
    says("before", "-2.000 s", "only the pose of the last key");
}

#[test]
fn one_key_or_no_duration_makes_a_pose() {
    for times in [vec![0.0], vec![0.75], vec![0.5, 0.5]] {
        let mut doc = Doc::new(json!([{ "name": "a" }]));
        let pose = doc.animation("pose");
        let values: Vec<f32> = times.iter().flat_map(|_| [1.0, 2.0, 3.0]).collect();
        doc.channel(pose, 0, "translation", "LINEAR", &times, &values);
        let imported = doc.import().unwrap();
        let clip = &imported.clips[0];
        assert_eq!((clip.samples(), clip.duration_secs()), (1, 0.0), "{times:?}");
        assert_eq!(clip.at(0, 0).translation, Vec3::new(1.0, 2.0, 3.0));
        assert!(imported.findings.iter().any(|f| f.what.contains("pose of one sample")));
    }
}

#[test]
fn odd_rates_span_the_exact_duration_and_strange_ones_are_reported() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let (ntsc, odd) = (doc.animation("ntsc"), doc.animation("odd"));
    let at = |times: &[f32]| times.iter().flat_map(|t| [*t, 0.0, 0.0]).collect::<Vec<f32>>();
    let times: Vec<f32> = (0..200).map(|f| (f as f64 * 1001.0 / 30_000.0) as f32).collect();
    doc.channel(ntsc, 0, "translation", "LINEAR", &times, &at(&times));
    let strange: Vec<f32> = (0..30).map(|i| i as f32 * 0.137_21 + (i as f32 * 0.618).fract() * 0.05).collect();
    let squares: Vec<f32> = strange.iter().flat_map(|t| [t * t, 0.0, 0.0]).collect();
    doc.channel(odd, 0, "translation", "LINEAR", &strange, &squares);
    let imported = doc.import().unwrap();
    let clip = clip(&imported, "ntsc");
    assert_eq!((clip.samples(), clip.duration_secs()), (200, times[199]));
    for (sample, t) in times.iter().enumerate() {
        assert_eq!(clip.at(sample, 0).translation.x, *t, "keys on the grid come through to the last bit");
    }
    let finding = imported.findings.iter().find(|f| f.subject == "odd").unwrap();
    assert_eq!((finding.severity, finding.what.as_str()), (Severity::Warning, "its keys lie on no common sample rate"));
}

#[test]
fn a_clip_of_few_keys_takes_the_rate_of_its_file() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let (full, sparse) = (doc.animation("full"), doc.animation("sparse"));
    let times: Vec<f32> = (0..60).map(|f| f as f32 / 60.0).collect();
    doc.channel(full, 0, "scale", "LINEAR", &times, &[1.0].repeat(180));
    doc.channel(sparse, 0, "scale", "LINEAR", &[0.0, 1.0], &[1.0; 6]); // alone it would fit 24 Hz
    let imported = doc.import().unwrap();
    assert_eq!(clip(&imported, "sparse").samples(), 61);
}

/// A parabola sampled every `h` seconds and joined by lines is off by at most `a h²/8`.
#[test]
fn what_sampling_loses_is_measured_against_the_curves_of_the_file() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let wave = doc.animation("wave");
    // v = t² on x: in-tangent, value, out-tangent.
    let keys = [0.0f32, 1.0, 2.0].map(|t| [2.0 * t, 0.0, 0.0, t * t, 0.0, 0.0, 2.0 * t, 0.0, 0.0]).concat();
    doc.channel(wave, 0, "translation", "CUBICSPLINE", &[0.0, 1.0, 2.0], &keys);
    for rate_hz in [4.0f32, 10.0, 60.0] {
        let imported = doc.import_with(&ImportOptions { rate_hz: Some(rate_hz), ..ImportOptions::default() }).unwrap();
        let error = imported.clips[0].sampling_error().unwrap();
        let expected_m = 0.25 / (rate_hz * rate_hz);
        assert!((error.error_m - expected_m).abs() < 1e-6, "{rate_hz} Hz: {error:?}, expected {expected_m}");
    }
}

#[test]
fn lines_between_samples_lose_nothing_and_a_quick_turn_is_named() {
    let mut doc = Doc::new(json!([{ "name": "a", "children": [1] }, { "name": "b" }]));
    let wave = doc.animation("slide");
    doc.channel(wave, 0, "translation", "LINEAR", &[0.0, 0.5, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    let turn = doc.animation("turn");
    doc.channel(
        turn,
        1,
        "rotation",
        "LINEAR",
        &[0.0, 0.5, 1.0],
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
    );
    let imported = doc.import_with(&ImportOptions { rate_hz: Some(2.0), ..ImportOptions::default() }).unwrap();
    assert!(clip(&imported, "slide").sampling_error().unwrap().error_m < 1e-6);
    // Half a turn between two samples: players blend the numbers, the file turns at constant speed. At an eighth of the time
    // that is 22.5 degrees against 2 atan(1 / 7) = 16.3.
    let error = clip(&imported, "turn").sampling_error().unwrap();
    let worst_m = (1..8).map(|step| {
        let share = step as f32 / 8.0;
        let blended = 2.0 * share.atan2(1.0 - share);
        0.03 * 2.0 * ((blended - share * std::f32::consts::PI).abs() / 2.0).sin()
    });
    let worst_m = worst_m.fold(0.0, f32::max);
    assert!(error.joint == 1 && error.time_secs > 0.5, "{error:?}");
    assert!((error.error_m - worst_m).abs() < 1e-5, "{error:?}, expected {worst_m}");
}

#[test]
fn the_error_of_a_foot_is_known_in_every_interval() {
    let mut doc = Doc::new(json!([{ "name": "hips", "children": [1, 2] }, { "name": "hand.l" }, { "name": "foot.l" }]));
    let kick = doc.animation("kick");
    let half_turn = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    doc.channel(kick, 1, "rotation", "LINEAR", &[0.0, 0.5, 1.0], &half_turn);
    doc.channel(kick, 2, "rotation", "LINEAR", &[0.0, 0.5, 1.0], &half_turn);
    let imported = doc.import_with(&ImportOptions { rate_hz: Some(2.0), ..ImportOptions::default() }).unwrap();
    let sampling = clip(&imported, "kick").sampling().unwrap();
    assert_eq!(sampling.feet.joints, [2], "a hand is no foot");
    let [still_m, turns_m] = sampling.feet.errors_m[..] else { panic!("{sampling:?}") };
    assert!(still_m < 1e-6 && (turns_m - sampling.worst.error_m).abs() < 1e-6, "{sampling:?}");
}

#[test]
fn a_rate_that_is_too_low_is_seen_on_a_real_clip() {
    let options = |rate_hz| ImportOptions { rate_hz, ..ImportOptions::default() };
    let Some(detected) = import_corpus("fox/Fox.glb", &options(None)) else { return };
    let coarse = import_corpus("fox/Fox.glb", &options(Some(10.0))).unwrap();
    let run = |imported| clip(imported, "Run").sampling_error().unwrap().error_m;
    assert!(run(&coarse) > 0.02 && run(&detected) < 0.002, "{} {}", run(&coarse), run(&detected));
}

#[test]
fn keys_that_start_between_frames_keep_their_rate_and_every_key_is_a_sample() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let late = doc.animation("late");
    let times: Vec<f32> = (0..49).map(|k| (k as f64 / 24.0 + 1.0 / 30.0) as f32).collect();
    let values: Vec<f32> = (0..49).flat_map(|k| [(k * k) as f32 * 0.01, 0.0, 0.0]).collect();
    doc.channel(late, 0, "translation", "LINEAR", &times, &values);
    let imported = doc.import().unwrap();
    let found = clip(&imported, "late");
    assert_eq!(found.samples(), 49);
    assert!((found.grid().rate_hz() - 24.0).abs() < 1e-3, "{} Hz", found.grid().rate_hz());
    for k in 0..49 {
        assert!((found.at(k, 0).translation.x - (k * k) as f32 * 0.01).abs() < 1e-5, "key {k}");
    }
    assert!(found.sampling_error().unwrap().error_m < 1e-4, "{:?}", found.sampling_error());
    let said = imported.findings.iter().find(|f| f.subject == "late").unwrap();
    assert!(said.what.contains("24 Hz from 33.3 ms on") && said.meaning.contains("cut off"), "{said:?}");

    let kept = doc.import_with(&ImportOptions { rate_hz: Some(120.0), ..ImportOptions::default() }).unwrap();
    assert_eq!(clip(&kept, "late").samples(), 245, "with a chosen rate the whole clip is read");
}

#[test]
fn rotations_of_another_length_and_idle_tracks_are_told_with_place_and_effect() {
    let mut doc = Doc::new(json!([{ "name": "hip" }]));
    let walk = doc.animation("walk");
    let times = [0.0, 0.5, 1.0];
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.1], [0.6, 0.0, 0.0, 0.8]];
    doc.channel(walk, 0, "rotation", "LINEAR", &times, turns.as_flattened());
    doc.channel(walk, 0, "translation", "LINEAR", &times, &[0.0, 1.0, 0.0].repeat(3));
    let imported = doc.import().unwrap();
    let found = |what: &str| {
        let finding = imported.findings.iter().find(|finding| finding.what.contains(what));
        finding.unwrap_or_else(|| panic!("{what}: {:?}", imported.findings))
    };
    let length = found("not of length 1");
    assert_eq!(length.severity, Severity::Warning);
    assert!(length.what.contains("1 rotation") && length.what.contains("hip at 0.500 s: 1.1000"), "{length:?}");
    assert!(length.meaning.contains("21.0 %"), "1.1 squared: {length:?}");
    let idle = found("1 track with equal keys only");
    assert!(idle.subject == "walk" && idle.meaning.contains("24 B"), "two keys of three float32: {idle:?}");
    assert_eq!(imported.clips[0].at(12, 0).rotation.w, 1.0, "normalised");
}

#[test]
fn times_of_rotations_of_another_length_are_in_the_unit_of_the_file() {
    let mut doc = Doc::new(json!([{ "name": "hip" }]));
    let walk = doc.animation("walk");
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.1], [0.6, 0.0, 0.0, 0.8]];
    doc.channel(walk, 0, "rotation", "LINEAR", &[0.0, 500.0, 1000.0], turns.as_flattened());
    let options = ImportOptions { time_unit: Some(TimeUnit::Millisecond), ..Default::default() };
    let imported = doc.import_with(&options).unwrap();
    let finding = imported.findings.iter().find(|finding| finding.what.contains("not of length 1")).unwrap();
    assert!(finding.what.contains("hip at 0.500 s"), "{finding:?}");
}

#[test]
fn sampling_is_measured_on_rotations_of_length_one() {
    let mut doc =
        Doc::new(json!([{ "name": "hip", "children": [1] }, { "name": "knee", "translation": [0.0, 1.0, 0.0] }]));
    let walk = doc.animation("walk");
    let times: Vec<f32> = (0..31).map(|key| (f64::from(key) / 30.0) as f32).collect();
    let length = |key: usize| 1.0 + 0.009 * if key.is_multiple_of(2) { 1.0 } else { -1.0 };
    let turns = |length: &dyn Fn(usize) -> f32| -> Vec<f32> {
        let turn = |key: usize| (glam::Quat::from_rotation_x(key as f32 * 0.02) * length(key)).to_array();
        (0..31).flat_map(turn).collect()
    };
    doc.channel(walk, 0, "rotation", "LINEAR", &times, &turns(&length));
    let imported = doc.import().unwrap();
    assert!(imported.clips[0].sampling_error().unwrap().error_m < 1e-6, "{:?}", imported.clips[0].sampling_error());
    assert!(!imported.findings.iter().any(|f| f.what.contains("not of length 1")), "less than 1 %");
}

#[test]
fn lengths_of_cubic_rotations_that_are_off_are_told_and_tangents_are_no_rotations() {
    let mut doc = Doc::new(json!([{ "name": "hip" }]));
    let (good, bad) = (doc.animation("good"), doc.animation("bad"));
    for (clip, length) in [(good, 1.0), (bad, 1.05)] {
        let key = |angle: f32| [[0.3; 4], (glam::Quat::from_rotation_x(angle) * length).to_array(), [0.3; 4]].concat();
        doc.channel(clip, 0, "rotation", "CUBICSPLINE", &[0.0, 1.0], &[key(0.0), key(0.5)].concat());
    }
    let imported = doc.import().unwrap();
    let found: Vec<_> = imported.findings.iter().filter(|f| f.what.contains("not of length 1")).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].subject == "bad" && found[0].what.contains("hip") && found[0].what.contains("1.05"), "{found:?}");
}

/// The sampling rate of a clip of straight lines with keys at a rate.
fn keyed_hz(rate_hz: f64, mode: &str) -> f64 {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let wave = doc.animation("wave");
    let times: Vec<f32> = (0..40).map(|key| (f64::from(key) / rate_hz) as f32).collect();
    let value = |key: usize| [(key % 3) as f32 * 0.1, 0.0, 0.0];
    let values: Vec<f32> = match mode {
        "CUBICSPLINE" => (0..40).flat_map(|key| [[0.0; 3], value(key), [0.0; 3]].concat()).collect(),
        _ => (0..40).flat_map(value).collect(),
    };
    doc.channel(wave, 0, "translation", mode, &times, &values);
    let imported = doc.import().unwrap();
    let clip = &imported.clips[0];
    if mode == "LINEAR" {
        assert!(clip.sampling_error().unwrap().error_m < 1e-5, "{rate_hz} Hz: {:?}", clip.sampling_error());
        assert_eq!(clip.samples(), 40, "{rate_hz} Hz");
    }
    (clip.grid().rate_hz() * 1000.0).round() / 1000.0
}

#[test]
fn any_uniform_rate_of_keys_is_the_clips() {
    for rate_hz in [0.5, 1.0, 12.5, 15.0, 18.0, 36.0, 72.0, 75.0, 144.0, 200.0, 500.0, 1000.0] {
        assert_eq!(keyed_hz(rate_hz, "LINEAR"), rate_hz);
    }
    assert_eq!(keyed_hz(72.0, "CUBICSPLINE"), 72.0);
    let slow = keyed_hz(2.0, "CUBICSPLINE");
    assert!((24.0..=60.0).contains(&slow), "slow keys need more samples: {slow} Hz");
}

#[test]
fn keys_at_thirds_of_a_second_get_the_rate_that_loses_least_and_say_what_is_lost() {
    let times: Vec<f32> = (0..7).map(|key| key as f32 / 3.0).collect();
    let key = |at: usize| [[0.0; 3], [(at as f32 * 2.1).sin(), 0.0, 0.0], [0.0; 3]].concat();
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let wave = doc.animation("wave");
    doc.channel(wave, 0, "translation", "CUBICSPLINE", &times, &(0..7).flat_map(key).collect::<Vec<_>>());
    let lost_m = |rate_hz: Option<f32>| {
        let options = ImportOptions { rate_hz, ..Default::default() };
        let imported = doc.import_with(&options).unwrap();
        let lost = imported.clips[0].sampling_error().unwrap().error_m;
        (lost, imported.clips[0].grid().rate_hz(), imported.findings)
    };
    let (own_m, own_hz, findings) = lost_m(None);
    assert!([24.0, 30.0, 48.0, 60.0].into_iter().all(|rate: f32| own_m <= lost_m(Some(rate)).0 * 1.01), "{own_hz} Hz");
    let found: Vec<_> = findings.iter().filter(|found| found.what.contains("several sample rates")).collect();
    assert!(found.len() == 1 && found[0].meaning.contains("mm at a"), "{findings:?}");
    assert!(!lost_m(Some(30.0)).2.iter().any(|found| found.what.contains("several sample rates")), "a rate was given");
}
