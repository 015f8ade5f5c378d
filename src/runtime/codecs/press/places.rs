//! Places of integers in a row of bits, for eight tracks at a time.

use super::layout::{Layout, WIDE};
use super::widths::TrackWidths;
use crate::format::bits_at;
use crate::math::{EIGHT, Ints, Whole};
use crate::parts::{Tail, word};

/// Usable bits of a word: 64 minus up to 7 bits before the row and 7 before the track's first integer.
const NARROW_BITS: u32 = 64 - 7 - 7;

/// Width codes of the residuals of eight tracks in the rows of a segment. Missing tracks have no bits.
#[derive(Debug)]
pub struct PackedGroup {
    /// Per row (of middle samples, of others), the bits from its start to the first track, with [`HAS_WIDE`] and [`MANY_BITS`].
    first_bits: [u32; 2],
    /// Per row and track, the width codes of x and y, four bits each.
    xy: [[u8; EIGHT]; 2],
    /// Per track, the width codes of z in both rows.
    z: [u8; EIGHT],
}

/// Flag beside the first bit of a row: some width code is [`WIDE`].
const HAS_WIDE: u32 = 1 << 31;
/// Flag beside the first bit of a row: some track has more than [`NARROW_BITS`].
const MANY_BITS: u32 = 1 << 30;

/// Places of the three integers of eight tracks in a row, in the form that decodes fastest. Missing tracks have no bits.
#[derive(Debug, Clone, Copy)]
pub struct RowPlaces {
    /// Bits from the start of the row to the first track, with [`MANY_BITS`].
    first_bit: u32,
    /// Distance from there to each track: whole bytes, and the remaining bits.
    byte: [u8; EIGHT],
    bit: [u8; EIGHT],
    widths: [[u8; EIGHT]; 3],
}

/// Place of a track's three integers in a row: bits from the start of the row, and the width of each.
#[derive(Debug, Clone, Copy)]
pub struct PackedIntegers {
    pub at: u32,
    pub widths: [u8; 3],
}

impl PackedIntegers {
    /// Bits of all three.
    pub fn bits(&self) -> u32 {
        self.widths.into_iter().map(u32::from).sum()
    }

    /// The stored integers in the row that starts at bit `row`.
    pub fn read(&self, bytes: &[u8], row: usize) -> [i32; 3] {
        let mut at = row + self.at as usize;
        self.widths.map(|width| {
            at += usize::from(width);
            bits_at(bytes, at - usize::from(width), width.into()) as i32
        })
    }
}

/// Three integers per track, for all tracks of a register.
pub type Three<I> = [I; 3];

/// An array of three from their indices.
#[inline(always)]
pub fn three<T>(f: impl Fn(usize) -> T) -> [T; 3] {
    [f(0), f(1), f(2)]
}

impl PackedGroup {
    /// No bits.
    const EMPTY: Self = Self { first_bits: [0; 2], xy: [[0; EIGHT]; 2], z: [0; EIGHT] };

    /// Up to eight tracks with those widths in a segment. `bits` has the bits so far of a row of middle samples and of a row of others, and
    /// is updated.
    pub fn new(widths: &[TrackWidths], layout: &Layout, bits: &mut [u32; 2]) -> Self {
        let mut out = Self { first_bits: *bits, ..Self::EMPTY };
        for (track, widths) in widths.iter().enumerate() {
            for row in [0, 1] {
                bits[row] += out.set(row, track, three(|component| widths[component][row].into()), layout);
            }
        }
        out
    }

    /// Sets the width codes of a track in a row. Returns its bits.
    fn set(&mut self, row: usize, track: usize, [x, y, z]: [u32; 3], layout: &Layout) -> u32 {
        let bits = layout.width(x) + layout.width(y) + layout.width(z);
        self.xy[row][track] = (x | y << 4) as u8;
        self.z[track] |= (z << (4 * row)) as u8;
        self.first_bits[row] |= if [x, y, z].contains(&WIDE) { HAS_WIDE } else { 0 } | flag_of(bits);
        bits
    }

