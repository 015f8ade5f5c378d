//! Samples as whole steps. Each of the three numbers of a track has its own rate.
//!
//! On disk, after the [`Layout`]:
//! - a flag that some tracks are float32 and, if set, one bit per track, set for float32;
//! - the least step code (8 bits); the bits of a step code above the least (4 bits); the rate before the first segment (5 bits); the order
//!   of the codes of lowest values (3 bits);
//! - per track that is not float32: three step codes, minus the least (see [`lattice_step`]); for a rotation, its reference (32 bits); for
//!   a vector, three origins in steps, each as its width (5 bits) and its [zigzag code](unzigzag32);
//! - per segment: for each number of these tracks, its rate as a difference from the segment before in [unary](read_width), and its lowest
//!   value above the origin, see [`Reach`]; then the samples, each with all tracks.

use super::{
    Channel, ClipHeader, Layout, PackingLanes, Places, SegmentStart, TrackLanes, VariableRateDecoder, check_rows,
    exact_bits, place_lanes,
};
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{LANES, Range3};
use crate::memory::{NoMemory, TryPush};
use crate::parts::{
    EXACT_BITS, IntegerLanes, LATTICE_REFERENCE, RangeLanes, Segments, Slot, StoredTracks, TrackPacking, grouped,
    lattice_step, read_width, unzigzag32,
};
use alloc::vec::Vec;
use glam::{Quat, Vec3, Vec4};

/// Code in place of the granularity.
pub const GRANULARITY_OF_STEPS: u64 = 3;
/// Most bits of a number: float32 holds integers of 24 bits exactly.
pub const WIDEST: u32 = 24;
/// Bits of the width of an origin, and of the first rate.
pub const SIZE_BITS: u32 = 5;
/// Bits of the least step code.
pub const STEP_BITS: u32 = 8;
/// Bits of the width of step codes above the least.
pub const CODE_SIZE_BITS: u32 = 4;
/// Bits of the order of the codes of lowest values.
pub const ORDER_BITS: u32 = 3;
/// A lowest value is rounded to a multiple of the reach of its number's bits, divided by two to this power.
const LOWEST_PART_BITS: u32 = 2;
/// Fewest payload bits per track and segment. The check keeps memory in proportion to the payload.
pub const LEAST_SEGMENT_BITS: usize = 8;

/// The range that a number's bits cover in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Bits of the number.
    pub width: u32,
    /// The value of zero bits, in steps from the origin: a multiple of two to the power of [`Reach::shift`].
    pub lowest: i32,
}

impl Reach {
    /// The range before the first segment, centred on the origin.
    pub fn first(width: u32) -> Self {
        Self { width, lowest: Self::half(width).wrapping_neg() }
    }

    /// Number of low bits of `lowest` that are zero.
    pub fn shift(width: u32) -> u32 {
        width.saturating_sub(LOWEST_PART_BITS)
    }

    fn half(width: u32) -> i32 {
        (1 << width) >> 1
    }

    /// Expected `lowest` of the next segment, without its zero bits: a range of `width` bits with the same middle as this one.
    pub fn expected(self, width: u32) -> i32 {
        self.lowest.wrapping_add(Self::half(self.width)).wrapping_sub(Self::half(width)) >> Self::shift(width)
    }

    fn read(self, input: &mut BitReader<'_>, order: u32) -> Result<Self, DecodeError> {
        let width = read_width(input, self.width, WIDEST)?;
        let farther = unzigzag32(read_golomb(input, order)?);
        Ok(Self { width, lowest: self.expected(width).wrapping_add(farther) << Self::shift(width) })
    }
}

/// Reads an exponential Golomb code. Let `n` be one more than the number without its last `order` bits. The code is: one bit set per bit
/// of `n` after its first; a zero bit; these bits of `n`; the last `order` bits of the number.
fn read_golomb(input: &mut BitReader<'_>, order: u32) -> Result<u32, DecodeError> {
    let at = input.bit_position() / 8;
    let mut bits = 0;
    while input.read("lowest of a segment", 1)? == 1 {
        bits += 1;
        if bits >= u32::BITS {
            return Err(DecodeError::invalid("bits of a lowest", at, bits, "31 or fewer"));
        }
    }
    let above = ((1 << bits) | input.read("lowest of a segment", bits)?) - 1;
    Ok((above << order | input.read("lowest of a segment", order)?) as u32)
}

