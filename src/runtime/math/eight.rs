//! Vector code for groups of eight tracks. It is written once, and gives the same bits on all processors.
//!
//! A [`Kernel`] is compiled for each kind of processor, and [`run`] chooses one at run time. The crate `wide` chooses at compile time;
//! `pulp` and `multiversion` need the standard library, which games may lack.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // intrinsics are unsafe; the module states why the calls are sound
mod avx2;
mod portable;

use super::Number;
use core::sync::atomic::{AtomicBool, Ordering};
use glam::Vec4;
pub use portable::{Quad, lowest_bits};

/// Number of tracks of a group: the float32 lanes of one AVX2 register, or of two NEON registers.
pub const EIGHT: usize = 8;

/// A computation on groups of eight tracks.
///
/// `run` and all functions that it calls with [`Ints`] must be `inline(always)`, else they are not compiled for the processor. Closures
/// cannot be marked so: avoid [`Ints`] in them.
pub trait Kernel {
    /// Runs the computation.
    fn run<I: Ints>(self);
}

/// Runs a kernel with the fastest instructions of this processor.
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

/// If true, [`run`] uses only instructions that all processors of the architecture have. For tests and benchmarks. Poses have the same
/// bits.
pub fn run_portably(is_portable: bool) {
    IS_PORTABLE.store(is_portable, Ordering::Relaxed);
}

/// A byte per track of a group, the first in the lowest bits.
pub type Bytes = u64;

/// An integer, or one integer per track of a group. Sums wrap around.
pub trait Whole: Copy {
    /// The same number in every lane.
    fn splat(number: i32) -> Self;
    /// Sum.
    fn plus(self, other: Self) -> Self;
    /// Difference.
    fn minus(self, other: Self) -> Self;
    /// Divides by `2^BITS` and rounds towards minus infinity.
    fn shifted<const BITS: i32>(self) -> Self;
    /// Applies a function to each number, one by one. For rare operations.
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

/// Three integers per track.
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

/// A register of integers, one per track, with its conversions. `first` is the index of the first lane's track among the eight.
pub trait Ints: Whole {
    /// One float32 per lane.
    type Real: Number;
    /// One word of 64 bits per lane.
    type Words: Copy;
    /// Number of lanes: 1, 4 or 8.
    const WIDTH: usize;
    /// Loads the integers of the tracks from `first` on.
    fn load(numbers: &[i32; EIGHT], first: usize) -> Self;
    /// Loads signed integers of 16 bits, lowest byte first.
    fn load_small(numbers: &[[u8; 2]; EIGHT], first: usize) -> Self;
    /// Loads words. `word` returns the word of a track.
    fn words(first: usize, word: impl Fn(usize) -> u64) -> Self::Words;
    /// Shifts words right, by the `bits` of their track (below 64).
    fn skip(words: Self::Words, bits: Bytes, first: usize) -> Self::Words;
    /// The lowest `bits` (at most 31) of each word.
    fn lowest(words: Self::Words, bits: Bytes, first: usize) -> Self;
    /// Per lane, `2^bits / 2` for at most 31 bits; 0 for no bits.
    fn half_of(bits: Bytes, first: usize) -> Self;
    /// Shifts left, then right with the sign: the signed number of some bits.
    fn signed<const LEFT: i32, const RIGHT: i32>(self) -> Self;
    /// Converts to float32, rounded to the nearest.
    fn real(self) -> Self::Real;
    /// [Steps](crate::math::step_of_code) of codes, divided by `2^HALVINGS`.
    fn steps<const HALVINGS: i32>(codes: &[u8; EIGHT], first: usize) -> Self::Real;
    /// Loads the numbers of the tracks from `first` on.
    fn reals(numbers: &[f32; EIGHT], first: usize) -> Self::Real;
    /// Four of the numbers: the first four (0) or the last four (1). A single number is there four times.
    fn quad(real: Self::Real, number: usize) -> Vec4;
}

/// An array of eight from their indices. `<[_; N]>::map` is not always inlined.
#[inline(always)]
pub fn each_of_eight<T>(mut f: impl FnMut(usize) -> T) -> [T; EIGHT] {
    [f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)]
}

