//! Extensions that change the reading of a document.

use crate::import_support::{Doc, import_bytes, small_rig};
use glam::{Quat, Vec2, Vec3};
use posepress_core::import::Severity;
use serde_json::{Value, json};

/// Compresses the view of an accessor as meshoptimizer does. Elements have `stride` bytes.
fn pack(doc: &mut Doc, accessor: usize, packed: &[u8], stride: usize, mode: &str, filter: &str) {
    let view = doc.json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let count = doc.json["accessors"][accessor]["count"].clone();
    let at = doc.view(packed);
    let offset = doc.json["bufferViews"][at]["byteOffset"].clone();
    doc.json["bufferViews"].as_array_mut().unwrap()[view]["extensions"] = json!({ "EXT_meshopt_compression": {
        "buffer": 0, "byteOffset": offset, "byteLength": packed.len(),
        "byteStride": stride, "count": count, "mode": mode, "filter": filter,
    } });
}

/// Accessors of a clip of two nodes: times, translations as floats, rotations as normalized integers.
fn packed_clip() -> Doc {
    let mut doc = Doc::new(json!([{ "name": "a" }, { "name": "b" }]));
    doc.json["extensionsRequired"] = json!(["EXT_meshopt_compression"]);
    let clip = doc.animation("clip");
    let times = doc.floats(&[0.0, 0.5, 1.0], "SCALAR");
    let places = doc.floats(&[9.0; 9], "VEC3");
    let turns = doc.accessor(&[0; 24], 5122, "VEC4", 3);
    doc.json["accessors"][turns]["normalized"] = json!(true);
    doc.channel_of(clip, 0, "translation", "LINEAR", times, places);
    doc.channel_of(clip, 1, "rotation", "LINEAR", times, turns);
    let moved: Vec<[f32; 3]> = vec![[0.0, 1.0, 2.0], [0.5, 1.0, 2.5], [1.0, -1.0, 3.0]];
    pack(&mut doc, places, &meshopt::encode_vertex_buffer(&moved).unwrap(), 12, "ATTRIBUTES", "NONE");
    let quats: Vec<[f32; 4]> = (0..3).map(|i| Quat::from_rotation_y(0.4 * i as f32).to_array()).collect();
    let filtered = meshopt::encode_filter_quat(&quats, 12);
    pack(&mut doc, turns, &meshopt::encode_vertex_buffer(&filtered).unwrap(), 8, "ATTRIBUTES", "QUATERNION");
    doc
}

#[test]
fn views_packed_by_meshoptimizer_are_read() {
    let imported = packed_clip().import().unwrap();
    let clip = &imported.clips[0];
    assert_eq!(clip.at(clip.samples() - 1, 0).translation, Vec3::new(1.0, -1.0, 3.0));
    let turned = clip.at(clip.samples() - 1, 1).rotation;
    assert!(turned.angle_between(Quat::from_rotation_y(0.8)) < 2e-3, "{turned}");
    let unpacked = 3 * (4 + 12 + 8);
    assert!((20..unpacked + 60).contains(&imported.clip_bytes[0]), "{:?} bytes", imported.clip_bytes);
}

