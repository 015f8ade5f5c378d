//! Spans of tracks, and their places in each segment.

use super::fractions::{SegmentStart, check_rows};
use super::layout::{Layout, RangeReduction, TrackSpan, exact_bits};
use crate::Channel;
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{LANES, each_lane};
use crate::memory::{TryPush, with_room};
use crate::parts::{
    EXACT_BITS, PackingLanes, Rate, Slot, StoredTracks, TrackPacking, ValueSpan, read_rotation_span, read_vector_span,
};
use alloc::vec::Vec;
use core::ops::Range;

/// Computes the places of a segment's parts, and checks its float32 samples, so that sampling needs no checks. `tracks` is the number of
/// tracks per channel.
pub fn read_segment(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    (layout, has_spans): (&Layout, bool),
    tracks: [usize; 3],
    samples: Range<usize>,
    places: &mut Vec<PackingLanes>,
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
            let len = LANES.min(count - first);
            let mut group = [TrackPacking { at: 0, bits: 0, slot: Slot::None }; LANES];
            group[..len].iter_mut().for_each(|place| *place = walk.next(channel));
            places.try_push(PackingLanes::new(each_lane([0, 1, 2, 3], |lane| {
                group[if lane < len { lane } else { 0 }]
            })))?;
        }
    }
    let (slots, row_bits) = (walk.slots, walk.offset as usize);
    input.skip("spans of a segment", slots * ValueSpan::SEGMENT_BITS as usize)?;
    let rows_bit = input.skip("samples of a segment", samples.len() * row_bits)?;
    let start = SegmentStart { sample: samples.start, rows_bit, row_bits };
    check_rows(bytes, &start, samples.len(), tracks, &places[first_group..])?;
    Ok(start)
}

/// Iterates over the tracks of a segment and returns their places.
struct Walk<'a> {
    bytes: &'a [u8],
    layout: &'a Layout,
    has_spans: bool,
    /// First of the bits per track that mark float32, if any track is float32.
    exact_bit: Option<usize>,
    rates_bit: usize,
    slots_bit: usize,
    track: usize,
    /// Number of spans and constants so far.
    slots: usize,
    /// Bits from the start of the sample to the next track.
    offset: u32,
}

impl Walk<'_> {
    fn next(&mut self, channel: Channel) -> TrackPacking {
        let (track, at) = (self.track, self.offset);
        self.track += 1;
        if self.exact_bit.is_some_and(|bit| bits_at(self.bytes, bit + track, 1) == 1) {
            self.offset += exact_bits(channel) as u32;
            return TrackPacking { at, bits: EXACT_BITS, slot: Slot::None };
        }
        let rate_bit = self.rates_bit + Rate::CODE_BITS as usize * self.layout.rate_of(channel, track);
        let rate = Rate::from_code(bits_at(self.bytes, rate_bit, Rate::CODE_BITS));
        if rate == Rate::CONSTANT {
            return TrackPacking { at, bits: 0, slot: Slot::Constant(self.next_slot()) };
        }
        let bits = rate.bits(self.layout.highest_bits);
        self.offset += 3 * bits;
        TrackPacking { at, bits, slot: if self.has_spans { Slot::Span(self.next_slot()) } else { Slot::None } }
    }

    fn next_slot(&mut self) -> u64 {
        self.slots += 1;
        bits_at(
            self.bytes,
            self.slots_bit + (self.slots - 1) * ValueSpan::SEGMENT_BITS as usize,
            ValueSpan::SEGMENT_BITS,
        )
    }
}

/// Reads the spans of the rotations in the clip.
pub fn read_rotation_spans(
    input: &mut BitReader<'_>,
    layout: &Layout,
    table: &StoredTracks,
    dropped: &[u8],
) -> Result<Vec<TrackSpan>, DecodeError> {
    let mut tracks = with_room(dropped.len())?;
    for (joint, &dropped) in table.animated(Channel::Rotation).zip(dropped) {
        let span = if layout.range == RangeReduction::None { ValueSpan::ROTATION } else { read_rotation_span(input)? };
        tracks.try_push(TrackSpan { joint, dropped, span })?;
    }
    Ok(tracks)
}

/// Reads the spans of translations or scales in the clip.
pub fn read_vector_spans(
    input: &mut BitReader<'_>,
    layout: &Layout,
    table: &StoredTracks,
    channel: Channel,
) -> Result<Vec<TrackSpan>, DecodeError> {
    let mut tracks: Vec<TrackSpan> = Vec::new();
    for joint in table.animated(channel) {
        let span = match tracks.first() {
            Some(first) if layout.range == RangeReduction::None => first.span,
            _ => read_vector_span(input)?,
        };
        tracks.try_push(TrackSpan { joint, dropped: 0, span })?;
    }
    Ok(tracks)
}
