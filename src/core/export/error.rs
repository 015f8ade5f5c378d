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
    /// The old file is read-only.
    #[error(
        "{path} is read-only, as files of version control are. Check it out, make it writable or choose another name"
    )]
    ReadOnly {
        /// File.
        path: String,
    },
    /// Another program has the old file open and does not share it (Windows).
    #[error("{path} is open in another program. Close it there or choose another name")]
    OpenElsewhere {
        /// File.
        path: String,
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
