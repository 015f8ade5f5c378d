//! Places of integers in rows of bits, for eight tracks at a time.

use super::layout::{Layout, WIDE};
use super::widths::TrackWidths;
use crate::format::bits_at;
use crate::math::{Bytes, EIGHT, Ints, Whole};
use crate::memory::{NoMemory, with_room};
use crate::parts::{Tail, WINDOW, Window, word};
use alloc::vec::Vec;
use core::hint::black_box;

/// Usable bits of a word: 64 minus up to 7 bits before the row and 7 before the track's first integer.
const NARROW_BITS: u8 = 64 - 7 - 7;

const ONES: Bytes = 0x0101_0101_0101_0101;
const SEVENS: Bytes = 7 * ONES;
const LOW: Bytes = 15 * ONES;

/// Width codes of residuals: per segment and group, for each of its tracks a byte for x and y of middle samples, then one for x and y of other
/// samples, then one for z of both.
#[derive(Debug, Default)]
pub struct SegmentWidths {
    bytes: Vec<u8>,
    /// First byte of the codes. Rows may lie before them: then a window near their end needs no copy.
    start: usize,
    tracks: u32,
    /// Tracks of the group that was added last.
    last_tracks: u8,
}

/// Bytes of a track in [`SegmentWidths`].
const KINDS: usize = 3;
/// Bytes that are read for a group, however few tracks it has.
const GROUP_BYTES: usize = KINDS * EIGHT;

impl SegmentWidths {
    /// An empty list with room for all segments.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(tracks: usize, segments: usize) -> Result<Self, NoMemory> {
        Ok(Self {
            bytes: with_room(KINDS * tracks * segments + GROUP_BYTES)?,
            start: 0,
            tracks: tracks as u32,
            last_tracks: 0,
        })
    }

    /// Appends a group of a segment. `bits` has the bits so far of a row of middle samples and of a row of others, and is updated.
    pub fn add_group(&mut self, widths: &[TrackWidths], layout: &Layout, bits: &mut [u32; 2]) {
        let both = |low: u8, high: u8| low | high << 4;
        for row in [0, 1] {
            self.bytes.extend(widths.iter().map(|[x, y, _]| both(x[row], y[row])));
            bits[row] += widths.iter().flatten().map(|widths| layout.width(widths[row].into())).sum::<u32>();
        }
        self.bytes.extend(widths.iter().map(|[_, _, z]| both(z[0], z[1])));
        self.last_tracks = widths.len() as u8;
    }

    /// Ends the list: the last group has fewer bytes than are read.
    pub fn finish(&mut self) {
        self.bytes.resize(self.bytes.len() + GROUP_BYTES - KINDS * usize::from(self.last_tracks), 0);
    }

    /// The places of residuals in a segment. `rows` has the first bits of a row of middle samples and of a row of others. `wide_more` is the
    /// number of bits of residuals with code [`WIDE`] above [`WIDE`] itself.
    #[inline(always)]
    pub fn residuals(&self, segment: usize, rows: [usize; 2], wide_more: u64) -> ResidualPlaces<'_> {
        let byte = self.start + KINDS * self.tracks as usize * segment;
        ResidualPlaces { codes: &self.bytes, byte, group: 0, rows, wide_more }
    }

    /// Copies rows to the front of the codes.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn put_after(&mut self, rows: &[u8]) -> Result<(), NoMemory> {
        let mut bytes = with_room(rows.len() + self.bytes.len())?;
        bytes.extend_from_slice(rows);
        bytes.extend_from_slice(&self.bytes);
        (self.bytes, self.start) = (bytes, rows.len());
        Ok(())
    }

    /// The rows before the codes, and the codes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Walks over the groups of tracks, and computes the places of their residuals.
#[derive(Debug, Clone, Copy)]
pub struct ResidualPlaces<'a> {
    codes: &'a [u8],
    /// The next group's first byte of these.
    byte: usize,
    /// The next group.
    group: usize,
    /// First bits of its residuals: of a middle sample, and of another.
    rows: [usize; 2],
    wide_more: u64,
}

