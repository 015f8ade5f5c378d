use super::{Finding, ImportError, ImportOptions, readable};
use crate::model::{Clip, Rig};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// An imported file. Y is up, lengths are metres, every clip fits the rig.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Imported {
    /// Joints and meshes.
    pub rig: Rig,
    /// In the order of the file.
    pub clips: Vec<Clip>,
    /// Stored bytes of each clip: keys and times, without names and structure. A curve of an FBX file counts twelve bytes per key, even if
    /// the file compresses them.
    pub clip_bytes: Vec<u64>,
    /// Findings of the import checks.
    pub findings: Vec<Finding>,
    /// External files that were read.
    pub beside: Vec<PathBuf>,
}

/// A reader of one kind of file.
pub trait Importer: Sync {
    /// Name of the format: `glTF`.
    fn name(&self) -> &'static str;
    /// File extensions, lower case, without the dot.
    fn extensions(&self) -> &'static [&'static str];
    /// Reads rig and clips. `path` is for messages and external files. Owned bytes may be dropped early, since the text of a long take is
    /// larger than its clip.
    ///
    /// # Errors
    /// See [`ImportError`]: any bytes are safe to pass.
    fn import(&self, path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, ImportError>;
}

impl std::fmt::Debug for dyn Importer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The file name without folder and extension, for rigs and clips without a name.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().map(|s| readable(&s.to_string_lossy())).unwrap_or_default()
}
