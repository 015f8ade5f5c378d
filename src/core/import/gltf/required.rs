//! What to make of extensions that a document requires.

use super::{Fault, Finding, pointer, readable};
use gltf_json as json;

/// Required extensions that this reader honours, wholly as far as joints and clips go.
const HONOURED: [&str; 11] = [
    "KHR_mesh_quantization", // integer positions are read like any other accessor
    "KHR_texture_transform",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "EXT_texture_webp",
    "KHR_draco_mesh_compression", // joints and clips are not touched by it; the meshes are left out
    pointer::EXTENSION,
    "VRMC_vrm",
    "VRM",
    "VRMC_vrm_animation",
    "VRMC_node_constraint",
];

/// Beginnings of the names of extensions that move no joint, and what the file is read without.
const MOVES_NOTHING: [(&str, &str); 24] = [
    ("KHR_materials_", SURFACES),
    ("EXT_materials_", SURFACES),
    ("ADOBE_materials_", SURFACES),
    ("VRMC_materials_", SURFACES),
    ("KHR_texture_", SURFACES),
    ("EXT_texture_", SURFACES),
    ("MSFT_texture_", SURFACES),
    ("MSFT_packing_", SURFACES),
    ("KHR_techniques_webgl", SURFACES),
    ("KHR_lights_", LIGHTS),
    ("EXT_lights_", LIGHTS),
    ("KHR_xmp", METADATA),
    ("EXT_mesh_features", METADATA),
    ("EXT_instance_features", METADATA),
    ("EXT_structural_metadata", METADATA),
    ("EXT_feature_metadata", METADATA),
    ("KHR_node_", SHOWING),
    ("EXT_mesh_gpu_instancing", SHOWING),
    ("MSFT_lod", SHOWING),
    ("KHR_interactivity", BEHAVIOUR),
    ("KHR_physics_", BEHAVIOUR),
    ("KHR_audio", BEHAVIOUR),
    ("VRMC_springBone", BEHAVIOUR),
    ("OMI_", BEHAVIOUR),
];

const SURFACES: &str = "Surfaces may look different.";
const LIGHTS: &str = "Lights are left out.";
const METADATA: &str = "What it says about the file is left out.";
const SHOWING: &str = "What it shows, hides or repeats is shown once.";
const BEHAVIOUR: &str = "Posepress ignores it; an engine may apply it.";

/// Parts of the names of extensions that pack or hide numbers.
const PACKS: [&str; 7] = ["compress", "quantiz", "encrypt", "accessor", "buffer", "float64", "draco"];
/// Parts of a document in which an extension changes what numbers are read.
const NUMBERS: [&str; 5] = ["accessors", "bufferViews", "buffers", "animations", "skins"];

/// Notes what is required and moves nothing, warns of what is not known, and refuses what changes the numbers that are read.
pub(super) fn check(root: &json::Root, text: &[u8], findings: &mut Vec<Finding>) -> Result<(), Fault> {
    let required = root.extensions_required.iter().map(String::as_str);
    let others: Vec<&str> = required.filter(|name| !HONOURED.contains(name)).collect();
    let mut document = None;
    for name in others {
        let shown = readable(name);
        if let Some((_, meaning)) = MOVES_NOTHING.iter().find(|(prefix, _)| name.starts_with(prefix)) {
            findings.push(Finding::note(shown, "a required extension is not supported", *meaning));
            continue;
        }
        let document = document.get_or_insert_with(|| json::deserialize::from_slice(text).unwrap_or_default());
        if let Some(place) = changes_numbers(name, document) {
            let what = format!("the file requires the extension {shown}, which is not supported and {place}");
            return Err(Fault::new(what).advise("Export it without that extension"));
        }
        let meaning = "The file was read without it. Check that joints and clips are all there, or export it without that extension.";
        findings.push(Finding::warning(shown, "a required extension is not known", meaning));
    }
    Ok(())
}

/// How an extension changes the numbers that are read, where it does.
fn changes_numbers(name: &str, document: &json::Value) -> Option<String> {
    let lower = name.to_lowercase();
    if PACKS.iter().any(|part| lower.contains(part)) {
        return Some("packs the numbers of the file".to_owned());
    }
    let uses = |part: &&&str| document.get(**part).is_some_and(|part| names(part, name));
    NUMBERS.iter().find(uses).map(|part| format!("stands in its {part}"))
}

/// True where an extension of that name stands somewhere in a value. Without recursion: documents may be nested deeply.
fn names(value: &json::Value, name: &str) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            json::Value::Object(object) => {
                let extensions = object.get("extensions").and_then(json::Value::as_object);
                if extensions.is_some_and(|all| all.contains_key(name)) {
                    return true;
                }
                open.extend(object.values());
            }
            json::Value::Array(list) => open.extend(list),
            _ => {}
        }
    }
    false
}
