use super::unit;
use glam::{Quat, Vec3};

/// The shortest rotation from the direction of `from` to that of `to`; the identity if one has no length.
///
/// Unlike [`Quat::from_rotation_arc`], it keeps rotations below a thousandth of a radian, which move a foot at the end of a leg by a
/// millimetre. A half turn is about any axis perpendicular to `from`. Near a half turn, the axis is imprecise: the error of the resulting
/// direction is about 1e-7 divided by the length of the sum of both directions.
pub fn rotation_arc(from: Vec3, to: Vec3) -> Quat {
    let (Some(from), Some(to)) = (from.try_normalize(), to.try_normalize()) else { return Quat::IDENTITY };
    // 1 + cos from the sum of the directions, which stays precise if they are nearly opposite.
    let one_plus_cos = 0.5 * (from + to).length_squared();
    if one_plus_cos < 1e-10 {
        return Quat::from_axis_angle(from.any_orthonormal_vector(), core::f32::consts::PI);
    }
    let axis = from.cross(to);
    unit(Quat::from_xyzw(axis.x, axis.y, axis.z, one_plus_cos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn direction() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0f32..1.0)
            .prop_map(Vec3::from_array)
            .prop_filter("has a length", |v| v.length() > 0.01)
    }

    proptest! {
        #[test]
        fn turns_one_direction_into_the_other(from in direction(), to in direction(), scale in 0.1f32..50.0) {
            let (turned, wanted) = (rotation_arc(from * scale, to) * from.normalize(), to.normalize());
            prop_assert!((turned - wanted).length() < allowed(from, to), "{}", turned);
        }

        #[test]
        fn nearly_half_a_turn_is_found_too(from in direction(), aside in direction(), nearness in 1.0f32..5.0) {
            let to = -from.normalize() + aside * 10f32.powf(-nearness);
            let turned = rotation_arc(from, to) * from.normalize();
            prop_assert!((turned - to.normalize()).length() < allowed(from, to), "{}", turned);
        }
    }

    /// Allowed error: the rounding of f32, amplified if the directions are nearly opposite.
    fn allowed(from: Vec3, to: Vec3) -> f32 {
        let sum = from.normalize() + to.normalize();
        1e-6 + (5e-7 / sum.length()).min(0.05)
    }

    #[test]
    fn small_turns_are_kept_and_half_turns_are_found() {
        let to = Quat::from_rotation_z(1e-4) * Vec3::X;
        assert!(((rotation_arc(Vec3::X, to) * Vec3::X) - to).length() < 1e-7);
        assert!((rotation_arc(Vec3::X, -Vec3::X) * Vec3::X + Vec3::X).length() < 1e-6);
        assert_eq!(rotation_arc(Vec3::ZERO, Vec3::X), Quat::IDENTITY);
    }
}