/// The integers of all lanes.
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
    use crate::math::{LANES, step_of_code};
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// The results of all operations.
    struct All<'a> {
        words: [u64; EIGHT],
        bits: [[u8; EIGHT]; 2],
        small: [[u8; 2]; EIGHT],
        numbers: [[f32; EIGHT]; 2],
        wholes: &'a mut [Vec<i32>; 10],
        reals: &'a mut [Vec<u32>; 10],
    }

    impl Kernel for All<'_> {
        #[inline(always)]
        fn run<I: Ints>(self) {
            let Self { words, bits: [skipped, codes], small, numbers: [a, b], wholes, reals } = self;
            let [skipped, bits] = [skipped, codes].map(Bytes::from_le_bytes);
            for first in (0..EIGHT).step_by(I::WIDTH) {
                let words = I::skip(I::words(first, |track| words[track]), skipped, first);
                let (x, half) = (I::lowest(words, bits, first), I::half_of(bits, first));
                let (sums, each) = ([x.plus(half), half.minus(x)], x.each(|x| x.wrapping_mul(5)));
                let shifted = [x.shifted::<2>(), sums[1].shifted::<1>()];
                let (small, signed) = (I::load_small(&small, first), x.signed::<20, 22>());
                let found = [x, half, sums[0], sums[1], shifted[0], shifted[1], I::splat(-7), each, small, signed];
                wholes.iter_mut().zip(found).for_each(|(out, whole)| out.extend(numbers_of(whole)));
                let (a, b) = (I::reals(&a, first), I::reals(&b, first));
                let step = I::steps::<2>(&codes, first);
                let at_most = if a.is_at_most_one() { b } else { a.where_at_most_one(b, a) };
                let (root, where_equal) = ((a * a).sqrt(), a.where_equal(0.5, b, a));
                let found =
                    [x.real(), a + b, a - b, a * b, a / b, root, a.where_negative(a, b), step, where_equal, at_most];
                for (out, real) in reals.iter_mut().zip(found) {
                    let quads = (0..I::WIDTH.div_ceil(LANES)).flat_map(|quad| I::quad(real, quad).to_array());
                    out.extend(quads.take(I::WIDTH).map(f32::to_bits));
                }
            }
        }
    }

    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![-2.0f32..2.0, Just(0.5), Just(-0.0), Just(1.0), -1e18f32..1e18]
    }

    /// A number other than zero: quotients are not NaN, which has several bit patterns.
    fn divisor() -> impl Strategy<Value = f32> {
        number().prop_map(|x| if x == 0.0 { 3.0 } else { x })
    }

    proptest! {
        #[test]
        fn every_processor_computes_the_same_bits(
            words in any::<[u64; EIGHT]>(), skipped in prop::array::uniform8(0u8..64), bits in prop::array::uniform8(0u8..32),
            small in any::<[[u8; 2]; EIGHT]>(),
            dividends in prop::array::uniform8(number()), divisors in prop::array::uniform8(divisor()),
        ) {
            let (bits, numbers) = ([skipped, bits], [dividends, divisors]);
            let mut found = <[([Vec<i32>; 10], [Vec<u32>; 10]); 3]>::default();
            let [fast, portable, single] = &mut found;
            run(All { words, bits, small, numbers, wholes: &mut fast.0, reals: &mut fast.1 });
            All { words, bits, small, numbers, wholes: &mut portable.0, reals: &mut portable.1 }.run::<Quad>();
            All { words, bits, small, numbers, wholes: &mut single.0, reals: &mut single.1 }.run::<i32>();
            prop_assert_eq!((&fast, &fast), (&portable, &single));
            let (wholes, reals) = fast;
            for lane in 0..EIGHT {
                let x = (words[lane] >> bits[0][lane] & ((1 << bits[1][lane]) - 1)) as i32;
                let half = ((1u32 << bits[1][lane]) >> 1) as i32;
                let sums = [x.wrapping_add(half), half.wrapping_sub(x), x >> 2, half.wrapping_sub(x) >> 1];
                let each = x.wrapping_mul(5);
                let small = i16::from_le_bytes(small[lane]).into();
                let expected = [x, half, sums[0], sums[1], sums[2], sums[3], -7, each, small, x << 20 >> 22];
                prop_assert_eq!(wholes.each_ref().map(|numbers| numbers[lane]), expected);
                prop_assert_eq!(reals[0][lane], (x as f32).to_bits());
                prop_assert_eq!(reals[4][lane], (numbers[0][lane] / numbers[1][lane]).to_bits());
                prop_assert_eq!(reals[7][lane], (step_of_code(bits[1][lane]) as f32 * 0.25).to_bits());
            }
        }
    }
}
