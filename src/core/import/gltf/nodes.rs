use super::node_constraint::NodeConstraints;
use super::vrm::Vrm;
use super::{Fault, Finding, JointMap, node_name};
use crate::math::Transform;
use crate::text;
use glam::{Affine3A, Mat4, Quat, Vec3};
use gltf_json as json;
use json::animation::Property;
use json::validation::Checked;

/// The nodes of a document, checked to be a forest.
#[derive(Debug)]
pub(super) struct NodeTree {
    /// Parent of each node.
    pub parents: Vec<Option<usize>>,
    /// All nodes in depth-first order, parents first. Nodes of the shown scene come before the others.
    pub order: Vec<usize>,
    /// Local transform of each node, metres.
    pub locals: Vec<Transform>,
    /// Per node, true if it is in the shown scene. True for all nodes if there is no scene or it is empty.
    pub in_scene: Vec<bool>,
    /// Index of the shown scene.
    pub scene: Option<usize>,
}

impl NodeTree {
    /// Checks the hierarchy and reads the transforms. `scene` is the number of the scene to show, from 1.
    pub fn read(
        root: &json::Root,
        metres: f32,
        scene: Option<usize>,
        findings: &mut Vec<Finding>,
    ) -> Result<Self, Fault> {
        let parents = parents(root)?;
        let shown = shown_scene(root, scene)?;
        let tops = scene_nodes(root, shown)?;
        let order = depth_first(root, &parents, &tops)?;
        let mut in_scene = vec![tops.is_empty(); parents.len()];
        for &top in &tops {
            in_scene[top] = true;
        }
        for &node in &order {
            in_scene[node] |= parents[node].is_some_and(|p| in_scene[p]);
        }
        let locals = (0..root.nodes.len()).map(|node| local(root, node, metres, findings)).collect::<Result<_, _>>()?;
        Ok(Self { parents, order, locals, in_scene, scene: shown })
    }

    /// Chooses the joints: skin joints, human bones, animated nodes, nodes of constraints, and all their ancestors. In a file
    /// without skins, all descendants of these nodes are joints too.
    ///
    /// A node with animated morph weights and no skin is a joint too, since its mesh needs a joint. Nodes outside of the imported
    /// skeletons are joints only if they are ancestors of its joints.
    pub fn choose_joints(
        &self,
        root: &json::Root,
        vrm: &Vrm,
        constraints: &NodeConstraints,
        belongs: impl Fn(usize) -> bool,
    ) -> Result<JointMap, Fault> {
        let belongs = |node: usize| belongs(node) && !vrm.is_signal(node);
        let mut chosen = vec![false; self.parents.len()];
        for (node, place) in named_nodes(root, vrm, constraints) {
            let Some(chosen) = chosen.get_mut(node) else {
                let what = format!("a reference to node {node} is out of range; the file has {}", root.nodes.len());
                return Err(Fault::new(what).at(place));
            };
            *chosen |= belongs(node);
        }
        if root.skins.is_empty() {
            self.add_children(&mut chosen, belongs);
        }
        self.add_ancestors(&mut chosen);
        let nodes: Vec<usize> = self.order.iter().copied().filter(|&node| chosen[node]).collect();
        if nodes.is_empty() {
            let what = "the file has no joints: no skin, and no animation that moves a node";
            return Err(Fault::new(what).advise("Export it with its skeleton or its animations"));
        }
        let mut of_node = vec![None; chosen.len()];
        for (joint, &node) in nodes.iter().enumerate() {
            of_node[node] = Some(joint);
        }
        let is_shown = |node: usize| match root.nodes[node].skin.and_then(|skin| root.skins.get(skin.value())) {
            Some(skin) => skin.joints.iter().all(|joint| belongs(joint.value())),
            None => belongs(node),
        };
        Ok(JointMap { shown: (0..self.parents.len()).map(is_shown).collect(), nodes, of_node })
    }

    fn add_children(&self, chosen: &mut [bool], belongs: impl Fn(usize) -> bool) {
        for &node in &self.order {
            chosen[node] |= belongs(node) && self.parents[node].is_some_and(|parent| chosen[parent]);
        }
    }

