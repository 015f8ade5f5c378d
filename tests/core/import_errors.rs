//! Every bad file is an error that says what, where and what to do; never a panic, never a flood of memory.

use crate::import_support::{Doc, import_bytes, small_rig};
use posepress_core::import::{ImportOptions, Severity, import_file};
use serde_json::json;
use std::path::Path;

/// The message of the error that a document gives.
fn refused(doc: &Doc) -> String {
    doc.import().unwrap_err().to_string()
}

/// The message of a document changed by `change`.
fn refused_after(change: impl FnOnce(&mut Doc)) -> String {
    let mut doc = small_rig();
    change(&mut doc);
    refused(&doc)
}

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "expected '{part}' in: {message}");
    }
}

#[test]
fn files_that_are_not_there_or_empty_or_unknown() {
    let error = |path: &Path| import_file(path, &ImportOptions::default()).unwrap_err().to_string();
    assert_says(&error(Path::new("no/such.glb")), &["no/such.glb", "cannot be read", "Check the path"]);
    let folder = tempfile::tempdir().unwrap();
    let pointer = folder.path().join("walk.bvh");
    std::fs::write(&pointer, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n").unwrap();
    let message = error(&pointer);
    assert!(message.ends_with("'git lfs pull'"), "it says what to do, and nothing else: {message}");
    assert_says(&error(Path::new("a.max")), &["'.max'", "expected one of", "glb", "bvh"]);
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.glb");
    std::fs::write(&empty, b"").unwrap();
    assert_says(&error(&empty), &["empty.glb", "0 bytes"]);
}

#[test]
fn every_prefix_of_a_glb_is_refused() {
    let whole = small_rig().glb();
    for len in 0..whole.len() {
        let message = import_bytes("glb", &whole[..len]).unwrap_err().to_string();
        if len >= 12 {
            assert_says(&message, &["test.glb", "cut short", &format!("the file has {len}")]);
        }
    }
}

/// Of a hierarchy that is whole the rig is read, and of whole rows the frames; what is missing is said.
#[test]
fn every_prefix_of_a_take_is_refused_or_says_what_is_missing() {
    let hierarchy = "HIERARCHY\nROOT a\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}";
    let take = format!("{hierarchy}\nMOTION\nFrames: 2\nFrame Time: 0.1\n10\n20\n");
    assert!(import_bytes("bvh", take.as_bytes()).is_ok());
    for len in 0..take.len() - 2 {
        match import_bytes("bvh", &take.as_bytes()[..len]) {
            Err(error) => assert!(error.at.as_ref().is_some_and(|at| at.starts_with("line ")), "{len} bytes: {error}"),
            Ok(imported) => {
                assert!(len >= hierarchy.len(), "{len} bytes");
                let is_said = imported.findings.iter().any(|found| found.what.contains("of 2 frames"));
                assert!(is_said || imported.clips.is_empty(), "{len} bytes: {:?}", imported.findings);
            }
        }
    }
}

#[test]
fn json_that_is_no_gltf() {
    for text in ["{}", "[1, 2]", "hello", "{ \"asset\": { \"version\": \"1.0\" } }", "\u{feff}", "null"] {
        let message = import_bytes("gltf", text.as_bytes()).unwrap_err().to_string();
        assert_says(&message, &["glTF", "test.gltf"]);
    }
}

#[test]
fn a_document_without_joints_says_so() {
    assert_says(&refused(&Doc::new(json!([{ "name": "a" }]))), &["no joints"]);
}

#[test]
fn broken_hierarchies() {
    let nodes = |nodes| {
        refused_after(|doc| {
            doc.json["nodes"] = nodes;
            doc.json["scenes"] = json!([{ "nodes": [] }]);
        })
    };
    let ring = nodes(json!([{ "name": "a", "children": [1] }, { "name": "b", "children": [2] }, { "children": [0] }]));
    assert_says(&ring, &["its own ancestor", "node 0 'a'"]);
    assert_says(&nodes(json!([{ "children": [0] }, {}, {}])), &["its own ancestor"]);
    assert_says(&nodes(json!([{ "children": [2] }, { "children": [2] }, {}])), &["node 2 has two parents, 0 and 1"]);
    assert_says(&nodes(json!([{ "children": [99] }, {}, {}])), &["child 99 is out of range", "3 nodes"]);
    assert_says(&nodes(json!([{ "rotation": [0, 0, 0, 0] }, {}, {}])), &["not a rotation", "node 0"]);
    assert_says(&refused_after(|d| d.json["scenes"] = json!([{ "nodes": [7] }])), &["node 7 of the scene"]);
    assert_says(&refused_after(|d| d.json["scene"] = json!(3)), &["scene 3 is out of range"]);
}

#[test]
fn a_chain_of_nodes_deeper_than_the_stack_is_no_crash() {
    let count = 200_000;
    let nodes: Vec<_> =
        (0..count).map(|n| if n + 1 < count { json!({ "children": [n + 1] }) } else { json!({}) }).collect();
    let mut doc = Doc::new(json!(nodes));
    let clip = doc.animation("c");
    doc.channel(clip, count - 1, "translation", "LINEAR", &[0.0], &[0.0; 3]);
    assert_says(&refused(&doc), &["200000 joints", "at most 16384"]);
}

#[test]
fn ten_thousand_joints_of_one_name_stay_apart() {
    let children: Vec<usize> = (1..10_000).collect();
    let nodes: Vec<_> = (0..10_000)
        .map(|n| json!({ "name": "a", "children": if n == 0 { children.as_slice() } else { &[] } }))
        .collect();
    let mut doc = Doc::new(json!(nodes));
    doc.json["skins"] = json!([{ "joints": (0..10_000).collect::<Vec<usize>>() }]);
    let rig = doc.import().unwrap().rig;
    assert_eq!((rig.skeleton.name(1), rig.skeleton.name(9_999)), ("a.1", "a.9999"));
}

#[test]
fn indices_out_of_range() {
    let attribute =
        |name: &'static str| move |d: &mut Doc| d.json["meshes"][0]["primitives"][0]["attributes"][name] = json!(77);
    assert_says(&refused_after(attribute("POSITION")), &["accessor 77 is out of range"]);
    assert_says(&refused_after(attribute("JOINTS_0")), &["accessor 77 is out of range"]);
    assert_says(
        &refused_after(|d| d.json["skins"][0]["joints"] = json!([0, 9])),
        &["node 9 is out of range", "skin 0"],
    );
    assert_says(&refused_after(|d| d.json["nodes"][2]["skin"] = json!(5)), &["skin 5 is out of range", "'skin'"]);
    assert_says(&refused_after(|d| d.json["nodes"][2]["mesh"] = json!(5)), &["mesh 5 is out of range"]);
    assert_says(&refused_after(|d| d.json["bufferViews"][0]["buffer"] = json!(5)), &["buffer 5", "buffer view 0"]);
    assert_says(
        &refused_after(|d| d.json["accessors"][0]["bufferView"] = json!(50)),
        &["buffer view 50", "accessor 0"],
    );
    let material = |d: &mut Doc| d.json["meshes"][0]["primitives"][0]["material"] = json!(4);
    assert_says(&refused_after(material), &["material 4 is out of range"]);
    let node = |d: &mut Doc| d.json["animations"][0]["channels"][0]["target"]["node"] = json!(40);
    assert_says(&refused_after(node), &["node 40 is out of range", "channel 0"]);
    let sampler = |d: &mut Doc| d.json["animations"][0]["channels"][0]["sampler"] = json!(40);
    assert_says(&refused_after(sampler), &["sampler 40 is out of range", "channel 0"]);
}

#[test]
fn vertices_and_skins_out_of_range() {
    let index = refused_after(|doc| {
        let indices = doc.accessor(&[0, 1, 9], 5121, "SCALAR", 3);
        doc.json["meshes"][0]["primitives"][0]["indices"] = json!(indices);
    });
    assert_says(&index, &["vertex index 9 is out of range; it has 4 vertices", "primitive 0"]);
    let joint = refused_after(|doc| {
        let joints = doc.accessor(&[0, 7, 0, 0].repeat(4), 5121, "VEC4", 4);
        doc.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = json!(joints);
    });
    assert_says(&joint, &["vertex 0 names joint 7 of a skin of 2 joints"]);
    let short = refused_after(|doc| {
        let binds = doc.floats(&[0.0; 16], "MAT4");
        doc.json["skins"][0]["inverseBindMatrices"] = json!(binds);
    });
    assert_says(&short, &["1 inverse bind matrices for 2 joints"]);
    let counts = refused_after(|doc| {
        let normals = doc.floats(&[0.0, 1.0, 0.0], "VEC3");
        doc.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(normals);
    });
    assert_says(&counts, &["NORMAL has 1 values for 4 vertices"]);
    let nan = refused_after(|doc| doc.bin[0..4].copy_from_slice(&f32::NAN.to_le_bytes()));
    assert_says(&nan, &["position of vertex 0 is not a finite number"]);
}

#[test]
fn accessors_and_buffers_out_of_bounds() {
    assert_says(
        &refused_after(|d| d.json["accessors"][0]["count"] = json!(400)),
        &["outside its buffer view of 48 bytes", "accessor 0"],
    );
    assert_says(
        &refused_after(|d| d.json["accessors"][0]["byteOffset"] = json!(u64::MAX)),
        &["outside its buffer view"],
    );
    assert_says(&refused_after(|d| d.json["bufferViews"][0]["byteOffset"] = json!(u64::MAX)), &["outside its buffer"]);
    assert_says(&refused_after(|d| d.json["bufferViews"][0]["byteStride"] = json!(4)), &["stride is 4 bytes"]);
    assert_says(&refused_after(|d| d.json["accessors"][0]["type"] = json!("VEC2")), &["Vec2; expected Vec3"]);
    assert_says(&refused_after(|d| d.json["accessors"][0]["componentType"] = json!(1)), &["unknown type"]);
    assert_says(
        &refused_after(|d| d.json["buffers"][0]["byteLength"] = json!(1_000_000)),
        &["expected 1000000 bytes", "buffer 0"],
    );
    assert_says(
        &refused_after(|d| d.json["buffers"][0]["uri"] = json!("gone.bin")),
        &["'gone.bin'", "Copy it next to this file"],
    );
    assert_says(&refused_after(|d| d.json["buffers"][0]["uri"] = json!("data:;base64,%%%")), &["data URI", "buffer 0"]);
    let second = |d: &mut Doc| d.json["buffers"].as_array_mut().unwrap().push(json!({ "byteLength": 4 }));
    assert_says(&refused_after(second), &["no binary chunk", "buffer 1"]);
}

#[test]
fn a_few_bytes_cannot_ask_for_gigabytes() {
    let sparse = |count: u64| {
        refused_after(|doc| {
            let (indices, values) = (doc.view(&[0]), doc.view(&[0; 12]));
            doc.json["accessors"][0] = json!({
                "componentType": 5126, "type": "VEC3", "count": count,
                "sparse": {
                    "count": 1, "indices": { "bufferView": indices, "componentType": 5121 },
                    "values": { "bufferView": values },
                },
            });
        })
    };
    for count in [1 << 33, u64::MAX] {
        assert_says(&sparse(count), &["vertices", "may have", "mesh 0 'strip', primitive 0", "Export the file again"]);
    }
    let mut long = Doc::new(json!([{ "name": "a" }]));
    let clip = long.animation("long");
    long.channel(clip, 0, "translation", "LINEAR", &[0.0, 1e9], &[0.0; 6]);
    assert_says(&refused(&long), &["'long' lasts 1000000000 s", "2 key times"]);
    let take =
        "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation } MOTION Frames: 18446744073709551615 Frame Time: 0.1 1";
    let read = import_bytes("bvh", take.as_bytes()).unwrap();
    assert!(read.findings.iter().any(|found| found.what.contains("after 1 of 18446744073709551615 frames")));
}

#[test]
fn sparse_indices_must_be_in_order_and_range() {
    for (indices, bad) in [([1, 1], "sparse index 1"), ([0, 9], "sparse index 9")] {
        let message = refused_after(|doc| {
            let (indices, values) = (doc.view(&indices), doc.view(&[0; 24]));
            doc.json["accessors"][0]["sparse"] = json!({
                "count": 2, "indices": { "bufferView": indices, "componentType": 5121 },
                "values": { "bufferView": values },
            });
        });
        assert_says(&message, &[bad, "accessor 0"]);
    }
}

#[test]
fn a_clip_with_nan_is_dropped_beside_good_ones_and_refused_alone() {
    let mut doc = small_rig();
    let bad = doc.animation("bad");
    doc.channel(bad, 0, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, f32::NAN, 0.0, 0.0]);
    let imported = doc.import().unwrap();
    assert_eq!(imported.clips.iter().map(|c| c.name()).collect::<Vec<_>>(), ["wave"]);
    let finding = imported.findings.iter().find(|f| f.subject == "bad").unwrap();
    assert_eq!(finding.severity, Severity::Warning);
    assert!(finding.what.contains("NaN"), "{finding:?}");

    doc.json["animations"].as_array_mut().unwrap().remove(0);
    assert_says(&refused(&doc), &["key 1 holds NaN", "test.glb"]);
}

