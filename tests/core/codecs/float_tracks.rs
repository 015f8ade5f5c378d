//! Morph weights and other float tracks: smaller, within their limits on the mesh, and exact where they are zero.

use crate::codec_fixtures::{Noise, clip_of, weights};
use crate::codecs::allocation::allocated;
use crate::project::corpus;
use crate::written;
use glam::{Affine3A, Quat, Vec2, Vec3};
use posepress_core::codecs::{CODECS, ParamValues, Progress, Section, Source, encode_clip, encoders, open_clip};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::math::Transform;
use posepress_core::metrics::float_limits;
use posepress_core::model::{
    Clip, ClipSampler, FloatHold, Joint, ModelPose, MorphTarget, Pose, Rig, Sampler, Skeleton, SkinJoint, SkinnedMesh,
    raw_bytes,
};
use posepress_core::pipeline::{Archive, MeasuredClip, Outcome, compress};
use posepress_core::recipe::Recipe;
use proptest::prelude::*;
use std::sync::Arc;

const TRACKS: usize = 20;
const SAMPLES: usize = 121;
const VERTICES: usize = 60;

/// A head of two joints, with the jaw scaled by two. Each track has a morph target that moves a third of the vertices by up to 3 cm.
fn head() -> Rig {
    let mut noise = Noise(5);
    let joint = |name: &str, parent, y| {
        let bind = Transform::from_translation(Vec3::new(0.0, y, 0.0));
        Joint { name: name.into(), parent, bind }
    };
    let skeleton = Skeleton::new(vec![joint("head", None, 1.6), joint("jaw", Some(0), -0.1)]).unwrap();
    let positions: Vec<Vec3> = (0..VERTICES).map(|_| noise.vec3() * 0.1).collect();
    let target = |float_track| MorphTarget {
        name: format!("shape{float_track}"),
        float_track,
        positions: (0..VERTICES)
            .map(|v| if (v + float_track) % 3 == 0 { noise.vec3() * 0.03 } else { Vec3::ZERO })
            .collect(),
        normals: Vec::new(),
    };
    let targets = (0..TRACKS).map(target).collect();
    let bound = |joint| SkinJoint { joint, joint_from_mesh: Affine3A::IDENTITY };
    let mesh = SkinnedMesh {
        name: "face".into(),
        palette: vec![bound(0), bound(1)],
        normals: vec![Vec3::Z; VERTICES],
        uvs: vec![Vec2::ZERO; VERTICES],
        colors: vec![[1.0; 4]; VERTICES],
        influences: vec![[0, 1, 0, 0]; VERTICES],
        weights: (0..VERTICES).map(|v| if v % 2 == 0 { [0.3, 0.7, 0.0, 0.0] } else { [1.0, 0.0, 0.0, 0.0] }).collect(),
        triangles: (0..VERTICES as u32 - 2).map(|v| [v, v + 1, v + 2]).collect(),
        targets,
        positions,
        material: None,
    };
    let float_names = (0..TRACKS).map(|track| format!("shape{track}")).collect();
    Rig { meshes: vec![mesh], float_names, ..Rig::from_skeleton("head", skeleton) }
}

/// A weight of a talking face: some never move, some blink, some rise, hold and fall, some vary all the time.
fn weight(track: usize, sample: usize) -> f32 {
    let t = sample as f32 / (SAMPLES - 1) as f32;
    match track % 4 {
        0 if track.is_multiple_of(8) => 0.0,
        0 => {
            if (sample + track) % 40 < 3 && sample > 3 {
                1.0
            } else {
                0.0
            }
        }
        1 => ((0.5 - (t - 0.5).abs()) * 4.0 - 0.3 - 0.02 * track as f32).clamp(0.0, 1.0),
        2 => 0.5 + 0.4 * (t * std::f32::consts::TAU * (1 + track / 4) as f32).sin() * (t * 3.0).cos().abs().min(t),
        _ => (0.8 * (t * 25.0 + track as f32).sin()).max(0.0) * (1.0 - t) * t * 4.0,
    }
}

/// A talking and nodding face.
fn talk(rig: &Rig) -> Clip {
    let mut data = clip_of(&rig.skeleton, SAMPLES, |sample, joint| {
        let nod = (sample as f32 / (SAMPLES - 1) as f32 * std::f32::consts::TAU).sin() * 0.2;
        let scale = Vec3::splat(if joint == 1 { 2.0 } else { 1.0 });
        Transform { rotation: Quat::from_rotation_x(nod), scale, ..rig.skeleton.bind(joint) }
    });
    data.float_tracks = TRACKS;
    data.floats = (0..SAMPLES).flat_map(|s| (0..TRACKS).map(move |track| weight(track, s))).collect();
    data.looping = Some(true);
    Clip::new(data).unwrap()
}

