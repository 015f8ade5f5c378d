//! Small files with large requests: requests beyond the file's bytes are refused with place and remedy, without much memory.

use crate::codecs::allocation::allocated;
use crate::import_support::{Doc, import_bytes, small_rig};
use posepress_core::format::{ClipEntry, Container, ContainerFile};
use posepress_core::import::{ImportError, ImportOptions, Imported, import_file};
use posepress_core::model::Clip;
use posepress_core::pipeline::{Archive, ArchiveError};
use serde_json::{Value, json};

/// Largest memory for a file of some kilobytes.
const MAX_BYTES: usize = 1 << 30;

/// Imports a document on one thread and measures its memory.
fn import(doc: &Doc) -> Result<Imported, ImportError> {
    let glb = doc.glb();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (peak, _, imported) = pool.install(|| allocated(|| import_bytes("glb", &glb)));
    assert!(peak < MAX_BYTES, "{peak} bytes for a file of {}", glb.len());
    imported
}

/// An accessor of zeros that takes no bytes.
fn implied(doc: &mut Doc, count: usize) -> usize {
    let (indices, values) = (doc.view(&[0; 4]), doc.view(&[0; 12]));
    let accessors = doc.json["accessors"].as_array_mut().unwrap();
    accessors.push(json!({
        "componentType": 5126, "type": "VEC3", "count": count,
        "sparse": {
            "count": 1, "indices": { "bufferView": indices, "componentType": 5125 }, "values": { "bufferView": values },
        },
    }));
    accessors.len() - 1
}

/// A chain whose end turns for a time.
fn chain(joints: usize, secs: f32) -> Doc {
    let node = |i: usize| if i + 1 < joints { json!({ "children": [i + 1] }) } else { json!({}) };
    let mut doc = Doc::new(Value::Array((0..joints).map(node).collect()));
    let clip = doc.animation("long");
    doc.channel(clip, joints - 1, "rotation", "LINEAR", &[0.0, secs], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8]);
    doc
}

fn mesh(vertices: usize, targets: usize, secs: f32) -> Doc {
    let mut doc = chain(2, secs);
    let position = implied(&mut doc, vertices);
    doc.json["nodes"].as_array_mut().unwrap().push(json!({ "mesh": 0, "skin": 0 }));
    doc.json["skins"] = json!([{ "joints": [0, 1] }]);
    let targets = vec![json!({}); targets];
    let part = json!({ "attributes": { "POSITION": position }, "targets": targets });
    doc.json["meshes"] = json!([{ "name": "face", "primitives": [part] }]);
    doc
}

/// A skin of many joints that many nodes use.
fn palettes(nodes: usize, joints: usize) -> Doc {
    let mut doc = mesh(3, 0, 1.0);
    doc.json["skins"] = json!([{ "joints": vec![1; joints] }]);
    let list = doc.json["nodes"].as_array_mut().unwrap();
    list.extend(vec![json!({ "mesh": 0, "skin": 0 }); nodes]);
    doc
}

/// Documents that once exhausted memory or time, each with `size` tenths of that request.
fn hostile(size: usize) -> Vec<(&'static str, Doc, &'static str)> {
    vec![
        ("vertices", mesh(500_000 * size, 0, 1.0), "mesh 0 'face', primitive 0"),
        ("offsets", mesh(60_000, 100 * size, 1.0), "mesh 0 'face', primitive 0"),
        ("palettes", palettes(400 * size, 375), "skin 0"),
        ("samples", chain(50, 170.0 * size as f32), "clip 'long'"),
        ("chains", chain(160 * size, 1.0), "clip 'long'"),
        ("skin", mesh(40_000, 0, 20.0 * size as f32), "Choose a lower sample rate"),
    ]
}

#[test]
fn what_small_files_ask_for_is_refused_with_place_and_remedy() {
    for (what, doc, place) in hostile(10).into_iter().chain(hostile(100)) {
        let error = import(&doc).expect_err(what);
        let message = error.to_string();
        assert!(message.contains(place), "{what}: {message}");
        let refused = message.contains("it asks for ") && message.contains(" may have ") || message.contains("lasts");
        assert!(refused && error.advice.is_some(), "{what}: {message}");
    }
}

