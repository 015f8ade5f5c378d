//! Errors of glTF files and of their extensions.

use super::importers::Said;
use crate::engine_files::{chain, turning};
use crate::import_support::{Doc, import_bytes, small_rig};
use posepress_core::export::{ExportClip, ExportTarget, by_key};
use posepress_core::import::{GltfDocument, ImportOptions, Origin};
use posepress_core::model::SourceDigest;
use serde_json::{Value, json};

/// A change of a valid document, and parts of the message that it then causes.
type Row = (fn(&mut Doc), &'static [&'static str]);

pub fn table() -> Said {
    let mut said = Said::default();
    containers(&mut said);
    documents(&mut said);
    for (change, parts) in [STRUCTURE, ACCESSORS, MESHES, CLIPS].concat() {
        said.refused(changed(change).import(), parts);
    }
    for (change, parts) in WHOLE {
        said.refused_whole(changed(*change).import(), parts);
    }
    for (change, parts) in LEFT_OUT {
        said.left_out(changed(*change).import(), parts);
    }
    for (options, parts) in [
        (
            ImportOptions { figure: Some(9.0), ..Default::default() },
            ["skeleton 9 is asked for; the file has 1 skeleton"],
        ),
        (ImportOptions { scene: Some(3.0), ..Default::default() }, ["scene 3 is asked for; the file has 1 scene"]),
    ] {
        said.refused_whole(small_rig().import_with(&options), &parts);
    }
    said
}

fn changed(change: fn(&mut Doc)) -> Doc {
    let mut doc = small_rig();
    change(&mut doc);
    doc
}

fn containers(said: &mut Said) {
    let header = |version: u8, length: u8| [b"glTF".as_slice(), &[version, 0, 0, 0, length, 0, 0, 0]].concat();
    let cases: [(Vec<u8>, &[&str]); 6] = [
        (b"glTF\x02".to_vec(), &["a GLB of 5 bytes; expected a header of 12", "cut short"]),
        (header(3, 12), &["GLB version 3 is not supported; expected 2", "byte 4"]),
        (header(2, 99), &["the header says 99 bytes, the file has 12", "byte 8"]),
        ([header(2, 16), vec![9; 4]].concat(), &["a chunk header is cut short; expected 8 bytes", "byte 12"]),
        ([header(2, 20), vec![9, 0, 0, 0], b"JSON".to_vec()].concat(), &["a chunk of 9 bytes does not fit", "byte 12"]),
        (header(2, 12), &["the GLB has no JSON chunk"]),
    ];
    for (bytes, parts) in cases {
        said.refused(import_bytes("glb", &bytes), parts);
    }
    for text in ["{}", "[1, 2]", "hello", "\u{feff}", "null"] {
        said.refused(import_bytes("gltf", text.as_bytes()), &["test.gltf: this is not a glTF 2.0 document"]);
    }
    let old = import_bytes("gltf", b"{ \"asset\": { \"version\": \"1.0\" } }");
    said.refused(old, &["glTF version \"1.0\" is not supported; expected 2.0"]);
}

/// Errors of reading and of playing exports.
fn documents(said: &mut Said) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let origin = Origin { path: path.clone(), digest: SourceDigest::of(b"before"), options: ImportOptions::default() };
    said.refused_whole(GltfDocument::read(&origin), &["cannot be read any more", "Open it again"]);
    std::fs::write(path, b"after").unwrap();
    said.refused_whole(GltfDocument::read(&origin), &["it has changed since it was read", "Open it again"]);
    let rig = chain(&["a", "b"]);
    let clip = turning(&rig, 5, 1.0);
    let glb = by_key("glb").unwrap();
    let bytes = glb.export(&rig, &mut [ExportClip::raw(&clip)], &ExportTarget::default()).unwrap();
    said.unplayable("glb", &bytes, &rig, &[&clip, &clip], &["1 animations are played; expected 2"]);
}

