use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::sqrt;
use crate::parts::formats::vector_format::is_usable;
use glam::{Quat, Vec3, Vec3A, Vec4Swizzles};

/// Bits per number of a sample within one segment: a code of 4 bits on disk, or float32.
///
/// The rates are those of the article: 0, 3 to 16, and the highest, which a clip sets to 23 or 19.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u8);

impl Rate {
    /// Bits of a rate's code.
    pub const CODE_BITS: u32 = 4;
    /// A constant: one value for the whole segment.
    pub const CONSTANT: Self = Self(0);
    /// The highest rate with a code.
    pub const HIGHEST: Self = Self(15);
    /// Float32 samples, for segments where the highest rate is too coarse. It has a flag instead of a code.
    pub const EXACT: Self = Self(16);

    /// The rate of a code; only its lowest 4 bits count.
    pub fn from_code(code: u64) -> Self {
        Self(code as u8 & 15)
    }

    /// Code on disk; [`Rate::EXACT`] has none and gives 0.
    pub fn code(self) -> u64 {
        u64::from(self.0 & 15)
    }

    /// The next lower rate.
    pub fn lower(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }

    /// Bits per number, with the clip's highest rate.
    #[inline]
    pub fn bits(self, highest_bits: u32) -> u32 {
        match self {
            Self::CONSTANT => 0,
            Self::HIGHEST => highest_bits,
            Self::EXACT => 32,
            Self(code) => u32::from(code) + 2,
        }
    }
}

/// The box of a track's values, which are stored as fractions of it (range reduction). Like [`crate::math::Range3`], in the form that
/// decodes fastest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueSpan {
    /// Smallest value of each number.
    pub min: Vec3A,
    /// Largest minus smallest.
    pub extent: Vec3A,
}

impl ValueSpan {
    /// `0..=1`: fractions are the values.
    pub const UNIT: Self = Self { min: Vec3A::ZERO, extent: Vec3A::ONE };
    /// `-1..=1`, the range of a rotation's numbers.
    pub const ROTATION: Self = Self { min: Vec3A::NEG_ONE, extent: Vec3A::splat(2.0) };
    /// Bits of a segment's span: 8 for each minimum and extent, in fractions of the clip's span.
    pub const SEGMENT_BITS: u32 = 48;
    /// Steps of a segment's span.
    pub const SEGMENT_STEPS: f32 = 255.0;
    /// Size of a segment's step, in fractions of the clip's span.
    pub const SEGMENT_STEP: f32 = 1.0 / Self::SEGMENT_STEPS;

    /// The value at a fraction.
    #[inline]
    pub fn value(&self, fraction: Vec3A) -> Vec3A {
        self.min + self.extent * fraction
    }

    /// The segment span of [`ValueSpan::SEGMENT_BITS`] bits, in fractions of the clip's span: three bytes of the minimum, three of
    /// the extent.
    #[inline]
    pub fn from_segment_code(code: u64) -> Self {
        let three = |shift: u32| {
            let byte = |i: u32| (code >> (shift + 8 * i) & 0xff) as u8 as f32;
            Vec3A::new(byte(0), byte(1), byte(2)) * Self::SEGMENT_STEP
        };
        Self { min: three(0), extent: three(24) }
    }
}

/// Most bits per number.
const MAX_BITS: usize = 23;

/// `1 / (2^bits - 1)`.
const STEPS: [f32; 32] = {
    let mut steps = [0.0; 32];
    let mut bits = 1;
    while bits <= MAX_BITS {
        steps[bits] = 1.0 / ((1u32 << bits) - 1) as f32;
        bits += 1;
    }
    steps
};

/// `1 / (2^bits - 1)`; zero for widths above 23.
#[inline]
pub fn steps(bits: u32) -> f32 {
    STEPS[bits as usize & 31]
}

/// Decodes integers of `bits` (1 to 23) each to `0..=1`.
#[inline]
pub fn dequantize3(codes: [u32; 3], bits: u32) -> Vec3A {
    // As signed integers, which processors convert in one instruction; 23 bits have no sign.
    let [x, y, z] = codes.map(|c| c as i32 as f32);
    Vec3A::new(x, y, z) * steps(bits)
}

