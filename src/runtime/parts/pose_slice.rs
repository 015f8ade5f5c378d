use crate::math::Transform;
use core::ops::Range;

/// The wanted joints of a pose: all, a range, or the joints of a range with a set bit in a mask.
#[derive(Debug)]
pub struct PoseSlice<'a> {
    joints: &'a mut [Transform],
    first: usize,
    is_whole: bool,
    mask: Option<&'a [u64]>,
}

impl<'a> PoseSlice<'a> {
    /// Every joint of the rig.
    pub fn whole(joints: &'a mut [Transform]) -> Self {
        Self { joints, first: 0, is_whole: true, mask: None }
    }

    /// A range of joints from `first` on, as long as `joints`.
    pub fn part(joints: &'a mut [Transform], first: usize) -> Self {
        Self { joints, first, is_whole: false, mask: None }
    }

    /// The joints of a range with a set bit: bit `joint % 64` of word `joint / 64`, counted from the rig's first joint.
    pub fn masked(joints: &'a mut [Transform], first: usize, mask: &'a [u64]) -> Self {
        Self { joints, first, is_whole: false, mask: Some(mask) }
    }

    /// Reborrows the slice. A local reborrow before a loop over tracks stays in registers.
    #[inline(always)]
    pub fn again(&mut self) -> PoseSlice<'_> {
        PoseSlice { joints: self.joints, first: self.first, is_whole: self.is_whole, mask: self.mask }
    }

    /// The same joints in another buffer, which must be as long.
    pub fn beside<'b>(&'b self, room: &'b mut [Transform]) -> PoseSlice<'b> {
        let joints = &mut room[..self.joints.len()];
        PoseSlice { joints, first: self.first, is_whole: self.is_whole, mask: self.mask }
    }

    /// Blends the wanted joints with another pose, which starts at the first joint of this slice.
    pub fn lerp(&mut self, other: &[Transform], alpha: f32) {
        let (first, mask) = (self.first, self.mask);
        let pairs = self.joints.iter_mut().zip(other).enumerate();
        pairs.filter(|(i, _)| is_in(mask, first + i)).for_each(|(_, (out, other))| *out = out.lerp(*other, alpha));
    }

    /// Replaces the wanted joints by their difference from a pose of the whole rig.
    #[inline]
    pub fn take_off(&mut self, pose: &[Transform]) {
        let (first, mask) = (self.first, self.mask);
        let pairs = self.joints.iter_mut().zip(&pose[first..]).enumerate();
        pairs.filter(|(i, _)| is_in(mask, first + i)).for_each(|(_, (out, base))| *out = out.minus(*base));
    }

    /// The wanted joints with a set bit in a second mask. `room` holds the words of the combined mask.
    pub fn only<'b>(&'b mut self, wanted: &[u64], room: &'b mut [u64]) -> PoseSlice<'b> {
        let own = |word| self.mask.map_or(u64::MAX, |mask| mask.get(word).copied().unwrap_or(0));
        room.iter_mut().zip(wanted).enumerate().for_each(|(word, (room, wanted))| *room = wanted & own(word));
        PoseSlice { joints: self.joints, first: self.first, is_whole: false, mask: Some(room) }
    }

    /// The range of joints in the slice.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.joints.len()
    }

    /// True if every joint is wanted.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// True if a joint of the rig is wanted.
    #[inline]
    pub fn wants(&self, joint: usize) -> bool {
        self.range().contains(&joint) && is_in(self.mask, joint)
    }

    /// The output of a joint of the rig; `None` if it is not wanted.
    #[inline(always)]
    pub fn joint(&mut self, joint: usize) -> Option<&mut Transform> {
        if is_in(self.mask, joint) { self.room(joint) } else { None }
    }

    /// Like [`PoseSlice::joint`], without the mask.
    #[inline(always)]
    pub fn room(&mut self, joint: usize) -> Option<&mut Transform> {
        self.joints.get_mut(joint.wrapping_sub(self.first))
    }

    /// The wanted joints of a whole pose, in order.
    pub fn joints(&mut self) -> &mut [Transform] {
        self.joints
    }

    /// Sets the wanted joints from one value per joint of the range.
    #[inline(always)]
    pub fn fill<T>(&mut self, sources: impl Iterator<Item = T>, transform: impl Fn(T) -> Transform) {
        let (first, mask) = (self.first, self.mask);
        let pairs = self.joints.iter_mut().zip(sources);
        if mask.is_none() {
            return pairs.for_each(|(out, from)| *out = transform(from));
        }
        let wanted = pairs.enumerate().filter(|(i, _)| is_in(mask, first + i));
        wanted.for_each(|(_, (out, from))| *out = transform(from));
    }

    /// Sets the wanted joints from a pose of the whole rig.
    #[inline]
    pub fn copy_from(&mut self, pose: &[Transform]) {
        let from = &pose[self.first..][..self.joints.len()];
        match self.mask {
            None => self.joints.copy_from_slice(from),
            Some(_) => self.fill(from.iter(), |transform| *transform),
        }
    }

    /// The range of tracks that belong to the joints of the slice's range. `tracks` is ordered by joint.
    #[inline]
    pub fn of<T>(&self, tracks: &[T], joint_of: impl Fn(&T) -> usize) -> Range<usize> {
        if self.is_whole {
            return 0..tracks.len();
        }
        let Range { start, end } = self.range();
        tracks.partition_point(|t| joint_of(t) < start)..tracks.partition_point(|t| joint_of(t) < end)
    }

    /// Takes the next groups of tracks to read from the front of `left`; `None` at its end. Without a mask it takes the whole range. With a
    /// mask it takes the next group that `is_wanted` accepts.
    #[inline(always)]
    pub fn next_run(&self, left: &mut Range<usize>, is_wanted: impl Fn(usize, &Self) -> bool) -> Option<Range<usize>> {
        let mut run = left.clone();
        if self.mask.is_some() {
            run.start = left.clone().find(|group| is_wanted(*group, self)).unwrap_or(left.end);
            run.end = left.end.min(run.start + 1);
        }
        left.start = run.end;
        if run.is_empty() { None } else { Some(run) }
    }

    /// The joints, with `u16::MAX`, which is no joint, in place of those that the mask excludes. `room` holds the result if there is a mask.
    #[inline(always)]
    pub fn wanted_of<'b, const N: usize>(&self, joints: &'b [u16; N], room: &'b mut [u16; N]) -> &'b [u16; N] {
        if self.mask.is_none() {
            return joints;
        }
        room.iter_mut()
            .zip(joints)
            .for_each(|(to, joint)| *to = if is_in(self.mask, usize::from(*joint)) { *joint } else { u16::MAX });
        room
    }
}

/// True if there is no mask, or its bit of the joint is set. Joints beyond the end of a mask are not wanted.
#[inline(always)]
fn is_in(mask: Option<&[u64]>, joint: usize) -> bool {
    mask.is_none_or(|words| words.get(joint / 64).is_some_and(|word| word >> (joint % 64) & 1 == 1))
}
