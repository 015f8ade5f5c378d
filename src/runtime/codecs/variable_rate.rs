//! Every sample at bit rates that change from segment to segment and from track to track.

use super::Decode;
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{LANES, Range3, Transform, each_lane, restore_largest, restore_last};
use crate::parts::{
    ClipHeader, EXACT_BITS, KeyFormat, Place, PlaceLanes, PoseSlice, RangeLanes, Rate, RotationFormat, Segments, Slot,
    Span, TrackGroup, TrackTable, VectorFormat, check_key, grouped, read_rotation_span, read_vector_span,
    sample_groups,
};
use crate::{Channel, StateMemory, TimeGrid};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec4;

/// Reads bit-packed samples in place: where each track lies in each segment is worked out once, when a clip is opened, and
/// tracks are read four at a time.
///
/// On disk, after the track table:
/// - [`Layout`] in 21 bits;
/// - two bits a rotation track: the component that is dropped;
/// - spans of the clip: none, or one a track;
/// - for each segment: a flag and, if set, a bit a track that is stored as float32; the rates, 4 bits each; 48 bits a track
///   that has a span in the segment or is constant in it; then the samples one after another, each of all tracks.
///
/// Tracks are in the order rotations, translations, scales.
#[derive(Debug)]
pub struct VariableRateDecoder {
    grid: TimeGrid,
    still: Vec<Transform>,
    rotations: Vec<TrackLanes>,
    translations: Vec<TrackLanes>,
    scales: Vec<TrackLanes>,
    segments: Segments,
    starts: Vec<SegmentStart>,
    /// Of each segment, those of the rotations, translations and scales.
    places: Vec<PlaceLanes>,
}

/// Four animated tracks of a channel.
#[derive(Debug)]
struct TrackLanes {
    joints: [usize; LANES],
    /// Component that is left out, of rotations.
    dropped: Vec4,
    /// Of all four it is w: nothing has to be moved to its place.
    drops_w: bool,
    /// In the clip.
    spans: RangeLanes,
}

/// What the rates of a segment are shared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Granularity {
    /// All tracks.
    Clip = 0,
    /// The tracks of a channel.
    Channel = 1,
    /// Nothing.
    Track = 2,
}

/// What values are fractions of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum RangeReduction {
    /// Rotations of `-1..=1`, vectors of the span that all tracks of their channel share.
    None = 0,
    /// Of the track's span in the clip.
    Clip = 1,
    /// Of the track's span in the segment, itself a fraction of the one in the clip.
    ClipAndSegment = 2,
}

/// How a clip is stored: 2 bits granularity, 2 bits range reduction, one bit for the highest rate, 16 bits for the length
/// of segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// What shares a rate.
    pub granularity: Granularity,
    /// What samples are fractions of.
    pub range: RangeReduction,
    /// Bits a number at [`Rate::HIGHEST`]: 23 or 19.
    pub highest_bits: u32,
    /// Samples that share rates and spans.
    pub segment_samples: usize,
}

/// One animated track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackSpan {
    /// Joint that it moves.
    pub joint: usize,
    /// Component that is left out, of rotations.
    pub dropped: u8,
    /// In the clip.
    pub span: Span,
}

/// Where the samples of a segment start, in bits of the payload.
#[derive(Debug, Clone, Copy)]
struct SegmentStart {
    /// First sample.
    sample: usize,
    rows_bit: usize,
    /// From one sample to the next.
    row_bits: usize,
}

impl Layout {
    /// Bits that it takes.
    pub const BITS: u64 = 21;

    fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let granularity = match input.read("granularity", 2)? {
            0 => Granularity::Clip,
            1 => Granularity::Channel,
            2 => Granularity::Track,
            code => return Err(DecodeError::invalid("granularity of bit rates", at, code, "0 to 2")),
        };
        let range = match input.read("range reduction", 2)? {
            0 => RangeReduction::None,
            1 => RangeReduction::Clip,
            2 => RangeReduction::ClipAndSegment,
            code => return Err(DecodeError::invalid("range reduction", at, code, "0 to 2")),
        };
        let highest_bits = if input.read("highest rate", 1)? == 1 { 23 } else { 19 };
        let segment_samples = input.read("length of segments", 16)? as usize;
        if segment_samples == 0 {
            return Err(DecodeError::invalid("length of segments", at, 0, "1 sample or more"));
        }
        Ok(Self { granularity, range, highest_bits, segment_samples })
    }

    /// Number of rates a segment.
    pub fn rates(&self, tracks: usize) -> usize {
        match self.granularity {
            Granularity::Clip => 1,
            Granularity::Channel => 3,
            Granularity::Track => tracks,
        }
    }

    /// Which of the segment's rates a track has.
    #[inline]
    pub fn rate_of(&self, channel: Channel, track: usize) -> usize {
        match self.granularity {
            Granularity::Clip => 0,
            Granularity::Channel => channel as usize,
            Granularity::Track => track,
        }
    }

    /// True when tracks have spans of their own in each segment; a clip of one segment needs none.
    pub fn has_segment_spans(&self, segments: Segments) -> bool {
        self.range == RangeReduction::ClipAndSegment && segments.count() > 1
    }
}

/// Bits of a float32 sample of a channel.
pub fn exact_bits(channel: Channel) -> usize {
    if channel == Channel::Rotation { 128 } else { 96 }
}

impl VariableRateDecoder {
    /// Where a sample lies.
    fn row(&self, sample: usize) -> Row<'_> {
        let segment = self.segments.of(sample);
        let groups = self.rotations.len() + self.translations.len() + self.scales.len();
        let (start, places) = (&self.starts[segment], &self.places[segment * groups..][..groups]);
        let (rotations, vectors) = places.split_at(self.rotations.len());
        let (translations, scales) = vectors.split_at(self.translations.len());
        let bit = start.rows_bit + (sample - start.sample) * start.row_bits;
        Row { bit, places: [rotations, translations, scales] }
    }
}

impl Decode for VariableRateDecoder {
    const VERSION: u8 = 1;
    type Cursor = ();

    fn open(header: &ClipHeader, bytes: &[u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let layout = Layout::read(&mut input)?;
        let dropped = table.animated(Channel::Rotation).map(|_| input.read("dropped component", 2).map(|d| d as u8));
        let dropped = dropped.collect::<Result<Vec<_>, _>>()?;
        let rotations = read_rotation_spans(&mut input, &layout, &table, &dropped)?;
        let translations = read_vector_spans(&mut input, &layout, &table, Channel::Translation)?;
        let scales = read_vector_spans(&mut input, &layout, &table, Channel::Scale)?;
        let segments = Segments::new(header.grid.samples(), layout.segment_samples);
        let mut out = Self {
            grid: header.grid,
            still: table.still,
            rotations: TrackLanes::groups(&rotations),
            translations: TrackLanes::groups(&translations),
            scales: TrackLanes::groups(&scales),
            segments,
            starts: Vec::new(),
            places: Vec::new(),
        };
        let has_spans = layout.has_segment_spans(segments);
        let tracks = [rotations.len(), translations.len(), scales.len()];
        if tracks.iter().any(|count| *count > 0) {
            for segment in 0..segments.count() {
                let samples = segments.samples_of(segment);
                let start = read_segment(&mut input, bytes, (&layout, has_spans), tracks, samples, &mut out.places)?;
                out.starts.push(start);
            }
        }
        input.finish("segments")?;
        Ok(out)
    }

    fn cursor(&self, _: &[u8], _: StateMemory) {}

    #[inline]
    fn sample(&self, bytes: &[u8], (): &mut (), at_sample: f64, mut out: PoseSlice<'_>) {
        let (index, alpha) = self.grid.split(at_sample);
        out.copy_from(&self.still);
        if self.starts.is_empty() {
            return;
        }
        let rows = (self.row(index), self.row(if alpha > 0.0 { index + 1 } else { index }));
        let at = Sample { bytes, rows, alpha };
        at.channel::<RotationFormat>(&self.rotations, Channel::Rotation, &mut out, |out, q| out.rotation = q);
        at.channel::<VectorFormat>(&self.translations, Channel::Translation, &mut out, |out, v| out.translation = v);
        at.channel::<VectorFormat>(&self.scales, Channel::Scale, &mut out, |out, v| out.scale = v);
    }

    fn heap_bytes(&self) -> usize {
        let groups = self.rotations.len() + self.translations.len() + self.scales.len();
        size_of_val(&self.still[..])
            + groups * size_of::<TrackLanes>()
            + size_of_val(&self.starts[..])
            + size_of_val(&self.places[..])
    }
}

/// A sample within its segment.
struct Row<'a> {
    bit: usize,
    /// Of the groups of each channel.
    places: [&'a [PlaceLanes]; 3],
}

/// A sample, or two neighbours to be blended.
struct Sample<'a> {
    bytes: &'a [u8],
    rows: (Row<'a>, Row<'a>),
    alpha: f32,
}

