//! Scales that vanish: what lies below a scale of zero is not visible, and any stored pose has an error of zero there. It is seen again
//! where the scale comes back, on the way there, and in an engine that blends the clip with another one.
//!
//! So such a clip is encoded with a number added to those scales, as an ordinary clip in which everything is seen at all samples;
//! the runtime takes the number off again, and no codec knows of it.

use super::groups::Kept;
use super::{Encoder, LOSSLESS, Source};
use crate::format::ByteWriter;
use crate::model::{Clip, ClipError};
use glam::Vec3;
use posepress_runtime::internal::parts::ScaleOffset;

/// Part of its largest that what is below a joint has at least for encoders, where scales vanish. Halfway from a sample at which it
/// does to one of the largest, an error below is a quarter of what the smallest hides: that of the tolerance.
const LEAST_PART: f32 = 0.25;
/// Scales below it are none.
const NO_SCALE: f32 = 1e-6;

/// What is added to the scales of a clip's joints before it is encoded: to those that vanish at some sample, along the axes
/// that do. Joints that are stored to the bit have none, nor has a codec that loses nothing.
pub fn scale_offsets(codec: &dyn Encoder, source: &Source<'_>) -> Vec<ScaleOffset> {
    if codec.id() == LOSSLESS.id() {
        return Vec::new();
    }
    let is_exact = |joint: usize| {
        source.groups.iter().any(|group| !matches!(group.kept, Kept::With(_)) && group.joints.contains(&joint))
    };
    let extents: Vec<Option<[Extent; 3]>> = (0..source.clip.joints())
        .map(|joint| (!is_exact(joint)).then(|| [0, 1, 2].map(|axis| Extent::of(source, joint, axis))))
        .collect();
    let returns: Vec<bool> =
        extents.iter().map(|axes| axes.is_some_and(|axes| axes.iter().any(|axis| axis.returns()))).collect();
    let nested = most_on_a_path(source, &returns);
    let offset = |(joint, axes): (usize, &Option<[Extent; 3]>)| {
        let least_part = LEAST_PART.powf(1.0 / nested[joint].max(1) as f32);
        let offset = Vec3::from(axes.as_ref()?.map(|axis| axis.offset(least_part)));
        (offset != Vec3::ZERO).then_some(ScaleOffset { joint: joint as u16, offset })
    };
    extents.iter().enumerate().filter_map(offset).collect()
}

/// Of each joint how many of these joints lie on one path through it from a root to a leaf, at most.
fn most_on_a_path(source: &Source<'_>, counts: &[bool]) -> Vec<usize> {
    let skeleton = source.skeleton;
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

/// The clip with the offsets added.
///
/// # Errors
/// [`ClipError`], where numbers overflow.
pub fn with_offsets(clip: &Clip, offsets: &[ScaleOffset]) -> Result<Clip, ClipError> {
    clip.edited(|data| {
        for pose in data.transforms.chunks_exact_mut(data.joints) {
            offsets.iter().for_each(|one| pose[usize::from(one.joint)].scale += one.offset);
        }
    })
}

/// What [`ScaleOffset::read_all`] reads; nothing where there are none.
pub fn write_scale_offsets(offsets: &[ScaleOffset], out: &mut ByteWriter) {
    if offsets.is_empty() {
        return;
    }
    out.u16(offsets.len() as u16);
    for ScaleOffset { joint, offset } in offsets {
        out.u16(*joint);
        offset.to_array().into_iter().for_each(|number| out.f32(number));
    }
}

/// How far the scale of a joint along an axis goes in a clip.
#[derive(Debug, Clone, Copy)]
struct Extent {
    smallest: f32,
    /// Nearest to zero, and farthest from it.
    nearest: f32,
    farthest: f32,
    /// What is seen whole: the farthest, or the bind pose.
    whole: f32,
}

impl Extent {
    fn of(source: &Source<'_>, joint: usize, axis: usize) -> Self {
        let scales = || source.clip.track(joint).map(|local| local.scale[axis]);
        let farthest = scales().fold(0.0, |far: f32, scale| far.max(scale.abs()));
        let whole = farthest.max(source.skeleton.bind(joint).scale[axis].abs());
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

    /// It vanishes at some samples alone.
    fn returns(&self) -> bool {
        self.vanishes() && self.farthest >= LEAST_PART * self.whole
    }

    /// What lifts the smallest to that part of the whole; to the whole where it never returns, which costs nothing. No scale
    /// comes out nearer to zero than it is, a mirrored one least of all: errors below it are made no smaller than they are seen.
    fn offset(&self, least_part: f32) -> f32 {
        let part = if self.returns() { least_part } else { 1.0 };
        if self.vanishes() { (part * self.whole - self.smallest).max(-2.0 * self.smallest) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::encoders;
    use crate::math::Transform;
    use crate::model::{ClipData, Joint, Skeleton};

    /// The offsets of one joint whose scale goes through these, along x.
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
        let source = Source::new(&skeleton, &clip, 1e-4, &[0.03]);
        let lossy = encoders().find(|codec| codec.id() != LOSSLESS.id()).unwrap();
        let found = scale_offsets(lossy, &source);
        assert!(scale_offsets(LOSSLESS, &source).is_empty());
        assert!(found.iter().all(|one| one.offset.y == 0.0 && one.offset.z == 0.0));
        let after = with_offsets(&clip, &found).unwrap();
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
