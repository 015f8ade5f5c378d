use super::explain::Explainer;
use super::{ClipId, Document, History, JobEvent, JobKey, JobResult, Jobs, Library, Outcome, Recipe, Request, STOPPED};
use crate::codecs::CandidateRow;
use crate::metrics::{Blame, Complaint, Verdict};
use crate::model::Clip;
use std::collections::HashMap;
use std::sync::Arc;

/// What the lists say of a compressed clip; small, kept for every clip and slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// All that belongs to the clip.
    pub bytes: usize,
    /// The field's count of the raw clip.
    pub raw_bytes: usize,
    /// Largest shell error at samples.
    pub max_error_m: f32,
    /// Within the recipe's tolerance.
    pub within: bool,
    /// Largest slide of a plant; `None` without plants.
    pub worst_slide_m: Option<f32>,
    /// Of error and feet together.
    pub verdict: Verdict,
}

impl Summary {
    /// The summary of an outcome.
    pub fn new(clip: &Clip, outcome: &Outcome) -> Self {
        let report = &outcome.report;
        Self {
            bytes: outcome.bytes(),
            raw_bytes: clip.raw_bytes(),
            max_error_m: report.samples.stats.max_m,
            within: report.within(),
            worst_slide_m: report.contacts.worst_slide_m(),
            verdict: report.verdict(),
        }
    }
}

/// All clips of one slot together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Totals {
    /// Clips that are open.
    pub clips: usize,
    /// Clips with numbers of the recipe as it is now.
    pub measured: usize,
    /// Bytes of the measured clips.
    pub bytes: usize,
    /// Raw bytes of the measured clips.
    pub raw_bytes: usize,
    /// Largest shell error.
    pub max_error_m: f32,
    /// Largest slide.
    pub worst_slide_m: Option<f32>,
    /// Clips that fail.
    pub failing: usize,
    /// Clips that warn.
    pub warning: usize,
    /// Clips over their tolerance.
    pub over_tolerance: usize,
}

/// The last answer for a clip and slot.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The clip that it answers for; another one from the library's as soon as that is marked differently.
    pub clip: Arc<Clip>,
    /// The recipe that it answers; older than the document's while a newer one is being worked on.
    pub recipe: Arc<Recipe>,
    /// Numbers for the lists, or why there are none.
    pub summary: Result<Summary, String>,
    /// The whole outcome, only for the clip that is looked at.
    pub full: Option<JobResult>,
    /// Nothing more will follow for this recipe.
    pub done: bool,
}

/// Files, recipes and answers: all that the window shows, without the window.
#[derive(Debug)]
pub struct Workspace {
    /// Open files.
    pub library: Library,
    document: History<Document>,
    jobs: Jobs,
    answers: HashMap<JobKey, Answer>,
    selected: Option<ClipId>,
    active_slot: usize,
    recipes: Vec<Arc<Recipe>>,
    /// Recipes of clips whose plants were drawn by hand.
    edited: HashMap<JobKey, Arc<Recipe>>,
    explainer: Explainer,
}

impl Workspace {
    /// An empty workspace; `notify` is called from other threads whenever [`Self::poll`] has something.
    pub fn new(document: Document, notify: impl Fn() + Send + Sync + 'static) -> Self {
        let notify: Arc<dyn Fn() + Send + Sync> = Arc::new(notify);
        let wake = notify.clone();
        let recipes = document.recipes.iter().cloned().map(Arc::new).collect();
        Self {
            library: Library::default(),
            document: History::new(document),
            jobs: Jobs::new(move || wake()),
            answers: HashMap::new(),
            selected: None,
            active_slot: 0,
            recipes,
            edited: HashMap::new(),
            explainer: Explainer::new(notify),
        }
    }

    /// The undoable state.
    pub fn document(&self) -> &Document {
        self.document.present()
    }

    /// Undo and redo labels.
    pub fn history(&self) -> &History<Document> {
        &self.document
    }

    /// The recipe of a slot.
    pub fn recipe(&self, slot: usize) -> &Arc<Recipe> {
        &self.recipes[slot]
    }

    /// The recipe of a slot as it is used for a clip: with the plants that were drawn by hand.
    pub fn recipe_for(&self, key: JobKey) -> &Arc<Recipe> {
        self.edited.get(&key).unwrap_or(&self.recipes[key.slot])
    }

    /// The recipe that is being tuned.
    pub fn active_recipe(&self) -> &Arc<Recipe> {
        &self.recipes[self.active_slot]
    }

    /// Slot of the recipe that is being tuned: 0 = A.
    pub fn active_slot(&self) -> usize {
        self.active_slot
    }

    /// The clip that is looked at.
    pub fn selected(&self) -> Option<ClipId> {
        self.selected
    }

