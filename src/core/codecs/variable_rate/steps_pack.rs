//! Integers as bytes: of each number and segment its lowest, and as many bits as reach its highest.

use super::decode::steps::{
    CODE_SIZE_BITS, Component, FIRST_WIDTH, GRANULARITY_OF_STEPS, LEAST_SEGMENT_BITS, SIZE_BITS, STEP_BITS, WIDEST,
};
use super::decode::{Granularity, Layout, RangeReduction, exact_bits};
use super::pack::write_layout;
use crate::codecs::encode::lattice::{Frame, LatticeTrack};
use crate::codecs::encode::write::{WriteKey, write_channel, write_track_table};
use crate::codecs::runtime::{LATTICE_REFERENCE, Segments, TrackTable, push_unary, width_difference, zigzag32};
use crate::codecs::{Encoded, Ledger, Section, SegmentRate};
use crate::format::BitWriter;
use crate::math::Range3;
use crate::model::{Channel, Clip};
use std::ops::Range;

/// Lengths of segments that are tried, in samples.
const LENGTHS: [usize; 12] = [4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 128];

/// Writes the payload that [`super::decode::steps`] reads, in segments of the length that takes the fewest bits.
pub fn pack(clip: &Clip, table: &TrackTable, tracks: &[LatticeTrack], frames: &[Frame]) -> Encoded {
    let numbers: Vec<[Vec<i32>; 3]> = (0..tracks.len()).map(|index| numbers(&tracks[index], index, frames)).collect();
    let lattice = || tracks.iter().zip(&numbers).filter(|(track, _)| !track.is_exact());
    let bits_in = |segments: Segments| {
        let of_track =
            |(track, numbers): (&LatticeTrack, &[Vec<i32>; 3])| TrackRows::new(track, numbers, segments).bits(segments);
        lattice().map(of_track).sum::<usize>()
    };
    let exact: usize = tracks.iter().filter(|t| t.is_exact()).map(|t| exact_bits(t.channel) * clip.samples()).sum();
    let is_justified = |segments: Segments, bits: usize| {
        segments.count() == 1 || bits + exact >= segments.count() * tracks.len() * LEAST_SEGMENT_BITS
    };
    let lengths = LENGTHS.into_iter().chain([clip.samples()]).filter(|length| *length < 1 << 16);
    let costs = lengths.filter_map(|length| {
        let segments = Segments::new(clip.samples(), length);
        let bits = bits_in(segments);
        is_justified(segments, bits).then_some((bits, length))
    });
    let segment_samples = costs.min().map_or(u16::MAX as usize, |(_, length)| length);
    let segments = Segments::new(clip.samples(), segment_samples);
    let rows = tracks.iter().zip(&numbers).map(|(track, numbers)| TrackRows::new(track, numbers, segments)).collect();
    let mut packer = Packer { clip, tracks, rows, out: BitWriter::new(), ledger: Ledger::default() };
    packer.head(table, segment_samples);
    if !tracks.is_empty() {
        (0..segments.count()).for_each(|segment| packer.segment(segment, segments.samples_of(segment)));
    }
    packer.finish()
}

/// The integers of a track, number by number; none of one that is float32.
fn numbers(track: &LatticeTrack, index: usize, frames: &[Frame]) -> [Vec<i32>; 3] {
    let of = |i: usize| frames.iter().filter(|_| !track.is_exact()).map(|f| f.integers[index][i]).collect();
    [of(0), of(1), of(2)]
}

/// One of a track's numbers, cut into segments.
struct Rows<'a> {
    values: &'a [i32],
    component: Component,
    /// Of each segment: bits of a number, and the lowest from the origin.
    segments: Vec<(u32, i32)>,
}

/// The rows of a track's numbers.
struct TrackRows<'a>([Rows<'a>; 3]);

