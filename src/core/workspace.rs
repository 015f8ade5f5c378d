//! The state of the program without its window: open files, recipes, results, reviews and undo.

mod answer;
mod blind_tests;
mod clip_list;
mod command_line;
mod common_fix;
mod edited;
mod event;
mod export_line;
mod external;
mod fixes;
mod notes;
mod pairing;
mod questions;
mod reread;
mod review;
mod slot_order;
mod sources;
mod state;
mod study;
mod table;
mod trials;
mod wanted;

pub use answer::{Answer, ClipSlot};
pub use blind_tests::{BlindTests, Untestable};
pub use clip_list::{ClipListing, ClipRow, ClipSort, NAMES};
pub use command_line::{CommandLine, ExportLine, SourceWords, recipe_options};
pub use event::WorkspaceEvent;
pub use state::{CommonFix, CommonFixRow, FixPrice, Reference, StudyScope};
pub use study::Fitting;

use crate::codecs::{CandidateRow, FittedCurve};
use crate::metrics::{Blame, Travel};
use crate::model::{Clip, ClipId};
use crate::pipeline::{FileSize, LodFault, MeasuredLod, TierFault, TierLevel};
use crate::project::{Document, History};
use crate::recipe::Recipe;
use crate::report::{Sides, Totals, better_slot};
use crate::tasks::{
    Activity, CompressTask, Crew, ImportTask, Lane, Library, OpenQuestion, Scheduler, Task, TaskAnswer, TaskError,
    TaskEvent, Trials,
};
pub use sources::ExportScope;
use state::{CommonFixes, External, OwnRecipes, Pairing, RecipeTable, Review, Study};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Largest number of search results that are kept for undo: enough for a few steps with many clips.
const MAX_REPLACED: usize = 256;

/// Open files, recipes and results.
///
/// One thread owns it, and other threads do the work. No call waits for them: [`Self::poll`] takes their results. After every change, the
/// workspace itself requests the missing results.
///
/// ```
/// use posepress_core::project::Document;
/// use posepress_core::workspace::Workspace;
/// let mut workspace = Workspace::new(Document::default(), || { /* wake the thread that polls */ });
/// workspace.edit("Tolerance", |document| document.recipes[0].tolerance_m = 0.001);
/// assert_eq!(workspace.active_recipe().tolerance_m, 0.001);
/// assert!(workspace.undo() && workspace.is_settled());
/// ```
#[derive(Debug)]
pub struct Workspace {
    library: Library,
    document: History<Document>,
    /// Tasks of a clip and slot have that key. Tasks of files and questions have none.
    scheduler: Scheduler<Option<ClipSlot>>,
    answers: HashMap<ClipSlot, Answer>,
    /// Search results of recipes that were replaced. Undo restores them without a new search.
    replaced: Vec<(ClipSlot, Answer)>,
    /// Fixes and marks that could not be applied. The next poll reports them.
    unmade: Vec<TaskError>,
    selected: Option<ClipId>,
    active_slot: usize,
    recipes: Vec<Arc<Recipe>>,
    own: OwnRecipes,
    blame: OpenQuestion<Option<Blame>>,
    tiers: OpenQuestion<Result<Vec<TierLevel>, Arc<TierFault>>>,
    lods: OpenQuestion<Vec<Result<MeasuredLod, LodFault>>>,
    fit: OpenQuestion<Option<FittedCurve>>,
    trials: Trials,
    pairing: Pairing,
    /// The external file.
    external: Option<External>,
    review: Review,
    study: Study,
    table: RecipeTable,
    common_fixes: CommonFixes,
    /// Slots in which all clips are compressed on request.
    all_of: BTreeSet<usize>,
    /// Sums per slot, as of the last change.
    totals: Vec<Totals>,
    /// Counts the changes of everything that lists are made from.
    revision: u64,
    /// Files that are being read, oldest first.
    reading: Vec<ImportTask>,
    /// Open files that are being read again, with their ids.
    rereading: Vec<(ImportTask, u32)>,
    /// Files that are being written, oldest first.
    writing: Vec<PathBuf>,
}