/// One animated track.
#[derive(Debug, Clone, Copy)]
struct StepTrack {
    joint: usize,
    is_exact: bool,
    steps: Vec3,
    reference: Quat,
    /// Origin of each number, in steps.
    origins: [i32; 3],
    /// Range of each number in the segment read last.
    reach: [Reach; 3],
}

/// Settings of the codes of steps, rates and lowest values.
#[derive(Debug, Clone, Copy)]
struct Codes {
    least_step: u8,
    step_bits: u32,
    first_width: u32,
    order: u32,
}

/// Reads and checks the data after the layout.
pub fn open(
    header: &ClipHeader,
    mut input: BitReader<'_>,
    bytes: &[u8],
    table: StoredTracks,
    layout: &Layout,
) -> Result<VariableRateDecoder, DecodeError> {
    let (codes, mut tracks) = read_tracks(&mut input, bytes, &table)?;
    let segments = Segments::new(header.grid.samples(), layout.segment_samples);
    let mut out = VariableRateDecoder {
        grid: header.grid,
        still: table.still,
        rotations: lanes(&tracks[0])?,
        translations: lanes(&tracks[1])?,
        scales: lanes(&tracks[2])?,
        segments,
        starts: Vec::new(),
        places: Places::Steps(Vec::new()),
    };
    let mut places = Vec::new();
    let counts = [tracks[0].len(), tracks[1].len(), tracks[2].len()];
    let count: usize = counts.iter().sum();
    if count > 0 {
        let least_bits = segments.count().saturating_mul(count).saturating_mul(LEAST_SEGMENT_BITS);
        input.clone().skip("segments", least_bits.saturating_sub(input.bit_position()))?;
        for segment in 0..segments.count() {
            let samples = segments.samples_of(segment);
            let first_group = places.len();
            let row_bits = read_places(&mut input, &mut tracks, codes.order, &mut places)?;
            let rows_bit = input.skip("samples of a segment", samples.len().saturating_mul(row_bits))?;
            let start = SegmentStart { sample: samples.start, rows_bit, row_bits };
            check_rows(bytes, &start, samples.len(), counts, &places[first_group..])?;
            out.starts.try_push(start)?;
        }
    }
    input.finish("segments")?;
    Ok(VariableRateDecoder { places: Places::Steps(places), ..out })
}

/// Reads the settings that are stored once per track. Returns the tracks of each channel.
fn read_tracks(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    table: &StoredTracks,
) -> Result<(Codes, [Vec<StepTrack>; 3]), DecodeError> {
    let count = Channel::ALL.into_iter().map(|channel| table.animated(channel).count()).sum();
    let has_exact = input.read("flag of exact tracks", 1)? == 1;
    let flags_bit = has_exact.then(|| input.skip("exact tracks", count)).transpose()?;
    let codes = Codes::read(input)?;
    let mut tracks = [Vec::new(), Vec::new(), Vec::new()];
    let mut number = 0;
    for channel in Channel::ALL {
        for joint in table.animated(channel) {
            let is_exact = flags_bit.is_some_and(|bit| bits_at(bytes, bit + number, 1) == 1);
            number += 1;
            let mut track = StepTrack::new(joint, is_exact, codes.first_width);
            if !is_exact {
                track.read(input, bytes, channel, codes)?;
            }
            tracks[channel as usize].try_push(track)?;
        }
    }
    Ok((codes, tracks))
}

