use super::{ClipSlot, Workspace, WorkspaceEvent};
use crate::recipe::JointOverride;
use crate::report::{Remedy, Trial};
use crate::tasks::{Request, Task, TaskError, TrialTask};

impl Workspace {
    /// The remedies that help the selected clip, as far as they have been tried. The best verdict comes first, then the fewest bytes.
    pub fn proposals(&self) -> Vec<&Trial> {
        let mut all: Vec<&Trial> = self.trials.found().filter(|trial| trial.helps()).collect();
        all.sort_by(|a, b| a.verdict.cmp(&b.verdict).then(a.extra_bytes.cmp(&b.extra_bytes)));
        all
    }

    /// Bytes that an override of the active recipe adds to the selected clip. `None` while it is computed, and if it has no effect.
    pub fn override_cost(&self, of: &JointOverride) -> Option<i64> {
        let is_it = |trial: &&Trial| matches!(&trial.remedy, Remedy::WithoutOverride(one) if one == of);
        self.trials.found().find(is_it).map(|trial| -trial.extra_bytes)
    }

    /// True while a remedy is still being tried.
    pub fn is_trying(&self) -> bool {
        self.trials.open().next().is_some()
    }

    /// Applies a remedy to the active recipe, in one step.
    pub fn accept(&mut self, remedy: &Remedy) {
        let (of, letter) = (self.active_place(), self.slot_letter(self.active_slot));
        let key = self.selected.and_then(|clip| self.library.clip_key(clip));
        self.edit(remedy.title(), |document| {
            let of_slot = document.tolerances.get_mut(letter);
            let own = of_slot.zip(key).and_then(|(of_slot, key)| of_slot.get_mut(&key));
            match (remedy, own) {
                // The remedy was tried with the clip's tolerance from a budget.
                (Remedy::Tolerance { tolerance_m }, Some(own)) => *own = *tolerance_m,
                _ => {
                    let recipe = document.recipe_mut(&of);
                    recipe.into_iter().for_each(|recipe| *recipe = remedy.changed(recipe));
                }
            }
        });
    }

    /// Updates the trials for the selected clip, once its numbers are complete and for the current recipe.
    pub(super) fn renew_trials(&mut self) {
        let key = self.selected.map(|clip| ClipSlot { clip, slot: self.active_slot });
        let answer = key.and_then(|key| self.answers.get(&key).filter(|a| a.done && self.answers_now(key, a)));
        let shown = answer.and_then(|answer| answer.full.clone());
        self.trials.look_at(shown.as_ref());
    }

    pub(super) fn take_in_trial(
        &mut self,
        task: &TrialTask,
        result: Result<Trial, TaskError>,
    ) -> Option<WorkspaceEvent> {
        self.trials.take_in(task, result);
        None
    }

    /// Requests for trials. They run when no live task is left.
    pub(super) fn trial_requests(&self) -> impl Iterator<Item = Request<Option<ClipSlot>>> + '_ {
        let request = |task: &TrialTask| Request { key: None, task: Task::Try(Box::new(task.clone())), live: false };
        self.trials.open().map(request)
    }
}
