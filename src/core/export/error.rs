use crate::import::ImportError;
use thiserror::Error;

/// An export error.
#[derive(Debug, Error)]
pub enum ExportError {
    /// An error of the disk.
    #[error("{path}: cannot be written: {error}")]
    Io {
        /// File.
        path: String,
        /// The error of the system.
        error: std::io::Error,
    },
    /// The output would replace a source.
    #[error("{output} is the source {source_file}, which would be lost. Choose another output")]
    OntoSource {
        /// The output as given.
        output: String,
        /// The source behind it.
        source_file: String,
    },
    /// The format cannot store the clip.
    #[error("{0}")]
    Unsupported(String),
    /// The written bytes cannot be played: a bug of the exporter.
    #[error("the written file cannot be read back: {0}")]
    Unplayable(ImportError),
    /// The source file cannot be extended.
    #[error(transparent)]
    Source(#[from] ImportError),
}
