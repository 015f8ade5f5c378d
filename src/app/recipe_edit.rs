use posepress_core::session::Recipe;
use std::sync::Arc;

/// A change of one recipe: it names the slot that it was made in, and leaves alone what it does not mean.
#[derive(Clone)]
pub struct RecipeEdit {
    /// Slot of the recipe: 0 = A.
    pub slot: usize,
    /// What undo calls it.
    pub label: String,
    change: Arc<dyn Fn(&mut Recipe) + Send + Sync>,
}

impl RecipeEdit {
    /// A change, and what undo calls it.
    pub fn new(slot: usize, label: impl Into<String>, change: impl Fn(&mut Recipe) + Send + Sync + 'static) -> Self {
        Self { slot, label: label.into(), change: Arc::new(change) }
    }

    /// Changes the recipe.
    pub fn apply(&self, recipe: &mut Recipe) {
        (self.change)(recipe);
    }
}

impl PartialEq for RecipeEdit {
    fn eq(&self, other: &Self) -> bool {
        self.slot == other.slot && self.label == other.label && Arc::ptr_eq(&self.change, &other.change)
    }
}

impl std::fmt::Debug for RecipeEdit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecipeEdit").field("slot", &self.slot).field("label", &self.label).finish_non_exhaustive()
    }
}
