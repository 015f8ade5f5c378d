use super::state::OwnRecipes;
use super::{ClipSlot, Workspace};
use crate::model::{ClipId, ClipKey};
use crate::project::{Document, NamedClip, RecipePlace};
use crate::recipe::Recipe;
use std::sync::Arc;

impl Workspace {
    /// The recipe of a slot as it is used for a clip: the named one that the clip has there, with the plants that were drawn by
    /// hand, and its own tolerance.
    pub fn recipe_for(&self, key: ClipSlot) -> &Arc<Recipe> {
        self.own.edited.get(&key).unwrap_or_else(|| self.base_recipe(key))
    }

    /// The recipe that a clip has in a slot, before anything is said of that clip alone.
    pub fn base_recipe(&self, key: ClipSlot) -> &Arc<Recipe> {
        let named = self.given_name(key).and_then(|name| self.own.named.get(name));
        named.unwrap_or(&self.recipes[key.slot])
    }

    /// The recipe that is being tuned: what the clip that is looked at has in the active slot.
    pub fn active_recipe(&self) -> &Arc<Recipe> {
        self.seen_recipe(self.active_slot)
    }

    /// The recipe that the clip that is looked at has in a slot.
    pub fn seen_recipe(&self, slot: usize) -> &Arc<Recipe> {
        let seen = self.selected.map(|clip| self.base_recipe(ClipSlot { clip, slot }));
        seen.unwrap_or(&self.recipes[slot])
    }

    /// Where the recipe stands that is being tuned.
    pub fn active_place(&self) -> RecipePlace {
        let slot = self.active_slot;
        self.selected.map_or(RecipePlace::Slot(slot), |clip| self.place_in(slot, clip))
    }

    /// Where the recipe stands that a clip has in a slot.
    pub fn place_in(&self, slot: usize, clip: ClipId) -> RecipePlace {
        let name = self.given_name(ClipSlot { clip, slot });
        name.map_or(RecipePlace::Slot(slot), |name| RecipePlace::Named(name.to_owned()))
    }

    /// Name of the recipe that a clip has in a slot; `None` where it is the slot's own.
    pub fn given_name(&self, key: ClipSlot) -> Option<&str> {
        self.own.given.get(&key).map(|name| &**name)
    }

    /// Named recipes, by name.
    pub fn named_recipe(&self, name: &str) -> Option<&Arc<Recipe>> {
        self.own.named.get(name)
    }

    /// Some clip of a slot has another recipe than the slot's.
    pub fn have_own_recipes(&self, slot: usize) -> bool {
        let keys = self.own.given.keys().chain(self.own.edited.keys());
        keys.into_iter().any(|key| key.slot == slot)
    }

    /// Clips that have a named recipe in a slot.
    pub fn clips_with(&self, slot: usize, name: &str) -> usize {
        let given = self.own.given.iter();
        given.filter(|(key, given)| key.slot == slot && ***given == *name).count()
    }

    /// Everything that clips have of their own, made anew from the document.
    pub(super) fn apply_edits(&mut self) {
        let document @ Document { plants, tolerances, named, assigned, .. } = self.document.present();
        // What did not change stays the very same: answers of it are recognised at once.
        let kept = |(name, recipe): (&String, &Recipe)| {
            let known = self.own.named.get(name).filter(|known| ***known == *recipe).cloned();
            (name.clone(), known.unwrap_or_else(|| Arc::new(recipe.clone())))
        };
        let mut own = OwnRecipes { named: named.iter().map(kept).collect(), ..OwnRecipes::default() };
        if !(plants.is_empty() && tolerances.is_empty() && assigned.is_empty()) {
            let slots = self.recipes.len();
            for clip in self.library.clip_ids() {
                let Some((source, (_, data))) = self.library.source(clip.source).zip(self.library.clip(clip)) else {
                    continue;
                };
                let (key, file) = (ClipKey::new(&source.digest, data.name()), source.place());
                let of = NamedClip { key: &key, file: &file, name: data.name() };
                for slot in 0..slots {
                    let key = ClipSlot { clip, slot };
                    let base = match document.place_of(slot, &of) {
                        RecipePlace::Named(name) => {
                            let base = own.named.get(&name);
                            own.given.insert(key, name.into());
                            base
                        }
                        RecipePlace::Slot(_) => None,
                    };
                    let edited = document.edited(base.unwrap_or(&self.recipes[slot]), slot, of.key);
                    own.edited.extend(edited.map(|recipe| (key, Arc::new(recipe))));
                }
            }
        }
        self.own = own;
    }

    /// The recipe that a clip has in a slot with the plants that were drawn by hand, whatever tolerance a budget gave it.
    pub(super) fn with_plants(&self, clip: ClipId, slot: usize) -> Recipe {
        let mut recipe = Recipe::clone(self.base_recipe(ClipSlot { clip, slot }));
        recipe.contacts.by_hand = self.drawn_plants(clip).to_vec();
        recipe
    }
}
