use thiserror::Error;

/// Why bytes are not what they claim to be.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum DecodeError {
    /// The bytes end too early.
    #[error("cut short at byte {at}: {needed} more bytes of {what} expected, {left} left")]
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
    #[error("{what} at byte {at} is {found}; expected {expected}")]
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
    #[error("checksum of {what} is {found:08x}; expected {expected:08x}: the file is damaged, copy it again")]
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
