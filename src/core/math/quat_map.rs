//! Unit quaternions as three numbers: a component dropped, or a map of the half sphere onto a ball.

use glam::{Quat, Vec3};

/// x, y, z of the rotation with w >= 0, as in Unreal.
pub fn drop_w(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    q.xyz()
}

/// Index of the component with the largest absolute value (the first of equals), and the other three in order, with the sign that makes
/// that component positive. As in Riot's format.
pub fn drop_largest(q: Quat) -> (usize, Vec3) {
    let c = q.to_array();
    let largest = (1..4).fold(0, |best, i| if c[i].abs() > c[best].abs() { i } else { best });
    (largest, drop_component(q, largest))
}

/// The other three components in order, with the sign that makes component `index` (0 to 3) non-negative.
pub fn drop_component(q: Quat, index: usize) -> Vec3 {
    let c = q.to_array();
    let sign = if c[index] < 0.0 { -1.0 } else { 1.0 };
    let rest = match index {
        0 => Vec3::new(c[1], c[2], c[3]),
        1 => Vec3::new(c[0], c[2], c[3]),
        2 => Vec3::new(c[0], c[1], c[3]),
        _ => Vec3::new(c[0], c[1], c[2]),
    };
    rest * sign
}

/// sqrt(2) + 1: scales the harmonic mean map's ball to radius 1.
const HARMONIC_FORWARD: f32 = std::f32::consts::SQRT_2 + 1.0;

/// The harmonic mean map (Reynolds' quaternion quantisation, Animation Tech Intro 2): rotations to a ball of radius 1,
/// nearly evenly, so that every rotation gets about the same precision.
pub fn harmonic_map(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let scale = HARMONIC_FORWARD / (1.0 + q.w + (2.0 + 2.0 * q.w).sqrt());
    q.xyz() * scale
}

/// Half the rotation vector: the axis times half the angle, `0..=pi`. Continuous in the quaternion except at `w = -1`.
pub fn rotation_log(q: Quat) -> Vec3 {
    let sine = q.xyz().length();
    if sine < f32::MIN_POSITIVE { Vec3::ZERO } else { q.xyz() * (sine.atan2(q.w) / sine) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use glam::Vec4;
    use posepress_runtime::internal::math::{
        LARGEST_DROPPED_LIMIT, harmonic_unmap, restore_largest, restore_w, rotation_exp,
    };
    use proptest::prelude::*;

    /// Any rotation.
    pub(crate) fn unit_quat() -> impl Strategy<Value = Quat> {
        prop::array::uniform4(-1.0f32..1.0)
            .prop_map(Quat::from_array)
            .prop_filter("long enough to normalise", |q| q.length_squared() > 1e-3)
            .prop_map(Quat::normalize)
    }

    /// Largest component difference between two quaternions as rotations.
    fn distance(a: Quat, b: Quat) -> f32 {
        let largest = |q: Quat| Vec4::from(q).abs().max_element();
        largest(a - b).min(largest(a + b))
    }

    fn restored(index: usize, rest: Vec3) -> Quat {
        Quat::from_array(restore_largest(index as f32, rest.to_array()))
    }

    proptest! {
        #[test]
        fn maps_undo_themselves(q in unit_quat()) {
            let (index, rest) = drop_largest(q);
            prop_assert!(rest.abs().max_element() <= LARGEST_DROPPED_LIMIT + 1e-6);
            prop_assert!(distance(restored(index, rest), q) < 1e-6);
            prop_assert!(harmonic_map(q).length() <= 1.0 + 1e-6);
            prop_assert!(distance(rotation_exp(rotation_log(q)), q) < 1e-6);
            prop_assert!(distance(Quat::from_array(harmonic_unmap(harmonic_map(q).to_array())), q) < 1e-6);
            // Rounding of the three squares summed is the error of w squared.
            let w_error = (4.0 * f32::EPSILON).sqrt();
            prop_assert!(distance(Quat::from_array(restore_w(drop_w(q).to_array())), q) <= w_error);
        }
    }

    #[test]
    fn half_turns_survive_every_map() {
        for q in [Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), Quat::from_xyzw(0.0, -1.0, 0.0, 0.0), Quat::IDENTITY] {
            let (index, rest) = drop_largest(q);
            assert_eq!(distance(restored(index, rest), q), 0.0);
            assert_eq!(distance(Quat::from_array(restore_w(drop_w(q).to_array())), q), 0.0);
            assert!(distance(Quat::from_array(harmonic_unmap(harmonic_map(q).to_array())), q) < 1e-6);
        }
    }
}
