use super::{Ask, Fault, Finding, pointer, readable, required};
use crate::import::Budget;
use gltf_json as json;
use std::collections::HashMap;

const MAGIC: &[u8; 4] = b"glTF";
const HEADER_BYTES: usize = 12;
const CHUNK_HEADER_BYTES: usize = 8;
const CHUNK_JSON: u32 = u32::from_le_bytes(*b"JSON");
const CHUNK_BIN: u32 = u32::from_le_bytes(*b"BIN\0");

/// Image index for textures without a `source`. No file has that many images.
const NO_IMAGE: u32 = u32::MAX;

/// The JSON document, and the binary chunk if the file is a GLB.
#[derive(Debug)]
pub(super) struct Container<'a> {
    pub text: &'a [u8],
    pub root: json::Root,
    pub blob: Option<&'a [u8]>,
    /// Length of the file.
    pub bytes: usize,
}

impl<'a> Container<'a> {
    /// Splits a GLB and parses the JSON. The first bytes of the file, not its name, show if it is a GLB.
    pub fn read(bytes: &'a [u8], findings: &mut Vec<Finding>) -> Result<Self, Fault> {
        let (json, blob) = if bytes.starts_with(MAGIC) { split_glb(bytes)? } else { (bytes, None) };
        let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
        Budget::new(bytes.len()).claim(Ask::Parsed, parsed_bytes(json))?;
        let root = parse(json, findings)?;
        if !root.asset.version.starts_with("2.") {
            return Err(other_version(&root.asset.version));
        }
        required::check(&root, json, findings)?;
        Ok(Self { text: json, root, blob, bytes: bytes.len() })
    }
}

/// Memory for parsing a document, bytes: an upper bound. The parser itself does not return an error if memory does not suffice.
fn parsed_bytes(text: &[u8]) -> u64 {
    /// The largest type of an object is a node, of 240 bytes. A list that grows holds up to three times its elements.
    const OBJECT_BYTES: u64 = 3 * 256;
    const VALUE_BYTES: u64 = 3 * 32;
    let each = |byte: &u8| match byte {
        b'{' => OBJECT_BYTES,
        b'[' | b',' | b':' => VALUE_BYTES,
        _ => 1,
    };
    text.iter().map(each).sum()
}

/// Parses the document. Its types require two fields that extensions make optional: the node of an animation channel
/// (KHR_animation_pointer) and the image of a texture (WebP and KTX2). A document is fixed only if it fails to parse or uses
/// KHR_animation_pointer, since that takes a second pass.
fn parse(text: &[u8], findings: &mut Vec<Finding>) -> Result<json::Root, Fault> {
    let points = |root: &json::Root| root.extensions_used.iter().any(|name| name == pointer::EXTENSION);
    let first = match json::Root::from_slice(text) {
        Ok(root) if !points(&root) => return Ok(root),
        first => first,
    };
    let mut value: json::Value = match (json::deserialize::from_slice(text), &first) {
        (Ok(value), _) => value,
        (Err(error), Ok(_)) => return Err(no_document(&error, "its JSON")),
        (Err(_), Err(first)) => return Err(no_document(first, "its JSON")),
    };
    if let Some(old) = value.pointer("/asset/version").and_then(json::Value::as_str).filter(|v| v.starts_with("1.")) {
        return Err(other_version(old));
    }
    let is_fixed = fix(&mut value, findings) | leave_out_animations(&mut value, findings);
    match first {
        Ok(root) if !is_fixed => Ok(root),
        Err(first) if !is_fixed => Err(no_document(&first, &wrong_place(text))), // the first error names line and column
        _ => json::deserialize::from_value(value).map_err(|e| no_document(&e, "its JSON")),
    }
}

/// Empties animations whose JSON is invalid, if at least one is valid, and adds a finding per animation. They keep their indices.
/// Returns true if any was emptied.
fn leave_out_animations(document: &mut json::Value, findings: &mut Vec<Finding>) -> bool {
    let fault = |animation: &json::Value| json::deserialize::from_value::<json::Animation>(animation.clone()).err();
    let faults: Vec<Option<json::Error>> = list(document, "animations").map(|animation| fault(animation)).collect();
    let is_one_good = faults.iter().any(Option::is_none);
    let mut is_one_bad = false;
    for (index, (animation, fault)) in list(document, "animations").zip(faults).enumerate() {
        let Some(error) = fault.filter(|_| is_one_good) else { continue };
        let name = animation.get("name").and_then(json::Value::as_str).map(str::to_owned);
        let shown = name.as_deref().map_or_else(|| format!("animation_{index}"), readable);
        findings.push(Finding::left_out(shown, &error.into()));
        *animation = serde_json::json!({ "name": name.unwrap_or_default(), "channels": [], "samplers": [] });
        is_one_bad = true;
    }
    is_one_bad
}

