//! Implementation for processors with AVX2.
//!
//! Invariant of every `unsafe` block here: the processor has AVX2. A value of [`Avx2`] is the proof; only [`Avx2::detect`] creates one.
//! [`Avx2::run`] needs this value, and only it uses [`Ymm`] and [`YmmReal`]. Memory is read and written only through references to arrays
//! of a register's size, which need not be aligned.

use super::{Bytes, EIGHT, Ints, Kernel, Whole, each_of_eight};
use crate::math::{Number, step_table};
use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Sub};
use glam::Vec4;

cpufeatures::new!(avx2, "avx2");

/// A proof that the processor has AVX2.
#[derive(Clone, Copy)]
pub struct Avx2(());

impl Avx2 {
    /// Detects AVX2 once. `None` if the processor or the operating system does not support it.
    #[inline(always)]
    pub fn detect() -> Option<Self> {
        if avx2::get() { Some(Self(())) } else { None }
    }

    /// Runs a kernel that is compiled for AVX2.
    #[inline(always)]
    pub fn run(self, kernel: impl Kernel) {
        #[target_feature(enable = "avx2")]
        fn with_avx2(kernel: impl Kernel) {
            kernel.run::<Ymm>();
        }
        // Safety: `self` is the proof that the processor has AVX2.
        unsafe { with_avx2(kernel) }
    }
}

/// Eight integers.
#[derive(Clone, Copy)]
pub struct Ymm(__m256i);

/// Eight numbers.
#[derive(Clone, Copy)]
pub struct YmmReal(__m256);

/// Limit of shift counts. A mask below it lets the compiler drop checks.
const SHIFTS: i32 = 32;

/// Two to the power of each number of bits.
#[inline(always)]
fn powers(bits: Bytes) -> __m256i {
    // Safety: see the invariant of this module.
    unsafe {
        let bits = _mm_and_si128(_mm_cvtsi64_si128(bits.cast_signed()), _mm_set1_epi8(SHIFTS as i8 - 1));
        _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_cvtepu8_epi32(bits))
    }
}

/// Shift counts for the 64-bit lanes of [`Ints::Words`].
#[inline(always)]
fn counts(bits: Bytes) -> [__m256i; 2] {
    // Safety: see the invariant of this module.
    unsafe {
        // Pairs of tracks in the order of the words: first and third, second and fourth.
        let bits = _mm_shufflelo_epi16::<0b11_01_10_00>(_mm_cvtsi64_si128(bits.cast_signed()));
        let bits = _mm_and_si128(bits, _mm_set1_epi8(2 * SHIFTS as i8 - 1));
        [_mm256_cvtepu8_epi64(bits), _mm256_cvtepu8_epi64(_mm_bsrli_si128::<4>(bits))]
    }
}

impl Whole for Ymm {
    #[inline(always)]
    fn splat(number: i32) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_set1_epi32(number) })
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_sub_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn shifted<const BITS: i32>(self) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_srai_epi32::<BITS>(self.0) })
    }

    #[inline(always)]
    fn each(self, f: impl Fn(i32) -> i32) -> Self {
        let mut numbers = [0i32; EIGHT];
        // Safety: see the invariant of this module.
        unsafe { _mm256_storeu_si256((&raw mut numbers).cast(), self.0) };
        Self::load(&each_of_eight(|i| f(numbers[i])), 0)
    }
}

impl Ints for Ymm {
    type Real = YmmReal;
    type Words = [__m256i; 2];
    const WIDTH: usize = EIGHT;

