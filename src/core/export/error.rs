use crate::import::ImportError;
use thiserror::Error;

/// Why nothing was written.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The disk said no.
    #[error("{path}: cannot be written: {error}")]
    Io {
        /// File.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The output is a file that is read.
    #[error("{output} is the source {source_file}, which would be lost. Choose another output")]
    OntoSource {
        /// As it was named.
        output: String,
        /// The source that it leads to.
        source_file: String,
    },
    /// The format cannot hold it.
    #[error("{0}")]
    Unsupported(String),
    /// The bytes that were just written cannot be played: a fault of the exporter.
    #[error("what was written cannot be read again: {0}")]
    Unplayable(ImportError),
    /// The file that the clips came from cannot be written into.
    #[error(transparent)]
    Source(#[from] ImportError),
}