#[test]
fn other_bad_clips_name_their_fault() {
    let alone = |mode: &str, path: &str, times: &[f32], values: &[f32]| {
        let mut doc = Doc::new(json!([{ "name": "a" }]));
        let clip = doc.animation("c");
        doc.channel(clip, 0, path, mode, times, values);
        refused(&doc)
    };
    assert_says(&alone("LINEAR", "translation", &[0.0, 1.0], &[0.0; 3]), &["1 values for 2 keys"]);
    assert_says(
        &alone("CUBICSPLINE", "translation", &[0.0, 1.0], &[0.0; 6]),
        &["2 values for 2 keys; expected 3 a key"],
    );
    assert_says(&alone("LINEAR", "translation", &[1.0, 0.0], &[0.0; 6]), &["backwards"]);
    assert_says(&alone("LINEAR", "rotation", &[0.0], &[0.0; 4]), &["length zero"]);
    assert_says(&alone("SMOOTH", "scale", &[0.0], &[1.0; 3]), &["unknown interpolation"]);
    assert_says(&alone("LINEAR", "translation", &[0.0, f32::INFINITY], &[0.0; 6]), &["time of key 1"]);
}

#[test]
fn unusable_extensions_and_rates_are_refused() {
    let unknown = refused_after(|d| {
        d.json["extensionsRequired"] = json!(["EXT_mesh_of_tomorrow"]);
        d.json["accessors"][0]["extensions"] = json!({ "EXT_mesh_of_tomorrow": {} });
    });
    assert_says(&unknown, &["EXT_mesh_of_tomorrow", "without that extension"]);
    let mut looks = small_rig();
    looks.json["extensionsRequired"] = json!(["KHR_materials_unlit", "KHR_mesh_quantization"]);
    assert_eq!(looks.import().unwrap().findings.iter().filter(|f| f.subject.starts_with("KHR")).count(), 1);
    for rate in [0.0, -30.0, f32::NAN, 1e9] {
        let options = ImportOptions { rate_hz: Some(rate), ..ImportOptions::default() };
        assert_says(&small_rig().import_with(&options).unwrap_err().to_string(), &["0.5 to 1000 Hz"]);
    }
}