    #[inline(always)]
    fn load(numbers: &[i32; EIGHT], _: usize) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_loadu_si256((&raw const *numbers).cast()) })
    }

    #[inline(always)]
    fn load_small(numbers: &[[u8; 2]; EIGHT], _: usize) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_cvtepi16_epi32(_mm_loadu_si128((&raw const *numbers).cast())) })
    }

    /// In an order in which [`Ints::lowest`] needs one instruction: tracks 0, 1, 4 and 5, then 2, 3, 6 and 7.
    #[inline(always)]
    fn words(_: usize, word: impl Fn(usize) -> u64) -> Self::Words {
        let pair = |first: usize| {
            let (a, b) = (word(first).cast_signed(), word(first + 1).cast_signed());
            // Safety: see the invariant of this module.
            unsafe { _mm_unpacklo_epi64(_mm_cvtsi64_si128(a), _mm_cvtsi64_si128(b)) }
        };
        // Safety: see the invariant of this module.
        unsafe { [_mm256_set_m128i(pair(4), pair(0)), _mm256_set_m128i(pair(6), pair(2))] }
    }

    #[inline(always)]
    fn skip(words: Self::Words, bits: Bytes, _: usize) -> Self::Words {
        let counts = counts(bits);
        // Safety: see the invariant of this module.
        unsafe { [_mm256_srlv_epi64(words[0], counts[0]), _mm256_srlv_epi64(words[1], counts[1])] }
    }

    #[inline(always)]
    fn lowest(words: Self::Words, bits: Bytes, _: usize) -> Self {
        // Safety: see the invariant of this module.
        unsafe {
            // Takes the lower halves of all words, within 128-bit halves.
            let [a, b] = words.map(|words| _mm256_castsi256_ps(words));
            let numbers = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(a, b));
            let masks = _mm256_sub_epi32(powers(bits), _mm256_set1_epi32(1));
            Self(_mm256_and_si256(numbers, masks))
        }
    }

    #[inline(always)]
    fn half_of(bits: Bytes, _: usize) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_srli_epi32::<1>(powers(bits)) })
    }

    #[inline(always)]
    fn signed<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_srai_epi32::<RIGHT>(_mm256_slli_epi32::<LEFT>(self.0)) })
    }

    #[inline(always)]
    fn real(self) -> YmmReal {
        // Safety: see the invariant of this module.
        YmmReal(unsafe { _mm256_cvtepi32_ps(self.0) })
    }

    #[inline(always)]
    fn steps<const HALVINGS: i32>(codes: &[u8; EIGHT], first: usize) -> YmmReal {
        let table = Self::load(&const { step_table(HALVINGS) }, first);
        // Safety: see the invariant of this module.
        unsafe {
            let codes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(*codes)));
            // The permutation reads the lowest three bits of each code.
            let parts = _mm256_permutevar8x32_epi32(table.0, codes);
            YmmReal(_mm256_castsi256_ps(_mm256_add_epi32(parts, _mm256_slli_epi32::<20>(codes))))
        }
    }

    #[inline(always)]
    fn reals(numbers: &[f32; EIGHT], _: usize) -> YmmReal {
        // Safety: see the invariant of this module.
        YmmReal(unsafe { _mm256_loadu_ps((&raw const *numbers).cast()) })
    }

    #[inline(always)]
    fn quad(real: YmmReal, number: usize) -> Vec4 {
        let mut out = [0.0; EIGHT];
        // Safety: see the invariant of this module.
        unsafe { _mm256_storeu_ps((&raw mut out).cast(), real.0) };
        let [a, b, c, d, e, f, g, h] = out;
        if number == 0 { Vec4::new(a, b, c, d) } else { Vec4::new(e, f, g, h) }
    }
}

macro_rules! operators {
    ($($operator:ident $function:ident $intrinsic:ident;)*) => {
        $(impl $operator for YmmReal {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                // Safety: see the invariant of this module.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        })*
    };
}

operators! {
    Add add _mm256_add_ps;
    Sub sub _mm256_sub_ps;
    Mul mul _mm256_mul_ps;
    Div div _mm256_div_ps;
}

impl Number for YmmReal {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_set1_ps(x) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn where_negative(self, yes: Self, no: Self) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_LT_OS>(self.0, _mm256_setzero_ps())) })
    }

    #[inline(always)]
    fn where_at_most_one(self, yes: Self, no: Self) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_LE_OS>(self.0, _mm256_set1_ps(1.0))) })
    }

    #[inline(always)]
    fn is_at_most_one(self) -> bool {
        // Safety: see the invariant of this module.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OS>(self.0, _mm256_set1_ps(1.0))) == 0xff }
    }

    #[inline(always)]
    fn where_equal(self, other: f32, yes: Self, no: Self) -> Self {
        // Safety: see the invariant of this module.
        Self(unsafe { _mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, _mm256_set1_ps(other))) })
    }
}