const STRUCTURE: &[Row] = &[
    (
        |d| nodes(d, json!([{ "name": "a", "children": [1] }, { "name": "b", "children": [2] }, { "children": [0] }])),
        &["the node is its own ancestor; expected a tree", "node 0 'a'"],
    ),
    (
        |d| nodes(d, json!([{ "name": "a" }, { "name": "b", "children": [0, 2] }, { "name": "c", "children": [1] }])),
        &["the node is its own ancestor; expected a tree", "node 1 'b'"],
    ),
    (|d| nodes(d, json!([{ "children": [0] }, {}, {}])), &["its own ancestor"]),
    (
        |d| nodes(d, json!([{ "children": [2] }, { "children": [2] }, {}])),
        &["node 2 has two parents, 0 and 1; expected a tree"],
    ),
    (|d| nodes(d, json!([{ "children": [99] }, {}, {}])), &["child 99 is out of range; the file has 3 nodes"]),
    (|d| nodes(d, json!([{ "rotation": [0, 0, 0, 0] }, {}, {}])), &["not a rotation", "node 0"]),
    (|d| d.json["scenes"] = json!([{ "nodes": [7] }]), &["node 7 of the scene is out of range; the file has 3"]),
    (|d| d.json["scene"] = json!(3), &["scene 3 is out of range"]),
    (|d| d.json["skins"][0]["joints"] = json!([0, 9]), &["node 9 is out of range", "skin 0"]),
    (|d| d.json["nodes"][2]["skin"] = json!(5), &["skin 5 is out of range", "'skin'"]),
    (|d| d.json["nodes"][2]["mesh"] = json!(5), &["mesh 5 is out of range"]),
    (|d| d.json["buffers"][0]["byteLength"] = json!(1_000_000), &["expected 1000000 bytes", "buffer 0", "cut short"]),
    (|d| d.json["buffers"].as_array_mut().unwrap().push(json!({ "byteLength": 4 })), &["no binary chunk", "buffer 1"]),
];

const ACCESSORS: &[Row] = &[
    (|d| d.json["bufferViews"][0]["buffer"] = json!(5), &["it names buffer 5; the file has 1", "buffer view 0"]),
    (|d| d.json["accessors"][0]["bufferView"] = json!(50), &["buffer view 50 is out of range", "accessor 0"]),
    (|d| d.json["accessors"][0]["count"] = json!(400), &["outside its buffer view of 48 bytes", "accessor 0"]),
    (|d| d.json["accessors"][0]["byteOffset"] = json!(u64::MAX), &["outside its buffer view"]),
    (|d| d.json["bufferViews"][0]["byteOffset"] = json!(u64::MAX), &["lie outside its buffer of"]),
    (|d| d.json["bufferViews"][0]["byteStride"] = json!(4), &["its stride is 4 bytes; its elements need 12"]),
    (|d| d.json["accessors"][0]["type"] = json!("VEC2"), &["its elements are Vec2; expected Vec3"]),
    (
        |d| d.json["accessors"][0]["componentType"] = json!(1),
        &["the type of its elements or numbers is unknown; expected", "accessor 0"],
    ),
    (
        |d| {
            let colors = d.accessor(&[0; 16], 5121, "VEC5", 4);
            attributes(d)["COLOR_0"] = json!(colors);
        },
        &["the type of its elements is unknown; expected VEC3 or VEC4"],
    ),
    (
        |d| {
            let joints = d.floats(&[0.0; 16], "VEC4");
            attributes(d)["JOINTS_0"] = json!(joints);
        },
        &["its numbers are F32; expected unsigned integers"],
    ),
    (|d| sparse(d, &[0, 1], 1), &["the type of its sparse indices is unknown; expected 5121, 5123 or 5125"]),
    (
        |d| sparse(d, &[1, 1], 5121),
        &["sparse index 1 is out of range or out of order; it has 4 elements", "accessor 0"],
    ),
    (|d| sparse(d, &[0, 9], 5121), &["sparse index 9 is out of range"]),
    (|d| packed(d, json!({})), &["its compression cannot be read", "buffer view 0"]),
    (
        |d| packed(d, json!({ "buffer": 0, "byteLength": 7, "byteStride": 3, "count": 4, "mode": "ATTRIBUTES" })),
        &["4 elements of 3 bytes do not fit mode Attributes with filter None", "buffer view 0"],
    ),
    (
        |d| packed(d, json!({ "buffer": 0, "byteLength": 7, "byteStride": 12, "count": 4, "mode": "ATTRIBUTES" })),
        &["its compressed bytes are damaged", "buffer view 0"],
    ),
];

