//! Animated tracks as numbers to quantize.

use super::decode::{Layout, RangeReduction, TrackSpan};
use crate::codecs::encode::write::{
    quantize3, rotation_span_codes, segment_span_code, span_fraction, vector_extent_codes, write_rotation_span,
    write_vector_span,
};
use crate::codecs::encode::{farthest_component, with_channel};
use crate::codecs::runtime::{
    ROTATION_SPAN_BITS, Rate, TrackTable, VECTOR_SPAN_BITS, ValueSpan, dequantize3, rotation_span, rotation3,
    vector_extent,
};
use crate::format::BitWriter;
use crate::math::{Transform, drop_component};
use crate::model::{Channel, Clip};
use glam::{Vec3, Vec3A};
use std::ops::Range;

/// The rotation component that is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// w, as in simple quantization.
    W,
    /// The component that stays farthest from zero, per track.
    Farthest,
}

/// One animated track over the whole clip.
#[derive(Debug, Clone)]
pub struct Track {
    pub channel: Channel,
    pub stored: TrackSpan,
    /// Fractions of the clip's span, one per sample.
    pub fractions: Vec<Vec3A>,
    span_codes: SpanCodes,
}

/// A span in its stored form.
#[derive(Debug, Clone, Copy)]
enum SpanCodes {
    /// Not stored: the channel's first track has it, or none is needed.
    None,
    Rotation([u16; 6]),
    Vector(Vec3, [u16; 3]),
}

/// All animated tracks, in the order of the format.
pub fn animated_tracks(clip: &Clip, table: &TrackTable, layout: &Layout, dropped: Dropped) -> Vec<Track> {
    let mut tracks = Vec::new();
    for channel in Channel::ALL {
        let first = tracks.len();
        for joint in table.animated(channel) {
            tracks.push(Numbers::new(clip, joint, channel, dropped));
        }
        if layout.range == RangeReduction::None && channel != Channel::Rotation {
            share_bounds(&mut tracks[first..]);
        }
    }
    tracks.into_iter().map(|numbers| numbers.into_track(layout)).collect()
}

/// The three numbers of each sample, and their bounding box.
struct Numbers {
    joint: usize,
    channel: Channel,
    dropped: u8,
    values: Vec<Vec3A>,
    min: Vec3A,
    max: Vec3A,
    /// True if the span is stored with this track.
    is_first: bool,
}

impl Numbers {
    fn new(clip: &Clip, joint: usize, channel: Channel, dropped: Dropped) -> Self {
        let dropped = match (channel, dropped) {
            (Channel::Rotation, Dropped::Farthest) => farthest_component(clip.track(joint).map(|t| t.rotation)),
            (Channel::Rotation, Dropped::W) => 3,
            _ => 0,
        };
        let number = |t: Transform| match channel {
            Channel::Rotation => drop_component(t.rotation, dropped).into(),
            Channel::Translation => t.translation.into(),
            Channel::Scale => t.scale.into(),
        };
        let values: Vec<Vec3A> = clip.track(joint).map(number).collect();
        let (min, max) = bounds(&values);
        Self { joint, channel, dropped: dropped as u8, values, min, max, is_first: true }
    }

    fn into_track(self, layout: &Layout) -> Track {
        let (span, span_codes) = match self.channel {
            Channel::Rotation if layout.range == RangeReduction::None => (ValueSpan::ROTATION, SpanCodes::None),
            Channel::Rotation => {
                let codes = rotation_span_codes(self.min, self.max);
                (rotation_span(codes), SpanCodes::Rotation(codes))
            }
            _ => {
                let codes = vector_extent_codes((self.max - self.min).into());
                let span = ValueSpan { min: self.min, extent: vector_extent(codes).into() };
                (span, if self.is_first { SpanCodes::Vector(self.min.into(), codes) } else { SpanCodes::None })
            }
        };
        let fractions = self.values.iter().map(|v| span_fraction(&span, *v)).collect();
        let stored = TrackSpan { joint: self.joint, dropped: self.dropped, span };
        Track { channel: self.channel, stored, fractions, span_codes }
    }
}

fn share_bounds(tracks: &mut [Numbers]) {
    let min = tracks.iter().map(|t| t.min).fold(Vec3A::MAX, Vec3A::min);
    let max = tracks.iter().map(|t| t.max).fold(Vec3A::MIN, Vec3A::max);
    for (i, track) in tracks.iter_mut().enumerate() {
        (track.min, track.max, track.is_first) = (min, max, i == 0);
    }
}

/// Minimum and maximum per component.
fn bounds(values: &[Vec3A]) -> (Vec3A, Vec3A) {
    values.iter().fold((Vec3A::MAX, Vec3A::MIN), |(min, max), v| (min.min(*v), max.max(*v)))
}

impl Track {
    /// The joint that the track moves.
    pub fn joint(&self) -> usize {
        self.stored.joint
    }

    /// Writes the clip's span and returns its size in bits.
    pub fn write_span(&self, out: &mut BitWriter) -> u64 {
        match self.span_codes {
            SpanCodes::None => 0,
            SpanCodes::Rotation(codes) => {
                write_rotation_span(codes, out);
                u64::from(ROTATION_SPAN_BITS)
            }
            SpanCodes::Vector(min, extent) => {
                write_vector_span(min, extent, out);
                u64::from(VECTOR_SPAN_BITS)
            }
        }
    }

    /// The track within a segment.
    pub fn segment(&self, samples: Range<usize>, has_spans: bool) -> SegmentTrack<'_> {
        let fractions = &self.fractions[samples];
        let (min, max) = bounds(fractions);
        let span_code = has_spans.then(|| segment_span_code(min, max));
        let span = span_code.map_or(ValueSpan::UNIT, ValueSpan::from_segment_code);
        let constant = quantize3((min + max) * 0.5, 16);
        SegmentTrack { track: self, fractions, span_code, span, constant }
    }
}

/// A track's samples within one segment.
#[derive(Debug, Clone)]
pub struct SegmentTrack<'a> {
    pub track: &'a Track,
    /// Fractions of the clip's span.
    fractions: &'a [Vec3A],
    /// Bits of the segment's span, if it has one.
    pub span_code: Option<u64>,
    span: ValueSpan,
    /// The single value at [`Rate::CONSTANT`].
    pub constant: [u32; 3],
}

impl SegmentTrack<'_> {
    /// The three integers of a sample, at a rate that stores some.
    pub fn codes(&self, sample: usize, bits: u32) -> [u32; 3] {
        quantize3(span_fraction(&self.span, self.fractions[sample]), bits)
    }

    /// Overwrites the track's channel in `locals` with the decoded values, with the decoder's arithmetic bit for bit. `raw`: the clip's
    /// transforms.
    pub fn decode_into(&self, rate: Rate, highest_bits: u32, raw: &[Transform], locals: &mut [Transform]) {
        let stored = &self.track.stored;
        for (sample, (raw, local)) in raw.iter().zip(locals).enumerate() {
            if rate == Rate::EXACT {
                *local = with_channel(*local, self.track.channel, raw);
                continue;
            }
            let fraction = match rate.bits(highest_bits) {
                0 => dequantize3(self.constant, 16),
                bits => self.span.value(dequantize3(self.codes(sample, bits), bits)),
            };
            let value = stored.span.value(fraction);
            match self.track.channel {
                Channel::Rotation => local.rotation = rotation3(stored.dropped, value),
                Channel::Translation => local.translation = value.into(),
                Channel::Scale => local.scale = value.into(),
            }
        }
    }
}
