//! Eight tracks, of which the processor at hand computes as many at a time as it can: what is computed is written once, and gives
//! the same bits on all.
//!
//! A [`Kernel`] is compiled for each kind of processor, and [`run`] chooses among them when it is called. The crate `wide` would choose
//! when it is compiled; `pulp` and `multiversion` ask the standard library, which games may not have.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // intrinsics can be called in no other way; the module says why they may be
mod avx2;
mod portable;

use super::Number;
use core::sync::atomic::{AtomicBool, Ordering};
use glam::Vec4;
pub(crate) use portable::Quad;

/// Tracks of a group that a [`Kernel`] reads: as many float32 as a register of AVX2 holds, or two of NEON.
pub const EIGHT: usize = 8;

/// What is done with groups of eight tracks.
///
/// `run` is to be `inline(always)`, and so is all that it does with [`Ints`], which closures cannot be: only then is it compiled for
/// the processor that it is run for.
pub trait Kernel {
    /// Does it.
    fn run<I: Ints>(self);
}

/// Runs a kernel in the fastest way that this processor has.
#[inline]
pub fn run(kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    if !IS_PORTABLE.load(Ordering::Relaxed)
        && let Some(has_avx2) = avx2::Avx2::detect()
    {
        return has_avx2.run(kernel);
    }
    kernel.run::<Quad>();
}

static IS_PORTABLE: AtomicBool = AtomicBool::new(false);

/// Whether to do as if the processor had nothing beyond what its architecture always has: for tests and measurements. Poses are
/// the same to the bit.
pub fn run_portably(is_portable: bool) {
    IS_PORTABLE.store(is_portable, Ordering::Relaxed);
}

/// A whole number, or one of each of some tracks. Sums wrap around.
pub trait Whole: Copy {
    /// The same number for all.
    fn splat(number: i32) -> Self;
    /// Sum.
    fn plus(self, other: Self) -> Self;
    /// Difference.
    fn minus(self, other: Self) -> Self;
    /// Divided by a power of two, towards minus infinity.
    fn shifted<const BITS: i32>(self) -> Self;
    /// What is seldom done: one after another.
    fn each(self, f: impl Fn(i32) -> i32) -> Self;
}

impl Whole for i32 {
    #[inline(always)]
    fn splat(number: i32) -> Self {
        number
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn shifted<const BITS: i32>(self) -> Self {
        self >> BITS
    }

    #[inline(always)]
    fn each(self, f: impl Fn(i32) -> i32) -> Self {
        f(self)
    }
}

/// The three of a track.
impl<W: Whole> Whole for [W; 3] {
    #[inline(always)]
    fn splat(number: i32) -> Self {
        [W::splat(number); 3]
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        [self[0].plus(other[0]), self[1].plus(other[1]), self[2].plus(other[2])]
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        [self[0].minus(other[0]), self[1].minus(other[1]), self[2].minus(other[2])]
    }

    #[inline(always)]
    fn shifted<const BITS: i32>(self) -> Self {
        [self[0].shifted::<BITS>(), self[1].shifted::<BITS>(), self[2].shifted::<BITS>()]
    }

    #[inline(always)]
    fn each(self, f: impl Fn(i32) -> i32) -> Self {
        [self[0].each(&f), self[1].each(&f), self[2].each(&f)]
    }
}

/// Whole numbers of some of eight tracks, and what they are read from and become. `first`: which of the eight come first.
pub trait Ints: Whole {
    /// Numbers of as many tracks.
    type Real: Number;
    /// 64 bits of each.
    type Words: Copy;
    /// How many tracks: 4 or 8.
    const WIDTH: usize;
    /// One a track.
    fn load(numbers: &[i32; EIGHT], first: usize) -> Self;
    /// Words by the number of their track.
    fn words(first: usize, word: impl Fn(usize) -> u64) -> Self::Words;
    /// Without so many of their lowest bits (below 32), and `more` (below 8) of all.
    fn skip(words: Self::Words, bits: &[u8; EIGHT], first: usize, more: u32) -> Self::Words;
    /// The lowest bits of each, at most 31.
    fn lowest(words: Self::Words, bits: &[u8; EIGHT], first: usize) -> Self;
    /// Half of how many numbers have so many bits, at most 31; none of no bits.
    fn half_of(bits: &[u8; EIGHT], first: usize) -> Self;
    /// As float32, rounded to the nearest.
    fn real(self) -> Self::Real;
    /// One a track.
    fn reals(numbers: &[f32; EIGHT], first: usize) -> Self::Real;
    /// Four at a time.
    fn quad(real: Self::Real, number: usize) -> Vec4;
}

/// The same for each of eight. `<[_; N]>::map` is not always inlined.
#[inline(always)]
pub fn each_of_eight<T>(mut f: impl FnMut(usize) -> T) -> [T; EIGHT] {
    [f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)]
}

