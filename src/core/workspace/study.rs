use super::state::{Fit, Study};
use super::{ClipSlot, StudyScope, Workspace, WorkspaceEvent};
use crate::model::{Clip, ClipId, ClipKey};
use crate::pipeline::{BudgetClip, BudgetLimits, BudgetRig, FittedBudget, budget_round};
use crate::recipe::Recipe;
use crate::study::{Studied, StudiedClips, StudyPoint, finer_recipe, study_recipes};
use crate::tasks::{Activity, FitTask, Lane, Request, StudyTask, Task, TaskError};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// Progress of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fitting {
    /// The part that is done, `0..=1`.
    pub fraction: f32,
    /// The round, from 1 to [`BUDGET_ROUNDS`](crate::pipeline::BUDGET_ROUNDS). 0 while it waits.
    pub round: usize,
    /// Estimate of the time that is left, seconds. `None` while too little is done.
    pub left_secs: Option<f32>,
}

/// The time that is left is estimated from this time on: an early estimate would jump.
const LEAST_ELAPSED: Duration = Duration::from_secs(1);

impl Workspace {
    /// Starts a study of recipes around the active one. Results of an earlier study are dropped.
    pub fn study(&mut self, scope: StudyScope) {
        let clips = self.in_scope(scope).into_iter().filter_map(|id| self.library.clip(id));
        let clips: StudiedClips = clips.map(|(rig, clip)| (rig.clone(), clip.clone())).collect();
        if clips.is_empty() || self.is_external_active() {
            return;
        }
        let others = self.document().recipes.iter().enumerate().filter(|(slot, _)| *slot != self.active_slot);
        let slots: Vec<&Recipe> =
            std::iter::once(&**self.active_recipe()).chain(others.map(|(_, recipe)| recipe)).collect();
        let open = study_recipes(&slots);
        self.study = Study { clips: Some(clips), open, fit: self.study.fit.take(), ..Study::default() };
        self.schedule_study();
    }

    /// Results of recipes so far, in the order in which they were found.
    pub fn study_points(&self) -> &[StudyPoint] {
        &self.study.points
    }

    /// The clips of the study. Results per clip have this order.
    pub fn studied_ids(&self) -> Vec<ClipId> {
        let Some(clips) = &self.study.clips else { return Vec::new() };
        let open = self.library.clip_ids().filter_map(|id| Some((Arc::as_ptr(self.library.clip(id)?.1), id)));
        let open: HashMap<*const Clip, ClipId> = open.collect();
        clips.iter().filter_map(|(_, clip)| open.get(&Arc::as_ptr(clip)).copied()).collect()
    }

    /// Number of clips in the study.
    pub fn studied_clips(&self) -> usize {
        self.study.clips.as_ref().map_or(0, |clips| clips.len())
    }

    /// Recipes that could not compress a clip, each with the reason.
    pub fn study_failed(&self) -> &[String] {
        &self.study.failed
    }

    /// Number of recipes without a result so far.
    pub fn study_left(&self) -> usize {
        self.study.open.len()
    }

    /// Starts a budget in the active slot: chooses a tolerance per clip so that the clips keep to the limits. The worst clip
    /// becomes as good as possible. Approved clips keep their tolerance. [`WorkspaceEvent::Fitted`] or [`WorkspaceEvent::Failed`] reports
    /// the end. The result is one undo step.
    pub fn fit_budget(&mut self, scope: StudyScope, limits: BudgetLimits) {
        let slot = self.active_slot;
        let ids = self.in_scope(scope);
        if ids.is_empty() || self.is_external_active() {
            return;
        }
        let clip = |id: &ClipId| {
            let (rig, clip) = self.library.clip(*id)?;
            let is_fixed = self.review_state(*id).is_approved();
            // Errors are relative to the recipe's own tolerance, even if an earlier budget chose another one.
            let recipe = match is_fixed {
                true => Recipe::clone(self.recipe_for(ClipSlot { clip: *id, slot })),
                false => self.with_contacts(*id, slot),
            };
            let (name, file) = (clip.name().to_owned(), id.source as usize);
            let clip_of_budget = BudgetClip { name, rig: BudgetRig::of(rig), recipe, is_fixed, file };
            Some((clip_of_budget, (rig.clone(), clip.clone())))
        };
        let (clips, sources): (Vec<_>, Vec<_>) = ids.iter().filter_map(clip).unzip();
        let recipes = self.document().export.recipes;
        let task = FitTask { clips: clips.into(), sources: sources.into(), limits, recipes };
        let recipes = ids.iter().map(|&clip| self.base_recipe(ClipSlot { clip, slot }).clone()).collect();
        self.study.fit = Some(Fit { task, ids, slot, recipes });
        self.schedule_study();
    }

