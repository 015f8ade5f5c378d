//! What a decoder is.

use crate::StateMemory;
use crate::format::DecodeError;
use crate::math::Transform;
use crate::memory::NoMemory;
use crate::parts::{ClipHeader, KeyTracksCursor, PoseSlice};
use core::fmt::Debug;

/// Reads the payloads of one codec: checked once when opened, then shared by everyone who plays the clip.
///
/// A payload is what follows its version byte. All methods get the one that was opened.
pub trait Decode: Sized + Debug + Send + Sync {
    /// Version of its payloads.
    const VERSION: u8;
    /// Where a player is, and what it need not decode again.
    type Cursor: DecodeCursor;

    /// Version byte of the payloads of such clips: the version, and the flag of takes that are cut.
    fn version_byte(_header: &ClipHeader) -> u8 {
        Self::VERSION
    }
    /// Reads and checks a payload; any bytes are safe to pass. `bind` is the rig's bind pose, one a joint.
    ///
    /// # Errors
    /// See [`DecodeError`].
    fn open(header: &ClipHeader, payload: &[u8], bind: &[Transform]) -> Result<Self, DecodeError>;
    /// Where a player begins: all memory that it will need. Its lists lie in `memory`, and none of it anywhere else.
    ///
    /// # Errors
    /// [`NoMemory`].
    fn cursor(&self, payload: &[u8], memory: StateMemory) -> Result<Self::Cursor, NoMemory>;
    /// The wanted joints at a place in the clip, in samples from its start. The same bits whichever joints are wanted and wherever the cursor was.
    fn sample(&self, payload: &[u8], cursor: &mut Self::Cursor, at_sample: f64, out: PoseSlice<'_>);
    /// Copies anew what it keeps a copy of, where the payload lies elsewhere or is changed; it is as long as before.
    fn recopy(&mut self, _payload: &[u8]) {}
    /// Bytes of memory besides those of the type itself.
    fn heap_bytes(&self) -> usize;
}

/// What is known of every decoder's cursor.
pub trait DecodeCursor: Clone + Debug + Send + Sync {
    /// Bytes of memory besides those of the type itself.
    fn heap_bytes(&self) -> usize;
    /// Byte of the payload that a scan has come to; `None` for codecs that scan nothing.
    fn position(&self) -> Option<usize> {
        None
    }
}

/// Of decoders that remember nothing.
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

/// A cursor of one clip was given to another.
#[cold]
pub(super) fn other_cursor() -> ! {
    panic!("the cursor was made by another clip")
}
