use crate::codecs::runtime::{
    ClipHeader, Rate, RotationFormat, Segments, Span, TrackTable, VectorFormat, check_keys, codes3_at, dequantize3,
    floats_at, read_rotation_span, read_vector_span, rotation3,
};
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{Transform, nlerp};
use crate::model::{Channel, Pose, Sampler, TimeGrid};
use glam::{Quat, Vec3, Vec3A};
use std::ops::Range;

/// Reads bit-packed samples in place: a pose walks the tracks of one segment once.
///
/// On disk, after the track table:
/// - [`Layout`] in 21 bits;
/// - two bits a rotation track: the component that is dropped;
/// - spans of the clip: none, or one a track;
/// - for each segment: a flag and, if set, a bit a track that is stored as float32; the rates, 4 bits each; 48 bits a track
///   that has a span in the segment or is constant in it; then the samples one after another, each of all tracks.
///
/// Tracks are in the order rotations, translations, scales.
pub struct VariableRateSampler<'a> {
    grid: TimeGrid,
    bytes: &'a [u8],
    still: Vec<Transform>,
    layout: Layout,
    rotations: Vec<TrackSpan>,
    translations: Vec<TrackSpan>,
    scales: Vec<TrackSpan>,
    segments: Segments,
    starts: Vec<SegmentStart>,
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
    pub granularity: Granularity,
    pub range: RangeReduction,
    /// 23 or 19.
    pub highest_bits: u32,
    pub segment_samples: usize,
}

/// One animated track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackSpan {
    pub joint: usize,
    /// Component that is left out, of rotations.
    pub dropped: u8,
    /// In the clip.
    pub span: Span,
}

/// Samples of a segment, from the first up to the next segment's, and where its parts start, in bits of the payload.
#[derive(Debug, Clone, Copy, Default)]
struct SegmentStart {
    samples: (usize, usize),
    /// One bit a track, if any track is stored as float32.
    exact_bit: Option<usize>,
    rates_bit: usize,
    slots_bit: usize,
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

impl<'a> VariableRateSampler<'a> {
    pub fn new(header: &ClipHeader, bytes: &'a [u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let layout = Layout::read(&mut input)?;
        let dropped = table.animated(Channel::Rotation).map(|_| input.read("dropped component", 2).map(|d| d as u8));
        let dropped = dropped.collect::<Result<Vec<_>, _>>()?;
        let rotations = read_rotation_spans(&mut input, &layout, &table, &dropped)?;
        let translations = read_vector_spans(&mut input, &layout, &table, Channel::Translation)?;
        let scales = read_vector_spans(&mut input, &layout, &table, Channel::Scale)?;
        let segments = Segments::new(header.grid.samples(), layout.segment_samples);
        let (grid, still) = (header.grid, table.still);
        let mut out =
            Self { grid, bytes, still, layout, rotations, translations, scales, segments, starts: Vec::new() };
        if out.channels().iter().any(|(_, tracks)| !tracks.is_empty()) {
            for segment in 0..segments.count() {
                let start = out.read_segment(&mut input, segments.samples_of(segment))?;
                out.starts.push(start);
            }
        }
        input.finish("segments")?;
        Ok(out)
    }

    fn channels(&self) -> [(Channel, &[TrackSpan]); 3] {
        [
            (Channel::Rotation, &self.rotations),
            (Channel::Translation, &self.translations),
            (Channel::Scale, &self.scales),
        ]
    }

