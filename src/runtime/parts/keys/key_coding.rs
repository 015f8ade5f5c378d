use super::key::{KeyFormat, check_key, read_range};
use super::key_pair::BlockPlace;
use super::ranged::{Ranged, RangedCode, RangedPart, RangedSteps};
use crate::format::{BitReader, DecodeError};
use crate::math::Range3;
use crate::parts::formats::rotation_format::RotationFormat;
use crate::parts::formats::vector_format::{RangeSource, VectorFormat};
use crate::parts::tracks::track_table::FORMAT_BITS;

/// The coding of a track's keys, with the settings stored once per track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyCoding<F> {
    /// A fixed format; keys may be fractions of the range.
    Format(F, Range3),
    /// As few bits as the track needs.
    Ranged(Ranged),
}

/// All of a [`KeyCoding`] that reading its keys needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyReader<F> {
    /// The range of a fixed format, or the steps of [`RangedSteps`].
    range: Range3,
    code: ReaderCode<F>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ReaderCode<F> {
    Format(F),
    Ranged(RangedCode),
}

/// Decoders keep one per track, so an enum with a range in both variants would take 4 bytes more of each.
const _: () = assert!(size_of::<KeyReader<RotationFormat>>() == 28 && size_of::<KeyReader<VectorFormat>>() == 28);

/// A [`KeyCoding`] for any channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueCoding {
    /// Coding of a rotation track.
    Rotation(KeyCoding<RotationFormat>),
    /// Coding of a translation or scale track.
    Vector(KeyCoding<VectorFormat>),
}

/// Code of [`KeyCoding::Ranged`], in place of a format's code.
pub const RANGED_CODE: u64 = 15;

impl<F: KeyFormat> KeyCoding<F> {
    /// Reads a format's code in 4 bits; `None` for [`RANGED_CODE`].
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] for an unknown code, or a format with 0 bits.
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

    /// Reads the settings that are stored once per track for a code.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(format: Option<F>, input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let Some(format) = format else { return Ranged::read(input, F::IS_ROTATION).map(Self::Ranged) };
        let has_range = format.range_source() != RangeSource::None;
        Ok(Self::Format(format, if has_range { read_range(input)? } else { Range3::UNIT }))
    }

    /// The settings of [`KeyCoding::Ranged`].
    pub fn ranged(&self) -> Option<&Ranged> {
        match self {
            Self::Format(..) => None,
            Self::Ranged(ranged) => Some(ranged),
        }
    }

    /// Bits per key.
    #[inline]
    pub fn bits(&self) -> u32 {
        match self {
            Self::Format(format, _) => format.bits(),
            Self::Ranged(ranged) => ranged.bits(),
        }
    }

    /// Reads the key at a bit. [`KeyReader::check_key`] must have accepted it.
    #[inline]
    pub fn key(&self, bytes: &[u8], at: usize) -> F::Key {
        self.reader().key(bytes, at)
    }

    /// All that reading keys needs.
    #[inline]
    pub fn reader(&self) -> KeyReader<F> {
        match self {
            Self::Format(format, range) => KeyReader::new(*format, *range),
            Self::Ranged(ranged) => KeyReader { range: ranged.steps, code: ReaderCode::Ranged(ranged.code) },
        }
    }

    /// Checks consecutive keys once, so that reading them later needs no checks. Returns the bit of the first key.
    ///
    /// # Errors
    /// [`DecodeError`] if they are cut short, or if one is not a rotation or has unusable numbers.
    pub fn check_keys(&self, input: &mut BitReader<'_>, bytes: &[u8], count: usize) -> Result<usize, DecodeError> {
        let bits = self.bits() as usize;
        let start = input.skip("keys of a track", count.saturating_mul(bits))?;
        for key in 0..count {
            self.reader().check_key(bytes, start + key * bits)?;
        }
        Ok(start)
    }
}

impl<F: KeyFormat> KeyReader<F> {
    /// A reader of a fixed format.
    pub fn new(format: F, range: Range3) -> Self {
        Self { range, code: ReaderCode::Format(format) }
    }

    /// Bits of the three components, which finding keys needs. Fixed formats have all bits in the first one.
    #[inline]
    pub fn widths(&self) -> [u8; 3] {
        match self.code {
            ReaderCode::Format(format) => [format.bits() as u8, 0, 0],
            ReaderCode::Ranged(code) => code.widths(),
        }
    }

    /// Reads the key at a place. [`KeyReader::check_key`] must have accepted it.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn key_at(&self, bytes: &[u8], place: &BlockPlace) -> F::Key {
        match self.code {
            ReaderCode::Format(format) => format.read(bytes, place.bit as usize, &self.range),
            ReaderCode::Ranged(code) => {
                let ranged = RangedSteps { steps: self.range, code };
                F::key_without(ranged.dropped(), ranged.numbers_over(&place.part, bytes, place.bit as usize))
            }
        }
    }

    /// Reads the key at a bit. [`KeyReader::check_key`] must have accepted it.
    #[inline]
    pub fn key(&self, bytes: &[u8], at: usize) -> F::Key {
        let part = RangedPart::new(self.widths(), [0; 3]);
        self.key_at(bytes, &BlockPlace { bit: at as u32, part, ..BlockPlace::default() })
    }

    /// Bits per key.
    #[inline]
    pub fn bits(&self) -> u32 {
        self.widths().map(u32::from).iter().sum()
    }

    /// Checks the key at a bit.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`].
    pub fn check_key(&self, bytes: &[u8], at: usize) -> Result<(), DecodeError> {
        match self.code {
            ReaderCode::Format(format) => check_key(bytes, at, format),
            ReaderCode::Ranged(_) => Ok(()),
        }
    }

    /// The coding of the keys: see [`RangedSteps::coding`].
    pub fn coding(&self) -> Option<KeyCoding<F>> {
        match self.code {
            ReaderCode::Format(format) => Some(KeyCoding::Format(format, self.range)),
            ReaderCode::Ranged(code) => RangedSteps { steps: self.range, code }.coding().map(KeyCoding::Ranged),
        }
    }
}
