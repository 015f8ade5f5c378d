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
    /// The answer about unsaved changes.
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Quit => {
                "What is not saved is here again at the next start; nobody else who opens the file sees it until then."
            }
            Self::Open(_) => {
                "What is not saved makes room for the other project. 'Undo' brings recipes and decisions back."
            }
        }
    }
}

/// An answer to what is asked before a project is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeavingAnswer {
    /// Save, then go.
    Save,
    /// Go.
    Discard,
    /// Stay.
    Stay,
}

/// Contents of the open project's file, if known.
#[derive(Debug, Clone, Default)]
pub struct Unsaved {
    /// Files and document as the file has them.
    pub in_file: Option<Contents>,
    /// The workspace's revision when it was compared, and whether it differed.
    pub compared: Option<(u64, bool)>,
    /// Is asked before the project is left.
    pub asked: Option<Leaving>,
    /// Is done as soon as the project is saved.
    pub then: Option<Leaving>,
    /// Lets the window close once with unsaved changes.
    pub may_close: bool,
}

/// Files and how they are read, and what undo takes back.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    files: Vec<(PathBuf, ImportOptions)>,
    document: Document,
}

impl Contents {
    /// Those of a project.
    pub fn of(project: &Project) -> Self {
        let file = |source: &ProjectSource| (source.path.clone(), source.import);
        Self { files: project.sources.iter().map(file).collect(), document: project.document.clone() }
    }
}
