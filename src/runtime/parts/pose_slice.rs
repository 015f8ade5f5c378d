use crate::math::Transform;
use core::ops::Range;

/// The joints that a caller wants: all of a pose, or some that follow each other.
#[derive(Debug)]
pub struct PoseSlice<'a> {
    joints: &'a mut [Transform],
    first: usize,
    is_whole: bool,
}

impl<'a> PoseSlice<'a> {
    /// Every joint of the rig.
    pub fn whole(joints: &'a mut [Transform]) -> Self {
        Self { joints, first: 0, is_whole: true }
    }

    /// As many joints as there is room for, from joint `first` on.
    pub fn part(joints: &'a mut [Transform], first: usize) -> Self {
        Self { joints, first, is_whole: false }
    }

    /// The same joints once more. In front of a loop over tracks, one that no caller can see stays in registers.
    #[inline(always)]
    pub fn again(&mut self) -> PoseSlice<'_> {
        PoseSlice { joints: self.joints, first: self.first, is_whole: self.is_whole }
    }

    /// Which joints of the rig are wanted.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.joints.len()
    }

    /// True when that is every joint.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Where a joint of the rig goes; `None` for one that is not wanted.
    #[inline(always)]
    pub fn joint(&mut self, joint: usize) -> Option<&mut Transform> {
        self.joints.get_mut(joint.wrapping_sub(self.first))
    }

    /// The wanted joints, in order.
    pub fn joints(&mut self) -> &mut [Transform] {
        self.joints
    }

    /// Fills the joints from a pose of the whole rig.
    #[inline]
    pub fn copy_from(&mut self, pose: &[Transform]) {
        self.joints.copy_from_slice(&pose[self.first..][..self.joints.len()]);
    }

    /// Which of some tracks, ordered by joint, move a wanted joint.
    #[inline]
    pub fn of<T>(&self, tracks: &[T], joint_of: impl Fn(&T) -> usize) -> Range<usize> {
        if self.is_whole {
            return 0..tracks.len();
        }
        let Range { start, end } = self.range();
        tracks.partition_point(|t| joint_of(t) < start)..tracks.partition_point(|t| joint_of(t) < end)
    }
}
