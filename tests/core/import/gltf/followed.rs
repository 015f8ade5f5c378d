//! Extensions that move joints, and required extensions that move nothing.

use super::{clip, sampled};
use crate::import_support::{Doc, import_bytes, small_rig};
use glam::{Quat, Vec3};
use posepress_core::export::{ExportClip, ExportTarget, Exporter, Glb};
use posepress_core::import::{ConstraintReading, ImportOptions, Imported, Origin, Severity, import_file};
use posepress_core::model::{Channel, ModelPose, SourceDigest};
use serde_json::{Value, json};

fn said<'a>(imported: &'a Imported, words: &str) -> Vec<&'a str> {
    let found = imported.findings.iter().filter(|f| f.what.contains(words));
    found.map(|f| f.what.as_str()).collect()
}

/// The small rig with channels that all use pointers.
fn pointing() -> Doc {
    let mut doc = small_rig();
    doc.json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
    for channel in doc.json["animations"][0]["channels"].as_array_mut().unwrap() {
        let target = &channel["target"];
        let pointer = format!("/nodes/{}/{}", target["node"], target["path"].as_str().unwrap());
        channel["target"] = pointer_target(&pointer);
    }
    doc
}

fn pointer_target(pointer: &str) -> Value {
    json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } })
}

#[test]
fn pointers_at_nodes_are_channels_of_these_nodes() {
    let (expected, found) = (small_rig().import().unwrap(), pointing().import().unwrap());
    assert_eq!((found.clips, found.rig), (expected.clips, expected.rig));
    assert_eq!(found.findings, expected.findings);
    let mut required = pointing();
    required.json["extensionsRequired"] = json!(["KHR_animation_pointer"]);
    assert_eq!(required.import().unwrap().findings, expected.findings);
}

#[test]
fn other_pointers_are_counted_and_two_channels_of_one_property_are_said() {
    let mut doc = pointing();
    let channels = doc.json["animations"][0]["channels"].as_array_mut().unwrap();
    for pointer in
        ["/materials/0/pbrMetallicRoughness/baseColorFactor", "/nodes/0/extensions/KHR_node_visibility/visible"]
    {
        channels.push(json!({ "sampler": 0, "target": pointer_target(pointer) }));
    }
    channels.push(json!({ "sampler": 0, "target": { "node": 1, "path": "rotation" } }));
    let imported = doc.import().unwrap();
    assert_eq!(said(&imported, "2 channels move something other than a node").len(), 1);
    assert_eq!(said(&imported, "1 channel with the same target as a later one").len(), 1);
    assert_eq!(imported.clips, small_rig().import().unwrap().clips);
}

#[test]
fn a_pointer_at_a_node_that_is_not_there_costs_its_clip() {
    let mut doc = pointing();
    let bad = doc.animation("bad");
    doc.channel(bad, 1, "translation", "LINEAR", &[0.0, 1.0], &[0.0; 6]);
    doc.json["animations"][bad]["channels"][0]["target"] = pointer_target("/nodes/99/translation");
    let imported = doc.import().unwrap();
    assert_eq!(imported.clips, small_rig().import().unwrap().clips);
    assert_eq!(said(&imported, "node 99 is out of range").len(), 1);
}

/// The clips of a document, written back into its file.
fn written_back(doc: &Doc) -> (Imported, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pointing.glb");
    std::fs::write(&path, doc.glb()).unwrap();
    let options = ImportOptions::default();
    let imported = import_file(&path, &options).unwrap();
    let digest = SourceDigest::of(&std::fs::read(&path).unwrap());
    let target = ExportTarget { origin: Some(Origin { path, digest, options }), ..Default::default() };
    let mut clips = [ExportClip::raw(&imported.clips[0])];
    let bytes = Glb.export(&imported.rig, &mut clips, &target).unwrap();
    drop(clips);
    (imported, bytes)
}

