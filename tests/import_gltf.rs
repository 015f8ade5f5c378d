//! The glTF reader on the corpus, and on small documents against the formulas of the specification.

mod import_support;

use glam::{DQuat, DVec3, Mat4, Quat, Vec3};
use import_support::{Doc, corpus, import_bytes, import_corpus, importer, small_rig};
use posepress::import::{ImportOptions, Imported, LengthUnit, Severity, UpAxis};
use posepress::math::Transform;
use posepress::model::{Channel, Clip, ModelPose, Pose};
use serde_json::{Value, json};
use std::path::Path;

fn at_30_hz() -> ImportOptions {
    ImportOptions { rate_hz: Some(30.0), ..ImportOptions::default() }
}

fn clip<'a>(imported: &'a Imported, name: &str) -> &'a Clip {
    imported.clips.iter().find(|c| c.name() == name).unwrap()
}

fn sampled(clip: &Clip, time_secs: f32) -> Pose {
    let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
    clip.sample(time_secs, &mut pose);
    pose
}

#[test]
fn knight_has_76_clips_on_42_joints_with_all_its_meshes() {
    let Some(knight) = import_corpus("kaykit/Knight.glb", &ImportOptions::default()) else { return };
    assert_eq!(knight.clips.len(), 76);
    assert_eq!(knight.rig.skeleton.len(), 42);
    assert_eq!(knight.rig.skeleton.name(0), "Rig");
    assert_eq!(knight.rig.meshes.len(), 15);
    assert_eq!(knight.rig.meshes.iter().filter(|m| m.palette.len() == 41).count(), 6);
    assert_eq!(knight.rig.meshes.iter().filter(|m| m.palette.len() == 1).count(), 9);
    let image = &knight.rig.images[knight.rig.materials[0].base_color_image.unwrap()];
    assert_eq!(image.rgba.len(), image.width as usize * image.height as usize * 4);
    assert!(clip(&knight, "Walking_A").is_looping());
    for clip in knight.clips.iter().filter(|c| c.samples() > 1) {
        assert!((clip.grid().rate_hz() - 30.0).abs() < 1e-3, "{}: {} Hz", clip.name(), clip.grid().rate_hz());
    }
    assert!(knight.findings.iter().all(|f| f.severity == Severity::Note), "{:#?}", knight.findings);
}

#[test]
fn sample_counts_at_30_hz_match_the_reference() {
    let Some(baseline) = corpus("../reference/acl_baseline.csv") else { return };
    let baseline = std::fs::read_to_string(baseline).unwrap();
    let mut checked = 0;
    for file in ["kaykit/Knight.glb", "fox/Fox.glb", "cesium_man/cesium_man.gltf"] {
        let Some(imported) = import_corpus(file, &at_30_hz()) else { return };
        for line in baseline.lines().filter(|l| l.starts_with(file)) {
            let fields: Vec<&str> = line.split(',').collect();
            let name = fields[0].split_once('#').unwrap().1;
            let clip = imported.clips.iter().find(|c| c.name() == name).unwrap_or(&imported.clips[0]);
            assert_eq!(clip.joints(), fields[1].parse::<usize>().unwrap(), "{line}");
            assert_eq!(clip.samples(), fields[2].parse::<usize>().unwrap(), "{line}");
            checked += 1;
        }
    }
    assert_eq!(checked, 76 + 3 + 1);
}