impl Sample<'_> {
    /// Reads the wanted tracks of a channel and puts their keys.
    #[inline(always)]
    fn channel<F: ReadLanes>(
        &self,
        groups: &[TrackLanes],
        channel: Channel,
        out: &mut PoseSlice<'_>,
        put: impl Fn(&mut Transform, F::Key),
    ) {
        let ((a, b), bytes) = (&self.rows, self.bytes);
        let (places_a, places_b) = (a.places[channel as usize], b.places[channel as usize]);
        let read = |number: usize, group: &TrackLanes| F::lanes(group, bytes, a.bit, &places_a[number]);
        let read_both =
            |number: usize, group: &TrackLanes| (read(number, group), F::lanes(group, bytes, b.bit, &places_b[number]));
        sample_groups::<F, _>(groups, self.alpha, out, read, read_both, put);
    }
}

impl TrackGroup for TrackLanes {
    #[inline(always)]
    fn joints(&self) -> &[usize; LANES] {
        &self.joints
    }
}

impl TrackLanes {
    fn groups(tracks: &[TrackSpan]) -> Vec<Self> {
        let range = |track: &TrackSpan| Range3 { min: track.span.min.into(), extent: track.span.extent.into() };
        grouped(tracks, |of| Self {
            joints: of.map(|track| track.joint),
            drops_w: of.iter().all(|track| track.dropped == 3),
            dropped: Vec4::from_array(of.map(|track| f32::from(track.dropped))),
            spans: RangeLanes::new(of.map(range)),
        })
    }
}

/// Keys of any rates at the sample that begins at bit `row`. The formats are those of float32 samples.
trait ReadLanes: KeyFormat {
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PlaceLanes) -> Self::Lanes;
}

impl ReadLanes for RotationFormat {
    #[inline(always)]
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PlaceLanes) -> [Vec4; 4] {
        let rest = tracks.spans.value(places.fractions(bytes, row));
        let mut rotations = if tracks.drops_w { restore_last(rest) } else { restore_largest(tracks.dropped, rest) };
        places.set_exact(bytes, row, &mut rotations);
        rotations
    }
}

impl ReadLanes for VectorFormat {
    #[inline(always)]
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PlaceLanes) -> [Vec4; 3] {
        let mut vectors = tracks.spans.value(places.fractions(bytes, row));
        places.set_exact(bytes, row, &mut vectors);
        vectors
    }
}

