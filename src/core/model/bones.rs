use super::Rig;
use glam::{Affine3A, Vec3};

/// A bone: from one joint's origin to a point carried by another.
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

/// The bones of a rig: joint to child, joint to tip. It skips helper nodes above the body (a scene root, an armature) and subtrees that
/// move no mesh (inverse-kinematics controls).
pub fn bones(rig: &Rig) -> Vec<Bone> {
    let skeleton = &rig.skeleton;
    let body = body(rig);
    let to_children = (0..skeleton.len()).filter(|&to| body[to]).filter_map(|to| {
        let from = skeleton.parent(to).filter(|&parent| body[parent])?;
        Some(Bone { from, to, offset: Vec3::ZERO })
    });
    let to_tips = rig.tips.iter().filter(|tip| tip.joint < skeleton.len());
    let to_tips = to_tips.map(|tip| Bone { from: tip.joint, to: tip.joint, offset: tip.offset });
    to_children.chain(to_tips).collect()
}

/// The joints of the body. With a skin: joints that move vertices, their children, and the joints between them. Without: the joints from
/// the first branch on.
fn body(rig: &Rig) -> Vec<bool> {
    let skeleton = &rig.skeleton;
    let mut below = skinned_joints(rig);
    let skinned = below.clone();
    if !skinned.contains(&true) {
        return unskinned_body(rig);
    }
    for joint in (0..skeleton.len()).rev().filter(|&joint| skinned[joint]) {
        skeleton.ancestors(joint).for_each(|ancestor| below[ancestor] = true);
    }
    let mut body = vec![false; skeleton.len()];
    for joint in 0..skeleton.len() {
        let parent = skeleton.parent(joint);
        let under_body = parent.is_some_and(|p| body[p]);
        let hangs_on_skin = parent.is_some_and(|p| skinned[p]);
        body[joint] = skinned[joint] || hangs_on_skin || (under_body && below[joint]);
    }
    body
}

fn unskinned_body(rig: &Rig) -> Vec<bool> {
    let skeleton = &rig.skeleton;
    let mut body = vec![true; skeleton.len()];
    for root in (0..skeleton.len()).filter(|&j| skeleton.parent(j).is_none()) {
        let only_child = |&joint: &usize| match skeleton.children(joint) {
            [only] => Some(*only),
            _ => None,
        };
        let chain: Vec<usize> = std::iter::successors(Some(root), only_child).collect();
        if let Some((&branch, above)) = chain.split_last()
            && !skeleton.children(branch).is_empty()
        {
            above.iter().for_each(|&joint| body[joint] = false);
        }
    }
    body
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Joint, Skeleton, SkinJoint, SkinnedMesh};

    /// `scene > armature > hips > (leg > foot > socket), (spine)` and `armature > control > pole`.
    fn rig() -> Rig {
        let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(2), Some(1), Some(7)];
        let joint = |(i, parent): (usize, &Option<usize>)| Joint {
            name: format!("{i}"),
            parent: *parent,
            bind: Transform::IDENTITY,
        };
        Rig::from_skeleton("r", Skeleton::new(parents.iter().enumerate().map(joint).collect()).unwrap())
    }

    fn drawn(rig: &Rig) -> Vec<[usize; 2]> {
        bones(rig).iter().map(|bone| [bone.from, bone.to]).collect()
    }

    #[test]
    fn helpers_and_controls_are_no_bones_of_a_skinned_rig() {
        let mut skinned = rig();
        let palette = [2, 3, 4, 6].map(|joint| SkinJoint { joint, joint_from_mesh: Affine3A::IDENTITY }).to_vec();
        skinned.meshes.push(SkinnedMesh {
            palette,
            influences: (0..4).map(|i| [i, 0, 0, 0]).collect(),
            weights: vec![[1.0, 0.0, 0.0, 0.0]; 4],
            ..SkinnedMesh::default()
        });
        assert_eq!(drawn(&skinned), [[2, 3], [3, 4], [4, 5], [2, 6]]);
    }

    #[test]
    fn a_rig_without_skin_starts_at_its_first_branch() {
        assert_eq!(drawn(&rig()), [[1, 2], [2, 3], [3, 4], [4, 5], [2, 6], [1, 7], [7, 8]]);
    }
}
