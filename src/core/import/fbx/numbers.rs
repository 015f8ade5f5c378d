//! Converts numbers of ufbx.

use crate::math::Transform;
use glam::{Affine3A, DQuat, Vec3};

pub(super) fn vec3(v: ufbx::Vec3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

pub(super) fn transform(t: &ufbx::Transform) -> Transform {
    let rotation = DQuat::from_xyzw(t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w);
    Transform { rotation: rotation.normalize().as_quat(), translation: vec3(t.translation), scale: vec3(t.scale) }
}

pub(super) fn affine(m: &ufbx::Matrix) -> Affine3A {
    let column = |x: f64, y: f64, z: f64| Vec3::new(x as f32, y as f32, z as f32);
    Affine3A::from_cols(
        column(m.m00, m.m10, m.m20).into(),
        column(m.m01, m.m11, m.m21).into(),
        column(m.m02, m.m12, m.m22).into(),
        column(m.m03, m.m13, m.m23).into(),
    )
}