    /// Progress of the budget that is being computed. `None` if there is none.
    pub fn fitting(&self) -> Option<Fitting> {
        self.study.fit.as_ref()?;
        let running = self.scheduler.activity(Lane::Study);
        Some(running.map_or(Fitting::default(), |Activity { fraction, elapsed, .. }| {
            let left_secs = elapsed.as_secs_f32() * (1.0 - fraction) / fraction;
            let left_secs = (fraction >= 0.1 && elapsed >= LEAST_ELAPSED).then_some(left_secs);
            Fitting { fraction, round: budget_round(fraction), left_secs }
        }))
    }

    /// Stops the study and the budget. Results so far stay.
    pub fn stop_study(&mut self) {
        self.study.open.clear();
        self.study.fit = None;
        self.schedule_study();
    }

    /// Number of clips with their own tolerance in a slot.
    pub fn own_tolerances(&self, slot: usize) -> usize {
        self.document().tolerances.get(self.slot_letter(slot)).map_or(0, BTreeMap::len)
    }

    /// Name of a slot, or the title of its recipe. The title says so if clips have their own tolerances.
    pub fn own_title(&self, slot: usize) -> String {
        if let Some(name) = self.document().slot_names.get(self.slot_letter(slot)) {
            return name.clone();
        }
        let recipe = self.recipe(slot);
        match self.own_tolerances(slot) {
            0 => recipe.title(),
            _ => format!("{}, own tolerances", recipe.codec.name()),
        }
    }

    /// A clip's own tolerance in a slot, in place of the recipe's, metres.
    pub fn own_tolerance(&self, clip: ClipId, slot: usize) -> Option<f32> {
        let own = self.document().tolerances.get(self.slot_letter(slot))?;
        own.get(&self.library.clip_key(clip)?).copied()
    }

    /// Number of open clips without their own tolerance in a slot where others have one. Approved clips are not counted, since a budget
    /// leaves them as they are.
    pub fn outside_budget(&self, slot: usize) -> usize {
        let has_own = |clip: &ClipId| self.own_tolerance(*clip, slot).is_some();
        let (own, others): (Vec<ClipId>, Vec<ClipId>) = self.library.clip_ids().partition(has_own);
        let outside = others.into_iter().filter(|clip| !self.review_state(*clip).is_approved()).count();
        if own.is_empty() { 0 } else { outside }
    }

    /// Sets the selected clip's own tolerance in the active slot, metres, without an undo point until [`Workspace::commit`]. `None` restores
    /// the recipe's.
    pub fn preview_tolerance(&mut self, tolerance_m: Option<f32>) {
        let Some(key) = self.selected.and_then(|clip| self.library.clip_key(clip)) else { return };
        let slot = self.active_slot;
        let label = match tolerance_m {
            Some(tolerance_m) => format!("Own tolerance to {}", crate::text::length(tolerance_m)),
            None => "The recipe's tolerance".to_owned(),
        };
        self.preview(label, |document| document.set_tolerance(slot, &key, tolerance_m));
    }

    /// Removes the clips' own tolerances in the active slot. The recipe's tolerance then applies to all clips.
    pub fn forget_tolerances(&mut self) {
        let letter = self.slot_letter(self.active_slot);
        self.edit("One tolerance for all clips", |document| drop(document.tolerances.remove(letter)));
    }

    fn in_scope(&self, scope: StudyScope) -> Vec<ClipId> {
        match scope {
            StudyScope::All => self.library.clip_ids().collect(),
            StudyScope::Clip => self.selected.into_iter().collect(),
        }
    }

