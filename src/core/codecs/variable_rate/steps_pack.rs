//! Writes integers: for each number and segment the lowest value, and as many bits as the highest needs.

use super::decode::steps::{
    CODE_SIZE_BITS, GRANULARITY_OF_STEPS, LEAST_SEGMENT_BITS, ORDER_BITS, Reach, SIZE_BITS, STEP_BITS, WIDEST,
};
use super::decode::{Granularity, Layout, RangeReduction, exact_bits};
use super::pack::write_layout;
use crate::codecs::encode::lattice::{Frame, LatticeTrack, Lattices};
use crate::codecs::encode::write::{WriteKey, write_channel, write_track_table};
use crate::codecs::runtime::{LATTICE_EXACT, LATTICE_REFERENCE, Segments, TrackTable, width_difference, zigzag32};
use crate::codecs::{Encoded, Ledger, Section, SegmentRate};
use crate::format::BitWriter;
use crate::math::Range3;
use crate::model::{Channel, Clip};
use std::ops::Range;

/// The segment lengths that are tried, in samples. Shorter ones would save a little, but each segment takes memory when a clip is opened.
const LENGTHS: [usize; 9] = [8, 10, 12, 16, 24, 32, 48, 64, 128];
/// The orders of the codes for lowest values.
const ORDERS: usize = 1 << ORDER_BITS;

/// Writes the payload that [`super::decode::steps`] reads, with the segment length that takes the fewest bits.
pub fn pack(found: Lattices<'_>) -> Encoded {
    let Lattices { clip, table, tracks, frames } = found;
    let tracks = &held(tracks, frames)[..];
    let numbers: Vec<[Vec<i32>; 3]> = (0..tracks.len()).map(|index| numbers(&tracks[index], index, frames)).collect();
    let lengths = LENGTHS.into_iter().chain([clip.samples().min(usize::from(u16::MAX))]);
    let cuts = lengths.map(|length| Cut::new(tracks, &numbers, (clip.samples(), length)));
    let is_justified = |cut: &Cut<'_>| cut.is_justified(tracks, clip.samples());
    let cut = cuts.filter(is_justified).min_by_key(|cut| cut.bits).expect("the longest segments are justified");
    let mut packer = Packer { clip, tracks, cut, out: BitWriter::new(), ledger: Ledger::default() };
    packer.head(table);
    if !tracks.is_empty() {
        let segments = packer.cut.segments;
        (0..segments.count()).for_each(|segment| packer.segment(segment, segments.samples_of(segment)));
    }
    packer.finish()
}

/// The tracks, with float32 for those whose range is so large that differences may need more bits than [`WIDEST`].
fn held(tracks: &[LatticeTrack], frames: &[Frame]) -> Vec<LatticeTrack> {
    let mut tracks = tracks.to_vec();
    for (index, track) in tracks.iter_mut().enumerate() {
        let is_wide = |numbers: &Vec<i32>| {
            let (lowest, highest) = range(numbers);
            !numbers.is_empty() && highest - lowest >= 1 << (WIDEST - 1)
        };
        if numbers(track, index, frames).iter().any(is_wide) {
            track.set_codes([LATTICE_EXACT; 3]);
        }
    }
    tracks
}

/// The integers of a track, component by component. Empty for float32 tracks.
fn numbers(track: &LatticeTrack, index: usize, frames: &[Frame]) -> [Vec<i32>; 3] {
    let of = |i: usize| frames.iter().filter(|_| !track.is_exact()).map(|f| f.integers[index][i]).collect();
    [of(0), of(1), of(2)]
}

/// All tracks, cut into segments of one length.
struct Cut<'a> {
    segments: Segments,
    segment_samples: usize,
    /// One entry per track.
    rows: Vec<[Rows<'a>; 3]>,
    first_width: u32,
    order: u32,
    /// Size of all segments in bits, without float32 tracks.
    bits: usize,
}

impl<'a> Cut<'a> {
    fn new(tracks: &[LatticeTrack], numbers: &'a [[Vec<i32>; 3]], (samples, segment_samples): (usize, usize)) -> Self {
        let segments = Segments::new(samples, segment_samples);
        let rows_of = |(track, [x, y, z]): (&LatticeTrack, &'a [Vec<i32>; 3])| {
            let has_origin = track.channel != Channel::Rotation;
            [x, y, z].map(|values| Rows::new(values, has_origin, segments))
        };
        let rows: Vec<[Rows<'a>; 3]> = tracks.iter().zip(numbers).map(rows_of).collect();
        let mut first: Vec<u32> =
            rows.iter().flatten().filter_map(|rows| rows.reaches.first()).map(|r| r.width).collect();
        first.sort_unstable();
        let first_width = first.get(first.len() / 2).copied().unwrap_or(0);
        let mut bits = [0; ORDERS];
        rows.iter().flatten().for_each(|rows| rows.add_bits(segments, first_width, &mut bits));
        let order = (0..ORDERS).min_by_key(|order| bits[*order]).unwrap_or(0);
        Self { segments, segment_samples, rows, first_width, order: order as u32, bits: bits[order] }
    }

    /// True if the segments have at least as many bits as the reader requires for their memory.
    fn is_justified(&self, tracks: &[LatticeTrack], samples: usize) -> bool {
        let exact = tracks.iter().filter(|track| track.is_exact()).map(|track| exact_bits(track.channel) * samples);
        let least = self.segments.count() * tracks.len() * LEAST_SEGMENT_BITS;
        self.segments.count() == 1 || self.bits + exact.sum::<usize>() >= least
    }
}

/// One component of a track, cut into segments.
struct Rows<'a> {
    values: &'a [i32],
    /// The value that lowest values are relative to.
    origin: i32,
    /// One per segment.
    reaches: Vec<Reach>,
}

