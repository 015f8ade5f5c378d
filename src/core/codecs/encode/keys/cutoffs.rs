//! Unreal's limits for the rounding of kept keys, which are tighter for joints that move much: one set per joint.

use super::metric::{LocalThresholds, local_error};
use crate::codecs::Source;
use crate::math::{Transform, power, unit};
use crate::model::{Channel, ModelPose, Skeleton};
use glam::{Affine3A, Quat, Vec3};
use std::f32::consts::PI;

/// Levels that Unreal adds to the height of a joint (`TrackHeightBias`).
const HEIGHT_BIAS: usize = 1;
/// Smallest limits of [`by_height`]: Unreal's `MaxZeroingThreshold`, in radians, metres and parts of scale.
const ZEROING: LocalThresholds =
    LocalThresholds { rotation_rad: 0.0002 * 2.0 * PI, translation_m: 0.000_002, scale: 0.0002 };
/// `PerturbationProbeSize`, in centimetres, in components of a quaternion and in parts of scale.
const PROBE: f32 = 0.001;
/// `MaxErrorPerTrackRatio`: the part of a threshold that one track may use.
const TRACK_SHARE: f32 = 0.3;
/// `RotationErrorSourceRatio`, `TranslationErrorSourceRatio`, `ScaleErrorSourceRatio`: the part that errors of position have in a limit, beside
/// those of rotation.
const POSITION_SHARES: LocalThresholds = LocalThresholds { rotation_rad: 0.8, translation_m: 0.8, scale: 0.001 };

/// Unreal's adaptive error: thresholds divided by `divisor` to the power of `exponent` times the joint's height above the nearest end
/// effector, which has the height one.
pub fn by_height(
    skeleton: &Skeleton,
    thresholds: &LocalThresholds,
    (divisor, exponent): (f64, f64),
) -> Vec<LocalThresholds> {
    let cutoff = |height: usize| {
        let part = power(divisor, -exponent * (height + HEIGHT_BIAS) as f64) as f32;
        LocalThresholds {
            rotation_rad: (thresholds.rotation_rad * part).max(ZEROING.rotation_rad),
            translation_m: (thresholds.translation_m * part).max(ZEROING.translation_m),
            scale: (thresholds.scale * part).max(ZEROING.scale),
        }
    };
    heights(skeleton).into_iter().map(cutoff).collect()
}

/// Joints between each joint and the nearest leaf below it, with that leaf. 0 for leaves.
fn heights(skeleton: &Skeleton) -> Vec<usize> {
    let mut heights = vec![0; skeleton.len()];
    for joint in (0..skeleton.len()).rev() {
        let below = skeleton.children(joint).iter().map(|child| heights[*child] + 1);
        heights[joint] = below.min().unwrap_or(0);
    }
    heights
}

/// Unreal's second adaptive error: each joint is moved a little at every sample. The farther that moves a leaf, the less its keys may be
/// rounded: at most `most`, and at most a share of the thresholds for removing keys.
pub fn by_probe(source: &Source<'_>, removal: &LocalThresholds, most: &LocalThresholds) -> Vec<LocalThresholds> {
    let mut moved = vec![Moved::default(); source.skeleton.len()];
    let mut model = ModelPose::default();
    for sample in 0..source.clip.samples() {
        let pose = source.clip.pose(sample);
        model.update(source.skeleton, pose);
        for leaf in (0..pose.len()).filter(|joint| source.skeleton.children(*joint).is_empty()) {
            let mut above = Some(leaf);
            while let Some(joint) = above {
                moved[joint].probe(&model, (source.skeleton.parent(joint), joint, leaf), &pose[joint]);
                above = source.skeleton.parent(joint);
            }
        }
    }
    moved.iter().map(|moved| moved.cutoff(removal, most)).collect()
}

/// Largest errors at any leaf, for a probe of each channel.
#[derive(Debug, Clone, Copy, Default)]
struct Moved {
    /// Parts of half a circle.
    turned_by_rotation: f32,
    /// Centimetres.
    by_rotation: f32,
    by_translation: f32,
    by_scale: f32,
}

impl Moved {
    fn probe(&mut self, model: &ModelPose, (parent, joint, leaf): (Option<usize>, usize, usize), local: &Transform) {
        let model_from_parent = parent.map_or(Affine3A::IDENTITY, |parent| model.joints[parent]);
        let in_joint = model.joints[joint].inverse().transform_point3a(model.joints[leaf].translation);
        let distance_cm = |local: Transform| {
            let moved = (model_from_parent * local.to_affine()).transform_point3a(in_joint);
            let cm = 100.0 * moved.distance(model.joints[leaf].translation);
            if cm.is_finite() { cm } else { f32::MAX }
        };
        let turned = unit(local.rotation + Quat::from_xyzw(PROBE, PROBE, PROBE, PROBE));
        let turned_rad = local_error(Channel::Rotation, Transform { rotation: turned, ..*local }, local);
        let nudged = Vec3::splat(PROBE);
        self.turned_by_rotation = self.turned_by_rotation.max(turned_rad / (2.0 * PI));
        self.by_rotation = self.by_rotation.max(distance_cm(Transform { rotation: turned, ..*local }));
        let translation = local.translation + 0.01 * nudged;
        self.by_translation = self.by_translation.max(distance_cm(Transform { translation, ..*local }));
        self.by_scale = self.by_scale.max(distance_cm(Transform { scale: local.scale + nudged, ..*local }));
    }

