//! The arithmetic of [`glam`] for four samples at a time, one per lane. Every lane has the bits that glam gives for its sample on x86.

pub use super::LANES;
use super::{Transform, dot_lanes};
use glam::{Affine3A, Mat3A, Quat, Vec3A, Vec4};

/// Four vectors, component by component.
pub type Vectors = [Vec4; 3];
/// Four rotations, component by component.
pub type Rotations = [Vec4; 4];
/// Four 3x3 matrices, column by column.
pub type Axes = [Vectors; 3];

/// Four affine matrices.
#[derive(Debug, Clone, Copy)]
pub struct Models {
    pub axes: Axes,
    pub at: Vectors,
}

/// Four local transforms.
#[derive(Debug, Clone, Copy)]
pub struct Locals {
    pub rotation: Rotations,
    pub translation: Vectors,
    pub scale: Vectors,
}

/// An array of three results. Unlike `array::map`, it is compiled to straight code.
#[inline(always)]
pub fn three<T>(of: impl Fn(usize) -> T) -> [T; 3] {
    [of(0), of(1), of(2)]
}

/// The same for four.
#[inline(always)]
pub fn four<T>(of: impl Fn(usize) -> T) -> [T; 4] {
    [of(0), of(1), of(2), of(3)]
}

/// Four values, each made by its lane.
fn lanes<const N: usize>(value: impl Fn(usize) -> [f32; N]) -> [Vec4; N] {
    let values = [0, 1, 2, 3].map(value);
    std::array::from_fn(|i| Vec4::from_array(values.map(|value| value[i])))
}

/// Four vectors, each made by its lane.
pub fn vectors(of_lane: impl Fn(usize) -> Vec3A) -> Vectors {
    lanes(|lane| of_lane(lane).to_array())
}

/// Four rotations, each made by its lane.
pub fn rotations(of_lane: impl Fn(usize) -> Quat) -> Rotations {
    lanes(|lane| of_lane(lane).to_array())
}

/// The vector of one lane.
pub fn vector(of: &Vectors, lane: usize) -> Vec3A {
    Vec3A::from_array(three(|i| of[i].to_array()[lane]))
}

/// The same vector in every lane.
#[inline]
pub fn all(v: Vec3A) -> Vectors {
    [Vec4::splat(v.x), Vec4::splat(v.y), Vec4::splat(v.z)]
}

/// The same matrix in every lane.
pub fn all_axes(m: &Mat3A) -> Axes {
    [all(m.x_axis), all(m.y_axis), all(m.z_axis)]
}

impl Models {
    pub const IDENTITY: Self = Self {
        axes: [
            [Vec4::ONE, Vec4::ZERO, Vec4::ZERO],
            [Vec4::ZERO, Vec4::ONE, Vec4::ZERO],
            [Vec4::ZERO, Vec4::ZERO, Vec4::ONE],
        ],
        at: [Vec4::ZERO; 3],
    };

    /// Four matrices, each made by its lane.
    pub fn new(of_lane: impl Fn(usize) -> Affine3A) -> Self {
        let axis = |axis: usize| vectors(|lane| of_lane(lane).matrix3.col(axis));
        Self { axes: [axis(0), axis(1), axis(2)], at: vectors(|lane| of_lane(lane).translation) }
    }

    /// `Affine3A::transform_point3a`.
    #[inline]
    pub fn transform(&self, point: &Vectors) -> Vectors {
        add(&turned(&self.axes, point), &self.at)
    }

    /// The product of two matrices.
    #[inline]
    pub fn times(&self, other: &Self) -> Self {
        Self { axes: product(&self.axes, &other.axes), at: self.transform(&other.at) }
    }
}

impl Locals {
    pub const IDENTITY: Self = Self {
        rotation: [Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ONE],
        translation: [Vec4::ZERO; 3],
        scale: [Vec4::ONE; 3],
    };

    /// The same transform in every lane.
    pub fn all(local: Transform) -> Self {
        Self {
            rotation: local.rotation.to_array().map(Vec4::splat),
            translation: all(local.translation.into()),
            scale: all(local.scale.into()),
        }
    }

    /// Four transforms, each made by its lane.
    pub fn new(of_lane: impl Fn(usize) -> Transform) -> Self {
        Self {
            rotation: rotations(|lane| of_lane(lane).rotation),
            translation: vectors(|lane| of_lane(lane).translation.into()),
            scale: vectors(|lane| of_lane(lane).scale.into()),
        }
    }

    /// `Transform::to_affine`.
    #[inline]
    pub fn models(&self) -> Models {
        let axes = axes_of(&self.rotation);
        let scaled = |i: usize| [axes[i][0] * self.scale[i], axes[i][1] * self.scale[i], axes[i][2] * self.scale[i]];
        Models { axes: [scaled(0), scaled(1), scaled(2)], at: self.translation }
    }
}

