//! Every sample is stored, at bit rates that may differ for each segment and track.

mod fractions;
pub mod steps;
mod take;

use super::Decode;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::math::{LANES, Range3, Transform, each_lane, quat_mul, restore_largest, restore_last, rodrigues_unmap};
use crate::memory::{NoMemory, TryList, TryPush};
use crate::parts::{
    ClipHeader, FractionLanes, IntegerLanes, KeyFormat, PackingLanes, PlaceLanes, PoseSlice, RangeLanes,
    RotationFormat, Segments, SlotLanes, StillPose, StoredTracks, TrackGroup, TrackPacking, ValueSpan, VectorFormat,
    check_key, grouped, sample_finished_groups,
};
use crate::{Channel, StateMemory, TimeGrid};
use alloc::vec::Vec;
use fractions::{read_rotation_spans, read_segment, read_vector_spans};
use glam::Vec4;

pub use take::{CUT_MARK, VariableRateTake};

/// Reads bit-packed samples in place, four tracks at a time. The place of each track in each segment is computed once, when a clip is
/// opened.
///
/// On disk, after the track table:
/// - [`Layout`] in 21 bits;
/// - two bits per rotation track: the dropped component;
/// - the spans of the clip: one per track, or the shared ones of [`RangeReduction::None`];
/// - per segment: a flag that some tracks are float32 and, if set, one bit per track, set for float32; the rates, 4 bits each; 48 bits per
///   track that has a span in the segment or is constant in it; then the samples, each with all tracks.
///
/// [`steps`] describes the data after the layout for [`RangeReduction::Steps`].
///
/// Tracks are in the order rotations, translations, scales.
#[derive(Debug)]
pub struct VariableRateDecoder {
    grid: TimeGrid,
    still: StillPose,
    rotations: Vec<TrackLanes>,
    translations: Vec<TrackLanes>,
    scales: Vec<TrackLanes>,
    segments: Segments,
    starts: Vec<SegmentStart>,
    places: Places,
}

/// Per segment, the places of the groups of rotations, translations and scales.
#[derive(Debug)]
enum Places {
    Fractions(Vec<PackingLanes<FractionLanes>>),
    /// For [`RangeReduction::Steps`].
    Steps(Vec<PackingLanes<IntegerLanes>>),
}

/// Four animated tracks of a channel.
#[derive(Debug)]
struct TrackLanes {
    joints: [u16; LANES],
    /// Dropped component of each rotation.
    dropped: Vec4,
    /// True if all four rotations drop w, so that no component changes its place.
    drops_w: bool,
    /// Spans in the clip. For whole steps, the extents are the step sizes.
    spans: RangeLanes,
    /// For rotations in whole steps: the rotations that samples are relative to.
    references: [Vec4; 4],
}

/// The tracks that share a bit rate in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Granularity {
    /// All tracks.
    Clip = 0,
    /// The tracks of a channel.
    Channel = 1,
    /// No two tracks: each has its own rate.
    Track = 2,
}

/// The range that stored values are fractions of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum RangeReduction {
    /// `-1..=1` for rotations; one span per channel, shared by all tracks, for vectors.
    None = 0,
    /// The track's span in the clip.
    Clip = 1,
    /// The track's span in the segment, which is itself stored as a fraction of its span in the clip.
    ClipAndSegment = 2,
    /// No range: values are whole steps above the segment's lowest value. A track has the same step in all segments. Each number has its
    /// own rate, so there is no granularity.
    Steps = 3,
}

/// Settings of a clip. On disk: granularity (2 bits), range reduction (2 bits), highest rate (1 bit), samples per segment (16 bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The tracks that share a rate.
    pub granularity: Granularity,
    /// The range that samples are fractions of.
    pub range: RangeReduction,
    /// Bits per number at [`Rate::HIGHEST`](crate::parts::Rate::HIGHEST): 23 or 19.
    pub highest_bits: u32,
    /// Samples that share rates and spans.
    pub segment_samples: usize,
}

/// One animated track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackSpan {
    /// Its joint.
    pub joint: usize,
    /// Dropped component of a rotation.
    pub dropped: u8,
    /// Its span in the clip.
    pub span: ValueSpan,
}

/// The place of a segment's samples in the payload.
#[derive(Debug, Clone, Copy)]
struct SegmentStart {
    /// First sample.
    sample: usize,
    /// Bit of the first sample.
    rows_bit: usize,
    /// Bits per sample.
    row_bits: usize,
}

impl Layout {
    /// Size on disk, bits.
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

    /// Number of rates per segment.
    pub fn rates(&self, tracks: usize) -> usize {
        match self.granularity {
            Granularity::Clip => 1,
            Granularity::Channel => 3,
            Granularity::Track => tracks,
        }
    }

