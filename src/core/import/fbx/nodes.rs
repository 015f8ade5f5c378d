use super::numbers::{affine, transform};
use super::{Fault, Finding, UpAxis, readable};
use crate::import::rest_scale::{taken_out, uniform_scale};
use crate::math::Transform;
use crate::model::{Joint, Skeleton, SkinJoint};
use crate::text;
use glam::{Affine3A, Vec3};
use std::collections::{BTreeSet, HashSet};
use ufbx::{AnimProp, Element, ElementType, Node, Scene};

/// The relation between nodes and joints.
#[derive(Debug)]
pub(super) struct JointMap {
    /// Node per joint, parents first: depth-first, in file order.
    pub nodes: Vec<usize>,
    /// Joint per node.
    pub of_node: Vec<Option<usize>>,
    /// Removed scales, per joint.
    scales: Vec<TakenScale>,
}

/// A uniform scale of a joint at rest, such as 100 on the root of most files that were made in metres. It is removed from the joint and
/// multiplied into the lengths below it. Then a millimetre is the same length at every joint.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TakenScale {
    /// Scale of the joint itself.
    own: f32,
    /// Product of the scales of its ancestors.
    above: f32,
}

impl JointMap {
    /// Chooses the joints: skin joints, bones, nodes that keys or constraints move, and all their ancestors. In a file without skins, all
    /// descendants of moving nodes are joints too.
    pub fn choose(
        scene: &Scene,
        moved: impl Iterator<Item = usize>,
        findings: &mut Vec<Finding>,
    ) -> Result<Self, Fault> {
        let order = depth_first(scene);
        let mut chosen = vec![false; scene.nodes.len()];
        let furniture = furniture(scene, &order);
        let (idle, moving): (Vec<usize>, Vec<usize>) =
            moving_nodes(scene).into_iter().chain(moved).partition(|&node| furniture[node]);
        findings.extend(left_out(scene, &idle));
        moving.iter().for_each(|&node| chosen[node] = true);
        if scene.skin_clusters.is_empty() {
            for &node in &order {
                chosen[node] |= parent(scene, node).is_some_and(|parent| chosen[parent]);
            }
        }
        bones(scene).for_each(|bone| chosen[bone] = true);
        choose_above(scene, &order, &mut chosen);
        let nodes: Vec<usize> = order.into_iter().filter(|&node| chosen[node]).collect();
        if nodes.is_empty() {
            let what = "the file has no joints: no skin, no bone, and no animation that moves a node";
            return Err(Fault::new(what).advise("Export it with its skeleton or its animations"));
        }
        let mut of_node = vec![None; chosen.len()];
        nodes.iter().enumerate().for_each(|(joint, &node)| of_node[node] = Some(joint));
        let mut joints = Self { nodes, of_node, scales: Vec::new() };
        joints.take_scales(scene, findings);
        Ok(joints)
    }

    fn take_scales(&mut self, scene: &Scene, findings: &mut Vec<Finding>) {
        for &node in &self.nodes {
            let own = uniform_scale(transform(&scene.nodes[node].local_transform).scale);
            let parent = parent(scene, node).and_then(|parent| self.of_node[parent]);
            let above = parent.map_or(1.0, |parent| self.scales[parent].own * self.scales[parent].above);
            self.scales.push(TakenScale { own, above });
            if own != 1.0 {
                let what = format!("the joint is scaled by {own} at rest");
                findings.push(taken_out(name(&scene.nodes[node]), what));
            }
        }
    }

    /// The skeleton. Its bind pose is the pose without animation.
    pub fn skeleton(&self, scene: &Scene, up: UpAxis) -> Result<Skeleton, Fault> {
        let joint = |(local, &node): (Transform, &usize)| {
            let parent = parent(scene, node).and_then(|p| self.of_node[p]);
            Joint {
                name: name(&scene.nodes[node]),
                parent,
                bind: if parent.is_none() { up.raise(local) } else { local },
            }
        };
        let joints = self.rest(scene).into_iter().zip(&self.nodes).map(joint).collect();
        Ok(Skeleton::new(joints)?)
    }

    /// Local transforms without animation.
    pub fn rest(&self, scene: &Scene) -> Vec<Transform> {
        (0..self.nodes.len()).map(|joint| self.local(joint, &scene.nodes[self.nodes[joint]].local_transform)).collect()
    }

    /// Converts a node's local transform to that of its joint, without the removed scales.
    pub fn local(&self, joint: usize, of_node: &ufbx::Transform) -> Transform {
        let (scale, local) = (self.scales[joint], transform(of_node));
        Transform { translation: local.translation * scale.above, scale: local.scale / scale.own, ..local }
    }

    /// A joint of a skin, from the transform of the mesh to the joint's node.
    pub fn skin_joint(&self, joint: usize, node_from_mesh: Affine3A) -> SkinJoint {
        let TakenScale { own, above } = self.scales[joint];
        SkinJoint { joint, joint_from_mesh: Affine3A::from_scale(Vec3::splat(own * above)) * node_from_mesh }
    }

    /// The joint that moves a node (itself or its nearest ancestor), with the transform from the node to the joint's node at rest.
    pub fn carrier(&self, scene: &Scene, node: usize) -> Option<(usize, Affine3A)> {
        let mut at = node;
        let mut at_from_node = Affine3A::IDENTITY;
        loop {
            if let Some(joint) = self.of_node[at] {
                return Some((joint, at_from_node));
            }
            at_from_node = affine(&scene.nodes[at].node_to_parent) * at_from_node;
            at = parent(scene, at)?;
        }
    }
}

