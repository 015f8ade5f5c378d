//! Kept keys in one of four layouts, with linear interpolation.

use super::{Decode, DecodeCursor, other_cursor};
use crate::format::{BindPose, BitReader, DecodeError};
use crate::memory::{NoMemory, with_room};
use crate::parts::{
    BlockSize, ClipHeader, KeySearch, KeyStream, KeyStreamCursor, KeyTracks, KeyTracksCursor, PoseRows, PoseSlice,
    count_bits, read_curve_block, read_times,
};
use crate::{StateMemory, TimeGrid};
use alloc::vec::Vec;

/// The memory layout of kept keys. The discriminant is the code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum KeyLayout {
    /// One track after another (Unreal): [`KeyTracks`].
    ByTrack = 0,
    /// In the order in which forward playback needs them (Riot): [`KeyStream`].
    TimeNeeded = 1,
    /// Whole poses at shared times: [`KeyFrames`].
    KeyFrames = 2,
    /// Curves and one block of keys (Animation Tech Intro 2): [`read_curve_block`].
    CurveBlock = 3,
}

/// The header of a payload.
///
/// On disk: [`ESCAPE`], the layout and the search, two bits each. Two codes may replace the search:
/// - [`JUMPS`] for [`KeyLayout::TimeNeeded`], which needs no search: the stream has a jump table;
/// - [`BLOCKS`] for [`KeyLayout::ByTrack`]: the search (two bits) and a [`BlockSize`] follow.
///
/// The header [`KeyHeader::LEFT_OUT`] is not stored. Its payloads begin with the track table, and no table begins with [`ESCAPE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyHeader {
    /// Memory layout of the keys.
    pub layout: KeyLayout,
    /// Search for the keys around a time.
    pub search: KeySearch,
    /// True if a jump table precedes the keys; only with [`KeyLayout::TimeNeeded`].
    pub has_jumps: bool,
    /// Size of blocks, if tracks are cut into blocks; only with [`KeyLayout::ByTrack`].
    pub blocks: Option<BlockSize>,
}

/// Two bits that are not the kind of a track.
pub const ESCAPE: u64 = 3;
/// Two bits that are not the code of a search: the stream has a jump table.
pub const JUMPS: u64 = 3;
/// The same two bits in a payload by track: blocks follow.
pub const BLOCKS: u64 = JUMPS;
/// Bits of each part of a [`KeyHeader`].
pub const CODE_BITS: u32 = 2;

impl KeyHeader {
    /// The settings of payloads without a header.
    pub const LEFT_OUT: Self =
        Self { layout: KeyLayout::ByTrack, search: KeySearch::Cursor, has_jumps: false, blocks: None };

    fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        // The payload of a rig without joints may be empty.
        if input.clone().read("layout of keys", CODE_BITS).is_ok_and(|bits| bits != ESCAPE) {
            return Ok(Self::LEFT_OUT);
        }
        input.read("layout of keys", CODE_BITS)?;
        let layout = match input.read("layout of keys", CODE_BITS)? {
            0 => KeyLayout::ByTrack,
            1 => KeyLayout::TimeNeeded,
            2 => KeyLayout::KeyFrames,
            _ => KeyLayout::CurveBlock,
        };
        let mut code = input.read("search of keys", CODE_BITS)?;
        if code == JUMPS && layout == KeyLayout::TimeNeeded {
            return Ok(Self { layout, search: KeySearch::Cursor, has_jumps: true, blocks: None });
        }
        let mut blocks = None;
        if code == BLOCKS && layout == KeyLayout::ByTrack {
            code = input.read("search of keys", CODE_BITS)?;
            blocks = Some(BlockSize::read(input)?);
        }
        let search = KeySearch::ALL.get(code as usize).copied();
        let search = search.ok_or_else(|| DecodeError::invalid("search of keys", 0, code, "0 to 2"))?;
        Ok(Self { layout, search, has_jumps: false, blocks })
    }
}

/// Keys in any layout. On disk: [`KeyHeader`], then the keys in its layout.
#[derive(Debug)]
pub enum LinearKeysDecoder {
    /// [`KeyLayout::ByTrack`] and [`KeyLayout::CurveBlock`].
    Tracks(KeyTracks),
    /// [`KeyLayout::TimeNeeded`].
    Stream(KeyStream),
    /// [`KeyLayout::KeyFrames`].
    Poses(KeyFrames),
}

/// The position of a player.
#[derive(Debug, Clone)]
pub enum LinearKeysCursor {
    /// The positions on all tracks.
    Tracks(KeyTracksCursor),
    /// The position in the stream of keys.
    Stream(KeyStreamCursor),
    /// Index of the last key frame at or before the time.
    Poses(usize),
}

