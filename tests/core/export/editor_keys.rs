//! Few keys for editing: those of the source as they are, or those of a baked clip.

use glam::{Quat, Vec3, Vec4};
use posepress_core::export::{
    EditorCurve, EditorKeys, ExportClip, ExportKeys, ExportOptions, ExportTarget, Exported, Glb, editor_keys,
    export_measured,
};
use posepress_core::import::import_bytes;
use posepress_core::math::Transform;
use posepress_core::model::*;

const TOLERANCE_M: f32 = 1e-4;
const SAMPLES: usize = 121;
/// Keys of the source, in samples. Some gaps are short.
const KEYS: [usize; 9] = [0, 9, 18, 30, 52, 60, 75, 99, 120];

/// Twelve joints of 0.2 m, one below the other.
fn rig() -> Rig {
    let joint = |at: usize| Joint {
        name: format!("joint{at}"),
        parent: at.checked_sub(1),
        bind: Transform::from_translation(Vec3::new(0.0, 0.2, 0.0)),
    };
    Rig::from_skeleton("rig", Skeleton::new((0..12).map(joint).collect()).unwrap())
}

/// The interval of a sample between [`KEYS`], with the weights of value, tangent, value, tangent.
fn weights(sample: usize) -> ([usize; 2], [f32; 4]) {
    let section = KEYS.partition_point(|key| *key <= sample).clamp(1, KEYS.len() - 1) - 1;
    let [a, b] = [KEYS[section], KEYS[section + 1]];
    let t = (sample - a) as f32 / (b - a) as f32;
    let (t2, t3) = (t * t, t * t * t);
    ([section, section + 1], [2.0 * t3 - 3.0 * t2 + 1.0, t3 - 2.0 * t2 + t, 3.0 * t2 - 2.0 * t3, t3 - t2])
}

/// A curve of cubics between [`KEYS`]. Its tangents break at every second key.
fn cubic(sample: usize, phase: f32) -> f32 {
    let ([a, b], [wa, out, wb, into]) = weights(sample);
    let value = |key: usize| (key as f32 * 1.3 + phase).sin();
    let tangent =
        |key: usize, side: f32| (key as f32 * 0.7 + phase).cos() * if key.is_multiple_of(2) { 1.5 } else { side };
    value(a) * wa + tangent(a, 2.0) * out + value(b) * wb + tangent(b, -1.0) * into
}

/// A rotation with keys of length one and tangents of any length, as in a glTF.
fn turn(sample: usize) -> Quat {
    let ([a, b], [wa, out, wb, into]) = weights(sample);
    let phases = [0.5, 1.5, 2.5, 3.5];
    let value = |key: usize| {
        let [x, y, z, w] = phases.map(|phase| 0.3 * (key as f32 * 1.1 + phase).sin());
        Vec4::new(x, y, z, 1.0 + w).normalize()
    };
    let tangent = |key: usize| Vec4::from_array(phases.map(|phase| 0.4 * (key as f32 * 0.9 + phase).cos()));
    Quat::from_vec4((value(a) * wa + tangent(a) * out + value(b) * wb + tangent(b) * into).normalize())
}

/// The root moves by metres within a few samples; joints near it move a long chain.
fn clip(keyed: bool) -> Clip {
    let rig = rig();
    let pose = |sample: usize| {
        let mut pose = rig.skeleton.bind_pose(0).joints;
        pose[0].translation += Vec3::new(cubic(sample, 0.0), cubic(sample, 1.0), 0.0);
        pose[1].translation.x = 0.3 * cubic(sample, 2.0);
        pose[2].rotation = turn(sample);
        pose
    };
    let data = ClipData {
        name: "jump".into(),
        joints: rig.skeleton.len(),
        duration_secs: 4.0,
        transforms: (0..SAMPLES).flat_map(pose).collect(),
        float_tracks: 0,
        floats: vec![],
        holds: vec![],
        looping: Some(false),
    };
    let keys = |joint, channel| TrackKeys { joint, channel, samples: KEYS.iter().map(|key| *key as u32).collect() };
    Clip::new(data).unwrap().with_keys(if keyed {
        vec![keys(0, Channel::Translation), keys(1, Channel::Translation), keys(2, Channel::Rotation)]
    } else {
        vec![]
    })
}

fn count(keys: &[EditorKeys]) -> usize {
    keys.iter().map(|channel| channel.places.len()).sum()
}

