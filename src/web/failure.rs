use alloc::borrow::ToOwned as _;
use alloc::string::String;
use core::fmt::Write as _;
use posepress_runtime::{DecodeError, NoMemory};

/// An error, as the caller reads it.
#[derive(Debug)]
pub struct Failure {
    /// Position in `KINDS` of `posepress.js`.
    pub kind: usize,
    /// Byte, plus one; 0 for none.
    pub place: usize,
    /// A sentence.
    pub text: String,
}

const TRUNCATED: usize = 1;
const INVALID: usize = 2;
const CHECKSUM: usize = 3;
const MEMORY: usize = 4;
const ARGUMENT: usize = 5;

impl Failure {
    /// A lack of memory.
    pub const NO_MEMORY: Self = Self { kind: MEMORY, place: 0, text: String::new() };

    /// An argument that names nothing.
    pub fn argument(text: &str) -> Self {
        Self { kind: ARGUMENT, place: 0, text: text.to_owned() }
    }
}

impl From<NoMemory> for Failure {
    fn from(_: NoMemory) -> Self {
        Self::NO_MEMORY
    }
}

impl From<DecodeError> for Failure {
    fn from(error: DecodeError) -> Self {
        let (kind, place) = match &error {
            DecodeError::Truncated { at, .. } => (TRUNCATED, at + 1),
            DecodeError::Invalid { at, .. } => (INVALID, at + 1),
            DecodeError::Checksum { .. } => (CHECKSUM, 0),
            DecodeError::NoMemory => return Self::NO_MEMORY,
        };
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write!(text, "{error}");
        Self { kind, place, text }
    }
}
