use super::RigSection;
use crate::math::Transform;
use crate::memory::{NoMemory, Shared, TryList};
use alloc::vec::Vec;
use core::ops::Deref;

/// The bind pose of a rig: local transforms, one per joint. All clips of a rig that are opened with it share its memory.
#[derive(Debug, Clone)]
pub struct BindPose(Shared<Vec<Transform>>);

impl BindPose {
    /// The bind pose with these transforms.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(joints: impl IntoIterator<Item = Transform>) -> Result<Self, NoMemory> {
        Shared::new(joints.into_iter().try_list()?).map(Self)
    }
}

impl Deref for BindPose {
    type Target = [Transform];

    #[inline]
    fn deref(&self) -> &[Transform] {
        &self.0
    }
}

impl RigSection {
    /// Its bind pose.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn bind_pose(&self) -> Result<BindPose, NoMemory> {
        BindPose::new(self.joints.iter().map(|joint| Transform::from_numbers(joint.bind)))
    }
}