/// Finds where the parts of a segment are, and checks its float32 samples, so that sampling needs no checks. `tracks`: how
/// many of each channel.
fn read_segment(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    (layout, has_spans): (&Layout, bool),
    tracks: [usize; 3],
    samples: Range<usize>,
    places: &mut Vec<PlaceLanes>,
) -> Result<SegmentStart, DecodeError> {
    let count = tracks.iter().sum();
    let exact_bit = match input.read("flag of exact tracks", 1)? {
        1 => Some(input.skip("exact tracks", count)?),
        _ => None,
    };
    let rates_bit = input.skip("bit rates", layout.rates(count) * Rate::CODE_BITS as usize)?;
    let slots_bit = rates_bit + layout.rates(count) * Rate::CODE_BITS as usize;
    let mut walk = Walk { bytes, layout, has_spans, exact_bit, rates_bit, slots_bit, track: 0, slots: 0, offset: 0 };
    let first_group = places.len();
    for (channel, count) in Channel::ALL.into_iter().zip(tracks) {
        for first in (0..count).step_by(LANES) {
            let group: Vec<Place> = (first..count.min(first + LANES)).map(|_| walk.next(channel)).collect();
            places.push(PlaceLanes::new(each_lane([0, 1, 2, 3], |lane| *group.get(lane).unwrap_or(&group[0]))));
        }
    }
    let (slots, row_bits) = (walk.slots, walk.offset as usize);
    input.skip("spans of a segment", slots * Span::SEGMENT_BITS as usize)?;
    let rows_bit = input.skip("samples of a segment", samples.len() * row_bits)?;
    let start = SegmentStart { sample: samples.start, rows_bit, row_bits };
    let (rotations, vectors) = places[first_group..].split_at(tracks[0].div_ceil(LANES));
    for row in (0..samples.len()).map(|sample| rows_bit + sample * row_bits) {
        check_exact(bytes, RotationFormat::Full, row, rotations)?;
        check_exact(bytes, VectorFormat::Float96, row, vectors)?;
    }
    Ok(start)
}

fn check_exact<F: KeyFormat>(bytes: &[u8], format: F, row: usize, places: &[PlaceLanes]) -> Result<(), DecodeError> {
    places.iter().flat_map(PlaceLanes::exact).try_for_each(|(_, at)| check_key(bytes, row + at, format))
}

/// Goes through the tracks of a segment in order and says where each lies.
struct Walk<'a> {
    bytes: &'a [u8],
    layout: &'a Layout,
    has_spans: bool,
    /// One bit a track, if any track is stored as float32.
    exact_bit: Option<usize>,
    rates_bit: usize,
    slots_bit: usize,
    track: usize,
    /// Spans and constants so far.
    slots: usize,
    /// Bits from the start of the sample to the next track.
    offset: u32,
}

impl Walk<'_> {
    fn next(&mut self, channel: Channel) -> Place {
        let (track, at) = (self.track, self.offset);
        self.track += 1;
        if self.exact_bit.is_some_and(|bit| bits_at(self.bytes, bit + track, 1) == 1) {
            self.offset += exact_bits(channel) as u32;
            return Place { at, bits: EXACT_BITS, slot: Slot::None };
        }
        let rate_bit = self.rates_bit + Rate::CODE_BITS as usize * self.layout.rate_of(channel, track);
        let rate = Rate::from_code(bits_at(self.bytes, rate_bit, Rate::CODE_BITS));
        if rate == Rate::CONSTANT {
            return Place { at, bits: 0, slot: Slot::Constant(self.next_slot()) };
        }
        let bits = rate.bits(self.layout.highest_bits);
        self.offset += 3 * bits;
        Place { at, bits, slot: if self.has_spans { Slot::Span(self.next_slot()) } else { Slot::None } }
    }

    fn next_slot(&mut self) -> u64 {
        self.slots += 1;
        bits_at(self.bytes, self.slots_bit + (self.slots - 1) * Span::SEGMENT_BITS as usize, Span::SEGMENT_BITS)
    }
}

fn read_rotation_spans(
    input: &mut BitReader<'_>,
    layout: &Layout,
    table: &TrackTable,
    dropped: &[u8],
) -> Result<Vec<TrackSpan>, DecodeError> {
    let mut tracks = Vec::with_capacity(dropped.len());
    for (joint, &dropped) in table.animated(Channel::Rotation).zip(dropped) {
        let span = if layout.range == RangeReduction::None { Span::ROTATION } else { read_rotation_span(input)? };
        tracks.push(TrackSpan { joint, dropped, span });
    }
    Ok(tracks)
}

fn read_vector_spans(
    input: &mut BitReader<'_>,
    layout: &Layout,
    table: &TrackTable,
    channel: Channel,
) -> Result<Vec<TrackSpan>, DecodeError> {
    let mut tracks: Vec<TrackSpan> = Vec::new();
    for joint in table.animated(channel) {
        let span = match tracks.first() {
            Some(first) if layout.range == RangeReduction::None => first.span,
            _ => read_vector_span(input)?,
        };
        tracks.push(TrackSpan { joint, dropped: 0, span });
    }
    Ok(tracks)
}
