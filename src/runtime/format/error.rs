use super::SharedText;
use crate::memory::{NoMemory, text};
use core::fmt::{Arguments, Display, Formatter};

/// The error of reading bytes: the place, the value found, the value expected.
///
/// It is small, since every function that reads bytes hands it on.
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
        /// The value found; `None` without the feature `texts`.
        found: Option<SharedText>,
        /// The values allowed; `None` without the feature `texts`.
        expected: Option<SharedText>,
    },
    /// The checksum does not match.
    Checksum {
        /// The section.
        what: SharedText,
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
            Self::Invalid { what, at, found: None, expected: None }
        }
    }

    /// A part that this build lacks. It is said without the feature `texts` too. Both texts are short.
    pub(crate) fn lacking(what: &'static str, found: &str, expected: &str) -> Self {
        Self::with_texts(what, 0, SharedText::new(found), SharedText::new(expected))
    }

    /// A separate function keeps the reading code small.
    #[cfg(feature = "texts")]
    #[cold]
    #[inline(never)]
    fn printed(what: &'static str, at: usize, found: &dyn Display, expected: &dyn Display) -> Self {
        Self::with_texts(what, at, shared(found), shared(expected))
    }

    fn with_texts(
        what: &'static str,
        at: usize,
        found: Result<SharedText, NoMemory>,
        expected: Result<SharedText, NoMemory>,
    ) -> Self {
        match (found, expected) {
            (Ok(found), Ok(expected)) => Self::Invalid { what, at, found: Some(found), expected: Some(expected) },
            _ => Self::NoMemory,
        }
    }

    /// A [`DecodeError::Checksum`] from a printable value, or [`DecodeError::NoMemory`] if its text does not fit in memory.
    pub(crate) fn checksum(what: Arguments<'_>, found: u32, expected: u32) -> Self {
        shared(what).map_or(Self::NoMemory, |what| Self::Checksum { what, found, expected })
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
                let what = Verbatim(what);
                write!(f, "cut short at byte {at}: {needed} more bytes of {what} expected, {left} left")
            }
            Self::Invalid { what, at, found: Some(found), expected: Some(expected) } => {
                let (what, found, expected) = (Verbatim(what), Verbatim(found), Verbatim(expected));
                write!(f, "{what} at byte {at} is {found}; expected {expected}")
            }
            Self::Invalid { what, at, .. } => {
                let what = Verbatim(what);
                write!(f, "{what} at byte {at} is not as expected")
            }
            Self::Checksum { what, found, expected } => {
                let what = Verbatim(what);
                write!(
                    f,
                    "checksum of {what} is {found:08x}; expected {expected:08x}: the file is damaged, copy it again"
                )
            }
            Self::NoMemory => Display::fmt(&NoMemory, f),
        }
    }
}

impl core::error::Error for DecodeError {}

/// A text in a text. `{}` of a `str` also fills and cuts it, and that code is large.
pub(super) struct Verbatim<'a>(pub &'a str);

impl Display for Verbatim<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.0)
    }
}

/// Formats a value as a text.
fn shared(value: impl Display) -> Result<SharedText, NoMemory> {
    SharedText::of(text(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_takes_six_words() {
        assert!(size_of::<DecodeError>() <= 6 * size_of::<usize>());
    }
}