    /// Places in a row (0: of middle samples, 1: of others). `more` is the number of bits of residuals with code [`WIDE`] above [`WIDE`]
    /// itself.
    #[inline(always)]
    pub fn row(&self, row: usize, more: u64) -> RowPlaces {
        const LOW: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        const SEVENS: u64 = 0x0707_0707_0707_0707;
        /// Times this, each byte becomes the sum of those before it.
        const BEFORE: u64 = 0x0101_0101_0101_0100;
        let first_bit = self.first_bits[row];
        let (xy, z) = (u64::from_le_bytes(self.xy[row]), u64::from_le_bytes(self.z));
        let mut widths = [xy & LOW, xy >> 4 & LOW, z >> (4 * row) & LOW];
        if first_bit & HAS_WIDE != 0 {
            widths = [widened(widths[0], more), widened(widths[1], more), widened(widths[2], more)];
        }
        // Whole bytes and remaining bits are added up apart: all sums are below 256.
        let bits = widths[0] + widths[1] + widths[2];
        let bytes_before = (bits >> 3 & LOW).wrapping_mul(BEFORE);
        let bits_before = (bits & SEVENS).wrapping_mul(BEFORE);
        RowPlaces {
            first_bit,
            byte: (bytes_before + (bits_before >> 3 & SEVENS)).to_le_bytes(),
            bit: (bits_before & SEVENS).to_le_bytes(),
            widths: [widths[0].to_le_bytes(), widths[1].to_le_bytes(), widths[2].to_le_bytes()],
        }
    }
}

/// The widths of codes: `more` bits more for each [`WIDE`].
#[inline(always)]
fn widened(codes: u64, more: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    codes + ((codes + ONES) >> 4 & ONES) * more
}

impl RowPlaces {
    /// The places of up to eight consecutive tracks.
    pub fn new(tracks: &[PackedIntegers]) -> Self {
        let first_bit = tracks.first().map_or(0, |track| track.at);
        let mut out = Self { first_bit, byte: [0; EIGHT], bit: [0; EIGHT], widths: [[0; EIGHT]; 3] };
        for (lane, track) in tracks.iter().enumerate() {
            let offset = track.at - first_bit;
            out.first_bit |= flag_of(track.bits());
            (out.byte[lane], out.bit[lane]) = ((offset / 8) as u8, (offset % 8) as u8);
            for (widths, width) in out.widths.iter_mut().zip(track.widths) {
                widths[lane] = width;
            }
        }
        out
    }

    /// The stored integers of the row that starts at bit `row`, from track `first` on.
    #[inline(always)]
    pub fn read<I: Ints>(&self, first: usize, bytes: &[u8], row: usize) -> Three<I> {
        let at = row + (self.first_bit & !(HAS_WIDE | MANY_BITS)) as usize;
        if self.first_bit & MANY_BITS != 0 {
            let [x, y, z] = &self.read_wide(bytes, at);
            return [I::load(x, first), I::load(y, first), I::load(z, first)];
        }
        let (mut tail, [a, b, c]) = (Tail::default(), &self.widths);
        let window = tail.window(bytes, at / 8);
        let words = I::words(first, |track| word(window, self.byte[track]));
        let x = I::skip(words, &self.bit, first, (at % 8) as u32);
        let y = I::skip(x, a, first, 0);
        let z = I::skip(y, b, first, 0);
        [I::lowest(x, a, first), I::lowest(y, b, first), I::lowest(z, c, first)]
    }

    /// Like [`RowPlaces::read`], for tracks of any width, one by one.
    #[cold]
    fn read_wide(&self, bytes: &[u8], at: usize) -> [[i32; EIGHT]; 3] {
        let mut out = [[0; EIGHT]; 3];
        for lane in 0..EIGHT {
            let mut at = at + 8 * usize::from(self.byte[lane]) + usize::from(self.bit[lane]);
            for (out, widths) in out.iter_mut().zip(&self.widths) {
                out[lane] = bits_at(bytes, at, widths[lane].into()) as i32;
                at += usize::from(widths[lane]);
            }
        }
        out
    }

    /// Like [`RowPlaces::read`], for residuals, which are stored with [half their range](super::layout::residual_bias) added.
    #[inline(always)]
    pub fn residuals<I: Ints>(&self, first: usize, bytes: &[u8], row: usize) -> Three<I> {
        let [a, b, c] = &self.widths;
        self.read::<I>(first, bytes, row).minus([I::half_of(a, first), I::half_of(b, first), I::half_of(c, first)])
    }
}

