//! The saved contents of a project, and the question before it is closed.

use posepress_core::import::ImportOptions;
use posepress_core::project::{Document, Project, ProjectSource};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The next step after a project was saved, or needs no saving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leaving {
    /// The window closes.
    Quit,
    /// Another project is opened in its place.
    Open(PathBuf),
}

impl Leaving {
    /// Tooltip of leaving without saving.
    pub const fn without_saving(&self) -> &'static str {
        match self {
            Self::Quit => "The file stays as it is. The changes stay on this computer and return at the next start.",
            Self::Open(_) => "The file stays as it is. 'Undo' restores recipes and decisions.",
        }
    }

    /// Sentence about the fate of unsaved changes.
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Quit => {
                "Unsaved changes stay on this computer and return at the next start. The project file does not contain them until you save."
            }
            Self::Open(_) => "The other project replaces unsaved changes. 'Undo' restores recipes and decisions.",
        }
    }
}

/// Answer to the question about unsaved changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeavingAnswer {
    /// Save, then leave.
    Save,
    /// Leave without saving.
    Discard,
    /// Stay.
    Stay,
}

/// Contents of the open project's file, and the question about unsaved changes.
#[derive(Debug, Clone, Default)]
pub struct Unsaved {
    /// Files and document as the file has them.
    pub in_file: Option<Contents>,
    /// The workspace's revision when it was compared, and whether it differed.
    pub compared: Option<(u64, bool)>,
    /// The step that waits for the user's answer.
    pub asked: Option<Leaving>,
    /// The step that waits until the project is saved.
    pub then: Option<Leaving>,
    /// Lets the window close once with unsaved changes.
    pub may_close: bool,
}

/// Files with their import options, and the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    files: Vec<(PathBuf, ImportOptions)>,
    document: Document,
}

impl Contents {
    /// Contents of a project.
    pub fn of(project: &Project) -> Self {
        let file = |source: &ProjectSource| (source.path.clone(), source.import);
        Self { files: project.sources.iter().map(file).collect(), document: project.document.clone() }
    }
}
