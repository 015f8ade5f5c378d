//! Places of residuals.

use super::layout::{Layout, WIDE};
use super::widths::TrackWidths;
use crate::format::bits_at;
use crate::math::{Bytes, EIGHT};
use crate::memory::{NoMemory, with_room};
use crate::parts::{ONES, RowPlaces};
use alloc::vec::Vec;

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
            are_wide = [RowPlaces::are_wide(middle), RowPlaces::are_wide(fine)];
        }
        let middle = RowPlaces::new(middle, are_wide[0], self.rows[0]);
        let fine = RowPlaces::new(fine, are_wide[1], self.rows[1]);
        self.rows = [middle.end(), fine.end()];
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

/// The widths of codes: `more` bits more for each [`WIDE`].
#[cold]
#[inline(never)]
fn widened(codes: Bytes, more: u64) -> Bytes {
    codes + ((codes + (16 - WIDE as Bytes) * ONES) >> 4 & ONES) * more
}

#[cfg(test)]
mod tests {
    use super::super::layout::residual_bias;
    use super::*;
    use crate::parts::integers_of;
    use proptest::prelude::*;

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
                    let found = integers_of(found[row], &bytes, true);
                    for lane in 0..tracks_of(group) {
                        let place = &expected[row][EIGHT * group + lane];
                        let (stored, biases) = (place.read(&bytes, rows[row]), place.widths.map(residual_bias));
                        let expected = [0, 1, 2].map(|i| stored[i] - biases[i]);
                        prop_assert_eq!(found.map(|numbers| numbers[lane]), expected, "track {} of {}", lane, group);
                    }
                }
            }
        }
    }
}