impl Workspace {
    /// An empty workspace. Other threads call `notify` whenever [`Self::poll`] has an event.
    pub fn new(document: Document, notify: impl Fn() + Send + Sync + 'static) -> Self {
        Self::with(Scheduler::new(notify), document)
    }

    /// An empty workspace without threads. Tasks run in [`Self::take_turns`]. It calls `notify` also when there are new tasks.
    /// Compressions go to the crew, if there is one.
    pub fn in_turns(document: Document, notify: impl Fn() + Send + Sync + 'static, crew: Option<Crew>) -> Self {
        Self::with(Scheduler::in_turns(notify, crew), document)
    }

    fn with(scheduler: Scheduler<Option<ClipSlot>>, document: Document) -> Self {
        let recipes = document.slots().cloned().map(Arc::new).collect();
        let mut workspace = Self {
            library: Library::default(),
            document: History::new(document),
            scheduler,
            answers: HashMap::new(),
            replaced: Vec::new(),
            unmade: Vec::new(),
            selected: None,
            active_slot: 0,
            recipes,
            own: OwnRecipes::default(),
            blame: OpenQuestion::default(),
            tiers: OpenQuestion::default(),
            lods: OpenQuestion::default(),
            fit: OpenQuestion::default(),
            trials: Trials::default(),
            pairing: Pairing::default(),
            external: None,
            review: Review::default(),
            study: Study::default(),
            table: RecipeTable::default(),
            common_fixes: CommonFixes::default(),
            all_of: BTreeSet::new(),
            totals: Vec::new(),
            revision: 0,
            reading: Vec::new(),
            rereading: Vec::new(),
            writing: Vec::new(),
        };
        workspace.renew_external();
        workspace
    }

    /// Open files.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The current document. Undo covers all of it.
    pub fn document(&self) -> &Document {
        self.document.present()
    }

    /// The document's history, for undo and redo labels.
    pub fn history(&self) -> &History<Document> {
        &self.document
    }

    /// The recipe of a slot.
    pub fn recipe(&self, slot: usize) -> &Arc<Recipe> {
        &self.recipes[slot]
    }

    /// Slot of the recipe that is being edited: 0 = A.
    pub fn active_slot(&self) -> usize {
        self.active_slot
    }

    /// The selected clip.
    pub fn selected(&self) -> Option<ClipId> {
        self.selected
    }

    /// Selects a clip.
    pub fn select(&mut self, clip: Option<ClipId>) {
        if clip != self.selected {
            self.commit();
            self.selected = clip;
            self.forget_unseen();
            self.schedule();
            self.renew_pair();
        }
    }

    /// Selects the recipe to edit.
    pub fn activate_slot(&mut self, slot: usize) {
        if slot != self.active_slot && slot < self.recipes.len() {
            self.commit(); // a drag ends with the recipe in which it started
            self.active_slot = slot;
            self.schedule();
            self.renew_common_fixes();
            self.renew_pair();
        }
    }

    /// Changes the document during an interaction, without an undo point. The label describes the change.
    pub fn preview(&mut self, label: impl Into<String>, change: impl FnOnce(&mut Document)) {
        self.document.preview(label, change);
        self.document_changed();
    }

    /// Ends an interaction with one undo point. Returns true if there is a new undo point.
    pub fn commit(&mut self) -> bool {
        self.document.commit()
    }

    /// Changes the document in one step.
    pub fn edit(&mut self, label: impl Into<String>, change: impl FnOnce(&mut Document)) {
        self.document.edit(label, change);
        self.document_changed();
    }

    /// Drops the changes of the interaction in progress. Returns true if there were some.
    pub fn cancel(&mut self) -> bool {
        let is_changed = self.document.cancel();
        if is_changed {
            self.document_changed();
        }
        is_changed
    }

    /// Undoes the last step: see [`History::undo`].
    pub fn undo(&mut self) -> bool {
        let changed = self.document.undo();
        self.document_changed();
        changed
    }

