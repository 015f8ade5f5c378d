use posepress_core::project::RecipePlace;
use posepress_core::recipe::Recipe;
use std::sync::Arc;

/// A change of one recipe: it says where that stands, and leaves alone what it does not mean.
#[derive(Clone)]
pub struct RecipeEdit {
    /// The recipe.
    pub of: RecipePlace,
    /// What undo calls it.
    pub label: String,
    change: Arc<dyn Fn(&mut Recipe) + Send + Sync>,
}

impl RecipeEdit {
    /// A change, and what undo calls it.
    pub fn new(
        of: RecipePlace,
        label: impl Into<String>,
        change: impl Fn(&mut Recipe) + Send + Sync + 'static,
    ) -> Self {
        Self { of, label: label.into(), change: Arc::new(change) }
    }

    /// Changes the recipe.
    pub fn apply(&self, recipe: &mut Recipe) {
        (self.change)(recipe);
    }
}

impl PartialEq for RecipeEdit {
    fn eq(&self, other: &Self) -> bool {
        self.of == other.of && self.label == other.label && Arc::ptr_eq(&self.change, &other.change)
    }
}

impl std::fmt::Debug for RecipeEdit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecipeEdit").field("of", &self.of).field("label", &self.label).finish_non_exhaustive()
    }
}