    fn add_ancestors(&self, chosen: &mut [bool]) {
        for &node in self.order.iter().rev() {
            if let (true, Some(parent)) = (chosen[node], self.parents[node]) {
                chosen[parent] = true;
            }
        }
    }

    /// The joint that moves a node (itself or its nearest ancestor), with the transform from the node to the joint at rest.
    pub fn carrier(&self, node: usize, joints: &JointMap) -> Option<(usize, Affine3A)> {
        let mut at = node;
        let mut at_from_node = Affine3A::IDENTITY;
        loop {
            if let Some(joint) = joints.of_node[at] {
                return Some((joint, at_from_node));
            }
            at_from_node = self.locals[at].to_affine() * at_from_node;
            at = self.parents[at]?;
        }
    }
}

/// Nodes that skins, human bones, constraints and animations refer to, each with the place of the reference.
fn named_nodes<'a>(
    root: &'a json::Root,
    vrm: &'a Vrm,
    constraints: &'a NodeConstraints,
) -> impl Iterator<Item = (usize, String)> + 'a {
    let of_skin = |(index, skin): (usize, &'a json::Skin)| {
        skin.joints.iter().map(move |joint| (joint.value(), format!("skin {index}")))
    };
    let bones = vrm.bone_nodes().map(|bone| (bone, "human bones".to_owned()));
    let constrained = constraints.nodes().map(|node| (node, "constraints".to_owned()));
    let channels = root.animations.iter().flat_map(|animation| &animation.channels);
    let animated = channels.filter_map(|channel| {
        let node = channel.target.node.value();
        let weights = channel.target.path == Checked::Valid(Property::MorphTargetWeights);
        // A missing node is a fault of one clip only, and is reported when that clip is read.
        let is_animated = root.nodes.get(node).is_some_and(|json| !weights || json.skin.is_none());
        is_animated.then(|| (node, "animations".to_owned()))
    });
    root.skins.iter().enumerate().flat_map(of_skin).chain(bones).chain(constrained).chain(animated)
}

fn parents(root: &json::Root) -> Result<Vec<Option<usize>>, Fault> {
    let mut parents = vec![None; root.nodes.len()];
    for (node, json) in root.nodes.iter().enumerate() {
        for child in json.children.iter().flatten().map(|c| c.value()) {
            let place = format!("node {node} '{}'", node_name(root, node));
            let Some(parent) = parents.get_mut(child) else {
                let what = format!("its child {child} is out of range; the file has {} nodes", root.nodes.len());
                return Err(Fault::new(what).at(place));
            };
            if let Some(other) = parent.replace(node) {
                let what = format!("node {child} has two parents, {other} and {node}; expected a tree");
                return Err(Fault::new(what).at(place));
            }
        }
    }
    Ok(parents)
}

/// Index of the wanted scene, else of the default scene, else of the first.
fn shown_scene(root: &json::Root, wanted: Option<usize>) -> Result<Option<usize>, Fault> {
    let count = root.scenes.len();
    match (wanted, root.scene) {
        (Some(wanted), _) if (1..=count).contains(&wanted) => Ok(Some(wanted - 1)),
        (Some(wanted), _) => {
            let what = format!("scene {wanted} is asked for; the file has {}", text::count(count, "scene"));
            Err(Fault::new(what).advise("Choose a scene that the file has"))
        }
        (None, Some(index)) => {
            let found = super::get(&root.scenes, index, "scene").map_err(|fault| fault.at("the default scene"));
            found.map(|_| Some(index.value()))
        }
        (None, None) => Ok((count > 0).then_some(0)),
    }
}

fn scene_nodes(root: &json::Root, scene: Option<usize>) -> Result<Vec<usize>, Fault> {
    let Some(scene) = scene else { return Ok(Vec::new()) };
    let tops: Vec<usize> = root.scenes[scene].nodes.iter().map(|n| n.value()).collect();
    match tops.iter().find(|&&n| n >= root.nodes.len()) {
        Some(bad) => {
            let what = format!("node {bad} of the scene is out of range; the file has {}", root.nodes.len());
            Err(Fault::new(what).at(format!("scene {scene}")))
        }
        None => Ok(tops),
    }
}

