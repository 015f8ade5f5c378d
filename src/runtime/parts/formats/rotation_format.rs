use super::bit_window::BitWindow;
use super::lanes::{FourKeys, KeyBits, OneKey, RangeLanes};
use super::vector_format::floats3_at;
use crate::math::{
    LARGEST_DROPPED_LIMIT, Number, Range3, Real, harmonic_unmap, mini_float_decode, restore_largest, restore_w,
    snorm_decode, unorm_decode,
};
use crate::parts::Tail;
use glam::{Quat, Vec4};

/// Storage format of one rotation. The discriminant is its code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum RotationFormat {
    /// Always the identity, 0 bits (Unreal).
    Identity = 0,
    /// Four float32 (Unreal's None).
    Full = 1,
    /// Three float32, w dropped (Unreal).
    Float96 = 2,
    /// 16 + 16 + 16 bits, w dropped (Unreal).
    Fixed48 = 3,
    /// 2 + 15 + 15 + 15 bits and one unused, the largest dropped (Riot).
    Largest48 = 4,
    /// 2 + 10 + 10 + 10 bits, the largest dropped (Riot's further direction).
    Largest32 = 5,
    /// 16 + 16 + 16 bits of the harmonic mean map (Animation Tech Intro 2).
    Harmonic48 = 6,
    /// 11 + 11 + 10 bits over the track's range, w dropped (Unreal).
    IntervalFixed32 = 7,
    /// 11 + 11 + 10 bits, w dropped (Unreal).
    Fixed32 = 8,
    /// Floats of 11 + 11 + 10 bits with 3-bit exponents, w dropped (Unreal).
    Float32 = 9,
    /// 2 + 20 + 20 + 20 bits, the largest dropped: for joints with distant virtual vertices, where 48 bits are too few.
    Largest62 = 10,
}

impl RotationFormat {
    /// All formats, ordered by code.
    pub const ALL: [Self; 11] = [
        Self::Identity,
        Self::Full,
        Self::Float96,
        Self::Fixed48,
        Self::Largest48,
        Self::Largest32,
        Self::Harmonic48,
        Self::IntervalFixed32,
        Self::Fixed32,
        Self::Float32,
        Self::Largest62,
    ];

    /// Mantissas of [`RotationFormat::Float32`]; each number has a sign and three exponent bits too.
    pub const MINI_MANTISSA_BITS: [u32; 3] = [7, 7, 6];

    /// Name in recipes.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Full => "full",
            Self::Float96 => "float96",
            Self::Fixed48 => "fixed48",
            Self::Largest48 => "largest48",
            Self::Largest32 => "largest32",
            Self::Harmonic48 => "harmonic48",
            Self::IntervalFixed32 => "interval-fixed32",
            Self::Fixed32 => "fixed32",
            Self::Float32 => "float32",
            Self::Largest62 => "largest62",
        }
    }

    /// Bits per key.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Identity => 0,
            Self::Full => 128,
            Self::Float96 => 96,
            Self::Fixed48 | Self::Largest48 | Self::Harmonic48 => 48,
            Self::Largest32 | Self::IntervalFixed32 | Self::Fixed32 | Self::Float32 => 32,
            Self::Largest62 => 62,
        }
    }

    /// True if keys are fractions of a range that is stored once per track.
    pub const fn has_range(self) -> bool {
        matches!(self, Self::IntervalFixed32)
    }

    /// Reads the key at bit `at`. Any bits give a finite unit quaternion, except in the float32 formats: check their keys with
    /// [`RotationFormat::is_valid`] first.
    #[inline]
    pub fn read(self, bytes: &[u8], at: usize, range: &Range3) -> Quat {
        Quat::from_array(self.decode(&OneKey { bytes, at, range }))
    }

    /// Reads four consecutive keys, as separate x, y, z and w; see [`RotationFormat::read`].
    #[inline(always)]
    pub fn read_lanes(self, bytes: &[u8], at: usize, ranges: &RangeLanes) -> [Vec4; 4] {
        let mut tail = Tail::default();
        self.decode(&FourKeys { window: BitWindow::at(bytes, at, &mut tail), ranges })
    }

    /// x, y, z, w of a key, or of four.
    #[inline(always)]
    fn decode<K: KeyBits>(self, key: &K) -> [K::Real; 4] {
        match self {
            Self::Identity => [0.0, 0.0, 0.0, 1.0].map(K::Real::splat),
            Self::Full => {
                let number = |i: usize| float(key.bits(128, 32 * i, 32));
                [number(0), number(1), number(2), number(3)]
            }
            Self::Float96 => restore_w(float3(key)),
            Self::Fixed48 => restore_w(split3(key.bits(48, 0, 48), [16; 3], snorm_decode)),
            Self::Harmonic48 => harmonic_unmap(split3(key.bits(48, 0, 48), [16; 3], snorm_decode)),
            Self::Fixed32 => restore_w(split3(key.bits(32, 0, 32), [11, 11, 10], snorm_decode)),
            Self::IntervalFixed32 => restore_w(key.in_range(split3(key.bits(32, 0, 32), [11, 11, 10], unorm_decode))),
            Self::Float32 => {
                let decode = |code, bits| mini_float_decode(code, bits - 4);
                restore_w(split3(key.bits(32, 0, 32), Self::MINI_MANTISSA_BITS.map(|m| m + 4), decode))
            }
            Self::Largest48 => largest(key.bits(48, 0, 48), 15),
            Self::Largest32 => largest(key.bits(32, 0, 32), 10),
            Self::Largest62 => {
                let limit = K::Real::splat(LARGEST_DROPPED_LIMIT);
                let rest = |offset| number::<K::Real>(key.bits(62, offset, 20), (0, 20), snorm_decode) * limit;
                restore_largest(index(key.bits(62, 0, 2)), [rest(2), rest(22), rest(42)])
            }
        }
    }

    /// True if the key at bit `at` is a rotation. Only the float32 formats can fail.
    pub fn is_valid(self, bytes: &[u8], at: usize) -> bool {
        match self {
            Self::Full => (self.read(bytes, at, &Range3::UNIT).length_squared() - 1.0).abs() < FLOAT_LENGTH_SLACK,
            Self::Float96 => floats3_at(bytes, at).length_squared() < 1.0 + FLOAT_LENGTH_SLACK,
            _ => true,
        }
    }
}

