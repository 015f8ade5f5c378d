//! Checks the extensions that a document requires.

use super::{Fault, Finding, pointer, readable};
use gltf_json as json;

/// Supported extensions. All joints and clips of such files are read.
const HONOURED: [&str; 11] = [
    "KHR_mesh_quantization", // integer positions are read like any other accessor
    "KHR_texture_transform",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "EXT_texture_webp",
    "KHR_draco_mesh_compression", // does not affect joints and clips; its meshes are skipped
    pointer::EXTENSION,
    "VRMC_vrm",
    "VRM",
    "VRMC_vrm_animation",
    "VRMC_node_constraint",
];

/// Name prefixes of extensions that move no joint, with the effect of reading without them.
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
const METADATA: &str = "Its metadata is left out.";
const SHOWING: &str = "Nodes that it hides or repeats are shown once.";
const BEHAVIOUR: &str = "Posepress ignores it; an engine may apply it.";

/// Words in the names of extensions that compress or encrypt numbers.
const PACKS: [&str; 7] = ["compress", "quantiz", "encrypt", "accessor", "buffer", "float64", "draco"];
/// Lists of a document in which an extension can change the numbers.
const NUMBERS: [&str; 5] = ["accessors", "bufferViews", "buffers", "animations", "skins"];

/// Adds a note for required extensions that move nothing, and a warning for unknown ones. Returns a fault for an extension that changes
/// the numbers.
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

/// Describes how an extension changes the numbers; `None` if it does not.
fn changes_numbers(name: &str, document: &json::Value) -> Option<String> {
    let lower = name.to_lowercase();
    if PACKS.iter().any(|part| lower.contains(part)) {
        return Some("packs the numbers of the file".to_owned());
    }
    let uses = |part: &&&str| document.get(**part).is_some_and(|part| names(part, name));
    NUMBERS.iter().find(uses).map(|part| format!("is used in its {part}"))
}

/// True if a value contains an extension of that name. Without recursion, since documents may be nested deeply.
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
