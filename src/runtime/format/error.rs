use alloc::string::{String, ToString};
use core::fmt::{Display, Formatter};

/// Why bytes are not what they claim to be.
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum DecodeError {
    /// The bytes end too early.
    Truncated {
        /// What was being read.
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
        /// What was read.
        what: &'static str,
        /// Offset of the value.
        at: usize,
        /// What it was.
        found: String,
        /// What was allowed.
        expected: String,
    },
    /// The checksum does not match.
    Checksum {
        /// Which section.
        what: String,
        /// Computed over the bytes.
        found: u32,
        /// Stored in the file.
        expected: u32,
    },
}

impl DecodeError {
    /// An [`DecodeError::Invalid`] from anything printable.
    pub fn invalid(what: &'static str, at: usize, found: impl ToString, expected: impl ToString) -> Self {
        Self::Invalid { what, at, found: found.to_string(), expected: expected.to_string() }
    }
}

impl Display for DecodeError {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Truncated { what, at, needed, left } => {
                write!(f, "cut short at byte {at}: {needed} more bytes of {what} expected, {left} left")
            }
            Self::Invalid { what, at, found, expected } => {
                write!(f, "{what} at byte {at} is {found}; expected {expected}")
            }
            Self::Checksum { what, found, expected } => write!(
                f,
                "checksum of {what} is {found:08x}; expected {expected:08x}: the file is damaged, copy it again"
            ),
        }
    }
}

impl core::error::Error for DecodeError {}
