//! Every sample at bit rates that change from segment to segment and from track to track.

mod fractions;
pub mod steps;
mod take;

use super::Decode;
use crate::format::{BitReader, DecodeError};
use crate::math::{LANES, Range3, Transform, each_lane, quat_mul, restore_largest, restore_last, rodrigues_unmap};
use crate::memory::{NoMemory, TryList, TryPush};
use crate::parts::{
    ClipHeader, KeyFormat, PackingLanes, PoseSlice, RangeLanes, RotationFormat, Segments, TrackGroup, TrackPacking,
    TrackTable, ValueSpan, VectorFormat, check_key, grouped, sample_finished_groups,
};
use crate::{Channel, StateMemory, TimeGrid};
use alloc::vec::Vec;
use fractions::{read_rotation_spans, read_segment, read_vector_spans};
use glam::Vec4;

pub use take::{CUT_MARK, VariableRateTake};

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
/// Of [`RangeReduction::Steps`], what follows the layout is said in [`steps`].
///
/// Tracks are in the order rotations, translations, scales.
#[derive(Debug)]
pub struct VariableRateDecoder {
    grid: TimeGrid,
    /// Numbers are whole steps, not fractions of spans.
    in_steps: bool,
    still: Vec<Transform>,
    rotations: Vec<TrackLanes>,
    translations: Vec<TrackLanes>,
    scales: Vec<TrackLanes>,
    segments: Segments,
    starts: Vec<SegmentStart>,
    /// Of each segment, those of the rotations, translations and scales.
    places: Vec<PackingLanes>,
}

/// Four animated tracks of a channel.
#[derive(Debug)]
struct TrackLanes {
    joints: [usize; LANES],
    /// Component that is left out, of rotations.
    dropped: Vec4,
    /// Of all four it is w: nothing has to be moved to its place.
    drops_w: bool,
    /// In the clip; of whole steps their sizes are its extents.
    spans: RangeLanes,
    /// Of rotations in whole steps: what they are relative to.
    references: [Vec4; 4],
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
    /// Of nothing: they are whole steps, which are as large in all segments, counted from the segment's lowest. Each number has
    /// a rate of its own; there is no granularity.
    Steps = 3,
}

/// How a clip is stored: 2 bits granularity, 2 bits range reduction, one bit for the highest rate, 16 bits for the length
/// of segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// What shares a rate.
    pub granularity: Granularity,
    /// What samples are fractions of.
    pub range: RangeReduction,
    /// Bits a number at [`Rate::HIGHEST`](crate::parts::Rate::HIGHEST): 23 or 19.
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
    pub span: ValueSpan,
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
        let (granularity, range) = (input.read("granularity", 2)?, input.read("range reduction", 2)?);
        let range = match range {
            0 => RangeReduction::None,
            1 => RangeReduction::Clip,
            2 => RangeReduction::ClipAndSegment,
            _ => RangeReduction::Steps,
        };
        let granularity = match granularity {
            0 => Granularity::Clip,
            1 => Granularity::Channel,
            2 => Granularity::Track,
            steps::GRANULARITY_OF_STEPS if range == RangeReduction::Steps => Granularity::Track,
            code => return Err(DecodeError::invalid("granularity of bit rates", at, code, "0 to 2")),
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
        if layout.range == RangeReduction::Steps {
            return steps::open(header, input, bytes, table, &layout);
        }
        let dropped = table.animated(Channel::Rotation).map(|_| input.read("dropped component", 2).map(|d| d as u8));
        let dropped = dropped.try_list_of()?;
        let rotations = read_rotation_spans(&mut input, &layout, &table, &dropped)?;
        let translations = read_vector_spans(&mut input, &layout, &table, Channel::Translation)?;
        let scales = read_vector_spans(&mut input, &layout, &table, Channel::Scale)?;
        let segments = Segments::new(header.grid.samples(), layout.segment_samples);
        let mut out = Self {
            grid: header.grid,
            in_steps: false,
            still: table.still,
            rotations: TrackLanes::groups(&rotations)?,
            translations: TrackLanes::groups(&translations)?,
            scales: TrackLanes::groups(&scales)?,
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
                out.starts.try_push(start)?;
            }
        }
        input.finish("segments")?;
        Ok(out)
    }

    fn cursor(&self, _: &[u8], _: StateMemory) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline]
    fn sample(&self, bytes: &[u8], (): &mut (), at_sample: f64, mut out: PoseSlice<'_>) {
        let (index, alpha) = self.grid.split(at_sample);
        out.copy_from(&self.still);
        if self.starts.is_empty() {
            return;
        }
        let rows = (self.row(index), self.row(if alpha > 0.0 { index + 1 } else { index }));
        let at = Sample { bytes, rows, alpha };
        if self.in_steps {
            at.channels::<true>(self, &mut out);
        } else {
            at.channels::<false>(self, &mut out);
        }
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
    places: [&'a [PackingLanes]; 3],
}

/// A sample, or two neighbours to be blended.
struct Sample<'a> {
    bytes: &'a [u8],
    rows: (Row<'a>, Row<'a>),
    alpha: f32,
}