    /// Looks at another clip.
    pub fn select(&mut self, clip: Option<ClipId>) {
        if clip != self.selected {
            self.selected = clip;
            self.forget_unseen();
            self.schedule();
        }
    }

    /// Tunes another recipe.
    pub fn activate_slot(&mut self, slot: usize) {
        if slot != self.active_slot && slot < self.recipes.len() {
            self.active_slot = slot;
            self.schedule();
        }
    }

    /// Changes the document while an interaction is under way: no undo point yet.
    pub fn preview(&mut self, change: impl FnOnce(&mut Document)) {
        self.document.preview(change);
        self.document_changed();
    }

    /// Ends an interaction with one undo point.
    pub fn commit(&mut self, label: impl Into<String>) -> bool {
        self.document.commit(label)
    }

    /// Changes the document in one step.
    pub fn edit(&mut self, label: impl Into<String>, change: impl FnOnce(&mut Document)) {
        self.document.edit(label, change);
        self.document_changed();
    }

    /// Takes back the last step.
    pub fn undo(&mut self) -> bool {
        let changed = self.document.undo();
        self.document_changed();
        changed
    }

    /// Brings back what undo took.
    pub fn redo(&mut self) -> bool {
        let changed = self.document.redo();
        self.document_changed();
        changed
    }

    /// Files were opened or closed: answers of closed ones go, new clips are compressed.
    pub fn library_changed(&mut self) {
        let library = &self.library;
        self.answers.retain(|key, _| library.clip(key.clip).is_some());
        if self.selected.is_none_or(|id| self.library.clip(id).is_none()) {
            self.selected = self.library.clip_ids().next();
        }
        self.library.mark_loops(&self.document.present().loops);
        self.apply_plants();
        self.schedule();
    }

    /// The last answer for a clip in a slot, which may be older than the recipe.
    pub fn answer(&self, clip: ClipId, slot: usize) -> Option<&Answer> {
        self.answers.get(&JobKey { clip, slot })
    }

    /// True when the last answer is for the recipe as it is now.
    pub fn is_fresh(&self, clip: ClipId, slot: usize) -> bool {
        self.answer(clip, slot).is_some_and(|answer| self.answers_now(JobKey { clip, slot }, answer))
    }

    /// True when an answer is for the recipe and the clip as they are now.
    fn answers_now(&self, key: JobKey, answer: &Answer) -> bool {
        let is_clip = self.library.clip(key.clip).is_some_and(|(_, clip)| Arc::ptr_eq(clip, &answer.clip));
        is_clip && &answer.recipe == self.recipe_for(key)
    }

    /// The whole outcome of the clip that is looked at, in the active slot; may be older than the recipe.
    pub fn shown(&self) -> Option<&JobResult> {
        self.answer(self.selected?, self.active_slot)?.full.as_ref()
    }

    /// What all clips of a slot come to.
    pub fn totals(&self, slot: usize) -> Totals {
        let mut totals = Totals::default();
        for clip in self.library.clip_ids() {
            totals.clips += 1;
            let Some(Ok(summary)) = self.answer(clip, slot).map(|a| &a.summary) else { continue };
            totals.measured += usize::from(self.is_fresh(clip, slot));
            totals.bytes += summary.bytes;
            totals.raw_bytes += summary.raw_bytes;
            totals.max_error_m = totals.max_error_m.max(summary.max_error_m);
            totals.worst_slide_m = totals.worst_slide_m.into_iter().chain(summary.worst_slide_m).reduce(f32::max);
            totals.failing += usize::from(summary.verdict == Verdict::Fail);
            totals.warning += usize::from(summary.verdict == Verdict::Warn);
            totals.over_tolerance += usize::from(!summary.within);
        }
        totals
    }

    /// What runs now, how far it is, and how many wait.
    pub fn activity(&self) -> Option<(JobKey, f32, usize)> {
        self.jobs.activity()
    }

    /// Asks which joint is to blame in what is shown; [`Self::blame`] has the answer as soon as it is there.
    pub fn explain(&mut self, complaint: Option<Complaint>) {
        let shown = self.selected.and_then(|clip| self.answer(clip, self.active_slot)?.full.as_ref()).cloned();
        self.explainer.ask(shown.as_ref().zip(complaint));
    }

    /// Which joint is to blame for what was asked last.
    pub fn blame(&self) -> Option<&Blame> {
        self.explainer.answer()
    }

    /// What is tried for the clip that is looked at, in the active slot: as it fills while it runs, else as it ended. True
    /// while it runs.
    pub fn candidates(&self) -> (Vec<CandidateRow>, bool) {
        let key = self.selected.map(|clip| JobKey { clip, slot: self.active_slot });
        match self.jobs.candidates() {
            Some((running, rows)) if Some(running) == key && !rows.is_empty() => {
                let is_trying = rows.iter().all(|row| !row.is_winner);
                (rows, is_trying)
            }
            _ => (self.shown().map(|s| s.outcome.candidates.clone()).unwrap_or_default(), false),
        }
    }

