//! Decoding of float tracks that are stored as whole steps.

use crate::format::{ByteReader, DecodeError};

/// Whole steps of a float track: a code stands for `(least + code) / a_unit`.
///
/// Steps are counted from zero, so zero is exact. One is exact too if a unit is a whole number of steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FloatSteps {
    /// Steps per unit of the track. The lower half of its bits is zero.
    pub a_unit: f32,
    /// The least value, in steps.
    pub least: i32,
    /// Bits of a code.
    pub width: u8,
}

impl FloatSteps {
    /// Largest width: up to here, every step is a distinct float32.
    pub const MAX_WIDTH: u8 = 24;
    /// Bits of the first byte that hold the width; the bits above are the number of bytes of the least value.
    pub const WIDTH_BITS: u32 = 5;

    /// The value of a code.
    #[inline]
    pub fn value(&self, code: u64) -> f32 {
        (i64::from(self.least) + code as i64) as f32 / self.a_unit
    }

    /// Number of bytes of the least value.
    pub fn least_bytes(&self) -> usize {
        let bits = i32::BITS - (self.least ^ (self.least >> 31)).leading_zeros() + 1;
        if self.least == 0 { 0 } else { bits.div_ceil(8) as usize }
    }

    /// Reads the head before the codes.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let at = input.position();
        let first = input.u8("width of a float track")?;
        let (width, least_bytes) = (first & ((1 << Self::WIDTH_BITS) - 1), usize::from(first >> Self::WIDTH_BITS));
        if !(1..=Self::MAX_WIDTH).contains(&width) || least_bytes > size_of::<i32>() {
            let expected = format_args!("1 to {} bits, and no more than 4 bytes", Self::MAX_WIDTH);
            return Err(DecodeError::invalid("width of a float track", at, first, expected));
        }
        let a_unit = f32::from_bits(u32::from(input.u16("steps of a float track")?) << 16);
        let mut least = [0; size_of::<i32>()];
        least[size_of::<i32>() - least_bytes..].copy_from_slice(input.bytes("least value", least_bytes)?);
        let unused_bits = 8 * (size_of::<i32>() - least_bytes) as u32;
        let least = i32::from_le_bytes(least).checked_shr(unused_bits).unwrap_or(0);
        let steps = Self { a_unit, least, width };
        let ends = [0, (1 << width) - 1].map(|code| steps.value(code));
        if !(a_unit.is_normal() && a_unit > 0.0 && ends.iter().all(|end| end.is_finite())) {
            return Err(DecodeError::invalid("steps of a float track", at + 1, a_unit, "steps that give numbers"));
        }
        Ok(steps)
    }
}
