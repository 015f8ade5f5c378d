use super::{Bytes, EIGHT, Ints, Whole};
use crate::math::{LANES, each_lane, exp2i, step_table};
use glam::Vec4;

/// Four lanes, for any processor. Compilers use registers of 128 bits if the processor has them, such as those of NEON.
#[derive(Debug, Clone, Copy)]
pub struct Quad([i32; LANES]);

/// Masks of the lowest bits, by their number. The table has an entry for each byte, so that a look-up needs no bounds check.
const MASKS: [u32; 256] = {
    let mut out = [0; 256];
    let mut bits = 0;
    while bits < 32 {
        out[bits] = (1u32 << bits) - 1;
        bits += 1;
    }
    out
};

/// The lowest `bits` (at most 31) of a word.
#[inline(always)]
pub fn lowest_bits(word: u64, bits: u8) -> i32 {
    (word as u32 & MASKS[usize::from(bits)]).cast_signed()
}

/// The steps of all codes.
const STEPS: [f32; 256] = {
    let (table, mut out) = (step_table(0), [0.0; 256]);
    let mut code = 0;
    while code < out.len() {
        out[code] = f32::from_bits((table[code % EIGHT] + ((code as i32) << 20)).cast_unsigned());
        code += 1;
    }
    out
};

/// The items of four tracks: the first four or the last four.
#[inline(always)]
fn four<T: Copy + Default>(of: &[T; EIGHT], first: usize) -> [T; LANES] {
    of[first & LANES..].first_chunk().copied().unwrap_or_default()
}

/// The bytes of four tracks: the first four or the last four.
#[inline(always)]
fn four_bytes(of: Bytes, first: usize) -> [u8; LANES] {
    ((of >> (u8::BITS as usize * (first & LANES))) as u32).to_le_bytes()
}

impl Quad {
    #[inline(always)]
    fn pairs(self, other: Self, f: impl Fn(i32, i32) -> i32) -> Self {
        Self(each_lane([0, 1, 2, 3], |i| f(self.0[i], other.0[i])))
    }
}

impl Whole for Quad {
    #[inline(always)]
    fn splat(number: i32) -> Self {
        Self([number; LANES])
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
        Self(each_lane(self.0, f))
    }
}

impl Ints for Quad {
    type Real = Vec4;
    type Words = [u64; LANES];
    const WIDTH: usize = LANES;

    #[inline(always)]
    fn load(numbers: &[i32; EIGHT], first: usize) -> Self {
        Self(four(numbers, first))
    }

    #[inline(always)]
    fn words(first: usize, word: impl Fn(usize) -> u64) -> Self::Words {
        each_lane([first, first + 1, first + 2, first + 3], word)
    }

    #[inline(always)]
    fn load_small(numbers: &[[u8; 2]; EIGHT], first: usize) -> Self {
        Self(each_lane(four(numbers, first), |number| i16::from_le_bytes(number).into()))
    }

    #[inline(always)]
    fn skip(words: Self::Words, bits: Bytes, first: usize) -> Self::Words {
        let bits = four_bytes(bits, first);
        each_lane([0, 1, 2, 3], |i| words[i].wrapping_shr(u32::from(bits[i])))
    }

    #[inline(always)]
    fn lowest(words: Self::Words, bits: Bytes, first: usize) -> Self {
        let bits = four_bytes(bits, first);
        Self(each_lane([0, 1, 2, 3], |i| lowest_bits(words[i], bits[i])))
    }

    #[inline(always)]
    fn half_of(bits: Bytes, first: usize) -> Self {
        Self(each_lane(four_bytes(bits, first), |bits| (MASKS[usize::from(bits)].wrapping_add(1) >> 1) as i32))
    }

    #[inline(always)]
    fn signed<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        self.each(|x| x << LEFT >> RIGHT)
    }

    #[inline(always)]
    fn real(self) -> Vec4 {
        Vec4::from_array(each_lane(self.0, |x| x as f32))
    }

    #[inline(always)]
    fn steps<const HALVINGS: i32>(codes: &[u8; EIGHT], first: usize) -> Vec4 {
        Vec4::from_array(each_lane(four(codes, first), |code| STEPS[usize::from(code)])) * exp2i(-HALVINGS)
    }

    #[inline(always)]
    fn reals(numbers: &[f32; EIGHT], first: usize) -> Vec4 {
        Vec4::from_array(four(numbers, first))
    }

    #[inline(always)]
    fn quad(real: Vec4, _: usize) -> Vec4 {
        real
    }
}

/// One track.
impl Ints for i32 {
    type Real = f32;
    type Words = u64;
    const WIDTH: usize = 1;

    #[inline(always)]
    fn load(numbers: &[i32; EIGHT], first: usize) -> Self {
        numbers[first % EIGHT]
    }

    #[inline(always)]
    fn load_small(numbers: &[[u8; 2]; EIGHT], first: usize) -> Self {
        i16::from_le_bytes(numbers[first % EIGHT]).into()
    }

    #[inline(always)]
    fn words(first: usize, word: impl Fn(usize) -> u64) -> u64 {
        word(first)
    }

    #[inline(always)]
    fn skip(word: u64, bits: Bytes, first: usize) -> u64 {
        word.wrapping_shr(byte(bits, first).into())
    }

    #[inline(always)]
    fn lowest(word: u64, bits: Bytes, first: usize) -> Self {
        lowest_bits(word, byte(bits, first))
    }

    #[inline(always)]
    fn half_of(bits: Bytes, first: usize) -> Self {
        (MASKS[usize::from(byte(bits, first))].wrapping_add(1) >> 1).cast_signed()
    }

    #[inline(always)]
    fn signed<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        self << LEFT >> RIGHT
    }

    #[inline(always)]
    fn real(self) -> f32 {
        self as f32
    }

    #[inline(always)]
    fn steps<const HALVINGS: i32>(codes: &[u8; EIGHT], first: usize) -> f32 {
        STEPS[usize::from(codes[first % EIGHT])] * exp2i(-HALVINGS)
    }

    #[inline(always)]
    fn reals(numbers: &[f32; EIGHT], first: usize) -> f32 {
        numbers[first % EIGHT]
    }

    #[inline(always)]
    fn quad(real: f32, _: usize) -> Vec4 {
        Vec4::splat(real)
    }
}

#[inline(always)]
fn byte(bytes: Bytes, track: usize) -> u8 {
    (bytes >> (u8::BITS as usize * (track % EIGHT))) as u8
}
