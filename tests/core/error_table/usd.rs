//! Errors of USD.

use super::importers::Said;
use crate::engine_files::chain;
use crate::import::usd::{binary, package, stage};
use crate::import_support::{import_bytes, importer};
use posepress_core::import::{ImportError, ImportOptions, Imported};
use std::path::Path;
use zip::CompressionMethod;

pub fn table() -> Said {
    let mut said = Said::default();
    let plain = stage("", "", "");
    for (from, to, parts) in REFUSED {
        said.refused_whole(read(&plain.replace(from, to)), parts);
    }
    for (from, to, parts) in LEFT_OUT {
        said.left_out(read(&plain.replace(from, to)), parts);
    }
    for (mesh, parts) in MESHES {
        said.left_out(read(&meshed(mesh)), parts);
    }
    for (mesh, parts) in SKINS {
        said.refused(read(&meshed(mesh)), parts);
    }
    for (shape, parts) in SHAPES {
        let line = "uniform token[] skel:blendShapes = [\"smile\"]\nrel skel:blendShapeTargets = </Char/Box/smile>\ndef BlendShape \"smile\"";
        said.refused(read(&meshed(&format!("{line} {{ {shape} }}"))), parts);
    }
    let many = vec!["\"arm\""; 1 << 16].join(",");
    said.refused(read(&meshed(&format!("uniform token[] skel:joints = [{many}]"))), &["it has 65536 joints"]);
    let singular = meshed("").replace("bindTransforms = [((1, 0, 0, 0)", "bindTransforms = [((0, 0, 0, 0)");
    said.refused(read(&singular), &["an inverse bind matrix is not finite"]);
    let figure = ImportOptions { figure: Some(2.0), ..Default::default() };
    let chosen = importer("usda").import(Path::new("test.usda"), plain.as_bytes().into(), &figure);
    said.refused_whole(chosen, &["skeleton 2 is asked for; the file has 1 skeleton"]);
    said.refused_whole(import_bytes("usda", b"\xff"), &["it is not text in UTF-8, and no binary layer"]);
    binaries(&mut said);
    packages(&mut said);
    let good = import_bytes("usda", plain.as_bytes()).unwrap();
    let (other, clip) = (chain(&["a", "b", "c"]), &good.clips[0]);
    said.unplayable("usda", plain.as_bytes(), &other, &[clip], &["it moves 2 joints; the rig has 3"]);
    let still = plain.split("def SkelAnimation").next().unwrap().to_owned() + "}";
    said.unplayable("usda", still.as_bytes(), &good.rig, &[clip], &["it has no animation"]);
    said
}

fn read(text: &str) -> Result<Imported, ImportError> {
    import_bytes("usda", text.as_bytes())
}

const MESH: &str = "def Mesh \"Box\" ( prepend apiSchemas = [\"SkelBindingAPI\"] ) {\n\
         point3f[] points = [(0,1,0),(1,1,0),(1,2,0)]\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0,1,2]\n\
         rel skel:skeleton = </Char/Skel>\nint[] primvars:skel:jointIndices = [0] ( elementSize = 1 )\n\
         float[] primvars:skel:jointWeights = [1] ( elementSize = 1 )\n}";

/// A stage with a mesh. A line replaces the line of that name in it, or is added.
fn meshed(line: &str) -> String {
    let name = line.split(" = ").next().unwrap_or_default();
    let others: Vec<&str> = MESH.lines().filter(|known| name.is_empty() || !known.starts_with(name)).collect();
    stage("", "", &others.join("\n").replacen(") {", &format!(") {{\n{line}"), 1))
}

type Row = (&'static str, &'static str, &'static [&'static str]);

const REFUSED: &[Row] = &[
    ("def SkelRoot", "over SkelRoot", &["the file has no skeleton: no prim of type Skeleton is active"]),
    ("#usda 1.0", "solid", &["it is damaged: ", "line 1"]),
    ("upAxis = \"Y\"", "upAxis = §", &["it has characters that are no part of USD", "line 5"]),
    (
        "timeCodesPerSecond = 10",
        "timeCodesPerSecond = -1",
        &["it states -1 time codes per second; expected more than 0"],
    ),
    ("\"arm\", \"arm/hand\"", "", &["the skeleton has no joints"]),
    ("\"arm\", \"arm/hand\"", "\"arm\"", &["neither bind nor rest transforms, one per joint"]),
    ("\"arm\", \"arm/hand\"", "\"arm/hand\", \"arm\"", &["the joint 'arm/hand' comes before its parent"]),
    (
        "uniform token[] joints = [\"arm\", \"arm/hand\"]",
        "uniform int[] joints = [1]",
        &["'joints' has another type; expected token[]"],
    ),
];