#[test]
fn fox_is_found_to_be_in_centimetres_and_at_24_hz() {
    let Some(fox) = import_corpus("fox/Fox.glb", &ImportOptions::default()) else { return };
    assert_eq!((fox.rig.skeleton.len(), fox.clips.len()), (25, 3));
    // The run was put together from two pieces of 24 Hz with a gap of 4.8 frames: its keys lie on 120 Hz.
    for (name, rate_hz) in [("Survey", 24.0), ("Walk", 24.0), ("Run", 120.0)] {
        let found = clip(&fox, name).grid().rate_hz();
        assert!((found - rate_hz).abs() < 1e-3, "{name}: {found} Hz");
    }
    assert!(fox.findings.iter().any(|f| f.subject == "Run" && f.what.contains("the file's rate is 24 Hz")));
    let unit = fox.findings.iter().find(|f| f.severity == Severity::Decide).unwrap();
    assert!(unit.meaning.contains("Read the file as centimetres?"), "{unit:?}");
    // No normals in the file: they are made, of unit length.
    assert!(fox.rig.meshes[0].normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-5));

    let options = ImportOptions { unit: Some(LengthUnit::Centimetre), ..ImportOptions::default() };
    let small = import_corpus("fox/Fox.glb", &options).unwrap();
    assert!(small.findings.iter().all(|f| f.severity != Severity::Decide));
    // Everything shrinks alike: the skinned vertices of any pose are those of the large fox, a hundred times smaller.
    let skinned = |fox: &Imported, sample: usize, vertex: usize| {
        let pose = ModelPose::new(&fox.rig.skeleton, fox.clips[0].pose(sample));
        fox.rig.meshes[0].skin_vertex(vertex, &pose.joints, &[])
    };
    for (sample, vertex) in [(0, 0), (17, 500), (60, 1500)] {
        let (large, small) = (skinned(&fox, sample, vertex), skinned(&small, sample, vertex));
        assert!((large * 0.01 - small).length() < 1e-5, "{large} and {small}");
    }
}

#[test]
fn cesium_man_has_21_joints_named_after_their_nodes() {
    let Some(man) = import_corpus("cesium_man/cesium_man.gltf", &ImportOptions::default()) else { return };
    assert_eq!((man.rig.skeleton.len(), man.clips.len()), (21, 1));
    assert_eq!(man.clips[0].name(), "animation_0");
    assert!(man.rig.meshes[0].palette.len() == 19);
    assert_eq!(man.rig.images.len(), 1);
    // Its nodes turn Z up into Y up, so the skinned man stands.
    let bind = Pose::bind(&man.rig.skeleton, 0);
    let pose = ModelPose::new(&man.rig.skeleton, &bind.joints);
    let mesh = &man.rig.meshes[0];
    let skinned = (0..mesh.positions.len()).map(|v| mesh.skin_vertex(v, &pose.joints, &[]));
    let (low, high) = skinned.fold((Vec3::MAX, Vec3::MIN), |(l, h), p| (l.min(p), h.max(p)));
    let size = high - low;
    assert!(size.y > 1.3 && size.y > size.x && size.y > size.z, "{size}");
}

/// The interpolations of glTF 2.0, appendix C, written down a second time, in f64 and straight from the page.
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
            // A key within a thousandth of a sample is that key.
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
    // The clip named "Linear Scale" really holds a cubic spline: eight kinds are in the file, and the ninth below.
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
    doc.channel(odd, 0, "translation", "LINEAR", &strange, &at(&strange));
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
    doc.channel(sparse, 0, "scale", "LINEAR", &[0.0, 1.0], &[1.0; 6]); // alone it could pass for 24 Hz
    let imported = doc.import().unwrap();
    assert_eq!(clip(&imported, "sparse").samples(), 61);
}

#[test]
fn matrices_are_split_and_animated_nodes_bring_their_ancestors() {
    let local = Transform {
        rotation: Quat::from_rotation_z(0.5),
        translation: Vec3::new(1.0, 2.0, 3.0),
        scale: Vec3::new(1.0, 2.0, 0.5),
    };
    let matrix = Mat4::from(local.to_affine()).to_cols_array();
    let mut doc = Doc::new(json!([
        { "name": "leaf" }, { "name": "idle", "children": [3] }, { "children": [4, 1], "matrix": matrix },
        { "name": "below idle" }, { "name": "mid", "children": [0] },
    ]));
    let turn = doc.animation("turn");
    doc.channel(turn, 0, "rotation", "LINEAR", &[0.0], &[0.0, 0.0, 0.0, 2.0]);
    let imported = doc.import().unwrap();
    let rig = &imported.rig.skeleton;
    let names: Vec<&str> = (0..rig.len()).map(|j| rig.name(j)).collect();
    assert_eq!(names, ["node_2", "mid", "leaf"]);
    assert_eq!((rig.parent(0), rig.parent(1), rig.parent(2)), (None, Some(0), Some(1)));
    let bind = rig.bind(0);
    assert!(bind.rotation.dot(local.rotation).abs() > 1.0 - 1e-6);
    assert!((bind.translation - local.translation).length() + (bind.scale - local.scale).length() < 1e-5);
    assert_eq!(imported.clips[0].at(0, 2).rotation, Quat::IDENTITY, "rotations come out with unit length");
    assert_eq!(imported.clips[0].at(0, 0), bind, "a joint without keys rests");
}