    /// Requests the budget first, then prices of fixes, then the results for the table, then the study.
    pub(super) fn schedule_study(&self) {
        let fit = self.study.fit.iter().map(|fit| Task::Fit(fit.task.clone()));
        let clips = self.study.clips.iter();
        let points = clips.flat_map(|clips| {
            let task = |of: &Studied| StudyTask { clips: clips.clone(), of: of.clone() };
            self.study.open.iter().map(move |of| Task::Study(task(of)))
        });
        let table = self.table.open().map(Task::Study);
        let prices = self.common_fixes.open().map(Task::Price);
        let request = |task| Request { key: None, task, live: false };
        self.scheduler.set_wanted(Lane::Study, fit.chain(prices).chain(table).chain(points).map(request).collect());
    }

    /// Drops results of clips or recipes that changed.
    pub(super) fn renew_study(&mut self) {
        self.renew_table();
        if self.table.open().next().is_some() {
            self.schedule_study();
        }
        if self.study.clips.is_none() && self.study.fit.is_none() {
            return;
        }
        let open = self.library.clip_ids().filter_map(|id| Some(Arc::as_ptr(self.library.clip(id)?.1)));
        let open: HashSet<*const Clip> = open.collect();
        let is_open = |clip: &Arc<Clip>| open.contains(&Arc::as_ptr(clip));
        let clips = self.study.clips.as_ref();
        let are_gone = clips.is_some_and(|clips| !clips.iter().all(|(_, clip)| is_open(clip)));
        let is_other = |fit: &Fit| {
            let had = fit.ids.iter().zip(&fit.recipes);
            let mut has = had.map(|(&clip, had)| (self.base_recipe(ClipSlot { clip, slot: fit.slot }), had));
            fit.slot >= self.recipes.len()
                || !fit.task.sources.iter().all(|(_, clip)| is_open(clip))
                || has.any(|(has, had)| !Arc::ptr_eq(has, had) && has != had)
        };
        let no_fit = self.study.fit.as_ref().is_some_and(is_other);
        if are_gone {
            self.study = Study { fit: self.study.fit.take(), ..Study::default() };
        }
        if no_fit {
            self.study.fit = None;
        }
        if are_gone || no_fit {
            self.schedule_study();
        }
    }

    pub(super) fn take_in_study(
        &mut self,
        task: &StudyTask,
        result: Result<StudyPoint, TaskError>,
    ) -> Option<WorkspaceEvent> {
        if self.is_of_table(task) {
            self.take_in_table(task, result.map_err(Arc::new));
            return None;
        }
        let at = self.study.open.iter().position(|of| *of == task.of)?;
        self.study.open.remove(at);
        match result {
            Ok(point) => self.study.points.push(point),
            Err(error) if error.is_stopped() => return None,
            Err(error) => self.study.failed.push(format!("{}: {error}", task.of.title())),
        }
        // A recipe that could not compress a clip is not tried again.
        let finer = finer_recipe(&self.study.points).filter(|finer| self.study.open.is_empty() && *finer != task.of);
        if let Some(finer) = finer {
            self.study.open.push(finer);
            self.schedule_study();
        }
        None
    }

    pub(super) fn take_in_fit(
        &mut self,
        task: &FitTask,
        result: Result<FittedBudget, TaskError>,
    ) -> Option<WorkspaceEvent> {
        let fit = self.study.fit.take_if(|fit| Arc::ptr_eq(&fit.task.clips, &task.clips))?;
        let FittedBudget { shares, size, .. } = match result {
            Ok(fitted) => fitted,
            Err(error) => return Some(WorkspaceEvent::Failed(error)),
        };
        let (clips, bytes) = (shares.len(), size.bytes);
        let worst = shares.iter().map(|share| share.worst).fold(0.0, f32::max);
        let of_clips = fit.ids.iter().zip(&fit.task.clips[..]).zip(&shares);
        let own: BTreeMap<ClipKey, f32> = of_clips
            // A clip that was approved meanwhile keeps its tolerance, too.
            .filter(|((id, clip), _)| !clip.is_fixed && !self.review_state(**id).is_approved())
            .filter_map(|((id, _), share)| Some((self.library.clip_key(*id)?, share.recipe.tolerance_m)))
            .collect();
        let letter = self.slot_letter(fit.slot);
        let label = format!("{} in {}", crate::text::count(clips, "clip"), task.limits.words());
        self.edit(label, |document| document.tolerances.entry(letter.to_owned()).or_default().extend(own));
        Some(WorkspaceEvent::Fitted { clips, bytes, worst })
    }
}
