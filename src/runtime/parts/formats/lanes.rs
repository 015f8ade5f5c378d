use super::bit_window::BitWindow;
use crate::format::bits_at;
use crate::math::{LANES, Range3, Real, each_lane};
use glam::{Mat4, Quat, Vec3, Vec4};

/// The bits of one key, or of four consecutive keys. Formats decode both with the same code.
pub trait KeyBits {
    /// One number per key.
    type Real: Real;
    /// The `count` bits (at most 57) from `offset` on, of a key of `key_bits`.
    fn bits(&self, key_bits: usize, offset: usize, count: u32) -> <Self::Real as Real>::Words;
    /// The values at fractions of the keys' ranges.
    fn in_range(&self, fraction: [Self::Real; 3]) -> [Self::Real; 3];
}

/// The key at bit `at`.
pub struct OneKey<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    pub range: &'a Range3,
}

impl KeyBits for OneKey<'_> {
    type Real = f32;

    #[inline(always)]
    fn bits(&self, _: usize, offset: usize, count: u32) -> u64 {
        bits_at(self.bytes, self.at + offset, count)
    }

    #[inline(always)]
    fn in_range(&self, fraction: [f32; 3]) -> [f32; 3] {
        self.range.value(Vec3::from_array(fraction)).to_array()
    }
}

/// Four consecutive keys from the start of the window.
pub struct FourKeys<'a> {
    pub window: BitWindow<'a>,
    pub ranges: &'a RangeLanes,
}

impl KeyBits for FourKeys<'_> {
    type Real = Vec4;

    #[inline(always)]
    fn bits(&self, key_bits: usize, offset: usize, count: u32) -> [u64; LANES] {
        each_lane([0, 1, 2, 3], |lane| self.window.bits(lane * key_bits + offset, count))
    }

    #[inline(always)]
    fn in_range(&self, fraction: [Vec4; 3]) -> [Vec4; 3] {
        self.ranges.value(fraction)
    }
}

/// The ranges of four tracks, as separate x, y and z.
#[derive(Debug, Clone, Copy)]
pub struct RangeLanes {
    min: [Vec4; 3],
    extent: [Vec4; 3],
}

impl RangeLanes {
    /// Four times [`Range3::UNIT`].
    pub const UNIT: Self = Self { min: [Vec4::ZERO; 3], extent: [Vec4::ONE; 3] };

    /// Transposes the ranges of four tracks.
    pub fn new(ranges: [Range3; LANES]) -> Self {
        Self { min: lanes(ranges.map(|r| r.min)), extent: lanes(ranges.map(|r| r.extent)) }
    }

    /// The values at fractions, equal to [`Range3::value`].
    #[inline(always)]
    pub fn value(&self, fraction: [Vec4; 3]) -> [Vec4; 3] {
        let value = |i: usize| self.min[i] + self.extent[i] * fraction[i];
        [value(0), value(1), value(2)]
    }

    /// Multiplies by the extents of the ranges.
    #[inline(always)]
    pub fn extents(&self, x: [Vec4; 3]) -> [Vec4; 3] {
        [self.extent[0] * x[0], self.extent[1] * x[1], self.extent[2] * x[2]]
    }
}

/// x, y and z of four vectors.
pub fn lanes(v: [Vec3; LANES]) -> [Vec4; 3] {
    [v.map(|v| v.x), v.map(|v| v.y), v.map(|v| v.z)].map(Vec4::from_array)
}

/// Four rotations from their x, y, z and w.
#[inline(always)]
pub fn rotations([x, y, z, w]: [Vec4; 4]) -> [Quat; LANES] {
    let q = Mat4::from_cols(x, y, z, w).transpose();
    [q.x_axis, q.y_axis, q.z_axis, q.w_axis].map(Quat::from_vec4)
}

/// Four vectors from their x, y and z.
#[inline(always)]
pub fn vectors([x, y, z]: [Vec4; 3]) -> [Vec3; LANES] {
    let v = Mat4::from_cols(x, y, z, Vec4::ZERO).transpose();
    [v.x_axis, v.y_axis, v.z_axis, v.w_axis].map(Vec4::truncate)
}
