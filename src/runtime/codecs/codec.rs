//! The trait of decoders.

use crate::StateMemory;
use crate::format::{BindPose, DecodeError};
use crate::memory::NoMemory;
use crate::parts::{ClipHeader, KeyTracksCursor, PoseSlice};
use core::fmt::Debug;

/// A decoder of one codec's payloads. A payload is checked once when it is opened. The decoder is then shared by all players of the clip.
///
/// The payload does not include its version byte. All methods take the payload that was opened, or none after [`Decode::own`].
pub trait Decode: Sized + Debug + Send + Sync {
    /// Version of its payloads.
    const VERSION: u8;
    /// State of a player: its position and cached values.
    type Cursor: DecodeCursor;

    /// Version byte of a clip's payload: the version, and the flag of takes that are cut.
    fn version_byte(_header: &ClipHeader) -> u8 {
        Self::VERSION
    }
    /// Reads and checks a payload. Any bytes are safe to pass. `bind` is the rig's bind pose, one transform per joint.
    ///
    /// # Errors
    /// See [`DecodeError`].
    fn open(header: &ClipHeader, payload: &[u8], bind: &BindPose) -> Result<Self, DecodeError>;
    /// Copies all that sampling reads of the payload, so that an empty payload can be passed from now on. False if it needs the payload.
    ///
    /// # Errors
    /// [`NoMemory`]; the decoder then needs the payload.
    fn own(&mut self, _payload: &[u8]) -> Result<bool, NoMemory> {
        Ok(false)
    }
    /// A cursor at the start of the clip. It allocates all memory that sampling needs, from `memory` only.
    ///
    /// # Errors
    /// [`NoMemory`].
    fn cursor(&self, payload: &[u8], memory: StateMemory) -> Result<Self::Cursor, NoMemory>;
    /// Samples the wanted joints at a place in the clip, in samples from its start. A joint has the same bits for any set of wanted joints
    /// and any earlier position of the cursor.
    fn sample(&self, payload: &[u8], cursor: &mut Self::Cursor, at_sample: f64, out: PoseSlice<'_>);
    /// Bytes of memory besides those of the type itself.
    fn heap_bytes(&self) -> usize;
}

/// The trait of decoder cursors.
pub trait DecodeCursor: Clone + Debug + Send + Sync {
    /// Bytes of memory besides those of the type itself.
    fn heap_bytes(&self) -> usize;
    /// Byte of the payload at which a sequential scan is; `None` for codecs with random access.
    fn position(&self) -> Option<usize> {
        None
    }
}

/// Cursor of decoders without state.
impl DecodeCursor for () {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl DecodeCursor for KeyTracksCursor {
    fn heap_bytes(&self) -> usize {
        self.heap_bytes()
    }
}

/// Panics because a cursor was used with another clip.
#[cold]
pub(super) fn other_cursor() -> ! {
    panic!("the cursor was made by another clip")
}
