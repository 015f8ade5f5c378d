use crate::App;
use posepress_core::codecs::Codec;
use posepress_core::session::{Recipe, RecipePlace};
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

impl App {
    /// Changes a recipe while an interaction is under way.
    pub(crate) fn preview_recipe(&mut self, edit: &RecipeEdit) {
        self.workspace.preview(&edit.label, |document| {
            document.recipe_mut(&edit.of).into_iter().for_each(|recipe| edit.apply(recipe));
        });
    }

    /// Changes a recipe in one step.
    pub(crate) fn edit_recipe(&mut self, edit: &RecipeEdit) {
        self.workspace.commit();
        self.preview_recipe(edit);
        self.workspace.commit();
    }

    /// The active recipe takes another codec, with its defaults.
    pub(crate) fn use_codec(&mut self, codec: &'static dyn Codec) {
        let before = self.workspace.active_recipe().codec;
        let label = format!("Codec {} to {}", before.name(), codec.name());
        let of = self.workspace.active_place();
        self.edit_recipe(&RecipeEdit::new(of, label, move |recipe| recipe.use_codec(codec)));
    }
}
