use crate::model::ClipId;
use crate::project::RecipePlace;
use crate::study::{Studied, StudiedClips, StudyPoint};
use crate::tasks::{StudyTask, TaskError};
use std::sync::Arc;

/// Results for the table of all recipes that are not in the answers of slots.
#[derive(Debug, Default)]
pub struct RecipeTable {
    pub is_open: bool,
    pub ids: Vec<ClipId>,
    pub clips: Option<StudiedClips>,
    pub columns: Vec<Column>,
}

/// A recipe of the table that is compressed separately from the slots.
#[derive(Debug)]
pub struct Column {
    pub place: RecipePlace,
    pub of: Studied,
    pub found: Option<Result<StudyPoint, Arc<TaskError>>>,
}

impl RecipeTable {
    /// Studies without a result.
    pub fn open(&self) -> impl Iterator<Item = StudyTask> + '_ {
        let columns = self.columns.iter().filter(|column| self.is_open && column.found.is_none());
        let task = |column: &Column| Some(StudyTask { clips: self.clips.clone()?, of: column.of.clone() });
        columns.filter_map(task)
    }
}
