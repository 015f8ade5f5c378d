use crate::memory::{NoMemory, text};
use alloc::string::String;
use core::fmt::{Display, Formatter};

/// The error of reading bytes: the place, the value found, the value expected.
///
/// # Example
/// ```
/// use posepress_runtime::{Container, DecodeError};
///
/// let error = Container::read(b"").unwrap_err();
/// assert!(matches!(error, DecodeError::Truncated { at: 0, .. }), "{error}");
/// ```
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum DecodeError {
    /// The bytes end too early.
    Truncated {
        /// The item being read.
        what: &'static str,
        /// Offset of the read.
        at: usize,
        /// Bytes wanted.
        needed: usize,
        /// Bytes left.
        left: usize,
    },
    /// A value that the format does not allow.
    Invalid {
        /// The item.
        what: &'static str,
        /// Offset of the value.
        at: usize,
        /// The value found; empty without the feature `texts`.
        found: String,
        /// The values allowed; empty without the feature `texts`.
        expected: String,
    },
    /// The checksum does not match.
    Checksum {
        /// The section.
        what: String,
        /// Computed over the bytes.
        found: u32,
        /// Stored in the file.
        expected: u32,
    },
    /// Memory ran out.
    NoMemory,
}

impl DecodeError {
    /// A [`DecodeError::Invalid`] from printable values, or [`DecodeError::NoMemory`] if their text does not fit in memory.
    #[doc(hidden)]
    #[inline]
    pub fn invalid(what: &'static str, at: usize, found: impl Display, expected: impl Display) -> Self {
        #[cfg(feature = "texts")]
        return Self::printed(what, at, &found, &expected);
        #[cfg(not(feature = "texts"))]
        {
            let _ = (found, expected);
            Self::Invalid { what, at, found: String::new(), expected: String::new() }
        }
    }

    /// A part that this build lacks. It is said without the feature `texts` too. Both texts are short.
    pub(crate) fn lacking(what: &'static str, found: &str, expected: &str) -> Self {
        match (text(found), text(expected)) {
            (Ok(found), Ok(expected)) => Self::Invalid { what, at: 0, found, expected },
            _ => Self::NoMemory,
        }
    }

    /// A separate function keeps the reading code small.
    #[cfg(feature = "texts")]
    #[cold]
    #[inline(never)]
    fn printed(what: &'static str, at: usize, found: &dyn Display, expected: &dyn Display) -> Self {
        match (text(found), text(expected)) {
            (Ok(found), Ok(expected)) => Self::Invalid { what, at, found, expected },
            _ => Self::NoMemory,
        }
    }

    /// A [`DecodeError::Checksum`] from a printable value, or [`DecodeError::NoMemory`] if its text does not fit in memory.
    pub(crate) fn checksum(what: impl Display, found: u32, expected: u32) -> Self {
        text(what).map_or(Self::NoMemory, |what| Self::Checksum { what, found, expected })
    }
}

impl From<NoMemory> for DecodeError {
    fn from(_: NoMemory) -> Self {
        Self::NoMemory
    }
}

impl Display for DecodeError {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Truncated { what, at, needed, left } => {
                write!(f, "cut short at byte {at}: {needed} more bytes of {what} expected, {left} left")
            }
            Self::Invalid { what, at, expected, .. } if cfg!(not(feature = "texts")) && expected.is_empty() => {
                write!(f, "{what} at byte {at} is not as expected")
            }
            Self::Invalid { what, at, found, expected } => {
                write!(f, "{what} at byte {at} is {found}; expected {expected}")
            }
            Self::Checksum { what, found, expected } => write!(
                f,
                "checksum of {what} is {found:08x}; expected {expected:08x}: the file is damaged, copy it again"
            ),
            Self::NoMemory => Display::fmt(&NoMemory, f),
        }
    }
}

impl core::error::Error for DecodeError {}