impl<'a> Rows<'a> {
    fn new(values: &'a [i32], has_origin: bool, segments: Segments) -> Self {
        let (lowest, highest) = range(values);
        let origin = if has_origin && !values.is_empty() { lowest + (highest - lowest) / 2 } else { 0 };
        let reach = |segment: usize| {
            let (lowest, highest) = range(&values[segments.samples_of(segment)]);
            fitting(lowest - origin, highest - origin)
        };
        let reaches = (0..if values.is_empty() { 0 } else { segments.count() }).map(reach).collect();
        Self { values, origin, reaches }
    }

    /// The predecessor of a segment.
    fn before(&self, segment: usize, first_width: u32) -> Reach {
        if segment == 0 { Reach::first(first_width) } else { self.reaches[segment - 1] }
    }

    /// Adds the size of the segments in bits, for each order of the codes for lowest values.
    fn add_bits(&self, segments: Segments, first_width: u32, bits: &mut [usize; ORDERS]) {
        for (segment, reach) in self.reaches.iter().enumerate() {
            let before = self.before(segment, first_width);
            let animated = segments.samples_of(segment).len() * reach.width as usize;
            let fixed = animated + width_difference(before.width, reach.width) as usize + 1;
            let farther = farther(before, reach);
            bits.iter_mut().enumerate().for_each(|(order, bits)| *bits += fixed + golomb_bits(farther, order as u32));
        }
    }
}

/// The lowest and the highest value.
fn range(values: &[i32]) -> (i32, i32) {
    values.iter().fold((i32::MAX, i32::MIN), |(lowest, highest), &x| (lowest.min(x), highest.max(x)))
}

/// Bits needed to cover [lowest, highest], with the lowest rounded down to its stored bits.
fn fitting(lowest: i32, highest: i32) -> Reach {
    let told = |width: u32| lowest >> Reach::shift(width) << Reach::shift(width);
    let width = (0..WIDEST).find(|width| highest - told(*width) < 1 << width).unwrap_or(WIDEST);
    Reach { width, lowest: told(width) }
}

/// The stored distance of a lowest value from its prediction.
fn farther(before: Reach, reach: &Reach) -> u32 {
    zigzag32((reach.lowest >> Reach::shift(reach.width)).wrapping_sub(before.expected(reach.width)))
}

/// Bits of a number's exponential Golomb code.
fn golomb_bits(number: u32, order: u32) -> usize {
    let above = (u64::from(number) >> order) + 1;
    (2 * above.ilog2() + 1 + order) as usize
}

fn push_golomb(number: u32, order: u32, out: &mut BitWriter) {
    let above = (u64::from(number) >> order) + 1;
    let bits = above.ilog2();
    out.push_unary(bits);
    out.push(above - (1 << bits), bits);
    out.push(u64::from(number) & ((1 << order) - 1), order);
}

struct Packer<'a> {
    clip: &'a Clip,
    tracks: &'a [LatticeTrack],
    cut: Cut<'a>,
    out: BitWriter,
    ledger: Ledger,
}

