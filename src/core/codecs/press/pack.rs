//! Integers as bytes.

use super::decode::{
    CODE_SIZE_BITS, FIRST_WIDTHS, INTERVAL_SAMPLES, Interval, Layout, REFERENCE, SIZE_BITS, STEP_BITS, WIDE,
    exact_bits, intervals, predict_fine, predict_middle,
};
use super::solve::Frame;
use super::tracks::Track;
use crate::codecs::encode::write::{WriteKey, write_track_table, zigzag};
use crate::codecs::runtime::{Segments, TrackTable};
use crate::codecs::{Encoded, Ledger, Section, SegmentRate};
use crate::format::BitWriter;
use crate::math::Range3;
use crate::model::{Channel, Clip};
use std::ops::Range;

/// Writes the payload that [`super::decode`] reads.
pub fn pack(clip: &Clip, table: &TrackTable, tracks: &[Track], frames: &[Frame]) -> Encoded {
    let lattice: Vec<Lattice> =
        tracks.iter().enumerate().filter(|(_, t)| !t.is_exact()).map(|(i, t)| Lattice::new(t, i, frames)).collect();
    let codes = || lattice.iter().flat_map(|lattice| lattice.track.codes);
    let (least_code, most_code) = (codes().min().unwrap_or(0), codes().max().unwrap_or(0));
    let layouts = (0..1 << Layout::LENGTH_BITS).map(|length| Layout {
        length,
        wide_bits: wide_bits(&lattice),
        has_exact: lattice.len() < tracks.len(),
        least_code,
        code_bits: u8::BITS - (most_code - least_code).leading_zeros(),
    });
    let layout = layouts.min_by_key(|layout| segments_bits(layout, &lattice, clip.samples())).expect("a length");
    let mut packer = Packer { clip, layout, out: BitWriter::new(), ledger: Ledger::default() };
    packer.head(table, tracks, &lattice);
    packer.anchors(&lattice);
    if !lattice.is_empty() {
        let mut before = vec![FIRST_WIDTHS; 3 * lattice.len()];
        segments_of(&layout, clip.samples()).for_each(|segment| packer.segment(&lattice, segment, &mut before));
    }
    packer.exact(tracks);
    packer.finish()
}

/// The integers of a track, as anchors and residuals.
struct Lattice<'a> {
    track: &'a Track,
    components: [Component; 3],
}

/// One of the three numbers of a track.
struct Component {
    anchors: Vec<i32>,
    lowest: i32,
    anchor_bits: u32,
    /// Bits of the offset that says the lowest; none where it is minus half the range.
    offset_bits: u32,
    /// Of each interval: of its middle, and of its other samples.
    middles: Vec<i32>,
    fines: Vec<[i32; 2]>,
}

impl<'a> Lattice<'a> {
    fn new(track: &'a Track, index: usize, frames: &[Frame]) -> Self {
        let component = |i: usize| Component::new(&frames.iter().map(|f| f.integers[index][i]).collect::<Vec<_>>());
        Self { track, components: [0, 1, 2].map(component) }
    }

    /// Bits of one anchor.
    fn anchor_bits(&self) -> u32 {
        self.components.iter().map(|c| c.anchor_bits).sum()
    }
}

impl Component {
    fn new(values: &[i32]) -> Self {
        let samples = values.len();
        let count = intervals(samples);
        let anchor = |i: usize| values[(i * INTERVAL_SAMPLES).min(samples - 1)];
        let anchors: Vec<i32> = (0..=count).map(anchor).collect();
        let (mut middles, mut fines) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for interval in (0..count).map(|i| Interval::at(i, samples)) {
            let values = &values[interval.start()..][..=interval.length];
            let (start, end, middle) =
                (values[0], values[interval.length], values[interval.middle().min(interval.length)]);
            let residual = match interval.length {
                1 => 0,
                _ => middle - predict_middle(start, end, interval.is_uneven()),
            };
            let fine = |place: usize, before, after| values[place] - predict_fine(before, after, residual);
            middles.push(residual);
            fines.push(match interval.fine_rows() {
                0 => [0; 2],
                1 => [fine(1, start, middle), 0],
                _ => [fine(1, start, middle), fine(3, middle, end)],
            });
        }
        let (lowest, anchor_bits, offset_bits) = anchor_range(&anchors);
        Self { anchors, lowest, anchor_bits, offset_bits, middles, fines }
    }

    /// Bits of the residuals of some intervals.
    fn widths(&self, intervals: Range<usize>) -> [u32; 2] {
        let width = |residuals: &mut dyn Iterator<Item = i32>| residuals.map(signed_bits).max().unwrap_or(0);
        let middle = width(&mut self.middles[intervals.clone()].iter().copied());
        [middle, width(&mut self.fines[intervals].iter().flatten().copied())]
    }
}

