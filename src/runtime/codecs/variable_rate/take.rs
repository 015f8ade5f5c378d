//! Takes of any length. Long takes in whole steps are cut; takes in fractions of ranges are not.

use super::VariableRateDecoder;
use crate::StateMemory;
use crate::codecs::{Decode, Stretched, StretchedCursor};
use crate::format::{BindPose, DecodeError};
use crate::memory::NoMemory;
use crate::parts::{ClipHeader, PoseSlice, Stretches};

/// First byte of a take that is cut. Other takes begin with the kind of their first track, which never has both bits set.
pub const CUT_MARK: u8 = 3;

/// Decodes a take that is cut ([`CUT_MARK`], then a payload of [`Stretched`]), or a take that is not cut.
#[derive(Debug)]
pub struct VariableRateTake {
    take: Stretched<VariableRateDecoder>,
    /// Bytes of the mark: 1 or 0.
    skipped: usize,
}

impl Decode for VariableRateTake {
    const VERSION: u8 = VariableRateDecoder::VERSION;
    type Cursor = StretchedCursor<()>;

    fn open(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let is_long = Stretches::of(header.joints, header.grid.samples()).count() > 1;
        match bytes {
            [CUT_MARK, rest @ ..] if is_long => Ok(Self { take: Stretched::open(header, rest, bind)?, skipped: 1 }),
            _ => Ok(Self { take: Stretched::uncut(header, bytes, bind)?, skipped: 0 }),
        }
    }

    fn own(&mut self, bytes: &[u8]) -> Result<bool, NoMemory> {
        let rest = self.rest(bytes);
        self.take.own(rest)
    }

    fn cursor(&self, bytes: &[u8], memory: StateMemory) -> Result<Self::Cursor, NoMemory> {
        self.take.cursor(self.rest(bytes), memory)
    }

    #[inline]
    fn sample(&self, bytes: &[u8], cursor: &mut Self::Cursor, at_sample: f64, out: PoseSlice<'_>) {
        self.take.sample(self.rest(bytes), cursor, at_sample, out);
    }

    fn heap_bytes(&self) -> usize {
        self.take.heap_bytes()
    }
}

impl VariableRateTake {
    fn rest<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.skipped..).unwrap_or_default()
    }
}
