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

    /// Number of clips that [`Self::accept`] changes: those with the active recipe. A tolerance changes only a clip that has its own.
    pub fn reach_of(&self, remedy: &Remedy) -> usize {
        let (slot, place) = (self.active_slot, self.active_place());
        let has_own = self.selected.is_some_and(|clip| self.own_tolerance(clip, slot).is_some());
        match remedy {
            Remedy::Tolerance { .. } if has_own => 1,
            _ => self.library.clip_ids().filter(|clip| self.place_in(slot, *clip) == place).count(),
        }
    }

    /// Applies a remedy to the active recipe, in one step.
    pub fn accept(&mut self, remedy: &Remedy) {
        if let (1, Remedy::Tolerance { .. }) = (self.reach_of(remedy), remedy) {
            return self.accept_for_clip(remedy);
        }
        let of = self.active_place();
        self.edit(remedy.title(), |document| {
            document.recipe_mut(&of).into_iter().for_each(|recipe| *recipe = remedy.changed(recipe));
        });
    }

    /// Applies a remedy to the selected clip alone, in one step. A tolerance becomes the clip's own; for another remedy, the clip gets a
    /// recipe with its name.
    pub fn accept_for_clip(&mut self, remedy: &Remedy) {
        let Some((clip, key)) = self.selected.and_then(|clip| Some((clip, self.library.clip_key(clip)?))) else {
            return;
        };
        let slot = self.active_slot;
        let name = self.library.clip(clip).map_or(String::new(), |(_, clip)| clip.name().to_owned());
        let recipe = remedy.changed(self.active_recipe());
        let own_m = self.own_tolerance(clip, slot);
        self.edit(format!("{} for {name}", remedy.title()), |document| match remedy {
            Remedy::Tolerance { tolerance_m } => document.set_tolerance(slot, &key, Some(*tolerance_m)),
            _ => {
                let name = document.name_of_clip(&name);
                document.named.insert(name.clone(), recipe);
                document.assign(slot, std::slice::from_ref(&key), Some(&name));
                document.set_tolerance(slot, &key, own_m); // the remedy was tried with it
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
