//! Widths and lowest values of all numbers, segment by segment.

use super::reach::{Numbers, Reach};
use super::step_groups::StepGroup;
use crate::math::{Bytes, EIGHT, lowest_bits};
use crate::memory::{NoMemory, TryPush};
use crate::parts::{ONES, RowPlaces, Tail, Three, word};
use alloc::vec::Vec;
use core::ops::Range;

/// Per segment and group, lists of one item per track: three of widths in bytes, then three of lowest values in 16 bits; in a group that is
/// [`RARE`], in 32 bits.
#[derive(Debug, Default)]
pub struct SegmentTable {
    bytes: Vec<u8>,
    /// First byte of the table, if rows lie before it: then a window near their end needs no copy.
    start: Option<u32>,
}

/// Mask of a width.
const WIDTH: u8 = 0x1f;
/// Flag in the first list of widths: some lowest values of the group need more than 16 bits, or some tracks are
/// [wide](RowPlaces::NARROW_BITS).
const RARE: u8 = 0x80;
/// Bytes of a track.
const USUAL_BYTES: usize = 3 + 3 * 2;
const RARE_BYTES: usize = 3 + 3 * 4;
/// Bytes that are read for a group, however few tracks it has.
const GROUP_BYTES: usize = USUAL_BYTES * EIGHT;

impl SegmentTable {
    /// Appends the ranges of a group's tracks.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn add(&mut self, tracks: &[Numbers]) -> Result<(), NoMemory> {
        let is_small = |reach: &Reach| i32::from(reach.lowest as i16) == reach.lowest;
        let bits = |ranges: &[Reach; 3]| ranges.iter().map(|reach| reach.width).sum::<u32>();
        let is_usual =
            |ranges: [Reach; 3]| bits(&ranges) <= RowPlaces::NARROW_BITS.into() && ranges.iter().all(is_small);
        let (flag, size) = if tracks.iter().map(Numbers::ranges).all(is_usual) { (0, 2) } else { (RARE, 4) };
        for (i, flag) in [flag, 0, 0].into_iter().enumerate() {
            for track in tracks {
                self.bytes.try_push(track.ranges()[i].width as u8 | flag)?;
            }
        }
        for i in 0..3 {
            for track in tracks {
                for byte in &track.ranges()[i].lowest.to_le_bytes()[..size] {
                    self.bytes.try_push(*byte)?;
                }
            }
        }
        Ok(())
    }

    /// Ends the table: the last group may have fewer bytes than are read.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn finish(&mut self) -> Result<(), NoMemory> {
        (USUAL_BYTES..GROUP_BYTES).try_for_each(|_| self.bytes.try_push(0))
    }

    /// Appends the table to rows, which take its place.
    pub fn put_after(&mut self, mut rows: Vec<u8>) {
        self.start = Some(rows.len() as u32);
        rows.extend_from_slice(&self.bytes);
        self.bytes = rows;
    }

    /// The rows, if there are some, and the table.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, if there are rows.
    #[inline(always)]
    pub fn rows(&self) -> Option<&[u8]> {
        self.start.map(|_| self.bytes())
    }

    /// Walks over the groups of the segment whose part of the table begins at byte `byte`, in the row at bit `bit`.
    #[inline(always)]
    pub fn walk(&self, byte: usize, bit: usize) -> Walk<'_> {
        Walk { table: &self.bytes, byte: self.start.unwrap_or(0) as usize + byte, bit, group: 0 }
    }
}

/// Walks over the groups of tracks of a row.
#[derive(Debug, Clone, Copy)]
pub struct Walk<'a> {
    table: &'a [u8],
    /// The next group's first byte of the table.
    byte: usize,
    /// Its first bit.
    bit: usize,
    /// The next group.
    group: usize,
}

/// The place of a group in a row, and its part of the table.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// First bit.
    bit: usize,
    tracks: usize,
    /// Its lists, if it is not [`RARE`].
    lists: &'a [u8; GROUP_BYTES],
    table: &'a [u8],
    /// First byte of its lists.
    byte: usize,
}

