use super::{EIGHT, Ints, Whole, each_of_eight};
use crate::math::{LANES, Real};
use core::ops::{Add, Div, Mul, Sub};
use glam::Vec4;

/// For any processor; compilers have registers for it where there are some, as NEON's.
#[derive(Debug, Clone, Copy)]
pub struct EightInts([i32; EIGHT]);

/// Two registers of every 64-bit processor.
#[derive(Debug, Clone, Copy)]
pub struct EightReals([Vec4; EIGHT / LANES]);

/// The lowest bits of a word by their number; for any byte, so that looking up needs no check.
const MASKS: [u32; 256] = {
    let mut out = [0; 256];
    let mut bits = 0;
    while bits < 32 {
        out[bits] = (1u32 << bits) - 1;
        bits += 1;
    }
    out
};

impl EightInts {
    #[inline(always)]
    fn pairs(self, other: Self, f: impl Fn(i32, i32) -> i32) -> Self {
        Self(each_of_eight(|i| f(self.0[i], other.0[i])))
    }
}

impl Whole for EightInts {
    #[inline(always)]
    fn splat(number: i32) -> Self {
        Self([number; EIGHT])
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.pairs(other, i32::wrapping_add)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.pairs(other, i32::wrapping_sub)
    }

    #[inline(always)]
    fn shifted<const BITS: i32>(self) -> Self {
        self.each(|x| x >> BITS)
    }

    #[inline(always)]
    fn each(self, f: impl Fn(i32) -> i32) -> Self {
        Self(each_of_eight(|i| f(self.0[i])))
    }
}

impl Ints for EightInts {
    type Real = EightReals;
    type Words = [u64; EIGHT];

    #[inline(always)]
    fn new(numbers: &[i32; EIGHT]) -> Self {
        Self(*numbers)
    }

    #[inline(always)]
    fn words(words: [u64; EIGHT]) -> Self::Words {
        words
    }

    #[inline(always)]
    fn skip(words: Self::Words, bits: &[u8; EIGHT], more: u32) -> Self::Words {
        each_of_eight(|i| words[i].wrapping_shr(u32::from(bits[i]) + more))
    }

    #[inline(always)]
    fn lowest(words: Self::Words, bits: &[u8; EIGHT]) -> Self {
        Self(each_of_eight(|i| (words[i] as u32 & MASKS[usize::from(bits[i])]) as i32))
    }

    #[inline(always)]
    fn half_of(bits: &[u8; EIGHT]) -> Self {
        Self(each_of_eight(|i| (MASKS[usize::from(bits[i])].wrapping_add(1) >> 1) as i32))
    }

    #[inline(always)]
    fn real(self) -> EightReals {
        EightReals::new(each_of_eight(|i| self.0[i] as f32))
    }

    #[inline(always)]
    fn reals(numbers: &[f32; EIGHT]) -> EightReals {
        EightReals::new(*numbers)
    }

    #[inline(always)]
    fn halves(real: EightReals) -> [Vec4; EIGHT / LANES] {
        real.0
    }
}

impl EightReals {
    #[inline(always)]
    fn new([a, b, c, d, e, f, g, h]: [f32; EIGHT]) -> Self {
        Self([Vec4::new(a, b, c, d), Vec4::new(e, f, g, h)])
    }

    #[inline(always)]
    fn each(self, f: impl Fn(Vec4) -> Vec4) -> Self {
        Self([f(self.0[0]), f(self.0[1])])
    }

    /// `f` of the numbers of four tracks at a time.
    #[inline(always)]
    fn choose(self, yes: Self, no: Self, f: impl Fn(Vec4, Vec4, Vec4) -> Vec4) -> Self {
        Self([f(self.0[0], yes.0[0], no.0[0]), f(self.0[1], yes.0[1], no.0[1])])
    }
}

macro_rules! operators {
    ($($operator:ident $function:ident;)*) => {
        $(impl $operator for EightReals {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self([self.0[0].$function(other.0[0]), self.0[1].$function(other.0[1])])
            }
        })*
    };
}

operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl Real for EightReals {
    type Words = [u64; EIGHT];

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([Vec4::splat(x); 2])
    }

    #[inline(always)]
    fn of_words(words: Self::Words, number: impl Fn(u64) -> f32) -> Self {
        Self::new(each_of_eight(|i| number(words[i])))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.each(Vec4::sqrt)
    }

    #[inline(always)]
    fn where_at_most_one(self, yes: Self, no: Self) -> Self {
        self.choose(yes, no, Real::where_at_most_one)
    }

    #[inline(always)]
    fn is_at_most_one(self) -> bool {
        self.0[0].is_at_most_one() && self.0[1].is_at_most_one()
    }

    #[inline(always)]
    fn where_equal(self, other: f32, yes: Self, no: Self) -> Self {
        self.choose(yes, no, |x, yes, no| x.where_equal(other, yes, no))
    }

    #[inline(always)]
    fn where_negative(self, yes: Self, no: Self) -> Self {
        self.choose(yes, no, Real::where_negative)
    }
}
