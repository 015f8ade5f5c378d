//! An upper bound of a value's error by its distance from the target. With it, most values need no check of points.

use crate::codecs::encode::Reach;
use crate::math::each_lane;
use crate::model::Channel;
use glam::{Affine3A, Mat4, Vec3, Vec4};

/// The range in which squared errors must be exact. One below `above_sq` may be replaced by any value below it, one beyond `enough_sq` by
/// any value beyond it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interest {
    pub above_sq: f32,
    pub enough_sq: f32,
}

impl Interest {
    /// All errors must be exact.
    pub const ALL: Self = Self { above_sq: 0.0, enough_sq: f32::INFINITY };

    /// Only the comparison with a limit must be right.
    pub fn within(limit_sq: f32) -> Self {
        Self { above_sq: limit_sq, enough_sq: limit_sq }
    }

    /// The same once an error is known: smaller ones are of no interest.
    pub fn beyond(self, known_sq: f32) -> Self {
        Self { above_sq: self.above_sq.max(known_sq), ..self }
    }
}

/// An upper bound of the errors of one channel's values at a step.
///
/// The matrices of two values differ by one that moves a point in proportion to its distance from the joint: see [`Reach::slope`]. The
/// parent stretches that by at most the norm of its matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorBound {
    /// The channel's target value, as `KeyFormat::numbers`.
    target: Vec4,
    /// The error of the target value in metres, with the parents and the joint's other channels decoded.
    base_m: f32,
    /// Error growth in metres per unit of distance from the target.
    slope: f32,
}

/// The bounds of the keys of four samples.
#[derive(Debug, Clone, Copy)]
pub struct FourBounds {
    /// Component by component.
    targets: [Vec4; 4],
    /// Squared distances from the targets up to which no error exceeds the limit. Negative if there is none.
    reaches_sq: Vec4,
}

impl FourBounds {
    /// The bounds of one to four samples, within a limit.
    pub fn new(bounds: &[&ErrorBound], limit_m: f32) -> Self {
        let bound = |lane: usize| bounds[lane.min(bounds.len() - 1)];
        Self {
            targets: transposed([0, 1, 2, 3].map(|lane| bound(lane).target)),
            reaches_sq: Vec4::from_array([0, 1, 2, 3].map(|lane| bound(lane).reach_sq(limit_m))),
        }
    }

    /// One bit per key that is so near its target that its error is within the limit. `keys`: component by component.
    #[inline]
    pub fn near(&self, keys: &[Vec4; 4], is_rotation: bool) -> u32 {
        let apart_sq = |sign: f32| {
            let [x, y, z, w] = each_lane([0, 1, 2, 3], |i| keys[i] + self.targets[i] * sign);
            (x * x + z * z) + (y * y + w * w)
        };
        let apart_sq = if is_rotation { apart_sq(-1.0).min(apart_sq(1.0)) } else { apart_sq(-1.0) };
        apart_sq.cmple(self.reaches_sq).bitmask()
    }
}

/// Four vectors component by component, or the reverse.
#[inline]
pub fn transposed([a, b, c, d]: [Vec4; 4]) -> [Vec4; 4] {
    let rows = Mat4::from_cols(a, b, c, d).transpose();
    [rows.x_axis, rows.y_axis, rows.z_axis, rows.w_axis]
}

/// Factor for f32 rounding.
const SLACK: f32 = 1.000_1;

impl ErrorBound {
    /// The bound around a target with error `base_m`, for a joint with that scale.
    pub fn new(
        channel: Channel,
        (target, base_m): (Vec4, f32),
        reach: Reach,
        scale: Vec3,
        model_from_parent: Option<&Affine3A>,
    ) -> Self {
        let stretch = model_from_parent.map_or(1.0, largest_stretch);
        Self { target, base_m: SLACK * base_m, slope: SLACK * stretch * reach.slope(channel, scale) }
    }

    /// The error of the target itself, metres.
    pub fn base_m(&self) -> f32 {
        self.base_m
    }

    /// Error growth in metres per unit of distance from the target.
    pub fn slope(&self) -> f32 {
        self.slope
    }

    /// The squared distance from the target up to which no error exceeds `limit_m`. Negative if there is none.
    pub fn reach_sq(&self, limit_m: f32) -> f32 {
        let reach = (limit_m - self.base_m) / self.slope;
        if reach > 0.0 { reach * reach } else { -1.0 }
    }

