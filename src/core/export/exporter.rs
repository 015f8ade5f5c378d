use super::{ExportClip, ExportError, ExportTarget, NumberError, Played};
use crate::model::Rig;

/// The contents of one file of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Any number of clips.
    Clips,
    /// One clip.
    OneClip,
    /// The rig without clips.
    Rig,
}

/// The description of an exporter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExporterInfo {
    /// Key on the command line: `glb`.
    pub key: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// File extension without the dot.
    pub extension: &'static str,
    /// Contents of one file.
    pub holds: Holds,
}

/// A writer of one format.
pub trait Exporter: Sync {
    /// Its description.
    fn info(&self) -> ExporterInfo;
    /// Writes rig and clips to bytes.
    ///
    /// # Errors
    /// See [`ExportError`].
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>], target: &ExportTarget) -> Result<Vec<u8>, ExportError>;
    /// Returns players of the written bytes, one per clip in order, that play as the players of the format do. Empty for a file without
    /// clips.
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
    /// The error of a joint from the number format alone, for any keys; `None` if the format stores float32.
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
