//! Offsets for scales that reach zero. Below a joint of zero scale nothing is visible, so every pose has an error of zero there. The joints
//! become visible again when the scale grows, already between the samples, and when an engine blends the clip with another one.
//!
//! So encoders and curve fits add an offset to those scales. They then measure errors of a motion that is visible at all samples.

use crate::math::Transform;
use crate::model::{Clip, ClipError, Skeleton};
use glam::Vec3;
use posepress_runtime::internal::parts::ScaleOffset;

/// Smallest scale during encoding, as a fraction of the full size, for scales that vanish. At this scale, a local error of four tolerances
/// has a visible size of one tolerance. Halfway to a sample of full size without error, half of that local error is scaled by about a half:
/// one tolerance again.
const LEAST_PART: f32 = 0.25;
/// Scales below this count as zero.
const NO_SCALE: f32 = 1e-6;

/// Offsets that are added to the scales of a clip's joints, along each axis whose scale vanishes at some sample.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lift(Vec<ScaleOffset>);

impl Lift {
    /// Computes the offsets for a clip. Joints that are stored exactly get none.
    pub fn of(skeleton: &Skeleton, clip: &Clip, is_exact: impl Fn(usize) -> bool) -> Self {
        let extents: Vec<Option<[Extent; 3]>> = (0..clip.joints())
            .map(|joint| (!is_exact(joint)).then(|| [0, 1, 2].map(|axis| Extent::of(skeleton, clip, joint, axis))))
            .collect();
        let returns: Vec<bool> =
            extents.iter().map(|axes| axes.is_some_and(|axes| axes.iter().any(|axis| axis.returns()))).collect();
        let nested = most_on_a_path(skeleton, &returns);
        let offset = |(joint, axes): (usize, &Option<[Extent; 3]>)| {
            let least_part = LEAST_PART.powf(1.0 / nested[joint].max(1) as f32);
            let offset = Vec3::from(axes.as_ref()?.map(|axis| axis.offset(least_part)));
            (offset != Vec3::ZERO).then_some(ScaleOffset { joint: joint as u16, offset })
        };
        Self(extents.iter().enumerate().filter_map(offset).collect())
    }

    /// True if no scale vanishes.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The offsets as a clip's bytes store them, ordered by joint.
    pub fn offsets(&self) -> &[ScaleOffset] {
        &self.0
    }

    /// The offset of one joint.
    pub fn of_joint(&self, joint: usize) -> Vec3 {
        let found = self.0.binary_search_by_key(&joint, |one| usize::from(one.joint));
        found.map_or(Vec3::ZERO, |at| self.0[at].offset)
    }

    /// Adds the offsets to a pose.
    pub fn raise(&self, pose: &mut [Transform]) {
        self.0.iter().for_each(|one| pose[usize::from(one.joint)].scale += one.offset);
    }

    /// The clip with the offsets added.
    ///
    /// # Errors
    /// Returns a [`ClipError`] if values overflow.
    pub fn raised(&self, clip: &Clip) -> Result<Clip, ClipError> {
        clip.edited(|data| data.transforms.chunks_exact_mut(data.joints).for_each(|pose| self.raise(pose)))
    }
}

/// For each joint, the largest number of counted joints on a path from a root through it to a leaf.
fn most_on_a_path(skeleton: &Skeleton, counts: &[bool]) -> Vec<usize> {
    let (mut above, mut below) = (vec![0; counts.len()], vec![0; counts.len()]);
    for joint in 0..counts.len() {
        above[joint] = skeleton.parent(joint).map_or(0, |parent| above[parent]) + usize::from(counts[joint]);
    }
    for joint in (0..counts.len()).rev() {
        if let Some(parent) = skeleton.parent(joint) {
            below[parent] = below[parent].max(below[joint] + usize::from(counts[joint]));
        }
    }
    above.iter().zip(&below).map(|(above, below)| above + below).collect()
}

/// The range of a joint's scale along one axis in a clip.
#[derive(Debug, Clone, Copy)]
struct Extent {
    smallest: f32,
    /// The value nearest to zero, as a magnitude.
    nearest: f32,
    farthest: f32,
    /// The full size: the farthest value or the bind pose's, as a magnitude.
    whole: f32,
}

