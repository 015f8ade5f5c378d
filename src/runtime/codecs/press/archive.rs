//! Archives: entropy-coded payloads, which are smaller, but must be expanded when they are opened.

use super::coding::Learned;
use super::contents::Contents;
use super::head::Part;
use super::limits::is_in_proportion;
use crate::format::DecodeError;
use crate::math::Transform;
use crate::parts::{ClipHeader, RangeDecoder};
use alloc::vec::Vec;

/// Zero bytes at the end of the range code that are not stored.
pub const ARCHIVE_ZEROS: usize = 3;
/// Expands an archive to the payload that decoders read in place.
///
/// On disk: the range code of [`Contents::code`].
///
/// # Errors
/// See [`DecodeError`].
pub fn expand(header: &ClipHeader, bytes: &[u8], bind: &[Transform]) -> Result<Vec<u8>, DecodeError> {
    if cfg!(not(feature = "archive")) {
        return Err(DecodeError::lacking("storage", "archive", "runtime: this build opens no archives"));
    }
    let samples = header.grid.samples();
    let mut bits = RangeDecoder::new(bytes);
    let mut contents = Contents::blank(bind.len(), samples)?;
    let wrong = |bits: &RangeDecoder<'_>, what: &str| {
        DecodeError::invalid("archive", bytes.len() - bits.left(), what, "the whole clip")
    };
    contents.code(bind, &mut Learned::trained(), &mut bits, |bits, part| match part {
        _ if bits.missing() > ARCHIVE_ZEROS => Err(wrong(bits, "too short")),
        Part::Flags { tracks } if !is_in_proportion(bytes.len(), 3 * tracks, samples) => {
            Err(wrong(bits, "too short for its integers"))
        }
        _ => Ok(()),
    })?;
    match () {
        () if bits.missing() != ARCHIVE_ZEROS || bits.left() > 0 => Err(wrong(&bits, "of the wrong length")),
        () if !contents.is_of_a_clip() => Err(wrong(&bits, "with an integer out of range")),
        () => {
            let components = contents.components()?;
            contents.written(&components, bind, |_, _| Ok(()))
        }
    }
}