#[test]
fn a_tenth_stays_within_memory_whether_it_is_read_or_not() {
    for (_, doc, _) in hostile(1) {
        let _ = import(&doc);
    }
}

#[test]
fn a_rig_within_its_means_is_read() {
    assert!(import(&small_rig()).is_ok());
    assert!(import(&chain(200, 30.0)).is_ok());
    assert!(import(&mesh(20_000, 20, 3.0)).is_ok());
}

#[test]
fn the_last_of_channels_that_move_the_same_counts_and_the_rest_is_said() {
    let mut doc = chain(1, 1.0);
    for x in [1.0, 2.0, 3.0] {
        doc.channel(0, 0, "translation", "LINEAR", &[0.0, 1.0], &[x, 0.0, 0.0, x, 0.0, 0.0]);
    }
    let imported = import(&doc).unwrap();
    assert!(imported.clips[0].pose(0)[0].translation.x == 3.0);
    let said = imported.findings.iter().find(|f| f.what.contains("same target as a later one")).unwrap();
    assert!(said.what.starts_with("2 channels") && said.subject == "long", "{said:?}");
}

#[test]
fn textures_beyond_the_files_means_are_left_out() {
    let picture = |side: u32| {
        let mut png = Vec::new();
        let pixels = image::GrayImage::new(side, side);
        pixels.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
        png
    };
    for (side, images) in [(64, 1), (8192, 0)] {
        let mut doc = small_rig();
        let view = doc.view(&picture(side));
        doc.json["images"] = json!([{ "bufferView": view, "mimeType": "image/png" }]);
        doc.json["textures"] = json!([{ "source": 0 }]);
        doc.json["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
        doc.json["meshes"][0]["primitives"][0]["material"] = json!(0);
        let imported = import(&doc).unwrap();
        assert_eq!(imported.rig.images.len(), images, "{side}");
        let said = imported.findings.iter().any(|f| f.what.contains("pixels of textures"));
        assert_eq!(said, images == 0, "{:?}", imported.findings);
    }
}

/// A rig with a picture that many images use.
fn pictured(png: &[u8], images: usize) -> Doc {
    let mut doc = small_rig();
    let view = doc.view(png);
    doc.json["images"] = vec![json!({ "bufferView": view, "mimeType": "image/png" }); images].into();
    doc.json["textures"] = (0..images).map(|image| json!({ "source": image })).collect();
    let material = |image: usize| json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": image } } });
    doc.json["materials"] = (0..images).map(material).collect();
    let part = doc.json["meshes"][0]["primitives"][0].clone();
    let parts = (0..images).map(|image| {
        let mut part = part.clone();
        part["material"] = json!(image);
        part
    });
    doc.json["meshes"][0]["primitives"] = parts.collect();
    doc
}

/// Compressed zeros: more of them than a picture may have.
fn many_zeros() -> Vec<u8> {
    const UNPACKED_BYTES: u64 = 600 << 20;
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), UNPACKED_BYTES), &mut packer).unwrap();
    packer.finish().unwrap()
}

/// A picture of one pixel with a chunk after its head.
fn with_chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut png = Vec::new();
    image::GrayImage::new(1, 1).write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
    let checksum = crc32fast::hash(&[kind, data].concat());
    let chunk = [&(data.len() as u32).to_be_bytes()[..], kind, data, &checksum.to_be_bytes()].concat();
    const HEAD_BYTES: usize = 8 + 25; // signature and IHDR
    png.splice(HEAD_BYTES..HEAD_BYTES, chunk);
    png
}

