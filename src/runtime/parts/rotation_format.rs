use super::bit_window::{BitWindow, Tail};
use super::lanes::{FourKeys, KeyBits, OneKey, RangeLanes};
use super::vector_format::floats3_at;
use crate::format::BitWriter;
use crate::math::{
    LARGEST_DROPPED_LIMIT, Range3, Real, drop_largest, drop_w, harmonic_map, harmonic_unmap, mini_float_decode,
    mini_float_encode, restore_largest, restore_w, snorm_decode, snorm_encode, unorm_decode, unorm_encode,
};
use glam::{Quat, Vec3, Vec4};

/// How one rotation is stored. The number is the format's code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum RotationFormat {
    /// Always no rotation, 0 bits (Unreal).
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
    /// 2 + 20 + 20 + 20 bits, the largest dropped: for tracks whose lever is too long for 48 bits.
    Largest62 = 10,
}

impl RotationFormat {
    /// In the order of their codes.
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

    /// As recipes say it.
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

    /// Bits a key.
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

    /// True when keys are fractions of a range that is stored once a track.
    pub const fn has_range(self) -> bool {
        matches!(self, Self::IntervalFixed32)
    }

    /// The range of a track's keys, if this format wants one.
    pub fn range(self, keys: impl IntoIterator<Item = Quat>) -> Range3 {
        if self.has_range() { Range3::around(keys.into_iter().map(drop_w)) } else { Range3::UNIT }
    }

    /// Appends a unit quaternion.
    pub fn write(self, q: Quat, range: &Range3, out: &mut BitWriter) {
        match self {
            Self::Identity => {}
            Self::Full => q.to_array().into_iter().for_each(|c| out.push_f32(c)),
            Self::Float96 => drop_w(q).to_array().into_iter().for_each(|c| out.push_f32(c)),
            Self::Fixed48 => push_each(drop_w(q), [16; 3], snorm_encode, out),
            Self::Harmonic48 => push_each(harmonic_map(q), [16; 3], snorm_encode, out),
            Self::Fixed32 => push_each(drop_w(q), [11, 11, 10], snorm_encode, out),
            Self::IntervalFixed32 => push_each(range.fraction(drop_w(q)), [11, 11, 10], unorm_encode, out),
            Self::Float32 => {
                let v = drop_w(q);
                for (x, mantissa_bits) in v.to_array().into_iter().zip(MINI_MANTISSA_BITS) {
                    out.push(u64::from(mini_float_encode(x, mantissa_bits)), mantissa_bits + 4);
                }
            }
            Self::Largest48 => {
                push_largest(q, 15, out);
                out.push(0, 1);
            }
            Self::Largest32 => push_largest(q, 10, out),
            Self::Largest62 => push_largest(q, 20, out),
        }
    }

    /// Reads the key at bit `at`. Finite and of length one for any bits, but for the formats of float32, whose keys
    /// [`RotationFormat::is_valid`] must have seen.
    #[inline]
    pub fn read(self, bytes: &[u8], at: usize, range: &Range3) -> Quat {
        Quat::from_array(self.decode(&OneKey { bytes, at, range }))
    }

    /// Reads four keys that follow each other, x, y, z and w apart; see [`RotationFormat::read`].
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
                restore_w(split3(key.bits(32, 0, 32), MINI_MANTISSA_BITS.map(|m| m + 4), decode))
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

    /// What [`RotationFormat::read`] makes of what [`RotationFormat::write`] writes.
    pub fn round_trip(self, q: Quat, range: &Range3) -> Quat {
        let mut out = BitWriter::new();
        self.write(q, range, &mut out);
        self.read(&out.finish(), 0, range)
    }

    /// False when the key at bit `at` is no rotation, which only the formats of float32 can hold.
    pub fn is_valid(self, bytes: &[u8], at: usize) -> bool {
        match self {
            Self::Full => (self.read(bytes, at, &Range3::UNIT).length_squared() - 1.0).abs() < FLOAT_LENGTH_SLACK,
            Self::Float96 => floats3_at(bytes, at).length_squared() < 1.0 + FLOAT_LENGTH_SLACK,
            _ => true,
        }
    }
}

/// Mantissas of Unreal's Float 32; each number takes a sign and three exponent bits more.
const MINI_MANTISSA_BITS: [u32; 3] = [7, 7, 6];
/// Square of a float32 quaternion's length may differ this much from one: rounding, not damage.
const FLOAT_LENGTH_SLACK: f32 = 1e-3;

