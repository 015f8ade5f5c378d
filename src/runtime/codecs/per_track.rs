//! Kept keys track by track, each track in the format that suits it.

use super::Decode;
use crate::StateMemory;
use crate::format::{BitReader, DecodeError};
use crate::math::Transform;
use crate::parts::{ClipHeader, KeySearch, KeyTracks, KeyTracksCursor, PoseSlice};

/// Tracks of keys, each in a format of its own. On disk: [`KeyTracks`].
#[derive(Debug)]
pub struct PerTrackDecoder(KeyTracks);

impl Decode for PerTrackDecoder {
    const VERSION: u8 = 2;
    /// Without [`crate::parts::Ranged`] keys.
    const OLDEST: u8 = 1;
    type Cursor = KeyTracksCursor;

    fn open(header: &ClipHeader, bytes: &[u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        KeyTracks::read(header, BitReader::new(bytes), bytes, bind, KeySearch::Cursor).map(Self)
    }

    fn cursor(&self, bytes: &[u8], memory: StateMemory) -> KeyTracksCursor {
        self.0.cursor(bytes, memory)
    }

    #[inline]
    fn sample(&self, bytes: &[u8], cursor: &mut KeyTracksCursor, at_sample: f64, out: PoseSlice<'_>) {
        self.0.sample(bytes, cursor, at_sample, out);
    }

    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}
