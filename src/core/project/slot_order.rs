//! The order of the slots.

use super::Document;
use crate::project::SLOT_LETTERS;
use std::collections::BTreeMap;

impl Document {
    /// Moves the recipe of a slot to another slot. Those between move up or down by one. Named recipes and tolerances of clips move along.
    /// Slots without a recipe change nothing.
    pub fn move_recipe(&mut self, from: usize, to: usize) {
        let count = self.recipes.len();
        if from >= count || to >= count || from == to {
            return;
        }
        moved(&mut self.recipes, from, to);
        move_letters(&mut self.tolerances, (from, to), count);
        move_letters(&mut self.assigned, (from, to), count);
        move_letters(&mut self.slot_names, (from, to), count);
    }
}

/// Moves an element to another place.
pub(crate) fn moved<T>(list: &mut [T], from: usize, to: usize) {
    if from < to {
        list[from..=to].rotate_left(1);
    } else {
        list[to..=from].rotate_right(1);
    }
}

fn move_letters<T>(by_letter: &mut BTreeMap<String, T>, (from, to): (usize, usize), count: usize) {
    let letters = &SLOT_LETTERS[..count];
    let mut list: Vec<Option<T>> = letters.iter().map(|letter| by_letter.remove(*letter)).collect();
    moved(&mut list, from, to);
    let kept = letters.iter().zip(list).filter_map(|(letter, of)| Some(((*letter).to_owned(), of?)));
    by_letter.extend(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ClipKey, SourceDigest};
    use proptest::prelude::*;

    fn key() -> ClipKey {
        ClipKey::new(&SourceDigest::of(b"takes"), "walk")
    }

    fn document() -> Document {
        let mut document = Document::default();
        document.named.insert("hero".into(), document.recipes[0].clone());
        document.assign(2, &[key()], Some("hero"));
        document.tolerances.insert("A".into(), [(key(), 0.001)].into());
        document.slot_names.insert("A".into(), "crowd".into());
        for (slot, recipe) in document.recipes.iter_mut().enumerate() {
            recipe.tolerance_m = 0.001 * (slot + 1) as f32;
        }
        document
    }

    #[test]
    fn what_belongs_to_a_slot_moves_with_its_recipe() {
        let mut document = document();
        document.move_recipe(0, 2);
        let tolerances: Vec<f32> = document.recipes.iter().map(|recipe| recipe.tolerance_m * 1000.0).collect();
        assert_eq!(tolerances.iter().map(|mm| mm.round() as u32).collect::<Vec<_>>(), [2, 3, 1]);
        assert_eq!(document.tolerances.keys().collect::<Vec<_>>(), ["C"]);
        assert_eq!(document.slot_names.keys().collect::<Vec<_>>(), ["C"]);
        assert_eq!(document.assigned.keys().collect::<Vec<_>>(), ["B"]);
    }

    proptest! {
        #[test]
        fn moving_back_restores_everything(from in 0_usize..5, to in 0_usize..5) {
            let (mut document, before) = (document(), document());
            document.move_recipe(from, to);
            document.move_recipe(to, from);
            prop_assert_eq!(document, before);
        }
    }
}