    /// Redoes the step that was undone last: see [`History::redo`].
    pub fn redo(&mut self) -> bool {
        let changed = self.document.redo();
        self.document_changed();
        changed
    }

    /// The last result for a clip in a slot. It may be older than the recipe or the file, but always has the clip's current joints.
    pub fn answer(&self, clip: ClipId, slot: usize) -> Option<&Answer> {
        self.answers.get(&ClipSlot { clip, slot }).filter(|answer| self.is_of_shape(clip, &answer.clip))
    }

    /// True if a clip has the joints of the library's current clip.
    fn is_of_shape(&self, id: ClipId, clip: &Clip) -> bool {
        self.library.clip(id).is_some_and(|(_, now)| now.has_shape_of(clip))
    }

    /// True if the last result is for the current recipe.
    pub fn is_fresh(&self, clip: ClipId, slot: usize) -> bool {
        self.answer(clip, slot).is_some_and(|answer| self.answers_now(ClipSlot { clip, slot }, answer))
    }

    /// True if a result is for the current recipe and clip, and the clip has its fixes.
    fn answers_now(&self, key: ClipSlot, answer: &Answer) -> bool {
        let is_clip = self.library.clip(key.clip).is_some_and(|(_, clip)| Arc::ptr_eq(clip, &answer.clip));
        let recipe = self.recipe_for(key);
        let is_recipe = Arc::ptr_eq(&answer.recipe, recipe) || answer.recipe.is_same_for(recipe, answer.clip.name());
        is_clip && is_recipe && !self.library.is_unfixed(key.clip) && self.judged(key) == answer.external
    }

    /// The path of the selected clip's character. `None` until it is measured.
    pub fn travel(&self) -> Option<&Travel> {
        let source = &self.compressed()?.source;
        // A result from before the file was read again describes the old path.
        let (_, clip) = self.library.clip(self.selected?)?;
        Arc::ptr_eq(&source.clip, clip).then_some(&source.travel)
    }

    /// Sums over all clips of a slot.
    pub fn totals(&self, slot: usize) -> Totals {
        self.totals.get(slot).copied().unwrap_or_default()
    }

    /// A number that changes whenever files, marks, recipes or results change. Until then, lists made from them are up to date.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Must be called after every change of files, marks, recipes or results.
    fn changed(&mut self) {
        self.revision += 1;
        self.totals = (0..self.recipes.len()).map(|slot| self.sum(slot)).collect();
        self.renew_review();
        self.renew_common_fixes();
        self.renew_pair();
    }

    fn sum(&self, slot: usize) -> Totals {
        let (mut totals, mut parts) = (Totals::default(), Vec::new());
        for clip in self.library.clip_ids() {
            totals.clips += 1;
            let Some(Answer { report: Ok(report), done, .. }) = self.answer(clip, slot) else { continue };
            totals.add(report, *done && self.is_fresh(clip, slot));
            let float_names = self.library.clip(clip).map_or(&[][..], |(rig, _)| &rig.float_names);
            parts.extend(report.file_part(clip.source as usize, float_names, self.document().export.recipes));
        }
        totals.other_bytes = FileSize::of(&parts).other_bytes;
        totals
    }

    /// The slot that is better than the active one, with its sums: see [`better_slot`].
    pub fn better_slot(&self) -> Option<(usize, Totals)> {
        let slots: Vec<Totals> = (0..self.document().recipes.len()).map(|slot| self.totals(slot)).collect();
        better_slot(&slots, self.active_slot).map(|slot| (slot, slots[slot]))
    }

    /// The compression in progress, and the number of waiting clips and slots.
    pub fn activity(&self) -> Option<Activity<ClipSlot>> {
        let Activity { key, fraction, elapsed, waiting } = self.scheduler.activity(Lane::Compress)?;
        Some(Activity { key: key?, fraction, elapsed, waiting })
    }

