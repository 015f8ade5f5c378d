//! Unit quaternions as three numbers: a component dropped, or a map of the half sphere onto a ball.

use super::Real;
use super::float::{atan2, cos, sin, sqrt};
use core::f32::consts::FRAC_1_SQRT_2;
use glam::{Quat, Vec3};

/// Components of a unit quaternion other than the largest lie within plus or minus this.
pub const LARGEST_DROPPED_LIMIT: f32 = FRAC_1_SQRT_2;

/// x, y, z of the same rotation with w >= 0 (Unreal's way).
pub fn drop_w(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    q.xyz()
}

/// Undoes [`drop_w`]: x, y, z, w; numbers that are too large for a unit quaternion are scaled down to one with w = 0.
///
/// An error `d` of the squares summed becomes `sqrt(d)` in w where w is near zero: half turns suffer.
#[inline(always)]
pub fn restore_w<R: Real>(xyz: [R; 3]) -> [R; 4] {
    let ([x, y, z], w) = complete(xyz);
    [x, y, z, w]
}

/// Index of the component with the largest absolute value (x first among equals) and the other three, in order, of
/// the same rotation with that component positive (Riot's way).
pub fn drop_largest(q: Quat) -> (usize, Vec3) {
    let c = q.to_array();
    let largest = (1..4).fold(0, |best, i| if c[i].abs() > c[best].abs() { i } else { best });
    (largest, drop_component(q, largest))
}

/// The other three components, in order, of the same rotation with component `index` (0 to 3) not negative.
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

/// Undoes [`drop_largest`]: x, y, z, w. The index is 0, 1, 2 or 3.
#[inline(always)]
pub fn restore_largest<R: Real>(index: R, rest: [R; 3]) -> [R; 4] {
    let ([a, b, c], dropped) = complete(rest);
    // Selections instead of a jump: the index changes from joint to joint, so a jump would be guessed wrong.
    let x = index.where_equal(0.0, dropped, a);
    let y = index.where_equal(0.0, a, index.where_equal(1.0, dropped, b));
    let z = index.where_equal(3.0, c, index.where_equal(2.0, dropped, b));
    let w = index.where_equal(3.0, dropped, c);
    [x, y, z, w]
}

/// [`restore_largest`] where w was dropped.
#[inline(always)]
pub fn restore_last<R: Real>(rest: [R; 3]) -> [R; 4] {
    let ([x, y, z], w) = complete(rest);
    [x, y, z, w]
}

/// Three components and the fourth, not negative, that makes their length one.
#[inline(always)]
fn complete<R: Real>(rest: [R; 3]) -> ([R; 3], R) {
    let one = R::splat(1.0);
    let [x, y, z] = rest;
    let square = x * x + y * y + z * z;
    if square.is_at_most_one() {
        return (rest, (one - square).sqrt());
    }
    let scale = square.where_at_most_one(one, one / square.sqrt());
    ([x * scale, y * scale, z * scale], square.where_at_most_one(one - square, R::splat(0.0)).sqrt())
}

/// sqrt(2) + 1: scales the harmonic mean map's ball to radius 1.
const HARMONIC_FORWARD: f32 = core::f32::consts::SQRT_2 + 1.0;
/// 3 - 2 sqrt(2), the square of 1 / HARMONIC_FORWARD.
const HARMONIC_INVERSE: f32 = 0.171_572_88;
/// 4 (sqrt(2) - 1).
const HARMONIC_FACTOR: f32 = 1.656_854_2;

/// The harmonic mean map (Reynolds' quaternion quantisation, Animation Tech Intro 2): rotations to a ball of radius 1,
/// nearly evenly, so that every rotation gets about the same precision.
pub fn harmonic_map(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let scale = HARMONIC_FORWARD / (1.0 + q.w + sqrt(2.0 + 2.0 * q.w));
    q.xyz() * scale
}

/// Undoes [`harmonic_map`]: x, y, z, w. The result has length one for any numbers, within rounding.
#[inline(always)]
pub fn harmonic_unmap<R: Real>(v: [R; 3]) -> [R; 4] {
    let [x, y, z] = v;
    let one = R::splat(1.0);
    let d = R::splat(HARMONIC_INVERSE) * (x * x + y * y + z * z);
    let a = one + d;
    let c = one / (a * a);
    let scale = (one - d) * R::splat(HARMONIC_FACTOR) * c;
    [x * scale, y * scale, z * scale, (one + d * (d - R::splat(6.0))) * c]
}

/// Half the rotation vector of a rotation: its axis times half its angle, `0..=pi`. Continuous where the quaternion is, but
/// at `w = -1`.
pub fn rotation_log(q: Quat) -> Vec3 {
    let sine = q.xyz().length();
    if sine < f32::MIN_POSITIVE { Vec3::ZERO } else { q.xyz() * (atan2(sine, q.w) / sine) }
}

/// Undoes [`rotation_log`].
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

    fn unit_quat() -> impl Strategy<Value = Quat> {
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

        #[test]
        fn any_numbers_become_a_unit_quaternion(v in prop::array::uniform3(-1.2f32..1.2), index in 0usize..4) {
            for q in [restore_w(v), restore_largest(index as f32, v), harmonic_unmap(v)].map(Quat::from_array) {
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
            let index = Vec4::new(0.0, 1.0, 2.0, 3.0);
            prop_assert!(same(restore_largest(index, lanes), &|lane| restore_largest(lane as f32, v[lane])));
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

    #[test]
    fn the_harmonic_constants_are_those_of_the_article() {
        let root = 2.0f64.sqrt();
        assert!((f64::from(HARMONIC_INVERSE) - (3.0 - 2.0 * root)).abs() < 1e-8);
        assert!((f64::from(HARMONIC_FACTOR) - 4.0 * (root - 1.0)).abs() < 1e-7);
    }
}