#[test]
fn what_goes_back_into_a_file_of_pointers_moves_each_node_once() {
    let (imported, bytes) = written_back(&pointing());
    let back = import_bytes("glb", &bytes).unwrap();
    assert!(said(&back, "a later one").is_empty(), "{:?}", back.findings);
    for secs in [0.0, 0.25, 0.5, 1.0] {
        let [a, b] = [&imported, &back].map(|read| sampled(&read.clips[0], secs).joints);
        let apart = a.iter().zip(&b).map(|(a, b)| a.rotation.angle_between(b.rotation)).fold(0.0, f32::max);
        assert!(apart < 0.01, "{secs} s: {apart}");
    }
}

/// The small rig with two morph targets, and a copy of its mesh. `twin` may give the copy its own weights.
fn two_targets(pointer: &str, numbers: &[f32], twin: Value) -> Doc {
    let mut doc = small_rig();
    let mesh = &mut doc.json["meshes"][0];
    let target = mesh["primitives"][0]["targets"][0].clone();
    mesh["primitives"][0]["targets"].as_array_mut().unwrap().push(target);
    (mesh["weights"], mesh["extras"]) = (json!([0.25, 0.5]), json!({ "targetNames": ["smile", "frown"] }));
    doc.json["nodes"].as_array_mut().unwrap().push(twin);
    doc.json["nodes"][0]["children"] = json!([1, 2, 3]);
    doc.json["animations"] = json!([]);
    let clip = doc.animation("turn");
    doc.channel(clip, 2, "weights", "LINEAR", &[0.0, 1.0], numbers);
    doc.json["animations"][clip]["channels"][0]["target"] = pointer_target(pointer);
    doc
}

fn weights(imported: &Imported, secs: f32) -> Vec<f32> {
    sampled(clip(imported, "turn"), secs).floats
}

#[test]
fn pointers_at_single_weights_and_at_the_weights_of_meshes_move_morph_targets() {
    let twin = || json!({ "name": "twin", "mesh": 0, "skin": 0 });
    let own = || json!({ "name": "twin", "mesh": 0, "skin": 0, "weights": [0.1, 0.2] });
    for (pointer, numbers, twin, expected) in [
        ("/nodes/2/weights/1", &[0.0, 1.0][..], twin(), [0.25, 0.5, 0.25, 0.5]),
        ("/nodes/3/weights/0", &[0.0, 1.0], twin(), [0.25, 0.5, 0.5, 0.5]),
        ("/nodes/2/weights", &[0.0, 1.0, 1.0, 0.0], twin(), [0.5, 0.5, 0.25, 0.5]),
        ("/meshes/0/weights", &[0.0, 0.8, 0.4, 0.2], twin(), [0.2, 0.5, 0.2, 0.5]),
        ("/meshes/0/weights/0", &[0.0, 0.8], twin(), [0.4, 0.5, 0.4, 0.5]),
        ("/meshes/0/weights/0", &[0.0, 0.8], own(), [0.4, 0.5, 0.1, 0.2]),
    ] {
        let imported = two_targets(pointer, numbers, twin).import().unwrap();
        assert!(said(&imported, "other than a node").is_empty(), "{pointer}");
        let found = weights(&imported, 0.5);
        let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-5 && found.len() == 4, "{pointer}: {found:?}");
    }
}

