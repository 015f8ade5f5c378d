use super::{Finding, ImportError, ImportOptions, readable};
use crate::model::{Clip, Rig};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A file, read. Y is up, lengths are metres, every clip fits the rig.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Joints and meshes.
    pub rig: Rig,
    /// In the order of the file.
    pub clips: Vec<Clip>,
    /// What the file spends on each clip, bytes: its keys and their times as they are stored, without names and structure.
    /// A curve of an FBX file counts twelve bytes a key, a time and a value, though the file may pack them.
    pub clip_bytes: Vec<u64>,
    /// What the import checks found.
    pub findings: Vec<Finding>,
    /// Files beside it that were read, too.
    pub beside: Vec<PathBuf>,
}

/// A reader of one kind of file.
pub trait Importer: Sync {
    /// As people know it: `glTF`.
    fn name(&self) -> &'static str;
    /// File extensions, lower case, without the dot.
    fn extensions(&self) -> &'static [&'static str];
    /// Reads rig and clips. `path` is for messages and for files beside it. Bytes that it is given for keeps it may drop as
    /// soon as they are read: of a long take the text is larger than the clip.
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

/// The file's name without folder and extension, for rigs and clips that have no name of their own.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().map(|s| readable(&s.to_string_lossy())).unwrap_or_default()
}