/// The flag of a track with that many bits.
fn flag_of(bits: u32) -> u32 {
    if bits > NARROW_BITS { MANY_BITS } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::layout::residual_bias;
    use super::*;
    use crate::math::{Kernel, Quad, numbers_of, run};
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// Reads the residuals of a row.
    struct Row<'a> {
        group: &'a PackedGroup,
        row: usize,
        wide_more: u64,
        bytes: &'a [u8],
        at: usize,
        out: &'a mut [[i32; EIGHT]; 3],
    }

    impl Kernel for Row<'_> {
        #[inline(always)]
        fn run<I: Ints>(self) {
            for first in (0..EIGHT).step_by(I::WIDTH) {
                let places = self.group.row(self.row, self.wide_more);
                for (out, residuals) in self.out.iter_mut().zip(places.residuals::<I>(first, self.bytes, self.at)) {
                    out[first..][..I::WIDTH].copy_from_slice(&numbers_of(residuals));
                }
            }
        }
    }

    /// Reads anchors of a row.
    struct Anchors<'a>(&'a RowPlaces, &'a [u8], usize, &'a mut [[i32; EIGHT]; 3]);

    impl Kernel for Anchors<'_> {
        #[inline(always)]
        fn run<I: Ints>(self) {
            for first in (0..EIGHT).step_by(I::WIDTH) {
                for (out, anchors) in self.3.iter_mut().zip(self.0.read::<I>(first, self.1, self.2)) {
                    out[first..][..I::WIDTH].copy_from_slice(&numbers_of(anchors));
                }
            }
        }
    }

    /// Consecutive tracks from bit `at` of a row on.
    fn places_of(widths: &[[u8; 3]], at: u32) -> Vec<PackedIntegers> {
        let place = |track: usize| {
            let before = widths[..track].iter().flatten().map(|width| u32::from(*width)).sum::<u32>();
            PackedIntegers { at: at + before, widths: widths[track] }
        };
        (0..widths.len()).map(place).collect()
    }

    proptest! {
        #[test]
        fn residuals_are_read_whatever_their_widths(
            bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..3500, first_bit in 0u32..60,
            codes in prop::collection::vec(prop::array::uniform3(prop_oneof![0..=WIDE, 0u32..6]), 1..=EIGHT),
            wide_bits in WIDE..32, row in 0usize..2,
        ) {
            let layout = Layout { length: 0, wide_bits };
            let widths: Vec<_> = codes.iter().map(|codes| codes.map(|code| layout.width(code) as u8)).collect();
            let mut group = PackedGroup::EMPTY;
            group.first_bits[row] = first_bit;
            codes.iter().enumerate().for_each(|(track, codes)| _ = group.set(row, track, *codes, &layout));
            let (bytes, group, wide_more) = (&bytes[..], &group, (wide_bits - WIDE).into());
            let (mut fast, mut portable) = ([[0; EIGHT]; 3], [[0; EIGHT]; 3]);
            run(Row { group, row, wide_more, bytes, at, out: &mut fast });
            Row { group, row, wide_more, bytes, at, out: &mut portable }.run::<Quad>();
            prop_assert_eq!(fast, portable);
            for (lane, place) in places_of(&widths, first_bit).iter().enumerate() {
                let stored = place.read(bytes, at);
                let expected = three(|i| stored[i] - residual_bias(place.widths[i]));
                prop_assert_eq!(fast.map(|numbers| numbers[lane]), expected, "track {} of {:?}", lane, codes);
            }
        }

        #[test]
        fn anchors_are_read_whatever_their_widths(
            bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..3500, first_bit in 0u32..60,
            widths in prop::collection::vec(prop::array::uniform3(prop_oneof![0u8..32, 0u8..17]), 1..=EIGHT),
        ) {
            let places = places_of(&widths, first_bit);
            let anchors = RowPlaces::new(&places);
            let (mut fast, mut portable) = ([[0; EIGHT]; 3], [[0; EIGHT]; 3]);
            run(Anchors(&anchors, &bytes, at, &mut fast));
            Anchors(&anchors, &bytes, at, &mut portable).run::<Quad>();
            prop_assert_eq!(fast, portable);
            for (lane, place) in places.iter().enumerate() {
                prop_assert_eq!(fast.map(|numbers| numbers[lane]), place.read(&bytes, at), "track {} of {:?}", lane, places);
            }
        }
    }
}