fn compressed(rig: &Rig, clip: &Clip, recipe: &Recipe) -> Outcome {
    let measured = MeasuredClip::new(Arc::new(rig.clone()), Arc::new(clip.clone()), recipe);
    compress(&measured, recipe, &Progress::new()).unwrap()
}

/// Largest distance that the error of the weights alone moves a vertex, at any sample, metres.
fn moved_m(rig: &Rig, clip: &Clip, outcome: &Outcome) -> f32 {
    let mut sampler = outcome.sampler();
    let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
    let mut worst = 0.0f32;
    for sample in 0..clip.samples() {
        sampler.sample(sample as f64, &mut pose);
        let model = ModelPose::new(&rig.skeleton, clip.pose(sample)).joints;
        for mesh in &rig.meshes {
            for vertex in 0..mesh.positions.len() {
                let place = |floats: &[f32]| mesh.skin_vertex(vertex, &model, floats);
                worst = worst.max(place(clip.floats(sample)).distance(place(&pose.floats)));
            }
        }
    }
    worst
}

/// Checks that exact zeros and ones are kept, and that a clip with equal ends has equal ends after decoding.
fn assert_keeps_what_is_exact(clip: &Clip, outcome: &Outcome, what: &str) {
    let mut sampler = outcome.sampler();
    let mut poses = vec![Pose::with_size(clip.joints(), clip.float_tracks()); clip.samples()];
    poses.iter_mut().enumerate().for_each(|(sample, pose)| sampler.sample(sample as f64, pose));
    for (sample, pose) in poses.iter().enumerate() {
        for (track, (raw, decoded)) in clip.floats(sample).iter().zip(&pose.floats).enumerate() {
            assert!(*raw != 0.0 || *decoded == 0.0, "{what}: {decoded} for zero, track {track} at sample {sample}");
        }
    }
    let last = clip.samples() - 1;
    for track in (0..clip.float_tracks()).filter(|track| clip.floats(0)[*track] == clip.floats(last)[*track]) {
        assert_eq!(poses[0].floats[track], poses[last].floats[track], "{what}: seam of track {track}");
    }
}

fn float_bytes(outcome: &Outcome) -> u64 {
    let rows = outcome.encoding().unwrap().encoded.ledger.rows();
    rows.iter().filter(|row| row.section == Section::Floats).map(|row| row.bits).sum::<u64>() / 8
}

#[test]
fn every_codec_keeps_a_face_within_the_tolerance() {
    let rig = head();
    let clip = talk(&rig);
    let raw_floats = (raw_bytes(0, TRACKS, SAMPLES)) as u64;
    for codec in CODECS.iter().filter(|codec| codec.encoder().is_some()) {
        for tolerance_m in [0.0001, 0.001] {
            let outcome = compressed(&rig, &clip, &Recipe { tolerance_m, ..Recipe::of(*codec) });
            let what = format!("{} at {tolerance_m} m", codec.name());
            let (bytes, moved_m) = (float_bytes(&outcome), moved_m(&rig, &clip, &outcome));
            assert!(outcome.report.floats.is_same(), "{what}: {:?}", outcome.report.floats);
            assert_keeps_what_is_exact(&clip, &outcome, &what);
            println!("{what}: {bytes} of {raw_floats} bytes, vertices moved by {moved_m} m");
            if codec.name() == "raw" {
                assert_eq!((moved_m, outcome.report.floats.max), (0.0, 0.0), "{what}");
                continue;
            }
            assert!(moved_m <= tolerance_m * 1.001 + 1e-7, "{what}: vertices moved by {moved_m} m");
            assert!(moved_m > 0.05 * tolerance_m, "{what}: {moved_m} m of the tolerance is used");
            assert!(bytes * 4 < raw_floats, "{what}: {bytes} of {raw_floats} bytes");
        }
    }
}

