use super::vector_format::is_usable;
use crate::format::{BitReader, BitWriter, DecodeError, bits_at};
use crate::math::{ceil, floor, sqrt};
use alloc::format;
use glam::{Quat, Vec3, Vec3A, Vec4Swizzles};

/// How many bits each of a sample's three numbers takes within one segment: a code of 4 bits on disk, or float32.
///
/// The rates are those of the article: 0, 3 to 16, and the highest, which a clip sets to 23 or 19.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u8);

impl Rate {
    /// Bits of a rate's code.
    pub const CODE_BITS: u32 = 4;
    /// One value for the whole segment.
    pub const CONSTANT: Self = Self(0);
    /// The last that a code names.
    pub const HIGHEST: Self = Self(15);
    /// Float32 samples, for a track whose segment the highest rate is too coarse for; it has no code but a flag.
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

    /// Bits a number, with the clip's highest rate.
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

/// Values as fractions of a box: range reduction. Like [`crate::math::Range3`], in the form that decodes fastest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Smallest value of each number.
    pub min: Vec3A,
    /// Largest minus smallest.
    pub extent: Vec3A,
}

impl Span {
    /// `0..=1`: fractions are the values.
    pub const UNIT: Self = Self { min: Vec3A::ZERO, extent: Vec3A::ONE };
    /// `-1..=1`, where the numbers of a rotation lie.
    pub const ROTATION: Self = Self { min: Vec3A::NEG_ONE, extent: Vec3A::splat(2.0) };
    /// Bits of a segment's span: 8 for each minimum and extent, in fractions of the clip's span.
    pub const SEGMENT_BITS: u32 = 48;
    const SEGMENT_STEPS: f32 = 255.0;
    /// What one step of a segment's span is, in fractions of the clip's.
    pub const SEGMENT_STEP: f32 = 1.0 / Self::SEGMENT_STEPS;

    /// The value at a fraction.
    #[inline]
    pub fn value(&self, fraction: Vec3A) -> Vec3A {
        self.min + self.extent * fraction
    }

    /// Where a value lies; zero along a number without extent.
    pub fn fraction(&self, value: Vec3A) -> Vec3A {
        let inverse = self.extent.recip();
        let inverse = Vec3A::select(inverse.cmple(Vec3A::splat(f32::MAX)), inverse, Vec3A::ZERO);
        ((value - self.min) * inverse).clamp(Vec3A::ZERO, Vec3A::ONE)
    }

    /// The bits of the smallest segment span around fractions of the clip's span.
    pub fn segment_code(min: Vec3A, max: Vec3A) -> u64 {
        let steps = |x: f32| x.clamp(0.0, 1.0) * Self::SEGMENT_STEPS;
        let low = min.to_array().map(|x| floor(steps(x)) as u64);
        let high = max.to_array().map(|x| ceil(steps(x)) as u64);
        (0..3).fold(0, |code, i| code | low[i] << (8 * i) | (high[i] - low[i]) << (24 + 8 * i))
    }

    /// The segment span that [`Span::segment_code`] gave the bits of, in fractions of the clip's span.
    #[inline]
    pub fn from_segment_code(code: u64) -> Self {
        let three = |shift: u32| {
            let byte = |i: u32| (code >> (shift + 8 * i) & 0xff) as u8 as f32;
            Vec3A::new(byte(0), byte(1), byte(2)) * Self::SEGMENT_STEP
        };
        Self { min: three(0), extent: three(24) }
    }
}

/// Most bits that one of a sample's numbers takes.
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

/// `1 / (2^bits - 1)`; zero for a number of bits that no rate has.
#[inline]
pub fn steps(bits: u32) -> f32 {
    STEPS[bits as usize & 31]
}

/// Three numbers in `0..=1` as integers of `bits` (1 to 23) each.
pub fn quantize3(fraction: Vec3A, bits: u32) -> [u32; 3] {
    fraction.to_array().map(|x| crate::math::unorm_encode(x, bits))
}

/// The numbers that [`quantize3`] meant.
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
    // 57 bits, what one read gives, hold three of 19.
    let low = bits_at(bytes, at, 57);
    let third = if bits <= 19 { low >> (2 * bits) } else { bits_at(bytes, at + 2 * bits as usize, bits) };
    [low as u32 & mask, (low >> bits) as u32 & mask, third as u32 & mask]
}

/// A rotation from the three numbers beside the dropped one: [`crate::math::restore_largest`] without leaving the vector
/// registers.
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

/// Minimum as float32 and extent rounded up to the upper half of a float32: an extent up to 1 % too large costs less
/// than its exact digits.
pub const VECTOR_SPAN_BITS: u32 = 3 * 48;
/// Minimum and extent in 16 bits of `-1..=1` and `0..=2`.
pub const ROTATION_SPAN_BITS: u32 = 6 * 16;
const ROTATION_STEPS: f32 = 65_535.0 / 2.0;

/// Codes of the smallest stored span around values of unit quaternions: three minima, three extents.
pub fn rotation_span_codes(min: Vec3A, max: Vec3A) -> [u16; 6] {
    let low = min.to_array().map(|x| floor((x + 1.0).clamp(0.0, 2.0) * ROTATION_STEPS) as u16);
    let high = max.to_array().map(|x| ceil((x + 1.0).clamp(0.0, 2.0) * ROTATION_STEPS) as u16);
    core::array::from_fn(|i| if i < 3 { low[i] } else { high[i - 3] - low[i - 3] })
}

