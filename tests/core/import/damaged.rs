//! Damaged glTF, VRM and BVH files give an error, or data that the rest of the program can use, without much memory.
//!
//! FBX, ozz and `.anm` files have such tests next to their importers.

use crate::codecs::allocation::allocated;
use crate::import::vrm::{DANCE, MODEL, MODEL_0};
use crate::import_support::{Doc, import_bytes, small_rig};
use proptest::prelude::*;

/// Largest memory for a file of some kilobytes.
const MAX_BYTES: usize = 1 << 30;

/// Checks the conditions of the rest of the program on the data of a damaged file.
fn assert_sound(extension: &str, bytes: &[u8]) {
    let (peak, _, imported) = allocated(|| import_bytes(extension, bytes));
    assert!(peak < MAX_BYTES, "{peak} bytes for a file of {}", bytes.len());
    let imported = match imported {
        Ok(imported) => imported,
        Err(error) => return assert!(error.to_string().contains("test."), "{error}"),
    };
    assert!(imported.clip_bytes.iter().all(|&clip| clip <= bytes.len() as u64));
    for clip in &imported.clips {
        assert!(clip.fits(&imported.rig.skeleton));
        assert_eq!(clip.float_tracks(), imported.rig.float_names.len());
    }
    for mesh in &imported.rig.meshes {
        let vertices = mesh.positions.len();
        assert!(
            [mesh.normals.len(), mesh.uvs.len(), mesh.colors.len(), mesh.influences.len(), mesh.weights.len()]
                .iter()
                .all(|&n| n == vertices)
        );
        assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < vertices));
        assert!(mesh.influences.iter().flatten().all(|&j| usize::from(j) < mesh.palette.len()));
        assert!(mesh.palette.iter().all(|p| p.joint < imported.rig.skeleton.len()));
        assert!(
            mesh.targets
                .iter()
                .all(|t| t.positions.len() == vertices && t.float_track < imported.rig.float_names.len())
        );
        assert!(mesh.material.is_none_or(|m| m < imported.rig.materials.len()));
    }
}

const TAKE: &str = "HIERARCHY\nROOT a\n{\nOFFSET 0 1 0\nCHANNELS 3 Xposition Zrotation Xrotation\nJOINT b\n{\n\
                    OFFSET 0 1 0\nCHANNELS 1 Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n\
                    MOTION\nFrames: 2\nFrame Time: 0.1\n0 10 20 30\n1 11 21 31\n";

/// Every kind of glTF document, with the extension of its file.
fn documents() -> [(&'static str, Doc); 4] {
    let figures = [MODEL, MODEL_0, DANCE].map(|figure| (figure.kind.extension(), figure.doc()));
    let [model, model_0, dance] = figures;
    [("glb", small_rig()), model, model_0, dance]
}

fn assert_sound_as_text_too(extension: &str, doc: &Doc) {
    assert_sound(extension, &doc.glb());
    assert_sound("gltf", &doc.gltf());
}

type Change<T> = (prop::sample::Index, T);

fn changed(mut bytes: Vec<u8>, changes: &[Change<u8>]) -> Vec<u8> {
    let len = bytes.len();
    for (place, value) in changes {
        bytes[place.index(len)] = *value;
    }
    bytes
}

/// Changes whole numbers of a document: indices, counts and offsets.
fn renumbered(doc: Doc, changes: &[Change<u64>]) -> Option<Doc> {
    let mut pieces = split_numbers(&doc.json.to_string());
    let numbers: Vec<usize> = (0..pieces.len()).filter(|&i| pieces[i].bytes().all(|b| b.is_ascii_digit())).collect();
    for (place, value) in changes {
        pieces[numbers[place.index(numbers.len())]] = value.to_string();
    }
    let json = serde_json::from_str(&pieces.concat()).ok()?;
    Some(Doc { json, bin: doc.bin })
}

fn split_numbers(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut digits = false;
    for c in text.chars() {
        if pieces.is_empty() || c.is_ascii_digit() != digits {
            pieces.push(String::new());
            digits = c.is_ascii_digit();
        }
        pieces.last_mut().unwrap().push(c);
    }
    pieces
}

#[test]
fn counts_of_keys_that_nothing_reads_are_no_bytes() {
    let mut doc = DANCE.doc();
    // Keys of a look-at target: the clip refers to them, but the importer does not use them.
    for accessor in doc.json["accessors"].as_array_mut().unwrap().iter_mut().rev().take(2) {
        accessor["count"] = serde_json::json!(1u64 << 62);
    }
    assert_eq!(import_bytes("vrma", &doc.glb()).unwrap().clips.len(), 1);
    assert_sound("vrma", &doc.glb());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn changed_bytes_of_a_gltf_never_panic(changes in prop::collection::vec(any::<Change<u8>>(), 1..6)) {
        for (extension, doc) in documents() {
            assert_sound(extension, &changed(doc.glb(), &changes));
        }
        assert_sound("gltf", &changed(small_rig().gltf(), &changes));
    }

    #[test]
    fn changed_numbers_of_the_json_never_panic(
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop_oneof![0u64..40, 5120u64..5127, any::<u64>()]), 1..4,
        ),
    ) {
        for (extension, doc) in documents() {
            if let Some(doc) = renumbered(doc, &changes) {
                assert_sound_as_text_too(extension, &doc);
            }
        }
    }

    #[test]
    fn changed_and_cut_takes_never_panic(
        changes in prop::collection::vec(any::<Change<u8>>(), 0..4),
        keep in any::<prop::sample::Index>(),
    ) {
        let mut bytes = changed(TAKE.as_bytes().to_vec(), &changes);
        assert_sound("bvh", &bytes);
        bytes.truncate(keep.index(bytes.len()));
        assert_sound("bvh", &bytes);
    }
}