const MESHES: &[Row] = &[
    (|d| attributes(d)["POSITION"] = json!(77), &["accessor 77 is out of range", "primitive 0"]),
    (|d| attributes(d)["JOINTS_0"] = json!(77), &["accessor 77 is out of range", "primitive 0"]),
    (|d| primitive(d)["material"] = json!(4), &["material 4 is out of range"]),
    (|d| d.bin[..4].copy_from_slice(&f32::NAN.to_le_bytes()), &["position of vertex 0 is not a finite number"]),
    (
        |d| {
            let indices = d.accessor(&[0, 1, 9], 5121, "SCALAR", 3);
            primitive(d)["indices"] = json!(indices);
        },
        &["vertex index 9 is out of range; it has 4 vertices", "primitive 0"],
    ),
    (|d| one(d, "NORMAL"), &["NORMAL has 1 values for 4 vertices"]),
    (|d| one(d, "TEXCOORD_0"), &["TEXCOORD_0 has 1 values for 4 vertices"]),
    (|d| one(d, "COLOR_0"), &["COLOR_0 has 1 values for 4 vertices"]),
    (|d| one(d, "JOINTS_0"), &["JOINTS_0 has 1 values for 4 vertices"]),
    (|d| one(d, "WEIGHTS_0"), &["WEIGHTS_0 has 1 values for 4 vertices"]),
    (|d| target(d, "POSITION", &[0.0; 3]), &["POSITION has 1 values for 4 vertices", "morph target 0"]),
    (|d| target(d, "NORMAL", &[0.0; 3]), &["NORMAL has 1 values for 4 vertices", "morph target 0"]),
    (|d| target(d, "POSITION", &[f32::NAN; 12]), &["an offset is not a finite number", "morph target 0"]),
    (
        |d| d.json["meshes"][0]["weights"] = json!([1e39]),
        &["its weight is not a finite number (at morph target 'strip.smile')"],
    ),
    (|d| d.json["skins"][0]["joints"] = json!([]), &["it has 0 joints; expected 1 to 65535", "skin 0"]),
    (|d| binds(d, &[0.0; 16]), &["1 inverse bind matrices for 2 joints", "skin 0"]),
    (|d| binds(d, &[f32::INFINITY; 32]), &["the inverse bind matrix of node 0 is not finite", "skin 0"]),
];

const CLIPS: &[Row] = &[
    (|d| channel(d)["target"]["node"] = json!(40), &["its node 40 is out of range; the file has 3", "channel 0"]),
    (|d| channel(d)["sampler"] = json!(40), &["its sampler 40 is out of range; it has 3", "channel 0"]),
    (
        |d| d.json["animations"][0]["samplers"][0]["interpolation"] = json!("SMOOTH"),
        &["the interpolation is unknown; expected LINEAR, STEP or CUBICSPLINE", "channel 0"],
    ),
    (
        |d| {
            d.json["meshes"][0]["primitives"][0]["targets"] = json!([{}, {}]);
            let weights = d.floats(&[0.0; 3], "SCALAR");
            d.json["animations"][0]["samplers"][2]["output"] = json!(weights);
        },
        &["3 weights for 2 morph targets", "channel 2"],
    ),
    (
        |d| {
            let pointer = json!({ "KHR_animation_pointer": { "pointer": "/nodes/2/weights/5" } });
            d.json["animations"][0]["channels"][2]["target"] = json!({ "path": "pointer", "extensions": pointer });
        },
        &["its weight 5 is out of range; the mesh has 1", "channel 2"],
    ),
];

const WHOLE: &[Row] = &[
    (|d| *d = Doc::new(json!([{ "name": "a" }])), &["no joints", "Export it with its skeleton"]),
    (
        |d| {
            d.json["extensionsRequired"] = json!(["EXT_mesh_of_tomorrow"]);
            d.json["accessors"][0]["extensions"] = json!({ "EXT_mesh_of_tomorrow": {} });
        },
        &["requires the extension EXT_mesh_of_tomorrow, which is not supported", "without that extension"],
    ),
];