    /// The squared distance of a value from the target.
    #[inline]
    pub fn apart_sq(&self, value: Vec4, is_rotation: bool) -> f32 {
        let apart_sq = (value - self.target).length_squared();
        if is_rotation { apart_sq.min((value + self.target).length_squared()) } else { apart_sq }
    }

    /// The square of the largest possible error of a value. NaN if unknown.
    #[inline]
    pub fn at_most_sq(&self, value: Vec4, is_rotation: bool) -> f32 {
        let error_m = self.base_m + self.slope * self.apart_sq(value, is_rotation).sqrt();
        error_m * error_m
    }
}

/// An upper bound of the norm of the matrix without its translation: the square root of the largest row sum of absolute values of its
/// square. Exact if the axes are orthogonal.
fn largest_stretch(matrix: &Affine3A) -> f32 {
    let m = &matrix.matrix3;
    let (xy, yz, zx) = (m.x_axis.dot(m.y_axis).abs(), m.y_axis.dot(m.z_axis).abs(), m.z_axis.dot(m.x_axis).abs());
    let [xx, yy, zz] = [m.x_axis, m.y_axis, m.z_axis].map(|axis| axis.length_squared());
    (xx + xy + zx).max(yy + xy + yz).max(zz + zx + yz).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tests::unit_quat;
    use glam::{Mat3A, Quat, Vec3A};
    use proptest::prelude::*;

    fn vector(range: std::ops::Range<f32>) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(range).prop_map(Vec3::from_array)
    }

    proptest! {
        #[test]
        fn no_direction_is_stretched_more(a in unit_quat(), scale in vector(-3.0..3.0), b in unit_quat(), x in unit_quat()) {
            let matrix = Affine3A::from_quat(a) * Affine3A::from_scale(scale) * Affine3A::from_quat(b);
            let x = x * Vec3A::X;
            let stretch = largest_stretch(&matrix);
            prop_assert!((matrix.matrix3 * x).length() <= 1.0001 * stretch);
            // Exact where the axes are at right angles.
            let upright = Affine3A { matrix3: Mat3A::from_quat(a) * Mat3A::from_diagonal(scale), translation: x };
            prop_assert!((largest_stretch(&upright) - scale.abs().max_element()).abs() < 1e-4);
        }

        #[test]
        fn a_value_errs_no_more_than_its_bound(a in unit_quat(), b in unit_quat(), part in 0.0f32..0.3, x in vector(-2.0..2.0), base in vector(-0.1..0.1)) {
            let value = a.slerp(b, part);
            let reach = Reach { radius_m: x.length(), weight: 1.0 };
            let around = (Vec4::from(a), base.length());
            let bound = ErrorBound::new(Channel::Rotation, around, reach, Vec3::ONE, None);
            for value in [value, -value] {
                let found = (value * x - a * x + base).length();
                prop_assert!(found * found <= bound.at_most_sq(Vec4::from(value), true) + 1e-5);
            }
        }
    }

    proptest! {
        #[test]
        fn four_bounds_are_those_of_single_samples(
            targets in prop::collection::vec(unit_quat(), 1..=4),
            values in prop::array::uniform4(unit_quat()),
            part in 0.0f32..0.5,
            limit in 0.1f32..2.0,
        ) {
            let reach = Reach { radius_m: 1.0, weight: 1.0 };
            let bound = |target: &Quat| ErrorBound::new(Channel::Rotation, ((*target).into(), 0.05), reach, Vec3::ONE, None);
            let bounds: Vec<ErrorBound> = targets.iter().map(bound).collect();
            let four = FourBounds::new(&bounds.iter().collect::<Vec<_>>(), limit);
            let lane = |lane: usize| targets[lane.min(targets.len() - 1)].slerp(values[lane], part);
            let values = each_lane([0, 1, 2, 3], |i| Vec4::from(lane(i)));
            let near = four.near(&transposed(values), true);
            for (lane, bound) in bounds.iter().enumerate() {
                prop_assert_eq!(near >> lane & 1 == 1, bound.apart_sq(values[lane], true) <= bound.reach_sq(limit));
            }
        }
    }

    #[test]
    fn what_nobody_knows_bounds_nothing() {
        let reach = Reach { radius_m: 1.0, weight: 1.0 };
        let around = (Vec4::W, f32::INFINITY);
        let bound = ErrorBound::new(Channel::Rotation, around, reach, Vec3::ONE, None);
        let at_most_sq = bound.at_most_sq(Vec4::from(Quat::IDENTITY), true);
        assert!(at_most_sq.is_nan() || at_most_sq > 1.0, "{at_most_sq}");
        assert!(bound.reach_sq(1.0) < 0.0);
    }
}