impl Extent {
    fn of(skeleton: &Skeleton, clip: &Clip, joint: usize, axis: usize) -> Self {
        let scales = || clip.track(joint).map(|local| local.scale[axis]);
        let farthest = scales().fold(0.0, |far: f32, scale| far.max(scale.abs()));
        let whole = farthest.max(skeleton.bind(joint).scale[axis].abs());
        Self {
            smallest: scales().fold(f32::INFINITY, f32::min),
            nearest: scales().fold(f32::INFINITY, |near, scale| near.min(scale.abs())),
            farthest,
            whole: if whole < NO_SCALE { 1.0 } else { whole },
        }
    }

    fn vanishes(&self) -> bool {
        self.nearest < LEAST_PART * self.whole
    }

    /// True if the scale vanishes at some samples but not at all of them.
    fn returns(&self) -> bool {
        self.vanishes() && self.farthest >= LEAST_PART * self.whole
    }

    /// The offset that raises the smallest scale to `least_part` of the full size. If the scale never returns, it is raised to the full
    /// size, which costs nothing.
    ///
    /// No scale ends up nearer to zero than before, even if it is negative. So errors of descendants never count less than they look.
    fn offset(&self, least_part: f32) -> f32 {
        let part = if self.returns() { least_part } else { 1.0 };
        if self.vanishes() { (part * self.whole - self.smallest).max(-2.0 * self.smallest) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ClipData, Joint};

    /// The offsets of a joint whose scale takes these values along x.
    fn offset(bind: f32, scales: &[f32]) -> f32 {
        let local = |x: f32| Transform { scale: Vec3::new(x, 1.0, 1.0), ..Transform::IDENTITY };
        let joint = Joint { name: "joint".into(), parent: None, bind: local(bind) };
        let skeleton = Skeleton::new(vec![joint]).unwrap();
        let data = ClipData {
            name: "clip".into(),
            joints: 1,
            duration_secs: 1.0,
            transforms: scales.iter().map(|x| local(*x)).collect(),
            float_tracks: 0,
            floats: Vec::new(),
            holds: Vec::new(),
            looping: None,
        };
        let clip = Clip::new(data).unwrap();
        let lift = Lift::of(&skeleton, &clip, |_| false);
        assert!(Lift::of(&skeleton, &clip, |_| true).is_none());
        let found = lift.offsets();
        assert!(found.iter().all(|one| one.offset.y == 0.0 && one.offset.z == 0.0));
        let after = lift.raised(&clip).unwrap();
        let largest = scales.iter().fold(bind.abs(), |most, x| most.max(x.abs()));
        assert!(after.track(0).all(|local| local.scale.x.abs() >= 0.2499 * if largest == 0.0 { 1.0 } else { largest }));
        let pairs = clip.track(0).zip(after.track(0));
        assert!(pairs.into_iter().all(|(before, after)| after.scale.x.abs() >= before.scale.x.abs()));
        found.first().map_or(0.0, |one| one.offset.x)
    }

    #[test]
    fn scales_that_vanish_are_lifted_and_others_stay() {
        assert_eq!(offset(1.0, &[1.0, 0.5, 2.0]), 0.0);
        assert_eq!(offset(1.0, &[1.0, -1.0]), 0.0, "mirrored at once, it never vanishes");
        assert_eq!(offset(0.01, &[0.01, 0.012]), 0.0, "a rig of another unit");
        assert_eq!(offset(1.0, &[1.0, 0.0, 1.0]), 0.25);
        assert_eq!(offset(1.0, &[0.0, 0.0]), 1.0, "never seen: what the bind pose shows");
        assert_eq!(offset(0.0, &[0.0, 0.0]), 1.0);
        assert_eq!(offset(1.0, &[1.0, 0.0, -1.0]), 2.0, "through zero to a mirrored one");
        assert_eq!(offset(1.0, &[0.0, -1.0]), 2.0);
        assert_eq!(offset(100.0, &[100.0, 1.0]), 24.0);
    }
}
