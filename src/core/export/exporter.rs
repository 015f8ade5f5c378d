use super::{ExportClip, ExportError, ExportTarget, NumberError, Played};
use crate::model::Rig;

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