/// Per node, true if it is not part of a character. Bones with their descendants, nodes with a mesh, and the ancestors of both are parts.
/// In a file with bones, all other nodes are not, such as a camera's target. In other files, only other cameras and lights are not.
fn furniture(scene: &Scene, order: &[usize]) -> Vec<bool> {
    let mut belongs = vec![false; scene.nodes.len()];
    bones(scene).for_each(|bone| belongs[bone] = true);
    let has_bones = belongs.contains(&true);
    for &node in order {
        belongs[node] |= parent(scene, node).is_some_and(|parent| belongs[parent]);
    }
    scene.nodes.iter().filter(|node| node.mesh.is_some()).for_each(|node| belongs[id(node)] = true);
    choose_above(scene, order, &mut belongs);
    let looks_or_lights = |node: &Node| node.camera.is_some() || node.light.is_some();
    scene.nodes.iter().map(|node| !belongs[id(node)] && (has_bones || looks_or_lights(node))).collect()
}

fn left_out(scene: &Scene, idle: &[usize]) -> Option<Finding> {
    let mut names: Vec<String> = idle.iter().map(|&node| name(&scene.nodes[node])).collect();
    names.sort();
    (!names.is_empty()).then(|| {
        let what = "these nodes move but belong to no character";
        Finding::note(text::listed(&names), what, "They were skipped: they carry no mesh and no bone.")
    })
}

/// Joints of skins, and bones.
fn bones(scene: &Scene) -> impl Iterator<Item = usize> {
    let clusters = scene.skin_clusters.iter().filter_map(|cluster| cluster.bone_node.as_ref()).map(|bone| id(bone));
    clusters.chain(scene.nodes.iter().filter(|node| node.bone.is_some()).map(|bone| id(bone)))
}

fn choose_above(scene: &Scene, order: &[usize], chosen: &mut [bool]) {
    for &node in order.iter().rev() {
        if let (true, Some(parent)) = (chosen[node], parent(scene, node)) {
            chosen[parent] = true;
        }
    }
}

/// Index of a node in the scene.
pub(super) fn id(node: &Node) -> usize {
    node.element.typed_id as usize
}

/// The node's name, or `node_N`. A scale helper is named after its node; ufbx adds it for a scale that children do not inherit.
pub(super) fn name(node: &Node) -> String {
    match (&node.parent, node.element.name.as_ref()) {
        (Some(parent), _) if node.is_scale_helper => format!("{} scale", name(parent)),
        (_, "") => format!("node_{}", id(node)),
        (_, name) => readable(name),
    }
}

/// The parent of a node; `None` below the scene root.
pub(super) fn parent(scene: &Scene, node: usize) -> Option<usize> {
    scene.nodes[node].parent.as_ref().filter(|parent| !parent.is_root).map(|parent| id(parent))
}

/// All nodes except the scene root, parents first.
fn depth_first(scene: &Scene) -> Vec<usize> {
    let mut order = Vec::with_capacity(scene.nodes.len());
    let mut stack: Vec<&Node> = (&scene.root_node.children).into_iter().collect();
    stack.reverse();
    while let Some(node) = stack.pop() {
        order.push(id(node));
        let first = stack.len();
        stack.extend(&node.children);
        stack[first..].reverse();
    }
    order
}

/// Nodes that animation stacks move. Also nodes of meshes with animated blend shapes and no skin, since such a mesh needs a joint.
fn moving_nodes(scene: &Scene) -> BTreeSet<usize> {
    let props = || scene.anim_layers.iter().flat_map(|layer| &layer.anim_props).filter(|prop| has_keys(prop));
    let mut moving: BTreeSet<usize> =
        props().filter(|prop| moves_node(prop)).map(|prop| prop.element.typed_id as usize).collect();
    let channels: HashSet<u32> = props().flat_map(blend_channels).collect();
    for mesh in scene.meshes.iter().filter(|mesh| mesh.skin_deformers.is_empty()) {
        let mut all = mesh.blend_deformers.iter().flat_map(|deformer| &deformer.channels);
        if all.any(|channel| channels.contains(&channel.element.element_id)) {
            moving.extend((&mesh.element.instances).into_iter().map(id));
        }
    }
    moving
}

/// True if a property is part of a node's transform.
pub(super) fn moves_node(prop: &AnimProp) -> bool {
    prop.element.type_ == ElementType::Node && prop.prop_name.starts_with("Lcl ")
}

/// Element ids of the blend channels that a property moves. Up to FBX 7.1, this is a property of the node or mesh. It has the name of the
/// shape, and a connection to the channel.
pub(super) fn blend_channels(prop: &AnimProp) -> impl Iterator<Item = u32> + '_ {
    let is_channel = |element: &Element| element.type_ == ElementType::BlendChannel;
    let own = Some(&*prop.element).filter(|element| is_channel(element));
    let connected = prop.element.connections_src.iter().filter(|connection| *connection.src_prop == *prop.prop_name);
    let connected = connected.map(|connection| &*connection.dst).filter(move |element| is_channel(element));
    own.into_iter().chain(connected).map(|element| element.element_id)
}

/// True if any component of a property has keys.
pub(super) fn has_keys(prop: &AnimProp) -> bool {
    prop.anim_value.curves.iter().flatten().any(|curve| !curve.keyframes.is_empty())
}
