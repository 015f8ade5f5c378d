//! Tracks as integers on lattices: step sizes, and the coding of widths.

use crate::format::{BitReader, DecodeError};
use crate::math::{exp2i, step_of_code};
use crate::parts::formats::rotation_format::RotationFormat;

/// Step code of tracks whose samples are float32.
pub const LATTICE_EXACT: u8 = 0;
/// Format of a track's reference: the rotation that its samples are relative to.
pub const LATTICE_REFERENCE: RotationFormat = RotationFormat::Largest32;

/// Halvings of the steps of rotations: modified Rodrigues parameters are about a quarter of the angle.
pub const QUARTER: i32 = 2;

/// Step size of a code, as float32. For rotations it is a [`QUARTER`] of the code's step in radians.
pub fn lattice_step(code: u8, is_rotation: bool) -> f32 {
    let step = step_of_code(code) as f32;
    if is_rotation { step * exp2i(-QUARTER) } else { step }
}

/// Reads the next width, 0 to `widest`, as a count of ones before a zero. An even count is twice the increase; an odd count is
/// twice the decrease minus one.
///
/// # Errors
/// See [`DecodeError`].
pub fn read_width(input: &mut BitReader<'_>, before: u32, widest: u32) -> Result<u32, DecodeError> {
    let at = input.bit_position() / 8;
    let mut ones = 0u32;
    while input.read("width of integers", 1)? == 1 {
        ones += 1;
        if ones > 2 * widest {
            break;
        }
    }
    let width = before as i32 + unzigzag32(ones);
    u32::try_from(width)
        .ok()
        .filter(|width| *width <= widest)
        .ok_or_else(|| DecodeError::invalid("width of integers", at, width, format_args!("0 to {widest}")))
}

/// The count of ones that stores a width after another; a zero follows them.
pub fn width_difference(before: u32, width: u32) -> u32 {
    zigzag32(width as i32 - before as i32)
}

/// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
pub fn zigzag32(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// The inverse of [`zigzag32`].
pub fn unzigzag32(code: u32) -> i32 {
    (code >> 1) as i32 ^ -((code & 1) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::BitWriter;

    #[test]
    fn widths_are_differences_in_unary_and_stay_in_range() {
        let read = |bytes: &[u8], before| read_width(&mut BitReader::new(bytes), before, 15);
        assert_eq!(read(&[0b0], 5), Ok(5));
        assert_eq!(read(&[0b01], 5), Ok(4));
        assert_eq!(read(&[0b011], 5), Ok(6));
        assert!(read(&[0b01], 0).is_err() && read(&[0b011], 15).is_err());
        assert!(read(&[0xff; 20], 0).is_err() && read(&[0xff], 0).is_err());
        for (before, width) in [(0, 15), (15, 0), (7, 7)] {
            let mut out = BitWriter::new();
            out.push_unary(width_difference(before, width));
            assert_eq!(read(&out.finish(), before), Ok(width));
        }
    }
}
