use crate::codecs::EncodeError;
use crate::import::{Fix, ImportError};
use crate::pipeline::{ArchiveError, BudgetError, CompressError, ExportFailure, NoCounterpart, OwnFault, guard};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a task gave no answer, with the file or clip that it worked on.
///
/// The message contains only the fault. The file or clip is in `place`.
#[derive(Debug, Error)]
#[error("{fault}")]
pub struct TaskError {
    /// The fault.
    pub fault: Box<TaskFault>,
    /// The file or clip on which it worked.
    pub place: TaskSubject,
}

/// The reasons why a task gave no answer.
#[derive(Debug, Error)]
pub enum TaskFault {
    /// The task was stopped on request.
    #[error("stopped before it finished")]
    Stopped,
    /// An internal error of the program.
    #[error(transparent)]
    Panicked(#[from] OwnFault),
    /// The worker ended in the middle of the task, with the system's words.
    #[error(
        "the browser ended this work ({0}), perhaps for want of memory. Close other files and pages, or use the program in place of the page"
    )]
    Ended(String),
    /// Fixes or marks of a clip caused an internal error. The clip stays as in its file.
    #[error(
        "its fixes and marks are not applied ({asked}): {fault}. Undo the last one, or switch it off in the list of findings"
    )]
    Unmade {
        /// Names of the fixes. `none` for marks only.
        asked: String,
        /// The fault.
        fault: OwnFault,
    },
    /// The fixes of a clip are not applied yet, so that it cannot be exported.
    #[error("its fixes are still being applied. Export again when that is done")]
    Unfixed,
    /// A file cannot be read.
    #[error(transparent)]
    Import(ImportError),
    /// A clip cannot be compressed, or its bytes cannot be measured.
    #[error(transparent)]
    Compress(CompressError),
    /// Clips do not fit a budget.
    #[error(transparent)]
    Budget(BudgetError),
    /// Clips cannot be exported.
    #[error(transparent)]
    Export(ExportFailure),
    /// A container cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// An external file has no counterpart of a clip.
    #[error(transparent)]
    NoCounterpart(#[from] NoCounterpart),
}

/// The file or clip on which a task worked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskSubject {
    /// The file that was read or written.
    pub file: Option<PathBuf>,
    /// Name of the clip.
    pub clip: Option<String>,
}

impl TaskSubject {
    /// A whole file.
    pub fn file(path: &Path) -> Self {
        Self { file: Some(path.into()), clip: None }
    }

    /// A clip, of any file.
    pub fn clip(name: &str) -> Self {
        Self { file: None, clip: Some(name.into()) }
    }
}

impl TaskError {
    /// The error of a clip that stays as in its file, because its fixes or marks panicked.
    pub(super) fn unmade(file: Option<PathBuf>, clip: &str, fixes: &BTreeSet<Fix>, fault: OwnFault) -> Self {
        let names: Vec<&str> = fixes.iter().map(|fix| fix.option().label).collect();
        let asked = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let place = TaskSubject { file, clip: Some(clip.to_owned()) };
        Self { fault: Box::new(TaskFault::Unmade { asked, fault }), place }
    }

    /// True if the task was stopped on request and nothing is wrong.
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

/// Runs a task's work under a [`guard`] and adds the place to an error.
pub(super) fn guarded<T>(place: TaskSubject, work: impl FnOnce() -> Result<T, TaskFault>) -> Result<T, TaskError> {
    guard(work).map_err(|fault| TaskError { fault: Box::new(fault), place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_words_and_its_place() {
        let at = |index: usize| [1, 2][index];
        let error = guarded(TaskSubject::clip("walk"), || Ok::<_, TaskFault>(at(5))).unwrap_err();
        assert_eq!(error.place, TaskSubject::clip("walk"));
        assert!(error.to_string().contains("index is 5") && !error.is_stopped(), "{error}");
        let fixed = guarded(TaskSubject::default(), || -> Result<(), TaskFault> { panic!("as it is") }).unwrap_err();
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
