//! Reading the coded part of a payload in runtime storage.

use super::chances::Chances;
use super::head::Head;
use super::limits::least_bytes;
use super::widths::{TrackWidths, Widths};
use crate::format::DecodeError;
use crate::math::Transform;
use crate::memory::NoMemory;
use crate::parts::{CodeBit, READ_AHEAD, RangeDecoder};

/// True if a payload is an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    RangeDecoder::new(bytes).even(false)
}

/// Reads a head, then the widths of each segment.
pub struct HeadReader<'a> {
    bytes: &'a [u8],
    bits: RangeDecoder<'a>,
    chances: Chances,
    /// The head.
    pub head: Head,
    widths: Widths,
}

impl<'a> HeadReader<'a> {
    /// Reads the head of a clip with so many samples. `bind` has the bind pose of each joint.
    ///
    /// # Errors
    /// [`DecodeError`] for an archive, or for too few bytes.
    pub fn new(bytes: &'a [u8], bind: &[Transform], samples: usize) -> Result<Self, DecodeError> {
        if is_archive(bytes) {
            return Err(DecodeError::invalid("storage of press", 0, "an archive", "runtime storage"));
        }
        let (mut bits, mut chances, mut head) =
            (RangeDecoder::new(bytes), Chances::trained(), Head::blank(bind.len())?);
        head.code(bind, &mut chances, &mut bits, &mut |_, _| Ok::<_, NoMemory>(()))?;
        let widths = Widths::new(head.tracks.len())?;
        let needed = least_bytes(&head, samples);
        if bytes.len() < needed {
            return Err(DecodeError::Truncated { what: "widths of residuals", at: 0, needed, left: bytes.len() });
        }
        Ok(Self { bytes, bits, chances, head, widths })
    }

    /// The widths of the next segment, per track.
    pub fn next_widths(&mut self) -> &[TrackWidths] {
        let blank = |_| TrackWidths::default();
        let Ok(()) = self
            .widths
            .code(&self.head, &mut self.chances, &mut self.bits, blank, |_, _| Ok::<_, core::convert::Infallible>(()));
        self.widths.tracks()
    }

    /// The head, and the first byte after the coded part.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn finish(self) -> Result<(Head, usize), DecodeError> {
        let (end, left) = (self.bits.position() - READ_AHEAD, self.bytes.len());
        if end > left {
            return Err(DecodeError::Truncated { what: "head of the payload", at: 0, needed: end, left });
        }
        Ok((self.head, end))
    }
}
