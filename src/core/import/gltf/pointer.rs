//! KHR_animation_pointer: channels that name what they move by its place in the document.

use gltf_json::Value;

pub(super) const EXTENSION: &str = "KHR_animation_pointer";

/// The node, and the path of glTF's own channels, where a channel's target points at a node's transform or weights:
/// `/nodes/4/rotation`. `None` for every other pointer, and for a target without one.
pub fn node_property(target: &Value) -> Option<(usize, &'static str)> {
    let pointer = target.get("extensions")?.get(EXTENSION)?.get("pointer")?.as_str()?;
    let (node, property) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    let property = ["translation", "rotation", "scale", "weights"].into_iter().find(|known| *known == property)?;
    let is_index =
        !node.is_empty() && node.bytes().all(|b| b.is_ascii_digit()) && (node == "0" || !node.starts_with('0'));
    if is_index { Some((node.parse().ok()?, property)) } else { None }
}

/// Channels that point at a node's transform or weights become glTF's own; the number of them.
pub(super) fn resolve(animation: &mut Value) -> usize {
    let channels = animation.get_mut("channels").and_then(Value::as_array_mut).into_iter().flatten();
    let mut resolved = 0;
    for target in channels.filter_map(|channel| channel.get_mut("target")) {
        if let Some((node, property)) = node_property(target) {
            (target["node"], target["path"]) = (node.into(), property.into());
            resolved += 1;
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pointers_at_transforms_and_weights_of_nodes_are_known_and_no_others() {
        let of = |pointer: &str| node_property(&json!({ "extensions": { EXTENSION: { "pointer": pointer } } }));
        assert_eq!(of("/nodes/4/rotation"), Some((4, "rotation")));
        assert_eq!(of("/nodes/0/weights"), Some((0, "weights")));
        for other in [
            "/nodes/4",
            "/nodes//scale",
            "/nodes/04/scale",
            "/nodes/-1/scale",
            "/nodes/+1/scale",
            "/nodes/4/matrix",
            "/nodes/4/weights/0",
            "/nodes/4/extensions/KHR_node_visibility/visible",
            "/materials/0/alphaCutoff",
            "nodes/4/scale",
            "",
            "/nodes/99999999999999999999999/scale",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
        assert_eq!(node_property(&json!({ "node": 1, "path": "rotation" })), None);
    }
}
