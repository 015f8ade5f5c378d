//! Errors of FBX files.

use super::importers::Said;
use crate::import::fbx::ascii::{Ascii, SkinBone, Y_UP_CM};
use crate::import_support::import_bytes;
use glam::Mat4;

const BINARY: &[u8] = b"Kaydara FBX Binary  \0\x1a\0";

pub fn table() -> Said {
    let mut said = Said::default();
    let whole = [binary(7400), node("Objects", &[], &[0; 13]), vec![0; 13]].concat();
    // A property of an unknown kind.
    let odd = [binary(7400), node("Objects", b"?", &[]), vec![0; 13]].concat();
    let cases: [(&[u8], &[&str]); 5] = [
        (b"hello", &["this is not an FBX file", "byte"]),
        (&binary(1000), &["its version is not supported", "FBX 2013 or newer"]),
        (&whole[..whole.len() - 20], &["it is cut short", "byte"]),
        (&odd, &["it is damaged", "byte"]),
        (&greedy(), &["reading it takes more than", "with less in it"]),
    ];
    for (bytes, parts) in cases {
        said.refused(import_bytes("fbx", bytes), parts);
    }
    let mut crate_alone = Ascii::default();
    let node = crate_alone.node("crate", "Mesh", 0, [0.0; 3], 1.0);
    crate_alone.square(node);
    said.refused_whole(import_bytes("fbx", &crate_alone.write(Y_UP_CM)), &["no joints", "Export it with its skeleton"]);
    let mut read = |changed: String, parts: &[&str]| said.refused(import_bytes("fbx", changed.as_bytes()), parts);
    let good = skinned();
    read(
        good.replace("1,1,0,0,1,0", "1e300,1,0,0,1,0"),
        &["the position of vertex 2 is not a finite number", "mesh 'skin'"],
    );
    read(
        good.replace("*16 {\n\t\t\ta: 1,", "*16 {\n\t\t\ta: 1e300,"),
        &["an inverse bind matrix is not finite", "mesh 'skin'"],
    );
    read(good.replace("a: 0,0,10", "a: 0,0,1e300"), &["an offset is not a finite number", "blend shape 'smile'"]);
    let mut bare = rigged();
    bare.0.texture(bare.1, "", "");
    said.left_out(import_bytes("fbx", &bare.0.write(Y_UP_CM)), &["it has neither a picture nor a file"]);
    said
}

/// The head of a binary file.
fn binary(version: u32) -> Vec<u8> {
    [BINARY, &version.to_le_bytes()].concat()
}

/// A node of a binary file, directly after its head.
fn node(name: &str, properties: &[u8], nested: &[u8]) -> Vec<u8> {
    nested_node(BINARY.len() + 4, name, properties, nested)
}

/// A node at that byte: its end, properties, name and contents.
fn nested_node(at: usize, name: &str, properties: &[u8], nested: &[u8]) -> Vec<u8> {
    let end = at + 13 + name.len() + properties.len() + nested.len();
    let count = u32::from(!properties.is_empty());
    let numbers = [end as u32, count, properties.len() as u32].map(u32::to_le_bytes).concat();
    [&numbers, &[name.len() as u8][..], name.as_bytes(), properties, nested].concat()
}

/// A few bytes that claim to unpack to a gigabyte of vertices.
fn greedy() -> Vec<u8> {
    let array = [b"d".as_slice(), &[1 << 27, 1, 8u32].map(u32::to_le_bytes).concat(), &[0; 8]].concat();
    let at = BINARY.len() + 4;
    let (objects, geometry) = (13 + "Objects".len(), 13 + "Geometry".len());
    let vertices = nested_node(at + objects + geometry, "Vertices", &array, &[]);
    let geometry = nested_node(at + objects, "Geometry", &[], &[vertices, vec![0; 13]].concat());
    [binary(7400), node("Objects", &[], &[geometry, vec![0; 13]].concat()), vec![0; 13]].concat()
}

/// A bone with a skin of one square, and the node of the bone.
fn rigged() -> (Ascii, u64) {
    let mut doc = Ascii::default();
    let bone = doc.node("bone", "LimbNode", 0, [0.0; 3], 1.0);
    let node = doc.node("skin", "Mesh", 0, [0.0; 3], 1.0);
    let mesh = doc.square(node);
    let bones: [SkinBone; 1] = [(bone, Mat4::IDENTITY, (0..4).map(|vertex| (vertex, 1.0)).collect())];
    doc.skin(mesh, &bones);
    let smile = doc.shape(mesh, "smile", 2, [0.0, 0.0, 10.0]);
    let layer = doc.stack("wave", 0.0, 1.0);
    doc.curves(layer, smile, "DeformPercent", 4, &[("DeformPercent", &[(0.0, 0.0), (1.0, 100.0)])]);
    (doc, node)
}

fn skinned() -> String {
    String::from_utf8(rigged().0.write(Y_UP_CM)).unwrap()
}
