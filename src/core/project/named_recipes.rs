//! Named recipes and the clips that use them. A team tunes a few recipes and assigns most clips by patterns of names.

use crate::model::ClipKey;
use crate::project::Document;
use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wildmatch::WildMatch;

/// The largest number of characters in a name.
const LONGEST_NAME: usize = 48;

/// The place of a recipe in a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RecipePlace {
    /// In a slot: 0 = A.
    Slot(usize),
    /// Under a name.
    Named(String),
}

/// The clips of a slot that use a named recipe instead of the slot's own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Assignments {
    /// By patterns of names. The last pattern that matches a clip counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternRecipe>,
    /// Single clips, which take precedence over patterns. An empty name means the slot's own recipe.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub clips: BTreeMap<ClipKey, String>,
}

/// A pattern of clip names and its recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternRecipe {
    /// Pattern of clip names: `Walk*`. With a slash it includes folders, file and clip: `combat/*`.
    pub clips: String,
    /// Name of the recipe.
    pub recipe: String,
}

impl PatternRecipe {
    /// True if the pattern matches the clip.
    pub fn names(&self, clip: &NamedClip<'_>) -> bool {
        match self.clips.contains('/') {
            true => WildMatch::new(&format!("*/{}", self.clips)).matches(&clip.path()),
            false => WildMatch::new(&self.clips).matches(clip.name),
        }
    }
}

/// The names of a clip.
#[derive(Debug, Clone, Copy)]
pub struct NamedClip<'a> {
    /// Its key, which stays the same across restarts.
    pub key: &'a ClipKey,
    /// Path of its file, as far as it is known.
    pub file: &'a str,
    /// Name of the clip.
    pub name: &'a str,
}

impl NamedClip<'_> {
    /// `/folder/file.glb/Walk`.
    fn path(&self) -> String {
        format!("/{}/{}", self.file.replace('\\', "/"), self.name)
    }
}

impl Assignments {
    /// Name of the recipe that a clip uses. `None` for the slot's own.
    pub fn of(&self, clip: &NamedClip<'_>) -> Option<&str> {
        let name = self.clips.get(clip.key).map(|name| &**name).or_else(|| self.by_pattern(clip))?;
        Some(name).filter(|name| !name.is_empty())
    }

    /// Name of the recipe that the patterns give to a clip.
    pub fn by_pattern(&self, clip: &NamedClip<'_>) -> Option<&str> {
        self.patterns.iter().rev().find(|pattern| pattern.names(clip)).map(|pattern| &*pattern.recipe)
    }

    fn is_empty(&self) -> bool {
        self.patterns.is_empty() && self.clips.is_empty()
    }

    /// All names in use.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let of_patterns = self.patterns.iter().map(|pattern| &*pattern.recipe);
        of_patterns.chain(self.clips.values().map(|name| &**name).filter(|name| !name.is_empty()))
    }

    fn rename(&mut self, old: &str, new: &str) {
        let names = self.patterns.iter_mut().map(|pattern| &mut pattern.recipe).chain(self.clips.values_mut());
        names.filter(|name| **name == old).for_each(|name| new.clone_into(name));
    }

    fn forget(&mut self, recipe: &str) {
        self.patterns.retain(|pattern| pattern.recipe != recipe);
        self.clips.retain(|_, name| name != recipe);
    }
}

/// The reason why a recipe cannot have a name, for people. `None` if it can.
pub fn wrong_name(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("a name is missing; enter one"),
        _ if name.trim() != name => Some("a name cannot begin or end with a space"),
        _ if name.chars().count() > LONGEST_NAME => Some("a name can have at most 48 characters"),
        _ if name.chars().any(char::is_control) => Some("a name cannot contain line breaks or control characters"),
        _ => None,
    }
}

impl Document {
    /// The recipe at a place. It includes the recipe that judges the external file.
    pub fn recipe_at(&self, place: &RecipePlace) -> Option<&Recipe> {
        match place {
            RecipePlace::Slot(slot) => self.slots().nth(*slot),
            RecipePlace::Named(name) => self.named.get(name),
        }
    }

