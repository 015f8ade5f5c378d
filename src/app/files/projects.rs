//! Reading projects with their files, and writing them.

use crate::state::Session;
use posepress_core::export::{ExportError, write_atomically};
use posepress_core::files::{ReadError, read_text};
use posepress_core::project::{FoundSource, Project, ProjectError, ProjectSource, find_sources};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Result of reading or writing a project.
#[derive(Debug)]
pub enum ProjectEvent {
    /// A project or a session was read, and its files were searched for.
    Read(Box<Incoming>),
    /// It was not read: path and reason.
    NotRead(PathBuf, UnreadProject),
    /// It was written.
    Written(PathBuf, Box<Project>),
    /// It was not written.
    NotWritten(ExportError),
}

/// Why a file was not read as a project.
#[derive(Debug, Error)]
pub enum UnreadProject {
    /// It cannot be read as text.
    #[error(transparent)]
    File(#[from] ReadError),
    /// It is not a valid project.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

/// A project or the last session that is being opened.
#[derive(Debug)]
pub struct Incoming {
    /// The project's file; `None` for a session without a project.
    pub path: Option<PathBuf>,
    /// Contents of the file, or the error.
    pub in_file: Option<Result<Project, UnreadProject>>,
    /// The last session, whose document is loaded already.
    pub session: Option<Session>,
    /// The files to open.
    pub sources: Vec<ProjectSource>,
    /// Path of each file, if found.
    pub found: Vec<Option<FoundSource>>,
}

impl Incoming {
    /// Reads a project, and searches for its files or for those of a session.
    pub fn look_for(path: Option<PathBuf>, session: Option<Session>) -> Self {
        let folder = path.as_deref().map(folder_of);
        let in_file = path.as_deref().map(read_project);
        let sources = match (&session, &in_file) {
            (Some(session), _) => session.files.clone(),
            (None, Some(Ok(project))) => project.sources.clone(),
            (None, _) => Vec::new(),
        };
        let found = find_sources(&sources, folder.as_deref());
        Self { path, in_file, session, sources, found }
    }
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("/")).to_path_buf()
}

fn read_project(path: &Path) -> Result<Project, UnreadProject> {
    Ok(Project::from_toml(&read_text(path)?, &folder_of(path))?)
}

/// Writes a project.
pub fn write_project(path: PathBuf, project: &Project) -> ProjectEvent {
    let path = std::path::absolute(&path).unwrap_or(path);
    let text = project.to_toml(&folder_of(&path));
    match write_atomically(&path, text.as_bytes()) {
        Ok(()) => ProjectEvent::Written(path, Box::new(project.clone())),
        Err(error) => ProjectEvent::NotWritten(error),
    }
}