    /// Index of a track's rate among the segment's rates.
    #[inline]
    pub fn rate_of(&self, channel: Channel, track: usize) -> usize {
        match self.granularity {
            Granularity::Clip => 0,
            Granularity::Channel => channel as usize,
            Granularity::Track => track,
        }
    }

    /// True if tracks have their own spans in each segment. A clip of one segment needs none.
    pub fn has_segment_spans(&self, segments: Segments) -> bool {
        self.range == RangeReduction::ClipAndSegment && segments.count() > 1
    }
}

/// Bits of a float32 sample of a channel.
pub fn exact_bits(channel: Channel) -> usize {
    if channel == Channel::Rotation { 128 } else { 96 }
}

impl VariableRateDecoder {
    /// The place of a sample.
    fn row<'a, S>(&self, places: &'a [PackingLanes<S>], sample: usize) -> Row<'a, S> {
        let segment = self.segments.of(sample);
        let groups = self.rotations.len() + self.translations.len() + self.scales.len();
        let (start, places) = (&self.starts[segment], &places[segment * groups..][..groups]);
        let (rotations, vectors) = places.split_at(self.rotations.len());
        let (translations, scales) = vectors.split_at(self.translations.len());
        let bit = start.rows_bit + (sample - start.sample) * start.row_bits;
        Row { bit, places: [rotations, translations, scales] }
    }
}

impl Decode for VariableRateDecoder {
    const VERSION: u8 = 1;
    type Cursor = ();

    fn open(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let table = StoredTracks::read(&mut input, bytes, bind)?;
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
            still: table.still,
            rotations: TrackLanes::groups(&rotations)?,
            translations: TrackLanes::groups(&translations)?,
            scales: TrackLanes::groups(&scales)?,
            segments,
            starts: Vec::new(),
            places: Places::Fractions(Vec::new()),
        };
        let (has_spans, mut places) = (layout.has_segment_spans(segments), Vec::new());
        let tracks = [rotations.len(), translations.len(), scales.len()];
        if tracks.iter().any(|count| *count > 0) {
            for segment in 0..segments.count() {
                let samples = segments.samples_of(segment);
                let start = read_segment(&mut input, bytes, (&layout, has_spans), tracks, samples, &mut places)?;
                out.starts.try_push(start)?;
            }
        }
        input.finish("segments")?;
        Ok(Self { places: Places::Fractions(places), ..out })
    }

    fn cursor(&self, _: &[u8], _: StateMemory) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline]
    fn sample(&self, bytes: &[u8], (): &mut (), at_sample: f64, mut out: PoseSlice<'_>) {
        let (index, alpha) = self.grid.split(at_sample);
        self.still.put(&mut out);
        if self.starts.is_empty() {
            return;
        }
        let next = if alpha > 0.0 { index + 1 } else { index };
        match &self.places {
            Places::Fractions(of) => {
                Sample { bytes, rows: (self.row(of, index), self.row(of, next)), alpha }.channels(self, &mut out)
            }
            Places::Steps(of) => {
                Sample { bytes, rows: (self.row(of, index), self.row(of, next)), alpha }.channels(self, &mut out)
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        let groups = self.rotations.len() + self.translations.len() + self.scales.len();
        self.still.heap_bytes()
            + groups * size_of::<TrackLanes>()
            + size_of_val(&self.starts[..])
            + match &self.places {
                Places::Fractions(places) => size_of_val(&places[..]),
                Places::Steps(places) => size_of_val(&places[..]),
            }
    }
}

/// The place of a sample.
struct Row<'a, S> {
    /// First bit of the sample.
    bit: usize,
    /// Per channel, the places of its groups of tracks within the sample.
    places: [&'a [PackingLanes<S>]; 3],
}

/// A sample, or two neighbouring samples to blend.
struct Sample<'a, S> {
    bytes: &'a [u8],
    rows: (Row<'a, S>, Row<'a, S>),
    alpha: f32,
}

impl<S> Sample<'_, S>
where
    RotationFormat: ReadLanes<S>,
    VectorFormat: ReadLanes<S>,
{
    /// Samples the wanted tracks of all channels.
    #[inline(always)]
    fn channels(&self, of: &VariableRateDecoder, out: &mut PoseSlice<'_>) {
        let rotations = |out: &mut Transform, q| out.rotation = q;
        self.channel::<RotationFormat>(&of.rotations, Channel::Rotation, out, rotations);
        let translations = |out: &mut Transform, v| out.translation = v;
        self.channel::<VectorFormat>(&of.translations, Channel::Translation, out, translations);
        self.channel::<VectorFormat>(&of.scales, Channel::Scale, out, |out, v| out.scale = v);
    }

    #[inline(always)]
    fn channel<F: ReadLanes<S>>(
        &self,
        groups: &[TrackLanes],
        channel: Channel,
        out: &mut PoseSlice<'_>,
        put: impl Fn(&mut Transform, F::Key),
    ) {
        let ((a, b), bytes) = (&self.rows, self.bytes);
        let (places_a, places_b) = (a.places[channel as usize], b.places[channel as usize]);
        let lanes = |group: &TrackLanes, row: usize, places: &PackingLanes<S>| F::lanes(group, bytes, row, places);
        let read = |number: usize, group: &TrackLanes| lanes(group, a.bit, &places_a[number]);
        let read_both =
            |number: usize, group: &TrackLanes| (read(number, group), lanes(group, b.bit, &places_b[number]));
        sample_finished_groups::<F, _>(groups, self.alpha, out, (read, read_both), F::finish, put);
    }
}