impl<'a> Rows<'a> {
    fn new(values: &'a [i32], has_origin: bool, segments: Segments) -> Self {
        let range = |values: &[i32]| values.iter().fold((i32::MAX, i32::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        let (lowest, highest) = range(values);
        let origin = if has_origin && !values.is_empty() { lowest + (highest - lowest) / 2 } else { 0 };
        let rate = |segment: usize| {
            let (lowest, highest) = range(&values[segments.samples_of(segment)]);
            fitting(lowest - origin, highest - origin)
        };
        let segments: Vec<_> = (0..if values.is_empty() { 0 } else { segments.count() }).map(rate).collect();
        let bits = segments.iter().map(|(_, lowest)| signed_bits(*lowest)).max().unwrap_or(0);
        Self { values, component: Component { origin, bits }, segments }
    }

    /// Bits of its lowests and rates.
    fn table_bits(&self) -> usize {
        let mut before = FIRST_WIDTH;
        let of_segment = |&(width, _): &(u32, i32)| {
            let difference = width_difference(std::mem::replace(&mut before, width), width);
            (difference + 1 + self.component.lowest_bits(width)) as usize
        };
        self.segments.iter().map(of_segment).sum()
    }
}

/// The fewest bits that reach from a lowest of so many bits less to the highest, and that lowest.
fn fitting(lowest: i32, highest: i32) -> (u32, i32) {
    let width = (0..WIDEST).find(|width| highest - told(lowest, *width) < 1 << width).unwrap_or(WIDEST);
    (width, told(lowest, width))
}

/// A lowest without the bits that are not stored.
fn told(lowest: i32, width: u32) -> i32 {
    lowest >> Component::shift(width) << Component::shift(width)
}

/// Bits of a number half of whose range is negative; none for zero.
fn signed_bits(x: i32) -> u32 {
    let magnitude = if x < 0 { !x } else { x };
    if x == 0 { 0 } else { 1 + u32::BITS - magnitude.leading_zeros() }
}

impl<'a> TrackRows<'a> {
    fn new(track: &LatticeTrack, numbers: &'a [Vec<i32>; 3], segments: Segments) -> Self {
        let has_origin = track.channel != Channel::Rotation;
        let [x, y, z] = numbers;
        Self([x, y, z].map(|values| Rows::new(values, has_origin, segments)))
    }

    /// Bits of everything in the segments.
    fn bits(&self, segments: Segments) -> usize {
        let animated = |rows: &Rows<'_>| -> usize {
            let of = |(segment, (width, _)): (usize, &(u32, i32))| segments.samples_of(segment).len() * *width as usize;
            rows.segments.iter().enumerate().map(of).sum()
        };
        self.0.iter().map(|rows| rows.table_bits() + animated(rows)).sum()
    }
}

struct Packer<'a> {
    clip: &'a Clip,
    tracks: &'a [LatticeTrack],
    /// One a track.
    rows: Vec<TrackRows<'a>>,
    out: BitWriter,
    ledger: Ledger,
}

impl Packer<'_> {
    fn head(&mut self, table: &TrackTable, segment_samples: usize) {
        let ledger = &mut self.ledger;
        write_track_table(table, &mut self.out, |joint, channel, bits| {
            ledger.track(joint, channel, Section::Constant, bits)
        });
        ledger.clip(Section::Tables, table.head_bits());
        let before = self.out.bit_len();
        let (granularity, range) = (Granularity::Track, RangeReduction::Steps);
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
        self.ledger.clip(Section::Header, (self.out.bit_len() - before) as u64);
        for index in (0..self.tracks.len()).filter(|index| !self.tracks[*index].is_exact()) {
            self.record(index, (least, code_bits));
        }
    }

    fn record(&mut self, index: usize, (least, code_bits): (u8, u32)) {
        let before = self.out.bit_len();
        let track = &self.tracks[index];
        track.codes.iter().for_each(|code| self.out.push(u64::from(code - least), code_bits));
        let components = || self.rows[index].0.iter().map(|rows| rows.component);
        if track.channel == Channel::Rotation {
            LATTICE_REFERENCE.write(track.centre, &Range3::UNIT, &mut self.out);
        } else {
            for component in components() {
                let code = zigzag32(component.origin);
                let bits = u32::BITS - code.leading_zeros();
                self.out.push(u64::from(bits), SIZE_BITS);
                self.out.push(u64::from(code), bits);
            }
        }
        components().for_each(|component| self.out.push(u64::from(component.bits), SIZE_BITS));
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

    /// Rates and lowests of a track.
    fn rates(&mut self, index: usize, segment: usize) {
        for i in 0..3 {
            let rows = &self.rows[index].0[i];
            let (width, lowest) = rows.segments[segment];
            let before = if segment == 0 { FIRST_WIDTH } else { rows.segments[segment - 1].0 };
            let bits = rows.component.lowest_bits(width);
            let start = self.out.bit_len();
            push_unary(width_difference(before, width), &mut self.out);
            let told = self.out.bit_len();
            let half = 1i64 << bits >> 1;
            self.out.push((i64::from(lowest >> Component::shift(width)) + half) as u64, bits);
            let track = (self.tracks[index].joint, self.tracks[index].channel);
            self.ledger.track(track.0, track.1, Section::Tables, (told - start) as u64);
            self.ledger.track(track.0, track.1, Section::Range, u64::from(bits));
        }
    }

    fn sample(&mut self, index: usize, segment: usize, sample: usize) {
        let (track, before) = (&self.tracks[index], self.out.bit_len());
        if track.is_exact() {
            write_channel(&self.clip.at(sample, track.joint), track.channel, &mut self.out);
        } else {
            for rows in &self.rows[index].0 {
                let (width, lowest) = rows.segments[segment];
                self.out.push((rows.values[sample] - rows.component.origin - lowest) as u64, width);
            }
        }
        self.count(index, Section::Animated, before);
    }

    /// Tells how many bits a number has.
    fn rate(&mut self, index: usize, segment: usize, samples: &Range<usize>) {
        let track = &self.tracks[index];
        let widths = self.rows[index].0.iter().filter_map(|rows| rows.segments.get(segment)).map(|(width, _)| *width);
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
