//! Places of integers in rows of bits, for eight tracks at a time.

use crate::format::bits_at;
use crate::math::{Bytes, EIGHT, Ints, Whole};
use crate::parts::{Tail, WINDOW, Window, word};
use core::hint::black_box;

/// A one in each byte.
pub const ONES: Bytes = 0x0101_0101_0101_0101;
const SEVENS: Bytes = 7 * ONES;
const LOW: Bytes = 15 * ONES;

/// Places of the three integers of eight tracks in a row, in the form that decodes fastest.
#[derive(Debug, Clone, Copy)]
pub struct RowPlaces {
    /// First bit of the first track.
    at: usize,
    /// Distance from there to each track: whole bytes, and the remaining bits.
    byte: Bytes,
    bit: Bytes,
    widths: [Bytes; 3],
    is_wide: bool,
}

/// Three integers per track, for all tracks of a register.
pub type Three<I> = [I; 3];

/// Like [`RowPlaces::read`], for tracks of any width, one by one.
#[cold]
#[inline(never)]
fn read_wide(bytes: &[u8], mut at: usize, (x, y, z): (Bytes, Bytes, Bytes)) -> Three<[i32; EIGHT]> {
    let widths = [x, y, z].map(Bytes::to_le_bytes);
    let mut out = [[0; EIGHT]; 3];
    for lane in 0..EIGHT {
        for (out, widths) in out.iter_mut().zip(&widths) {
            out[lane] = bits_at(bytes, at, widths[lane].into()) as i32;
            at += usize::from(widths[lane]);
        }
    }
    out
}

impl RowPlaces {
    /// Usable bits of a word: 64 minus up to 7 bits before the row and 7 before the track's first integer.
    pub const NARROW_BITS: u8 = 64 - 7 - 7;

    /// True if some track has more than [`RowPlaces::NARROW_BITS`].
    #[inline(always)]
    pub fn are_wide([x, y, z]: [Bytes; 3]) -> bool {
        (x + y + z + Bytes::from(127 - Self::NARROW_BITS) * ONES) & (128 * ONES) != 0
    }

    /// The places of consecutive tracks with these widths, the first at bit `at`. `is_wide` must be true if [`RowPlaces::are_wide`] is.
    #[inline(always)]
    pub fn new(widths: [Bytes; 3], is_wide: bool, at: usize) -> Self {
        /// Times this, each byte becomes the sum of those before it.
        const BEFORE: Bytes = ONES << 8;
        let bits = widths[0] + widths[1] + widths[2];
        // Whole bytes and remaining bits are added up apart: all sums are below 256.
        let bytes_before = (bits >> 3 & LOW).wrapping_mul(BEFORE);
        let bits_before = (bits & SEVENS).wrapping_mul(BEFORE);
        Self { at, byte: bytes_before + (bits_before >> 3 & SEVENS), bit: bits_before & SEVENS, widths, is_wide }
    }

    /// The bit after the last track.
    #[inline(always)]
    pub fn end(&self) -> usize {
        const PAIRS: u64 = 0x00ff_00ff_00ff_00ff;
        let bits = self.widths[0] + self.widths[1] + self.widths[2];
        // Sums of two fit in a byte, sums of four pairs do not.
        self.at + (((bits + (bits >> 8)) & PAIRS).wrapping_mul(ONES & PAIRS) >> 48) as usize
    }

    /// The same places in a row that starts `bits` later.
    #[inline(always)]
    pub fn after(self, bits: usize) -> Self {
        Self { at: self.at + bits, ..self }
    }

    /// The bytes in which the tracks lie.
    #[inline(always)]
    pub fn window<'a>(&self, bytes: &'a [u8], tail: &'a mut Tail<WINDOW>) -> &'a Window {
        tail.window(bytes, self.at / 8)
    }

    /// The stored integers, from track `first` on.
    #[inline(always)]
    pub fn read<I: Ints>(self, first: usize, bytes: &[u8], window: &Window) -> Three<I> {
        let [a, b, c] = self.widths;
        if self.is_wide {
            let [x, y, z] = &read_wide(bytes, self.at, (a, b, c));
            return [I::load(x, first), I::load(y, first), I::load(z, first)];
        }
        // In memory, a byte takes one instruction; in a register two or three.
        let starts = black_box(self.byte.to_le_bytes());
        let words = I::words(first, |track| word(window, starts[track]));
        let x = I::skip(words, self.bit + (self.at % 8) as Bytes * ONES, first);
        let y = I::skip(x, a, first);
        let z = I::skip(y, b, first);
        [I::lowest(x, a, first), I::lowest(y, b, first), I::lowest(z, c, first)]
    }

    /// Like [`RowPlaces::read`], for integers that are stored with half their range added: `2^width / 2`.
    #[inline(always)]
    pub fn signed<I: Ints>(self, first: usize, bytes: &[u8], window: &Window) -> Three<I> {
        let [a, b, c] = self.widths;
        self.read::<I>(first, bytes, window).minus([I::half_of(a, first), I::half_of(b, first), I::half_of(c, first)])
    }
}

/// The integers of a row, which are the same for every width of registers.
#[cfg(test)]
pub fn integers_of(places: RowPlaces, bytes: &[u8], is_signed: bool) -> Three<[i32; EIGHT]> {
    use crate::math::{Kernel, Quad, numbers_of, run};

    struct Row<'a>(RowPlaces, &'a [u8], bool, &'a mut Three<[i32; EIGHT]>);

    impl Kernel for Row<'_> {
        #[inline(always)]
        fn run<I: Ints>(self) {
            let Self(places, bytes, is_signed, out) = self;
            let mut tail = Tail::default();
            let window = places.window(bytes, &mut tail);
            for first in (0..EIGHT).step_by(I::WIDTH) {
                let read = match is_signed {
                    true => places.signed::<I>(first, bytes, window),
                    false => places.read::<I>(first, bytes, window),
                };
                for (out, numbers) in out.iter_mut().zip(read) {
                    out[first..][..I::WIDTH].copy_from_slice(&numbers_of(numbers));
                }
            }
        }
    }

    let [mut fast, mut portable, mut single] = [[[0; EIGHT]; 3]; 3];
    run(Row(places, bytes, is_signed, &mut fast));
    Row(places, bytes, is_signed, &mut portable).run::<Quad>();
    Row(places, bytes, is_signed, &mut single).run::<i32>();
    assert_eq!((fast, fast), (portable, single));
    fast
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_are_read_whatever_their_widths(
            bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..3500,
            widths in prop::array::uniform8(prop::array::uniform3(prop_oneof![0u8..32, 0u8..17])),
        ) {
            let words = [0, 1, 2].map(|i| Bytes::from_le_bytes(widths.map(|widths| widths[i])));
            let places = RowPlaces::new(words, RowPlaces::are_wide(words), at);
            let found = integers_of(places, &bytes, false);
            let mut bit = at;
            for lane in 0..EIGHT {
                for i in 0..3 {
                    let width = u32::from(widths[lane][i]);
                    prop_assert_eq!(found[i][lane], bits_at(&bytes, bit, width) as i32, "number {} of track {}", i, lane);
                    bit += width as usize;
                }
            }
            prop_assert_eq!(places.end(), bit);
        }
    }
}