impl Decode for LinearKeysDecoder {
    const VERSION: u8 = 1;
    type Cursor = LinearKeysCursor;

    fn open(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let KeyHeader { layout, search, has_jumps, blocks } = KeyHeader::read(&mut input)?;
        Ok(match layout {
            KeyLayout::ByTrack => Self::Tracks(KeyTracks::read(header, input, bytes, bind, search, blocks)?),
            KeyLayout::TimeNeeded => Self::Stream(KeyStream::read(header, input, bytes, bind, has_jumps)?),
            KeyLayout::CurveBlock => Self::Tracks(read_curve_block(header, input, bytes, bind, search)?),
            KeyLayout::KeyFrames => Self::Poses(KeyFrames::read(header, input, bytes, bind, search)?),
        })
    }

    fn own(&mut self, payload: &[u8]) -> Result<bool, NoMemory> {
        match self {
            Self::Tracks(tracks) => tracks.own(payload).map(|()| true),
            Self::Poses(poses) => poses.rows.own(payload).map(|()| true),
            Self::Stream(_) => Ok(false),
        }
    }

    fn cursor(&self, bytes: &[u8], memory: StateMemory) -> Result<LinearKeysCursor, NoMemory> {
        Ok(match self {
            Self::Tracks(tracks) => LinearKeysCursor::Tracks(tracks.cursor(memory)?),
            Self::Stream(stream) => LinearKeysCursor::Stream(stream.cursor(bytes, memory)?),
            Self::Poses(_) => LinearKeysCursor::Poses(0),
        })
    }

    #[inline]
    fn sample(&self, bytes: &[u8], cursor: &mut LinearKeysCursor, at_sample: f64, out: PoseSlice<'_>) {
        match (self, cursor) {
            (Self::Tracks(tracks), LinearKeysCursor::Tracks(cursor)) => tracks.sample(bytes, cursor, at_sample, out),
            (Self::Stream(stream), LinearKeysCursor::Stream(cursor)) => stream.sample(bytes, cursor, at_sample, out),
            (Self::Poses(poses), LinearKeysCursor::Poses(cursor)) => poses.sample(bytes, cursor, at_sample, out),
            _ => other_cursor(),
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Tracks(tracks) => tracks.heap_bytes(),
            Self::Stream(stream) => stream.heap_bytes(),
            Self::Poses(poses) => size_of_val(&poses.times[..]) + poses.rows.heap_bytes(),
        }
    }
}

impl DecodeCursor for LinearKeysCursor {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Tracks(cursor) => cursor.heap_bytes(),
            Self::Stream(cursor) => cursor.heap_bytes(),
            Self::Poses(_) => 0,
        }
    }

    fn position(&self) -> Option<usize> {
        match self {
            Self::Stream(cursor) => Some(cursor.position()),
            Self::Tracks(_) | Self::Poses(_) => None,
        }
    }
}

/// Blends the two key frames around a time. One search serves all tracks.
///
/// On disk: number of key frames ([`count_bits`]), their times, then [`PoseRows`], one row per key frame.
#[derive(Debug)]
pub struct KeyFrames {
    grid: TimeGrid,
    search: KeySearch,
    times: Vec<u16>,
    rows: PoseRows,
}

impl KeyFrames {
    fn read(
        header: &ClipHeader,
        mut input: BitReader<'_>,
        bytes: &[u8],
        bind: &BindPose,
        search: KeySearch,
    ) -> Result<Self, DecodeError> {
        let samples = header.grid.samples();
        let count = input.read("number of key frames", count_bits(samples))? as usize;
        if count < samples.min(2) || count > samples {
            return Err(DecodeError::invalid("number of key frames", 0, count, format_args!("2 to {samples}")));
        }
        let mut times = with_room(count.min(samples))?;
        read_times(&mut input, count, samples, &mut times)?;
        let rows = PoseRows::read(input, bytes, bind, count)?;
        Ok(Self { grid: header.grid, search, times, rows })
    }

    #[inline]
    fn sample(&self, bytes: &[u8], cursor: &mut usize, at_sample: f64, out: PoseSlice<'_>) {
        if self.times.len() < 2 {
            return self.rows.sample(bytes, (0, 0), 0.0, out);
        }
        let at = self.grid.clamp(at_sample);
        let index = self.search.find(&self.times, at as u16, *cursor);
        *cursor = index;
        let (start, end) = (f64::from(self.times[index]), f64::from(self.times[index + 1]));
        if at >= end {
            self.rows.sample(bytes, (index + 1, index + 1), 0.0, out);
        } else {
            self.rows.sample(bytes, (index, index + 1), ((at - start) / (end - start)) as f32, out);
        }
    }
}