#[test]
fn ones_stay_ones_where_every_sample_is_stored() {
    let rig = head();
    let clip = talk(&rig);
    let outcome = compressed(&rig, &clip, &Recipe::chosen("quantize").unwrap());
    let mut sampler = outcome.sampler();
    let mut pose = Pose::with_size(2, TRACKS);
    let mut seen = 0;
    for sample in 0..SAMPLES {
        sampler.sample(sample as f64, &mut pose);
        for track in (0..TRACKS).filter(|track| track % 4 == 0 && clip.floats(sample)[*track] == 1.0) {
            assert_eq!(pose.floats[track], 1.0, "track {track} at sample {sample}");
            seen += 1;
        }
    }
    assert!(seen > 10, "only {seen} ones");
}

#[test]
fn limits_share_the_tolerance_of_a_vertex_and_count_what_moves() {
    let rig = head();
    let clip = talk(&rig);
    let limits = float_limits(&rig, &clip, 0.001, 0.25);
    let mesh = &rig.meshes[0];
    for vertex in 0..VERTICES {
        let off = mesh.targets.iter().filter(|t| t.float_track % 8 != 0);
        let sum_m: f32 = off.map(|t| t.positions[vertex].length() * limits[t.float_track]).sum();
        assert!(2.0 * sum_m <= 0.001 * 1.001, "vertex {vertex} by {} m", 2.0 * sum_m);
    }
    assert!([0, 8, 16].iter().all(|track| limits[*track] == 0.25), "tracks that stand still have no part");
    let bald = Rig { meshes: Vec::new(), ..rig };
    assert_eq!(float_limits(&bald, &clip, 0.001, 0.25), vec![0.25; TRACKS]);
}

#[test]
fn a_weight_that_jumps_jumps_when_it_comes_out_of_a_container() {
    let rig = head();
    // The weight is one at samples 36 to 38.
    let steps: Vec<FloatHold> = [35u32, 38].map(|sample| FloatHold { sample, track: 4 }).to_vec();
    let clip = talk(&rig).with_float_holds(steps.clone());
    for codec in ["press", "linear-keys", "quantize"] {
        let outcome = compressed(&rig, &clip, &Recipe::chosen(codec).unwrap());
        let bytes = written::archive(&rig, &[("talk", &outcome)]);
        let archive = Archive::open(&bytes, Some(&rig)).unwrap();
        let read = archive.decode(&archive.clips()[0]).unwrap();
        assert_eq!(read.float_holds(), steps, "{codec}");
        let weight = |place: f64| {
            let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
            ClipSampler::new(&read).sample(place, &mut pose);
            pose.floats[4]
        };
        let found = [35.0, 35.9, 36.0, 38.0, 38.9, 39.0].map(weight);
        let wanted = [0.0, 0.0, 1.0, 1.0, 1.0, 0.0];
        assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 0.01), "{codec}: {found:?}");
    }
}

#[test]
fn without_a_mesh_the_plain_tolerance_holds() {
    let rig = Rig { meshes: Vec::new(), ..head() };
    let clip = talk(&rig);
    let of = |float_tolerance| compressed(&rig, &clip, &Recipe { float_tolerance, ..Recipe::chosen("press").unwrap() });
    let (coarse, fine) = (of(0.01), of(0.0001));
    assert!(coarse.report.floats.max <= 0.01 * 1.001 && fine.report.floats.max <= 0.0001 * 1.001);
    assert!(coarse.report.floats.max > 0.001, "{:?}", coarse.report.floats);
    assert!(float_bytes(&coarse) < float_bytes(&fine), "{} and {}", float_bytes(&coarse), float_bytes(&fine));
    assert!(fine.ratio(&clip) > 1.0 && clip.raw_bytes() == clip.raw_joint_bytes() + 4 * TRACKS * SAMPLES);
}

#[test]
fn damaged_float_tracks_are_refused_or_give_numbers() {
    let fixture = weights();
    let (bind, mut noise) = (fixture.bind(), Noise(23));
    let codec = encoders().find(|codec| codec.name() == "quantize").unwrap();
    for limits in [[1e-4, 1e-3], [0.02, 0.3]] {
        let bytes = fixture.with_source(|source| {
            let source = Source { float_limits: &limits, ..*source };
            encode_clip(codec, &source, &ParamValues::new(), &Progress::new()).unwrap().bytes
        });
        let (mut opened, mut refused) = (0, 0);
        for len in 0..bytes.len() {
            assert!(open_clip(codec, &bytes[..len], &bind).is_err(), "{len} of {} bytes", bytes.len());
        }
        for _ in 0..4000 {
            let mut damaged = bytes.clone();
            let bit = noise.bits() as usize % (8 * bytes.len());
            damaged[bit / 8] ^= 1 << (bit % 8);
            let Ok((header, mut sampler)) = open_clip(codec, &damaged, &bind) else {
                refused += 1;
                continue;
            };
            opened += 1;
            let mut pose = Pose::with_size(header.joints, header.float_tracks);
            let last = (header.grid.samples() - 1) as f64;
            for at in [0.0, 0.3, last / 2.0, last / 2.0 + 0.6, last - 0.5, last] {
                sampler.sample(at, &mut pose);
                assert!(pose.floats.iter().all(|value| value.is_finite()), "bit {bit} at {at}: {:?}", pose.floats);
            }
        }
        assert!(opened > 500 && refused > 100, "{opened} opened, {refused} refused");
    }
}