/// A float32.
#[inline(always)]
fn float<R: Real>(bits: R::Words) -> R {
    R::of_words(bits, |word| f32::from_bits(word as u32))
}

/// Three float32 of a key's bits.
#[inline(always)]
pub(super) fn float3<K: KeyBits>(key: &K) -> [K::Real; 3] {
    let number = |i: usize| float(key.bits(96, 32 * i, 32));
    [number(0), number(1), number(2)]
}

/// Three numbers of the given widths, first in the lowest bits.
pub(super) fn push_each(v: Vec3, bits: [u32; 3], encode: fn(f32, u32) -> u32, out: &mut BitWriter) {
    for (x, bits) in v.to_array().into_iter().zip(bits) {
        out.push(u64::from(encode(x, bits)), bits);
    }
}

/// Undoes [`push_each`].
#[inline(always)]
pub(super) fn split3<R: Real>(words: R::Words, bits: [u32; 3], decode: impl Fn(u32, u32) -> f32) -> [R; 3] {
    let [a, b, c] = bits;
    [number(words, (0, a), &decode), number(words, (a, b), &decode), number(words, (a + b, c), &decode)]
}

/// The number of `bits` from bit `shift` on.
#[inline(always)]
fn number<R: Real>(words: R::Words, (shift, bits): (u32, u32), decode: impl Fn(u32, u32) -> f32) -> R {
    R::of_words(words, |word| decode((word >> shift) as u32 & ((1 << bits) - 1), bits))
}

/// Two bits for the dropped component, then the others over plus or minus [`LARGEST_DROPPED_LIMIT`].
///
/// Each code is rounded down or up, whichever of the eight ways brings the whole quaternion nearest. Rounding each to its
/// nearest instead may add up to 1.5 steps in the dropped component; so all four stay within one.
fn push_largest(q: Quat, bits: u32, out: &mut BitWriter) {
    let (index, rest) = drop_largest(q);
    let restored = |rest: Vec3| Quat::from_array(restore_largest(index as f32, rest.to_array()));
    let wanted = restored(rest);
    let low = (rest / LARGEST_DROPPED_LIMIT).to_array().map(|x| {
        let nearest = snorm_encode(x, bits);
        if nearest > 0 && snorm_decode(nearest, bits) > x { nearest - 1 } else { nearest }
    });
    let highest = snorm_encode(1.0, bits);
    let (mut best, mut best_error) = (low, f32::INFINITY);
    for corner in 0..8u32 {
        let codes: [u32; 3] = core::array::from_fn(|i| (low[i] + (corner >> i & 1)).min(highest));
        let v = Vec3::from_array(codes.map(|c| snorm_decode(c, bits))) * LARGEST_DROPPED_LIMIT;
        let error = (restored(v) - wanted).length_squared();
        if error < best_error {
            (best, best_error) = (codes, error);
        }
    }
    out.push(index as u64, 2);
    best.into_iter().for_each(|code| out.push(u64::from(code), bits));
}

/// Which component is dropped.
#[inline(always)]
fn index<R: Real>(words: R::Words) -> R {
    R::of_words(words, |word| (word as i32 & 3) as f32)
}

