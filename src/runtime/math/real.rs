use core::ops::{Add, Div, Mul, Sub};
use glam::Vec4;

/// Number of tracks decoded at a time: the float32 lanes of the vector registers that every 64-bit processor has.
pub const LANES: usize = 4;

/// Applies a function to every lane. `<[_; N]>::map` is not always inlined, and then moves registers through memory.
#[inline(always)]
pub fn each_lane<T: Copy, U>(lanes: [T; LANES], mut f: impl FnMut(T) -> U) -> [U; LANES] {
    let [a, b, c, d] = lanes;
    [f(a), f(b), f(c), f(d)]
}

/// A number, or one number per track of a group.
///
/// Decoders are generic over it. The order of operations is the same, so all implementations give the same bits.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// The same number in every lane.
    fn splat(x: f32) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Per lane, `yes` if the number is below 0, else `no`.
    fn where_negative(self, yes: Self, no: Self) -> Self;
    /// Per lane, `yes` if the number is at most 1, else `no`.
    fn where_at_most_one(self, yes: Self, no: Self) -> Self;
    /// True if all numbers are at most 1.
    fn is_at_most_one(self) -> bool;
    /// Per lane, `yes` if the number equals `other`, else `no`.
    fn where_equal(self, other: f32, yes: Self, no: Self) -> Self;
}

/// A number of a key in a fixed format, or one number for each of [`LANES`] tracks.
pub trait Real: Number {
    /// The bits of the number: a word, or one word per track.
    type Words: Copy;
    /// Decodes each word with `number`.
    fn of_words(words: Self::Words, number: impl Fn(u64) -> f32) -> Self;
}

impl Number for f32 {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        x
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        super::float::sqrt(self)
    }

    #[inline(always)]
    fn where_negative(self, yes: Self, no: Self) -> Self {
        if self < 0.0 { yes } else { no }
    }

    #[inline(always)]
    fn where_at_most_one(self, yes: Self, no: Self) -> Self {
        if self <= 1.0 { yes } else { no }
    }

    #[inline(always)]
    fn is_at_most_one(self) -> bool {
        self <= 1.0
    }

    #[inline(always)]
    fn where_equal(self, other: f32, yes: Self, no: Self) -> Self {
        if self == other { yes } else { no }
    }
}

impl Real for f32 {
    type Words = u64;

    #[inline(always)]
    fn of_words(words: u64, number: impl Fn(u64) -> f32) -> Self {
        number(words)
    }
}

impl Number for Vec4 {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Vec4::splat(x)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        super::float::sqrt4(self)
    }

    #[inline(always)]
    fn where_negative(self, yes: Self, no: Self) -> Self {
        Vec4::select(self.cmplt(Vec4::ZERO), yes, no)
    }

    #[inline(always)]
    fn where_at_most_one(self, yes: Self, no: Self) -> Self {
        Vec4::select(self.cmple(Vec4::ONE), yes, no)
    }

    #[inline(always)]
    fn is_at_most_one(self) -> bool {
        self.cmple(Vec4::ONE).all()
    }

    #[inline(always)]
    fn where_equal(self, other: f32, yes: Self, no: Self) -> Self {
        Vec4::select(self.cmpeq(Vec4::splat(other)), yes, no)
    }
}

impl Real for Vec4 {
    type Words = [u64; LANES];

    #[inline(always)]
    fn of_words(words: Self::Words, number: impl Fn(u64) -> f32) -> Self {
        Vec4::from_array(each_lane(words, number))
    }
}
