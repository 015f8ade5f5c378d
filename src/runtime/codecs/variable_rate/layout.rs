//! Settings of a clip.

use crate::Channel;
use crate::format::{BitReader, DecodeError};
use crate::parts::{Segments, ValueSpan};

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

/// Code in place of the granularity, for [`RangeReduction::Steps`].
pub const GRANULARITY_OF_STEPS: u64 = 3;

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

impl Layout {
    /// Size on disk, bits.
    pub const BITS: u64 = 21;

    /// Reads the settings.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
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
            GRANULARITY_OF_STEPS if range == RangeReduction::Steps => Granularity::Track,
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
