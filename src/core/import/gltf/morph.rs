use super::accessor::Reader;
use super::nodes::NodeTree;
use super::{Ask, Fault, JointMap, node_name, readable};
use gltf_json as json;
use std::collections::HashMap;

/// Float tracks of a rig: one per node and morph target, since weights belong to nodes.
#[derive(Debug, Default)]
pub(super) struct FloatTracks {
    /// `mesh.target`, or `node.target` if several nodes show the mesh or the mesh has no name.
    pub names: Vec<String>,
    /// Weights without animation: the node's own, else the mesh's, else zero.
    pub rest: Vec<f32>,
    /// First track and number of tracks, per node.
    of_node: HashMap<usize, (usize, usize)>,
}

impl FloatTracks {
    /// Lists the tracks of all meshes that joints move.
    pub fn read(reader: &Reader<'_>, tree: &NodeTree, joints: &JointMap) -> Result<Self, Fault> {
        let root = reader.root();
        let mut tracks = Self::default();
        let shown = |&node: &usize| {
            let json = &root.nodes[node];
            let mesh = json.mesh.filter(|_| tree.in_scene[node] && joints.shown[node])?;
            (json.skin.is_some() || tree.carrier(node, joints).is_some()).then_some((node, mesh.value()))
        };
        let nodes: Vec<(usize, usize)> = tree.order.iter().filter_map(shown).collect();
        let mut uses = HashMap::<usize, usize>::new();
        nodes.iter().for_each(|(_, mesh)| *uses.entry(*mesh).or_default() += 1);
        for (node, index) in nodes {
            let Some(mesh) = root.meshes.get(index) else { continue }; // reported where meshes are read
            let count = target_count(mesh);
            if count == 0 {
                continue;
            }
            let owner = match (&mesh.name, uses[&index]) {
                (Some(name), 1) if !name.is_empty() => readable(name),
                _ => node_name(root, node),
            };
            let claimed = reader.budget().claim(Ask::FloatTracks, count as u64);
            claimed.map_err(|over| Fault::from(over).at(format!("mesh {index} '{owner}'")))?;
            let weights = root.nodes[node].weights.as_ref().or(mesh.weights.as_ref());
            tracks.of_node.insert(node, (tracks.names.len(), count));
            for (target, name) in target_names(mesh, count).into_iter().enumerate() {
                tracks.names.push(format!("{owner}.{name}"));
                tracks.rest.push(weights.and_then(|w| w.get(target)).copied().unwrap_or(0.0));
            }
        }
        match tracks.rest.iter().position(|w| !w.is_finite()) {
            Some(bad) => {
                let place = format!("morph target '{}'", tracks.names[bad]);
                Err(Fault::new("its weight is not a finite number").at(place))
            }
            None => Ok(tracks),
        }
    }

    /// Nodes with tracks, in track order: node, first track, number of tracks.
    pub fn nodes(&self) -> Vec<(usize, usize, usize)> {
        let mut nodes: Vec<_> = self.of_node.iter().map(|(&node, &(first, count))| (node, first, count)).collect();
        nodes.sort_unstable_by_key(|&(_, first, _)| first);
        nodes
    }

    /// First track and number of tracks of a node.
    pub fn of_node(&self, node: usize) -> Option<(usize, usize)> {
        self.of_node.get(&node).copied()
    }
}

/// Largest number of targets of a primitive. The specification requires the same number in all primitives of a mesh.
fn target_count(mesh: &json::Mesh) -> usize {
    mesh.primitives.iter().map(|p| p.targets.as_ref().map_or(0, Vec::len)).max().unwrap_or(0)
}

/// Target names from `extras.targetNames`, which most exporters write, or `target_N`.
pub(super) fn target_names(mesh: &json::Mesh, count: usize) -> Vec<String> {
    let extras = mesh.extras.as_ref().and_then(|e| serde_json::from_str::<serde_json::Value>(e.get()).ok());
    let names = extras.as_ref().and_then(|e| e.get("targetNames")).and_then(|n| n.as_array());
    let name = |i: usize| names.and_then(|n| n.get(i)?.as_str()).filter(|n| !n.is_empty());
    (0..count).map(|i| name(i).map_or_else(|| format!("target_{i}"), readable)).collect()
}