#[test]
fn a_rigid_mesh_follows_the_nearest_joint_from_where_it_stands() {
    let mut doc = small_rig();
    let position = doc.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    doc.json["meshes"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "primitives": [{ "attributes": { "POSITION": position } }] }));
    let nodes = doc.json["nodes"].as_array_mut().unwrap();
    nodes.push(json!({ "name": "sword", "mesh": 1, "scale": [-1.0, 1.0, 1.0] }));
    nodes.push(json!({ "name": "grip", "children": [3], "translation": [0.0, 0.0, 5.0] }));
    nodes.push(json!({ "name": "ground", "mesh": 1 }));
    nodes[1]["children"] = json!([4]);
    doc.json["scenes"] = json!([{ "nodes": [0, 5] }]);
    let imported = doc.import().unwrap();
    assert_eq!(imported.rig.meshes.len(), 2);
    let sword = imported.rig.meshes.iter().find(|m| m.palette.len() == 1).unwrap();
    assert_eq!((sword.name.as_str(), sword.palette.len(), sword.palette[0].joint), ("sword", 1, 1));
    let pose = ModelPose::new(&imported.rig.skeleton, &Pose::bind(&imported.rig.skeleton, 1).joints);
    // Vertex 3 of the strip, (1, 1, 0), mirrored by the node, pushed by the grip, lifted by the joint.
    assert_eq!(sword.skin_vertex(3, &pose.joints, &[]), Vec3::new(-1.0, 2.0, 5.0));
    assert_eq!(sword.triangles, [[0, 2, 1]], "mirrored, without indices, the fourth vertex alone is no triangle");
    assert!(imported.findings.iter().any(|f| f.subject == "ground" && f.what == "no joint carries this mesh"));
}

#[test]
fn skins_morphs_and_integer_weights_come_through() {
    let imported = small_rig().import().unwrap();
    let (rig, clip) = (&imported.rig, &imported.clips[0]);
    assert_eq!(rig.skeleton.len(), 2, "a skinned mesh's own node is no joint, even with animated weights");
    let mesh = &rig.meshes[0];
    assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(mesh.weights[0].map(|w| (w * 255.0).round()), [128.0, 127.0, 0.0, 0.0]);
    assert!(mesh.normals.iter().all(|n| *n == Vec3::Z), "{:?}", mesh.normals);
    assert_eq!(mesh.uvs.len() + mesh.colors.len(), 8);
    assert_eq!((rig.float_names.as_slice(), clip.float_tracks()), (["strip.smile".to_owned()].as_slice(), 1));
    assert_eq!((mesh.targets[0].name.as_str(), mesh.targets[0].float_track), ("smile", 0));
    assert!((sampled(clip, 0.5).floats[0] - 0.5).abs() < 1e-6);
    // At bind the skin is at rest: inverse binds undo the joints.
    let pose = ModelPose::new(&rig.skeleton, &Pose::bind(&rig.skeleton, 1).joints);
    assert_eq!(mesh.skin_vertex(3, &pose.joints, &[0.0]), Vec3::new(1.0, 1.0, 0.0));
}

