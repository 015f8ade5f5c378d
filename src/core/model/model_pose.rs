use super::Skeleton;
use crate::math::Transform;
use glam::{Affine3A, Vec3};

/// Object-space (model-space) matrices of every joint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelPose {
    /// `model_from_joint`, one per joint.
    pub joints: Vec<Affine3A>,
}

impl ModelPose {
    /// Recomputes every matrix. It allocates only if the number of joints changes.
    pub fn update(&mut self, skeleton: &Skeleton, pose: &[Transform]) {
        self.joints.resize(skeleton.len(), Affine3A::IDENTITY);
        for (index, local) in pose.iter().enumerate().take(skeleton.len()) {
            let parent_from_joint = local.to_affine();
            self.joints[index] = match skeleton.parent(index) {
                Some(parent) => self.joints[parent] * parent_from_joint,
                None => parent_from_joint,
            };
        }
    }

    /// The model pose of local transforms.
    pub fn new(skeleton: &Skeleton, pose: &[Transform]) -> Self {
        let mut out = Self::default();
        out.update(skeleton, pose);
        out
    }

    /// Origin of a joint, metres in object space.
    pub fn origin(&self, joint: usize) -> Vec3 {
        self.joints[joint].translation.into()
    }
}