    /// The recipe at a place, for changes.
    pub fn recipe_mut(&mut self, place: &RecipePlace) -> Option<&mut Recipe> {
        match place {
            RecipePlace::Slot(slot) => self.slot_mut(*slot),
            RecipePlace::Named(name) => self.named.get_mut(name),
        }
    }

    /// The place of the recipe that a clip uses in a slot.
    pub fn place_of(&self, slot: usize, clip: &NamedClip<'_>) -> RecipePlace {
        let assigned = self.assigned.get(self.letter(slot)).and_then(|assigned| assigned.of(clip));
        assigned.map_or(RecipePlace::Slot(slot), |name| RecipePlace::Named(name.to_owned()))
    }

    /// A recipe with a clip's contacts drawn by hand and the clip's own tolerance. `None` if the clip has neither.
    pub fn edited(&self, recipe: &Recipe, slot: usize, clip: &ClipKey) -> Option<Recipe> {
        let contacts = self.contacts.get(clip);
        let own = self.tolerances.get(self.letter(slot)).and_then(|own| own.get(clip));
        (contacts.is_some() || own.is_some()).then(|| {
            let mut recipe = recipe.clone();
            recipe.contacts.by_hand = contacts.cloned().unwrap_or_default();
            recipe.tolerance_m = own.copied().unwrap_or(recipe.tolerance_m);
            recipe
        })
    }

    /// The recipe that a slot uses for a clip.
    pub fn recipe_for(&self, slot: usize, clip: &NamedClip<'_>) -> Option<Recipe> {
        let recipe = self.recipe_at(&self.place_of(slot, clip))?;
        Some(self.edited(recipe, slot, clip.key).unwrap_or_else(|| recipe.clone()))
    }

    /// Gives clips a named recipe in a slot, or the slot's own for `None`. It drops their tolerances from a budget, which were found for
    /// another recipe.
    pub fn assign(&mut self, slot: usize, clips: &[ClipKey], recipe: Option<&str>) {
        let letter = self.letter(slot).to_owned();
        if let Some(own) = self.tolerances.get_mut(&letter) {
            own.retain(|clip, _| !clips.contains(clip));
        }
        let assigned = self.assigned.entry(letter.clone()).or_default();
        let name = recipe.unwrap_or_default();
        assigned.clips.extend(clips.iter().map(|clip| (clip.clone(), name.to_owned())));
        if assigned.patterns.is_empty() {
            assigned.clips.retain(|_, name| !name.is_empty()); // without patterns, the slot's own is the default
        }
        self.drop_unused(&letter);
    }

    /// Gives the clips of a pattern a named recipe in a slot. Recipes of single clips stay.
    pub fn assign_pattern(&mut self, slot: usize, clips: &str, recipe: &str) {
        let assigned = self.assigned.entry(self.letter(slot).to_owned()).or_default();
        assigned.patterns.retain(|pattern| pattern.clips != clips);
        assigned.patterns.push(PatternRecipe { clips: clips.to_owned(), recipe: recipe.to_owned() });
    }

    /// Removes a pattern from a slot.
    pub fn drop_pattern(&mut self, slot: usize, clips: &str) {
        let letter = self.letter(slot);
        if let Some(assigned) = self.assigned.get_mut(letter) {
            assigned.patterns.retain(|pattern| pattern.clips != clips);
        }
        self.drop_unused(letter);
    }

    /// A name that no recipe has: the wanted name, or that name with a number.
    pub(crate) fn free_name(&self, wanted: &str) -> String {
        let numbered = (2..).map(|nth| format!("{wanted} ({nth})"));
        let names = std::iter::once(wanted.to_owned()).chain(numbered);
        names.into_iter().find(|name| !self.named.contains_key(name)).expect("numbers do not end")
    }

    /// A free name for the recipe of a single clip.
    pub(crate) fn name_of_clip(&self, clip: &str) -> String {
        const ROOM_FOR_NUMBER: usize = 8;
        let short: String = clip.chars().take(LONGEST_NAME - ROOM_FOR_NUMBER).collect();
        let wanted = Some(short.trim()).filter(|name| wrong_name(name).is_none());
        self.free_name(wanted.unwrap_or("One clip"))
    }

