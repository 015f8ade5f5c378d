use crate::math::Transform;
use core::ops::Range;

/// The joints to write, and their positions in the output.
///
/// # Example
/// ```
/// # use posepress_runtime::{CodecId, Container, Opened, Transform};
/// use posepress_runtime::{Joints, PoseLayout};
///
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/press.posepress"));
/// # let container = Container::read(file)?;
/// # let rig = container.rig.as_ref().ok_or("the rig was stripped")?;
/// # let bind = rig.bind_pose()?;
/// # let entry = &container.clips[0];
/// # let clip = Opened::new(CodecId(entry.codec), &entry.bytes[..], &bind)?;
/// let mut cursor = clip.cursor()?;
/// let layout = PoseLayout::MATRICES;
/// let mut out = vec![7.0; layout.floats(clip.header().joints)];
/// let mask = [0b1]; // the root alone
/// clip.sample_into(&mut cursor, 0.0, &Joints::Mask(&mask), layout, &mut out);
/// assert!(out[..12].iter().all(|number| *number != 7.0));
/// assert!(out[12..].iter().all(|number| *number == 7.0)); // other joints keep their values
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub enum Joints<'a> {
    /// Every joint, at its index.
    All,
    /// A range of joints; its first joint goes to index 0.
    Range(Range<usize>),
    /// Joints with a set bit, at their index. Other indices keep their values. The bit of a joint is `joint % 64` of word `joint / 64`;
    /// joints beyond the last word are off.
    Mask(&'a [u64]),
}

/// The layout of poses in the caller's memory, as float32. Strides and offsets count floats.
///
/// Transforms are local: relative to the parent. Engines blend local poses before they compute model poses.
///
/// # Example
/// ```
/// use posepress_runtime::PoseLayout;
///
/// assert_eq!(PoseLayout::TRANSFORMS.floats(3), 30);
/// // A row of 16 floats per joint: rotation, translation, padding, scale, padding.
/// let padded = PoseLayout::Transforms { stride: 16, rotation: 0, translation: 4, scale: 8 };
/// assert_eq!(padded.floats(2), 16 + 8 + 3); // up to the last float that is written
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoseLayout {
    /// Joint by joint.
    Transforms {
        /// Floats from joint to joint.
        stride: usize,
        /// Offset of the rotation: x, y, z, w.
        rotation: usize,
        /// Offset of the translation: x, y, z, metres.
        translation: usize,
        /// Offset of the scale: x, y, z.
        scale: usize,
    },
    /// Blocks of eight joints: rotation x of all eight, then y, z, w, translation x, y, z, scale x, y, z. Lanes beyond the last joint keep
    /// their values.
    Soa8 {
        /// Floats from block to block.
        stride: usize,
    },
    /// Matrices with three rows and four columns, row by row. The fourth column is the translation.
    Matrices {
        /// Floats from matrix to matrix.
        stride: usize,
    },
}

const LANES: usize = 8;
/// Floats of a [`Transform`].
const NUMBERS: usize = 10;

impl PoseLayout {
    /// [`PoseLayout::Transforms`] without gaps: ten floats per joint.
    pub const TRANSFORMS: Self = Self::Transforms { stride: NUMBERS, rotation: 0, translation: 4, scale: 7 };
    /// [`PoseLayout::Soa8`] without gaps: eighty floats per block.
    pub const SOA8: Self = Self::Soa8 { stride: LANES * NUMBERS };
    /// [`PoseLayout::Matrices`] without gaps: twelve floats per joint.
    pub const MATRICES: Self = Self::Matrices { stride: 12 };

    /// Length of the output for that many joints: up to the last float that is written.
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

    /// Writes a joint at an index; the output must be long enough.
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

/// The floats of a transform: rotation x, y, z, w, translation, scale.
#[inline(always)]
fn numbers(local: &Transform) -> [f32; NUMBERS] {
    let ([x, y, z, w], t, s) = (local.rotation.to_array(), local.translation, local.scale);
    [x, y, z, w, t.x, t.y, t.z, s.x, s.y, s.z]
}
