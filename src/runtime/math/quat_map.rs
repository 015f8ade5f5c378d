//! Unit quaternions as three numbers: with a dropped component, or mapped from the half sphere to a ball.

use super::Number;
use super::reproducible::{cos, sin};
use core::f32::consts::FRAC_1_SQRT_2;
use glam::{Quat, Vec3};

/// Components of a unit quaternion other than the largest lie within plus or minus this.
pub const LARGEST_DROPPED_LIMIT: f32 = FRAC_1_SQRT_2;

/// Restores x, y, z, w of a rotation without its w, which is not negative. Numbers that are too large for a unit quaternion are scaled
/// down, with w = 0.
///
/// If w is near zero, an error `d` of the sum of squares becomes an error `sqrt(d)` of w. So half turns are imprecise.
#[inline(always)]
pub fn restore_w<R: Number>(xyz: [R; 3]) -> [R; 4] {
    let ([x, y, z], w) = complete(xyz);
    [x, y, z, w]
}

/// Restores x, y, z, w of a rotation without its component `index` (0, 1, 2 or 3), which is the largest and not negative.
#[inline(always)]
pub fn restore_largest<R: Number>(index: R, rest: [R; 3]) -> [R; 4] {
    let ([a, b, c], dropped) = complete(rest);
    // Selections instead of a branch, which processors would predict wrongly: the index changes from joint to joint.
    let x = index.where_equal(0.0, dropped, a);
    let y = index.where_equal(0.0, a, index.where_equal(1.0, dropped, b));
    let z = index.where_equal(3.0, c, index.where_equal(2.0, dropped, b));
    let w = index.where_equal(3.0, dropped, c);
    [x, y, z, w]
}

/// Like [`restore_largest`], for a dropped w.
#[inline(always)]
pub fn restore_last<R: Number>(rest: [R; 3]) -> [R; 4] {
    let ([x, y, z], w) = complete(rest);
    [x, y, z, w]
}

/// Three components, and the fourth for a length of one, which is not negative. Larger components are scaled down to length one.
#[inline(always)]
fn complete<R: Number>(rest: [R; 3]) -> ([R; 3], R) {
    let one = R::splat(1.0);
    let [x, y, z] = rest;
    let square = x * x + y * y + z * z;
    if square.is_at_most_one() {
        return (rest, (one - square).sqrt());
    }
    let scale = square.where_at_most_one(one, one / square.sqrt());
    ([x * scale, y * scale, z * scale], square.where_at_most_one(one - square, R::splat(0.0)).sqrt())
}

/// 3 - 2 sqrt(2), the square of sqrt(2) - 1: the factor that removes the scaling to a ball of radius 1.
const HARMONIC_INVERSE: f32 = 0.171_572_88;
/// 4 (sqrt(2) - 1).
const HARMONIC_FACTOR: f32 = 1.656_854_2;

/// Inverse of the harmonic mean map (Reynolds' quaternion quantisation, Animation Tech Intro 2), which maps rotations to a ball of radius
/// 1. Returns x, y, z, w. The length is one for any numbers, within rounding.
#[inline(always)]
pub fn harmonic_unmap<R: Number>(v: [R; 3]) -> [R; 4] {
    let [x, y, z] = v;
    let one = R::splat(1.0);
    let d = R::splat(HARMONIC_INVERSE) * (x * x + y * y + z * z);
    let a = one + d;
    let c = one / (a * a);
    let scale = (one - d) * R::splat(HARMONIC_FACTOR) * c;
    [x * scale, y * scale, z * scale, (one + d * (d - R::splat(6.0))) * c]
}

/// x, y, z, w of the rotation with these modified Rodrigues parameters: its axis times the tangent of a quarter of its angle. The length
/// is one for any numbers, within rounding. The map is conformal, so a step is equally long in all directions.
#[inline(always)]
pub fn rodrigues_unmap<R: Number>(v: [R; 3]) -> [R; 4] {
    let [x, y, z] = v;
    let one = R::splat(1.0);
    let square = x * x + y * y + z * z;
    let inverse = one / (one + square);
    let scale = inverse + inverse;
    [x * scale, y * scale, z * scale, (one - square) * inverse]
}

/// The product of two quaternions, as separate x, y, z and w: the rotation `b`, then `a`.
#[inline(always)]
pub fn quat_mul<R: Number>(a: [R; 4], b: [R; 4]) -> [R; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + (ay * bz - az * by),
        aw * by + ay * bw + (az * bx - ax * bz),
        aw * bz + az * bw + (ax * by - ay * bx),
        aw * bw - ax * bx - (ay * by + az * bz),
    ]
}

/// The rotation from half its rotation vector: its axis times half its angle.
pub fn rotation_exp(half: Vec3) -> Quat {
    let angle = half.length();
    let xyz = if angle < 1e-4 { half } else { half * (sin(angle) / angle) };
    Quat::from_xyzw(xyz.x, xyz.y, xyz.z, cos(angle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::LANES;
    use glam::Vec4;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_numbers_become_a_unit_quaternion(v in prop::array::uniform3(-1.2f32..1.2), index in 0usize..4) {
            for q in [restore_w(v), restore_largest(index as f32, v), harmonic_unmap(v), rodrigues_unmap(v)].map(Quat::from_array) {
                prop_assert!((q.length() - 1.0).abs() < 1e-5, "{q} from {v:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn four_at_once_give_the_same_bits(v in prop::array::uniform4(prop::array::uniform3(-1.2f32..1.2))) {
            let lanes: [Vec4; 3] = std::array::from_fn(|i| Vec4::from_array(v.map(|v| v[i])));
            let same = |four: [Vec4; 4], one: &dyn Fn(usize) -> [f32; 4]| {
                (0..LANES).all(|lane| four.map(|x| x[lane].to_bits()) == one(lane).map(f32::to_bits))
            };
            prop_assert!(same(restore_w(lanes), &|lane| restore_w(v[lane])));
            prop_assert!(same(harmonic_unmap(lanes), &|lane| harmonic_unmap(v[lane])));
            prop_assert!(same(rodrigues_unmap(lanes), &|lane| rodrigues_unmap(v[lane])));
            let turns = rodrigues_unmap(lanes);
            let product = |lane: usize| quat_mul(rodrigues_unmap(v[lane]), rodrigues_unmap(v[lane]));
            prop_assert!(same(quat_mul(turns, turns), &product));
            let index = Vec4::new(0.0, 1.0, 2.0, 3.0);
            prop_assert!(same(restore_largest(index, lanes), &|lane| restore_largest(lane as f32, v[lane])));
        }
    }

    proptest! {
        #[test]
        fn rodrigues_parameters_are_the_tangent_of_a_quarter_of_the_angle(turn in prop::array::uniform3(-2.0f32..2.0)) {
            let turn = Vec3::from_array(turn);
            let v = turn.normalize_or_zero() * (0.25 * turn.length()).tan();
            let (found, wanted) = (Quat::from_array(rodrigues_unmap(v.to_array())), Quat::from_scaled_axis(turn));
            prop_assert!((found - wanted).length() < 1e-6, "{found} instead of {wanted}");
            let twice = Quat::from_array(quat_mul(found.to_array(), found.to_array()));
            prop_assert!((twice - found * found).length() < 1e-6);
        }
    }

    #[test]
    fn the_harmonic_constants_are_those_of_the_article() {
        let root = 2.0f64.sqrt();
        assert!((f64::from(HARMONIC_INVERSE) - (3.0 - 2.0 * root)).abs() < 1e-8);
        assert!((f64::from(HARMONIC_FACTOR) - 4.0 * (root - 1.0)).abs() < 1e-7);
    }
}
