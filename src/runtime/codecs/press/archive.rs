//! Archives: payloads entropy-coded, smaller than they are read in place.

use super::coding::{Learned, Part};
use super::contents::Contents;
use super::layout::STEP_BITS;
use crate::format::{BitWriter, DecodeError, bits_at};
use crate::math::Transform;
use crate::parts::{ClipHeader, RangeDecoder};
use alloc::vec::Vec;
use core::ops::Range;

/// First byte of an archive. Other payloads begin with the kind of their first track, and its lowest two bits are none.
pub const ARCHIVE_MARK: u8 = 0x0f;
/// Bytes past the end of what is entropy-coded that a reader takes for zeros.
pub const ARCHIVE_ZEROS: usize = 3;
/// Integers for each byte of an archive, at most, beside some that any may have: memory stays in proportion.
const INTEGERS_A_BYTE: usize = 12;
const INTEGERS_OF_ANY: usize = 4096;
/// Bytes of an archive for each component, at least, beside some that any may have without.
const BYTES_A_COMPONENT: usize = 12;
const COMPONENTS_OF_ANY: usize = 256;

/// True for the payload of an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.first() == Some(&ARCHIVE_MARK)
}

/// An archive may be so small for so many integers.
pub fn is_in_proportion(bytes: usize, components: usize, samples: usize) -> bool {
    components.saturating_mul(samples) <= INTEGERS_A_BYTE.saturating_mul(bytes).saturating_add(INTEGERS_OF_ANY)
        && components <= bytes / BYTES_A_COMPONENT + COMPONENTS_OF_ANY
}

/// The payload of runtime storage that an archive stands for.
///
/// On disk: [`ARCHIVE_MARK`], then everything through the range coder, as [`Contents::code`] has it.
///
/// # Errors
/// See [`DecodeError`].
pub fn expand(header: &ClipHeader, bytes: &[u8], bind: &[Transform]) -> Result<Vec<u8>, DecodeError> {
    let stream = bytes.get(1..).unwrap_or_default();
    let samples = header.grid.samples();
    let mut bits = RangeDecoder::new(stream);
    let mut contents = Contents::blank(bind.len(), samples)?;
    let wrong = |bits: &RangeDecoder<'_>, what: &str| {
        DecodeError::invalid("archive", bytes.len() - bits.left(), what, "all of a clip")
    };
    contents.code(bind, &mut Learned::trained(), &mut bits, |bits, part| match part {
        _ if bits.missing() > ARCHIVE_ZEROS => Err(wrong(bits, "too few bytes")),
        Part::Flags { tracks } if !is_in_proportion(bytes.len(), 3 * tracks, samples) => {
            Err(wrong(bits, "too many integers"))
        }
        _ => Ok(()),
    })?;
    match () {
        () if bits.missing() != ARCHIVE_ZEROS || bits.left() > 0 => Err(wrong(&bits, "another number of bytes")),
        () if !contents.is_of_a_clip() => Err(wrong(&bits, "an integer of no clip")),
        () => Ok(contents.written()?),
    }
}

/// Appends bits of others.
pub fn copy_bits(bytes: &[u8], bits: &Range<usize>, out: &mut BitWriter) {
    let mut at = bits.start;
    while at < bits.end {
        let count = (bits.end - at).min(STEP_BITS as usize * 4) as u32;
        out.push(bits_at(bytes, at, count), count);
        at += count as usize;
    }
}