impl Sample<'_> {
    /// Reads the wanted tracks of all channels and puts their keys. `IN_STEPS`: they are whole steps.
    #[inline(always)]
    fn channels<const IN_STEPS: bool>(&self, of: &VariableRateDecoder, out: &mut PoseSlice<'_>) {
        let rotations = |out: &mut Transform, q| out.rotation = q;
        self.channel::<RotationFormat, IN_STEPS>(&of.rotations, Channel::Rotation, out, rotations);
        let translations = |out: &mut Transform, v| out.translation = v;
        self.channel::<VectorFormat, IN_STEPS>(&of.translations, Channel::Translation, out, translations);
        self.channel::<VectorFormat, IN_STEPS>(&of.scales, Channel::Scale, out, |out, v| out.scale = v);
    }

    #[inline(always)]
    fn channel<F: ReadLanes, const IN_STEPS: bool>(
        &self,
        groups: &[TrackLanes],
        channel: Channel,
        out: &mut PoseSlice<'_>,
        put: impl Fn(&mut Transform, F::Key),
    ) {
        let ((a, b), bytes) = (&self.rows, self.bytes);
        let (places_a, places_b) = (a.places[channel as usize], b.places[channel as usize]);
        let lanes = |group: &TrackLanes, row: usize, places: &PackingLanes| {
            if IN_STEPS { F::lanes_in_steps(group, bytes, row, places) } else { F::lanes(group, bytes, row, places) }
        };
        let read = |number: usize, group: &TrackLanes| lanes(group, a.bit, &places_a[number]);
        let read_both =
            |number: usize, group: &TrackLanes| (read(number, group), lanes(group, b.bit, &places_b[number]));
        let finish = |group: &TrackLanes, lanes| if IN_STEPS { F::finish(group, lanes) } else { lanes };
        sample_finished_groups::<F, _>(groups, self.alpha, out, (read, read_both), finish, put);
    }
}

impl TrackGroup for TrackLanes {
    #[inline(always)]
    fn joints(&self) -> &[usize; LANES] {
        &self.joints
    }
}

impl TrackLanes {
    fn groups(tracks: &[TrackSpan]) -> Result<Vec<Self>, NoMemory> {
        let range = |track: &TrackSpan| Range3 { min: track.span.min.into(), extent: track.span.extent.into() };
        grouped(tracks, |of| Self {
            joints: of.map(|track| track.joint),
            drops_w: of.iter().all(|track| track.dropped == 3),
            dropped: Vec4::from_array(of.map(|track| f32::from(track.dropped))),
            spans: RangeLanes::new(of.map(range)),
            references: [Vec4::ZERO; 4],
        })
    }
}

/// Keys of any rates at the sample that begins at bit `row`. The formats are those of float32 samples.
trait ReadLanes: KeyFormat {
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes) -> Self::Lanes;
    /// The same of whole steps; rotations are relative to their references.
    fn lanes_in_steps(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes) -> Self::Lanes;
    /// What is left to be done to those when they are blended.
    fn finish(tracks: &TrackLanes, lanes: Self::Lanes) -> Self::Lanes;
}

impl ReadLanes for RotationFormat {
    #[inline(always)]
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes) -> [Vec4; 4] {
        let rest = tracks.spans.value(places.fractions(bytes, row));
        let mut rotations = if tracks.drops_w { restore_last(rest) } else { restore_largest(tracks.dropped, rest) };
        places.set_exact(bytes, row, &mut rotations);
        rotations
    }

    #[inline(always)]
    fn lanes_in_steps(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes) -> [Vec4; 4] {
        let mut rotations = rodrigues_unmap(tracks.spans.extents(places.integers(bytes, row)));
        places.set_exact(bytes, row, &mut rotations);
        rotations
    }

    #[inline(always)]
    fn finish(tracks: &TrackLanes, rotations: [Vec4; 4]) -> [Vec4; 4] {
        quat_mul(tracks.references, rotations)
    }
}

impl ReadLanes for VectorFormat {
    #[inline(always)]
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes) -> [Vec4; 3] {
        let mut vectors = tracks.spans.value(places.fractions(bytes, row));
        places.set_exact(bytes, row, &mut vectors);
        vectors
    }

    #[inline(always)]
    fn lanes_in_steps(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes) -> [Vec4; 3] {
        let mut vectors = tracks.spans.extents(places.integers(bytes, row));
        places.set_exact(bytes, row, &mut vectors);
        vectors
    }

    #[inline(always)]
    fn finish(_: &TrackLanes, vectors: [Vec4; 3]) -> [Vec4; 3] {
        vectors
    }
}

/// The places of up to four tracks that follow each other.
fn place_lanes(group: &[TrackPacking]) -> PackingLanes {
    PackingLanes::new(each_lane([0, 1, 2, 3], |lane| *group.get(lane).unwrap_or(&group[0])))
}

/// Checks the float32 numbers of a segment's samples.
fn check_rows(
    bytes: &[u8],
    start: &SegmentStart,
    samples: usize,
    tracks: [usize; 3],
    places: &[PackingLanes],
) -> Result<(), DecodeError> {
    let (rotations, vectors) = places.split_at(tracks[0].div_ceil(LANES));
    for row in (0..samples).map(|sample| start.rows_bit + sample * start.row_bits) {
        check_exact(bytes, RotationFormat::Full, row, rotations)?;
        check_exact(bytes, VectorFormat::Float96, row, vectors)?;
    }
    Ok(())
}

fn check_exact<F: KeyFormat>(bytes: &[u8], format: F, row: usize, places: &[PackingLanes]) -> Result<(), DecodeError> {
    places.iter().flat_map(PackingLanes::exact).try_for_each(|(_, at)| check_key(bytes, row + at, format))
}