impl ResidualPlaces<'_> {
    /// The places of the residuals of a group of `tracks`: of a middle sample and of another. Skips the groups before it; `tracks_of` gives
    /// the number of their tracks.
    #[inline(always)]
    pub fn at(&mut self, group: usize, tracks: usize, tracks_of: impl Fn(usize) -> usize) -> [RowPlaces; 2] {
        while self.group < group {
            *self = self.skipped(tracks_of(self.group));
        }
        self.next(tracks)
    }

    #[cold]
    #[inline(never)]
    fn skipped(mut self, tracks: usize) -> Self {
        self.next(tracks);
        self
    }

    #[inline(always)]
    fn next(&mut self, tracks: usize) -> [RowPlaces; 2] {
        let [middle, fine, z] = self.codes(tracks);
        let of = |xy: Bytes, z: Bytes| [xy & LOW, xy >> 4 & LOW, z & LOW];
        let (mut middle, mut fine, mut are_wide) = (of(middle, z), of(fine, z >> 4), [false; 2]);
        if self.wide_more > 0 {
            let more = |codes: [Bytes; 3]| {
                let [x, y, z] = codes;
                [widened(x, self.wide_more), widened(y, self.wide_more), widened(z, self.wide_more)]
            };
            [middle, fine] = [more(middle), more(fine)];
            are_wide = [is_wide(middle), is_wide(fine)];
        }
        let middle = RowPlaces::new(middle, are_wide[0], self.rows[0]);
        let fine = RowPlaces::new(fine, are_wide[1], self.rows[1]);
        self.rows = [middle.at + middle.bits(), fine.at + fine.bits()];
        self.byte += KINDS * tracks;
        self.group += 1;
        [middle, fine]
    }

    /// The three bytes of each track. Missing tracks have zeros.
    #[inline(always)]
    fn codes(&self, tracks: usize) -> [Bytes; KINDS] {
        let codes =
            self.codes.get(self.byte..self.byte + GROUP_BYTES).and_then(|codes| codes.first_chunk::<GROUP_BYTES>());
        let Some(codes) = codes else { return [0; KINDS] };
        let kind = |start: usize| {
            let codes = codes.get(start..).and_then(|codes| codes.first_chunk());
            codes.map_or(0, |codes| Bytes::from_le_bytes(*codes))
        };
        if tracks == EIGHT {
            return [kind(0), kind(EIGHT), kind(2 * EIGHT)];
        }
        let own = (1 << (u8::BITS as usize * tracks)) - 1;
        [kind(0) & own, kind(tracks) & own, kind(2 * tracks) & own]
    }
}

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