    /// The candidates for the selected clip in the active slot: the current ones during a search, else the final ones. The flag is true
    /// during the search.
    pub fn candidates(&self) -> (Vec<CandidateRow>, bool) {
        let key = self.selected.map(|clip| ClipSlot { clip, slot: self.active_slot });
        match self.scheduler.candidates() {
            Some((running, rows)) if running.is_some() && running == key && !rows.is_empty() => {
                let is_trying = rows.iter().all(|row| !row.is_winner);
                (rows, is_trying)
            }
            _ => (self.compressed().map(|s| s.outcome.candidates().to_vec()).unwrap_or_default(), false),
        }
    }

    /// Stops the current compression. Its result is an error, and it does not run again until [`Self::resume`] or a change of the recipe.
    pub fn stop(&self) {
        self.scheduler.stop(Lane::Compress);
    }

    /// True if the selected clip was stopped in the active slot and its recipe has not changed since.
    pub fn is_stopped(&self) -> bool {
        let stopped = |clip| {
            let answer = self.answer(clip, self.active_slot);
            answer.is_some_and(Answer::is_stopped) && self.is_fresh(clip, self.active_slot)
        };
        self.selected.is_some_and(stopped)
    }

    /// Runs stopped compressions again.
    pub fn resume(&mut self) {
        self.answers.retain(|_, answer| !answer.is_stopped());
        self.schedule();
        self.changed();
    }

    /// True if no task runs or waits, and no answer to a question, fix, opened file or export is missing. Other results may still wait for
    /// [`Self::poll`].
    pub fn is_settled(&self) -> bool {
        let questions = [self.blame.open(), self.fit.open(), self.tiers.open(), self.lods.open()];
        let is_answered = questions.iter().all(Option::is_none) && self.open_pair().is_none();
        let is_read = self.reading.is_empty() && self.library.unfixed().next().is_none();
        is_answered && is_read && self.writing.is_empty() && self.scheduler.is_idle()
    }

    /// Runs tasks in the caller's thread for about this time. It does nothing if there are threads.
    pub fn take_turns(&self, time: Duration) {
        self.scheduler.take_turns(time);
    }

    /// Takes the results of tasks. Must be called once per frame.
    pub fn poll(&mut self) -> Vec<WorkspaceEvent> {
        let mut events: Vec<_> = self.unmade.drain(..).map(WorkspaceEvent::Failed).collect();
        let mut is_changed = false;
        while let Some(TaskEvent { key, task, result, done }) = self.scheduler.poll() {
            is_changed = true;
            use {Task as T, TaskAnswer as A};
            let event = match (key, task, result) {
                (Some(key), T::Compress(task), Ok(A::Compressed(sides))) => self.take_in(key, task, Ok(sides), done),
                (Some(key), T::Compress(task), Err(error)) => self.take_in(key, task, Err(error), done),
                (_, T::Try(task), Ok(A::Tried(trial))) => self.take_in_trial(&task, Ok(trial)),
                (_, T::Try(task), Err(error)) => self.take_in_trial(&task, Err(error)),
                (_, T::Pair(task), Ok(A::Compressed(sides))) => self.take_in_pair(&task, Ok(sides), done),
                (_, T::Pair(task), Err(error)) => self.take_in_pair(&task, Err(error), done),
                (_, T::Explain(task), Ok(A::Explained(found))) => self.take_in_explanation(&task, Ok(found)),
                (_, T::Explain(task), Err(error)) => self.take_in_explanation(&task, Err(error)),
                (_, T::Study(task), Ok(A::Studied(point))) => self.take_in_study(&task, Ok(point)),
                (_, T::Study(task), Err(error)) => self.take_in_study(&task, Err(error)),
                (_, T::Price(task), Ok(A::Priced(found))) => self.take_in_price(&task, Ok(found)),
                (_, T::Price(task), Err(error)) => self.take_in_price(&task, Err(error)),
                (_, T::Fit(task), Ok(A::Fitted(shares))) => self.take_in_fit(&task, Ok(shares)),
                (_, T::Fit(task), Err(error)) => self.take_in_fit(&task, Err(error)),
                (_, T::Fix(task), Ok(A::Fixed(fixed))) => self.take_in_fixed(&task, Ok(*fixed)),
                (_, T::Fix(task), Err(error)) => self.take_in_fixed(&task, Err(error)),
                (_, T::Import(task), Ok(A::Imported(source))) => self.take_in_file(&task, Ok(*source)),
                (_, T::Import(task), Err(error)) => self.take_in_file(&task, Err(error)),
                (_, T::Export(task), Ok(A::Exported(written))) => self.take_in_export(task, Ok(written)),
                (_, T::Export(task), Err(error)) => self.take_in_export(task, Err(error)),
                (key, ..) => unreachable!("a task of {key:?} was answered as one of another kind"),
            };
            events.extend(event);
        }
        if is_changed {
            self.changed();
        }
        events
    }