#[test]
fn of_a_picture_its_pixels_alone_are_unpacked_and_once() {
    let zeros = many_zeros();
    for (kind, head) in [(b"iCCP", &b"p\0\0"[..]), (b"zTXt", b"t\0\0"), (b"iTXt", b"XML:com.adobe.xmp\0\x01\0\0\0")] {
        let imported = import(&pictured(&with_chunk(kind, &[head, &zeros].concat()), 200)).unwrap();
        assert_eq!(imported.rig.images.len(), 1, "{:?}", imported.findings);
        assert!(imported.rig.materials.iter().all(|material| material.base_color_image == Some(0)));
    }
}

/// Overlapping views count as separate pictures. Together they may not be much longer than the file.
#[test]
fn bytes_that_many_names_share_are_booked_for_each() {
    let mut doc = pictured(&vec![0; 1 << 20], 200);
    let first = doc.json["images"][0]["bufferView"].as_u64().unwrap() as usize;
    for image in 1..200 {
        let mut view = doc.json["bufferViews"][first].clone();
        view["byteLength"] = json!((1 << 20) - image);
        let views = doc.json["bufferViews"].as_array_mut().unwrap();
        views.push(view);
        doc.json["images"][image]["bufferView"] = json!(views.len() - 1);
    }
    let imported = import(&doc).unwrap();
    assert!(
        imported.findings.iter().any(|f| f.what.contains("bytes of buffers and textures")),
        "{:?}",
        imported.findings
    );
}

#[test]
fn names_that_steer_a_terminal_are_shown_escaped() {
    let mut doc = small_rig();
    doc.json["nodes"][1]["name"] = json!("a\u{1b}[31m\u{202e}b\n");
    doc.json["animations"][0]["name"] = json!("walk\u{7}");
    let imported = import(&doc).unwrap();
    assert_eq!(imported.rig.skeleton.name(1), "a\\u{1b}[31m\\u{202e}b\\n");
    assert_eq!(imported.clips[0].name(), "walk\\u{7}");
}

#[test]
fn files_outside_the_folder_are_named_and_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let doc = small_rig();
    std::fs::write(folder.path().join("a.bin"), &doc.bin).unwrap();
    std::fs::write(inner.join("a.bin"), &doc.bin).unwrap();
    for (uri, opens) in [("../a.bin", false), ("%2e%2e/a.bin", false), ("a.bin", true)] {
        let mut json = doc.json.clone();
        json["buffers"][0]["uri"] = json!(uri);
        let file = inner.join("a.gltf");
        std::fs::write(&file, json.to_string()).unwrap();
        match import_file(&file, &ImportOptions::default()) {
            Ok(_) => assert!(opens, "{uri} was opened"),
            Err(error) => {
                let message = error.to_string();
                assert!(!opens && message.contains(uri) && message.contains("own folder"), "{message}");
                assert!(message.contains("buffer 0") && error.advice.is_some(), "{message}");
            }
        }
    }
}

/// A clip of 65 535 joints and a million samples takes a few bytes if nothing moves.
#[test]
fn a_container_cannot_ask_for_gigabytes() {
    let bytes = std::fs::read(crate::project::project("tests/golden/codecs.posepress")).unwrap();
    let mut container = Container::read(&bytes).unwrap();
    for ClipEntry { bytes, .. } in &mut container.clips {
        bytes[4..8].copy_from_slice(&(1u32 << 20).to_le_bytes());
    }
    match Archive::open(&container.write(), None).map(|archive| archive.clips().len()) {
        Err(error @ ArchiveError::TooMuch { .. }) => {
            let message = error.to_string();
            assert!(message.contains("may have") && message.contains("compress its source again"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

/// Files that once exhausted memory or time, if they are next to the checkout.
#[test]
fn the_hostile_files_end() {
    let folder = crate::project::project("../shared/hostile");
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let file = entry.unwrap().path();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let read = || import_file(&file, &ImportOptions::default()).map(|i| i.clips.iter().map(Clip::samples).sum());
        let (peak, _, _samples): (_, _, Result<usize, _>) = pool.install(|| allocated(read));
        assert!(peak < MAX_BYTES, "{}: {peak} bytes", file.display());
    }
}