#[test]
fn two_nodes_of_one_mesh_have_weights_of_their_own_and_every_clip_has_all() {
    let mut doc = small_rig();
    let nodes = doc.json["nodes"].as_array_mut().unwrap();
    nodes.push(json!({ "name": "twin", "mesh": 0, "skin": 0, "weights": [0.75] }));
    nodes[0]["children"] = json!([1, 2, 3]);
    let twin = doc.animation("twin only");
    doc.channel(twin, 3, "weights", "CUBICSPLINE", &[0.0, 1.0], &[0.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
    let imported = doc.import().unwrap();
    assert_eq!(imported.rig.float_names, ["skin.smile", "twin.smile"]);
    assert_eq!(imported.rig.meshes.iter().map(|m| m.targets[0].float_track).collect::<Vec<_>>(), [0, 1]);
    let (wave, twin) = (clip(&imported, "wave"), clip(&imported, "twin only"));
    assert_eq!(sampled(wave, 1.0).floats, [1.0, 0.75], "the node's own weight where the clip has none");
    let halfway = sampled(twin, 0.5).floats;
    assert_eq!(halfway[0], 0.25, "the mesh's weight where neither has one");
    assert!((halfway[1] - 0.5).abs() < 1e-3, "slope 1 at both ends is a straight line: {halfway:?}");
}

#[test]
fn sparse_and_normalized_accessors_are_read() {
    let mut doc = Doc::new(json!([{ "name": "a" }, { "name": "b" }]));
    let clip = doc.animation("clip");
    let times = doc.floats(&[0.0, 1.0], "SCALAR");
    let half = |x: f32| (x * 32767.0).round() as i16;
    let s = std::f32::consts::FRAC_1_SQRT_2;
    let numbers = [0, 0, 0, 32767, 0, half(s), 0, half(s)];
    let bytes: Vec<u8> = numbers.iter().flat_map(|n: &i16| n.to_le_bytes()).collect();
    let rotation = doc.accessor(&bytes, 5122, "VEC4", 2);
    doc.json["accessors"][rotation]["normalized"] = json!(true);
    doc.channel_of(clip, 0, "rotation", "LINEAR", times, rotation);
    // Zeros but for element 1, which is replaced.
    let (indices, values) = (doc.view(&[1]), doc.view(&[7.0f32, 8.0, 9.0].map(f32::to_le_bytes).concat()));
    doc.json["accessors"].as_array_mut().unwrap().push(json!({
        "componentType": 5126, "type": "VEC3", "count": 2,
        "sparse": {
            "count": 1, "indices": { "bufferView": indices, "componentType": 5121 }, "values": { "bufferView": values },
        },
    }));
    let sparse = doc.json["accessors"].as_array().unwrap().len() - 1;
    doc.channel_of(clip, 1, "translation", "LINEAR", times, sparse);
    let imported = doc.import().unwrap();
    let end = sampled(&imported.clips[0], 1.0).joints;
    assert!(end[0].rotation.dot(Quat::from_xyzw(0.0, s, 0.0, s)).abs() > 1.0 - 1e-7);
    assert_eq!(end[1].translation, Vec3::new(7.0, 8.0, 9.0));
    assert_eq!(imported.clips[0].at(0, 1).translation, Vec3::ZERO);
}

#[test]
fn z_up_turns_roots_only_and_keeps_the_shape() {
    let doc = small_rig();
    let options = ImportOptions { up: Some(UpAxis::Z), ..ImportOptions::default() };
    let (y, z) = (doc.import().unwrap(), doc.import_with(&options).unwrap());
    let raise = |p: Vec3| Vec3::new(p.x, p.z, -p.y);
    for sample in 0..y.clips[0].samples() {
        let [a, b] = [&y, &z].map(|i| ModelPose::new(&i.rig.skeleton, i.clips[0].pose(sample)));
        for vertex in 0..4 {
            let [p, q] =
                [(&y, &a), (&z, &b)].map(|(i, pose)| i.rig.meshes[0].skin_vertex(vertex, &pose.joints, &[0.0]));
            assert!((raise(p) - q).length() < 1e-5, "{p} became {q}");
        }
    }
    assert_eq!(y.rig.skeleton.bind(1), z.rig.skeleton.bind(1));
    assert_ne!(y.rig.skeleton.bind(0), z.rig.skeleton.bind(0));
}

#[test]
fn glb_data_uri_and_file_beside_give_the_same() {
    let doc = small_rig();
    let expected = doc.import().unwrap();
    assert_eq!(import_bytes("gltf", &doc.gltf()).unwrap(), expected);

    let folder = tempfile::tempdir().unwrap();
    let mut json = doc.json.clone();
    json["buffers"][0]["uri"] = json!("my%20data.bin");
    std::fs::write(folder.path().join("my data.bin"), &doc.bin).unwrap();
    let path = folder.path().join("test.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    assert_eq!(posepress::import::import_file(&path, &ImportOptions::default()).unwrap(), expected);
}

#[test]
fn more_than_four_influences_are_trimmed_and_reported() {
    let mut doc = small_rig();
    let joints = doc.accessor(&[0, 1, 1, 0].repeat(4), 5121, "VEC4", 4);
    let weights = doc.floats(&[0.4, 0.1, 0.1, 0.1].repeat(4), "VEC4");
    let attributes = &mut doc.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_1"] = json!(joints);
    attributes["WEIGHTS_1"] = json!(weights);
    let imported = doc.import().unwrap();
    let total: f32 = imported.rig.meshes[0].weights[0].iter().sum();
    assert!((total - 1.0).abs() < 1e-6);
    let finding = imported.findings.iter().find(|f| f.subject == "strip").unwrap();
    assert!(finding.what.contains("4 vertices have more than four influences"), "{finding:?}");
}

#[test]
fn strips_and_fans_become_triangles_and_lines_are_left_out() {
    let mode = |mode: u32| {
        let mut doc = small_rig();
        let primitive = &mut doc.json["meshes"][0]["primitives"][0];
        primitive["mode"] = json!(mode);
        primitive.as_object_mut().unwrap().remove("indices");
        doc.import().unwrap()
    };
    assert_eq!(mode(5).rig.meshes[0].triangles, [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(mode(6).rig.meshes[0].triangles, [[1, 2, 0], [2, 3, 0]]);
    let lines = mode(1);
    assert!(lines.rig.meshes.is_empty());
    assert!(lines.findings.iter().any(|f| f.what.contains("points or lines")));
}

#[test]
fn vertex_colours_factors_and_textures_come_through() {
    let mut doc = small_rig();
    let red = [255, 0, 0, 51].repeat(4);
    let colors = doc.accessor(&red, 5121, "VEC4", 4);
    doc.json["accessors"][colors]["normalized"] = json!(true);
    doc.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(colors);
    doc.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let mut png = Vec::new();
    let pixels = image::RgbaImage::from_pixel(2, 1, image::Rgba([1, 2, 3, 4]));
    pixels.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
    let view = doc.view(&png);
    doc.json["images"] = json!([{ "bufferView": view, "mimeType": "image/png" }]);
    doc.json["textures"] = json!([{ "source": 0 }]);
    doc.json["materials"] = json!([{
        "name": "skin", "doubleSided": true,
        "pbrMetallicRoughness": { "baseColorFactor": [0.5, 0.25, 1.0, 1.0], "baseColorTexture": { "index": 0 } },
    }]);
    let imported = doc.import().unwrap();
    assert_eq!(imported.rig.meshes[0].colors[0], [1.0, 0.0, 0.0, 0.2]);
    let material = &imported.rig.materials[imported.rig.meshes[0].material.unwrap()];
    assert_eq!((material.base_color, material.double_sided), ([0.5, 0.25, 1.0, 1.0], true));
    assert_eq!(imported.rig.images[material.base_color_image.unwrap()].rgba, [1, 2, 3, 4, 1, 2, 3, 4]);

    // A damaged texture costs the texture, not the rig.
    doc.bin[png.len() / 2 + doc.json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize] ^= 0xff;
    let imported = doc.import().unwrap();
    assert!(imported.rig.images.is_empty() && imported.rig.materials[0].base_color_image.is_none());
    assert!(imported.findings.iter().any(|f| f.what.contains("the texture cannot be read")), "{:?}", imported.findings);
}

#[test]
fn what_extensions_leave_out_costs_only_that() {
    let mut doc = small_rig();
    doc.json["extensionsUsed"] = json!(["KHR_animation_pointer", "EXT_texture_webp"]);
    let pointer = json!({ "sampler": 0, "target": { "path": "pointer" } });
    doc.json["animations"][0]["channels"].as_array_mut().unwrap().push(pointer);
    doc.json["textures"] = json!([{ "extensions": { "EXT_texture_webp": { "source": 0 } } }]);
    doc.json["materials"] =
        json!([{ "name": "cloth", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    doc.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let imported = doc.import().unwrap();
    assert_eq!(imported.clips, small_rig().import().unwrap().clips);
    let warnings: Vec<&str> =
        imported.findings.iter().filter(|f| f.severity == Severity::Warning).map(|f| f.subject.as_str()).collect();
    assert_eq!(warnings, ["animations", "cloth"]);
}

#[test]
fn importing_twice_gives_the_same() {
    let Some(path) = corpus("kaykit/Knight.glb") else { return };
    let bytes = std::fs::read(path).unwrap();
    let read = || importer("glb").import(Path::new("Knight.glb"), &bytes, &ImportOptions::default()).unwrap();
    assert_eq!(read(), read());
}
