use crate::model::{Clip, ClipId};
use crate::pipeline::{ExternalClip, NoCounterpart};
use crate::recipe::Recipe;
use crate::report::{ClipReport, Sides};
use crate::tasks::TaskError;
use std::sync::Arc;

/// Key of a result: a clip and a recipe slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClipSlot {
    /// The clip.
    pub clip: ClipId,
    /// Recipe slot: 0 = A.
    pub slot: usize,
}

/// The last result for a clip and slot.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The clip that was compressed. The library has another clip after a change of its marks, fixes or file.
    pub clip: Arc<Clip>,
    /// The recipe of the result. It is older than the document's while a new result is computed.
    pub recipe: Arc<Recipe>,
    /// The external result that was judged, in the slot of the external file.
    pub external: Option<Result<ExternalClip, NoCounterpart>>,
    /// Numbers for lists and panels, or the reason why there are none.
    pub report: Result<Arc<ClipReport>, Arc<TaskError>>,
    /// The whole outcome. Only for the selected clip.
    pub full: Option<Sides>,
    /// True if this is the final result for the recipe.
    pub done: bool,
}

impl Answer {
    /// True if it was stopped before there were numbers.
    pub fn is_stopped(&self) -> bool {
        self.report.as_ref().is_err_and(|error| error.is_stopped())
    }
}
