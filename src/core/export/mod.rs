//! Writers of approved clips: one file each, one line each in [`EXPORTERS`].

mod csv;
mod file;
mod glb;

pub use csv::{Csv, csv_table};
pub use file::{check_output, write_atomically};
pub use glb::{Glb, RotationFormat};

use crate::model::{Clip, ClipSampler, Rig, Sampler};
use thiserror::Error;

/// Every exporter.
pub static EXPORTERS: &[&dyn Exporter] = &[&Glb { rotations: RotationFormat::Automatic }, &Csv];

/// One clip to write: what was decoded, and what it was made from.
pub struct ExportClip<'a> {
    /// Name in the file.
    pub name: String,
    /// The source, for its sample times, float tracks and stepped intervals.
    pub source: &'a Clip,
    /// Reads the decoded clip (or the raw one).
    pub sampler: Box<dyn Sampler + Send + 'a>,
    /// Samples that each track keeps as keys, for formats with sparse keys; empty means all.
    pub kept: &'a [crate::codecs::KeptKeys],
}

impl<'a> ExportClip<'a> {
    /// The raw clip, as it is.
    pub fn raw(clip: &'a Clip) -> Self {
        let sampler = Box::new(ClipSampler::new(clip));
        Self { name: clip.name().to_owned(), source: clip, sampler, kept: &[] }
    }

    fn check(&self, rig: &Rig) -> Result<(), ExportError> {
        if self.source.fits(&rig.skeleton) {
            return Ok(());
        }
        let (name, found, expected) = (&self.name, self.source.joints(), rig.skeleton.len());
        let what =
            format!("clip '{name}' moves {found} joints, but the rig has {expected}. Export it with its own rig");
        Err(ExportError::Unsupported(what))
    }
}

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
}

/// A writer of one kind of file.
pub trait Exporter: Sync {
    /// As the command line says it: `glb`.
    fn key(&self) -> &'static str;
    /// As people know it.
    fn name(&self) -> &'static str;
    /// File extension without the dot.
    fn extension(&self) -> &'static str;
    /// One file holds several clips.
    fn holds_many(&self) -> bool;
    /// Writes rig and clips to bytes.
    ///
    /// # Errors
    /// See [`ExportError`].
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>]) -> Result<Vec<u8>, ExportError>;
}

impl std::fmt::Debug for dyn Exporter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.key())
    }
}

/// The exporter of that key.
pub fn by_key(key: &str) -> Option<&'static dyn Exporter> {
    EXPORTERS.iter().copied().find(|e| e.key() == key)
}