    /// Finds where the parts of a segment are, and checks its float32 samples, so that sampling needs no checks.
    fn read_segment(&self, input: &mut BitReader<'_>, samples: Range<usize>) -> Result<SegmentStart, DecodeError> {
        let tracks = self.channels().iter().map(|(_, tracks)| tracks.len()).sum();
        let mut start = SegmentStart { samples: (samples.start, samples.end), ..SegmentStart::default() };
        if input.read("flag of exact tracks", 1)? == 1 {
            start.exact_bit = Some(input.skip("exact tracks", tracks)?);
        }
        start.rates_bit = input.skip("bit rates", self.layout.rates(tracks) * Rate::CODE_BITS as usize)?;
        start.slots_bit = input.bit_position();
        let mut walk = Walk::new(self, &start);
        for (channel, tracks) in self.channels() {
            for _ in tracks {
                let _ = walk.next(channel);
            }
        }
        let (slots, row_bits) = (walk.slot_bit - start.slots_bit, walk.offset);
        input.skip("spans of a segment", slots)?;
        start.row_bits = row_bits;
        start.rows_bit = input.skip("samples of a segment", samples.len() * row_bits)?;
        if start.exact_bit.is_some() {
            self.check_exact(&start)?;
        }
        Ok(start)
    }

    fn check_exact(&self, start: &SegmentStart) -> Result<(), DecodeError> {
        for sample in start.samples.0..start.samples.1 {
            let row = start.row(sample);
            let mut walk = Walk::new(self, start);
            for (channel, tracks) in self.channels() {
                for _ in tracks {
                    let place = walk.next(channel);
                    if place.bits != EXACT_BITS {
                        continue;
                    }
                    let mut key = BitReader::new(self.bytes);
                    key.skip("sample", row + place.at)?;
                    match channel {
                        Channel::Rotation => check_keys(&mut key, self.bytes, RotationFormat::Full, 1)?,
                        _ => check_keys(&mut key, self.bytes, VectorFormat::Float96, 1)?,
                    };
                }
            }
        }
        Ok(())
    }

    /// Reads every track at two neighbouring samples and blends them.
    fn blend(&self, index: usize, alpha: f32, out: &mut [Transform]) {
        let segment = self.segments.of(index);
        let a = &self.starts[segment];
        // Neighbours in two segments are read with the spans and rates of each.
        let crosses = index + 1 == a.samples.1;
        let b = &self.starts[segment + usize::from(crosses)];
        let rows = (a.row(index), b.row(index + 1));
        let mut walk = Walk::new(self, a);
        let mut other = crosses.then(|| Walk::new(self, b));
        let mut next = |channel: Channel| {
            let place = walk.next(channel);
            (place, other.as_mut().map_or(place, |walk| walk.next(channel)))
        };
        for track in &self.rotations {
            let (a, b) = next(Channel::Rotation);
            let (a, b) = (a.rotation(self.bytes, rows.0, track), b.rotation(self.bytes, rows.1, track));
            out[track.joint].rotation = nlerp(a, b, alpha);
        }
        let mut vector = |channel: Channel, track: &TrackSpan| {
            let (a, b) = next(channel);
            let (a, b) = (a.vector(self.bytes, rows.0, track), b.vector(self.bytes, rows.1, track));
            a + (b - a) * alpha
        };
        self.translations.iter().for_each(|t| out[t.joint].translation = vector(Channel::Translation, t));
        self.scales.iter().for_each(|t| out[t.joint].scale = vector(Channel::Scale, t));
    }

    /// Reads every track at one sample.
    fn read(&self, index: usize, out: &mut [Transform]) {
        let start = &self.starts[self.segments.of(index)];
        let row = start.row(index);
        let mut walk = Walk::new(self, start);
        for track in &self.rotations {
            out[track.joint].rotation = walk.next(Channel::Rotation).rotation(self.bytes, row, track);
        }
        for track in &self.translations {
            out[track.joint].translation = walk.next(Channel::Translation).vector(self.bytes, row, track);
        }
        for track in &self.scales {
            out[track.joint].scale = walk.next(Channel::Scale).vector(self.bytes, row, track);
        }
    }
}

impl SegmentStart {
    /// First bit of a sample.
    fn row(&self, sample: usize) -> usize {
        self.rows_bit + (sample - self.samples.0) * self.row_bits
    }
}

impl Sampler for VariableRateSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let (index, alpha) = self.grid.locate(time_secs);
        out.joints.copy_from_slice(&self.still);
        if self.starts.is_empty() {
            return;
        }
        if alpha == 0.0 {
            self.read(index, &mut out.joints);
        } else {
            self.blend(index, alpha, &mut out.joints);
        }
    }
}

