//! Kept keys, track by track, each track in its own format.

use super::Decode;
use crate::StateMemory;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::memory::NoMemory;
use crate::parts::{BlockSize, ClipHeader, KeySearch, KeyTracks, KeyTracksCursor, PoseSlice};

/// Tracks of keys, each in its own format. On disk: for tracks in blocks, [`ESCAPE`] and a [`BlockSize`]; then [`KeyTracks`].
#[derive(Debug)]
pub struct PerTrackDecoder(KeyTracks);

/// Two bits that are not the kind of a track, so no track table begins with them.
pub const ESCAPE: u64 = 3;
/// Bits of [`ESCAPE`].
pub const ESCAPE_BITS: u32 = 2;

impl Decode for PerTrackDecoder {
    const VERSION: u8 = 1;
    type Cursor = KeyTracksCursor;

    fn open(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let mut blocks = None;
        // The payload of a rig without joints may be empty.
        if input.clone().read("blocks of keys", ESCAPE_BITS) == Ok(ESCAPE) {
            input.read("blocks of keys", ESCAPE_BITS)?;
            blocks = Some(BlockSize::read(&mut input)?);
        }
        KeyTracks::read(header, input, bytes, bind, KeySearch::Cursor, blocks).map(Self)
    }

    fn own(&mut self, payload: &[u8]) -> Result<bool, NoMemory> {
        self.0.own(payload).map(|()| true)
    }

    fn cursor(&self, _: &[u8], memory: StateMemory) -> Result<KeyTracksCursor, NoMemory> {
        self.0.cursor(memory)
    }

    #[inline]
    fn sample(&self, bytes: &[u8], cursor: &mut KeyTracksCursor, at_sample: f64, out: PoseSlice<'_>) {
        self.0.sample(bytes, cursor, at_sample, out);
    }

    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}