    /// Stops what runs: see [`Jobs::stop`].
    pub fn stop(&self) {
        self.jobs.stop();
    }

    /// True when the clip that is looked at was stopped in the active slot, and its recipe has not changed since.
    pub fn is_stopped(&self) -> bool {
        let stopped = |clip| {
            let answer = self.answer(clip, self.active_slot);
            answer.is_some_and(|a| a.summary.as_ref().is_err_and(|e| e == STOPPED))
                && self.is_fresh(clip, self.active_slot)
        };
        self.selected.is_some_and(stopped)
    }

    /// Does again what was stopped.
    pub fn resume(&mut self) {
        self.answers.retain(|_, answer| answer.summary.as_ref().err().is_none_or(|e| e != STOPPED));
        self.schedule();
    }

    /// Everything that is wished for has been answered.
    pub fn is_settled(&self) -> bool {
        self.jobs.is_idle() && !self.explainer.is_pending()
    }

    /// Takes in what the worker has done; true when something changed. Call it once a frame.
    pub fn poll(&mut self) -> bool {
        let mut changed = self.explainer.poll();
        while let Some(event) = self.jobs.poll() {
            self.take_in(event);
            changed = true;
        }
        changed
    }

    fn take_in(&mut self, event: JobEvent) {
        let JobEvent { key, clip, recipe, result, done } = event;
        if self.library.clip(key.clip).is_none() {
            return;
        }
        let keep = Some(key.clip) == self.selected;
        let (summary, full) = match result {
            Ok(result) => (Ok(Summary::new(&clip, &result.outcome)), keep.then_some(result)),
            Err(error) => (Err(error), None),
        };
        self.answers.insert(key, Answer { clip, recipe, summary, full, done });
    }

    fn document_changed(&mut self) {
        let Document { recipes, plants, loops } = self.document.present();
        let marked = self.library.mark_loops(loops);
        let unchanged =
            recipes.len() == self.recipes.len() && recipes.iter().zip(&self.recipes).all(|(a, b)| a == &**b);
        if unchanged && !marked && plants.is_empty() && self.edited.is_empty() {
            return;
        }
        if !unchanged {
            self.recipes = recipes.iter().cloned().map(Arc::new).collect();
        }
        self.apply_plants();
        self.active_slot = self.active_slot.min(self.recipes.len() - 1);
        let slots = self.recipes.len();
        self.answers.retain(|key, _| key.slot < slots);
        self.schedule();
    }

    /// Recipes of clips with plants drawn by hand, made anew from the document.
    fn apply_plants(&mut self) {
        let plants = &self.document.present().plants;
        let drawn = |clip| Some((clip, plants.get(&self.library.clip_key(clip)?)?));
        let with = |(clip, by_hand): (ClipId, &Vec<_>)| {
            self.recipes
                .iter()
                .enumerate()
                .map(move |(slot, recipe)| {
                    let mut recipe = Recipe::clone(recipe);
                    recipe.contacts.by_hand.clone_from(by_hand);
                    (JobKey { clip, slot }, Arc::new(recipe))
                })
                .collect::<Vec<_>>()
        };
        self.edited = match plants.is_empty() {
            true => HashMap::new(),
            false => self.library.clip_ids().filter_map(drawn).flat_map(with).collect(),
        };
    }

    /// Memory stays bounded: whole outcomes only of the clip that is looked at.
    fn forget_unseen(&mut self) {
        for (key, answer) in &mut self.answers {
            if Some(key.clip) != self.selected {
                answer.full = None;
            }
        }
    }

    /// What is looked at first, then its other recipes, then the list, then the list with the other recipes.
    fn schedule(&self) {
        let slots = std::iter::once(self.active_slot).chain((0..self.recipes.len()).filter(|s| *s != self.active_slot));
        let keys = slots.clone().filter_map(|slot| Some((JobKey { clip: self.selected?, slot }, true)));
        let others = slots.flat_map(|slot| {
            let clips = self.library.clip_ids().filter(|id| Some(*id) != self.selected);
            clips.map(move |clip| (JobKey { clip, slot }, false))
        });
        let wanted = keys.chain(others).filter(|(key, live)| !self.is_answered(key, *live));
        let requests = wanted.filter_map(|(key, live)| {
            let (rig, clip) = self.library.clip(key.clip)?;
            let recipe = self.recipe_for(key).clone();
            Some(Request { key, rig: rig.clone(), clip: clip.clone(), recipe, live })
        });
        self.jobs.set_wanted(requests.collect());
    }

    fn is_answered(&self, key: &JobKey, live: bool) -> bool {
        self.answers.get(key).is_some_and(|answer| {
            self.answers_now(*key, answer) && answer.done && (!live || answer.full.is_some() || answer.summary.is_err())
        })
    }
}
