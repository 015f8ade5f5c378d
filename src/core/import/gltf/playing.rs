//! Plays the clips of a written document as its players do.

use super::accessor::Reader;
use super::animation::{Units, read_clips};
use super::container::Container;
use super::morph::FloatTracks;
use super::nodes::NodeTree;
use super::{Fault, JointMap};
use crate::import::key_clip::KeyClip;
use crate::import::playing::{FilePlayer, Written};
use crate::import::{FileSpace, ImportError, WeightsNode};
use crate::math::Transform;
use crate::model::{Clip, Rig};
use std::path::Path;

/// Players of the animations of a GLB, in file order. `nodes` has the node per joint of the rig. `clips` has the source clip and the
/// start time per animation.
pub(crate) fn play(
    bytes: &[u8],
    (nodes, weights, scene): (&[usize], &[WeightsNode], Option<usize>),
    (rig, clips): (&Rig, &[(&Clip, f32)]),
    space: FileSpace,
) -> Result<Vec<FilePlayer>, ImportError> {
    open(bytes, (nodes, weights, scene), (rig, clips), space).map_err(|fault| fault.in_file(Path::new("the GLB")))
}

fn open(
    bytes: &[u8],
    (nodes, weights, scene): (&[usize], &[WeightsNode], Option<usize>),
    (rig, clips): (&Rig, &[(&Clip, f32)]),
    space: FileSpace,
) -> Result<Vec<FilePlayer>, Fault> {
    let findings = &mut Vec::new(); // reported by the import of the source
    let container = Container::read(bytes, findings)?;
    let reader = Reader::open(&container, Path::new(""))?;
    let root = reader.root();
    let tree = NodeTree::read(root, 1.0, scene, findings)?;
    let joints = joint_map(root.nodes.len(), nodes, weights);
    let floats = FloatTracks::read(&reader, &tree, &joints)?;
    let read = read_clips(&reader, &joints, &floats, Units { metres: 1.0, secs: 1.0 }, findings)?;
    if read.len() != clips.len() {
        return Err(Fault::new(format!("{} animations are played; expected {}", read.len(), clips.len())));
    }
    let player = |((_, keys), &(clip, start_secs)): ((usize, KeyClip), &(&Clip, f32))| {
        let still = |node: &usize| tree.locals[*node];
        // In an additive clip, joints without keys have no difference from the base.
        let rest = match clip.base() {
            Some(_) => vec![Transform::IDENTITY; nodes.len()],
            None => nodes.iter().map(still).collect(),
        };
        let of = Written { rig, clip, space };
        let player = FilePlayer::new(Box::new(keys), (0..nodes.len()).collect(), rest, of);
        player.starting_at(start_secs, floats.rest.len())
    };
    Ok(read.into_iter().zip(clips).map(player).collect())
}

/// The joint map of a written document. Only nodes with written weights are shown.
fn joint_map(count: usize, nodes: &[usize], weights: &[WeightsNode]) -> JointMap {
    let (mut of_node, mut shown) = (vec![None; count], vec![false; count]);
    for (joint, node) in nodes.iter().enumerate() {
        of_node[*node] = Some(joint);
    }
    for node in weights {
        shown[node.node] = true;
    }
    JointMap { nodes: nodes.to_vec(), of_node, shown }
}
