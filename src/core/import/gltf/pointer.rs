//! KHR_animation_pointer: channels whose target is a JSON pointer into the document.

use gltf_json::Value;
use gltf_json::extras::Extras;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;

pub(super) const EXTENSION: &str = "KHR_animation_pointer";

/// Key in the extras of a resolved channel for the weights that it points at.
const EXTRAS: &str = "posepress.weights";

/// The target of a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointed {
    /// A node and the path of a core channel: `/nodes/4/rotation`.
    Node(usize, &'static str),
    /// One weight of a node, or weights of a mesh. The latter apply to all nodes that show the mesh and have no weights of their own.
    Weights(Weights),
}

/// Morph weights that core channels of glTF cannot refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Weights {
    /// True for weights of a mesh, false for weights of a node.
    pub of_mesh: bool,
    /// Index of the node or mesh.
    pub index: usize,
    /// Index of one weight; `None` for all weights.
    pub weight: Option<usize>,
}

/// The target of a channel's pointer. `None` without a pointer, or if the pointer moves no joint and no weight.
pub fn pointed(target: &Value) -> Option<Pointed> {
    let pointer = target.get("extensions")?.get(EXTENSION)?.get("pointer")?.as_str()?;
    let parts: Vec<&str> = pointer.strip_prefix('/')?.split('/').collect();
    Some(match parts.as_slice() {
        ["nodes", node, property] => {
            let known = ["translation", "rotation", "scale", "weights"];
            Pointed::Node(index(node)?, known.into_iter().find(|known| known == property)?)
        }
        ["nodes", node, "weights", weight] => weights(false, node, Some(index(weight)?))?,
        ["meshes", mesh, "weights"] => weights(true, mesh, None)?,
        ["meshes", mesh, "weights", weight] => weights(true, mesh, Some(index(weight)?))?,
        _ => return None,
    })
}

fn weights(of_mesh: bool, of: &str, weight: Option<usize>) -> Option<Pointed> {
    Some(Pointed::Weights(Weights { of_mesh, index: index(of)?, weight }))
}

/// Parses an index of a JSON pointer, without signs and leading zeros.
fn index(text: &str) -> Option<usize> {
    let is_index = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_index { text.parse().ok() } else { None }
}

/// Per mesh, the nodes that use its weights, in order: nodes without weights of their own. `nodes` has the mesh per node, and true if
/// the node has weights of its own.
pub(super) fn nodes_of_meshes(nodes: impl Iterator<Item = (Option<usize>, bool)>) -> HashMap<usize, Vec<usize>> {
    let mut of_mesh = HashMap::<usize, Vec<usize>>::new();
    for (node, (mesh, _)) in nodes.enumerate().filter(|(_, (_, has_own_weights))| !has_own_weights) {
        mesh.into_iter().for_each(|mesh| of_mesh.entry(mesh).or_default().push(node));
    }
    of_mesh
}

/// Turns channels that point at transforms or weights into core channels. Returns their number. `showing` has the first node per mesh
/// that uses the mesh's weights.
pub(super) fn resolve(animation: &mut Value, showing: &HashMap<usize, usize>) -> usize {
    let channels = animation.get_mut("channels").and_then(Value::as_array_mut).into_iter().flatten();
    let mut resolved = 0;
    for target in channels.filter_map(|channel| channel.get_mut("target")).filter(|target| target.is_object()) {
        let (node, property) = match pointed(target) {
            Some(Pointed::Node(node, property)) => (node, property),
            Some(Pointed::Weights(weights)) => {
                let node = if weights.of_mesh { showing.get(&weights.index).copied() } else { Some(weights.index) };
                let Some(node) = node else { continue };
                target["extras"] = json!({ EXTRAS: weights });
                (node, "weights")
            }
            None => continue,
        };
        (target["node"], target["path"]) = (node.into(), property.into());
        resolved += 1;
    }
    resolved
}

/// The weights that a resolved channel points at; `None` for all weights of its node.
pub(super) fn weights_of(extras: &Extras) -> Option<Weights> {
    let extras: Value = serde_json::from_str(extras.as_ref()?.get()).ok()?;
    Weights::deserialize(extras.get(EXTRAS)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_at_transforms_and_weights_are_known_and_no_others() {
        let of = |pointer: &str| pointed(&json!({ "extensions": { EXTENSION: { "pointer": pointer } } }));
        let weights = |of_mesh, index, weight| Some(Pointed::Weights(Weights { of_mesh, index, weight }));
        assert_eq!(of("/nodes/4/rotation"), Some(Pointed::Node(4, "rotation")));
        assert_eq!(of("/nodes/0/weights"), Some(Pointed::Node(0, "weights")));
        assert_eq!(of("/nodes/4/weights/0"), weights(false, 4, Some(0)));
        assert_eq!(of("/meshes/0/weights"), weights(true, 0, None));
        assert_eq!(of("/meshes/12/weights/3"), weights(true, 12, Some(3)));
        for other in [
            "/nodes/4",
            "/nodes//scale",
            "/nodes/04/scale",
            "/nodes/-1/scale",
            "/nodes/+1/scale",
            "/nodes/4/matrix",
            "/nodes/4/weights/",
            "/nodes/4/weights/01",
            "/nodes/4/weights/0/0",
            "/nodes/4/rotation/0",
            "/nodes/4/extensions/KHR_node_visibility/visible",
            "/meshes/0",
            "/meshes/0/rotation",
            "/materials/0/alphaCutoff",
            "nodes/4/scale",
            "",
            "/nodes/99999999999999999999999/scale",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
        assert_eq!(pointed(&json!({ "node": 1, "path": "rotation" })), None);
    }
}