/// Like [`RowPlaces::read`], for tracks of any width, one by one.
#[cold]
#[inline(never)]
fn read_wide(bytes: &[u8], mut at: usize, (x, y, z): (Bytes, Bytes, Bytes)) -> [[i32; EIGHT]; 3] {
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

/// The widths of codes: `more` bits more for each [`WIDE`].
#[cold]
#[inline(never)]
fn widened(codes: Bytes, more: u64) -> Bytes {
    codes + ((codes + (16 - WIDE as Bytes) * ONES) >> 4 & ONES) * more
}

/// True if some track has more than [`NARROW_BITS`].
pub fn is_wide([x, y, z]: [Bytes; 3]) -> bool {
    (x + y + z + Bytes::from(127 - NARROW_BITS) * ONES) & (128 * ONES) != 0
}

impl RowPlaces {
    /// The places of consecutive tracks with these widths, the first at bit `at`. `is_wide` must be true if [`is_wide`] is.
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

    /// Bits of all tracks.
    #[inline(always)]
    fn bits(&self) -> usize {
        const PAIRS: u64 = 0x00ff_00ff_00ff_00ff;
        let bits = self.widths[0] + self.widths[1] + self.widths[2];
        // Sums of two fit in a byte, sums of four pairs do not.
        (((bits + (bits >> 8)) & PAIRS).wrapping_mul(ONES & PAIRS) >> 48) as usize
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

    /// Like [`RowPlaces::read`], for residuals, which are stored with [half their range](super::layout::residual_bias) added.
    #[inline(always)]
    pub fn residuals<I: Ints>(self, first: usize, bytes: &[u8], window: &Window) -> Three<I> {
        let [a, b, c] = self.widths;
        self.read::<I>(first, bytes, window).minus([I::half_of(a, first), I::half_of(b, first), I::half_of(c, first)])
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::residual_bias;
    use super::*;
    use crate::math::{Kernel, Quad, numbers_of, run};
    use proptest::prelude::*;

    type Read = [[i32; EIGHT]; 3];

    /// Reads a row.
    struct Row<'a> {
        places: RowPlaces,
        bytes: &'a [u8],
        has_bias: bool,
        out: &'a mut Read,
    }

    impl Kernel for Row<'_> {
        #[inline(always)]
        fn run<I: Ints>(self) {
            let Self { places, bytes, has_bias, out } = self;
            let mut tail = Tail::default();
            let window = places.window(bytes, &mut tail);
            for first in (0..EIGHT).step_by(I::WIDTH) {
                let read = match has_bias {
                    true => places.residuals::<I>(first, bytes, window),
                    false => places.read::<I>(first, bytes, window),
                };
                for (out, numbers) in out.iter_mut().zip(read) {
                    out[first..][..I::WIDTH].copy_from_slice(&numbers_of(numbers));
                }
            }
        }
    }

    /// The integers of a row, which are the same for every width of registers.
    fn read(places: RowPlaces, bytes: &[u8], has_bias: bool) -> Read {
        let [mut fast, mut portable, mut single] = [[[0; EIGHT]; 3]; 3];
        run(Row { places, bytes, has_bias, out: &mut fast });
        Row { places, bytes, has_bias, out: &mut portable }.run::<Quad>();
        Row { places, bytes, has_bias, out: &mut single }.run::<i32>();
        assert_eq!((fast, fast), (portable, single));
        fast
    }

    /// Consecutive tracks.
    fn places_of(widths: &[[u8; 3]]) -> Vec<PackedIntegers> {
        let place = |track: usize| {
            let before = widths[..track].iter().flatten().map(|width| u32::from(*width)).sum::<u32>();
            PackedIntegers { at: before, widths: widths[track] }
        };
        (0..widths.len()).map(place).collect()
    }

    proptest! {
        #[test]
        fn residuals_are_read_whatever_their_widths(
            bytes in prop::collection::vec(any::<u8>(), 0..600), rows in prop::array::uniform2(0usize..3500),
            codes in prop::collection::vec(prop::array::uniform3(prop::array::uniform2(prop_oneof![0..=WIDE as u8, 0u8..6])), 1..30),
            wide_bits in WIDE..32, start in 0usize..4, segments in 1usize..3,
        ) {
            let layout = Layout { length: 0, wide_bits };
            let mut widths = SegmentWidths::new(codes.len(), segments).unwrap();
            let mut bits = [0; 2];
            for _ in 0..segments {
                bits = [0; 2];
                codes.chunks(EIGHT).for_each(|codes| widths.add_group(codes, &layout, &mut bits));
            }
            widths.finish();
            let of_row = |row: usize| {
                codes.iter().map(|of| of.map(|widths| layout.width(widths[row].into()) as u8)).collect::<Vec<_>>()
            };
            let expected = [places_of(&of_row(0)), places_of(&of_row(1))];
            prop_assert_eq!(bits, [0, 1].map(|row| of_row(row).iter().flatten().map(|bits| u32::from(*bits)).sum()));
            let mut places = widths.residuals(segments - 1, rows, (wide_bits - WIDE).into());
            let tracks_of = |group: usize| EIGHT.min(codes.len() - EIGHT * group);
            for group in start.min((codes.len() - 1) / EIGHT)..codes.len().div_ceil(EIGHT) {
                let found = places.at(group, tracks_of(group), tracks_of);
                for row in 0..2 {
                    let found = read(found[row], &bytes, true);
                    for lane in 0..tracks_of(group) {
                        let place = &expected[row][EIGHT * group + lane];
                        let (stored, biases) = (place.read(&bytes, rows[row]), place.widths.map(residual_bias));
                        let expected = [0, 1, 2].map(|i| stored[i] - biases[i]);
                        prop_assert_eq!(found.map(|numbers| numbers[lane]), expected, "track {} of {}", lane, group);
                    }
                }
            }
        }

        #[test]
        fn anchors_are_read_whatever_their_widths(
            bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..3500,
            widths in prop::array::uniform8(prop::array::uniform3(prop_oneof![0u8..32, 0u8..17])),
        ) {
            let words = [0, 1, 2].map(|i| Bytes::from_le_bytes(widths.map(|widths| widths[i])));
            let found = read(RowPlaces::new(words, is_wide(words), at), &bytes, false);
            for (lane, place) in places_of(&widths).iter().enumerate() {
                prop_assert_eq!(found.map(|numbers| numbers[lane]), place.read(&bytes, at), "track {}", lane);
            }
        }
    }
}
