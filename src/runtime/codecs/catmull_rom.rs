//! Catmull-Rom splines through kept keys, in frames or by track.

use super::{Decode, DecodeCursor, other_cursor};
use crate::format::{BindPose, BitReader, DecodeError, bits_at};
use crate::math::{Range3, Transform};
use crate::memory::{NoMemory, TryList, TryPush, copied, filled};
use crate::parts::{
    BlockSize, ClipHeader, CurveTracks, CurveTracksCursor, JumpTable, KeyCoding, KeyFormat, KeyPlace, Knots, NeedOrder,
    NeedScan, PoseSlice, RangeSource, RotationFormat, SectionCursor, Spline, SplineShape, StillPose, StoredTracks,
    StreamLayout, ValueCoding, ValueFormat, VectorFormat, read_range,
};
use crate::{Channel, List, StateMemory, TimeGrid};
use alloc::vec::Vec;
use glam::Vec4;

/// The memory layout of keys. The discriminant is the code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum CurveLayout {
    /// One block of frames in the order in which forward playback needs them: [`FrameTracks`].
    TimeNeeded = 0,
    /// One track after another: [`CurveTracks`].
    ByTrack = 1,
}

/// The header of a payload. On disk: layout with or without jump table or blocks (4 bits), knots (3 bits), straight steps (1 bit); then
/// the [`BlockSize`], for tracks in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurveHeader {
    /// Memory layout of the keys.
    pub layout: CurveLayout,
    /// True if a jump table precedes the frames; only with [`CurveLayout::TimeNeeded`].
    pub has_jumps: bool,
    /// Size of blocks, if tracks are cut into blocks; only with [`CurveLayout::ByTrack`].
    pub blocks: Option<BlockSize>,
    /// The curve between the keys.
    pub spline: Spline,
}

/// Bits of the layout's code.
pub const LAYOUT_BITS: u32 = 4;
/// Bits of the knots' code.
pub const KNOTS_BITS: u32 = 3;
/// Layout code of frames with a jump table.
pub const JUMPS_CODE: u64 = 2;
/// Layout code of tracks in blocks.
pub const BLOCKS_CODE: u64 = 3;

impl CurveHeader {
    /// Reads the header.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let code = input.read("layout of curves", LAYOUT_BITS)?;
        let (layout, has_jumps) = match code {
            0 => (CurveLayout::TimeNeeded, false),
            1 | BLOCKS_CODE => (CurveLayout::ByTrack, false),
            JUMPS_CODE => (CurveLayout::TimeNeeded, true),
            _ => return Err(DecodeError::invalid("layout of curves", 0, code, "0 to 3")),
        };
        let knots_code = input.read("knots of curves", KNOTS_BITS)?;
        let knots = Knots::ALL.get(knots_code as usize).copied();
        let knots = knots.ok_or_else(|| DecodeError::invalid("knots of curves", 0, knots_code, "0 to 3"))?;
        let straight_steps = input.read("straight steps of curves", 1)? == 1;
        let blocks = if code == BLOCKS_CODE { Some(BlockSize::read(input)?) } else { None };
        Ok(Self { layout, has_jumps, blocks, spline: Spline { knots, straight_steps } })
    }
}

/// Curves in one of two layouts. On disk: [`CurveHeader`], then [`FrameTracks`] or [`CurveTracks`].
#[derive(Debug)]
pub enum CatmullRomDecoder {
    /// [`CurveLayout::TimeNeeded`].
    Frames(FrameTracks),
    /// [`CurveLayout::ByTrack`].
    Tracks(CurveTracks),
}

/// The position of a player.
#[derive(Debug, Clone)]
pub enum CatmullRomCursor {
    /// The position in the block of frames.
    Frames(FrameCursor),
    /// The positions on all tracks.
    Tracks(CurveTracksCursor),
}

impl CatmullRomDecoder {
    /// The coding of a track's values; `None` for a track without keys.
    pub fn coding_of(&self, track: (usize, Channel)) -> Option<ValueCoding> {
        match self {
            Self::Frames(frames) => {
                let found = frames.tracks.iter().find(|t| (usize::from(t.joint), t.channel) == track)?;
                let range = frames.ranges[usize::from(found.range)];
                Some(match found.format {
                    ValueFormat::Rotation(format) => ValueCoding::Rotation(KeyCoding::Format(format, range)),
                    ValueFormat::Vector(format) => ValueCoding::Vector(KeyCoding::Format(format, range)),
                })
            }
            Self::Tracks(tracks) => tracks.coding_of(track),
        }
    }
}

