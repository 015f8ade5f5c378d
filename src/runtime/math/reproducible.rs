//! Operations with the same result bits on every processor. glam's registers add in an order of the processor, and std's sine and
//! cosine are those of the system. x86 keeps glam's registers, whose order the other processors follow.

use super::{Number, sqrt};
use glam::{Quat, Vec3, Vec4};

/// True if glam adds in the order that all processors follow.
pub(super) const IS_GLAMS_ORDER: bool = cfg!(target_feature = "sse2");

/// Dot product of four numbers, which may be lanes.
#[inline(always)]
pub fn dot_lanes<R: Number>(a: &[R; 4], b: &[R; 4]) -> R {
    (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3])
}

/// Dot product.
#[inline(always)]
pub fn dot4(a: Vec4, b: Vec4) -> f32 {
    if IS_GLAMS_ORDER { a.dot(b) } else { dot_lanes(a.as_ref(), b.as_ref()) }
}

/// The vector, scaled to length one.
#[inline(always)]
pub fn unit4(v: Vec4) -> Vec4 {
    if IS_GLAMS_ORDER { v.normalize() } else { v / sqrt(dot4(v, v)) }
}

/// The rotation, scaled to length one.
#[inline(always)]
pub fn unit(rotation: Quat) -> Quat {
    Quat::from_vec4(unit4(rotation.into()))
}

/// The rotation `b`, then `a`.
#[inline(always)]
pub fn product(a: Quat, b: Quat) -> Quat {
    if IS_GLAMS_ORDER { a * b } else { Quat::from_array(product_lanes(a.to_array(), b.to_array())) }
}

/// [`product`] of separate x, y, z and w, which may be lanes.
#[inline(always)]
pub fn product_lanes<R: Number>([ax, ay, az, aw]: [R; 4], [bx, by, bz, bw]: [R; 4]) -> [R; 4] {
    [
        (aw * bx + ax * bw) + (ay * bz - az * by),
        (aw * by - ax * bz) + (ay * bw + az * bx),
        (aw * bz + ax * by) + (az * bw - ay * bx),
        (aw * bw - ax * bx) - (ay * by + az * bz),
    ]
}

/// The vector, turned by a rotation.
#[inline(always)]
pub fn turned(rotation: Quat, v: Vec3) -> Vec3 {
    if IS_GLAMS_ORDER {
        return rotation * v;
    }
    let (axis, w) = (Vec3::new(rotation.x, rotation.y, rotation.z), rotation.w);
    (v * (w * w - axis.dot(axis)) + axis * (v.dot(axis) * 2.0)) + axis.cross(v) * (w * 2.0)
}

/// Sine.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}

/// Cosine.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn four() -> impl Strategy<Value = Vec4> {
        prop::array::uniform4(-2.0f32..2.0)
            .prop_map(Vec4::from_array)
            .prop_filter("has a length", |v| v.length() > 0.01)
    }

    proptest! {
        /// On x86 this compares glam with the order of the other processors.
        #[test]
        fn every_processor_adds_in_one_order(a in four(), b in four(), v in prop::array::uniform3(-2.0f32..2.0)) {
            prop_assert_eq!(dot4(a, b).to_bits(), dot_lanes(a.as_ref(), b.as_ref()).to_bits());
            prop_assert_eq!(unit4(a), a / sqrt(dot_lanes(a.as_ref(), a.as_ref())));
            let (p, q) = (unit(Quat::from_vec4(a)), unit(Quat::from_vec4(b)));
            prop_assert_eq!(product(p, q).to_array(), product_lanes(p.to_array(), q.to_array()));
            let (axis, w, v) = (Vec3::new(p.x, p.y, p.z), p.w, Vec3::from_array(v));
            let expected = (v * (w * w - axis.dot(axis)) + axis * (v.dot(axis) * 2.0)) + axis.cross(v) * (w * 2.0);
            prop_assert_eq!(turned(p, v), expected);
        }
    }
}