const LEFT_OUT: &[Row] = &[
    (
        |d| d.json["animations"].as_array_mut().unwrap().push(json!({ "name": "bad", "channels": 7 })),
        &["bad: the clip cannot be used", "its JSON does not fit the format: invalid type"],
    ),
    (|d| follows(d, json!({})), &["it is of no version; expected version 1.0"]),
    (|d| follows(d, json!({ "specVersion": "1.0" })), &["its JSON does not fit the format: missing field"]),
    (|d| follows(d, json!({ "specVersion": "1.0", "constraint": {} })), &["expected one of roll, aim and rotation"]),
    (|d| turns_with(d, json!({ "source": 9 })), &["its source, node 9, is out of range; the file has 3"]),
    (|d| turns_with(d, json!({ "source": 0, "weight": 2.0 })), &["its weight is 2; expected 0 to 1"]),
    (|d| human(d, json!({ "hips": { "node": 99 } })), &["node 99 is out of range; the file has 3 (at bone 'hips')"]),
    (
        |d| human(d, json!({ "hips": { "node": 0 }, "spine": { "node": 0 } })),
        &["node 0 is 'hips' too; expected one bone per node (at bone 'spine')"],
    ),
    (|d| human(d, json!(7)), &["its JSON does not fit the format: invalid type"]),
];

fn nodes(doc: &mut Doc, nodes: Value) {
    doc.json["nodes"] = nodes;
    doc.json["scenes"] = json!([{ "nodes": [] }]);
}

fn primitive(doc: &mut Doc) -> &mut Value {
    &mut doc.json["meshes"][0]["primitives"][0]
}

fn attributes(doc: &mut Doc) -> &mut Value {
    &mut primitive(doc)["attributes"]
}

/// An attribute of one vertex on a mesh with four.
fn one(doc: &mut Doc, attribute: &str) {
    let accessor = match attribute {
        "NORMAL" => doc.floats(&[0.0, 1.0, 0.0], "VEC3"),
        "TEXCOORD_0" => doc.floats(&[0.0; 2], "VEC2"),
        "JOINTS_0" => doc.accessor(&[0; 4], 5121, "VEC4", 1),
        _ => doc.floats(&[1.0; 4], "VEC4"),
    };
    attributes(doc)[attribute] = json!(accessor);
}

fn target(doc: &mut Doc, attribute: &str, values: &[f32]) {
    let accessor = doc.floats(values, "VEC3");
    primitive(doc)["targets"][0][attribute] = json!(accessor);
}

fn binds(doc: &mut Doc, values: &[f32]) {
    let accessor = doc.floats(values, "MAT4");
    doc.json["skins"][0]["inverseBindMatrices"] = json!(accessor);
}

fn channel(doc: &mut Doc) -> &mut Value {
    &mut doc.json["animations"][0]["channels"][0]
}

/// Two positions that are stored as sparse values.
fn sparse(doc: &mut Doc, indices: &[u8], component: u32) {
    let (indices, values) = (doc.view(indices), doc.view(&[0; 24]));
    doc.json["accessors"][0]["sparse"] = json!({
        "count": 2, "indices": { "bufferView": indices, "componentType": component },
        "values": { "bufferView": values },
    });
}

/// Marks positions as compressed.
fn packed(doc: &mut Doc, how: Value) {
    doc.json["bufferViews"][0]["extensions"] = json!({ "EXT_meshopt_compression": how });
}

/// A tip with a constraint.
fn follows(doc: &mut Doc, constraint: Value) {
    doc.json["nodes"][1]["extensions"] = json!({ "VRMC_node_constraint": constraint });
}

fn turns_with(doc: &mut Doc, rotation: Value) {
    follows(doc, json!({ "specVersion": "1.0", "constraint": { "rotation": rotation } }));
}

fn human(doc: &mut Doc, bones: Value) {
    doc.json["extensions"] = json!({ "VRMC_vrm": { "humanoid": { "humanBones": bones } } });
}
