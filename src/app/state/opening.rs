//! Files that are being opened, and files that a start skipped.

use super::Session;
use posepress_core::project::{Document, ExternalFile};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Files that are being opened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Opening {
    /// A project, until it is read and its files are located.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// True if the bundled sample is being opened.
    pub sample: bool,
    /// Animation files.
    pub files: Vec<PathBuf>,
}

/// Files that were skipped because the last start ended while it opened them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LeftOut {
    /// Files that were being opened.
    pub opening: Opening,
    /// The saved document and session, if nothing else was being opened.
    pub state: Option<(Document, Session)>,
}

/// How skipped files are opened after all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Again {
    /// With recipes and marks.
    Whole,
    /// Without recipes and marks, which may be the cause. Undo restores them.
    Bare,
}

impl Opening {
    /// Parses the file that marks what is being opened. An unreadable one gives an empty value.
    pub fn read(text: &str) -> Self {
        toml::from_str(text).unwrap_or_default()
    }

    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// The sample and the paths, as text for messages.
    pub fn names(&self) -> Vec<String> {
        let sample = self.sample.then(|| "the bundled sample".to_owned());
        let paths = self.project.iter().chain(&self.files).map(|path| path.display().to_string());
        sample.into_iter().chain(paths).collect()
    }
}

impl LeftOut {
    /// Skips the files of `opening`, during which the last start ended. If there are none, skips the saved state. `None` if
    /// there is neither.
    pub fn of(opening: Opening, state: Option<(Document, Session)>) -> Option<Self> {
        let state = state.filter(|_| opening.is_nothing());
        (state.is_some() || !opening.is_nothing()).then_some(Self { opening, state })
    }

    /// True if this file or project is skipped.
    pub fn has(&self, path: &Path) -> bool {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        self.opening.files.iter().chain(&self.opening.project).any(|left| *left == path)
    }

    /// Takes the external file out of the document, if that file is skipped.
    pub fn take_external(&self, document: &mut Document) -> Option<ExternalFile> {
        document.external.take_if(|file| self.has(&file.path))
    }
}
