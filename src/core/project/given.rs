//! Recipes that another program gives to every clip, such as a run over a library.

use super::{Assignments, Document};
use crate::model::ClipKey;
use crate::recipe::Recipe;
use std::collections::BTreeMap;

/// The slot that gets the recipes: A.
const SLOT: usize = 0;

/// Clips with one recipe, but for their tolerances.
struct Group<'a> {
    recipe: Recipe,
    clips: Vec<(&'a ClipKey, f32)>,
}

impl Document {
    /// Takes over decisions, notes and blind tests of an earlier document about the same clips.
    pub fn take_review(&mut self, earlier: Self) {
        self.decisions.extend(earlier.decisions);
        self.notes.extend(earlier.notes);
        self.blind_tests.extend(earlier.blind_tests);
    }

    /// Gives each clip its recipe in slot A, in place of all that was assigned there.
    ///
    /// The recipe of most clips becomes the slot's own, the others are named. Tolerances and contacts of single clips stay apart from the
    /// recipes, as those that a person gives.
    pub fn give_recipes(&mut self, clips: &[(ClipKey, Recipe)]) {
        let letter = self.letter(SLOT).to_owned();
        let mut groups: BTreeMap<String, Group<'_>> = BTreeMap::new();
        for (clip, recipe) in clips {
            let mut shared = Recipe { tolerance_m: Recipe::default().tolerance_m, ..recipe.clone() };
            let contacts = std::mem::take(&mut shared.contacts.by_hand);
            self.contacts.remove(clip);
            if !contacts.is_empty() {
                self.contacts.insert(clip.clone(), contacts);
            }
            let group = groups.entry(shared.to_toml()).or_insert_with(|| Group { recipe: shared, clips: Vec::new() });
            group.clips.push((clip, recipe.tolerance_m));
        }
        let mut groups: Vec<Group<'_>> = groups.into_values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.clips.len()));
        // A budget is about all clips: if one has a tolerance of its own, each has.
        let has_own = groups.iter().any(|group| group.clips.iter().any(|(_, own)| *own != group.clips[0].1));
        let mut own = BTreeMap::new();
        let mut given = Assignments::default();
        for (at, Group { mut recipe, clips }) in groups.into_iter().enumerate() {
            recipe.tolerance_m = most_common(clips.iter().map(|(_, tolerance_m)| *tolerance_m));
            own.extend(clips.iter().filter(|_| has_own).map(|(clip, tolerance_m)| ((*clip).clone(), *tolerance_m)));
            if at == 0 {
                self.recipes[SLOT] = recipe;
                continue;
            }
            let same = self.named.iter().find(|(_, named)| **named == recipe).map(|(name, _)| name.clone());
            let name = same.unwrap_or_else(|| self.name_of_clip(&recipe.title()));
            given.clips.extend(clips.iter().map(|(clip, _)| ((*clip).clone(), name.clone())));
            self.named.insert(name, recipe);
        }
        self.tolerances.remove(&letter);
        self.assigned.remove(&letter);
        if !own.is_empty() {
            self.tolerances.insert(letter.clone(), own);
        }
        if !given.clips.is_empty() {
            self.assigned.insert(letter, given);
        }
    }
}

/// The value that comes most often; of several the smallest.
fn most_common(values: impl Iterator<Item = f32>) -> f32 {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value.to_bits()).or_default() += 1);
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map_or(0.0, |(bits, _)| f32::from_bits(bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::FootContacts;
    use crate::model::SourceDigest;
    use crate::project::NamedClip;

    #[test]
    fn every_clip_has_the_recipe_that_it_was_given() {
        let key = |name: &str| ClipKey::new(&SourceDigest::of(b"takes"), name);
        let at = |tolerance_m: f32| Recipe { tolerance_m, ..Recipe::default() };
        let drawn = FootContacts { joint: "foot_l".into(), spans_secs: vec![[0.1, 0.4]] };
        let mut by_hand = at(0.002);
        by_hand.contacts.by_hand = vec![drawn];
        let keys = Recipe { tolerance_m: 0.001, ..Recipe::chosen("linear-keys").unwrap() };
        let given = [
            (key("Walk"), at(0.002)),
            (key("Run"), at(0.002)),
            (key("Hit"), at(0.0001)),
            (key("Drawn"), by_hand),
            (key("Face"), keys.clone()),
            (key("Lips"), Recipe { tolerance_m: 0.003, ..keys }),
        ];
        let mut document = Document::default();
        document.named.insert("mine".into(), Recipe::default());
        document.assign_pattern(0, "*", "mine");
        document.give_recipes(&given);
        let mut document = Document::from_toml(&document.to_toml()).unwrap();
        for (clip, recipe) in &given {
            let named = NamedClip { key: clip, file: "takes.glb", name: clip.clip_name() };
            assert_eq!(document.recipe_for(0, &named).as_ref(), Some(recipe), "{}", clip.clip_name());
        }
        assert_eq!(document.recipes[0].tolerance_m, 0.002, "that of most clips");
        assert_eq!((document.named.len(), document.tolerances["A"].len()), (2, 6));
        document.give_recipes(&given[..2]);
        assert_eq!(document.tolerances.len(), 0, "all have the recipe's");
    }

    #[test]
    fn without_clips_the_recipe_stays() {
        let mut document = Document::default();
        document.give_recipes(&[]);
        assert_eq!(document, Document::default());
    }
}
