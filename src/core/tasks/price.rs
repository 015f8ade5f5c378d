use super::error::{TaskError, TaskSubject, guarded};
use super::{ImportTask, KeptResults, TaskFault};
use crate::codecs::Progress;
use crate::model::{Clip, Rig};
use crate::recipe::Recipe;
use crate::study::{ClipFigures, Studied, study};
use std::sync::Arc;

/// Compresses clips as a change would have them. The results give the price of the change.
#[derive(Debug, Clone)]
pub enum PriceTask {
    /// A clip with another recipe.
    Recipe {
        /// The rig.
        rig: Arc<Rig>,
        /// The clip.
        clip: Arc<Clip>,
        /// The recipe that it would have.
        recipe: Arc<Recipe>,
    },
    /// The clips of a file that is read with other options.
    Reading {
        /// The file and the options.
        import: ImportTask,
        /// The recipe of each clip, in the order of the file.
        recipes: Vec<Arc<Recipe>>,
    },
}

impl PriceTask {
    /// Compresses the clips and returns the result of each.
    ///
    /// # Errors
    ///
    /// Returns a [`TaskFault`] of reading the file or of compressing a clip, [`TaskFault::Stopped`] or [`TaskFault::Panicked`].
    pub fn run(&self, kept: &KeptResults, progress: &Progress) -> Result<Vec<ClipFigures>, TaskError> {
        let measured =
            |rig: &Arc<Rig>, clip: &Arc<Clip>, recipe: &Arc<Recipe>| measured((rig, clip), recipe, kept, progress);
        match self {
            Self::Recipe { rig, clip, recipe } => Ok(vec![measured(rig, clip, recipe)?]),
            Self::Reading { import, recipes } => {
                let imported = import.run(progress)?.imported;
                let (rig, clips) = (Arc::new(imported.rig), imported.clips.into_iter().map(Arc::new));
                clips.zip(recipes).map(|(clip, recipe)| measured(&rig, &clip, recipe)).collect()
            }
        }
    }

    /// True if both measure the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Recipe { clip, recipe, .. }, Self::Recipe { clip: other, recipe: of_other, .. }) => {
                Arc::ptr_eq(clip, other) && recipe == of_other
            }
            (Self::Reading { import, recipes }, Self::Reading { import: other, recipes: of_other }) => {
                import == other && recipes == of_other
            }
            _ => false,
        }
    }
}

fn measured(
    (rig, clip): (&Arc<Rig>, &Arc<Clip>),
    recipe: &Arc<Recipe>,
    kept: &KeptResults,
    progress: &Progress,
) -> Result<ClipFigures, TaskError> {
    guarded(TaskSubject::clip(clip.name()), || {
        let of = Studied { recipe: recipe.clone(), engine: None };
        let clips = [(rig.clone(), clip.clone())].into();
        let point = study(&clips, &of, &*kept.numbers(&clips), progress).map_err(|(_, error)| error)?;
        point.clips.first().copied().ok_or(TaskFault::Stopped)
    })
}
