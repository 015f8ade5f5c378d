//! Errors of files of any kind, and of code that all importers share.

use super::importers::Said;
use crate::import_support::{Doc, small_rig};
use posepress_core::import::{ImportOptions, import_bytes, import_file};
use serde_json::json;
use std::path::Path;

pub fn table() -> Said {
    let mut said = Said::default();
    named(&mut said);
    beside(&mut said);
    pictures(&mut said);
    keys(&mut said);
    rates(&mut said);
    said
}

fn named(said: &mut Said) {
    let read = |path: &str| import_file(Path::new(path), &ImportOptions::default());
    said.refused_whole(read("no/such.glb"), &["no/such.glb: cannot be read", "Check the path"]);
    said.refused_whole(read("a.max"), &["files of kind '.max' are not supported; expected one of", "glb", "bvh"]);
    let empty = import_bytes(Path::new("empty.glb"), b"", &ImportOptions::default());
    said.refused_whole(empty, &["empty.glb: the file is empty (0 bytes)", "Copy or export it again"]);
}

fn beside(said: &mut Said) {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(folder.path().join("secret.bin"), [0; 9]).unwrap();
    let mut read = |uri: &str, parts: &[&str]| {
        let mut doc = small_rig();
        doc.json["buffers"][0]["uri"] = json!(uri);
        let read = import_bytes(&inner.join("a.glb"), doc.glb(), &ImportOptions::default());
        said.refused(read, &[parts, &["buffer 0"]].concat());
    };
    read("data:;base64,%%%", &["its data URI cannot be decoded"]);
    read("a%2", &["'a%2' is not a valid file name; expected '%' with two digits, and UTF-8"]);
    read("gone.bin", &["the file 'gone.bin' beside it cannot be read", "Copy it next to this file"]);
    read("../secret.bin", &["'../secret.bin' does not lie in this file's own folder", "with relative paths"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.bin", inner.join("link.bin")).unwrap();
        read("link.bin", &["'link.bin' is a link that leads out", "Copy the file itself"]);
    }
}

/// A rig with that picture as its texture.
fn textured(picture: &[u8]) -> Doc {
    let mut doc = small_rig();
    let view = doc.view(picture);
    doc.json["images"] = json!([{ "bufferView": view, "mimeType": "image/png" }]);
    doc.json["textures"] = json!([{ "source": 0 }]);
    doc.json["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    doc.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    doc
}

fn pictures(said: &mut Said) {
    said.left_out(textured(b"hello").import(), &["image 0", "its image format is unknown; expected PNG, JPEG or WebP"]);
    said.left_out(textured(b"GIF89a").import(), &["image 0", "it is a Gif; expected PNG, JPEG or WebP"]);
    said.left_out(textured(b"\x89PNG\r\n\x1a\n").import(), &["image 0", "the texture cannot be read"]);
    let mut nothing = textured(b"");
    nothing.json["images"] = json!([{}]);
    said.left_out(nothing.import(), &["image 0", "it has neither a buffer view nor a file"]);
}

/// A document with one clip of one channel.
fn alone(mode: &str, path: &str, times: &[f32], values: &[f32]) -> Doc {
    let mut doc = Doc::new(json!([{ "name": "a" }]));
    let clip = doc.animation("c");
    doc.channel(clip, 0, path, mode, times, values);
    doc
}

fn keys(said: &mut Said) {
    let mut read = |mode: &str, path: &str, times: &[f32], values: &[f32], part: &str| {
        said.refused(alone(mode, path, times, values).import(), &[part, "channel 0"]);
    };
    read("LINEAR", "translation", &[], &[], "a track has no keys; expected at least one");
    read("LINEAR", "translation", &[0.0, 1.0], &[0.0; 3], "1 values for 2 keys; expected 1 per key");
    read("CUBICSPLINE", "translation", &[0.0, 1.0], &[0.0; 6], "2 values for 2 keys; expected 3 per key");
    read("LINEAR", "translation", &[1.0, 0.0], &[0.0; 6], "key times run backwards: 0 s follows 1 s at key 1");
    read("LINEAR", "translation", &[0.0, f32::INFINITY], &[0.0; 6], "the time of key 1 is not a finite number");
    read("LINEAR", "rotation", &[0.0], &[0.0; 4], "key 0 holds NaN, an infinity or a rotation of length zero");
    let mut doc = small_rig();
    let joints = doc.accessor(&[0, 7, 0, 0].repeat(4), 5121, "VEC4", 4);
    doc.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = json!(joints);
    said.refused(doc.import(), &["vertex 0 names joint 7 of a skin of 2 joints", "primitive 0"]);
}

fn rates(said: &mut Said) {
    for rate in [0.0, -30.0, f32::NAN, 1e9] {
        let options = ImportOptions { rate_hz: Some(rate), ..ImportOptions::default() };
        said.refused_whole(
            small_rig().import_with(&options),
            &["the sample rate is set to", "expected 0.5 to 1000 Hz"],
        );
    }
    let long = alone("LINEAR", "translation", &[0.0, 1e9], &[0.0; 6]);
    said.refused_whole(long.import(), &["'c' lasts 1000000000 s", "2 key times", "--time-unit ms"]);
}
