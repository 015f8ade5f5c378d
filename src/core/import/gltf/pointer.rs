//! KHR_animation_pointer: channels that name what they move by its place in the document.

use gltf_json::Value;
use gltf_json::extras::Extras;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;

pub(super) const EXTENSION: &str = "KHR_animation_pointer";

/// Where channels keep which weights they point at, once they are glTF's own.
const EXTRAS: &str = "posepress.weights";

/// What a pointer moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointed {
    /// A node, by the path of glTF's own channels: `/nodes/4/rotation`.
    Node(usize, &'static str),
    /// One weight of a node, or weights of every node that shows a mesh and has none of its own.
    Weights(Weights),
}

/// Morph weights that glTF's own channels cannot name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Weights {
    /// True of a mesh, false of a node.
    pub of_mesh: bool,
    /// Of the node or mesh.
    pub index: usize,
    /// One weight; `None` is all.
    pub weight: Option<usize>,
}

/// What a channel's target points at; `None` for what moves no joint and no weight, and for a target without a pointer.
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

/// A number as JSON pointers have it, without signs and leading zeros.
fn index(text: &str) -> Option<usize> {
    let is_index = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_index { text.parse().ok() } else { None }
}

/// The nodes that show each mesh with its weights, in order: those without weights of their own. `nodes`: the mesh of each, and true
/// where it has such weights.
pub(super) fn nodes_of_meshes(nodes: impl Iterator<Item = (Option<usize>, bool)>) -> HashMap<usize, Vec<usize>> {
    let mut of_mesh = HashMap::<usize, Vec<usize>>::new();
    for (node, (mesh, _)) in nodes.enumerate().filter(|(_, (_, has_own_weights))| !has_own_weights) {
        mesh.into_iter().for_each(|mesh| of_mesh.entry(mesh).or_default().push(node));
    }
    of_mesh
}

/// Channels that point at a node's transform or at weights become glTF's own; the number of them. `showing`: the first node that shows
/// each mesh with its weights.
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

/// The weights that a resolved channel points at; `None` for all of its node.
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
