//! Lattices of rotations and vectors: what their steps are, and what rotations are relative to.

use super::RotationFormat;
use crate::math::{exp2i, step_of_code};

/// Step code of tracks whose samples are float32.
pub const LATTICE_EXACT: u8 = 0;
/// How the rotation that a track's samples are relative to is stored.
pub const LATTICE_REFERENCE: RotationFormat = RotationFormat::Largest32;

/// Size of the steps of a code, as float32: those of rotations are halves of the tangent of a quarter of the angle.
pub fn lattice_step(code: u8, is_rotation: bool) -> f32 {
    let step = step_of_code(code) as f32;
    if is_rotation { step * exp2i(-2) } else { step }
}
