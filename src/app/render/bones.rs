use crate::model::Rig;
use glam::{Affine3A, Vec3};

/// A bone to draw: from one joint's origin to a point carried by another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bone {
    /// Joint at the thick end.
    pub from: usize,
    /// Joint that carries the other end: a child, or `from` itself for a tip.
    pub to: usize,
    /// The other end in the space of `to`, metres.
    pub offset: Vec3,
}

impl Bone {
    /// Both ends in object space; joints outside the pose lie at the origin.
    pub fn ends(&self, model_from_joint: &[Affine3A]) -> [Vec3; 2] {
        let joint = |index: usize| model_from_joint.get(index).copied().unwrap_or(Affine3A::IDENTITY);
        [joint(self.from).translation.into(), joint(self.to).transform_point3(self.offset)]
    }
}

/// The bones of a rig: joint to child, joint to tip. Steps between helper nodes above the body (a scene root, an
/// armature node) are left out: they are no bones.
pub fn bones(rig: &Rig) -> Vec<Bone> {
    let skeleton = &rig.skeleton;
    let helper = helper_roots(rig);
    let to_children = (0..skeleton.len()).filter_map(|to| {
        let from = skeleton.parent(to).filter(|&parent| !helper[parent])?;
        Some(Bone { from, to, offset: Vec3::ZERO })
    });
    let to_tips = rig.tips.iter().filter(|tip| tip.joint < skeleton.len());
    let to_tips = to_tips.map(|tip| Bone { from: tip.joint, to: tip.joint, offset: tip.offset });
    to_children.chain(to_tips).collect()
}

/// Roots and their only children, as long as no vertex follows them and something branches below.
fn helper_roots(rig: &Rig) -> Vec<bool> {
    let skeleton = &rig.skeleton;
    let skinned = skinned_joints(rig);
    let mut helper = vec![false; skeleton.len()];
    for root in (0..skeleton.len()).filter(|&j| skeleton.parent(j).is_none()) {
        let chain: Vec<usize> = std::iter::successors(Some(root), |&j| match skeleton.children(j) {
            [only] if !skinned[j] => Some(*only),
            _ => None,
        })
        .collect();
        if let Some((&last, above)) = chain.split_last()
            && !skeleton.children(last).is_empty()
        {
            above.iter().for_each(|&j| helper[j] = true);
            // A scene root has many children, but moves nothing and is no part of a body.
            helper[last] = above.is_empty() && !rig.meshes.is_empty() && !skinned[last];
        }
    }
    helper
}

fn skinned_joints(rig: &Rig) -> Vec<bool> {
    let mut skinned = vec![false; rig.skeleton.len()];
    for mesh in &rig.meshes {
        for (influences, weights) in mesh.influences.iter().zip(&mesh.weights) {
            for (&influence, &weight) in influences.iter().zip(weights) {
                let joint = mesh.palette.get(usize::from(influence)).map(|skin| skin.joint);
                if let Some(flag) = joint.filter(|_| weight > 0.0).and_then(|j| skinned.get_mut(j)) {
                    *flag = true;
                }
            }
        }
    }
    skinned
}
