//! The side that the compressed side is compared with.

use super::state::Pairing;
use super::{Answer, ClipSlot, Reference, Workspace, WorkspaceEvent};
use crate::pipeline::Outcome;
use crate::project::DecisionKind;
use crate::report::Sides;
use crate::tasks::{OtherClip, Pair, PairTask, PairWith, TaskError};
use std::sync::Arc;

impl Workspace {
    /// The side that the active slot is compared with. It is the original while the chosen side is not available.
    pub fn reference(&self) -> Reference {
        let reference = self.pairing.reference;
        if self.has_reference(reference) { reference } else { Reference::Original }
    }

    /// True if that side can be compared with the active slot now.
    pub fn has_reference(&self, reference: Reference) -> bool {
        match reference {
            Reference::Original => true,
            Reference::Slot(slot) => slot != self.active_slot && slot < self.document().recipes.len(),
            Reference::External => self.external_slot().is_some_and(|slot| slot != self.active_slot),
            Reference::Level(level) => level > 0 && self.tier_level(level).is_some(),
            Reference::Lod(level) => self.lod(level).is_some(),
            Reference::Clip(clip) => self.selected.is_some_and(|own| own != clip) && self.library.clip(clip).is_some(),
            Reference::Decided => {
                let decision = self.selected.and_then(|clip| self.decision(clip));
                decision.is_some_and(|decision| decision.kind != DecisionKind::Ignored)
            }
        }
    }

    /// Compares with another side.
    pub fn compare_to(&mut self, reference: Reference) {
        self.pairing = Pairing { reference, pair: Pair::default(), ..self.pairing };
        self.renew_pair();
    }

    /// True if the sides are swapped, with the compressed side on the left.
    pub fn is_swapped(&self) -> bool {
        self.pairing.swapped
    }

    /// Swaps the sides on screen. The comparison stays the same.
    pub fn swap_sides(&mut self, swapped: bool) {
        self.pairing.swapped = swapped;
    }

    /// True if the active slot is compared with the original.
    pub fn is_plainly_paired(&self) -> bool {
        self.reference() == Reference::Original
    }

    /// True while the chosen pair is computed or waits for its sides.
    pub fn is_pairing(&self) -> bool {
        !self.is_plainly_paired() && (self.pairing.pair.made().is_none() || self.pairing.pair.open().is_some())
    }

    /// Both displayed sides: the chosen pair once it is available, else the original and the outcome in the active slot. They may be older
    /// than the recipe.
    pub fn shown(&self) -> Option<&Sides> {
        self.pair().or_else(|| self.compressed())
    }

    /// A pair other than the original and the active slot. `None` while it is not available.
    pub fn pair(&self) -> Option<&Sides> {
        let is_of_now = |pair: &&Sides| self.selected.is_some_and(|clip| self.is_of_shape(clip, &pair.source.clip));
        self.pairing.pair.made().filter(|_| !self.is_plainly_paired()).filter(is_of_now)
    }

    /// The original and the whole outcome of the selected clip in the active slot. It may be older than the recipe.
    pub fn compressed(&self) -> Option<&Sides> {
        self.compressed_with(self.active_slot)
    }

    /// Like [`Self::compressed`], in another slot.
    pub fn compressed_with(&self, slot: usize) -> Option<&Sides> {
        self.answer(self.selected?, slot)?.full.as_ref()
    }

    /// Requests the current pair after any change.
    pub(super) fn renew_pair(&mut self) {
        let wish = if self.is_plainly_paired() { Some(None) } else { self.pair_of_now().map(Some) };
        // While a side is compressed the old pair stays, like an outcome that is older than its recipe.
        let Some(wish) = wish else {
            let is_there =
                |pair: &&Sides| self.compressed().is_some_and(|of| Arc::ptr_eq(&of.source.clip, &pair.source.clip));
            if self.pairing.pair.made().filter(is_there).is_none() && self.pairing.pair.wish(None) {
                self.schedule_questions();
            }
            return;
        };
        if self.pairing.pair.wish(wish) {
            self.schedule_questions();
        }
    }

    /// The task for the current pair. `None` while a side is missing, and for the original.
    fn pair_of_now(&self) -> Option<PairTask> {
        let with = match self.reference() {
            Reference::Original => return None,
            Reference::Slot(slot) => PairWith::Made(self.compressed_with(slot)?.outcome.clone()),
            Reference::External => PairWith::Made(self.compressed_with(self.external_slot()?)?.outcome.clone()),
            Reference::Level(level) => return self.in_place(&self.tier_level(level)?.outcome),
            Reference::Lod(level) => return self.in_place(&self.lod(level)?.outcome),
            Reference::Clip(clip) => {
                let (rig, own) = self.library.clip(clip)?;
                let file = self.library.source(clip.source)?.name().into();
                PairWith::Clip(OtherClip { file, rig: rig.clone(), clip: own.clone() })
            }
            Reference::Decided => {
                let clip = self.selected?;
                let recipe = &self.decision(clip)?.recipe;
                let slots = 0..self.document().recipes.len();
                let name = self.library.clip(clip)?.1.name();
                let is_it = |answer: &&Answer| answer.done && answer.recipe.is_same_for(recipe, name);
                let known = slots.filter_map(|slot| self.answers.get(&ClipSlot { clip, slot }).filter(is_it));
                let made = known.filter_map(|answer| answer.full.as_ref()).next();
                made.map_or_else(
                    || PairWith::Recipe(Arc::new(recipe.clone())),
                    |made| PairWith::Made(made.outcome.clone()),
                )
            }
        };
        Some(PairTask { of: self.compressed()?.clone(), with })
    }

    /// The pair of the original and an outcome that is shown in place of the active slot's.
    fn in_place(&self, outcome: &Outcome) -> Option<PairTask> {
        let of = Sides { outcome: Arc::new(outcome.clone()), ..self.compressed()?.clone() };
        Some(PairTask { of, with: PairWith::Original })
    }

    pub(super) fn take_in_pair(
        &mut self,
        task: &PairTask,
        result: Result<Sides, TaskError>,
        done: bool,
    ) -> Option<WorkspaceEvent> {
        let (made, failure) = match result {
            Ok(made) => (Some(made), None),
            Err(error) => (None, Some(WorkspaceEvent::Failed(error))),
        };
        let was_open = self.pairing.pair.take_in(task, made, done || failure.is_some());
        failure.filter(|_| was_open)
    }

    /// The pair that is still to be computed.
    pub(super) fn open_pair(&self) -> Option<&PairTask> {
        self.pairing.pair.open()
    }
}
