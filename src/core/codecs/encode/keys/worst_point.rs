//! The point of a joint that a rotation moves farthest, as a quick test of other rotations.

use glam::{Affine3A, Vec3, Vec3A, Vec4};

/// Rounding of the test and of the measurement that it stands for, as a part of the largest coordinate.
const ROUNDING: f32 = 1e-5;

/// A point that a joint carries, under rotations of that joint.
#[derive(Debug, Clone, Copy)]
pub struct WorstPoint {
    /// The point in the joint's space, scaled.
    arm: Vec3A,
    model_from_parent: Affine3A,
    /// The vector from the point's place in the raw clip to the joint's origin, in object space.
    from_raw: Vec3A,
    limit_sq: f32,
}

impl WorstPoint {
    /// The test of a point in a joint's space, which belongs at `raw` in object space. `joint`: the joint's scale and translation.
    pub fn new(
        point: Vec3A,
        raw: Vec3A,
        model_from_parent: Affine3A,
        (scale, translation): (Vec3, Vec3),
        limit_m: f32,
    ) -> Self {
        let origin = model_from_parent.transform_point3a(translation.into());
        let largest = raw.abs().max(origin.abs()).max(model_from_parent.translation.abs()).max_element();
        let limit_m = limit_m + ROUNDING * (limit_m + largest);
        let (arm, from_raw) = (point * Vec3A::from(scale), origin - raw);
        Self { arm, model_from_parent, from_raw, limit_sq: limit_m * limit_m }
    }

    /// One bit per rotation that may hold the point within the limit. `keys`: four rotations, component by component.
    #[inline]
    pub fn hopeful(&self, [x, y, z, w]: &[Vec4; 4]) -> u32 {
        let [a, b, c] = self.arm.to_array().map(Vec4::splat);
        let two = Vec4::splat(2.0);
        let (u, v, t) = (two * (*y * c - *z * b), two * (*z * a - *x * c), two * (*x * b - *y * a));
        let turned = [a + *w * u + (*y * t - *z * v), b + *w * v + (*z * u - *x * t), c + *w * t + (*x * v - *y * u)];
        let axes = &self.model_from_parent.matrix3;
        let off = |i: usize| {
            turned[0] * axes.x_axis[i] + turned[1] * axes.y_axis[i] + turned[2] * axes.z_axis[i] + self.from_raw[i]
        };
        let (x, y, z) = (off(0), off(1), off(2));
        // Also hopeful with NaN: the measurement decides.
        !(x * x + y * y + z * z).cmpgt(Vec4::splat(self.limit_sq)).bitmask()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::encode::keys::bound::transposed;
    use crate::math::Transform;
    use crate::math::tests::unit_quat;
    use glam::Quat;
    use proptest::prelude::*;

    fn vector(range: std::ops::Range<f32>) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(range).prop_map(Vec3::from_array)
    }

    proptest! {
        #[test]
        fn a_refused_rotation_is_beyond_the_limit_and_a_good_one_is_not_refused(
            (above, turn, other) in (unit_quat(), unit_quat(), unit_quat()),
            (at, translation, scale) in (vector(-5.0..5.0), vector(-1.0..1.0), vector(0.5..2.0)),
            point in vector(-1.0..1.0),
            part in 0.0f32..0.01,
            limit_m in 0.001f32..0.02,
        ) {
            let parent = Transform { rotation: above, translation: at, scale: Vec3::ONE }.to_affine();
            let place = |rotation: Quat| {
                (parent * Transform { rotation, translation, scale }.to_affine()).transform_point3a(point.into())
            };
            let raw = place(turn);
            let worst = WorstPoint::new(point.into(), raw, parent, (scale, translation), limit_m);
            let tried = [0.0, 1.0, 2.0, 3.0].map(|n| turn.slerp(other, n * part));
            let hopeful = worst.hopeful(&transposed(tried.map(Vec4::from)));
            for (lane, rotation) in tried.into_iter().enumerate() {
                let (is_hopeful, error_m) = (hopeful >> lane & 1 == 1, place(rotation).distance(raw));
                prop_assert!(is_hopeful || error_m > limit_m, "{error_m} within {limit_m}");
                prop_assert!(!is_hopeful || error_m < 1.01 * limit_m + 1e-3, "{error_m} beyond {limit_m}");
            }
        }
    }
}