#[inline]
pub fn add(a: &Vectors, b: &Vectors) -> Vectors {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline]
pub fn less(a: &Vectors, b: &Vectors) -> Vectors {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub fn dot(a: &Vectors, b: &Vectors) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub fn cross(a: &Vectors, b: &Vectors) -> Vectors {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}

/// Zero in place of the vectors that are infinite or undefined.
#[inline]
pub fn finite(v: Vectors) -> Vectors {
    let is_finite = v[0].is_finite_mask() & v[1].is_finite_mask() & v[2].is_finite_mask();
    if is_finite.all() { v } else { three(|i| Vec4::select(is_finite, v[i], Vec4::ZERO)) }
}

/// `Vec3A::clamp_length_max`.
#[inline]
pub fn clamped(v: Vectors, most: f32) -> Vectors {
    let (length_sq, most_in_all) = (dot(&v, &v), Vec4::splat(most));
    let is_long = length_sq.cmpgt(Vec4::splat(most * most));
    if !is_long.any() {
        return v;
    }
    let length = length_sq.sqrt();
    three(|i| Vec4::select(is_long, most_in_all * (v[i] / length), v[i]))
}

/// A matrix times a vector.
#[inline]
pub fn turned(axes: &Axes, v: &Vectors) -> Vectors {
    let along = |c: usize| axes[0][c] * v[0] + axes[1][c] * v[1] + axes[2][c] * v[2];
    [along(0), along(1), along(2)]
}

/// The product of two matrices.
#[inline]
pub fn product(a: &Axes, b: &Axes) -> Axes {
    [turned(a, &b[0]), turned(a, &b[1]), turned(a, &b[2])]
}

#[inline]
pub fn transposed(m: &Axes) -> Axes {
    let row = |c: usize| [m[0][c], m[1][c], m[2][c]];
    [row(0), row(1), row(2)]
}

/// The inverse matrices.
pub fn inverse(m: &Axes) -> Axes {
    let of_lane = |lane: usize| Mat3A::from_cols(vector(&m[0], lane), vector(&m[1], lane), vector(&m[2], lane));
    let inverses = [0, 1, 2, 3].map(|lane| of_lane(lane).inverse());
    [0, 1, 2].map(|axis| vectors(|lane| inverses[lane].col(axis)))
}

/// `Mat3A::from_quat`.
#[inline]
pub fn axes_of([x, y, z, w]: &Rotations) -> Axes {
    let (x, y, z, w) = (*x, *y, *z, *w);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let one = Vec4::ONE;
    [[one - (yy + zz), xy + wz, xz - wy], [xy - wz, one - (xx + zz), yz + wx], [xz + wy, yz - wx, one - (xx + yy)]]
}

#[inline]
pub fn conjugate([x, y, z, w]: &Rotations) -> Rotations {
    [-*x, -*y, -*z, *w]
}

/// `Quat::normalize`.
#[inline]
pub fn normalized(q: Rotations) -> Rotations {
    let length = dot_lanes(&q, &q).sqrt();
    four(|i| q[i] / length)
}

/// The opposite quaternions where `is_opposite`.
#[inline]
pub fn opposite_where(is_opposite: glam::BVec4A, q: Rotations) -> Rotations {
    four(|i| Vec4::select(is_opposite, -q[i], q[i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::product_lanes;
    use crate::math::tests::unit_quat;
    use glam::Vec3;
    use proptest::prelude::*;

    fn four_transforms() -> impl Strategy<Value = [Transform; 4]> {
        let vector = |range: std::ops::Range<f32>| prop::array::uniform3(range).prop_map(Vec3::from_array);
        let transform = (unit_quat(), vector(-3.0..3.0), vector(0.5..2.0))
            .prop_map(|(rotation, translation, scale)| Transform { rotation, translation, scale });
        prop::array::uniform4(transform)
    }

    fn bits(v: Vec3A) -> [u32; 3] {
        v.to_array().map(f32::to_bits)
    }

    fn assert_equal(four: &Models, lane: usize, single: &Affine3A) {
        for axis in 0..3 {
            assert_eq!(bits(vector(&four.axes[axis], lane)), bits(single.matrix3.col(axis)));
        }
        assert_eq!(bits(vector(&four.at, lane)), bits(single.translation));
    }

    proptest! {
        #[test]
        fn every_lane_is_what_glam_gives(a in four_transforms(), b in four_transforms(), most in 0.1f32..2.0) {
            let (of_a, of_b) = (Locals::new(|lane| a[lane]), Locals::new(|lane| b[lane]));
            let models = of_a.models().times(&of_b.models());
            let inverse = inverse(&models.axes);
            let turn = normalized(product_lanes(conjugate(&of_a.rotation), of_b.rotation));
            let crossed = cross(&of_a.translation, &of_b.scale);
            let short = clamped(of_a.translation, most);
            let dots = (dot(&of_a.translation, &of_b.scale), dot_lanes(&of_a.rotation, &of_b.rotation));
            for lane in 0..LANES {
                let (a, b) = (a[lane], b[lane]);
                let model = a.to_affine() * b.to_affine();
                assert_equal(&models, lane, &model);
                for (axis, inverse) in inverse.iter().enumerate() {
                    prop_assert_eq!(bits(vector(inverse, lane)), bits(model.matrix3.inverse().col(axis)));
                }
                let single = crate::math::unit(crate::math::product(a.rotation.conjugate(), b.rotation));
                prop_assert_eq!(turn.map(|x| x[lane].to_bits()), single.to_array().map(f32::to_bits));
                let (translation, scale) = (Vec3A::from(a.translation), Vec3A::from(b.scale));
                prop_assert_eq!(bits(vector(&crossed, lane)), bits(translation.cross(scale)));
                prop_assert_eq!(bits(vector(&short, lane)), bits(translation.clamp_length_max(most)));
                prop_assert_eq!(dots.0[lane].to_bits(), translation.dot(scale).to_bits());
                prop_assert_eq!(dots.1[lane].to_bits(), a.rotation.dot(b.rotation).to_bits());
            }
        }
    }

    #[test]
    fn lanes_without_a_finite_value_are_zero() {
        let mut v = all(Vec3A::ONE);
        (v[0].x, v[1].y, v[2].z) = (f32::NAN, f32::INFINITY, f32::NEG_INFINITY);
        let found = finite(v);
        assert_eq!([0, 1, 2, 3].map(|lane| vector(&found, lane)), [Vec3A::ZERO, Vec3A::ZERO, Vec3A::ZERO, Vec3A::ONE]);
    }
}
