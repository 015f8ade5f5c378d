//! Resolves indices of a glTF.

use super::{Fault, readable};
use gltf_json as json;

/// Returns the element of that index, or a fault if the index is out of range.
pub(super) fn get<'a, T>(list: &'a [T], index: json::Index<T>, kind: &str) -> Result<&'a T, Fault> {
    list.get(index.value()).ok_or_else(|| {
        Fault::new(format!("a reference to {kind} {} is out of range; the file has {}", index.value(), list.len()))
    })
}

impl From<json::Error> for Fault {
    fn from(error: json::Error) -> Self {
        Self::new(format!("its JSON does not fit the format: {}", readable(&error.to_string())))
    }
}

/// The node's name, or `node_N`.
pub(super) fn node_name(root: &json::Root, node: usize) -> String {
    match root.nodes.get(node).and_then(|n| n.name.as_deref()) {
        Some(name) if !name.is_empty() => readable(name),
        _ => format!("node_{node}"),
    }
}
