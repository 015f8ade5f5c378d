use super::error::{Place, TaskError, guarded};
use crate::codecs::Progress;
use crate::export::ExportRecipes;
use crate::pipeline::{BudgetClip, FittedBudget, fit_budget};
use crate::study::{Studied, StudiedClips, StudyPoint, study};
use std::sync::Arc;

/// Compresses clips with a recipe, to see what they come to.
#[derive(Debug, Clone)]
pub struct StudyTask {
    /// The clips.
    pub clips: StudiedClips,
    /// How.
    pub of: Studied,
}

impl StudyTask {
    /// What the clips come to.
    ///
    /// # Errors
    /// [`TaskFault::Compress`](super::TaskFault::Compress), [`TaskFault::Stopped`](super::TaskFault::Stopped),
    /// [`TaskFault::Panicked`](super::TaskFault::Panicked); the place is the recipe.
    pub fn run(&self, progress: &Progress) -> Result<StudyPoint, TaskError> {
        guarded(Place::clip(&self.of.title()), || {
            study(&self.clips, &self.of, progress).map_err(|(_, error)| error.into())
        })
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.of == other.of && Arc::ptr_eq(&self.clips, &other.clips)
    }
}

/// Chooses tolerances with which clips take no more than so many bytes.
#[derive(Debug, Clone)]
pub struct FitTask {
    /// The clips, each with its recipe.
    pub clips: Arc<[BudgetClip]>,
    /// What their containers may take.
    pub limit_bytes: usize,
    /// What these say of how the clips were made.
    pub recipes: ExportRecipes,
}

impl FitTask {
    /// What each clip gets.
    ///
    /// # Errors
    /// [`TaskFault::Budget`](super::TaskFault::Budget), [`TaskFault::Stopped`](super::TaskFault::Stopped),
    /// [`TaskFault::Panicked`](super::TaskFault::Panicked).
    pub fn run(&self, progress: &Progress) -> Result<FittedBudget, TaskError> {
        guarded(Place::default(), || Ok(fit_budget(&self.clips, self.limit_bytes, self.recipes, progress)?))
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.limit_bytes == other.limit_bytes && Arc::ptr_eq(&self.clips, &other.clips)
    }
}
