use crate::math::Transform;
use core::ops::Range;

/// Which joints of a pose are wanted, and where they go.
#[derive(Debug, Clone)]
pub enum Joints<'a> {
    /// Every joint, each at its place.
    All,
    /// Joints that follow each other, the first at the first place.
    Range(Range<usize>),
    /// Joints whose bit is set, each at its place; the places of others stay as they are. The bit of a joint is
    /// `joint % 64` of word `joint / 64`; joints behind the last word are not wanted.
    Mask(&'a [u64]),
}

/// How poses lie in memory of the caller's, as float32; strides and places count floats.
///
/// Transforms are local: relative to the parent. Poses are blended before they are put together along the rig, so that is what
/// engines take from a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoseLayout {
    /// Joint after joint.
    Transforms {
        /// From joint to joint.
        stride: usize,
        /// Where a joint's rotation is: x, y, z, w.
        rotation: usize,
        /// Where its translation is: x, y, z in metres.
        translation: usize,
        /// Where its scale is: x, y, z.
        scale: usize,
    },
    /// Blocks of eight joints: rotation x of all eight, then y, z, w, translation x, y, z, scale x, y, z. Lanes behind the last
    /// joint stay as they are.
    Soa8 {
        /// From block to block.
        stride: usize,
    },
    /// Matrices of three rows and four columns, row by row: the fourth column is the translation.
    Matrices {
        /// From matrix to matrix.
        stride: usize,
    },
}

const LANES: usize = 8;
/// Numbers of a [`Transform`].
const NUMBERS: usize = 10;

impl PoseLayout {
    /// [`PoseLayout::Transforms`] without gaps: ten floats a joint.
    pub const TRANSFORMS: Self = Self::Transforms { stride: NUMBERS, rotation: 0, translation: 4, scale: 7 };
    /// [`PoseLayout::Soa8`] without gaps: eighty floats a block.
    pub const SOA8: Self = Self::Soa8 { stride: LANES * NUMBERS };
    /// [`PoseLayout::Matrices`] without gaps: twelve floats a joint.
    pub const MATRICES: Self = Self::Matrices { stride: 12 };

    /// Floats that so many joints need room for: up to the last one that is set.
    pub fn floats(self, joints: usize) -> usize {
        let (items, stride, size) = match self {
            Self::Transforms { stride, rotation, translation, scale } => {
                let ends = [rotation.saturating_add(4), translation.saturating_add(3), scale.saturating_add(3)];
                (joints, stride, ends.into_iter().max().unwrap_or(0))
            }
            Self::Soa8 { stride } => (joints.div_ceil(LANES), stride, LANES * NUMBERS),
            Self::Matrices { stride } => (joints, stride, 12),
        };
        items.checked_sub(1).map_or(0, |last| last.saturating_mul(stride).saturating_add(size))
    }

    /// Puts a joint at a place; there is room for it.
    #[inline(always)]
    pub(crate) fn put(self, place: usize, local: &Transform, out: &mut [f32]) {
        match self {
            Self::Transforms { stride, rotation, translation, scale } => {
                let out = &mut out[place * stride..];
                out[rotation..][..4].copy_from_slice(&local.rotation.to_array());
                out[translation..][..3].copy_from_slice(&local.translation.to_array());
                out[scale..][..3].copy_from_slice(&local.scale.to_array());
            }
            Self::Soa8 { stride } => {
                let rows = out[place / LANES * stride..].iter_mut().skip(place % LANES).step_by(LANES);
                rows.zip(numbers(local)).for_each(|(out, number)| *out = number);
            }
            Self::Matrices { stride } => {
                let rows = local.to_affine().matrix3.transpose();
                let moved = local.translation.to_array();
                let out = out[place * stride..][..12].chunks_exact_mut(4);
                for ((out, row), moved) in out.zip([rows.x_axis, rows.y_axis, rows.z_axis]).zip(moved) {
                    out.copy_from_slice(&[row.x, row.y, row.z, moved]);
                }
            }
        }
    }
}

/// Rotation x, y, z, w, translation and scale.
#[inline(always)]
fn numbers(local: &Transform) -> [f32; NUMBERS] {
    let ([x, y, z, w], t, s) = (local.rotation.to_array(), local.translation, local.scale);
    [x, y, z, w, t.x, t.y, t.z, s.x, s.y, s.z]
}