/// Undoes `push_largest`.
#[inline(always)]
fn largest<R: Real>(words: R::Words, bits: u32) -> [R; 4] {
    let limit = R::splat(LARGEST_DROPPED_LIMIT);
    let rest = |i: u32| number::<R>(words, (2 + i * bits, bits), snorm_decode) * limit;
    restore_largest(index(words), [rest(0), rest(1), rest(2)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::snorm_step;
    use proptest::prelude::*;

    fn unit_quat() -> impl Strategy<Value = Quat> {
        prop::array::uniform4(-1.0f32..1.0)
            .prop_map(Quat::from_array)
            .prop_filter("long enough to normalise", |q| q.length_squared() > 1e-3)
            .prop_map(Quat::normalize)
    }

    fn worst_component(format: RotationFormat, q: Quat) -> f32 {
        let back = format.round_trip(q, &format.range([q, Quat::IDENTITY]));
        let largest = |q: Quat| Vec4::from(q).abs().max_element();
        largest(back - q).min(largest(back + q))
    }

    /// Largest error of w when x, y, z are each off by at most `half_step`: that of its square, under the root.
    fn dropped_w_bound(q: Quat, half_step: Vec3) -> f32 {
        let v = q.xyz().abs();
        let square_error = 2.0 * v.dot(half_step) + half_step.length_squared() + 4.0 * f32::EPSILON;
        square_error.sqrt().min(if q.w == 0.0 { f32::MAX } else { square_error / q.w.abs() })
    }

    /// Riot: "This 48-bit quantization of quaternions guarantees a numerical precision of 0.000043."
    const RIOT_PRECISION: f32 = 0.000_043;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn riots_48_bits_have_the_precision_that_the_article_claims(q in unit_quat()) {
            prop_assert!(worst_component(RotationFormat::Largest48, q) <= RIOT_PRECISION);
        }

        #[test]
        fn the_largest_dropped_formats_stay_within_one_step(q in unit_quat()) {
            for (format, bits) in [(RotationFormat::Largest32, 10), (RotationFormat::Largest62, 20)] {
                let bound = snorm_step(bits) * LARGEST_DROPPED_LIMIT + 4.0 * f32::EPSILON;
                prop_assert!(worst_component(format, q) <= bound, "{format:?}");
            }
        }

        #[test]
        fn dropping_w_is_bounded_by_the_root_of_the_squares_error(q in unit_quat()) {
            let steps = |bits: [u32; 3]| Vec3::from_array(bits.map(snorm_step)) * 0.5 + Vec3::splat(1e-7);
            let interval = Vec3::new(1.0 / 2047.0, 1.0 / 2047.0, 1.0 / 1023.0) * 0.5;
            let cases = [
                (RotationFormat::Fixed48, steps([16; 3])),
                (RotationFormat::Fixed32, steps([11, 11, 10])),
                (RotationFormat::IntervalFixed32, drop_w(q).abs() * interval + Vec3::splat(1e-6)),
                (RotationFormat::Float32, Vec3::new(1.0 / 512.0, 1.0 / 512.0, 1.0 / 256.0)),
                (RotationFormat::Float96, Vec3::splat(1e-7)),
            ];
            for (format, half_step) in cases {
                // Numbers too long for a unit quaternion are scaled back, which moves each by no more than w's bound.
                let bound = half_step.max_element().max(dropped_w_bound(q, half_step));
                let found = worst_component(format, q);
                prop_assert!(found <= bound * 1.01 + 1e-6, "{:?} errs {} over {}", format, found, bound);
            }
        }

        #[test]
        fn the_harmonic_map_spreads_its_steps_evenly(q in unit_quat()) {
            // The map's inverse stretches lengths by at most 4 / (sqrt(2) + 1).
            let half_diagonal = 0.5 * snorm_step(16) * 3.0f32.sqrt();
            prop_assert!(worst_component(RotationFormat::Harmonic48, q) <= 4.0 / 2.414 * half_diagonal + 1e-6);
        }

        #[test]
        fn full_is_exact_and_any_bits_read_as_a_rotation(q in unit_quat(), word in any::<[u8; 16]>()) {
            prop_assert_eq!(RotationFormat::Full.round_trip(q, &Range3::UNIT), q);
            for format in RotationFormat::ALL {
                let read = format.read(&word, 0, &Range3::symmetric(1.0));
                let is_unit = read.is_finite() && (read.length() - 1.0).abs() < 1e-3;
                prop_assert!(is_unit || !format.is_valid(&word, 0), "{:?} reads {}", format, read);
            }
        }
    }

    #[test]
    fn the_worst_corner_of_riots_format_stays_within_its_precision() {
        // All four components equal: nearest rounding would be off by 0.000065 in the dropped one.
        for i in 0..20_000u32 {
            let wobble =
                |k: u32| 0.5 + 1e-4 * ((i.wrapping_mul(2_654_435_761).rotate_left(8 * k) & 0xffff) as f32 / 65_536.0);
            let q = Quat::from_xyzw(wobble(0), wobble(1), wobble(2), wobble(3)).normalize();
            let error = worst_component(RotationFormat::Largest48, q);
            assert!(error <= RIOT_PRECISION, "{error} at {q}");
        }
    }

    #[test]
    fn sizes_and_codes_are_those_on_disk() {
        for (code, format) in RotationFormat::ALL.into_iter().enumerate() {
            assert_eq!(format as usize, code);
            let mut out = BitWriter::new();
            format.write(Quat::from_rotation_x(1.0), &Range3::UNIT, &mut out);
            assert_eq!(out.bit_len(), format.bits() as usize);
        }
        // Riot: "With a reduction from 128 bits to 48 bits, we achieve a compression ratio of 0.375."
        assert_eq!(f64::from(RotationFormat::Largest48.bits()) / f64::from(RotationFormat::Full.bits()), 0.375);
        assert_eq!(RotationFormat::Identity.round_trip(Quat::from_rotation_x(1.0), &Range3::UNIT), Quat::IDENTITY);
    }
}
