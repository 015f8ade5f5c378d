//! Writers of approved clips: one file each, one line each in [`EXPORTERS`].

mod csv;
mod file;
mod glb;
mod keys;
mod measured;
mod options;
mod ozz;
mod riot;

pub use csv::{Csv, csv_table};
pub use file::{FileToWrite, check_output, try_output, write_atomically, write_together};
pub use glb::Glb;
pub use keys::NumberError;
pub use measured::{Between, Exported, Played, PlayedClip, PlayedLimits, export_measured, measure_file};
pub use options::{ExportBody, ExportInto, ExportKeys, ExportOptions, ExportPacking, ExportRecipes, RotationFormat};
pub use ozz::{Ozz, OzzSkeleton};
pub use riot::Riot;

use crate::import::{ImportError, Origin};
use crate::model::{Clip, ClipSampler, Rig, Sampler};
use std::ops::Range;
use thiserror::Error;

/// Every exporter.
pub static EXPORTERS: &[&dyn Exporter] = &[&Glb, &Csv, &Ozz, &OzzSkeleton, &Riot];

/// What an export may add to the error of a clip where nobody says more, metres.
const EXPORT_ERROR_M: f32 = 1e-5;
/// Distance from a joint at which its own error counts where nobody says another, as by default in a recipe, metres.
const SHELL_M: f32 = 0.03;

/// One clip to write: what was decoded, and what it was made from.
pub struct ExportClip<'a> {
    /// Name in the file.
    pub name: String,
    /// The source: its sample times, float tracks and stepped intervals, and what errors are measured against.
    pub source: &'a Clip,
    /// Reads the decoded clip (or the raw one).
    pub sampler: Box<dyn Sampler + Send + 'a>,
    /// Shell error against the source that what is read from the file may have, metres, for formats that choose keys; where
    /// the decoded clip has more, it may have as much. Zero keeps every sample as it is.
    pub tolerance_m: f32,
    /// Distance at which each joint is measured, metres.
    pub shells_m: Vec<f32>,
    /// What the file is judged by.
    pub limits: PlayedLimits,
    /// Joints that are never touched, and at which samples: these stay as they are, as far as the format's numbers can say them.
    pub exact: Vec<(usize, Range<usize>)>,
}

/// How clips are exported, and what they go into.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExportTarget {
    /// What people chose.
    pub options: ExportOptions,
    /// The file that the clips came from, if it is one on the disk.
    pub origin: Option<Origin>,
}

impl<'a> ExportClip<'a> {
    /// The raw clip, as it is.
    pub fn raw(clip: &'a Clip) -> Self {
        Self::decoded(clip, Box::new(ClipSampler::new(clip)))
    }

    /// What a sampler of the same shape makes of a clip, to be written closely.
    pub fn decoded(source: &'a Clip, sampler: Box<dyn Sampler + Send + 'a>) -> Self {
        let shells_m = vec![SHELL_M; source.joints()];
        Self {
            name: source.name().to_owned(),
            source,
            sampler,
            tolerance_m: EXPORT_ERROR_M,
            shells_m,
            limits: PlayedLimits::default(),
            exact: Vec::new(),
        }
    }

    /// True for a joint that is never touched, at some samples at least.
    fn is_exact(&self, joint: usize) -> bool {
        self.exact.iter().any(|(exact, _)| *exact == joint)
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

/// The clip of a file that holds one; `file` says which kind of file that is.
fn only_clip<'c, 'a>(
    clips: &'c mut [ExportClip<'a>],
    rig: &Rig,
    file: &str,
) -> Result<&'c mut ExportClip<'a>, ExportError> {
    let count = clips.len();
    let [clip] = clips else {
        let what = format!("{file} holds one clip, but {count} were given. Export one clip a file");
        return Err(ExportError::Unsupported(what));
    };
    clip.check(rig)?;
    Ok(clip)
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
    /// The bytes that were just written cannot be played: a fault of the exporter.
    #[error("what was written cannot be read again: {0}")]
    Unplayable(ImportError),
    /// The file that the clips came from cannot be written into.
    #[error(transparent)]
    Source(#[from] ImportError),
}

/// What one file of a format holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Any number of clips.
    Clips,
    /// One clip.
    OneClip,
    /// The rig, whatever clips there are.
    Rig,
}

/// What there is to know of an exporter before it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExporterInfo {
    /// As the command line says it: `glb`.
    pub key: &'static str,
    /// As people know it.
    pub name: &'static str,
    /// File extension without the dot.
    pub extension: &'static str,
    /// What one file holds.
    pub holds: Holds,
}

/// A writer of one kind of file.
pub trait Exporter: Sync {
    /// What it is called, and what it writes.
    fn info(&self) -> ExporterInfo;
    /// Writes rig and clips to bytes.
    ///
    /// # Errors
    /// See [`ExportError`].
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>], target: &ExportTarget) -> Result<Vec<u8>, ExportError>;
    /// Plays what it wrote for these clips, one player per clip in their order, as the players of the format do. Nothing for a file
    /// that holds no clip.
    ///
    /// # Errors
    /// [`ExportError::Unplayable`].
    fn play(
        &self,
        bytes: &[u8],
        rig: &Rig,
        clips: &[ExportClip<'_>],
        target: &ExportTarget,
    ) -> Result<Vec<Played>, ExportError>;
    /// How far the numbers of the format alone put a joint off, for any keys; `None` where it holds what we hold.
    fn number_error(&self, rig: &Rig, clip: &ExportClip<'_>, joint: usize) -> Option<NumberError> {
        let _ = (rig, clip, joint);
        None
    }
}

impl std::fmt::Debug for dyn Exporter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.info().key)
    }
}

/// The exporter of that key.
pub fn by_key(key: &str) -> Option<&'static dyn Exporter> {
    EXPORTERS.iter().copied().find(|e| e.info().key == key)
}