impl Decode for CatmullRomDecoder {
    const VERSION: u8 = 1;
    type Cursor = CatmullRomCursor;

    fn open(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let curves = CurveHeader::read(&mut input)?;
        Ok(match curves.layout {
            CurveLayout::TimeNeeded => Self::Frames(FrameTracks::read(header, curves, input, bytes, bind)?),
            CurveLayout::ByTrack => {
                Self::Tracks(CurveTracks::read(header, (curves.spline, curves.blocks), input, bytes, bind)?)
            }
        })
    }

    fn own(&mut self, payload: &[u8]) -> Result<bool, NoMemory> {
        match self {
            Self::Frames(_) => Ok(false),
            Self::Tracks(tracks) => tracks.own(payload).map(|()| true),
        }
    }

    fn cursor(&self, bytes: &[u8], memory: StateMemory) -> Result<CatmullRomCursor, NoMemory> {
        Ok(match self {
            Self::Frames(frames) => CatmullRomCursor::Frames(frames.cursor(bytes, memory)?),
            Self::Tracks(tracks) => CatmullRomCursor::Tracks(tracks.cursor(memory)?),
        })
    }

    #[inline]
    fn sample(&self, bytes: &[u8], cursor: &mut CatmullRomCursor, at_sample: f64, out: PoseSlice<'_>) {
        match (self, cursor) {
            (Self::Frames(frames), CatmullRomCursor::Frames(cursor)) => frames.sample(bytes, cursor, at_sample, out),
            (Self::Tracks(tracks), CatmullRomCursor::Tracks(cursor)) => tracks.sample(bytes, cursor, at_sample, out),
            _ => other_cursor(),
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Frames(frames) => frames.heap_bytes(),
            Self::Tracks(tracks) => tracks.heap_bytes(),
        }
    }
}

impl DecodeCursor for CatmullRomCursor {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Frames(cursor) => cursor.scan.heap_bytes() + size_of_val(&cursor.sections[..]),
            Self::Tracks(cursor) => cursor.heap_bytes(),
        }
    }

    fn position(&self) -> Option<usize> {
        match self {
            Self::Frames(cursor) => Some(cursor.scan.position()),
            Self::Tracks(_) => None,
        }
    }
}

/// Bytes of a frame before its value: Riot's `keyTime` and `jointIndex`.
pub const FRAME_HEAD_BYTES: usize = 4;
/// Bits of the joint in `jointIndex`. The two bits above them are the channel.
pub const JOINT_BITS: u32 = 14;
/// Number of keys that a section of a spline needs.
pub const WINDOW: usize = 4;

/// A sample's time as Riot stores it: 0 is the start of the clip, 65,535 its end.
pub fn ticks_of(sample: u32, samples: usize) -> u16 {
    let last = samples.saturating_sub(1).max(1) as u64;
    ((u64::from(sample) * u64::from(u16::MAX) + last / 2) / last) as u16
}

/// The sample of a key. Keys are at samples, so the rounding to 16 bits is harmless in clips of up to 65,536 samples.
pub fn sample_of(ticks: u16, samples: usize) -> u32 {
    let last = samples.saturating_sub(1) as u64;
    ((u64::from(ticks) * last + u64::from(u16::MAX / 2)) / u64::from(u16::MAX)) as u32
}

/// Frames of all tracks in one block, in [`NeedOrder`].
///
/// On disk, after [`CurveHeader`]: the track table; per animated track (rotations, translations, scales, in joint order), its format
/// (4 bits) and its own range, if the format needs one; the shared range of translations and that of scales, if a track needs it; the
/// jump table, if any; zero bits up to a whole byte. Then the frames: time (16 bits, see [`ticks_of`]), joint (14 bits), channel (2 bits),
/// value (48 bits as published; 32 to 128 in other formats).
///
/// The first three keys of a track are needed at the start. Each later key is needed when the key two before it is reached.
#[derive(Debug)]
pub struct FrameTracks {
    grid: TimeGrid,
    spline: Spline,
    still: StillPose,
    tracks: Vec<FrameTrack>,
    /// Ranges of tracks. The first is that of formats without one.
    ranges: Vec<Range3>,
    /// First track of each channel, then the number of tracks.
    starts: [usize; 4],
    order: NeedOrder<Frames, WINDOW>,
}