fn no_document(error: &json::Error, place: &str) -> Fault {
    Fault::new(format!("this is not a glTF 2.0 document: {}", readable(&error.to_string()))).at(place)
}

fn other_version(version: &str) -> Fault {
    let what = format!("glTF version {:?} is not supported; expected 2.0", readable(version));
    Fault::new(what).at("asset.version").advise("Convert it with a tool that writes glTF 2.0, or export it again")
}

/// Path of the value that cannot be parsed: `animations[3].channels[0].target`.
fn wrong_place(text: &[u8]) -> String {
    let parsed: Result<json::Root, _> =
        serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_slice(text));
    parsed.err().map_or_else(String::new, |error| readable(&error.path().to_string()))
}

/// Resolves pointers to nodes, removes channels without a node, and sets [`NO_IMAGE`] as the image of textures without one. Returns
/// true if anything changed.
fn fix(document: &mut json::Value, findings: &mut Vec<Finding>) -> bool {
    let (mut channels, mut resolved) = (0, 0);
    let showing = meshes_shown(document);
    for animation in list(document, "animations") {
        resolved += pointer::resolve(animation, &showing);
        if let Some(all) = animation.get_mut("channels").and_then(json::Value::as_array_mut) {
            let before = all.len();
            all.retain(|channel| channel.get("target").is_none_or(|target| target.get("node").is_some()));
            channels += before - all.len();
        }
    }
    if channels > 0 {
        findings.push(Finding::warning(
            "animations",
            format!("{channels} channels move something other than a node"),
            "They were skipped. Joints are not affected.",
        ));
    }
    let mut textures = 0;
    for texture in list(document, "textures").filter(|t| t.is_object() && t.get("source").is_none()) {
        texture["source"] = NO_IMAGE.into();
        textures += 1;
    }
    channels + resolved + textures > 0
}

/// Per mesh, the first node that uses the mesh's weights.
fn meshes_shown(document: &json::Value) -> HashMap<usize, usize> {
    let nodes = document.get("nodes").and_then(json::Value::as_array).into_iter().flatten();
    let shown = nodes.map(|node| {
        let mesh = node.get("mesh").and_then(json::Value::as_u64);
        (mesh.map(|mesh| mesh as usize), node.get("weights").is_some())
    });
    pointer::nodes_of_meshes(shown).into_iter().map(|(mesh, nodes)| (mesh, nodes[0])).collect()
}

/// Elements of a list; none if it is missing or not a list. The typed parser reports a value that is not a list.
fn list<'v>(value: &'v mut json::Value, key: &str) -> impl Iterator<Item = &'v mut json::Value> {
    value.get_mut(key).and_then(json::Value::as_array_mut).into_iter().flatten()
}

fn split_glb(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    let cut = |what: String| Fault::new(what).advise("The file is cut short or damaged: copy or export it again");
    let (Some(version), Some(length)) = (u32_at(bytes, 4), u32_at(bytes, 8)) else {
        let what = format!("a GLB of {} bytes; expected a header of {HEADER_BYTES}", bytes.len());
        return Err(cut(what).at(format!("byte {}", bytes.len())));
    };
    if version != 2 {
        return Err(Fault::new(format!("GLB version {version} is not supported; expected 2")).at("byte 4"));
    }
    let length = length as usize;
    if length > bytes.len() {
        return Err(cut(format!("the header says {length} bytes, the file has {}", bytes.len())).at("byte 8"));
    }
    let bytes = &bytes[..length];
    let (mut json, mut blob, mut at) = (None, None, HEADER_BYTES);
    while at < length {
        let (Some(size), Some(kind)) = (u32_at(bytes, at), u32_at(bytes, at + 4)) else {
            return Err(cut(format!("a chunk header is cut short; expected {CHUNK_HEADER_BYTES} bytes"))
                .at(format!("byte {at}")));
        };
        let start = at + CHUNK_HEADER_BYTES;
        let Some(chunk) = start.checked_add(size as usize).and_then(|end| bytes.get(start..end)) else {
            let what = format!("a chunk of {size} bytes does not fit into the {length} bytes of the file");
            return Err(cut(what).at(format!("byte {at}")));
        };
        match kind {
            CHUNK_JSON if json.is_none() => json = Some(chunk),
            CHUNK_BIN if blob.is_none() => blob = Some(chunk),
            _ => {} // other chunks are skipped, as the specification requires
        }
        at = start + chunk.len();
    }
    let json = json
        .ok_or_else(|| cut("the GLB has no JSON chunk; expected it first".into()).at(format!("byte {HEADER_BYTES}")))?;
    Ok((json, blob))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}
