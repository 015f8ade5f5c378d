use super::accessor::Reader;
use super::morph::FloatTracks;
use super::nodes::NodeTree;
use super::primitive::{Primitives, Shown};
use super::{Ask, Fault, Finding, JointMap, get, node_name, readable};
use crate::model::{Rig, SkinJoint};
use glam::{Affine3A, Mat4};
use gltf_json as json;
use json::accessor::Type;

/// The joints that move a mesh.
#[derive(Debug)]
pub(super) enum Binding {
    /// Vertices refer to the joints of this palette.
    Skin(Vec<SkinJoint>),
    /// All vertices follow one joint.
    Rigid(SkinJoint),
}

/// Adds every mesh that joints move to the rig.
pub(super) fn read_meshes(
    reader: &Reader<'_>,
    tree: &NodeTree,
    joints: &JointMap,
    floats: &FloatTracks,
    metres: f32,
    rig: &mut Rig,
    findings: &mut Vec<Finding>,
) -> Result<(), Fault> {
    let root = reader.root();
    let mut primitives = Primitives { reader, metres, findings };
    let mut left_out = Vec::new();
    for &node in &tree.order {
        let Some(index) = root.nodes[node].mesh.filter(|_| tree.in_scene[node] && joints.shown[node]) else { continue };
        let place = format!("node {node} '{}'", node_name(root, node));
        let mesh = get(&root.meshes, index, "mesh").map_err(|f| f.at(&place))?;
        let Some(binding) = binding(reader, tree, joints, node, metres).map_err(|f| f.at(&place))? else {
            left_out.push(node_name(root, node));
            continue;
        };
        // The node's name comes first: artists name objects, and their meshes often keep default names, such as Cube.125.
        let own = [&root.nodes[node].name, &mesh.name].into_iter().flatten().find(|name| !name.is_empty());
        let name = own.map_or_else(|| node_name(root, node), |name| readable(name));
        let shown = Shown {
            mesh,
            index: index.value(),
            name,
            binding,
            first_track: floats.of_node(node).map(|(first, _)| first),
        };
        rig.meshes.extend(primitives.read(&shown).map_err(|f| f.at(&place))?);
    }
    findings.extend(Finding::not_carried(&left_out));
    Ok(())
}

fn binding(
    reader: &Reader<'_>,
    tree: &NodeTree,
    joints: &JointMap,
    node: usize,
    metres: f32,
) -> Result<Option<Binding>, Fault> {
    if let Some(skin) = reader.root().nodes[node].skin {
        return Ok(Some(Binding::Skin(palette(reader, joints, skin, metres)?)));
    }
    let carrier = tree.carrier(node, joints);
    Ok(carrier.map(|(joint, joint_from_mesh)| Binding::Rigid(SkinJoint { joint, joint_from_mesh })))
}

fn palette(
    reader: &Reader<'_>,
    joints: &JointMap,
    index: json::Index<json::Skin>,
    metres: f32,
) -> Result<Vec<SkinJoint>, Fault> {
    let skin = get(&reader.root().skins, index, "skin")?;
    let place = format!("skin {}", index.value());
    if skin.joints.is_empty() || skin.joints.len() > usize::from(u16::MAX) {
        return Err(Fault::new(format!("it has {} joints; expected 1 to {}", skin.joints.len(), u16::MAX)).at(place));
    }
    let claimed = reader.budget().claim(Ask::Palette, skin.joints.len() as u64);
    claimed.map_err(|over| Fault::from(over).at(&place))?;
    let matrices = match skin.inverse_bind_matrices {
        Some(accessor) => reader.floats(accessor, Type::Mat4, false).map_err(|f| f.at(&place))?,
        None => Mat4::IDENTITY.to_cols_array().repeat(skin.joints.len()),
    };
    let (matrices, _) = matrices.as_chunks::<16>();
    if matrices.len() < skin.joints.len() {
        let what = format!("{} inverse bind matrices for {} joints", matrices.len(), skin.joints.len());
        return Err(Fault::new(what).at(place));
    }
    let pairs = skin.joints.iter().zip(matrices);
    pairs
        .map(|(node, columns)| {
            let joint = joints.of_node.get(node.value()).copied().flatten();
            let joint = joint.ok_or_else(|| {
                let what = format!("its joint, node {}, is not among the joints that are read", node.value());
                Fault::new(what).at(&place)
            })?;
            let mut joint_from_mesh = Affine3A::from_mat4(Mat4::from_cols_array(columns));
            if !joint_from_mesh.is_finite() {
                let what = format!("the inverse bind matrix of node {} is not finite", node.value());
                return Err(Fault::new(what).at(&place));
            }
            joint_from_mesh.translation *= metres;
            Ok(SkinJoint { joint, joint_from_mesh })
        })
        .collect()
}
