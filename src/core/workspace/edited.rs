use super::state::OwnRecipes;
use super::{ClipSlot, Workspace};
use crate::model::{ClipId, ClipKey};
use crate::project::{Document, NamedClip, RecipePlace};
use crate::recipe::Recipe;
use std::sync::Arc;

impl Workspace {
    /// The recipe that a slot uses for a clip: the clip's named recipe if it has one, with contacts drawn by hand and the clip's own
    /// tolerance.
    pub fn recipe_for(&self, key: ClipSlot) -> &Arc<Recipe> {
        self.own.edited.get(&key).unwrap_or_else(|| self.base_recipe(key))
    }

    /// The recipe that a clip has in a slot, without the clip's own changes.
    pub fn base_recipe(&self, key: ClipSlot) -> &Arc<Recipe> {
        let named = self.given_name(key).and_then(|name| self.own.named.get(name));
        named.unwrap_or(&self.recipes[key.slot])
    }

    /// The recipe that is being edited: the recipe of the selected clip in the active slot.
    pub fn active_recipe(&self) -> &Arc<Recipe> {
        self.seen_recipe(self.active_slot)
    }

    /// The recipe of the selected clip in a slot.
    pub fn seen_recipe(&self, slot: usize) -> &Arc<Recipe> {
        let seen = self.selected.map(|clip| self.base_recipe(ClipSlot { clip, slot }));
        seen.unwrap_or(&self.recipes[slot])
    }

    /// The place of the recipe that is being edited.
    pub fn active_place(&self) -> RecipePlace {
        let slot = self.active_slot;
        self.selected.map_or(RecipePlace::Slot(slot), |clip| self.place_in(slot, clip))
    }

    /// The place of the recipe that a clip has in a slot.
    pub fn place_in(&self, slot: usize, clip: ClipId) -> RecipePlace {
        let name = self.given_name(ClipSlot { clip, slot });
        name.map_or(RecipePlace::Slot(slot), |name| RecipePlace::Named(name.to_owned()))
    }

    /// Name of the recipe that a clip has in a slot. `None` for the slot's own.
    pub fn given_name(&self, key: ClipSlot) -> Option<&str> {
        self.own.given.get(&key).map(|name| &**name)
    }

    /// The recipe of that name.
    pub fn named_recipe(&self, name: &str) -> Option<&Arc<Recipe>> {
        self.own.named.get(name)
    }

    /// True if a clip of a slot uses another recipe than the slot's.
    pub fn have_own_recipes(&self, slot: usize) -> bool {
        let keys = self.own.given.keys().chain(self.own.edited.keys());
        keys.into_iter().any(|key| key.slot == slot)
    }

    /// Number of clips that use a named recipe in a slot.
    pub fn clips_with(&self, slot: usize, name: &str) -> usize {
        let given = self.own.given.iter();
        given.filter(|(key, given)| key.slot == slot && ***given == *name).count()
    }

    /// Updates the clips' own recipes from the document.
    pub(super) fn apply_edits(&mut self) {
        let document @ Document { contacts, tolerances, named, assigned, .. } = self.document.present();
        // Unchanged recipes stay the same objects, so that their results are recognised at once.
        let kept = |(name, recipe): (&String, &Recipe)| {
            let known = self.own.named.get(name).filter(|known| ***known == *recipe).cloned();
            (name.clone(), known.unwrap_or_else(|| Arc::new(recipe.clone())))
        };
        let mut own = OwnRecipes { named: named.iter().map(kept).collect(), ..OwnRecipes::default() };
        if !(contacts.is_empty() && tolerances.is_empty() && assigned.is_empty()) {
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

    /// The recipe that a clip has in a slot with contacts drawn by hand, without a tolerance from a budget.
    pub(super) fn with_contacts(&self, clip: ClipId, slot: usize) -> Recipe {
        let mut recipe = Recipe::clone(self.base_recipe(ClipSlot { clip, slot }));
        recipe.contacts.by_hand = self.drawn_contacts(clip).to_vec();
        recipe
    }
}
