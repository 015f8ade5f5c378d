use crate::model::{Clip, ClipId};
use crate::pipeline::{ForeignClip, NoCounterpart};
use crate::recipe::Recipe;
use crate::report::{ClipReport, Sides};
use crate::tasks::TaskError;
use std::sync::Arc;

/// What an outcome is of: a clip and a recipe slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClipSlot {
    /// The clip.
    pub clip: ClipId,
    /// Recipe slot: 0 = A.
    pub slot: usize,
}

/// The last answer for a clip and slot.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The clip that it answers for; another one from the library's as soon as that is marked differently.
    pub clip: Arc<Clip>,
    /// The recipe that it answers; older than the document's while a newer one is being worked on.
    pub recipe: Arc<Recipe>,
    /// What was judged by that recipe, where a file of another tool has the slot.
    pub foreign: Option<Result<ForeignClip, NoCounterpart>>,
    /// Numbers for lists and panels, or why there are none.
    pub report: Result<Arc<ClipReport>, Arc<TaskError>>,
    /// The whole outcome, only for the clip that is looked at.
    pub full: Option<Sides>,
    /// Nothing more will follow for this recipe.
    pub done: bool,
}

impl Answer {
    /// Somebody stopped it before there were numbers.
    pub fn is_stopped(&self) -> bool {
        self.report.as_ref().is_err_and(|error| error.is_stopped())
    }
}
