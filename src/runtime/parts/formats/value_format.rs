use super::rotation_format::RotationFormat;
use super::vector_format::{RangeSource, VectorFormat};
use crate::Channel;
use crate::format::{BitReader, DecodeError};
use crate::math::Range3;
use crate::parts::keys::key::{KeyFormat, check_key};
use crate::parts::tracks::track_table::read_format;
use glam::Vec4;

/// The format of a track's values, for any channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueFormat {
    /// Format of a rotation track.
    Rotation(RotationFormat),
    /// Format of a translation or scale track.
    Vector(VectorFormat),
}

impl ValueFormat {
    /// Reads a format's code in 4 bits.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] for an unknown code, or a format with 0 bits.
    pub fn read_code(input: &mut BitReader<'_>, channel: Channel) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let format = match channel {
            Channel::Rotation => Self::Rotation(read_format(input)?),
            Channel::Translation | Channel::Scale => Self::Vector(read_format(input)?),
        };
        if format.bits() > 0 {
            return Ok(format);
        }
        Err(DecodeError::invalid("animated track", at, format_args!("{format:?}"), "keys that take bits"))
    }

    /// Bits per key.
    pub fn bits(self) -> u32 {
        match self {
            Self::Rotation(format) => format.bits(),
            Self::Vector(format) => format.bits(),
        }
    }

    /// Source of the range of its keys.
    pub fn range_source(self) -> RangeSource {
        match self {
            Self::Rotation(format) => KeyFormat::range_source(format),
            Self::Vector(format) => format.range_source(),
        }
    }

    /// Reads the key at a bit, as four numbers.
    #[inline]
    pub fn read(self, bytes: &[u8], at: usize, range: &Range3) -> Vec4 {
        match self {
            Self::Rotation(format) => RotationFormat::numbers(format.read(bytes, at, range)),
            Self::Vector(format) => VectorFormat::numbers(format.read(bytes, at, range)),
        }
    }

    /// Checks the key at a bit. Later reads need no check.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`].
    pub fn check(self, bytes: &[u8], at: usize) -> Result<(), DecodeError> {
        match self {
            Self::Rotation(format) => check_key(bytes, at, format),
            Self::Vector(format) => check_key(bytes, at, format),
        }
    }
}
