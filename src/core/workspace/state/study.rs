use crate::model::ClipId;
use crate::recipe::Recipe;
use crate::study::{Studied, StudiedClips, StudyPoint};
use crate::tasks::FitTask;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The clips of a study or budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StudyScope {
    /// All open clips.
    #[default]
    All,
    /// The selected clip.
    Clip,
}

/// Results of recipes, as far as they are known.
#[derive(Debug, Default)]
pub struct Study {
    pub clips: Option<StudiedClips>,
    pub open: Vec<Studied>,
    pub points: Vec<StudyPoint>,
    pub failed: Vec<String>,
    pub fit: Option<Fit>,
}

/// A budget that is being computed.
#[derive(Debug)]
pub struct Fit {
    pub task: FitTask,
    pub ids: Vec<ClipId>,
    pub slot: usize,
    /// The recipe of each clip when the budget was requested.
    pub recipes: Vec<Arc<Recipe>>,
}