/// All nodes in depth-first order, parents first. Without recursion, since a long chain of nodes would overflow the stack.
fn depth_first(root: &json::Root, parents: &[Option<usize>], scene: &[usize]) -> Result<Vec<usize>, Fault> {
    let is_top = |&node: &usize| parents[node].is_none();
    let tops = scene.iter().copied().filter(is_top).chain((0..parents.len()).filter(is_top));
    let mut seen = vec![false; parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    for top in tops {
        let mut stack = vec![top];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            order.push(node);
            stack.extend(root.nodes[node].children.iter().flatten().rev().map(|c| c.value()));
        }
    }
    // Every node has at most one parent, so a node that no root reaches is in or below a cycle: as many steps up as there are nodes end in it.
    match seen.iter().position(|seen| !seen) {
        Some(unreached) => {
            let node = (0..parents.len()).fold(unreached, |node, _| parents[node].unwrap_or(node));
            let what = "the node is its own ancestor; expected a tree";
            Err(Fault::new(what).at(format!("node {node} '{}'", node_name(root, node))))
        }
        None => Ok(order),
    }
}

fn local(root: &json::Root, node: usize, metres: f32, findings: &mut Vec<Finding>) -> Result<Transform, Fault> {
    let json = &root.nodes[node];
    let mut local = match json.matrix {
        Some(columns) => {
            let matrix = Mat4::from_cols_array(&columns);
            let local = decompose(matrix);
            if !holds(local, matrix) {
                findings.push(Finding::warning(
                    node_name(root, node),
                    "its matrix cannot be split into rotation, translation and scale",
                    "It shears or flattens. The nearest rotation and scale are used; its descendants may be misplaced.",
                ));
            }
            local
        }
        None => Transform {
            rotation: json.rotation.map_or(Quat::IDENTITY, |r| Quat::from_array(r.0)),
            translation: json.translation.map_or(Vec3::ZERO, Vec3::from),
            scale: json.scale.map_or(Vec3::ONE, Vec3::from),
        },
    };
    if !local.is_finite() || local.rotation.length_squared() < 1e-12 {
        let what = "its transform is not a finite number or not a rotation";
        return Err(Fault::new(what).at(format!("node {node} '{}'", node_name(root, node))));
    }
    if !local.rotation.is_normalized() {
        local.rotation = local.rotation.normalize();
    }
    local.translation *= metres;
    Ok(local)
}

/// Splits a matrix into rotation, translation and scale. A mirrored matrix gets a negative x scale.
fn decompose(matrix: Mat4) -> Transform {
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|c| c.truncate());
    let mirrored = axes[0].cross(axes[1]).dot(axes[2]) < 0.0;
    let mut scale = Vec3::from(axes.map(|a| a.length()));
    scale.x = if mirrored { -scale.x } else { scale.x };
    let unit = |axis: usize| axes[axis] / scale[axis];
    let rotation = if scale.min_element().abs().min(scale.abs().min_element()) > 1e-12 {
        Quat::from_mat3(&glam::Mat3::from_cols(unit(0), unit(1), unit(2))).normalize()
    } else {
        Quat::IDENTITY // flattened to a plane or a line: the rotation is unknown
    };
    Transform { rotation, translation: matrix.w_axis.truncate(), scale }
}

fn holds(local: Transform, matrix: Mat4) -> bool {
    let size = matrix.to_cols_array().iter().fold(1.0f32, |m, x| m.max(x.abs()));
    Mat4::from(local.to_affine()).abs_diff_eq(matrix, 1e-4 * size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_split_and_recombine_mirrored_ones_too() {
        for scale in [Vec3::ONE, Vec3::new(2.0, 0.5, 3.0), Vec3::new(1.0, -1.0, 1.0), Vec3::splat(-2.0)] {
            let rotation = Quat::from_rotation_y(0.7) * Quat::from_rotation_x(-1.2);
            let matrix = Mat4::from_scale_rotation_translation(scale, rotation, Vec3::new(1.0, 2.0, 3.0));
            assert!(holds(decompose(matrix), matrix), "{scale}");
        }
    }

    #[test]
    fn a_shear_is_noticed_and_a_flattened_matrix_stays_finite() {
        let mut shear = Mat4::IDENTITY;
        shear.y_axis.x = 0.5;
        assert!(!holds(decompose(shear), shear));
        let flat = Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0));
        assert!(decompose(flat).is_finite());
    }
}
