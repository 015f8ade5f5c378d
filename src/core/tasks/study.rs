use super::KeptResults;
use super::error::{TaskError, TaskSubject, guarded};
use crate::codecs::Progress;
use crate::export::ExportRecipes;
use crate::pipeline::{BudgetClip, BudgetLimits, ClipSource, FittedBudget, fit_budget};
use crate::study::{Studied, StudiedClips, StudyPoint, study};
use std::sync::Arc;

/// Compresses clips with a recipe and sums up the results.
#[derive(Debug, Clone)]
pub struct StudyTask {
    /// The clips.
    pub clips: StudiedClips,
    /// The recipe.
    pub of: Studied,
}

impl StudyTask {
    /// Runs the study. Clips whose numbers are kept are not compressed again.
    ///
    /// # Errors
    ///
    /// Returns [`TaskFault::Compress`](super::TaskFault::Compress), [`TaskFault::Stopped`](super::TaskFault::Stopped) or
    /// [`TaskFault::Panicked`](super::TaskFault::Panicked). The place is the recipe.
    pub fn run(&self, kept: &KeptResults, progress: &Progress) -> Result<StudyPoint, TaskError> {
        guarded(TaskSubject::clip(&self.of.title()), || {
            study(&self.clips, &self.of, &*kept.numbers(&self.clips), progress).map_err(|(_, error)| error.into())
        })
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.of == other.of && Arc::ptr_eq(&self.clips, &other.clips)
    }
}

/// Chooses tolerances so that clips keep to the limits of a budget.
#[derive(Debug, Clone)]
pub struct FitTask {
    /// The clips, each with its recipe.
    pub clips: Arc<[BudgetClip]>,
    /// Their rigs and motions.
    pub sources: StudiedClips,
    /// The limits.
    pub limits: BudgetLimits,
    /// The recipes that the containers store.
    pub recipes: ExportRecipes,
}

impl FitTask {
    /// Chooses the tolerance of each clip. Tolerances whose numbers are kept are not tried again.
    ///
    /// # Errors
    ///
    /// Returns [`TaskFault::Budget`](super::TaskFault::Budget), [`TaskFault::Stopped`](super::TaskFault::Stopped) or
    /// [`TaskFault::Panicked`](super::TaskFault::Panicked).
    pub fn run(&self, kept: &KeptResults, progress: &Progress) -> Result<FittedBudget, TaskError> {
        guarded(TaskSubject::default(), || {
            let (clips, known) = ((&*self.clips, &self.sources as &dyn ClipSource), kept.numbers(&self.sources));
            Ok(fit_budget(clips, self.limits, self.recipes, &*known, progress)?)
        })
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.limits == other.limits && Arc::ptr_eq(&self.clips, &other.clips)
    }
}
