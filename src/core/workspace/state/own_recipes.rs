use crate::recipe::Recipe;
use crate::workspace::answer::ClipSlot;
use std::collections::HashMap;
use std::sync::Arc;

/// Recipes of clips that differ from their slot's recipe.
#[derive(Debug, Default)]
pub struct OwnRecipes {
    /// The named recipes of the document.
    pub named: HashMap<String, Arc<Recipe>>,
    /// Names of the named recipes that clips use.
    pub given: HashMap<ClipSlot, Arc<str>>,
    /// Recipes of clips with contacts drawn by hand or with their own tolerance.
    pub edited: HashMap<ClipSlot, Arc<Recipe>>,
}

impl OwnRecipes {
    /// True if every clip uses the recipe of its slot.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty() && self.edited.is_empty()
    }
}
