//! Kept keys in any of four layouts, lines between them.

use super::{Decode, DecodeCursor, other_cursor};
use crate::format::{BitReader, DecodeError};
use crate::math::Transform;
use crate::memory::NoMemory;
use crate::parts::{
    BlockSize, ClipHeader, KeySearch, KeyStream, KeyStreamCursor, KeyTracks, KeyTracksCursor, PoseRows, PoseSlice,
    count_bits, read_curve_block, read_times,
};
use crate::{StateMemory, TimeGrid};
use alloc::vec::Vec;

/// How kept keys lie in memory. The number is the code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum KeyLayout {
    /// One track after another (Unreal): [`KeyTracks`].
    ByTrack = 0,
    /// In the order in which playing forward needs them (Riot): [`KeyStream`].
    TimeNeeded = 1,
    /// Whole poses at shared times: [`KeyFrames`].
    KeyFrames = 2,
    /// Curves and one block of keys (Animation Tech Intro 2): [`read_curve_block`].
    CurveBlock = 3,
}

/// What comes first in a payload.
///
/// On disk: [`ESCAPE`], the layout and the search in two bits each. Payloads by track that are searched with a cursor have no
/// header ([`KeyHeader::LEFT_OUT`]) and begin with their track table; no table begins with [`ESCAPE`]. Keys by the
/// time at which they are needed are scanned, not searched: there [`JUMPS`] says that a jump table helps. By track
/// [`BLOCKS`] says that the search (two bits) and a [`BlockSize`] follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyHeader {
    /// How keys lie in memory.
    pub layout: KeyLayout,
    /// How the keys around a time are found.
    pub search: KeySearch,
    /// A jump table comes before the keys; only with [`KeyLayout::TimeNeeded`].
    pub has_jumps: bool,
    /// Tracks are cut into blocks; only with [`KeyLayout::ByTrack`].
    pub blocks: Option<BlockSize>,
}

/// Two bits that are no kind of a track.
pub const ESCAPE: u64 = 3;
/// Two bits that are no search.
pub const JUMPS: u64 = 3;
/// The same two bits by track.
pub const BLOCKS: u64 = JUMPS;
/// Bits of each part of a [`KeyHeader`].
pub const CODE_BITS: u32 = 2;

impl KeyHeader {
    /// What payloads without a header have.
    pub const LEFT_OUT: Self =
        Self { layout: KeyLayout::ByTrack, search: KeySearch::Cursor, has_jumps: false, blocks: None };

    fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        // A rig without joints may have nothing to read.
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

/// Keys in any layout. On disk: [`KeyHeader`], then what the layout says.
#[derive(Debug)]
pub enum LinearKeysDecoder {
    /// [`KeyLayout::ByTrack`] and [`KeyLayout::CurveBlock`].
    Tracks(KeyTracks),
    /// [`KeyLayout::TimeNeeded`].
    Stream(KeyStream),
    /// [`KeyLayout::KeyFrames`].
    Poses(KeyFrames),
}

/// Where a player is.
#[derive(Debug, Clone)]
pub enum LinearKeysCursor {
    /// On each track.
    Tracks(KeyTracksCursor),
    /// In one stream of keys.
    Stream(KeyStreamCursor),
    /// Which key frame was the last before the time.
    Poses(usize),
}

impl Decode for LinearKeysDecoder {
    const VERSION: u8 = 1;
    type Cursor = LinearKeysCursor;

    fn open(header: &ClipHeader, bytes: &[u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let KeyHeader { layout, search, has_jumps, blocks } = KeyHeader::read(&mut input)?;
        Ok(match layout {
            KeyLayout::ByTrack => Self::Tracks(KeyTracks::read(header, input, bytes, bind, search, blocks)?),
            KeyLayout::TimeNeeded => Self::Stream(KeyStream::read(header, input, bytes, bind, has_jumps)?),
            KeyLayout::CurveBlock => Self::Tracks(read_curve_block(header, input, bytes, bind, search)?),
            KeyLayout::KeyFrames => Self::Poses(KeyFrames::read(header, input, bytes, bind, search)?),
        })
    }

    fn cursor(&self, bytes: &[u8], memory: StateMemory) -> Result<LinearKeysCursor, NoMemory> {
        Ok(match self {
            Self::Tracks(tracks) => LinearKeysCursor::Tracks(tracks.cursor(bytes, memory)?),
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

/// Blends the two poses around a time: one search for all tracks.
///
/// On disk: number of key frames ([`count_bits`]), their times, then [`PoseRows`], one a key frame.
#[derive(Debug)]
pub struct KeyFrames {
    grid: TimeGrid,
    search: KeySearch,
    times: Vec<u32>,
    rows: PoseRows,
}

impl KeyFrames {
    fn read(
        header: &ClipHeader,
        mut input: BitReader<'_>,
        bytes: &[u8],
        bind: &[Transform],
        search: KeySearch,
    ) -> Result<Self, DecodeError> {
        let samples = header.grid.samples();
        let count = input.read("number of key frames", count_bits(samples))? as usize;
        if count < samples.min(2) || count > samples {
            return Err(DecodeError::invalid("number of key frames", 0, count, format_args!("2 to {samples}")));
        }
        let times = read_times(&mut input, count, samples)?;
        let rows = PoseRows::read(input, bytes, bind, count)?;
        Ok(Self { grid: header.grid, search, times, rows })
    }

    #[inline]
    fn sample(&self, bytes: &[u8], cursor: &mut usize, at_sample: f64, out: PoseSlice<'_>) {
        if self.times.len() < 2 {
            return self.rows.sample(bytes, (0, 0), 0.0, out);
        }
        let at = self.grid.clamp(at_sample);
        let index = self.search.find(&self.times, at, *cursor);
        *cursor = index;
        let (start, end) = (f64::from(self.times[index]), f64::from(self.times[index + 1]));
        if at >= end {
            self.rows.sample(bytes, (index + 1, index + 1), 0.0, out);
        } else {
            self.rows.sample(bytes, (index, index + 1), ((at - start) / (end - start)) as f32, out);
        }
    }
}