/// Reads three integers of `bits` (at most 23) each at bit `at`.
#[inline]
pub fn codes3_at(bytes: &[u8], at: usize, bits: u32) -> [u32; 3] {
    let mask = (1u32 << bits) - 1;
    // One read gives 57 bits, which hold three numbers of 19 bits.
    let low = bits_at(bytes, at, 57);
    let third = if bits <= 19 { low >> (2 * bits) } else { bits_at(bytes, at + 2 * bits as usize, bits) };
    [low as u32 & mask, (low >> bits) as u32 & mask, third as u32 & mask]
}

/// A rotation from three of its numbers and the index of the dropped one. Like [`crate::math::restore_largest`], in vector registers.
#[inline]
pub fn rotation3(dropped: u8, rest: Vec3A) -> Quat {
    let square = rest.length_squared();
    let v = if square <= 1.0 { rest.extend(sqrt(1.0 - square)) } else { (rest * sqrt(square).recip()).extend(0.0) };
    Quat::from_vec4(match dropped & 3 {
        0 => v.wxyz(),
        1 => v.xwyz(),
        2 => v.xywz(),
        _ => v,
    })
}

/// Bits of a vector's span: minima as float32, and extents as the upper half of a float32, rounded up. An extent that is up to 1 % too
/// large costs less than its exact digits.
pub const VECTOR_SPAN_BITS: u32 = 3 * 48;
/// Bits of a rotation's span: minima of `-1..=1` and extents of `0..=2`, 16 bits each.
pub const ROTATION_SPAN_BITS: u32 = 6 * 16;
/// Steps of a rotation's span per unit.
pub const ROTATION_STEPS: f32 = 65_535.0 / 2.0;

/// Decodes the span of a rotation: three minima, three extents.
pub fn rotation_span(codes: [u16; 6]) -> ValueSpan {
    let steps = codes.map(|c| f32::from(c) / ROTATION_STEPS);
    ValueSpan { min: Vec3A::new(steps[0], steps[1], steps[2]) - 1.0, extent: Vec3A::new(steps[3], steps[4], steps[5]) }
}

/// Decodes an extent from the upper halves of its float32 numbers; the lower halves are zero.
pub fn vector_extent(codes: [u16; 3]) -> Vec3 {
    Vec3::from_array(codes.map(|c| f32::from_bits(u32::from(c) << 16)))
}

/// Reads a rotation's span, of [`ROTATION_SPAN_BITS`].
///
/// # Errors
/// [`DecodeError::Truncated`].
pub fn read_rotation_span(input: &mut BitReader<'_>) -> Result<ValueSpan, DecodeError> {
    let mut codes = [0; 6];
    for code in &mut codes {
        *code = input.read("span of a rotation", 16)? as u16;
    }
    Ok(rotation_span(codes))
}

/// Reads a vector's span, of [`VECTOR_SPAN_BITS`].
///
/// # Errors
/// [`DecodeError`] if it is cut short, not finite, negative or too large.
pub fn read_vector_span(input: &mut BitReader<'_>) -> Result<ValueSpan, DecodeError> {
    let at = input.bit_position() / 8;
    let mut min = [0.0; 3];
    for x in &mut min {
        *x = input.f32("span of a vector")?;
    }
    let mut codes = [0; 3];
    for code in &mut codes {
        *code = input.read("span of a vector", 16)? as u16;
    }
    let (min, extent) = (Vec3::from_array(min), vector_extent(codes));
    if is_usable(min) && is_usable(extent * 0.5) && extent.cmpge(Vec3::ZERO).all() {
        Ok(ValueSpan { min: min.into(), extent: extent.into() })
    } else {
        Err(DecodeError::invalid("span of a vector", at, format_args!("{min} and {extent}"), "usable numbers"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_are_read_at_any_bit(word in any::<u128>(), bits in 3u32..=23, before in 0usize..8) {
            let code = |i: u32| (word >> (before + (i * bits) as usize)) as u32 & ((1 << bits) - 1);
            prop_assert_eq!(codes3_at(&word.to_le_bytes(), before, bits), [code(0), code(1), code(2)]);
        }
    }

    #[test]
    fn the_rates_are_those_of_the_article() {
        let bits = |highest| (0..16).map(|c| Rate::from_code(c).bits(highest)).collect::<Vec<_>>();
        assert_eq!(bits(23), [0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 23]);
        assert_eq!(bits(19)[15], 19);
        assert_eq!((Rate::EXACT.lower(), Rate::CONSTANT.lower()), (Some(Rate::HIGHEST), None));
    }
}
