//! Keyed blend shapes of files up to version 7.1: the shapes are inside the mesh, and their keys belong to a property of the
//! node or mesh with the name of the shape.

use super::ascii::{Ascii, LINEAR, Y_UP_CM};
use crate::import_support::import_bytes;
use posepress_core::import::Imported;

/// A node of version 6.1 with two shapes. A take has keys for the given ones; the others keep their weight.
fn version_6_1(keys: &str) -> Vec<u8> {
    let shape = |name: &str, vertex: u32, z: u32| {
        format!("Shape: \"{name}\" {{\nIndexes: {vertex}\nVertices: 0,0,{z}\nNormals: 0,0,0\n}}\n")
    };
    format!(
        "; FBX 6.1.0 project file\nFBXHeaderExtension:  {{\nFBXHeaderVersion: 1003\nFBXVersion: 6100\n}}\n\
         Objects:  {{\nModel: \"Model::face\", \"Mesh\" {{\nVersion: 232\nProperties60:  {{\n\
         Property: \"Lcl Translation\", \"Lcl Translation\", \"A+\",0,0,0\n\
         Property: \"smile\", \"Number\", \"A+N\",0\nProperty: \"frown\", \"Number\", \"A+N\",25\n}}\n\
         Vertices: 0,0,0,1,0,0,1,1,0,0,1,0\nPolygonVertexIndex: 0,1,2,-4\nGeometryVersion: 124\n{}{}}}\n}}\n\
         Connections:  {{\nConnect: \"OO\", \"Model::face\", \"Model::Scene\"\n}}\n\
         Takes:  {{\nCurrent: \"talk\"\nTake: \"talk\" {{\nFileName: \"talk.tak\"\n\
         LocalTime: 0,46186158000\nReferenceTime: 0,46186158000\n\
         Model: \"Model::face\" {{\nVersion: 1.1\n{keys}}}\n}}\n}}\n",
        shape("smile", 2, 10),
        shape("frown", 3, 20),
    )
    .into_bytes()
}

fn channel(name: &str) -> String {
    format!(
        "Channel: \"{name}\" {{\nDefault: 0\nKeyVer: 4005\nKeyCount: 2\nKey: 0,0,L,46186158000,100,L\nColor: 1,1,1\n}}\n"
    )
}

fn weights(imported: &Imported, track: usize) -> Vec<f32> {
    let [clip] = imported.clips.as_slice() else { panic!("one clip: {:?}", imported.findings) };
    let last = clip.samples() - 1;
    [0, last / 2, last].map(|sample| clip.floats(sample)[track]).to_vec()
}

#[test]
fn keys_of_version_6_1_move_the_shape_that_they_are_called_by() {
    for keys in [channel("smile"), channel("smile") + &channel("nothing")] {
        let imported = import_bytes("fbx", &version_6_1(&keys)).unwrap();
        assert_eq!(imported.rig.float_names, ["face.smile", "face.frown"]);
        assert_eq!(weights(&imported, 0), [0.0, 0.5, 1.0]);
        assert_eq!(weights(&imported, 1), [0.25; 3]);
        let mesh = &imported.rig.meshes[0];
        assert_eq!(mesh.targets.len(), 2);
        assert!(imported.clip_bytes[0] > 0);
    }
    let both = import_bytes("fbx", &version_6_1(&(channel("frown") + &channel("smile")))).unwrap();
    assert_eq!([weights(&both, 0), weights(&both, 1)], [[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]]);
}

#[test]
fn keys_of_version_7_1_stand_at_the_mesh() {
    let mut doc = Ascii::default();
    let node = doc.node("face", "Mesh", 0, [0.0; 3], 1.0);
    let mesh = doc.square_with_shape(node, "smile", 50.0, 2, [0.0, 0.0, 10.0]);
    let still = doc.write(Y_UP_CM);
    let layer = doc.stack("talk", 0.0, 1.0);
    doc.curves(layer, mesh, "smile", LINEAR, &[("smile", &[(0.0, 0.0), (1.0, 100.0)])]);
    for version in ["7.1.0", "7.0.0"] {
        let number = version.replace('.', "") + "0";
        let as_version =
            |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace("7.4.0", version).replace("7400", &number);
        let imported = import_bytes("fbx", as_version(doc.write(Y_UP_CM)).as_bytes()).unwrap();
        assert_eq!(imported.rig.float_names, ["face.smile"]);
        assert_eq!(weights(&imported, 0), [0.0, 0.5, 1.0]);
        let alone = import_bytes("fbx", as_version(still.clone()).as_bytes());
        assert!(alone.is_err() || alone.unwrap().clips.is_empty());
    }
}