/// The span that [`rotation_span_codes`] gave the codes of.
pub fn rotation_span(codes: [u16; 6]) -> Span {
    let steps = codes.map(|c| f32::from(c) / ROTATION_STEPS);
    Span { min: Vec3A::new(steps[0], steps[1], steps[2]) - 1.0, extent: Vec3A::new(steps[3], steps[4], steps[5]) }
}

/// Upper halves of three float32 that are at least `extent` (zero or more, finite).
pub fn vector_extent_codes(extent: Vec3) -> [u16; 3] {
    extent.to_array().map(|x| (x.to_bits().div_ceil(1 << 16)) as u16)
}

/// The extent that [`vector_extent_codes`] gave the codes of.
pub fn vector_extent(codes: [u16; 3]) -> Vec3 {
    Vec3::from_array(codes.map(|c| f32::from_bits(u32::from(c) << 16)))
}

/// Appends the codes of a rotation's span.
pub fn write_rotation_span(codes: [u16; 6], out: &mut BitWriter) {
    codes.into_iter().for_each(|c| out.push(u64::from(c), 16));
}

/// Reads what [`write_rotation_span`] wrote.
///
/// # Errors
/// [`DecodeError::Truncated`].
pub fn read_rotation_span(input: &mut BitReader<'_>) -> Result<Span, DecodeError> {
    let mut codes = [0; 6];
    for code in &mut codes {
        *code = input.read("span of a rotation", 16)? as u16;
    }
    Ok(rotation_span(codes))
}

/// Appends a vector's span: its minimum, and the codes of [`vector_extent_codes`].
pub fn write_vector_span(min: Vec3, extent: [u16; 3], out: &mut BitWriter) {
    min.to_array().into_iter().for_each(|x| out.push_f32(x));
    extent.into_iter().for_each(|c| out.push(u64::from(c), 16));
}

/// Reads what [`write_vector_span`] wrote.
///
/// # Errors
/// [`DecodeError`] when it is cut short, not finite, negative or too large to be used.
pub fn read_vector_span(input: &mut BitReader<'_>) -> Result<Span, DecodeError> {
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
        Ok(Span { min: min.into(), extent: extent.into() })
    } else {
        Err(DecodeError::invalid("span of a vector", at, format!("{min} and {extent}"), "usable numbers"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(low: f32, high: f32) -> impl Strategy<Value = Vec3A> {
        prop::array::uniform3(low..=high).prop_map(Vec3A::from_array)
    }

    proptest! {
        #[test]
        fn codes_read_back_at_any_bit(v in numbers(0.0, 1.0), bits in 3u32..=23, before in 0u32..8) {
            let codes = quantize3(v, bits);
            let mut out = BitWriter::new();
            out.push(0, before);
            codes.iter().for_each(|c| out.push(u64::from(*c), bits));
            let bytes = out.finish();
            prop_assert_eq!(codes3_at(&bytes, before as usize, bits), codes);
            let half_step = 0.5 * steps(bits) + 2.0 * f32::EPSILON;
            prop_assert!((dequantize3(codes, bits) - v).abs().cmple(Vec3A::splat(half_step)).all());
        }

        #[test]
        fn stored_spans_hold_their_values(a in numbers(-1.0, 1.0), b in numbers(-1.0, 1.0), scale in 1e-6f32..1e6) {
            let (min, max) = (a.min(b), a.max(b));
            let near = |span: Span, slack: f32| {
                let slack = Vec3A::splat(slack);
                span.min.cmple(min + slack).all() && span.value(Vec3A::ONE).cmpge(max - slack).all()
            };
            prop_assert!(near(rotation_span(rotation_span_codes(min, max)), 1e-6));
            let (low, high) = ((min + 1.0) * 0.5, (max + 1.0) * 0.5);
            let segment = Span::from_segment_code(Span::segment_code(low, high));
            prop_assert!(segment.min.cmple(low + 1e-6).all() && segment.value(Vec3A::ONE).cmpge(high - 1e-6).all());
            let extent = Vec3::from((max - min) * scale);
            let stored = vector_extent(vector_extent_codes(extent));
            prop_assert!(stored.cmpge(extent).all() && stored.cmple(extent * 1.008 + Vec3::splat(1e-37)).all());
        }
    }

    #[test]
    fn any_component_can_be_dropped_and_is_restored() {
        let q = Quat::from_xyzw(0.5, 0.7, 0.1, 0.5).normalize();
        for dropped in 0..4 {
            let rest = crate::math::drop_component(q, dropped);
            let back = rotation3(dropped as u8, rest.into());
            let expected = Quat::from_array(crate::math::restore_largest(dropped as f32, rest.to_array()));
            assert!((back - expected).length() < 1e-6 && back.dot(q) > 1.0 - 1e-6);
        }
        let too_long = rotation3(3, Vec3A::splat(2.0));
        assert!((too_long.length() - 1.0).abs() < 1e-6 && too_long.w == 0.0);
    }

    #[test]
    fn the_whole_clip_as_a_segment_changes_no_value() {
        assert_eq!(Span::from_segment_code(Span::segment_code(Vec3A::ZERO, Vec3A::ONE)), Span::UNIT);
    }

    #[test]
    fn the_rates_are_those_of_the_article() {
        let bits = |highest| (0..16).map(|c| Rate::from_code(c).bits(highest)).collect::<Vec<_>>();
        assert_eq!(bits(23), [0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 23]);
        assert_eq!(bits(19)[15], 19);
        assert_eq!((Rate::EXACT.lower(), Rate::CONSTANT.lower()), (Some(Rate::HIGHEST), None));
    }
}
