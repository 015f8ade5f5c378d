//! Small glTF documents made in memory, and files of the corpus.
#![allow(dead_code)] // each test file uses a part

use crate::project::corpus;
use posepress_core::import::{IMPORTERS, ImportError, ImportOptions, Imported, Importer, import_file};
use serde_json::{Value, json};
use std::path::Path;

pub fn importer(extension: &str) -> &'static dyn Importer {
    *IMPORTERS.iter().find(|i| i.extensions().contains(&extension)).unwrap()
}

pub fn import_bytes(extension: &str, bytes: &[u8]) -> Result<Imported, ImportError> {
    let name = format!("folder/test.{extension}");
    importer(extension).import(Path::new(&name), bytes.into(), &ImportOptions::default())
}

pub fn import_corpus(name: &str, options: &ImportOptions) -> Option<Imported> {
    Some(import_file(&corpus(name)?, options).unwrap())
}

/// A glTF document under construction: its JSON, which may be changed, and its buffer.
#[derive(Clone)]
pub struct Doc {
    pub json: Value,
    pub bin: Vec<u8>,
}

pub const FLOAT: u32 = 5126;

impl Doc {
    /// An empty document with these nodes.
    pub fn new(nodes: Value) -> Self {
        let json = json!({
            "asset": { "version": "2.0" }, "nodes": nodes, "buffers": [{ "byteLength": 0 }],
            "accessors": [], "bufferViews": [], "animations": [],
        });
        Self { json, bin: Vec::new() }
    }

    /// Appends bytes as a buffer view.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        while !self.bin.len().is_multiple_of(4) {
            self.bin.push(0);
        }
        let view = json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() });
        self.bin.extend_from_slice(bytes);
        self.json["buffers"][0]["byteLength"] = json!(self.bin.len());
        push(&mut self.json["bufferViews"], view)
    }

    /// Appends bytes as an accessor.
    pub fn accessor(&mut self, bytes: &[u8], component: u32, shape: &str, count: usize) -> usize {
        let view = self.view(bytes);
        let accessor = json!({ "bufferView": view, "componentType": component, "type": shape, "count": count });
        push(&mut self.json["accessors"], accessor)
    }

    /// Appends floats as an accessor.
    pub fn floats(&mut self, values: &[f32], shape: &str) -> usize {
        let width = match shape {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(&bytes, FLOAT, shape, values.len() / width)
    }

    /// Appends an animation and returns its index.
    pub fn animation(&mut self, name: &str) -> usize {
        push(&mut self.json["animations"], json!({ "name": name, "channels": [], "samplers": [] }))
    }

    /// Adds a channel to an animation.
    pub fn channel(&mut self, animation: usize, node: usize, path: &str, mode: &str, times: &[f32], values: &[f32]) {
        let shape = match path {
            "rotation" => "VEC4",
            "weights" => "SCALAR",
            _ => "VEC3",
        };
        let (input, output) = (self.floats(times, "SCALAR"), self.floats(values, shape));
        self.channel_of(animation, node, path, mode, input, output);
    }

    /// Adds a channel with existing accessors.
    pub fn channel_of(&mut self, animation: usize, node: usize, path: &str, mode: &str, input: usize, output: usize) {
        let animation = &mut self.json["animations"][animation];
        let sampler = json!({ "input": input, "output": output, "interpolation": mode });
        let sampler = push(&mut animation["samplers"], sampler);
        push(&mut animation["channels"], json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    /// The document as a GLB.
    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut bin = self.bin.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        let mut out = b"glTF\x02\0\0\0".to_vec();
        out.extend((28 + json.len() as u32 + bin.len() as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &bin)] {
            out.extend((chunk.len() as u32).to_le_bytes());
            out.extend_from_slice(kind);
            out.extend(chunk);
        }
        out
    }

    /// The document as glTF with its buffer in a data URI.
    pub fn gltf(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"][0]["uri"] = json!(format!("data:application/octet-stream;base64,{}", base64(&self.bin)));
        json.to_string().into_bytes()
    }

    pub fn import(&self) -> Result<Imported, ImportError> {
        import_bytes("glb", &self.glb())
    }

    pub fn import_with(&self, options: &ImportOptions) -> Result<Imported, ImportError> {
        importer("glb").import(Path::new("folder/test.glb"), self.glb().into(), options)
    }
}

fn push(list: &mut Value, value: Value) -> usize {
    let list = list.as_array_mut().unwrap();
    list.push(value);
    list.len() - 1
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0u32, |n, &b| n << 8 | u32::from(b)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit)) & 63;
            out.push(if digit <= three.len() { DIGITS[index as usize] as char } else { '=' });
        }
    }
    out
}

/// A skinned strip of two joints with a morph target, and a clip of rotation, translation and weights: all difficult cases
/// for a reader in two kilobytes.
pub fn small_rig() -> Doc {
    let mut doc = Doc::new(json!([
        { "name": "root", "children": [1, 2] },
        { "name": "tip", "translation": [0.0, 1.0, 0.0] },
        { "name": "skin", "mesh": 0, "skin": 0 },
    ]));
    doc.json["scenes"] = json!([{ "nodes": [0] }]);
    let position = doc.floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0], "VEC3");
    let offset = doc.floats(&[0.0; 12], "VEC3");
    let joints = doc.accessor(&[0, 1, 0, 0].repeat(4), 5121, "VEC4", 4);
    let weights = doc.accessor(&[128, 127, 0, 0].repeat(4), 5121, "VEC4", 4);
    let indices = doc.accessor(&[0, 1, 2, 2, 1, 3], 5121, "SCALAR", 6);
    let identity = glam::Mat4::IDENTITY.to_cols_array();
    let lowered = glam::Mat4::from_translation(glam::Vec3::NEG_Y).to_cols_array();
    let inverse_binds = doc.floats(&[identity, lowered].concat(), "MAT4");
    doc.json["meshes"] = json!([{
        "name": "strip", "weights": [0.25], "extras": { "targetNames": ["smile"] },
        "primitives": [{
            "attributes": { "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights },
            "indices": indices, "targets": [{ "POSITION": offset }],
        }],
    }]);
    doc.json["skins"] = json!([{ "joints": [0, 1], "inverseBindMatrices": inverse_binds }]);
    let clip = doc.animation("wave");
    let s = std::f32::consts::FRAC_1_SQRT_2;
    doc.channel(
        clip,
        1,
        "rotation",
        "LINEAR",
        &[0.0, 0.5, 1.0],
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, s, s, 0.0, 0.0, 0.0, 1.0],
    );
    doc.channel(clip, 0, "translation", "STEP", &[0.0, 0.5], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    doc.channel(clip, 2, "weights", "LINEAR", &[0.0, 1.0], &[0.0, 1.0]);
    doc
}