/// The position of a player of [`FrameTracks`].
#[derive(Debug, Clone)]
pub struct FrameCursor {
    scan: NeedScan<WINDOW>,
    /// One per track.
    sections: List<SectionCursor>,
}

/// One animated track, and the coding of its keys.
#[derive(Debug, Clone, Copy)]
struct FrameTrack {
    joint: u16,
    channel: Channel,
    format: ValueFormat,
    /// Index of its range in [`FrameTracks::ranges`].
    range: u16,
}

/// The coding of frames.
#[derive(Debug)]
struct Frames {
    samples: usize,
    /// Track of each joint and channel; [`NO_TRACK`] if it is not animated.
    track_of: Vec<[u16; 3]>,
    /// Bits of a value, one number per track.
    value_bits: Vec<u8>,
}

const NO_TRACK: u16 = u16::MAX;

impl StreamLayout for Frames {
    const PLACE_BITS: usize = 16;
    const KEY: &'static str = "frame";

    #[inline]
    fn head_bits(&self) -> usize {
        8 * FRAME_HEAD_BYTES
    }

    #[inline]
    fn value_bits(&self, track: usize) -> usize {
        usize::from(self.value_bits[track])
    }

    #[inline]
    fn head_at(&self, bytes: &[u8], bit: usize) -> (u32, Option<usize>) {
        let (ticks, name) = (bits_at(bytes, bit, 16) as u16, bits_at(bytes, bit + 16, 16) as usize);
        let joint = self.track_of.get(name & ((1 << JOINT_BITS) - 1));
        let track = joint.and_then(|joint| joint.get(name >> JOINT_BITS));
        (sample_of(ticks, self.samples), track.map(|track| usize::from(*track)))
    }
}

impl FrameTracks {
    /// Reads and checks all frames, up to the end of the bytes. `input` reads from `bytes`.
    fn read(
        header: &ClipHeader,
        curves: CurveHeader,
        mut input: BitReader<'_>,
        bytes: &[u8],
        bind: &BindPose,
    ) -> Result<Self, DecodeError> {
        let table = StoredTracks::read(&mut input, bytes, bind)?;
        let (tracks, ranges) = read_tracks(&mut input, &table)?;
        let samples = header.grid.samples();
        let places = WINDOW * tracks.len() + 1;
        let jumps = curves.has_jumps.then(|| JumpTable::read(&mut input, samples, places)).transpose()?;
        let fill = input.bit_position().next_multiple_of(8) - input.bit_position();
        if input.read("padding before frames", fill as u32)? != 0 {
            return Err(DecodeError::invalid("padding before frames", input.bit_position() / 8, "ones", "zeros"));
        }
        let mut track_of = filled([NO_TRACK; 3], bind.len())?;
        for (number, track) in tracks.iter().enumerate() {
            track_of[usize::from(track.joint)][track.channel as usize] = number as u16;
        }
        let value_bits = tracks.iter().map(|t| t.format.bits().next_multiple_of(16) as u8).try_list()?;
        let layout = Frames { samples, track_of, value_bits };
        let check_value = |track: usize, bit| tracks[track].format.check(bytes, bit);
        let order = NeedOrder::read(layout, tracks.len(), (&mut input, bytes), samples, jumps, check_value)?;
        input.finish("frames")?;
        let start = |channel: usize| tracks.partition_point(|t| (t.channel as usize) < channel);
        let (starts, spline) = ([start(0), start(1), start(2), start(3)], curves.spline);
        Ok(Self { grid: header.grid, spline, still: table.still, tracks, ranges, starts, order })
    }

    fn cursor(&self, bytes: &[u8], memory: StateMemory) -> Result<FrameCursor, NoMemory> {
        let sections = memory.filled(SectionCursor::default(), self.tracks.len())?;
        Ok(FrameCursor { scan: self.order.scan(bytes, memory)?, sections })
    }