/// The value of a channel at a sample.
fn value(keys: &EditorKeys, sample: f64) -> Vec3 {
    let next = keys.places.partition_point(|place| *place <= sample).clamp(1, keys.places.len() - 1);
    let [a, b] = [next - 1, next];
    let span = (keys.places[b] - keys.places[a]) as f32;
    let t = (sample - keys.places[a]) as f32 / span;
    let (t2, t3) = (t * t, t * t * t);
    let sum = keys.values[a] * (2.0 * t3 - 3.0 * t2 + 1.0)
        + keys.tangents[a][1] * span * (t3 - 2.0 * t2 + t)
        + keys.values[b] * (3.0 * t2 - 2.0 * t3)
        + keys.tangents[b][0] * span * (t3 - t2);
    sum.truncate()
}

#[test]
fn cubics_of_the_source_stay_as_they_are_near_a_fast_root() {
    let clip = clip(true);
    let keys = editor_keys(&rig(), &clip, TOLERANCE_M, 0.03).unwrap();
    assert_eq!(count(&keys), 3 * KEYS.len(), "the keys of the source, and no other");
    for channel in &keys {
        assert_eq!((channel.curve, &*channel.places), (EditorCurve::Cubic, &KEYS.map(|key| key as f64)[..]));
    }
    for channel in keys.iter().filter(|channel| channel.channel == Channel::Translation) {
        for sample in 0..SAMPLES {
            let error_m = value(channel, sample as f64).distance(clip.at(sample, channel.joint).translation);
            assert!(error_m <= TOLERANCE_M, "sample {sample}: {error_m}");
        }
    }
}

#[test]
fn a_baked_clip_gets_few_keys_within_the_tolerance() {
    let clip = clip(false);
    let keys = editor_keys(&rig(), &clip, TOLERANCE_M, 0.03).unwrap();
    assert!(count(&keys) < SAMPLES, "{}", count(&keys));
    let moved = |channel: &&EditorKeys| channel.curve == EditorCurve::Cubic && channel.channel == Channel::Translation;
    for channel in keys.iter().filter(moved) {
        for sample in 0..SAMPLES {
            let error_m = value(channel, sample as f64).distance(clip.at(sample, channel.joint).translation);
            assert!(error_m <= TOLERANCE_M, "sample {sample}: {error_m}");
        }
    }
}

fn exported(rig: &Rig, clip: &Clip) -> Exported {
    let options = ExportOptions { keys: ExportKeys::Editable, ..Default::default() };
    let mut clips = [ExportClip { tolerance_m: TOLERANCE_M, ..ExportClip::raw(clip) }];
    export_measured(&Glb, rig, &mut clips, &ExportTarget { options, origin: None }).unwrap()
}

#[test]
fn a_file_with_keys_for_editing_keeps_the_cubics_of_the_source() {
    let bytes = exported(&rig(), &clip(true)).bytes;
    let back = import_bytes("jump.glb".as_ref(), &bytes, &Default::default()).unwrap();
    let keys = back.clips[0].keys();
    assert_eq!(keys.len(), 3);
    for track in keys {
        assert_eq!(track.samples, KEYS.map(|key| key as u32), "joint {}", track.joint);
    }
}

#[test]
fn a_file_with_keys_for_editing_holds_the_tolerance_between_the_samples_of_a_baked_clip() {
    let report = &exported(&rig(), &clip(false)).clips[0].report;
    let errors_m = [&report.samples, &report.between].map(|part| part.stats.max_m);
    // Float32 numbers of a root that moves metres add a little.
    assert!(errors_m.iter().all(|error_m| *error_m <= 1.1 * TOLERANCE_M), "{errors_m:?}");
}

#[test]
fn a_jump_of_one_sample_does_not_swing() {
    let rig = rig();
    let pose = |sample: usize| {
        let mut pose = rig.skeleton.bind_pose(0).joints;
        pose[3].rotation = Quat::from_rotation_z(if sample < 20 { 0.2 } else { 1.2 });
        pose
    };
    let data = ClipData {
        name: "jump".into(),
        joints: rig.skeleton.len(),
        duration_secs: 1.0,
        transforms: (0..31).flat_map(pose).collect(),
        float_tracks: 0,
        floats: vec![],
        holds: vec![],
        looping: Some(false),
    };
    let keys = editor_keys(&rig, &Clip::new(data).unwrap(), TOLERANCE_M, 0.03).unwrap();
    assert!(count(&keys) <= 6, "{keys:?}");
}
