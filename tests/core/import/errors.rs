//! Every bad file gives an error with what is wrong, where, and what to do. It never panics or floods memory.

use crate::import_support::{Doc, import_bytes, small_rig};
use posepress_core::import::{ImportOptions, Severity, import_file};
use serde_json::json;

/// The error message for a document.
fn refused(doc: &Doc) -> String {
    doc.import().unwrap_err().to_string()
}

/// The error message for a document after `change`.
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
fn every_prefix_of_a_glb_is_refused() {
    let whole = small_rig().glb();
    for len in 0..whole.len() {
        let message = import_bytes("glb", &whole[..len]).unwrap_err().to_string();
        if len >= 12 {
            assert_says(&message, &["test.glb", "cut short", &format!("the file has {len}")]);
        }
    }
}

/// From a complete hierarchy the rig is read, and from complete rows the frames. Findings report the missing rest.
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
fn required_extensions_of_surfaces_are_noted() {
    let mut looks = small_rig();
    looks.json["extensionsRequired"] = json!(["KHR_materials_unlit", "KHR_mesh_quantization"]);
    assert_eq!(looks.import().unwrap().findings.iter().filter(|f| f.subject.starts_with("KHR")).count(), 1);
}

#[test]
fn a_pointer_of_git_lfs_says_what_to_do_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let pointer = folder.path().join("walk.bvh");
    std::fs::write(&pointer, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n").unwrap();
    let message = import_file(&pointer, &ImportOptions::default()).unwrap_err().to_string();
    assert!(message.ends_with("'git lfs pull'"), "{message}");
}
