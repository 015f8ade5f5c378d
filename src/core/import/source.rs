use super::ImportOptions;
use std::fmt;
use std::path::PathBuf;

/// The first 128 bits of the BLAKE3 digest of a source file's bytes, in hex. It distinguishes files of the same name and
/// identifies a file that was moved. It does not cover the files that a glTF refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceDigest(String);

impl SourceDigest {
    /// Of a file's bytes.
    pub fn of(bytes: &[u8]) -> Self {
        const DIGITS: usize = 32;
        Self(blake3::hash(bytes).to_hex()[..DIGITS].to_owned())
    }
}

impl fmt::Display for SourceDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A file that was read, as it has to be found when it is read again.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Where it lies.
    pub path: PathBuf,
    /// Of the bytes that were read.
    pub digest: SourceDigest,
    /// What the user said about it.
    pub options: ImportOptions,
}
