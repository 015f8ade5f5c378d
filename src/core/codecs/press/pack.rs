//! Writes the integers.

use super::decode::{
    Component, FIRST_WIDTHS, INTERVAL_SAMPLES, Layout, SegmentWriter, exact_bits, intervals, rows_of, segments_of,
    wide_bits, width_code, write_anchor_range, write_anchors, write_layout,
};
use crate::codecs::encode::lattice::{Frame, LatticeTrack, Lattices};
use crate::codecs::encode::write::{WriteKey, write_channel, write_track_table};
use crate::codecs::runtime::{LATTICE_REFERENCE, TrackTable, width_difference};
use crate::codecs::{Encoded, LatticeRow, Ledger, Section, SegmentRate};
use crate::format::BitWriter;
use crate::math::Range3;
use crate::model::{Channel, Clip};

/// Writes the payload that [`super::decode`] reads.
pub fn pack(found: Lattices<'_>) -> Encoded {
    let Lattices { clip, table, tracks, frames } = found;
    let lattice: Vec<&LatticeTrack> = lattice_tracks(tracks).map(|(_, track)| track).collect();
    let components = components(tracks, frames);
    let mut packer = Packer::new(clip, tracks, &components);
    packer.head(table, tracks);
    for (track, components) in lattice.iter().zip(components.chunks(3)) {
        packer.step_and_reference(track);
        packer.anchor_ranges(track, components);
    }
    packer.anchors(&lattice, &components);
    if !lattice.is_empty() {
        packer.segments(&lattice, &components);
    }
    packer.exact(tracks);
    packer.finish()
}

/// The tracks on lattices, with their indices.
pub fn lattice_tracks(tracks: &[LatticeTrack]) -> impl Iterator<Item = (usize, &LatticeTrack)> + Clone {
    tracks.iter().enumerate().filter(|(_, track)| !track.is_exact())
}

/// The components of all tracks on lattices, three per track.
pub fn components(tracks: &[LatticeTrack], frames: &[Frame]) -> Vec<Component> {
    let numbers = |index: usize, i: usize| frames.iter().map(|f| f.integers[index][i]).collect::<Vec<_>>();
    lattice_tracks(tracks)
        .flat_map(|(index, _)| [0, 1, 2].map(|i| Component::new(&numbers(index, i)).expect("memory")))
        .collect()
}

/// The layout that takes the fewest bits.
pub fn best_layout(
    samples: usize,
    has_exact: bool,
    codes: impl Iterator<Item = u8> + Clone,
    components: &[Component],
) -> Layout {
    let (least_code, most_code) = (codes.clone().min().unwrap_or(0), codes.max().unwrap_or(0));
    let layouts = (0..1 << Layout::LENGTH_BITS).map(|length| Layout {
        length,
        wide_bits: wide_bits(components),
        has_exact,
        least_code,
        code_bits: u8::BITS - (most_code - least_code).leading_zeros(),
    });
    layouts.min_by_key(|layout| segments_bits(layout, components, samples)).expect("a length")
}

/// Bits of all anchors in a row.
pub fn row_bits(components: &[Component]) -> usize {
    components.iter().map(|c| c.anchor_bits as usize).sum()
}

/// Bits of all segments.
pub fn segments_bits(layout: &Layout, components: &[Component], samples: usize) -> usize {
    let mut sum = 0;
    for component in components {
        let mut before = FIRST_WIDTHS;
        for segment in segments_of(layout, samples) {
            let (rows, codes) = (rows_of(&segment, samples), component.widths(segment.clone()).map(width_code));
            let bits = |i: usize| {
                let row_bits = layout.width(codes[i]) as usize;
                rows[i] * row_bits + width_difference(before[i], codes[i]) as usize + 1
            };
            sum += bits(0) + bits(1);
            before = codes;
        }
    }
    sum
}

/// The row of a component before its residuals are counted.
fn lattice_row(track: &LatticeTrack, component: usize, anchor_bits: u64) -> LatticeRow {
    let (joint, step) = (track.joint as u16, track.step(component));
    LatticeRow { joint, channel: track.channel, component: component as u8, step, bits: [anchor_bits, 0, 0] }
}

/// Writes a payload part by part.
pub struct Packer<'a> {
    clip: &'a Clip,
    layout: Layout,
    out: BitWriter,
    ledger: Ledger,
    /// One row per component, in order.
    lattice: Vec<LatticeRow>,
}

impl<'a> Packer<'a> {
    /// A packer of an empty payload.
    pub fn new(clip: &'a Clip, tracks: &[LatticeTrack], components: &[Component]) -> Self {
        let codes = lattice_tracks(tracks).flat_map(|(_, track)| track.codes);
        let layout = best_layout(clip.samples(), tracks.iter().any(LatticeTrack::is_exact), codes, components);
        Self { clip, layout, out: BitWriter::new(), ledger: Ledger::default(), lattice: Vec::new() }
    }

