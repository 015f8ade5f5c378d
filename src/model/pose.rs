use super::Skeleton;
use crate::math::Transform;
use glam::{Affine3A, Vec3};

/// Local transforms of every joint, and the values of the float tracks, at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pose {
    /// One a joint, local.
    pub joints: Vec<Transform>,
    /// One a float track (morph weights and other named scalars).
    pub floats: Vec<f32>,
}

impl Pose {
    /// A pose with room for a rig, at its bind pose; floats are zero.
    pub fn bind(skeleton: &Skeleton, floats: usize) -> Self {
        Self { joints: skeleton.joints().iter().map(|j| j.bind).collect(), floats: vec![0.0; floats] }
    }

    /// An identity pose of that size, to be filled by a sampler.
    pub fn with_size(joints: usize, floats: usize) -> Self {
        Self { joints: vec![Transform::IDENTITY; joints], floats: vec![0.0; floats] }
    }
}

/// Object-space (model-space) matrices of every joint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelPose {
    /// `model_from_joint`, one a joint.
    pub joints: Vec<Affine3A>,
}

impl ModelPose {
    /// Walks the hierarchy once and overwrites every matrix; no allocation when the size is unchanged.
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
