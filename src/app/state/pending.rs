//! Files of the project or of the last session that are not open, with the reason. They stay in the project until the
//! user removes them.

use posepress_core::project::{ExternalFile, ProjectSource};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A file that is not open.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingSource {
    /// The project's entry for the file.
    pub source: ProjectSource,
    /// Why it is not open.
    pub state: PendingState,
}

/// Why a file is not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PendingState {
    /// It is being located.
    Searching,
    /// It is being read from this path.
    Reading(PathBuf),
    /// It is neither at its saved path nor below the project's folder.
    NotFound,
    /// It cannot be read, for this reason.
    Failed(String),
    /// The user cancelled reading.
    Cancelled,
    /// It was skipped: the last start ended while opening it.
    LeftOut,
}

impl PendingState {
    /// True while it is being located or read.
    pub const fn is_busy(&self) -> bool {
        matches!(self, Self::Searching | Self::Reading(_))
    }

    /// Short text for lists.
    pub fn words(&self) -> &str {
        match self {
            Self::Searching => "is looked for",
            Self::Reading(_) => "is being read",
            Self::NotFound => "not found",
            Self::Failed(_) => "cannot be read",
            Self::Cancelled => "not read: cancelled",
            Self::LeftOut => "not opened: the last start ended here",
        }
    }
}

/// Files that are not open, and the order of all files.
#[derive(Debug, Default)]
pub struct Pending {
    /// The files that are not open.
    pub sources: Vec<PendingSource>,
    /// Paths of open and other files in the order of the project.
    pub order: Vec<PathBuf>,
    /// Number of searches under way: for a project, a session or a single file.
    pub searches: usize,
    /// Skipped files, which are opened only on request: the last start ended while opening them.
    pub left_out: HashSet<PathBuf>,
    /// The project's external file, until it failed or was cancelled.
    pub named_external: Option<ExternalFile>,
    /// Title of the message about missing files.
    pub missing_title: Option<String>,
    /// The project's external file that is not open, and why. The document lacks it.
    pub absent_external: Option<(ExternalFile, PendingState)>,
}

impl Pending {
    /// Files that are neither being located nor read.
    pub fn absent(&self) -> impl Iterator<Item = &PendingSource> {
        self.sources.iter().filter(|pending| !pending.state.is_busy())
    }

    /// The project's external file that is not open, and why.
    pub fn absent_external(&self) -> Option<&(ExternalFile, PendingState)> {
        self.absent_external.as_ref()
    }

    /// True while a search is under way.
    pub fn is_searching(&self) -> bool {
        self.searches > 0
    }

    /// Removes all files, their order and the external file.
    pub fn clear(&mut self) {
        self.sources.clear();
        self.order.clear();
        (self.named_external, self.absent_external) = (None, None);
    }

    /// Index of a file by its path in the project.
    pub fn at(&self, path: &Path) -> Option<usize> {
        self.sources.iter().position(|pending| pending.source.path == path)
    }

    /// The state of a file by its path in the project.
    pub fn state_of(&mut self, path: &Path) -> Option<&mut PendingState> {
        let at = self.at(path)?;
        Some(&mut self.sources[at].state)
    }

    /// Adds a file, or replaces its entry. A new path is last in the order.
    pub fn put(&mut self, source: ProjectSource, state: PendingState) {
        if !self.order.contains(&source.path) {
            self.order.push(source.path.clone());
        }
        match self.at(&source.path) {
            Some(at) => self.sources[at] = PendingSource { source, state },
            None => self.sources.push(PendingSource { source, state }),
        }
    }

    /// Removes and returns the entry of a file that was opened: the one being read from this path, else one with the
    /// same digest.
    pub fn take_opened(&mut self, path: &Path, digest: &str) -> Option<PendingSource> {
        let is_read = |pending: &PendingSource| matches!(&pending.state, PendingState::Reading(at) if at == path);
        let is_it = |pending: &PendingSource| !pending.state.is_busy() && pending.source.digest == digest;
        let at = self.sources.iter().position(is_read).or_else(|| self.sources.iter().position(is_it))?;
        let pending = self.sources.remove(at);
        // The new path keeps the place in the order.
        self.order
            .iter_mut()
            .filter(|known| **known == pending.source.path)
            .for_each(|known| *known = path.to_path_buf());
        Some(pending)
    }
}