/// One after another.
#[cfg(test)]
pub fn numbers_of(whole: impl Whole) -> alloc::vec::Vec<i32> {
    let numbers = core::cell::RefCell::new(alloc::vec::Vec::new());
    whole.each(|x| {
        numbers.borrow_mut().push(x);
        x
    });
    numbers.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::LANES;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// Everything that there is, of the same numbers.
    struct All<'a> {
        words: [u64; EIGHT],
        bits: [[u8; EIGHT]; 2],
        more: u32,
        numbers: [[f32; EIGHT]; 2],
        wholes: &'a mut [Vec<i32>; 8],
        reals: &'a mut [Vec<u32>; 7],
    }

    impl Kernel for All<'_> {
        #[inline(always)]
        fn run<I: Ints>(self) {
            let Self { words, bits: [skipped, bits], more, numbers: [a, b], wholes, reals } = self;
            for first in (0..EIGHT).step_by(I::WIDTH) {
                let words = I::skip(I::words(first, |track| words[track]), &skipped, first, more);
                let (x, half) = (I::lowest(words, &bits, first), I::half_of(&bits, first));
                let (sums, each) = ([x.plus(half), half.minus(x)], x.each(|x| x.wrapping_mul(5)));
                let shifted = [x.shifted::<2>(), sums[1].shifted::<1>()];
                let found = [x, half, sums[0], sums[1], shifted[0], shifted[1], I::splat(-7), each];
                wholes.iter_mut().zip(found).for_each(|(out, whole)| out.extend(numbers_of(whole)));
                let (a, b) = (I::reals(&a, first), I::reals(&b, first));
                let found = [x.real(), a + b, a - b, a * b, a / b, (a * a).sqrt(), a.where_negative(a, b)];
                for (out, real) in reals.iter_mut().zip(found) {
                    out.extend((0..I::WIDTH / LANES).flat_map(|quad| I::quad(real, quad).to_array()).map(f32::to_bits));
                }
            }
        }
    }

    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![-2.0f32..2.0, Just(0.5), Just(-0.0), Just(1.0), -1e18f32..1e18]
    }

    /// No quotient of such is no number, of which there are many.
    fn divisor() -> impl Strategy<Value = f32> {
        number().prop_map(|x| if x == 0.0 { 3.0 } else { x })
    }

    proptest! {
        #[test]
        fn every_processor_computes_the_same_bits(
            words in any::<[u64; EIGHT]>(), more in 0u32..8, bits in prop::array::uniform2(prop::array::uniform8(0u8..32)),
            dividends in prop::array::uniform8(number()), divisors in prop::array::uniform8(divisor()),
        ) {
            let numbers = [dividends, divisors];
            let (mut wholes, mut reals) = <([Vec<i32>; 8], [Vec<u32>; 7])>::default();
            run(All { words, bits, more, numbers, wholes: &mut wholes, reals: &mut reals });
            let (mut other_wholes, mut other_reals) = <([Vec<i32>; 8], [Vec<u32>; 7])>::default();
            All { words, bits, more, numbers, wholes: &mut other_wholes, reals: &mut other_reals }.run::<Quad>();
            prop_assert_eq!((&wholes, &reals), (&other_wholes, &other_reals));
            for lane in 0..EIGHT {
                let x = (words[lane] >> (u32::from(bits[0][lane]) + more) & ((1 << bits[1][lane]) - 1)) as i32;
                let half = ((1u32 << bits[1][lane]) >> 1) as i32;
                let sums = [x.wrapping_add(half), half.wrapping_sub(x), x >> 2, half.wrapping_sub(x) >> 1];
                let expected = [x, half, sums[0], sums[1], sums[2], sums[3], -7, x.wrapping_mul(5)];
                prop_assert_eq!(wholes.each_ref().map(|numbers| numbers[lane]), expected);
                prop_assert_eq!(reals[0][lane], (x as f32).to_bits());
                prop_assert_eq!(reals[4][lane], (numbers[0][lane] / numbers[1][lane]).to_bits());
            }
        }
    }
}
