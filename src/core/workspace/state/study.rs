use crate::model::ClipId;
use crate::recipe::Recipe;
use crate::study::{Studied, StudiedClips, StudyPoint};
use crate::tasks::FitTask;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Of which clips something is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StudyScope {
    /// All that are open.
    #[default]
    All,
    /// The one that is looked at.
    Clip,
}

/// What recipes come to, as far as it is known.
#[derive(Debug, Default)]
pub struct Study {
    pub clips: Option<StudiedClips>,
    pub open: Vec<Studied>,
    pub points: Vec<StudyPoint>,
    pub failed: Vec<String>,
    pub fit: Option<Fit>,
}

/// A budget that is being shared out.
#[derive(Debug)]
pub struct Fit {
    pub task: FitTask,
    pub ids: Vec<ClipId>,
    pub slot: usize,
    /// The recipe that each clip had when it was asked.
    pub recipes: Vec<Arc<Recipe>>,
}
