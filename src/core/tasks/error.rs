use crate::codecs::EncodeError;
use crate::import::ImportError;
use crate::pipeline::{ArchiveError, BudgetError, CompressError, ExportFailure, NoCounterpart, OwnFault, guard};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a task gave no answer, and on what it worked.
///
/// Its words are those of the fault alone: whoever shows it knows the file or the clip already, or asks for the place.
#[derive(Debug, Error)]
#[error("{fault}")]
pub struct TaskError {
    /// What happened.
    pub fault: Box<TaskFault>,
    /// On what it worked.
    pub place: Place,
}

/// What kept a task from its answer.
#[derive(Debug, Error)]
pub enum TaskFault {
    /// Somebody asked it to stop.
    #[error("stopped before it was done")]
    Stopped,
    /// A fault of the program itself.
    #[error(transparent)]
    Panicked(#[from] OwnFault),
    /// What was asked of a clip stopped by a fault of the program itself: the clip stays as its file has it.
    #[error(
        "its fixes and marks are left out ({asked}): {fault}. Take the last one back with undo, or leave it out in the list of findings"
    )]
    Unmade {
        /// Names of the fixes; `none` where only marks were asked for.
        asked: String,
        /// The fault.
        fault: OwnFault,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Import(ImportError),
    /// A clip cannot be compressed, or its bytes cannot be measured.
    #[error(transparent)]
    Compress(CompressError),
    /// Clips do not fit.
    #[error(transparent)]
    Budget(BudgetError),
    /// Clips cannot be written.
    #[error(transparent)]
    Export(ExportFailure),
    /// A container cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Another tool's file has nothing that stands beside a clip.
    #[error(transparent)]
    NoCounterpart(#[from] NoCounterpart),
}

/// On what a task worked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file that was read or written.
    pub file: Option<PathBuf>,
    /// Name of the clip.
    pub clip: Option<String>,
}

impl Place {
    /// A file as a whole.
    pub fn file(path: &Path) -> Self {
        Self { file: Some(path.into()), clip: None }
    }

    /// A clip, wherever it came from.
    pub fn clip(name: &str) -> Self {
        Self { file: None, clip: Some(name.into()) }
    }
}

impl TaskError {
    /// True when nothing is wrong: somebody asked it to stop.
    pub fn is_stopped(&self) -> bool {
        matches!(*self.fault, TaskFault::Stopped)
    }
}

impl From<ImportError> for TaskFault {
    fn from(error: ImportError) -> Self {
        Self::Import(error)
    }
}

impl From<CompressError> for TaskFault {
    fn from(error: CompressError) -> Self {
        match error {
            CompressError::Encode(EncodeError::Cancelled) => Self::Stopped,
            error => Self::Compress(error),
        }
    }
}

impl From<BudgetError> for TaskFault {
    fn from(error: BudgetError) -> Self {
        match error {
            BudgetError::Compress { error: CompressError::Encode(EncodeError::Cancelled), .. } => Self::Stopped,
            error => Self::Budget(error),
        }
    }
}

impl From<ExportFailure> for TaskFault {
    fn from(error: ExportFailure) -> Self {
        match error {
            ExportFailure::Compress { error: CompressError::Encode(EncodeError::Cancelled), .. } => Self::Stopped,
            error => Self::Export(error),
        }
    }
}

/// Does a task's work under a [`guard`], and says on what it worked.
pub(super) fn guarded<T>(place: Place, work: impl FnOnce() -> Result<T, TaskFault>) -> Result<T, TaskError> {
    guard(work).map_err(|fault| TaskError { fault: Box::new(fault), place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_words_and_its_place() {
        let at = |index: usize| [1, 2][index];
        let error = guarded(Place::clip("walk"), || Ok::<_, TaskFault>(at(5))).unwrap_err();
        assert_eq!(error.place, Place::clip("walk"));
        assert!(error.to_string().contains("index is 5") && !error.is_stopped(), "{error}");
        let fixed = guarded(Place::default(), || -> Result<(), TaskFault> { panic!("as it is") }).unwrap_err();
        assert!(matches!(*fixed.fault, TaskFault::Panicked(OwnFault { ref what }) if what == "as it is"));
    }

    #[test]
    fn a_cancelled_encoder_is_a_task_that_was_stopped() {
        let cancelled = || CompressError::Encode(EncodeError::Cancelled);
        assert!(matches!(TaskFault::from(cancelled()), TaskFault::Stopped));
        let export = ExportFailure::Compress { clip: "walk".into(), error: cancelled() };
        assert!(matches!(TaskFault::from(export), TaskFault::Stopped));
    }
}
