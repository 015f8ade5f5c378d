//! The order of the slots.

use super::{Answer, ClipSlot, Reference, Workspace};
use crate::project::moved;

impl Workspace {
    /// Moves the recipe of a slot to another slot, in one undo step: see [`Document::move_recipe`](crate::project::Document::move_recipe).
    /// The active recipe and the reference stay the same, and results are kept.
    pub fn move_recipe(&mut self, from: usize, to: usize) {
        let count = self.document().recipes.len();
        if from >= count || to >= count || from == to {
            return;
        }
        let mut order: Vec<usize> = (0..count).collect();
        moved(&mut order, from, to);
        let now = |slot: usize| order.iter().position(|old| *old == slot).unwrap_or(slot);
        let moved_key = |(key, answer): (ClipSlot, Answer)| (ClipSlot { slot: now(key.slot), ..key }, answer);
        self.commit();
        self.answers = std::mem::take(&mut self.answers).into_iter().map(moved_key).collect();
        self.replaced = std::mem::take(&mut self.replaced).into_iter().map(moved_key).collect();
        self.all_of = self.all_of.iter().map(|slot| now(*slot)).collect();
        self.active_slot = now(self.active_slot);
        if let Reference::Slot(slot) = &mut self.pairing.reference {
            *slot = now(*slot);
        }
        self.edit("Order of the recipes", |document| document.move_recipe(from, to));
    }
}