#[test]
fn sampling_whole_steps_and_keys_allocates_nothing() {
    let rig = head();
    let clip = talk(&rig);
    let outcome = compressed(&rig, &clip, &Recipe::chosen("linear-keys").unwrap());
    let opened = &outcome.encoding().unwrap().opened;
    let mut floats = vec![0.0; TRACKS];
    let (_, calls, ()) = allocated(|| {
        for step in (0..4 * (SAMPLES - 1)).rev() {
            opened.sample_floats(step as f64 / 4.0, &mut floats);
        }
    });
    assert_eq!(calls, 0);
}

#[test]
fn morph_weights_of_the_corpus_keep_the_tolerance() {
    let Some(path) = corpus("ufbx/blender_293_barbarian_7400_binary.fbx") else { return };
    let file = import_file(&path, &ImportOptions::default()).unwrap();
    let mut seen = 0;
    for clip in file.clips.iter().filter(|clip| clip.float_tracks() > 0) {
        for codec in CODECS.iter().filter(|codec| codec.encoder().is_some()) {
            let recipe = Recipe::of(*codec);
            let outcome = compressed(&file.rig, clip, &recipe);
            let (bytes, moved_m) = (float_bytes(&outcome), moved_m(&file.rig, clip, &outcome));
            println!("{} {}: {bytes} bytes of floats, {moved_m} m", clip.name(), codec.name());
            assert!(moved_m <= recipe.tolerance_m * 1.001 + 1e-6, "{} {}: {moved_m} m", clip.name(), codec.name());
            assert_keeps_what_is_exact(clip, &outcome, codec.name());
            seen += 1;
        }
    }
    assert!(seen > 0, "no clip has morph weights");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Any numbers, any limit: the decoded value is within the limit at samples. Between samples it is on the line or within
    /// the limit of it.
    #[test]
    fn any_track_stays_within_its_limit(
        values in prop::collection::vec(prop_oneof![2 => Just(0.0f32), 1 => Just(1.0f32), 6 => -3.0f32..3.0, 1 => -1e30f32..1e30], 2..90),
        limit in prop_oneof![Just(0.0f32), 1e-9f32..1e-3, 1e-3f32..2.0, 1.0f32..1e30],
    ) {
        let skeleton = weights().skeleton;
        let mut data = clip_of(&skeleton, values.len(), |_, joint| skeleton.bind(joint));
        (data.float_tracks, data.floats) = (1, values.clone());
        let clip = Clip::new(data).unwrap();
        let source = Source { float_limits: &[limit], ..Source::new(&skeleton, &clip, 1e-4, &[0.03; 2]) };
        let codec = encoders().find(|codec| codec.name() == "quantize").unwrap();
        let bytes = encode_clip(codec, &source, &ParamValues::new(), &Progress::new()).unwrap().bytes;
        let bind: Vec<Transform> = skeleton.joints().iter().map(|joint| joint.bind).collect();
        let (header, mut sampler) = open_clip(codec, &bytes, &bind).unwrap();
        let (mut raw, mut pose) = (Pose::with_size(2, 1), Pose::with_size(2, 1));
        for at in header.grid.steps(4) {
            clip.sample(at, &mut raw);
            sampler.sample(at, &mut pose);
            let (a, b) = (f64::from(raw.floats[0]), f64::from(pose.floats[0]));
            let slack = if at.fract() == 0.0 { 0.0 } else { 1e-6 * values.iter().fold(0.0f64, |m, v| m.max(f64::from(v.abs()))) };
            prop_assert!((a - b).abs() <= f64::from(limit) * (1.0 + 1e-6) + slack, "{} for {} at {}, limit {}", b, a, at, limit);
            prop_assert!(at.fract() != 0.0 || a != 0.0 || b == 0.0, "{} for zero at {}", b, at);
        }
    }
}
