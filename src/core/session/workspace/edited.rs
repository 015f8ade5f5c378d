use super::{ClipSlot, Workspace};
use crate::session::{ClipId, Document, Recipe};
use std::sync::Arc;

impl Workspace {
    /// Recipes of clips with plants drawn by hand or a tolerance of their own, made anew from the document.
    pub(super) fn apply_edits(&mut self) {
        let Document { plants, tolerances, .. } = self.document.present();
        if plants.is_empty() && tolerances.is_empty() {
            return self.edited.clear();
        }
        let slots = 0..self.recipes.len();
        let all = self.library.clip_ids().flat_map(|clip| slots.clone().map(move |slot| ClipSlot { clip, slot }));
        let edited = |key: ClipSlot| {
            let ClipSlot { clip, slot } = key;
            let own = self.own_tolerance(clip, slot);
            let is_edited = own.is_some() || !self.drawn_plants(clip).is_empty();
            let mut recipe = is_edited.then(|| self.with_plants(clip, slot))?;
            recipe.tolerance_m = own.unwrap_or(recipe.tolerance_m);
            Some((key, Arc::new(recipe)))
        };
        self.edited = all.filter_map(edited).collect();
    }

    /// The recipe of a slot with the plants of a clip that were drawn by hand.
    pub(super) fn with_plants(&self, clip: ClipId, slot: usize) -> Recipe {
        let mut recipe = Recipe::clone(&self.recipes[slot]);
        recipe.contacts.by_hand = self.drawn_plants(clip).to_vec();
        recipe
    }
}
