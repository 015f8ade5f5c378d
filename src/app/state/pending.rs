//! Files of the project, or of the last session, that are not open: looked for, being read, not found, not readable, left out.
//! They stay in the project until a person removes them.

use posepress_core::project::{ExternalFile, ProjectSource};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A file that is not open.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingSource {
    /// As the project has it.
    pub source: ProjectSource,
    /// Why it is not open.
    pub state: PendingState,
}

/// Why a file is not open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PendingState {
    /// It is looked for.
    Searching,
    /// It is being read from there.
    Reading(PathBuf),
    /// It is neither where it was nor below the project's folder.
    NotFound,
    /// It cannot be read; why.
    Failed(String),
    /// A person cancelled reading.
    Cancelled,
    /// The last start ended while it was opened.
    LeftOut,
}

impl PendingState {
    /// It may be open soon.
    pub const fn is_busy(&self) -> bool {
        matches!(self, Self::Searching | Self::Reading(_))
    }

    /// In a few words.
    pub fn words(&self) -> &str {
        match self {
            Self::Searching => "is looked for",
            Self::Reading(_) => "is being read",
            Self::NotFound => "not found",
            Self::Failed(_) => "cannot be read",
            Self::Cancelled => "not read: cancelled",
            Self::LeftOut => "left out: the last start ended here",
        }
    }
}

/// Files that are not open, and what is known of their order.
#[derive(Debug, Default)]
pub struct Pending {
    /// Without those that are open.
    pub sources: Vec<PendingSource>,
    /// Paths in the order of the project.
    pub order: Vec<PathBuf>,
    /// Projects and sessions that are still being looked for.
    pub searches: usize,
    /// Files that are opened only when a person says so: the last start ended with them.
    pub left_out: HashSet<PathBuf>,
    /// Another tool's file that the project compares with.
    pub named_external: Option<ExternalFile>,
    /// The card that says which are missing.
    pub missing_title: Option<String>,
    /// The same, while the document lacks it: it cannot be read.
    pub absent_external: Option<(ExternalFile, PendingState)>,
}

impl Pending {
    /// Those that are not open and will not be by themselves.
    pub fn absent(&self) -> impl Iterator<Item = &PendingSource> {
        self.sources.iter().filter(|pending| !pending.state.is_busy())
    }

    /// Another tool's file that the project names and that cannot be read, and why.
    pub fn absent_external(&self) -> Option<&(ExternalFile, PendingState)> {
        self.absent_external.as_ref()
    }

    /// Something is still looked for.
    pub fn is_searching(&self) -> bool {
        self.searches > 0
    }

    /// Nothing is left of what was open before.
    pub fn clear(&mut self) {
        self.sources.clear();
        self.order.clear();
        (self.named_external, self.absent_external) = (None, None);
    }

    /// Index of a file by its path in the project.
    pub fn at(&self, path: &Path) -> Option<usize> {
        self.sources.iter().position(|pending| pending.source.path == path)
    }

    /// Why a file is not open.
    pub fn state_of(&mut self, path: &Path) -> Option<&mut PendingState> {
        let at = self.at(path)?;
        Some(&mut self.sources[at].state)
    }

    /// Files that open in one go, in the order of the project.
    pub fn put(&mut self, source: ProjectSource, state: PendingState) {
        if !self.order.contains(&source.path) {
            self.order.push(source.path.clone());
        }
        match self.at(&source.path) {
            Some(at) => self.sources[at] = PendingSource { source, state },
            None => self.sources.push(PendingSource { source, state }),
        }
    }

    /// The entry of a file that was opened: the one that was read from there, or that had its bytes.
    pub fn take_opened(&mut self, path: &Path, digest: &str) -> Option<PendingSource> {
        let is_read = |pending: &PendingSource| matches!(&pending.state, PendingState::Reading(at) if at == path);
        let is_it = |pending: &PendingSource| !pending.state.is_busy() && pending.source.digest == digest;
        let at = self.sources.iter().position(is_read).or_else(|| self.sources.iter().position(is_it))?;
        let pending = self.sources.remove(at);
        // It keeps its place, wherever it is now.
        self.order
            .iter_mut()
            .filter(|known| **known == pending.source.path)
            .for_each(|known| *known = path.to_path_buf());
        Some(pending)
    }
}
