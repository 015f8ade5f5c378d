use super::nodes::NodeTree;
use super::{Fault, Finding, node_name};
use crate::import::{Reading, ReadingPart, several};
use gltf_json as json;

/// The skeletons of a file. Two skins have the same skeleton if they share joints, or if joints of one are descendants of joints of
/// the other.
#[derive(Debug)]
pub(super) struct Figures {
    /// Per node, the skeleton of the nearest joint at or above the node.
    of_node: Vec<Option<usize>>,
    /// Per skeleton, the name of its first joint and its number of joints.
    figures: Vec<(String, usize)>,
}

/// Groups of nodes that can be merged (union-find).
struct Groups(Vec<usize>);

impl Groups {
    fn of(&mut self, mut node: usize) -> usize {
        while self.0[node] != node {
            self.0[node] = self.0[self.0[node]];
            node = self.0[node];
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}

impl Figures {
    pub fn find(root: &json::Root, tree: &NodeTree) -> Self {
        let nodes = tree.parents.len();
        let mut groups = Groups((0..nodes).collect());
        let mut is_joint = vec![false; nodes];
        for skin in &root.skins {
            // Joints that are out of range are reported when joints are chosen.
            let joints: Vec<usize> =
                skin.joints.iter().map(|joint| joint.value()).filter(|&joint| joint < nodes).collect();
            joints.iter().for_each(|&joint| is_joint[joint] = true);
            joints.windows(2).for_each(|pair| groups.join(pair[0], pair[1]));
        }
        // The nearest joint at or above each node.
        let mut nearest: Vec<Option<usize>> = vec![None; nodes];
        for &node in &tree.order {
            let above = tree.parents[node].and_then(|parent| nearest[parent]);
            if let (true, Some(above)) = (is_joint[node], above) {
                groups.join(node, above);
            }
            nearest[node] = if is_joint[node] { Some(node) } else { above };
        }
        let mut numbers = vec![None; nodes];
        let mut figures: Vec<(String, usize)> = Vec::new();
        for &node in tree.order.iter().filter(|&&node| is_joint[node]) {
            let number = *numbers[groups.of(node)].get_or_insert_with(|| {
                figures.push((node_name(root, node), 0));
                figures.len() - 1
            });
            figures[number].1 += 1;
        }
        let of_node = nearest.into_iter().map(|joint| numbers[groups.of(joint?)]).collect();
        Self { of_node, figures }
    }

    /// Returns a test of whether a node belongs to a skeleton. `wanted` is its number, from 1; without it, the test is true for all nodes.
    pub fn belongs(&self, wanted: Option<usize>) -> Result<impl Fn(usize) -> bool, Fault> {
        several::check(wanted, self.figures.len())?;
        let of_node = &self.of_node;
        Ok(move |node: usize| wanted.is_none_or(|wanted| of_node.get(node).copied().flatten() == Some(wanted - 1)))
    }

    /// A note that lists the skeletons. `None` unless there are several.
    pub fn finding(&self, subject: &str, wanted: Option<usize>) -> Option<Finding> {
        let figures = self.figures.iter().map(|(name, joints)| (name.as_str(), *joints));
        several::finding(figures, subject, wanted)
    }
}

/// A note that lists the scenes. `None` unless there are several.
pub(super) fn scenes_finding(root: &json::Root, subject: &str, read: usize) -> Option<Finding> {
    let name = |(index, scene): (usize, &json::Scene)| match scene.name.as_deref() {
        Some(name) if !name.is_empty() => super::readable(name),
        _ => format!("scene {}", index + 1),
    };
    let names: Vec<String> = root.scenes.iter().enumerate().map(name).collect();
    (names.len() > 1).then(|| {
        let what = format!("scene {} of {} is read, {}", read + 1, names.len(), names[read]);
        let meaning =
            "Meshes of other scenes are not shown (--scene, by number). Joints and clips come from the whole file.";
        let others = names.iter().enumerate().filter(|(index, _)| *index != read);
        let others =
            others.map(|(index, name)| Reading { label: name.clone(), part: ReadingPart::Scene(index as u32 + 1) });
        Finding::note(subject, what, meaning).with_readings(others)
    })
}
