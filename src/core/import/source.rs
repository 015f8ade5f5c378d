use super::ImportOptions;
use crate::model::SourceDigest;
use std::path::PathBuf;

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