/// The lowest anchor as it is written, the bits of each above it, and those that say it: whichever way is shorter.
fn anchor_range(anchors: &[i32]) -> (i32, u32, u32) {
    let (lowest, highest) = anchors.iter().fold((i32::MAX, i32::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    let centred_bits = signed_bits(lowest).max(signed_bits(highest));
    let bits = u32::BITS - ((highest - lowest) as u32).leading_zeros();
    let offset_bits = u32::BITS - zigzag(lowest).leading_zeros();
    if centred_bits as usize * anchors.len() <= bits as usize * anchors.len() + (offset_bits + SIZE_BITS) as usize {
        return (-((1i64 << centred_bits >> 1) as i32), centred_bits, 0);
    }
    (lowest, bits, offset_bits.max(1))
}

/// Bits of a residual, half of whose range is negative; none for zero.
fn signed_bits(x: i32) -> u32 {
    let magnitude = if x < 0 { !x } else { x } as u32;
    if x == 0 { 0 } else { 1 + u32::BITS - magnitude.leading_zeros() }
}

fn width_code(bits: u32) -> u32 {
    bits.min(WIDE)
}

fn wide_bits(tracks: &[Lattice<'_>]) -> u32 {
    let all = tracks.iter().flat_map(|t| &t.components).flat_map(|c| c.widths(0..c.middles.len()));
    all.max().unwrap_or(0).max(WIDE)
}

/// Intervals of each segment.
fn segments_of(layout: &Layout, samples: usize) -> impl Iterator<Item = Range<usize>> {
    let count = intervals(samples);
    let segments = Segments::new(count.max(1), layout.segment_intervals());
    (0..if count > 0 { segments.count() } else { 0 }).map(move |segment| segments.samples_of(segment))
}

/// Rows of middles and of other samples of a segment.
fn rows_of(intervals: &Range<usize>, samples: usize) -> [usize; 2] {
    let last = Interval::at(intervals.end - 1, samples);
    [intervals.len() - usize::from(last.length < 2), 2 * (intervals.len() - 1) + last.fine_rows()]
}

/// Bits of everything in the segments.
fn segments_bits(layout: &Layout, tracks: &[Lattice<'_>], samples: usize) -> usize {
    let mut sum = 0;
    for component in tracks.iter().flat_map(|t| &t.components) {
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

/// What is written of a width after another.
fn width_difference(before: u32, code: u32) -> u32 {
    zigzag(code as i32 - before as i32)
}

/// So many ones, then a zero.
fn push_unary(count: u32, out: &mut BitWriter) {
    out.push((1 << count) - 1, count + 1);
}

struct Packer<'a> {
    clip: &'a Clip,
    layout: Layout,
    out: BitWriter,
    ledger: Ledger,
}

impl Packer<'_> {
    fn head(&mut self, table: &TrackTable, tracks: &[Track], lattice: &[Lattice<'_>]) {
        let ledger = &mut self.ledger;
        write_track_table(table, &mut self.out, |joint, channel, bits| {
            ledger.track(joint, channel, Section::Constant, bits)
        });
        ledger.clip(Section::Tables, table.head_bits());
        self.out.push(u64::from(self.layout.length), Layout::LENGTH_BITS);
        self.out.push(u64::from(self.layout.wide_bits), SIZE_BITS);
        self.out.push(u64::from(self.layout.has_exact), 1);
        self.out.push(u64::from(self.layout.least_code), STEP_BITS);
        self.out.push(u64::from(self.layout.code_bits), CODE_SIZE_BITS);
        ledger.clip(Section::Header, Layout::BITS);
        for track in tracks.iter().filter(|_| self.layout.has_exact) {
            self.out.push(u64::from(track.is_exact()), 1);
            ledger.track(track.joint, track.channel, Section::Tables, 1);
        }
        lattice.iter().for_each(|lattice| self.record(lattice));
    }

    fn record(&mut self, lattice: &Lattice<'_>) {
        let before = self.out.bit_len();
        let track = lattice.track;
        let layout = self.layout;
        track.codes.iter().for_each(|code| self.out.push(u64::from(code - layout.least_code), layout.code_bits));
        if track.channel == Channel::Rotation {
            REFERENCE.write(track.centre, &Range3::UNIT, &mut self.out);
        }
        for component in &lattice.components {
            self.out.push(u64::from(component.anchor_bits), SIZE_BITS);
            self.out.push(u64::from(component.offset_bits > 0), 1);
            if component.offset_bits > 0 {
                self.out.push(u64::from(component.offset_bits), SIZE_BITS);
                self.out.push(u64::from(zigzag(component.lowest)), component.offset_bits);
            }
        }
        self.count(track, Section::Range, self.out.bit_len() - before);
    }

    fn anchors(&mut self, tracks: &[Lattice<'_>]) {
        let rows = intervals(self.clip.samples()) + 1;
        for row in 0..rows {
            for component in tracks.iter().flat_map(|t| &t.components) {
                self.out.push((component.anchors[row] - component.lowest) as u64, component.anchor_bits);
            }
        }
        for lattice in tracks {
            self.count(lattice.track, Section::Animated, rows * lattice.anchor_bits() as usize);
        }
    }

    fn segment(&mut self, tracks: &[Lattice<'_>], intervals: Range<usize>, before: &mut [[u32; 2]]) {
        let components: Vec<&Component> = tracks.iter().flat_map(|t| &t.components).collect();
        let codes: Vec<[u32; 2]> = components.iter().map(|c| c.widths(intervals.clone()).map(width_code)).collect();
        let mut width_bits = Vec::with_capacity(components.len());
        for (codes, before) in codes.iter().zip(before.iter_mut()) {
            let differences = [0, 1].map(|i| width_difference(before[i], codes[i]));
            differences.iter().for_each(|difference| push_unary(*difference, &mut self.out));
            width_bits.push(differences.iter().sum::<u32>() + 2);
            *before = *codes;
        }
        let widths: Vec<[u32; 2]> = codes.iter().map(|c| c.map(|code| self.layout.width(code))).collect();
        let rows = rows_of(&intervals, self.clip.samples());
        for interval in intervals.clone().take(rows[0]) {
            for (component, widths) in components.iter().zip(&widths) {
                self.residual(component.middles[interval], widths[0]);
            }
        }
        for row in 0..rows[1] {
            for (component, widths) in components.iter().zip(&widths) {
                self.residual(component.fines[intervals.start + row / 2][row % 2], widths[1]);
            }
        }
        for ((lattice, widths), width_bits) in tracks.iter().zip(widths.chunks(3)).zip(width_bits.chunks(3)) {
            self.count(lattice.track, Section::Tables, width_bits.iter().sum::<u32>() as usize);
            let bits = |i: usize| rows[i] * widths.iter().map(|w| w[i] as usize).sum::<usize>();
            self.count(lattice.track, Section::Animated, bits(0) + bits(1));
            let with_anchors = bits(0) + bits(1) + intervals.len() * lattice.anchor_bits() as usize;
            let numbers = 3 * (rows[0] + rows[1] + intervals.len());
            self.rate(
                lattice.track,
                intervals.start * INTERVAL_SAMPLES,
                ((with_anchors + numbers / 2) / numbers) as u32,
            );
        }
    }

    fn residual(&mut self, residual: i32, bits: u32) {
        let bias = 1i64 << bits >> 1;
        self.out.push((i64::from(residual) + bias) as u64, bits);
    }

    fn exact(&mut self, tracks: &[Track]) {
        let exact = || tracks.iter().filter(|t| t.is_exact());
        for sample in 0..if exact().next().is_some() { self.clip.samples() } else { 0 } {
            for track in exact() {
                let raw = self.clip.at(sample, track.joint);
                match track.channel {
                    Channel::Rotation => raw.rotation.to_array().into_iter().for_each(|x| self.out.push_f32(x)),
                    Channel::Translation => raw.translation.to_array().into_iter().for_each(|x| self.out.push_f32(x)),
                    Channel::Scale => raw.scale.to_array().into_iter().for_each(|x| self.out.push_f32(x)),
                }
            }
        }
        for track in exact() {
            self.count(track, Section::Animated, self.clip.samples() * exact_bits(track.channel));
            self.rate(track, 0, u32::BITS);
        }
    }

    /// Bits a number of a segment, its share of the anchors with it.
    fn rate(&mut self, track: &Track, first_sample: usize, bits: u32) {
        let (joint, first_sample) = (track.joint as u16, first_sample as u32);
        self.ledger.rate(SegmentRate { joint, channel: track.channel, first_sample, bits });
    }

    fn count(&mut self, track: &Track, section: Section, bits: usize) {
        self.ledger.track(track.joint, track.channel, section, bits as u64);
    }

    fn finish(mut self) -> Encoded {
        let bits = self.out.bit_len();
        self.ledger.clip(Section::Padding, (bits.next_multiple_of(8) - bits) as u64);
        Encoded { payload: self.out.finish(), ledger: self.ledger, kept: Vec::new() }
    }
}