#[test]
fn weights_that_pointers_move_go_back_into_their_file_once() {
    let twin = || json!({ "name": "twin", "mesh": 0, "skin": 0 });
    for (pointer, numbers) in [("/nodes/2/weights/1", &[0.0, 1.0][..]), ("/meshes/0/weights", &[0.0, 0.8, 0.4, 0.2])] {
        let mut doc = two_targets(pointer, numbers, twin());
        doc.channel(0, 1, "scale", "LINEAR", &[0.0, 1.0], &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        let (imported, bytes) = written_back(&doc);
        assert!(!String::from_utf8_lossy(&bytes).contains(pointer), "the old channel of {pointer} is gone");
        let back = import_bytes("glb", &bytes).unwrap();
        assert!(said(&back, "a later one").is_empty(), "{:?}", back.findings);
        let thousandths = |weight: f32| (weight * 1000.0).round();
        for secs in [0.0, 0.25, 1.0] {
            let [a, b] =
                [&imported, &back].map(|read| weights(read, secs).into_iter().map(thousandths).collect::<Vec<_>>());
            assert_eq!(a, b, "{pointer} at {secs} s");
        }
    }
}

#[test]
fn several_single_weights_move_beside_each_other_and_one_that_is_not_there_costs_its_clip() {
    let twin = json!({ "name": "twin", "mesh": 0, "skin": 0 });
    let mut doc = two_targets("/nodes/2/weights/0", &[0.0, 1.0], twin);
    doc.channel(0, 2, "weights", "LINEAR", &[0.0, 1.0], &[1.0, 0.0]);
    doc.json["animations"][0]["channels"][1]["target"] = pointer_target("/nodes/2/weights/1");
    let (expected, imported) = (vec![0.25, 0.75, 0.25, 0.5], doc.import().unwrap());
    assert_eq!(weights(&imported, 0.25), expected);
    assert!(said(&imported, "a later one").is_empty());

    let bad = doc.animation("bad");
    doc.channel(bad, 2, "weights", "LINEAR", &[0.0, 1.0], &[1.0, 0.0]);
    doc.json["animations"][bad]["channels"][0]["target"] = pointer_target("/nodes/2/weights/2");
    let imported = doc.import().unwrap();
    assert_eq!((weights(&imported, 0.25), imported.clips.len()), (expected, 1));
    assert_eq!(said(&imported, "weight 2 is out of range").len(), 1, "{:?}", imported.findings);
}

#[test]
fn a_mesh_that_no_node_shows_has_no_weights_to_move() {
    let twin = json!({ "name": "twin", "mesh": 0, "skin": 0 });
    for pointer in ["/meshes/9/weights", "/meshes/0/name", "/meshes/0/weights/x", "/meshes/0"] {
        let mut doc = two_targets(pointer, &[0.0, 1.0], twin.clone());
        doc.channel(0, 1, "scale", "LINEAR", &[0.0, 1.0], &[1.0; 6]);
        assert_eq!(said(&doc.import().unwrap(), "1 channels move something other than a node").len(), 1, "{pointer}");
    }
}

/// A shoulder with a turning hand, and next to it a twist joint with `constraint`. A second twist follows the first.
fn twisted(constraint: Value, second: Value) -> Doc {
    let follows =
        |constraint: Value| json!({ "VRMC_node_constraint": { "specVersion": "1.0", "constraint": constraint } });
    let tilt = Quat::from_rotation_y(0.6).to_array();
    let mut doc = Doc::new(json!([
        { "name": "shoulder", "children": [1, 2, 3] },
        { "name": "hand", "translation": [0.5, 0.2, 0.0] },
        { "name": "twist", "translation": [0.2, 0.0, 0.0], "extensions": follows(constraint) },
        { "name": "second", "rotation": tilt, "extensions": follows(second) },
    ]));
    doc.json["extensionsUsed"] = json!(["VRMC_node_constraint"]);
    let clip = doc.animation("turn");
    let s = std::f32::consts::FRAC_1_SQRT_2;
    doc.channel(clip, 1, "rotation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, s, 0.0, 0.0, s]);
    doc.channel(clip, 1, "translation", "LINEAR", &[0.0, 1.0], &[0.5, 0.2, 0.0, 0.2, 0.7, 0.3]);
    doc
}

fn rotation(imported: &Imported, joint: &str, secs: f32) -> Quat {
    let joint = (0..imported.rig.skeleton.len()).find(|&at| imported.rig.skeleton.name(at) == joint).unwrap();
    sampled(clip(imported, "turn"), secs).joints[joint].rotation
}

fn is_near(a: Quat, b: Quat) -> bool {
    a.dot(b).abs() > 1.0 - 1e-5
}

#[test]
fn constraints_of_vrm_are_evaluated_at_every_sample_whatever_their_order_in_the_file() {
    let roll = json!({ "roll": { "source": 1, "rollAxis": "X", "weight": 0.5 } });
    let copy = json!({ "rotation": { "source": 2 } });
    let imported = twisted(roll.clone(), copy.clone()).import().unwrap();
    assert_eq!(said(&imported, "2 constraints evaluated").len(), 1);
    let quarter = std::f32::consts::FRAC_PI_2;
    for secs in [0.0, 0.5, 1.0] {
        let turned = Quat::from_rotation_x(0.5 * quarter * secs);
        assert!(is_near(rotation(&imported, "twist", secs), turned), "{secs} s");
        let second = Quat::from_rotation_y(0.6) * turned;
        assert!(is_near(rotation(&imported, "second", secs), second), "{secs} s: from rest to rest");
    }
    // The joint that follows may come first.
    let first = twisted(json!({ "rotation": { "source": 3 } }), roll).import().unwrap();
    assert!(!is_near(rotation(&first, "twist", 1.0), Quat::IDENTITY));
    let alone = ImportOptions { constraints: Some(ConstraintReading::Keys), ..ImportOptions::default() };
    let keys = twisted(copy.clone(), copy).import_with(&alone).unwrap();
    assert_eq!(said(&keys, "2 constraints not evaluated, as you chose").len(), 1);
    let names: Vec<&str> = (0..keys.rig.skeleton.len()).map(|at| keys.rig.skeleton.name(at)).collect();
    assert!(names.contains(&"hand"), "{names:?}");
}

#[test]
fn an_aim_looks_at_where_its_source_is() {
    let aim = json!({ "aim": { "source": 1, "aimAxis": "PositiveX" } });
    let imported = twisted(aim, json!({ "rotation": { "source": 1, "weight": 0.0 } })).import().unwrap();
    for secs in [0.0, 0.5, 1.0] {
        let pose = ModelPose::new(&imported.rig.skeleton, &sampled(clip(&imported, "turn"), secs).joints);
        let at = |name: &str| (0..4).find(|&at| imported.rig.skeleton.name(at) == name).unwrap();
        let (twist, hand) = (at("twist"), pose.origin(at("hand")));
        let wanted = (hand - pose.origin(twist)).normalize();
        let found = pose.joints[twist].transform_vector3(Vec3::X);
        assert!(found.distance(wanted) < 1e-3, "{secs} s: {found}");
    }
    assert!(is_near(rotation(&imported, "second", 1.0), Quat::from_rotation_y(0.6)), "a weight of nothing is the rest");
}

#[test]
fn constraints_that_cannot_be_evaluated_are_named_and_the_others_are() {
    let good = json!({ "roll": { "source": 1, "rollAxis": "X" } });
    let bad = |second: Value, word: &str| {
        let imported = twisted(good.clone(), second).import().unwrap();
        assert_eq!(said(&imported, "1 constraint evaluated").len(), 1, "{word}");
        let warning = imported.findings.iter().find(|f| f.what.contains("not evaluated")).unwrap();
        assert!(warning.severity == Severity::Warning && warning.what.contains("second"), "{word}: {warning:?}");
        assert!(warning.what.contains(word), "{word}: {warning:?}");
    };
    bad(json!({ "rotation": { "source": 3 } }), "they depend on each other");
    bad(json!({ "aim": { "source": 3, "aimAxis": "PositiveX" } }), "they depend on each other");
    bad(json!({ "rotation": { "source": 99 } }), "node 99");
    bad(json!({ "rotation": { "source": 1, "weight": 2.0 } }), "weight is 2");
    bad(json!({ "roll": { "source": 1, "rollAxis": "W" } }), "unknown variant");
    bad(json!({ "spring": { "source": 1 } }), "expected one of roll, aim and rotation");
    bad(json!(7), "invalid type");
    let circle =
        twisted(json!({ "rotation": { "source": 3 } }), json!({ "rotation": { "source": 2 } })).import().unwrap();
    assert_eq!(said(&circle, "they depend on each other: twist, second").len(), 1, "{:?}", circle.findings);
    let below = twisted(json!({ "aim": { "source": 1, "aimAxis": "PositiveX" } }), good.clone());
    let mut below = below;
    below.json["nodes"][0]["children"] = json!([2, 3]);
    below.json["nodes"][2]["children"] = json!([1]);
    assert_eq!(said(&below.import().unwrap(), "they depend on each other: twist").len(), 1, "it moves its source");
    let mut old = twisted(good.clone(), good);
    old.json["nodes"][3]["extensions"]["VRMC_node_constraint"]["specVersion"] = json!("0.9");
    assert_eq!(said(&old.import().unwrap(), "version 0.9; expected version 1.0").len(), 1);
}

#[test]
fn required_extensions_that_move_nothing_are_noted_and_unknown_ones_warned_of() {
    let required = |name: &str| {
        let mut doc = small_rig();
        doc.json["extensionsUsed"] = json!([name]);
        doc.json["extensionsRequired"] = json!([name]);
        let imported = doc.import().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(imported.clips, small_rig().import().unwrap().clips);
        imported.findings.iter().find(|f| f.subject == name).map(|f| f.severity)
    };
    for name in ["VRMC_vrm", "VRM", "VRMC_node_constraint", "KHR_mesh_quantization", "KHR_animation_pointer"] {
        assert_eq!(required(name), None, "{name}");
    }
    for name in
        ["KHR_xmp_json_ld", "VRMC_materials_mtoon", "VRMC_springBone", "KHR_lights_punctual", "KHR_node_visibility"]
    {
        assert_eq!(required(name), Some(Severity::Note), "{name}");
    }
    for name in ["ACME_wind", "EXT_mesh_of_tomorrow"] {
        assert_eq!(required(name), Some(Severity::Warning), "{name}");
    }
}

#[test]
fn required_extensions_that_change_the_numbers_are_refused() {
    let refused = |name: &str, put: fn(&mut Value, Value)| {
        let mut doc = small_rig();
        doc.json["extensionsRequired"] = json!([name]);
        put(&mut doc.json, json!({ name: {} }));
        doc.import().unwrap_err().to_string()
    };
    for name in ["ACME_mesh_compression", "KHR_vertex_Quantization2", "ACME_encrypted", "KHR_accessor_float64"] {
        let error = refused(name, |_, _| {});
        assert!(error.contains(name) && error.contains("packs the numbers"), "{error}");
    }
    type Put = fn(&mut Value, Value);
    let places: [(Put, &str); 5] = [
        (|json, it| json["accessors"][0]["extensions"] = it, "accessors"),
        (|json, it| json["bufferViews"][0]["extensions"] = it, "bufferViews"),
        (|json, it| json["animations"][0]["extensions"] = it, "animations"),
        (|json, it| json["animations"][0]["samplers"][0]["extensions"] = it, "animations"),
        (|json, it| json["skins"][0]["extensions"] = it, "skins"),
    ];
    for (put, place) in places {
        let error = refused("ACME_curves", put);
        assert!(error.contains("ACME_curves") && error.contains(&format!("is used in its {place}")), "{error}");
        assert!(error.contains("Export it without that extension"), "{error}");
    }
}

#[test]
fn what_follows_a_step_steps_with_it() {
    let roll = json!({ "roll": { "source": 1, "rollAxis": "X", "weight": 0.5 } });
    let copy = json!({ "rotation": { "source": 2 } });
    let (still, turned) = (Quat::IDENTITY.to_array(), Quat::from_rotation_x(1.0).to_array());
    let step = [still, turned, turned].concat();
    let jump = [still, still, turned, turned].concat();
    for (mode, times, values) in [
        ("STEP", &[0.0, 0.5, 1.0][..], step),
        ("LINEAR", &[0.0, 0.5, 0.5, 1.0], jump.clone()),
        ("LINEAR", &[0.0, 0.499, 0.5, 1.0], jump),
    ] {
        let mut doc = twisted(roll.clone(), copy.clone());
        doc.json["animations"] = json!([]);
        let turn = doc.animation("turn");
        doc.channel(turn, 1, "rotation", mode, times, &values);
        let imported = doc.import().unwrap();
        let clip = clip(&imported, "turn");
        let before = clip.grid().sample_at(0.5).round() as u32 - 1;
        let held: Vec<_> = clip.holds().iter().map(|hold| (hold.sample, hold.channel)).collect();
        assert!(
            held.iter().filter(|held| **held == (before, Channel::Rotation)).count() >= 3,
            "{mode} {times:?}: {held:?}"
        );
        assert!(clip.sampling_error().unwrap().error_m < 1e-5, "{mode} {times:?}: {:?}", clip.sampling_error());
        let [twist, second] = ["twist", "second"].map(|joint| rotation(&imported, joint, 0.49));
        assert!(is_near(twist, Quat::IDENTITY) && is_near(second, Quat::from_rotation_y(0.6)), "{mode} {times:?}");
    }
}