impl Packer<'_> {
    fn head(&mut self, table: &TrackTable) {
        let ledger = &mut self.ledger;
        write_track_table(table, &mut self.out, |joint, channel, bits| {
            ledger.track(joint, channel, Section::Constant, bits)
        });
        ledger.clip(Section::Tables, table.head_bits());
        let before = self.out.bit_len();
        let (granularity, range) = (Granularity::Track, RangeReduction::Steps);
        let segment_samples = self.cut.segment_samples;
        let layout = Layout { granularity, range, highest_bits: WIDEST, segment_samples };
        write_layout(&layout, GRANULARITY_OF_STEPS, &mut self.out);
        let has_exact = self.tracks.iter().any(LatticeTrack::is_exact);
        self.out.push(u64::from(has_exact), 1);
        for track in self.tracks.iter().filter(|_| has_exact) {
            self.out.push(u64::from(track.is_exact()), 1);
        }
        let codes = || self.tracks.iter().filter(|track| !track.is_exact()).flat_map(|track| track.codes);
        let (least, most) = (codes().min().unwrap_or(0), codes().max().unwrap_or(0));
        let code_bits = u8::BITS - (most - least).leading_zeros();
        self.out.push(u64::from(least), STEP_BITS);
        self.out.push(u64::from(code_bits), CODE_SIZE_BITS);
        self.out.push(u64::from(self.cut.first_width), SIZE_BITS);
        self.out.push(u64::from(self.cut.order), ORDER_BITS);
        self.ledger.clip(Section::Header, (self.out.bit_len() - before) as u64);
        for index in (0..self.tracks.len()).filter(|index| !self.tracks[*index].is_exact()) {
            self.record(index, (least, code_bits));
        }
    }

    fn record(&mut self, index: usize, (least, code_bits): (u8, u32)) {
        let before = self.out.bit_len();
        let track = &self.tracks[index];
        track.codes.iter().for_each(|code| self.out.push(u64::from(code - least), code_bits));
        if track.channel == Channel::Rotation {
            LATTICE_REFERENCE.write(track.centre, &Range3::UNIT, &mut self.out);
        } else {
            for rows in &self.cut.rows[index] {
                let code = zigzag32(rows.origin);
                let bits = u32::BITS - code.leading_zeros();
                self.out.push(u64::from(bits), SIZE_BITS);
                self.out.push(u64::from(code), bits);
            }
        }
        self.count(index, Section::Range, before);
    }

    fn segment(&mut self, segment: usize, samples: Range<usize>) {
        for index in 0..self.tracks.len() {
            if !self.tracks[index].is_exact() {
                self.rates(index, segment);
            }
            self.rate(index, segment, &samples);
        }
        for sample in samples.clone() {
            for index in 0..self.tracks.len() {
                self.sample(index, segment, sample);
            }
        }
    }

    /// Writes the width and the lowest value of a track's components.
    fn rates(&mut self, index: usize, segment: usize) {
        let track = &self.tracks[index];
        for rows in &self.cut.rows[index] {
            let (before, reach) = (rows.before(segment, self.cut.first_width), rows.reaches[segment]);
            let start = self.out.bit_len();
            self.out.push_unary(width_difference(before.width, reach.width));
            let middle = self.out.bit_len();
            push_golomb(farther(before, &reach), self.cut.order, &mut self.out);
            self.ledger.track(track.joint, track.channel, Section::Tables, (middle - start) as u64);
            self.ledger.track(track.joint, track.channel, Section::Range, (self.out.bit_len() - middle) as u64);
        }
    }

    fn sample(&mut self, index: usize, segment: usize, sample: usize) {
        let (track, before) = (&self.tracks[index], self.out.bit_len());
        if track.is_exact() {
            write_channel(&self.clip.at(sample, track.joint), track.channel, &mut self.out);
        } else {
            for rows in &self.cut.rows[index] {
                let Reach { width, lowest } = rows.reaches[segment];
                self.out.push((rows.values[sample] - rows.origin - lowest) as u64, width);
            }
        }
        self.count(index, Section::Animated, before);
    }

    /// Records a track's bit rate in a segment: bits per number.
    fn rate(&mut self, index: usize, segment: usize, samples: &Range<usize>) {
        let track = &self.tracks[index];
        let widths = self.cut.rows[index].iter().filter_map(|rows| rows.reaches.get(segment)).map(|reach| reach.width);
        let bits = if track.is_exact() { u32::BITS } else { widths.sum::<u32>().div_ceil(3) };
        let (joint, first_sample) = (track.joint as u16, samples.start as u32);
        self.ledger.rate(SegmentRate { joint, channel: track.channel, first_sample, bits });
    }

    fn count(&mut self, index: usize, section: Section, before: usize) {
        let track = &self.tracks[index];
        self.ledger.track(track.joint, track.channel, section, (self.out.bit_len() - before) as u64);
    }

    fn finish(mut self) -> Encoded {
        let bits = self.out.bit_len();
        self.ledger.clip(Section::Padding, (bits.next_multiple_of(8) - bits) as u64);
        Encoded { payload: self.out.finish(), ledger: self.ledger, kept: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_reach_from_the_told_lowest_to_the_highest_and_no_fewer_would() {
        for (lowest, highest) in [(0, 0), (-1, 0), (-37, -37), (-300, 511), (1000, 1001), (-(1 << 22), 1 << 22)] {
            let reaches = |width: u32| highest - (lowest >> Reach::shift(width) << Reach::shift(width)) < 1 << width;
            let found = fitting(lowest, highest);
            assert!(found.lowest <= lowest && highest - found.lowest < 1 << found.width, "{lowest} to {highest}");
            assert!(found.width == 0 || !reaches(found.width - 1), "{lowest} to {highest}: {found:?}");
        }
    }

    #[test]
    fn codes_of_lowests_are_as_long_as_they_are_counted() {
        for number in [0, 1, 2, 7, 100, u32::MAX] {
            for order in 0..ORDERS as u32 {
                let mut out = BitWriter::new();
                push_golomb(number, order, &mut out);
                assert_eq!(out.bit_len(), golomb_bits(number, order), "{number}, {order}");
            }
        }
    }
}
