use crate::recipe::Recipe;
use crate::workspace::answer::ClipSlot;
use std::collections::HashMap;
use std::sync::Arc;

/// Recipes of clips that are not just the recipe of their slot.
#[derive(Debug, Default)]
pub struct OwnRecipes {
    /// The named recipes, as the document has them.
    pub named: HashMap<String, Arc<Recipe>>,
    /// Names of those that clips have.
    pub given: HashMap<ClipSlot, Arc<str>>,
    /// Recipes of clips whose plants were drawn by hand, or that have a tolerance of their own.
    pub edited: HashMap<ClipSlot, Arc<Recipe>>,
}

impl OwnRecipes {
    /// True where every clip has the recipe of its slot.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty() && self.edited.is_empty()
    }
}
