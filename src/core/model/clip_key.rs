//! Names of clips and their files.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The first 128 bits of the BLAKE3 digest of a source file's bytes, in hex. It distinguishes files of the same name and
/// identifies a file that was moved. It does not cover the files that a glTF refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceDigest(String);

impl SourceDigest {
    /// Computes the digest of a file's bytes.
    pub fn of(bytes: &[u8]) -> Self {
        const DIGITS: usize = 32;
        Self(blake3::hash(bytes).to_hex()[..DIGITS].to_owned())
    }

    /// A digest that a project stores.
    pub(crate) fn stored(digest: &str) -> Self {
        Self(digest.to_owned())
    }
}

impl fmt::Display for SourceDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Identifies a clip while the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ClipId {
    /// Id of the source, never reused.
    pub source: u32,
    /// Index within the source.
    pub clip: u32,
}

/// Identifies a clip across restarts: the digest of its file's bytes, and its name. Files with equal names keep separate marks, and a
/// moved file keeps its marks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClipKey(String);

impl fmt::Display for ClipKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ClipKey {
    /// True for clips of the file with that digest.
    pub fn is_of(&self, digest: &str) -> bool {
        self.0.strip_prefix(digest).is_some_and(|rest| rest.starts_with(" / "))
    }

    /// The clip's name, without the digest.
    pub fn clip_name(&self) -> &str {
        self.0.split_once(" / ").map_or(&*self.0, |(_, name)| name)
    }

    /// The key of a clip by name in the file with that digest.
    pub fn new(digest: &SourceDigest, clip: &str) -> Self {
        Self(format!("{digest} / {clip}"))
    }
}