const LEFT_OUT: &[Row] = &[
    ("half3[] scales = [(1, 2, 1)]", "", &["it does not state translations, rotations and scales"]),
    ("[(0, 1, 2)]", "[]", &["'translations' has 0 values in a sample; expected 1"]),
    ("5: [(0, 1, 2)]", "2: [(0, 1, 2)]", &["the time samples of 'translations' are not in order"]),
];

const MESHES: &[(&str, &[&str])] = &[
    ("point3f[] points = [(inf,0,0),(1,1,0),(1,2,0)]", &["the position of point 0 is not a finite number"]),
    ("rel skel:skeleton = </Char/Bones>", &["its skeleton '/Char/Bones' is not among those that are read"]),
    ("float[] primvars:skel:jointWeights", &["it has indices of joints but no weights"]),
    ("float[] primvars:skel:jointWeights = [1, 1]", &["it has 1 indices of joints and 2 weights; expected 1 of each"]),
    ("uniform token[] skel:joints = [\"leg\"]", &["its joint 'leg' is not in the skeleton"]),
];

const SKINS: &[(&str, &[&str])] = &[
    ("int[] faceVertexCounts = [4]", &["face 0 has more corners than the mesh", "mesh 'Box'"]),
    ("int[] faceVertexIndices = [0,1,7]", &["face 0 names a point that is out of range of 3"]),
];

const SHAPES: &[(&str, &[&str])] = &[
    ("vector3f[] offsets = [(1,0,0)]", &["the shape 'smile' has 1 offsets; expected 3, all finite"]),
    ("vector3f[] offsets = [(1,0,0)]\nint[] pointIndices = [5]", &["the shape 'smile' moves point 5 of 3"]),
];

fn binaries(said: &mut Said) {
    let good = binary(&stage("", "", ""));
    let with = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        bytes
    };
    said.refused_whole(import_bytes("usdc", &good[..100]), &["it is cut short or damaged"]);
    said.refused_whole(import_bytes("usdc", &with(9, 3)), &["its version 0.3 is not supported; expected 0.4 or newer"]);
    let nested = (0..70).fold("int x = 1".to_owned(), |inner, _| format!("dictionary d = {{ {inner} }}"));
    let nested = format!("#usda 1.0\n( customLayerData = {{ {nested} }} )\n");
    said.refused_whole(import_bytes("usdc", &binary(&nested)), &["its values are nested more than 64 deep"]);
    let deep = format!("#usda 1.0\n{}", "def \"A\" {".repeat(300));
    said.refused_whole(read(&deep), &["its brackets are nested more than 256 deep"]);
    let payload = |n: usize| format!("def \"P{n:05}\" ( payload = </P{:05}> ) {{}}\n", n + 1);
    let payloads = format!("#usda 1.0\n{}", (0..2000).map(payload).collect::<String>());
    said.refused_whole(read(&payloads), &["more than 1024 references follow each other"]);
    said.refused_whole(
        import_bytes("usdc", &unknown_string()),
        &["holds something that the reader of USD does not know"],
    );
}

/// A layer with a reference whose name is a string that is not there.
fn unknown_string() -> Vec<u8> {
    let mut bytes = binary("#usda 1.0\ndef \"A\" ( prepend references = @b.usda@ ) {}");
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let toc = word(&bytes, 16);
    let sections = (0..word(&bytes, toc)).map(|section| toc + 8 + 32 * section);
    let strings = sections.into_iter().find(|at| bytes[*at..].starts_with(b"STRINGS")).unwrap();
    let at = word(&bytes, strings + 16);
    let count = word(&bytes, at);
    bytes[at + 8..at + 8 + 4 * count].fill(0x7f);
    bytes
}

fn packages(said: &mut Said) {
    said.refused_whole(import_bytes("usdz", b"no package"), &["it is damaged"]);
    let text = format!("{}\n{}", stage("", "", ""), "# a long comment\n".repeat(1000));
    let compressed = import_bytes("usdz", &package(&text, CompressionMethod::Deflated));
    said.refused(compressed, &["an entry of the package is compressed", "a.usda"]);
    let mut damaged = package(&text, CompressionMethod::Stored);
    damaged[200] ^= 1;
    said.refused_whole(import_bytes("usdz", &damaged), &["the package is damaged: "]);
}
