use crate::math::four::{Axes, Vectors};
use glam::{Affine3A, Vec4};

/// The distances from the places of points under one matrix to those under another, for four points at a time.
pub struct PointMotion([[Vec4; 4]; 3]);

impl PointMotion {
    #[inline]
    pub fn between(raw: &Affine3A, model: &Affine3A) -> Self {
        let off = model.matrix3 - raw.matrix3;
        let moved = model.translation - raw.translation;
        let along = |a: f32, b: f32, c: f32, d: f32| [Vec4::splat(a), Vec4::splat(b), Vec4::splat(c), Vec4::splat(d)];
        Self([
            along(off.x_axis.x, off.y_axis.x, off.z_axis.x, moved.x),
            along(off.x_axis.y, off.y_axis.y, off.z_axis.y, moved.y),
            along(off.x_axis.z, off.y_axis.z, off.z_axis.z, moved.z),
        ])
    }

    /// The same for one lane of the differences of four matrices and of their translations.
    #[inline]
    pub fn lane((off, moved): (&Axes, &Vectors), lane: usize) -> Self {
        let one = |four: &Vec4| Vec4::splat(four.to_array()[lane]);
        let along = |c: usize| [one(&off[0][c]), one(&off[1][c]), one(&off[2][c]), one(&moved[c])];
        Self([along(0), along(1), along(2)])
    }

    #[inline]
    pub fn distances_sq(&self, points: &[Vec4; 3]) -> Vec4 {
        let distance = |[x, y, z, moved]: &[Vec4; 4]| *x * points[0] + *y * points[1] + *z * points[2] + *moved;
        let [x, y, z] = [distance(&self.0[0]), distance(&self.0[1]), distance(&self.0[2])];
        x * x + y * y + z * z
    }
}
