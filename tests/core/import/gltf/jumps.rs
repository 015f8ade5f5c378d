//! Steps that files store as two keys: read, sampled, measured, written, and read again as steps.

use super::{clip, sampled};
use crate::import_support::{Doc, import_bytes, small_rig};
use glam::{Quat, Vec3};
use posepress_core::export::{ExportClip, ExportTarget, Exporter, Glb};
use posepress_core::import::{ImportOptions, Imported};
use posepress_core::model::{Channel, Clip, FloatHold, Hold};
use serde_json::json;

/// Times of the keys of a jump at 0.2 s, with several counts and distances.
const JUMPS_SECS: [&[f32]; 7] = [
    &[0.2, 0.2],
    &[0.199_999_99, 0.2],
    &[0.2, 0.200_000_02],
    &[0.1999, 0.2],
    &[0.2, 0.201],
    &[0.1995, 0.2, 0.2005],
    &[0.2, 0.2, 0.2],
];

/// Values of a channel before a jump, in the middle, and after.
fn values(path: &str) -> [Vec<f32>; 3] {
    match path {
        "translation" => [vec![0.0, 0.5, 0.0], vec![5.0, 5.0, 5.0], vec![0.3, 0.5, 0.0]],
        "scale" => [vec![1.0; 3], vec![9.0; 3], vec![1.5, 1.0, 1.0]],
        "weights" => [vec![0.0], vec![7.0], vec![1.0]],
        _ => [Quat::IDENTITY, Quat::from_rotation_y(2.0), Quat::from_rotation_z(1.2)].map(|q| q.to_array().to_vec()),
    }
}

/// The strip of two joints. A channel of one joint jumps, and the other joint nods.
fn jumping(path: &str, jump_secs: &[f32]) -> Doc {
    let mut doc = small_rig();
    doc.json["animations"] = json!([]);
    let step = doc.animation("step");
    let [before, middle, after] = values(path);
    let times = [&[0.0], jump_secs, &[0.3, 0.4]].concat();
    let keys = |key: usize| match key {
        0 | 1 => &before,
        key if key + 3 < times.len() => &middle,
        _ => &after,
    };
    let values: Vec<f32> = (0..times.len()).flat_map(keys).copied().collect();
    doc.channel(step, if path == "weights" { 2 } else { 1 }, path, "LINEAR", &times, &values);
    let times: Vec<f32> = (0..13).map(|key| (f64::from(key) / 30.0) as f32).collect();
    let nods = times.iter().flat_map(|t| Quat::from_rotation_x(0.4 * (5.0 * t).sin()).to_array());
    doc.channel(step, 0, "rotation", "LINEAR", &times, &nods.collect::<Vec<f32>>());
    doc
}

fn channel(path: &str) -> Option<Channel> {
    Channel::ALL.into_iter().find(|channel| channel.name() == path)
}

/// Checks that the jump is one step of one channel at sample 6, without loss.
fn assert_steps(imported: &Imported, path: &str, what: &str) {
    let clip = clip(imported, "step");
    assert_eq!(clip.samples(), 13, "{what}");
    match channel(path) {
        Some(channel) => assert_eq!(clip.holds(), [Hold { sample: 5, joint: 1, channel }], "{what}"),
        None => assert_eq!(clip.float_holds(), [FloatHold { sample: 5, track: 0 }], "{what}"),
    }
    assert_eq!(clip.holds().len() + clip.float_holds().len(), 1, "{what}");
    let [before, _, after] = values(path);
    for (time_secs, expected) in
        [(0.0, &before), (0.167, &before), (0.198, &before), (0.2, &after), (0.21, &after), (0.39, &after)]
    {
        let pose = sampled(clip, time_secs);
        let local = pose.joints[1];
        let off = match path {
            "translation" => local.translation.distance(Vec3::from_slice(expected)),
            "scale" => local.scale.distance(Vec3::from_slice(expected)),
            "weights" => (pose.floats[0] - expected[0]).abs(),
            _ => local.rotation.angle_between(Quat::from_slice(expected)),
        };
        assert!(off < 1e-3, "{what} at {time_secs} s: off by {off}");
    }
    let lost = clip.sampling_error().unwrap();
    assert!(lost.error_m < 1e-5, "{what}: {lost:?}");
    assert!(
        !imported.findings.iter().any(|f| f.what.contains("before a sample") || f.what.contains("no common")),
        "{what}"
    );
}

#[test]
fn keys_at_one_time_or_nearly_so_are_a_step_of_every_channel_and_stay_one_in_a_glb() {
    for path in ["translation", "rotation", "scale", "weights"] {
        for jump_secs in JUMPS_SECS {
            let what = format!("{path}, {jump_secs:?}");
            let imported = jumping(path, jump_secs).import().unwrap();
            assert_steps(&imported, path, &what);
            let raw = ExportClip::raw(clip(&imported, "step"));
            for tolerance_m in [0.0, 1e-4] {
                let mut clips = [ExportClip { tolerance_m, ..ExportClip::raw(raw.source) }];
                let bytes = Glb.export(&imported.rig, &mut clips, &ExportTarget::default()).unwrap();
                assert_steps(&import_bytes("glb", &bytes).unwrap(), path, &format!("{what}, written and read again"));
            }
        }
    }
}