    fn take_in(
        &mut self,
        key: ClipSlot,
        task: CompressTask,
        result: Result<Sides, TaskError>,
        done: bool,
    ) -> Option<WorkspaceEvent> {
        self.library.clip(key.clip)?;
        let CompressTask { clip, recipe, external, .. } = task;
        if key.slot >= self.recipes.len() {
            return None;
        }
        if recipe != *self.recipe_for(key) && self.is_fresh(key.clip, key.slot) {
            return None; // the result that undo restored is newer
        }
        let keep = Some(key.clip) == self.selected;
        let (report, full) = match result {
            Ok(sides) => (Ok(sides.report.clone()), keep.then_some(sides)),
            Err(error) => (Err(Arc::new(error)), None),
        };
        self.put(key, Answer { clip, recipe, external, report, full, done });
        if keep && key.slot == self.active_slot && done {
            self.schedule(); // tries its remedies
        }
        None
    }

    fn document_changed(&mut self) {
        self.renew_external();
        self.read_as_said();
        let settled = self.settle();
        if settled {
            self.fit_external();
        }
        let document @ Document { contacts, tolerances, assigned, external, .. } = self.document.present();
        let unchanged = document.slots().eq(self.recipes.iter().map(|recipe| &**recipe));
        let is_plain = contacts.is_empty() && tolerances.is_empty() && assigned.is_empty() && self.own.is_empty();
        if unchanged && !settled && is_plain && external.is_none() {
            self.apply_edits();
            self.renew_study();
            return self.changed(); // decisions are not part of the recipes
        }
        if !unchanged {
            self.recipes = document.slots().cloned().map(Arc::new).collect();
        }
        self.apply_edits();
        self.active_slot = self.active_slot.min(self.recipes.len() - 1);
        let slots = self.recipes.len();
        self.answers.retain(|key, _| key.slot < slots);
        self.restore_searches();
        self.renew_study();
        self.schedule();
        self.changed();
    }

    /// Stores a result. A finished search that it replaces is kept if its recipe was another one.
    fn put(&mut self, key: ClipSlot, answer: Answer) {
        let recipe = answer.recipe.clone();
        let Some(old) = self.answers.insert(key, answer) else { return };
        if old.done && old.report.is_ok() && old.recipe != recipe && old.recipe.codec.encoder().is_none() {
            self.replaced.retain(|(known, other)| *known != key || other.recipe != old.recipe);
            self.replaced.push((key, old));
            let too_many = self.replaced.len().saturating_sub(MAX_REPLACED);
            self.replaced.drain(..too_many);
        }
    }

    /// Restores the search results whose recipes are back.
    fn restore_searches(&mut self) {
        let (found, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.replaced).into_iter().partition(|(key, answer)| self.answers_now(*key, answer));
        self.replaced = rest;
        for (key, answer) in found {
            self.put(key, answer);
        }
    }

    /// Drops whole outcomes, except those of the selected clip, so that memory stays bounded.
    fn forget_unseen(&mut self) {
        let replaced = self.replaced.iter_mut().map(|(key, answer)| (&*key, answer));
        for (key, answer) in self.answers.iter_mut().chain(replaced) {
            if Some(key.clip) != self.selected {
                answer.full = None;
            }
        }
    }
}