impl<'a> Walk<'a> {
    /// Skips the groups before a run of groups.
    #[inline(always)]
    pub fn start(&mut self, run: &Range<usize>, groups: &[StepGroup]) {
        if self.group < run.start {
            (self.byte, self.bit) = self.skipped(&groups[self.group..run.start]);
        }
        self.group = run.end;
    }

    /// The next byte and bit after some groups.
    #[cold]
    #[inline(never)]
    fn skipped(mut self, groups: &[StepGroup]) -> (usize, usize) {
        for group in groups {
            self.skip(group);
        }
        (self.byte, self.bit)
    }

    /// Goes past a group. Returns its first bit.
    pub fn skip(&mut self, group: &StepGroup) -> usize {
        let bit = self.bit;
        match group.exact_bits {
            0 => {
                let place = self.place(group.tracks);
                self.pass(&place, place.row().end());
            }
            bits => self.bit += usize::from(bits),
        }
        bit
    }

    /// The place of the next group, which has so many tracks.
    #[inline(always)]
    pub fn place(&self, tracks: u8) -> Place<'a> {
        let (table, byte) = (self.table, self.byte);
        let lists = table.get(byte..byte + GROUP_BYTES).and_then(|lists| lists.first_chunk());
        let lists = lists.unwrap_or(&[0; GROUP_BYTES]);
        Place { bit: self.bit, tracks: usize::from(tracks).min(EIGHT), lists, table, byte }
    }

    /// Goes past the group at a place, which ends before bit `end`.
    #[inline(always)]
    pub fn pass(&mut self, place: &Place<'_>, end: usize) {
        self.byte += if place.is_rare() { RARE_BYTES } else { USUAL_BYTES } * place.tracks;
        self.bit = end;
    }
}