    /// Sets a clip's own tolerance in a slot, metres; `None` for the recipe's.
    pub(crate) fn set_tolerance(&mut self, slot: usize, clip: &ClipKey, tolerance_m: Option<f32>) {
        let letter = self.letter(slot).to_owned();
        let own = self.tolerances.entry(letter.clone()).or_default();
        match tolerance_m {
            Some(tolerance_m) => own.insert(clip.clone(), tolerance_m),
            None => own.remove(clip),
        };
        if own.is_empty() {
            self.tolerances.remove(&letter);
        }
    }

    /// Renames a recipe. Its clips keep it. Returns false if the recipe does not exist or the new name is taken or not allowed.
    pub fn rename_recipe(&mut self, old: &str, new: &str) -> bool {
        if wrong_name(new).is_some() || self.named.contains_key(new) {
            return false;
        }
        let Some(recipe) = self.named.remove(old) else { return false };
        self.named.insert(new.to_owned(), recipe);
        self.assigned.values_mut().for_each(|assigned| assigned.rename(old, new));
        true
    }

    /// Removes a named recipe and all its assignments. Its clips use the recipe of another matching pattern, else the slot's own.
    pub fn remove_recipe(&mut self, name: &str) {
        self.named.remove(name);
        self.assigned.values_mut().for_each(|assigned| assigned.forget(name));
        self.assigned.retain(|_, assigned| !assigned.is_empty());
    }

    fn drop_unused(&mut self, letter: &str) {
        if self.assigned.get(letter).is_some_and(Assignments::is_empty) {
            self.assigned.remove(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceDigest;

    fn key(name: &str) -> ClipKey {
        ClipKey::new(&SourceDigest::of(b"takes"), name)
    }

    fn place(document: &Document, file: &str, name: &str) -> RecipePlace {
        document.place_of(0, &NamedClip { key: &key(name), file, name })
    }

    fn named(name: &str) -> RecipePlace {
        RecipePlace::Named(name.to_owned())
    }

    #[test]
    fn the_last_pattern_counts_and_single_clips_before_all() {
        let mut document = Document::default();
        for name in ["combat", "hero"] {
            document.named.insert(name.into(), Recipe::default());
        }
        document.assign_pattern(0, "combat/*", "combat");
        document.assign_pattern(0, "*_Hero", "hero");
        assert_eq!(place(&document, "/a/combat/hit.glb", "Hit"), named("combat"));
        assert_eq!(place(&document, "C:\\a\\combat\\hit.glb", "Hit"), named("combat"));
        assert_eq!(place(&document, "/a/combat/hit.glb", "Hit_Hero"), named("hero"));
        assert_eq!(place(&document, "/a/noncombat/hit.glb", "Hit"), RecipePlace::Slot(0));
        document.assign(0, &[key("Hit_Hero")], None);
        assert_eq!(place(&document, "/a/combat/hit.glb", "Hit_Hero"), RecipePlace::Slot(0));
        assert!(document.rename_recipe("combat", "fight") && !document.rename_recipe("fight", "hero"));
        assert_eq!(place(&document, "/a/combat/hit.glb", "Hit"), named("fight"));
        let text = document.to_toml();
        assert_eq!(Document::from_toml(&text).unwrap(), document, "{text}");
        document.remove_recipe("fight");
        assert_eq!(place(&document, "/a/combat/hit.glb", "Hit"), RecipePlace::Slot(0));
        document.drop_pattern(0, "*_Hero");
        document.assign(0, &[key("Hit_Hero")], Some("hero"));
        document.assign(0, &[key("Hit_Hero")], None);
        assert!(document.assigned.is_empty(), "nothing is left where all clips have their slot's own");
    }

    #[test]
    fn a_recipe_that_clips_have_must_be_there_and_have_a_name() {
        let mut document = Document::default();
        document.assign_pattern(0, "*", "gone");
        let error = Document::from_toml(&document.to_toml()).unwrap_err().to_string();
        assert!(error.contains("'gone'"), "{error}");
        let mut document = Document::default();
        document.named.insert(" ".into(), Recipe::default());
        let error = Document::from_toml(&document.to_toml()).unwrap_err().to_string();
        assert!(error.contains("space"), "{error}");
    }
}
