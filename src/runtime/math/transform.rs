use super::Number;
use super::reproducible::{IS_GLAMS_ORDER, dot_lanes, product};
use glam::{Affine3A, Quat, Vec3};

/// Rotation, translation and scale of a joint, relative to its parent. Variables named `model_` are relative to the model instead.
///
/// Applied to a point in the order scale, rotate, translate. Translation is in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transform {
    /// Unit quaternion.
    pub rotation: Quat,
    /// Metres.
    pub translation: Vec3,
    /// Factors along the joint's own axes.
    pub scale: Vec3,
}

impl Transform {
    /// No rotation, no translation, scale one.
    pub const IDENTITY: Self = Self { rotation: Quat::IDENTITY, translation: Vec3::ZERO, scale: Vec3::ONE };

    /// A transform from ten numbers, as in files: rotation x, y, z, w, translation, scale.
    pub fn from_numbers(numbers: [f32; 10]) -> Self {
        let [x, y, z, w, tx, ty, tz, sx, sy, sz] = numbers;
        Self { rotation: Quat::from_xyzw(x, y, z, w), translation: Vec3::new(tx, ty, tz), scale: Vec3::new(sx, sy, sz) }
    }

    /// The ten numbers, in the order of [`Transform::from_numbers`].
    pub fn numbers(self) -> [f32; 10] {
        let ([x, y, z, w], t, s) = (self.rotation.to_array(), self.translation, self.scale);
        [x, y, z, w, t.x, t.y, t.z, s.x, s.y, s.z]
    }

    /// A pure translation.
    pub fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Converts to an affine matrix.
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// The field's usual blend: [`nlerp`] for rotation, lerp for translation and scale.
    pub fn lerp(self, other: Self, alpha: f32) -> Self {
        Self {
            rotation: nlerp(self.rotation, other.rotation, alpha),
            translation: self.translation + (other.translation - self.translation) * alpha,
            scale: self.scale + (other.scale - self.scale) * alpha,
        }
    }

    /// Adds a difference to this base, as engines add clips: it rotates and scales along the base's own axes, and moves along the
    /// parent's axes.
    pub fn plus(self, difference: Self) -> Self {
        Self {
            rotation: product(self.rotation, difference.rotation),
            translation: self.translation + difference.translation,
            scale: self.scale * difference.scale,
        }
    }

    /// The difference from a base, the inverse of [`Transform::plus`]. Along an axis where the base has scale zero, the factor is this
    /// scale itself.
    pub fn minus(self, base: Self) -> Self {
        Self {
            rotation: product(base.rotation.conjugate(), self.rotation),
            translation: self.translation - base.translation,
            scale: self.scale / widened(base.scale),
        }
    }

    /// Replaces zero scales by one, so that any difference can be added and removed.
    #[doc(hidden)]
    pub fn as_carrier(self) -> Self {
        Self { scale: widened(self.scale), ..self }
    }

    /// True if every number is finite.
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite() && self.scale.is_finite()
    }
}

/// Scales below this count as zero: a division by them gives only rounding noise.
const NO_WIDTH: f32 = 1e-6;

/// The factors, with one in place of factors near zero.
fn widened(scale: Vec3) -> Vec3 {
    Vec3::select(scale.abs().cmpge(Vec3::splat(NO_WIDTH)), scale, Vec3::ONE)
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// Normalised linear blend of two unit quaternions along the shorter arc; exactly `a` at 0 and `b` (up to sign) at 1.
pub fn nlerp(a: Quat, b: Quat, alpha: f32) -> Quat {
    if alpha == 0.0 {
        return a;
    }
    if alpha == 1.0 {
        return b;
    }
    if !IS_GLAMS_ORDER {
        return Quat::from_array(nlerp_lanes(a.to_array(), b.to_array(), alpha));
    }
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a * (1.0 - alpha) + b * alpha).normalize()
}

/// [`nlerp`] of several pairs at once, as separate x, y, z and w. It gives the same bits: sums follow the order of glam's vector
/// registers.
#[inline(always)]
pub fn nlerp_lanes<R: Number>(a: [R; 4], b: [R; 4], alpha: f32) -> [R; 4] {
    if alpha == 1.0 {
        return b;
    }
    // A sign change of alpha equals a sign change of all four components, and needs one selection.
    let alpha_b = dot_lanes(&a, &b).where_negative(R::splat(-alpha), R::splat(alpha));
    let alpha_a = R::splat(1.0 - alpha);
    let mix = |i: usize| a[i] * alpha_a + b[i] * alpha_b;
    let mix = [mix(0), mix(1), mix(2), mix(3)];
    let length = dot_lanes(&mix, &mix).sqrt();
    [mix[0] / length, mix[1] / length, mix[2] / length, mix[3] / length]
}

/// Linear blend of several vectors at once, as separate x, y and z.
#[inline(always)]
pub fn lerp_lanes<R: Number>(a: [R; 3], b: [R; 3], alpha: f32) -> [R; 3] {
    let alpha = R::splat(alpha);
    let blend = |i: usize| a[i] + (b[i] - a[i]) * alpha;
    [blend(0), blend(1), blend(2)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Mat4;
    use proptest::prelude::*;

    fn rotation() -> impl Strategy<Value = Quat> {
        prop::array::uniform3(-4.0f32..4.0).prop_map(|turn| Quat::from_scaled_axis(Vec3::from_array(turn)))
    }

    proptest! {
        #[test]
        fn lanes_blend_to_the_same_bits(
            a in prop::array::uniform4(rotation()), b in prop::array::uniform4(rotation()), alpha in 0.0f32..=1.0,
        ) {
            let lanes = |q: [Quat; 4]| {
                let rows = Mat4::from_cols(q[0].into(), q[1].into(), q[2].into(), q[3].into()).transpose();
                [rows.x_axis, rows.y_axis, rows.z_axis, rows.w_axis]
            };
            let [x, y, z, w] = nlerp_lanes(lanes(a), lanes(b), alpha);
            for i in 0..4 {
                let found = Quat::from_xyzw(x[i], y[i], z[i], w[i]);
                prop_assert_eq!(found.to_array().map(f32::to_bits), nlerp(a[i], b[i], alpha).to_array().map(f32::to_bits));
            }
        }
    }

    #[test]
    fn nlerp_takes_the_shorter_arc_and_hits_both_ends() {
        let a = Quat::from_rotation_y(0.2);
        let b = -Quat::from_rotation_y(0.6);
        assert_eq!(nlerp(a, b, 0.0), a);
        assert_eq!(nlerp(a, b, 1.0), b);
        let half = nlerp(a, b, 0.5);
        assert!(half.dot(Quat::from_rotation_y(0.4)).abs() > 1.0 - 1e-6);
    }

    #[test]
    fn affine_applies_scale_then_rotation_then_translation() {
        let t = Transform {
            rotation: Quat::from_rotation_z(std::f32::consts::FRAC_PI_2),
            translation: Vec3::new(0.0, 0.0, 3.0),
            scale: Vec3::new(2.0, 1.0, 1.0),
        };
        let p = t.to_affine().transform_point3(Vec3::X);
        assert!((p - Vec3::new(0.0, 2.0, 3.0)).length() < 1e-6, "{p}");
    }
}
