use crate::math::Transform;
use alloc::vec;
use alloc::vec::Vec;

/// Local transforms of every joint, and the values of the float tracks, at one time.
///
/// # Example
/// ```
/// use posepress_runtime::{Pose, Transform};
///
/// let pose = Pose::with_size(2, 1);
/// assert_eq!(pose.joints, [Transform::IDENTITY; 2]);
/// assert_eq!(pose.floats, [0.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pose {
    /// Local transforms, one per joint.
    pub joints: Vec<Transform>,
    /// One value per float track (morph weights and other named scalars).
    pub floats: Vec<f32>,
}

impl Pose {
    /// An identity pose of that size, for a sampler to fill.
    pub fn with_size(joints: usize, floats: usize) -> Self {
        Self { joints: vec![Transform::IDENTITY; joints], floats: vec![0.0; floats] }
    }
}
