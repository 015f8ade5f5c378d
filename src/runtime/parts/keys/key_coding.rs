use super::key::{KeyFormat, check_key, read_range};
use super::ranged::Ranged;
use crate::format::{BitReader, DecodeError};
use crate::math::Range3;
use crate::parts::formats::rotation_format::RotationFormat;
use crate::parts::formats::vector_format::{RangeSource, VectorFormat};
use crate::parts::tracks::track_table::FORMAT_BITS;

/// How the keys of one track are stored, with what is stored of it once a track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyCoding<F> {
    /// In a format, as fractions of a range where it wants one.
    Format(F, Range3),
    /// In as many bits as the track needs.
    Ranged(Ranged),
}

/// The same, of whatever channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueCoding {
    /// Of a rotation track.
    Rotation(KeyCoding<RotationFormat>),
    /// Of a translation or scale track.
    Vector(KeyCoding<VectorFormat>),
}

/// In place of a format's code: [`KeyCoding::Ranged`].
pub const RANGED_CODE: u64 = 15;

impl<F: KeyFormat> KeyCoding<F> {
    /// Reads the code in 4 bits: `None` for [`RANGED_CODE`].
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] for a code that no format has, or one of a format without bits.
    pub fn read_code(input: &mut BitReader<'_>) -> Result<Option<F>, DecodeError> {
        let at = input.bit_position() / 8;
        let code = input.read("format of keys", FORMAT_BITS)?;
        if code == RANGED_CODE {
            return Ok(None);
        }
        let format = F::from_code(code as u8).filter(|format| format.bits() > 0);
        let invalid = || DecodeError::invalid("format of keys", at, code, "a code of a format that takes bits");
        format.map(Some).ok_or_else(invalid)
    }

    /// Reads what belongs to a code and is stored once a track.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(format: Option<F>, input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let Some(format) = format else { return Ranged::read(input, F::IS_ROTATION).map(Self::Ranged) };
        let has_range = format.range_source() != RangeSource::None;
        Ok(Self::Format(format, if has_range { read_range(input)? } else { Range3::UNIT }))
    }

    /// The range of keys that take as many bits as they need.
    pub fn ranged(&self) -> Option<&Ranged> {
        match self {
            Self::Format(..) => None,
            Self::Ranged(ranged) => Some(ranged),
        }
    }

    /// Bits a key.
    #[inline]
    pub fn bits(&self) -> u32 {
        match self {
            Self::Format(format, _) => format.bits(),
            Self::Ranged(ranged) => ranged.bits(),
        }
    }

    /// Reads the key at a bit, which [`KeyCoding::check_key`] must have seen.
    #[inline]
    pub fn key(&self, bytes: &[u8], at: usize) -> F::Key {
        match self {
            Self::Format(format, range) => format.read(bytes, at, range),
            Self::Ranged(ranged) => F::key_without(ranged.dropped(), ranged.numbers(bytes, at)),
        }
    }

    /// Checks the key at a bit.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`].
    pub fn check_key(&self, bytes: &[u8], at: usize) -> Result<(), DecodeError> {
        match self {
            Self::Format(format, _) => check_key(bytes, at, *format),
            Self::Ranged(_) => Ok(()),
        }
    }

    /// Checks keys that follow each other once, so that reading them later needs no checks. Returns the bit of the first.
    ///
    /// # Errors
    /// [`DecodeError`] when they are cut short or hold something else than rotations or usable numbers.
    pub fn check_keys(&self, input: &mut BitReader<'_>, bytes: &[u8], count: usize) -> Result<usize, DecodeError> {
        let bits = self.bits() as usize;
        let start = input.skip("keys of a track", count.saturating_mul(bits))?;
        for key in 0..count {
            self.check_key(bytes, start + key * bits)?;
        }
        Ok(start)
    }
}
