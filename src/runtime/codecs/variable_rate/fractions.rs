//! Samples as fractions of ranges, as in the article on variable bit rates.

use super::layout::{Layout, TrackSpan};
use super::segment_tracks::{read_rotation_spans, read_segment, read_vector_spans};
use crate::format::{BitReader, DecodeError};
use crate::math::{LANES, Range3, Transform, restore_largest};
use crate::memory::{NoMemory, TryList, TryPush};
use crate::parts::{
    ClipHeader, KeyFormat, PackingLanes, PoseSlice, RangeLanes, RotationFormat, Segments, StillPose, StoredTracks,
    TrackGroup, VectorFormat, check_key, grouped, sample_groups,
};
use crate::{Channel, TimeGrid};
use alloc::vec::Vec;
use glam::Vec4;

/// Decodes four tracks at a time. The place of each track in each segment is computed once, when a clip is opened.
///
/// On disk, after the [`Layout`]:
/// - two bits per rotation track: the dropped component;
/// - the spans of the clip: one per track, or the shared ones of [`RangeReduction::None`](super::layout::RangeReduction::None);
/// - per segment: a flag that some tracks are float32 and, if set, one bit per track, set for float32; the rates, 4 bits each; 48 bits per
///   track that has a span in the segment or is constant in it; then the samples, each with all tracks.
///
/// Tracks are in the order rotations, translations, scales.
#[derive(Debug)]
pub struct FractionsDecoder {
    grid: TimeGrid,
    still: StillPose,
    rotations: Vec<TrackLanes>,
    translations: Vec<TrackLanes>,
    scales: Vec<TrackLanes>,
    segments: Segments,
    starts: Vec<SegmentStart>,
    /// Per segment, the places of the groups of rotations, translations and scales.
    places: Vec<PackingLanes>,
}

/// Four animated tracks of a channel.
#[derive(Debug)]
struct TrackLanes {
    joints: [u16; LANES],
    /// Dropped component of each rotation.
    dropped: Vec4,
    /// Spans in the clip.
    spans: RangeLanes,
}

/// The place of a segment's samples in the payload.
#[derive(Debug, Clone, Copy)]
pub struct SegmentStart {
    /// First sample.
    pub sample: usize,
    /// Bit of the first sample.
    pub rows_bit: usize,
    /// Bits per sample.
    pub row_bits: usize,
}

/// The place of a sample.
struct Row<'a> {
    /// First bit of the sample.
    bit: usize,
    /// Per channel, the places of its groups of tracks within the sample.
    places: [&'a [PackingLanes]; 3],
}

/// A sample, or two neighbouring samples to blend.
struct Sample<'a> {
    bytes: &'a [u8],
    rows: (Row<'a>, Row<'a>),
    alpha: f32,
}

impl FractionsDecoder {
    /// Reads and checks the data after the layout.
    pub fn open(
        header: &ClipHeader,
        mut input: BitReader<'_>,
        bytes: &[u8],
        table: StoredTracks,
        layout: &Layout,
    ) -> Result<Self, DecodeError> {
        let dropped = table.animated(Channel::Rotation).map(|_| input.read("dropped component", 2).map(|d| d as u8));
        let dropped = dropped.try_list_of()?;
        let rotations = read_rotation_spans(&mut input, layout, &table, &dropped)?;
        let translations = read_vector_spans(&mut input, layout, &table, Channel::Translation)?;
        let scales = read_vector_spans(&mut input, layout, &table, Channel::Scale)?;
        let segments = Segments::new(header.grid.samples(), layout.segment_samples);
        let mut out = Self {
            grid: header.grid,
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
                let start = read_segment(&mut input, bytes, (layout, has_spans), tracks, samples, &mut out.places)?;
                out.starts.try_push(start)?;
            }
        }
        input.finish("segments")?;
        Ok(out)
    }

    /// Samples the wanted joints.
    #[inline]
    pub fn sample(&self, bytes: &[u8], at_sample: f64, mut out: PoseSlice<'_>) {
        let (index, alpha) = self.grid.split(at_sample);
        self.still.put(&mut out);
        if self.starts.is_empty() {
            return;
        }
        let next = if alpha > 0.0 { index + 1 } else { index };
        Sample { bytes, rows: (self.row(index), self.row(next)), alpha }.channels(self, &mut out);
    }

    /// The place of a sample.
    fn row(&self, sample: usize) -> Row<'_> {
        let segment = self.segments.of(sample);
        let groups = self.rotations.len() + self.translations.len() + self.scales.len();
        let (start, places) = (&self.starts[segment], &self.places[segment * groups..][..groups]);
        let (rotations, vectors) = places.split_at(self.rotations.len());
        let (translations, scales) = vectors.split_at(self.translations.len());
        let bit = start.rows_bit + (sample - start.sample) * start.row_bits;
        Row { bit, places: [rotations, translations, scales] }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        let groups = self.rotations.len() + self.translations.len() + self.scales.len();
        self.still.heap_bytes()
            + groups * size_of::<TrackLanes>()
            + size_of_val(&self.starts[..])
            + size_of_val(&self.places[..])
    }
}

impl Sample<'_> {
    /// Samples the wanted tracks of all channels.
    #[inline(always)]
    fn channels(&self, of: &FractionsDecoder, out: &mut PoseSlice<'_>) {
        let rotations = |out: &mut Transform, q| out.rotation = q;
        self.channel::<RotationFormat>(&of.rotations, Channel::Rotation, out, rotations);
        // One loop for both: less code.
        for (channel, groups) in [(Channel::Translation, &of.translations), (Channel::Scale, &of.scales)] {
            self.channel::<VectorFormat>(groups, channel, out, |out, v| {
                *(if channel == Channel::Scale { &mut out.scale } else { &mut out.translation }) = v;
            });
        }
    }

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
        let lanes = |group: &TrackLanes, row: usize, places: &PackingLanes| F::lanes(group, bytes, row, places);
        let read = |number: usize, group: &TrackLanes| lanes(group, a.bit, &places_a[number]);
        let read_both =
            |number: usize, group: &TrackLanes| (read(number, group), lanes(group, b.bit, &places_b[number]));
        sample_groups::<F, _>(groups, self.alpha, out, read, read_both, put);
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
            dropped: Vec4::from_array(of.map(|track| f32::from(track.dropped))),
            spans: RangeLanes::new(of.map(range)),
        })
    }
}

/// Decodes four tracks of any rate in the sample at bit `row`. It is implemented for the key formats of float32 samples.
trait ReadLanes: KeyFormat {
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes) -> Self::Lanes;
}

impl ReadLanes for RotationFormat {
    #[inline(always)]
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes) -> [Vec4; 4] {
        let rest = tracks.spans.value(places.numbers(bytes, row));
        let mut rotations = restore_largest(tracks.dropped, rest);
        places.set_exact(bytes, row, &mut rotations);
        rotations
    }
}

impl ReadLanes for VectorFormat {
    #[inline(always)]
    fn lanes(tracks: &TrackLanes, bytes: &[u8], row: usize, places: &PackingLanes) -> [Vec4; 3] {
        let mut vectors = tracks.spans.value(places.numbers(bytes, row));
        places.set_exact(bytes, row, &mut vectors);
        vectors
    }
}

/// Checks the float32 numbers of a segment's samples.
pub fn check_rows(
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
    places.iter().try_for_each(|places| places.exact().try_for_each(|(_, at)| check_key(bytes, row + at, format)))
}