impl Place<'_> {
    /// True if it needs [`Place::read`].
    #[inline(always)]
    pub fn is_rare(&self) -> bool {
        self.lists[0] & RARE != 0
    }

    /// Widths of x, y and z. Missing tracks have bytes of other lists.
    #[inline(always)]
    fn widths(&self) -> Three<&[u8; EIGHT]> {
        let list = |first: usize| self.lists[first..].first_chunk().unwrap_or(&[0; EIGHT]);
        [list(0), list(self.tracks), list(2 * self.tracks)]
    }

    /// Lowest values of x, y and z.
    #[inline(always)]
    pub fn lowest(&self) -> Three<&[[u8; 2]; EIGHT]> {
        let list = |first: usize| self.lists[first..].as_chunks().0.first_chunk().unwrap_or(&[[0; 2]; EIGHT]);
        [list(3 * self.tracks), list(5 * self.tracks), list(7 * self.tracks)]
    }

    /// The same place, in the form for vector shifts.
    #[inline(always)]
    pub fn row(&self) -> RowPlaces {
        let own = (Bytes::from(WIDTH) * ONES) >> (u64::BITS as usize - u8::BITS as usize * self.tracks);
        let [x, y, z] = self.widths();
        let word = |list: &[u8; EIGHT]| Bytes::from_le_bytes(*list) & own;
        RowPlaces::new([word(x), word(y), word(z)], false, self.bit)
    }

    /// Reads the integers one by one, in the row that starts `after` bits later. Returns the bit after them in that row. Those of a [`RARE`]
    /// group are rounded to float32 above 2^24.
    #[inline(always)]
    pub fn read(&self, bytes: &[u8], after: usize, out: &mut Three<[i32; EIGHT]>) -> usize {
        if self.is_rare() { self.read_rare(bytes, after, out) } else { self.read_as::<false>(bytes, after, out) }
    }

    #[cold]
    #[inline(never)]
    fn read_rare(&self, bytes: &[u8], after: usize, out: &mut Three<[i32; EIGHT]>) -> usize {
        self.read_as::<true>(bytes, after, out)
    }

    #[inline(always)]
    fn read_as<const IS_RARE: bool>(&self, bytes: &[u8], after: usize, out: &mut Three<[i32; EIGHT]>) -> usize {
        let (start, mut tail) = (self.bit + after, Tail::default());
        let (window, mut bit) = (tail.window(bytes, start / 8), start % 8);
        let (widths, lowest) = (self.widths(), self.lowest());
        let word = |bit: usize| word(window, (bit / 8) as u8) >> (bit % 8);
        for track in 0..self.tracks {
            let mut bits = word(bit);
            for i in 0..3 {
                let mut width = widths[i][track];
                out[i][track] = if IS_RARE {
                    width &= WIDTH;
                    (self.far(i, track) as f32 + lowest_bits(word(bit), width) as f32) as i32
                } else {
                    i32::from(i16::from_le_bytes(lowest[i][track])) + lowest_bits(bits, width)
                };
                bits = bits.wrapping_shr(width.into());
                bit += usize::from(width);
            }
        }
        start / 8 * 8 + bit
    }

    /// A lowest value of a [`RARE`] group.
    fn far(&self, i: usize, track: usize) -> i32 {
        let lists = self.table.get(self.byte + 3 * self.tracks..).unwrap_or_default();
        lists.as_chunks().0.get(i * self.tracks + track).map_or(0, |bytes| i32::from_le_bytes(*bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::bits_at;
    use crate::parts::integers_of;
    use proptest::prelude::*;

    fn reach() -> impl Strategy<Value = Reach> {
        let width = prop_oneof![0u32..10, 0u32..=24];
        let lowest = prop_oneof![-1000i32..1000, any::<i16>().prop_map(i32::from), any::<i32>()];
        (width, lowest).prop_map(|(width, lowest)| Reach { width, lowest })
    }

    proptest! {
        #[test]
        fn groups_are_read_whatever_their_ranges(
            bytes in prop::collection::vec(any::<u8>(), 0..400), bit in 0usize..2000, after in 0usize..900,
            groups in prop::collection::vec(prop::collection::vec(prop::array::uniform3(reach()), 1..=8), 1..4),
        ) {
            let mut table = SegmentTable::default();
            for group in &groups {
                table.add(&group.iter().map(|reach| Numbers { origins: [0; 3], reach: *reach }).collect::<Vec<_>>()).unwrap();
            }
            table.finish().unwrap();
            table.put_after([7; 5].to_vec());
            let (mut walk, mut at) = (table.walk(0, bit), bit);
            for group in &groups {
                let place = walk.place(group.len() as u8);
                let bits = |track: &[Reach; 3]| track.iter().map(|reach| reach.width).sum::<u32>();
                let is_small = |reach: &Reach| i16::try_from(reach.lowest).is_ok();
                let is_usual = |track: &[Reach; 3]| bits(track) <= 50 && track.iter().all(is_small);
                prop_assert_eq!(place.is_rare(), !group.iter().all(is_usual));
                let mut found = [[0; EIGHT]; 3];
                let end = place.read(&bytes, after, &mut found);
                let at_once = integers_of(place.row().after(after), &bytes, false);
                for (lane, track) in group.iter().enumerate() {
                    for (i, Reach { width, lowest }) in track.iter().enumerate() {
                        let code = bits_at(&bytes, at + after, *width) as i32;
                        let expected = (*lowest as f32 + code as f32) as i32;
                        prop_assert_eq!(found[i][lane], expected, "number {} of track {}", i, lane);
                        if !place.is_rare() {
                            let lowest = i16::from_le_bytes(place.lowest()[i][lane]);
                            prop_assert_eq!(at_once[i][lane] + i32::from(lowest), expected);
                        }
                        at += *width as usize;
                    }
                }
                prop_assert_eq!((end, place.row().end()), (at + after, at));
                walk.pass(&place, at);
            }
        }
    }
}
