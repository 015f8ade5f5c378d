//! The state at the start of a window.

use super::{Session, Settings};
use posepress_core::import::ImportOptions;
use posepress_core::project::Document;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The state at the start of a window. A recording begins with it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Start {
    /// Settings.
    pub settings: Settings,
    /// Recipes and marks.
    pub document: Document,
    /// Files that it opens without a command.
    pub opens: Opens,
    /// Import options for files that the user opens.
    pub import: ImportOptions,
    /// View to show when the files are open, as text of 'Copy view'.
    pub view: Option<String>,
}

/// Files that a window opens at its start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Opens {
    /// Nothing.
    #[default]
    Nothing,
    /// The given files.
    Files(Vec<PathBuf>),
    /// The bundled sample.
    Sample,
    /// The last session.
    Session(Box<Session>),
}

impl Opens {
    /// Paths of these files.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Nothing | Self::Sample => Vec::new(),
            Self::Files(files) => files.iter().filter_map(|file| std::path::absolute(file).ok()).collect(),
            Self::Session(session) => session.files.iter().map(|source| source.path.clone()).collect(),
        }
    }
}