impl Codes {
    fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let least_step = input.read("least step", STEP_BITS)? as u8;
        let at = input.bit_position() / 8;
        let step_bits = input.read("bits of steps", CODE_SIZE_BITS)? as u32;
        if step_bits > STEP_BITS {
            return Err(DecodeError::invalid("bits of steps", at, step_bits, "0 to 8"));
        }
        let at = input.bit_position() / 8;
        let first_width = input.read("first rate", SIZE_BITS)? as u32;
        if first_width > WIDEST {
            return Err(DecodeError::invalid("first rate", at, first_width, "0 to 24"));
        }
        Ok(Self { least_step, step_bits, first_width, order: input.read("order of lowests", ORDER_BITS)? as u32 })
    }
}

impl StepTrack {
    fn new(joint: usize, is_exact: bool, first_width: u32) -> Self {
        let reach = [Reach::first(first_width); 3];
        Self { joint, is_exact, steps: Vec3::ONE, reference: Quat::IDENTITY, origins: [0; 3], reach }
    }

    fn read(
        &mut self,
        input: &mut BitReader<'_>,
        bytes: &[u8],
        channel: Channel,
        codes: Codes,
    ) -> Result<(), DecodeError> {
        let is_rotation = channel == Channel::Rotation;
        for i in 0..3 {
            let code = input.read("step of a track", codes.step_bits)? as u8;
            self.steps[i] = lattice_step(codes.least_step.saturating_add(code), is_rotation);
        }
        if is_rotation {
            let at = input.skip("reference of a track", LATTICE_REFERENCE.bits() as usize)?;
            self.reference = LATTICE_REFERENCE.read(bytes, at, &Range3::UNIT);
        } else {
            for origin in &mut self.origins {
                let bits = input.read("bits of an origin", SIZE_BITS)? as u32;
                *origin = unzigzag32(input.read("origin", bits)? as u32);
            }
        }
        Ok(())
    }

    /// Reads the track's settings of a segment. Its numbers begin `at` bits after the start of a sample.
    fn read_place(&mut self, input: &mut BitReader<'_>, order: u32, at: u32) -> Result<TrackPacking, DecodeError> {
        if self.is_exact {
            return Ok(TrackPacking { at, bits: [EXACT_BITS; 3], slot: Slot::None });
        }
        for reach in &mut self.reach {
            *reach = reach.read(input, order)?;
        }
        let lowest = [0, 1, 2].map(|i| self.origins[i].wrapping_add(self.reach[i].lowest));
        Ok(TrackPacking { at, bits: self.reach.map(|reach| reach.width), slot: Slot::Lowest(lowest) })
    }
}

/// Reads the places of a segment's tracks. Returns the bits per sample.
fn read_places(
    input: &mut BitReader<'_>,
    tracks: &mut [Vec<StepTrack>; 3],
    order: u32,
    places: &mut Vec<PackingLanes<IntegerLanes>>,
) -> Result<usize, DecodeError> {
    let mut at = 0;
    for (channel, tracks) in Channel::ALL.into_iter().zip(tracks) {
        for group in tracks.chunks_mut(LANES) {
            let mut of_group = [TrackPacking { at, bits: [0; 3], slot: Slot::None }; LANES];
            for (track, place) in group.iter_mut().zip(&mut of_group) {
                *place = track.read_place(input, order, at)?;
                at += if track.is_exact { exact_bits(channel) as u32 } else { place.bits.iter().sum() };
            }
            places.try_push(place_lanes(&of_group[..group.len()]))?;
        }
    }
    Ok(at as usize)
}

fn lanes(tracks: &[StepTrack]) -> Result<Vec<TrackLanes>, NoMemory> {
    let range = |track: &StepTrack| Range3 { min: Vec3::ZERO, extent: track.steps };
    let reference = |of: [&StepTrack; LANES], i: usize| of.map(|track| track.reference.to_array()[i]);
    grouped(tracks, |of| TrackLanes {
        joints: of.map(|track| track.joint as u16),
        drops_w: true,
        dropped: Vec4::splat(3.0),
        spans: RangeLanes::new(of.map(range)),
        references: [0, 1, 2, 3].map(|i| Vec4::from_array(reference(of, i))),
    })
}