impl TrackGroup for TrackLanes {
    #[inline(always)]
    fn joints(&self) -> &[u16; LANES] {
        &self.joints
    }
}

impl TrackLanes {
    fn groups(tracks: &[TrackSpan]) -> Result<Vec<Self>, NoMemory> {
        let range = |track: &TrackSpan| Range3 { min: track.span.min.into(), extent: track.span.extent.into() };
        grouped(tracks, |of| Self {
            joints: of.map(|track| track.joint as u16),
            drops_w: of.iter().all(|track| track.dropped == 3),
            dropped: Vec4::from_array(of.map(|track| f32::from(track.dropped))),
            spans: RangeLanes::new(of.map(range)),
            references: [Vec4::ZERO; 4],
        })
    }
}

/// Decodes four tracks of any rate in the sample at bit `row`. It is implemented for the key formats of float32 samples.
trait ReadLanes<S>: KeyFormat {
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes<S>) -> Self::Lanes;
    /// Applies what is common to both blended samples.
    #[inline(always)]
    fn finish(_: &TrackLanes, lanes: Self::Lanes) -> Self::Lanes {
        lanes
    }
}

impl ReadLanes<FractionLanes> for RotationFormat {
    #[inline(always)]
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes<FractionLanes>) -> [Vec4; 4] {
        let rest = tracks.spans.value(places.numbers(bytes, row));
        let mut rotations = if tracks.drops_w { restore_last(rest) } else { restore_largest(tracks.dropped, rest) };
        places.at.set_exact(bytes, row, &mut rotations);
        rotations
    }
}

/// Rotations in whole steps are relative to their references.
impl ReadLanes<IntegerLanes> for RotationFormat {
    #[inline(always)]
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes<IntegerLanes>) -> [Vec4; 4] {
        let mut rotations = rodrigues_unmap(tracks.spans.extents(places.numbers(bytes, row)));
        places.at.set_exact(bytes, row, &mut rotations);
        rotations
    }

    #[inline(always)]
    fn finish(tracks: &TrackLanes, rotations: [Vec4; 4]) -> [Vec4; 4] {
        quat_mul(tracks.references, rotations)
    }
}

impl ReadLanes<FractionLanes> for VectorFormat {
    #[inline(always)]
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes<FractionLanes>) -> [Vec4; 3] {
        let mut vectors = tracks.spans.value(places.numbers(bytes, row));
        places.at.set_exact(bytes, row, &mut vectors);
        vectors
    }
}

impl ReadLanes<IntegerLanes> for VectorFormat {
    #[inline(always)]
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes<IntegerLanes>) -> [Vec4; 3] {
        let mut vectors = tracks.spans.extents(places.numbers(bytes, row));
        places.at.set_exact(bytes, row, &mut vectors);
        vectors
    }
}

/// The places of up to four consecutive tracks.
fn place_lanes<S: SlotLanes>(group: &[TrackPacking]) -> PackingLanes<S> {
    PackingLanes::new(each_lane([0, 1, 2, 3], |lane| *group.get(lane).unwrap_or(&group[0])))
}

/// Checks the float32 numbers of a segment's samples.
fn check_rows<S>(
    bytes: &[u8],
    start: &SegmentStart,
    samples: usize,
    tracks: [usize; 3],
    places: &[PackingLanes<S>],
) -> Result<(), DecodeError> {
    let (rotations, vectors) = places.split_at(tracks[0].div_ceil(LANES));
    for row in (0..samples).map(|sample| start.rows_bit + sample * start.row_bits) {
        check_exact(bytes, RotationFormat::Full, row, rotations.iter().map(|places| &places.at))?;
        check_exact(bytes, VectorFormat::Float96, row, vectors.iter().map(|places| &places.at))?;
    }
    Ok(())
}

fn check_exact<'a, F: KeyFormat>(
    bytes: &[u8],
    format: F,
    row: usize,
    mut places: impl Iterator<Item = &'a PlaceLanes>,
) -> Result<(), DecodeError> {
    places.try_for_each(|places| places.exact().try_for_each(|(_, at)| check_key(bytes, row + at, format)))
}