    /// Writes everything before the records.
    pub fn head(&mut self, table: &TrackTable, tracks: &[LatticeTrack]) {
        let ledger = &mut self.ledger;
        write_track_table(table, &mut self.out, |joint, channel, bits| {
            ledger.track(joint, channel, Section::Constant, bits)
        });
        ledger.clip(Section::Tables, table.head_bits());
        write_layout(&self.layout, &mut self.out);
        ledger.clip(Section::Header, Layout::BITS);
        for track in tracks.iter().filter(|_| self.layout.has_exact) {
            self.out.push(u64::from(track.is_exact()), 1);
            ledger.track(track.joint, track.channel, Section::Tables, 1);
        }
    }

    /// Writes the first part of a track's record.
    pub fn step_and_reference(&mut self, track: &LatticeTrack) {
        let before = self.out.bit_len();
        let layout = self.layout;
        track.codes.iter().for_each(|code| self.out.push(u64::from(code - layout.least_code), layout.code_bits));
        if track.channel == Channel::Rotation {
            LATTICE_REFERENCE.write(track.centre, &Range3::UNIT, &mut self.out);
        }
        self.count(track, Section::Range, self.out.bit_len() - before);
    }

    fn anchor_ranges(&mut self, track: &LatticeTrack, components: &[Component]) {
        let before = self.out.bit_len();
        components.iter().for_each(|component| write_anchor_range(component, &mut self.out));
        self.count(track, Section::Range, self.out.bit_len() - before);
    }

    fn anchors(&mut self, tracks: &[&LatticeTrack], components: &[Component]) {
        let samples = self.clip.samples();
        write_anchors(components, samples, &mut self.out);
        let rows = intervals(samples) + 1;
        for (track, components) in tracks.iter().zip(components.chunks(3)) {
            self.count(track, Section::Animated, rows * row_bits(components));
            for (component, anchor) in components.iter().enumerate() {
                self.lattice.push(lattice_row(track, component, rows as u64 * u64::from(anchor.anchor_bits)));
            }
        }
    }

    fn segments(&mut self, tracks: &[&LatticeTrack], components: &[Component]) {
        let samples = self.clip.samples();
        let mut writer = SegmentWriter::new(self.layout, samples, components).expect("memory");
        let layout = self.layout;
        for intervals in segments_of(&layout, samples) {
            let written = writer.write(intervals.clone(), &mut self.out).expect("memory");
            let rows = rows_of(&intervals, samples);
            for (row, written) in self.lattice.iter_mut().zip(&written) {
                row.bits[1] += rows[0] as u64 * u64::from(written.widths[0]);
                row.bits[2] += rows[1] as u64 * u64::from(written.widths[1]);
            }
            for (track, (written, components)) in tracks.iter().zip(written.chunks(3).zip(components.chunks(3))) {
                self.count(track, Section::Tables, written.iter().map(|w| w.codes as usize).sum());
                let bits = |i: usize| rows[i] * written.iter().map(|w| w.widths[i] as usize).sum::<usize>();
                self.count(track, Section::Animated, bits(0) + bits(1));
                let with_anchors = bits(0) + bits(1) + intervals.len() * row_bits(components);
                let numbers = 3 * (rows[0] + rows[1] + intervals.len());
                let first_sample = intervals.start * INTERVAL_SAMPLES;
                self.rate(track, first_sample, ((with_anchors + numbers / 2) / numbers) as u32);
            }
        }
    }

    /// Writes the rows of float32 tracks.
    pub fn exact(&mut self, tracks: &[LatticeTrack]) {
        let exact = || tracks.iter().filter(|t| t.is_exact());
        for sample in 0..if exact().next().is_some() { self.clip.samples() } else { 0 } {
            for track in exact() {
                write_channel(&self.clip.at(sample, track.joint), track.channel, &mut self.out);
            }
        }
        for track in exact() {
            self.count(track, Section::Animated, self.clip.samples() * exact_bits(track.channel));
            self.rate(track, 0, u32::BITS);
        }
    }

    /// Records a track's bit rate in a segment, including its share of the anchors.
    fn rate(&mut self, track: &LatticeTrack, first_sample: usize, bits: u32) {
        let (joint, first_sample) = (track.joint as u16, first_sample as u32);
        self.ledger.rate(SegmentRate { joint, channel: track.channel, first_sample, bits });
    }

    fn count(&mut self, track: &LatticeTrack, section: Section, bits: usize) {
        self.ledger.track(track.joint, track.channel, section, bits as u64);
    }

    /// Returns the payload.
    pub fn finish(mut self) -> Encoded {
        let bits = self.out.bit_len();
        self.ledger.clip(Section::Padding, (bits.next_multiple_of(8) - bits) as u64);
        self.ledger.lattice(self.lattice);
        Encoded { payload: self.out.finish(), ledger: self.ledger, kept: Vec::new() }
    }
}
