//! Bit planes of a payload that are stored in a tier, and their joining.
//!
//! A payload can be written again with finer or coarser steps.
//!
//! Without the lowest `n` bit planes of a track, each integer is divided by `2^n` and rounded to the nearest, and the steps are `2^n`
//! times as large. The result is an ordinary payload.
//!
//! A tier stores these planes. On disk, in bits:
//! - the [`Layout::length`] of the joined payload;
//! - per track on a lattice, the number `n` of its planes in the tier (4 bits);
//! - per sample, and per track with planes: `(integer + 2^n / 2) mod 2^n` of its three integers, `n` bits each;
//! - zero bits up to a whole byte.

use super::contents::Contents;
use super::layout::Layout;
use crate::format::{BitReader, DecodeError};
use crate::math::Transform;
use crate::memory::{TryPush, with_room};
use alloc::vec::Vec;

/// Difference of the codes of a step and of twice that step: one bit plane.
pub const CODES_A_PLANE: u8 = 8;
/// Bits of the number of a track's planes in a tier.
pub const PLANES_BITS: u32 = 4;

/// Half of the unit of the remaining planes. It is added before planes are cut off, so that integers are rounded to the nearest.
pub fn half(planes: u32) -> i32 {
    (1 << planes) >> 1
}

impl Contents {
    /// Joins the planes of a tier, and returns the payload. `bind` has the bind pose of each joint.
    ///
    /// # Errors
    /// See [`DecodeError`]. Any tier is safe to pass.
    pub fn join(mut self, bind: &[Transform], tier: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let mut input = BitReader::new(tier);
        self.head.layout.length = input.read("length of segments", Layout::LENGTH_BITS)? as u32;
        let mut planes = with_room(self.head.tracks.len())?;
        for track in &mut self.head.tracks {
            let at = input.bit_position() / 8;
            let count = input.read("planes of a track", PLANES_BITS)? as u8;
            for code in &mut track.codes {
                let finer = code.checked_sub(count * CODES_A_PLANE);
                let expected = "no more than the steps allow";
                *code = finer.ok_or_else(|| DecodeError::invalid("planes of a track", at, count, expected))?;
            }
            planes.try_push(u32::from(count))?;
        }
        for sample in 0..self.samples {
            for (values, planes) in self.values.iter_mut().zip(&planes).filter(|(_, planes)| **planes > 0) {
                for values in values {
                    let low = input.read("bits of a plane", *planes)? as i32;
                    let value = &mut values[sample];
                    *value = value.wrapping_shl(*planes).wrapping_add(low).wrapping_sub(half(*planes));
                }
            }
        }
        input.finish("tier")?;
        if !self.is_of_a_clip() {
            return Err(DecodeError::invalid("bits of a plane", 0, "out of range", "integers of a clip"));
        }
        let components = self.components()?;
        self.written(&components, bind, |_, _| Ok(()))
    }
}