/// Goes through the tracks of a segment in order and says where each lies.
struct Walk<'a> {
    bytes: &'a [u8],
    layout: Layout,
    has_spans: bool,
    exact_bit: Option<usize>,
    rates_bit: usize,
    track: usize,
    /// Of the next track's span or constant.
    slot_bit: usize,
    /// Of the next track, from the start of the sample.
    offset: usize,
}

/// Where a track's samples lie within a segment and how they are packed.
///
/// Whole numbers only, so that it stays in registers: the span is unpacked where it is used.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// From the start of the sample, or of the payload for a constant.
    at: usize,
    /// Zero for a constant, which is the same in all samples; else all ones.
    row_mask: usize,
    /// A number, [`EXACT_BITS`] for float32.
    bits: u32,
    span_code: u64,
}

/// Bits of a float32.
const EXACT_BITS: u32 = 32;
/// Bits of each number of a constant.
const CONSTANT_BITS: u32 = 16;

impl<'a> Walk<'a> {
    #[inline]
    fn new(sampler: &VariableRateSampler<'a>, start: &SegmentStart) -> Self {
        Self {
            bytes: sampler.bytes,
            layout: sampler.layout,
            has_spans: sampler.layout.has_segment_spans(sampler.segments),
            exact_bit: start.exact_bit,
            rates_bit: start.rates_bit,
            track: 0,
            slot_bit: start.slots_bit,
            offset: 0,
        }
    }

    #[inline(always)]
    fn next(&mut self, channel: Channel) -> Place {
        let (track, at, slot) = (self.track, self.offset, self.slot_bit);
        self.track += 1;
        if self.exact_bit.is_some_and(|bit| bits_at(self.bytes, bit + track, 1) == 1) {
            self.offset += exact_bits(channel);
            return Place { at, row_mask: !0, bits: EXACT_BITS, span_code: Span::UNIT_CODE };
        }
        let rate_bit = self.rates_bit + Rate::CODE_BITS as usize * self.layout.rate_of(channel, track);
        let rate = Rate::from_code(bits_at(self.bytes, rate_bit, Rate::CODE_BITS));
        if rate == Rate::CONSTANT {
            self.slot_bit += Span::SEGMENT_BITS as usize;
            return Place { at: slot, row_mask: 0, bits: CONSTANT_BITS, span_code: Span::UNIT_CODE };
        }
        let bits = rate.bits(self.layout.highest_bits);
        self.offset += 3 * bits as usize;
        let mut span_code = Span::UNIT_CODE;
        if self.has_spans {
            self.slot_bit += Span::SEGMENT_BITS as usize;
            span_code = bits_at(self.bytes, slot, Span::SEGMENT_BITS);
        }
        Place { at, row_mask: !0, bits, span_code }
    }
}

impl Place {
    #[inline(always)]
    fn rotation(self, bytes: &[u8], row: usize, track: &TrackSpan) -> Quat {
        if self.bits == EXACT_BITS {
            return Quat::from_array(floats_at(bytes, row + self.at));
        }
        rotation3(track.dropped, track.span.value(self.fraction(bytes, row)))
    }

    #[inline(always)]
    fn vector(self, bytes: &[u8], row: usize, track: &TrackSpan) -> Vec3 {
        if self.bits == EXACT_BITS {
            return Vec3::from_array(floats_at(bytes, row + self.at));
        }
        track.span.value(self.fraction(bytes, row)).into()
    }

    /// As a fraction of the clip's span.
    #[inline(always)]
    fn fraction(self, bytes: &[u8], row: usize) -> Vec3A {
        let codes = codes3_at(bytes, (row & self.row_mask) + self.at, self.bits);
        Span::from_segment_code(self.span_code).value(dequantize3(codes, self.bits))
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