    /// Errors of rotation come from rotations alone; Unreal takes 1 where there are none.
    fn cutoff(&self, removal: &LocalThresholds, most: &LocalThresholds) -> LocalThresholds {
        let per_probe = |error: f32| if error > 1e-8 { PROBE / error } else { 1.0 };
        let cutoff = |most: f32, removal: f32, by_turn: f32, by_distance: f32, share: f32| {
            most.min(TRACK_SHARE * removal * (by_turn + (by_distance - by_turn) * share))
        };
        let (turn, shares) = (per_probe(self.turned_by_rotation), &POSITION_SHARES);
        let [by_rotation, by_translation, by_scale] =
            [self.by_rotation, self.by_translation, self.by_scale].map(per_probe);
        LocalThresholds {
            rotation_rad: cutoff(most.rotation_rad, removal.rotation_rad, turn, by_rotation, shares.rotation_rad),
            translation_m: cutoff(most.translation_m, removal.translation_m, 1.0, by_translation, shares.translation_m),
            scale: cutoff(most.scale, removal.scale, 1.0, by_scale, shares.scale),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Clip, ClipData, Joint};

    const THRESHOLDS: LocalThresholds = LocalThresholds { rotation_rad: 0.08, translation_m: 0.01, scale: 0.04 };

    /// A root with a short arm of one joint and a long one of three, each joint a metre along y.
    fn two_arms() -> Skeleton {
        let joint = |name: &str, parent: Option<usize>| Joint {
            name: name.into(),
            parent,
            bind: Transform::from_translation(Vec3::Y * if parent.is_none() { 0.0 } else { 1.0 }),
        };
        let joints = [("root", None), ("short", Some(0)), ("a", Some(0)), ("b", Some(2)), ("c", Some(3))];
        Skeleton::new(joints.map(|(name, parent)| joint(name, parent)).to_vec()).unwrap()
    }

    #[test]
    fn height_counts_the_joints_to_the_nearest_leaf() {
        let skeleton = two_arms();
        assert_eq!(heights(&skeleton), [1, 0, 2, 1, 0]);
        let cutoffs = by_height(&skeleton, &THRESHOLDS, (2.0, 1.0));
        assert_eq!(
            cutoffs.iter().map(|cutoff| cutoff.rotation_rad).collect::<Vec<_>>(),
            [0.02, 0.04, 0.01, 0.02, 0.04]
        );
        assert!(by_height(&skeleton, &THRESHOLDS, (1.0, 3.0)).iter().all(|cutoff| *cutoff == THRESHOLDS));
        // No limit is below the one under which Unreal writes zero.
        assert_eq!(by_height(&skeleton, &THRESHOLDS, (10.0, 4.0))[2], ZEROING);
    }

    #[test]
    fn a_probe_moves_a_leaf_as_far_as_the_arm_is_long() {
        let skeleton = two_arms();
        let data = ClipData {
            name: "still".into(),
            joints: 5,
            duration_secs: 0.0,
            transforms: skeleton.bind_pose(0).joints,
            float_tracks: 0,
            floats: Vec::new(),
            holds: Vec::new(),
            looping: None,
        };
        let clip = Clip::new(data).unwrap();
        let source = Source::new(&skeleton, &clip, 0.0001, &[0.03; 5]);
        let cutoffs = by_probe(&source, &THRESHOLDS, &THRESHOLDS.times(100.0));
        // A quaternion of 0.001 in each component turns by 2 * 0.001 * sqrt 3. The arm of `b` ends a metre away, across two of its axes.
        let turn = 0.001 * 3.0f32.sqrt() / (0.5 * PI);
        let moved_cm = 100.0 * 2.0 * 0.001 * 2.0f32.sqrt();
        let expected = 0.3 * 0.08 * (0.2 * 0.001 / (0.5 * turn) + 0.8 * 0.001 / moved_cm);
        assert!((cutoffs[3].rotation_rad / expected - 1.0).abs() < 0.01, "{} {expected}", cutoffs[3].rotation_rad);
        assert!(cutoffs[0].rotation_rad < cutoffs[2].rotation_rad && cutoffs[2].rotation_rad < cutoffs[3].rotation_rad);
        // A translation moves every leaf by itself: 0.001 along each axis.
        let shift = 0.3 * 0.01 * (0.2 + 0.8 / 3.0f32.sqrt());
        assert!((cutoffs[0].translation_m / shift - 1.0).abs() < 0.01, "{} {shift}", cutoffs[0].translation_m);
        // A leaf has nothing below it that its scale could move.
        assert!((cutoffs[4].scale - 0.3 * 0.04).abs() < 1e-6 && cutoffs[0].scale < cutoffs[4].scale);
        assert_eq!(by_probe(&source, &THRESHOLDS, &ZEROING)[4].translation_m, ZEROING.translation_m);
    }
}
