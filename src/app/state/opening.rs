//! Files that are being opened, and files that a start skipped.

use super::Session;
use posepress_core::project::{Document, ExternalFile};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Files that are being opened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Opening {
    /// A project, until its files are looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// The bundled sample.
    pub sample: bool,
    /// Files.
    pub files: Vec<PathBuf>,
}

/// Files that were skipped because the last start ended while it opened them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LeftOut {
    /// The files.
    pub opening: Opening,
    /// The saved work, if that alone ended the last start.
    pub state: Option<(Document, Session)>,
}

/// How a person wants it after all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Again {
    /// As it was.
    Whole,
    /// Without the recipes and marks that may be the cause; undo brings them back.
    Bare,
}

impl Opening {
    /// Contents of a mark. An unreadable mark counts as an unknown file.
    pub fn read(text: &str) -> Self {
        toml::from_str(text).unwrap_or_default()
    }

    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Its name for people.
    pub fn names(&self) -> Vec<String> {
        let sample = self.sample.then(|| "the bundled sample".to_owned());
        let paths = self.project.iter().chain(&self.files).map(|path| path.display().to_string());
        sample.into_iter().chain(paths).collect()
    }
}

impl LeftOut {
    /// What a start does not open by itself when the last one ended while it opened that; where nothing was being opened, what the
    /// window kept.
    pub fn of(opening: Opening, state: Option<(Document, Session)>) -> Option<Self> {
        let state = state.filter(|_| opening.is_nothing());
        // A window that opened nothing and kept nothing has nothing to leave out.
        (state.is_some() || !opening.is_nothing()).then_some(Self { opening, state })
    }

    /// True for a file or a project that is left out.
    pub fn has(&self, path: &Path) -> bool {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        self.opening.files.iter().chain(&self.opening.project).any(|left| *left == path)
    }

    /// Another tool's file that the document would read.
    pub fn take_external(&self, document: &mut Document) -> Option<ExternalFile> {
        document.external.take_if(|file| self.has(&file.path))
    }
}