#[test]
fn packed_indices_and_fallback_buffers_are_read() {
    let expected = small_rig().import().unwrap();
    let mut doc = small_rig();
    let indices = doc.json["meshes"][0]["primitives"][0]["indices"].as_u64().unwrap() as usize;
    let corners: Vec<u32> = expected.rig.meshes[0].triangles.iter().flatten().copied().collect();
    doc.json["accessors"][indices]["componentType"] = json!(5125);
    let packed = meshopt::encode_index_buffer(&corners, 4).unwrap();
    pack(&mut doc, indices, &packed, 4, "TRIANGLES", "NONE");
    let view = doc.json["accessors"][indices]["bufferView"].as_u64().unwrap() as usize;
    doc.json["bufferViews"][view]["buffer"] = json!(1);
    let fallback = json!({ "byteLength": 4096, "extensions": { "EXT_meshopt_compression": { "fallback": true } } });
    doc.json["buffers"].as_array_mut().unwrap().push(fallback);
    let imported = import_bytes("glb", &doc.glb()).unwrap();
    // A triangle may start at another corner.
    let sorted = |triangles: &[[u32; 3]]| {
        let turned = triangles.iter().map(|t| {
            let first = (0..3).min_by_key(|&i| t[i]).unwrap();
            [t[first], t[(first + 1) % 3], t[(first + 2) % 3]]
        });
        turned.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(sorted(&imported.rig.meshes[0].triangles), sorted(&expected.rig.meshes[0].triangles));
}

#[test]
fn what_is_packed_wrong_is_an_error_that_names_the_view() {
    let broken = |change: fn(&mut Value)| {
        let mut doc = packed_clip();
        for view in doc.json["bufferViews"].as_array_mut().unwrap() {
            if let Some(packed) = view.pointer_mut("/extensions/EXT_meshopt_compression") {
                change(packed);
            }
        }
        doc.import().unwrap_err().to_string()
    };
    for (change, word) in [
        ((|p| p["byteStride"] = json!(10)) as fn(&mut Value), "10 bytes"),
        (|p| p["byteLength"] = json!(7), "damaged"),
        (|p| p["count"] = json!(1_000_000_000_000_u64), "bytes of numbers"),
        (|p| p["mode"] = json!("TRIANGLES"), "do not fit mode"),
        (|p| p["mode"] = json!("SOMETHING"), "cannot be read"),
        (|p| p["buffer"] = json!(4), "buffer 4"),
        (|p| p["byteOffset"] = json!(1_u64 << 40), "outside its buffer"),
    ] {
        let error = broken(change);
        assert!(error.contains(word) && error.contains("buffer view"), "{word}: {error}");
    }
    let mut doc = packed_clip();
    for at in 0..doc.bin.len() {
        doc.bin[at] ^= 0x5a;
        let _ = doc.import(); // any result except a panic
        doc.bin[at] ^= 0x5a;
    }
}

#[test]
fn a_texture_transform_places_the_picture() {
    let read = |texture: Value| {
        let mut doc = small_rig();
        let corners = doc.floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0], "VEC2");
        let other = doc.floats(&[0.25; 8], "VEC2");
        let primitive = &mut doc.json["meshes"][0]["primitives"][0];
        primitive["attributes"]["TEXCOORD_0"] = json!(corners);
        primitive["attributes"]["TEXCOORD_1"] = json!(other);
        primitive["material"] = json!(0);
        doc.json["extensionsRequired"] = json!(["KHR_texture_transform"]);
        doc.json["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": texture } }]);
        doc.json["images"] = json!([{ "uri": "none.png" }]);
        doc.json["textures"] = json!([{ "source": 0 }]);
        doc.import().unwrap().rig.meshes[0].uvs.clone()
    };
    let transform = |said: Value| json!({ "index": 0, "extensions": { "KHR_texture_transform": said } });
    let close = |a: Vec2, b: Vec2| a.distance(b) < 1e-6;
    let placed = read(transform(json!({ "offset": [0.5, 0.25], "scale": [2.0, 3.0] })));
    assert!(close(placed[0], Vec2::new(0.5, 0.25)) && close(placed[3], Vec2::new(2.5, 3.25)), "{placed:?}");
    // Counter-clockwise in the picture, whose v axis points down: right becomes up.
    let turned = read(transform(json!({ "rotation": std::f32::consts::FRAC_PI_2 })));
    assert!(close(turned[1], Vec2::new(0.0, -1.0)), "{turned:?}");
    let other = read(transform(json!({ "texCoord": 1 })));
    assert!(other.iter().all(|uv| *uv == Vec2::splat(0.25)), "{other:?}");
}

#[test]
fn webp_pictures_are_read() {
    let mut doc = small_rig();
    let mut webp = Vec::new();
    let pixels = image::RgbaImage::from_pixel(2, 1, image::Rgba([10, 20, 30, 255]));
    pixels.write_to(&mut std::io::Cursor::new(&mut webp), image::ImageFormat::WebP).unwrap();
    let view = doc.view(&webp);
    doc.json["images"] = json!([{ "bufferView": view, "mimeType": "image/webp" }]);
    doc.json["textures"] = json!([{ "extensions": { "EXT_texture_webp": { "source": 0 } } }]);
    doc.json["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    doc.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    let imported = doc.import().unwrap();
    assert_eq!(imported.rig.images[0].rgba, [10, 20, 30, 255, 10, 20, 30, 255]);
}

#[test]
fn a_mesh_packed_by_draco_is_left_out_and_its_clips_stay() {
    let mut doc = small_rig();
    doc.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    let draco = json!({ "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": { "POSITION": 0 } } });
    doc.json["meshes"][0]["primitives"][0]["extensions"] = draco;
    let imported = doc.import().unwrap();
    assert!(imported.rig.meshes.is_empty());
    assert_eq!(imported.clips.len(), small_rig().import().unwrap().clips.len());
    let warning = imported.findings.iter().find(|f| f.what.contains("Draco")).unwrap();
    assert_eq!(warning.severity, Severity::Warning);
}

#[test]
fn accessors_without_a_view_are_zeros() {
    let mut doc = Doc::new(json!([{ "name": "a", "translation": [1.0, 2.0, 3.0] }]));
    let clip = doc.animation("clip");
    let times = doc.floats(&[0.0, 1.0], "SCALAR");
    let zeros = doc.floats(&[7.0; 6], "VEC3");
    doc.json["accessors"][zeros].as_object_mut().unwrap().remove("bufferView");
    doc.channel_of(clip, 0, "translation", "LINEAR", times, zeros);
    assert_eq!(doc.import().unwrap().clips[0].at(0, 0).translation, Vec3::ZERO);
}

#[test]
fn a_document_that_does_not_fit_names_the_place_or_its_version() {
    let mut doc = small_rig();
    doc.json["animations"][0]["channels"][0]["target"]["node"] = json!("hips");
    let error = import_bytes("gltf", &doc.gltf()).unwrap_err().to_string();
    assert!(error.contains("animations[0].channels[0].target.node"), "{error}");
    let old = json!({ "asset": { "version": "1.0" }, "nodes": { "hips": { "children": [] } }, "scenes": {} });
    let error = import_bytes("gltf", old.to_string().as_bytes()).unwrap_err().to_string();
    assert!(error.contains("\"1.0\"") && error.contains("expected 2.0"), "{error}");
}
