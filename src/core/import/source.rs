use super::ImportOptions;
use crate::model::SourceDigest;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// An imported file, with the data to import it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// Its path.
    pub path: PathBuf,
    /// Digest of the bytes.
    pub digest: SourceDigest,
    /// Import options.
    pub options: ImportOptions,
}