fn root_of(times: &[f32], x: &[f32]) -> Clip {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let step = doc.animation("step");
    let values: Vec<f32> = x.iter().flat_map(|&x| [x, 0.0, 0.0]).collect();
    doc.channel(step, 0, "translation", "LINEAR", times, &values);
    doc.import_with(&ImportOptions { rate_hz: Some(30.0), ..ImportOptions::default() }).unwrap().clips.remove(0)
}

fn held(clip: &Clip) -> Vec<u32> {
    clip.holds().iter().map(|hold| hold.sample).collect()
}

#[test]
fn jumps_at_both_ends_several_and_off_the_grid_are_steps() {
    let first = root_of(&[0.0, 0.0, 1.0], &[5.0, 1.0, 1.0]);
    assert_eq!((held(&first), first.at(0, 0).translation.x), (vec![], 1.0), "nothing comes before a jump at the start");
    for start_secs in [0.999, 1.0] {
        let last = root_of(&[0.0, start_secs, 1.0], &[1.0, 1.0, 5.0]);
        assert_eq!((last.duration_secs(), held(&last), last.at(30, 0).translation.x), (1.0, vec![29], 5.0));
        assert!(last.sampling_error().unwrap().error_m < 1e-5);
    }
    let several = root_of(&[0.0, 0.2, 0.2, 0.4, 0.4, 0.8, 0.8, 1.0], &[0.0, 0.0, 1.0, 1.0, 0.5, 0.5, 2.0, 2.0]);
    assert_eq!(held(&several), [5, 11, 23]);
    assert!(several.sampling_error().unwrap().error_m < 1e-5);
    let off_grid = root_of(&[0.0, 0.21, 0.21, 1.0], &[0.0, 0.0, 1.0, 1.0]);
    assert_eq!(held(&off_grid), [6], "it plays at the next sample, as a stepped key does");
    assert_eq!(off_grid.at(7, 0).translation.x, 1.0);
}

#[test]
fn what_moves_up_to_a_jump_is_held_for_a_sample_and_what_does_not_jump_is_not() {
    let ramp = root_of(&[0.0, 0.5, 0.5, 1.0], &[0.0, 0.5, 8.0, 8.5]);
    assert_eq!(held(&ramp), [14]);
    let lost = ramp.sampling_error().unwrap();
    assert!((lost.error_m - 0.875 / 30.0).abs() < 1e-4, "what a sample's motion is, not the jump: {lost:?}");
    let walk = root_of(&[0.0, 0.5, 0.5, 1.0], &[0.0, 0.5, 0.5, 1.0]);
    assert_eq!(
        (held(&walk), walk.sampling_error().unwrap().error_m < 1e-5),
        (vec![], true),
        "a key that stands there twice"
    );
    let end = root_of(&[0.0, 0.9995, 1.0], &[0.0, 0.9995, 1.0]);
    assert!(held(&end).is_empty());
}

#[test]
fn every_key_may_jump() {
    let mut times = vec![0.0f32];
    let mut x = vec![0.0f32];
    for key in 1..13 {
        let time = (f64::from(key) / 12.0) as f32;
        times.extend([time.next_down(), time]);
        x.extend([*x.last().unwrap(), (key % 3) as f32]);
    }
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let step = doc.animation("step");
    doc.channel(step, 0, "scale", "LINEAR", &times, &x.iter().flat_map(|x| [1.0 + x; 3]).collect::<Vec<f32>>());
    let clip = doc.import().unwrap().clips.remove(0);
    assert!((clip.grid().rate_hz() - 24.0).abs() < 1e-3 && clip.holds().len() == 12, "{:?}", clip.holds());
    assert!(clip.sampling_error().unwrap().error_m < 1e-5);
}

#[test]
fn cubics_and_stepped_keys_are_what_they_were() {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let (cubic, step) = (doc.animation("cubic"), doc.animation("stepped"));
    let key = |x: f32| [[0.0; 3], [x, 0.0, 0.0], [0.0; 3]].concat();
    let keys = [0.0, 1.0, 5.0, 5.0].map(key).concat();
    doc.channel(cubic, 0, "translation", "CUBICSPLINE", &[0.0, 0.4999, 0.5, 1.0], &keys);
    let keys = [0.0, 1.0, 5.0, 5.0].map(|x| [x, 0.0, 0.0]).concat();
    doc.channel(step, 0, "translation", "STEP", &[0.0, 0.4999, 0.5, 1.0], &keys);
    let imported = doc.import_with(&ImportOptions { rate_hz: Some(30.0), ..ImportOptions::default() }).unwrap();
    assert!(held(clip(&imported, "cubic")).is_empty());
    assert_eq!(held(clip(&imported, "stepped")), [14, 29]);
}

#[test]
fn stepped_morph_weights_are_steps() {
    let mut doc = small_rig();
    doc.json["animations"] = json!([]);
    let blink = doc.animation("blink");
    doc.channel(blink, 2, "weights", "STEP", &[0.0, 0.5, 0.6, 1.0], &[0.0, 1.0, 0.25, 0.25]);
    doc.channel(blink, 0, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let imported = doc.import_with(&ImportOptions { rate_hz: Some(30.0), ..ImportOptions::default() }).unwrap();
    let source = clip(&imported, "blink");
    let samples: Vec<u32> = source.float_holds().iter().map(|hold| hold.sample).collect();
    assert_eq!(samples, [14, 17, 29]);
    for (time_secs, weight) in [(0.49, 0.0), (0.5, 1.0), (0.59, 1.0), (0.61, 0.25)] {
        assert_eq!(sampled(source, time_secs).floats[0], weight, "at {time_secs} s");
    }
}
