//! The clips of a document that was just written, as players play them.

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

/// Plays the animations of a GLB in its order. `nodes`: of each joint of the rig; `clips`: what each animation was written from, and
/// the time at which it starts.
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
    let findings = &mut Vec::new(); // said when the source was read
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
        // Differences are none where nothing moves.
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

/// Joints where they are known to be, and only the weights that were written.
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
