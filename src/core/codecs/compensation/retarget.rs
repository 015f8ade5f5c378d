//! The pose of a joint under a parent that has an error.

use super::motion::Motion;
use crate::math::{Transform, product, unit};
use crate::model::Skeleton;
use glam::{Mat3, Quat, Vec3, Vec3A};

/// The local transform that puts a joint at its original place under a parent with any error. Keeps the original scale. Exact if scales
/// above the joint are uniform.
///
/// `None` under a parent that is flat or not finite.
pub fn under_parent(
    skeleton: &Skeleton,
    raw: &Motion,
    lossy: &Motion,
    sample: usize,
    joint: usize,
) -> Option<Transform> {
    let (parent, parent_rotation) = lossy.parent(skeleton, sample, joint);
    let translation: Vec3 = parent.inverse().transform_point3a(raw.model(sample, joint).translation).into();
    let rotation = unit(product(parent_rotation.conjugate(), raw.rotation(sample, joint)));
    let local = Transform { rotation, translation, scale: raw.local(sample, joint).scale };
    local.is_finite().then_some(local)
}

/// Like [`under_parent`], for a joint whose translation cannot be corrected. The joint rotates so that its children come as close as
/// possible, by least squares, while its own shell at `shell_m` resists.
///
/// This is the article's partial correction. A thigh whose hip is off by 2 mm rotates by 0.3 degrees, and the knee is at its place.
pub fn aimed_under_parent(
    skeleton: &Skeleton,
    raw: &Motion,
    lossy: &Motion,
    sample: usize,
    joint: usize,
    translation: Vec3,
    shell_m: f32,
) -> Option<Transform> {
    let level = under_parent(skeleton, raw, lossy, sample, joint)?;
    let (parent, parent_rotation) = lossy.parent(skeleton, sample, joint);
    let wanted = raw.model(sample, joint);
    let missing = wanted.translation - parent.transform_point3a(translation.into());
    let arms = skeleton
        .children(joint)
        .iter()
        .map(|&child| wanted.matrix3 * Vec3A::from(raw.local(sample, child).translation));
    let turn = turn_towards(arms, missing, shell_m);
    let rotation = unit(product(parent_rotation.conjugate(), product(turn, raw.rotation(sample, joint))));
    let local = Transform { rotation, translation, ..level };
    local.is_finite().then_some(local)
}

/// The small rotation that moves the ends of `arms` by `missing` with the least squared error, and a shell not at all.
fn turn_towards(arms: impl Iterator<Item = Vec3A>, missing: Vec3A, shell_m: f32) -> Quat {
    // The normal equations of |w x arm - missing|^2; three points of a shell add 2/3 of their squares in every direction.
    let mut equations = Mat3::from_diagonal(Vec3::splat(2.0 * shell_m * shell_m));
    let mut moments = Vec3A::ZERO;
    for arm in arms {
        let arm_sq = arm.length_squared();
        equations += Mat3::from_diagonal(Vec3::splat(arm_sq)) - outer(arm.into());
        moments += arm.cross(missing);
    }
    let turn = equations.inverse() * Vec3::from(moments);
    if turn.is_finite() { Quat::from_scaled_axis(turn) } else { Quat::IDENTITY }
}

fn outer(v: Vec3) -> Mat3 {
    Mat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_arm_is_turned_to_where_it_is_missed() {
        let missing = Vec3A::new(0.002, 0.0, 0.001);
        let turn = turn_towards([Vec3A::NEG_Y * 0.45].into_iter(), missing, 0.001);
        let moved = turn * (Vec3A::NEG_Y * 0.45) - Vec3A::NEG_Y * 0.45;
        assert!((moved - missing).length() < 1e-5, "{moved}");
    }

    #[test]
    fn what_a_turn_cannot_reach_turns_nothing() {
        let along = turn_towards([Vec3A::Y].into_iter(), Vec3A::Y * 0.01, 0.03);
        assert!(along.angle_between(Quat::IDENTITY) < 1e-6, "an arm gets no longer");
        let leaf = turn_towards(std::iter::empty(), Vec3A::X, 0.03);
        assert_eq!(leaf, Quat::IDENTITY);
        assert!(turn_towards([Vec3A::splat(f32::MAX)].into_iter(), Vec3A::X, 0.0).is_finite());
    }
}
