//! glTF 2.0 and GLB, and VRM in them.
//!
//! The `gltf` crate parses the JSON into its typed document; its iterators and its validator are not used, because they
//! index without checks and panic on damaged files. This reader checks every index, offset and count where it is used.
//!
//! Choices of this reader:
//! - Joints are skin joints, human bones, animated nodes, nodes of constraints, and all their ancestors, in depth-first order.
//!   In a file without skins, all descendants of these nodes are joints too.
//! - The bind pose of a joint is its node's transform in the file, as shown without animation. Skins have their own inverse bind
//!   matrices, so they do not depend on the bind pose.
//! - Several skeletons form one rig, unless the options choose one of them.
//! - Meshes come from the default scene, unless the options choose another. Meshes that no joint moves are skipped, with a note.

mod accessor;
mod animation;
mod container;
mod document;
mod extras;
mod figures;
mod joint_map;
mod material;
mod mesh;
mod meshopt;
mod morph;
mod node_constraint;
mod nodes;
mod playing;
mod pointer;
mod primitive;
mod references;
mod required;
mod vrm;

use super::key_clip::KeyClip;
use super::resample::{Sampled, resample_all};
use super::rest::Rest;
use super::sampling;
use super::time_unit::sparse_keys;
use super::{Ask, Fault, Finding, ImportError, ImportOptions, Imported, Importer, checks, readable, stem};
use crate::model::{Joint, Rig, Skeleton};
use accessor::Reader;
use animation::Units;
use container::Container;
pub use document::{DocumentClip, EmbeddedImage, FileSpace, GltfDocument, WeightsNode};
pub(crate) use extras::{add_extras, declare, declare_additive};
use figures::Figures;
use gltf_json as json;
use joint_map::JointMap;
use node_constraint::NodeConstraints;
use nodes::NodeTree;
pub(crate) use playing::play;
pub(crate) use pointer::{Pointed, pointed};
use references::{get, node_name};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use vrm::Vrm;

/// Reads `.glb` and `.gltf`, `.vrm` and `.vrma`.
#[derive(Debug)]
pub(super) struct Gltf;

impl Importer for Gltf {
    fn name(&self) -> &'static str {
        "glTF"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["glb", "gltf", "vrm", "vrma"]
    }

    fn import(&self, path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, ImportError> {
        import(path, &bytes, options).map_err(|fault| {
            fault.advise("Export the file again, or check it with the Khronos glTF Validator").in_file(path)
        })
    }
}

fn import(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Imported, Fault> {
    let mut findings = Vec::new();
    let container = Container::read(bytes, &mut findings)?;
    let reader = Reader::open(&container, path)?;
    let root = reader.root();
    let tree = NodeTree::read(root, options.metres(), options.scene(), &mut findings)?;
    let figures = Figures::find(root, &tree);
    let vrm = Vrm::read(root, &stem(path), &mut findings);
    let (constraints, said) = NodeConstraints::read(root, &tree, options.constraints.unwrap_or_default());
    findings.extend(said);
    let joints = tree.choose_joints(root, &vrm, &constraints, figures.belongs(options.figure())?)?;
    findings.extend(vrm.finding(root, &stem(path)));
    findings.extend(figures.finding(&stem(path), options.figure()));
    findings.extend(tree.scene.and_then(|scene| figures::scenes_finding(root, &stem(path), scene)));
    let skeleton = skeleton(root, &tree, &joints, options)?;

    let mut rig = Rig::from_skeleton(stem(path), skeleton);
    let floats = morph::FloatTracks::read(&reader, &tree, &joints)?;
    mesh::read_meshes(&reader, &tree, &joints, &floats, options.metres(), &mut rig, &mut findings)?;
    material::read_materials(&reader, &mut rig, &mut findings);
    rig.float_names = floats.names.clone();
    rig.human = vrm.human(&joints);

    let locals: Vec<_> = joints.nodes.iter().map(|&node| tree.locals[node]).collect();
    let shells_m = sampling::shells_m(&rig);
    let rest = Rest { rig: &rig, joints: &locals, floats: &floats.rest, up: options.up(), shells_m: &shells_m };
    let units = Units { metres: options.metres(), secs: options.secs() };
    let moved = Arc::new(constraints.on_joints(&tree, &joints));
    let key_clips = animation::read_clips(&reader, &joints, &floats, units, &mut findings)?;
    let key_clips: Vec<_> =
        key_clips.into_iter().map(|(_, clip)| KeyClip { constraints: moved.clone(), ..clip }).collect();
    findings.extend(sparse_keys(&key_clips, options));
    let Sampled { clips, clip_bytes } = resample_all(&key_clips, rest, options, reader.budget(), &mut findings)?;
    rig.constraints = moved;
    checks::check(&rig, &clips, options, options.metres(), &mut findings);
    Ok(Imported { rig, clips, clip_bytes, findings, beside: reader.files_beside() })
}

fn skeleton(root: &json::Root, tree: &NodeTree, joints: &JointMap, options: &ImportOptions) -> Result<Skeleton, Fault> {
    let joint = |&node: &usize| {
        let parent = tree.parents[node].and_then(|p| joints.of_node[p]);
        let local = tree.locals[node];
        let bind = if parent.is_none() { options.up().raise(local) } else { local };
        Joint { name: node_name(root, node), parent, bind }
    };
    Ok(Skeleton::new(joints.nodes.iter().map(joint).collect())?)
}