/// Largest difference from 1 of a float32 quaternion's squared length. A larger one is damage, not rounding.
const FLOAT_LENGTH_SLACK: f32 = 1e-3;

/// A float32.
#[inline(always)]
fn float<R: Real>(bits: R::Words) -> R {
    R::of_words(bits, |word| f32::from_bits(word as u32))
}

/// Three float32 of a key's bits.
#[inline(always)]
pub(in crate::parts) fn float3<K: KeyBits>(key: &K) -> [K::Real; 3] {
    let number = |i: usize| float(key.bits(96, 32 * i, 32));
    [number(0), number(1), number(2)]
}

/// Three numbers of the given widths, first in the lowest bits.
#[inline(always)]
pub(in crate::parts) fn split3<R: Real>(words: R::Words, bits: [u32; 3], decode: impl Fn(u32, u32) -> f32) -> [R; 3] {
    let [a, b, c] = bits;
    [number(words, (0, a), &decode), number(words, (a, b), &decode), number(words, (a + b, c), &decode)]
}

/// The number of `bits` from bit `shift` on.
#[inline(always)]
fn number<R: Real>(words: R::Words, (shift, bits): (u32, u32), decode: impl Fn(u32, u32) -> f32) -> R {
    R::of_words(words, |word| decode((word >> shift) as u32 & ((1 << bits) - 1), bits))
}

/// Index of the dropped component.
#[inline(always)]
fn index<R: Real>(words: R::Words) -> R {
    R::of_words(words, |word| (word as i32 & 3) as f32)
}

/// Two bits for the dropped component, then the others over plus or minus [`LARGEST_DROPPED_LIMIT`].
#[inline(always)]
fn largest<R: Real>(words: R::Words, bits: u32) -> [R; 4] {
    let limit = R::splat(LARGEST_DROPPED_LIMIT);
    let rest = |i: u32| number::<R>(words, (2 + i * bits, bits), snorm_decode) * limit;
    restore_largest(index(words), [rest(0), rest(1), rest(2)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn any_bits_read_as_a_rotation(word in any::<[u8; 16]>()) {
            for format in RotationFormat::ALL {
                let read = format.read(&word, 0, &Range3::symmetric(1.0));
                let is_unit = read.is_finite() && (read.length() - 1.0).abs() < 1e-3;
                prop_assert!(is_unit || !format.is_valid(&word, 0), "{:?} reads {}", format, read);
            }
        }
    }

    #[test]
    fn codes_are_those_on_disk() {
        for (code, format) in RotationFormat::ALL.into_iter().enumerate() {
            assert_eq!(format as usize, code);
        }
    }
}