    #[inline]
    fn sample(&self, bytes: &[u8], cursor: &mut FrameCursor, at_sample: f64, mut out: PoseSlice<'_>) {
        let at = self.grid.clamp(at_sample);
        self.order.seek(bytes, &mut cursor.scan, at);
        self.still.put(&mut out);
        for channel in self.starts.windows(2) {
            let (first, tracks) = (channel[0], &self.tracks[channel[0]..channel[1]]);
            for number in out.of(tracks, |t| t.joint.into()) {
                let (track, section) = (&tracks[number], &mut cursor.sections[first + number]);
                let Some(out) = out.joint(track.joint.into()) else { continue };
                let value = match section.value(at) {
                    Some(value) => value,
                    None => {
                        let keys = (bytes, &self.ranges[usize::from(track.range)]);
                        track.enter(keys, section, cursor.scan.window(first + number), (self.spline, at))
                    }
                };
                put(track.channel, value, out);
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        let layout = self.order.layout();
        self.still.heap_bytes()
            + size_of_val(&self.tracks[..])
            + size_of_val(&self.ranges[..])
            + size_of_val(&layout.track_of[..])
            + layout.value_bits.len()
            + self.order.heap_bytes()
    }
}

/// Sets a channel of a transform from the four numbers of a key.
#[inline]
fn put(channel: Channel, value: Vec4, out: &mut Transform) {
    match channel {
        Channel::Rotation => out.rotation = RotationFormat::key_of(value),
        Channel::Translation => out.translation = VectorFormat::key_of(value),
        Channel::Scale => out.scale = VectorFormat::key_of(value),
    }
}

/// Reads the formats of all tracks, and their ranges.
fn read_tracks(input: &mut BitReader<'_>, table: &StoredTracks) -> Result<(Vec<FrameTrack>, Vec<Range3>), DecodeError> {
    let (mut tracks, mut ranges) = (Vec::new(), Vec::new());
    ranges.try_push(Range3::UNIT)?;
    for channel in Channel::ALL {
        for joint in table.animated(channel) {
            let mut track =
                FrameTrack { joint: joint as u16, channel, format: ValueFormat::read_code(input, channel)?, range: 0 };
            if track.format.range_source() == RangeSource::Track {
                track.range = add_range(input, &mut ranges)?;
            }
            tracks.try_push(track)?;
        }
    }
    for channel in [Channel::Translation, Channel::Scale] {
        let shares = |t: &FrameTrack| t.channel == channel && t.format.range_source() == RangeSource::Clip;
        if tracks.iter().any(shares) {
            let range = add_range(input, &mut ranges)?;
            tracks.iter_mut().filter(|t| shares(t)).for_each(|t| t.range = range);
        }
    }
    Ok((copied(&tracks)?, copied(&ranges)?))
}

/// Reads a range, and returns its index.
fn add_range(input: &mut BitReader<'_>, ranges: &mut Vec<Range3>) -> Result<u16, DecodeError> {
    let at = input.bit_position() / 8;
    let range = read_range(input)?;
    let too_many = |count: usize| DecodeError::invalid("ranges of tracks", at, count, "65,535 or fewer");
    let index = u16::try_from(ranges.len()).map_err(|_| too_many(ranges.len()))?;
    ranges.try_push(range)?;
    Ok(index)
}

impl FrameTrack {
    /// Builds the section around a fractional sample and returns its value. A track with one key has the value of that key.
    fn enter(
        &self,
        (bytes, range): (&[u8], &Range3),
        section: &mut SectionCursor,
        window: &[KeyPlace; WINDOW],
        (spline, at): (Spline, f64),
    ) -> Vec4 {
        let read = |key: KeyPlace| self.format.read(bytes, key.place as usize + 8 * FRAME_HEAD_BYTES, range);
        let first = (1..WINDOW).rev().find(|k| window[*k] == window[k - 1]).unwrap_or(0);
        if first == WINDOW - 1 {
            return read(window[first]);
        }
        let start = (first..WINDOW - 1).rev().find(|k| f64::from(window[*k].sample) <= at).unwrap_or(first);
        let before = (start > first).then(|| window[start - 1]);
        let after = window.get(start + 2).copied();
        let shape = SplineShape { spline, is_rotation: self.channel == Channel::Rotation };
        section.enter(before, [window[start], window[start + 1]], after, (shape, at), read)
    }
}
