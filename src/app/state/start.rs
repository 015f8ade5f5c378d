//! What a window begins with.

use super::{Session, Settings};
use posepress_core::import::ImportOptions;
use posepress_core::project::Document;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a window begins with: all that its commands build on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Start {
    /// How it looks.
    pub settings: Settings,
    /// Recipes and marks.
    pub document: Document,
    /// What it opens by itself.
    pub opens: Opens,
    /// How files are read that a person opens.
    pub import: ImportOptions,
    /// What is shown as soon as it is open, as 'Copy view' says it.
    pub view: Option<String>,
}

/// What a window opens by itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Opens {
    /// Nothing.
    #[default]
    Nothing,
    /// The files that it was told.
    Files(Vec<PathBuf>),
    /// The bundled sample.
    Sample,
    /// What was open when it closed.
    Session(Box<Session>),
}

impl Opens {
    /// The files that it names.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Nothing | Self::Sample => Vec::new(),
            Self::Files(files) => files.iter().filter_map(|file| std::path::absolute(file).ok()).collect(),
            Self::Session(session) => session.files.iter().map(|source| source.path.clone()).collect(),
        }
    }
}
