use super::{ClipSlot, Workspace, WorkspaceEvent};
use crate::export::ExportTarget;
use crate::import::{ImportOptions, Mend};
use crate::metrics::FootPlants;
use crate::model::{Additive, Clip, ClipId};
use crate::project::{Document, RigChoice};
use crate::tasks::Settled;
use crate::tasks::{ExportTask, ImportTask, ImportedSource, Lane, Request, SourceFile, Task, TaskError, WrittenFile};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which clips of a file are written, and how they are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportScope {
    /// Every clip, with the active recipe.
    All,
    /// The approved ones, each with the recipe that it was approved with.
    Approved,
    /// The clip that is looked at, with the active recipe.
    Clip,
}

impl ExportScope {
    /// In the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::All, Self::Approved, Self::Clip];
}

impl Workspace {
    /// Begins to read a file; what is open stays. [`WorkspaceEvent::Opened`] or [`WorkspaceEvent::Failed`] tells the end.
    pub fn open(&mut self, file: SourceFile, options: ImportOptions) {
        let task = ImportTask { file, options, containers: false };
        self.reading.push(task.clone());
        self.scheduler.submit(Request { key: None, task: Task::Import(task), live: true });
    }

    /// Nothing that is being read now will be opened. An importer that is at work ends by itself, and what is opened next
    /// waits for it.
    pub fn stop_reading(&mut self) {
        self.reading.clear();
        self.give_up_rereading();
        // What was to stand beside the recipes does not come any more.
        if self.foreign_slot().is_some_and(|slot| self.waits_for_file(slot)) {
            self.drop_foreign();
        }
        self.scheduler.set_wanted(Lane::Import, Vec::new());
    }

    /// Files that are being read, the first that came first; what is bundled has no path. Those that are open and read again come last.
    pub fn reading(&self) -> impl Iterator<Item = &Path> {
        let again = self.rereading.iter().map(|(task, _)| task);
        self.reading.iter().chain(again).filter_map(|task| task.file.path())
    }

    /// Puts a file that was read into the library, and returns its id. Its clips take what was said of them before, and
    /// are compressed. Of a file without clips the default pose can be looked at; it is no clip.
    pub fn add_source(&mut self, source: ImportedSource) -> u32 {
        let id = self.library.add(source);
        self.library_changed();
        id
    }

    /// Closes a file; its answers go.
    pub fn close(&mut self, source: u32) {
        self.library.remove(source);
        self.library_changed();
    }

    /// Closes what is bundled, and the recipes that are there to show it: own files are not compressed with them.
    pub fn leave_sample(&mut self) {
        let bundled: Vec<u32> = self.library.sources().iter().filter(|s| s.path.is_none()).map(|s| s.id).collect();
        if bundled.is_empty() {
            return;
        }
        bundled.into_iter().for_each(|source| self.library.remove(source));
        self.document.amend(Document::leave_sample);
        self.document_changed();
        self.library_changed();
    }

    /// Begins to compress clips of a file and to write them.
    /// [`WorkspaceEvent::Written`] or [`WorkspaceEvent::Failed`] tells the end.
    pub fn export(&mut self, clip: ClipId, scope: ExportScope, format: &'static str, path: PathBuf) {
        let Some(source) = self.library.source(clip.source) else { return };
        let slot = self.active_slot;
        let active = |(at, of): (usize, &Arc<Clip>)| {
            let key = ClipSlot { clip: ClipId { clip: at as u32, ..clip }, slot };
            (of.clone(), self.recipe_for(key).clone())
        };
        let mut all = source.clips.iter().enumerate();
        let clips = match scope {
            ExportScope::Clip => all.nth(clip.clip as usize).map(active).into_iter().collect(),
            ExportScope::All => all.map(active).collect(),
            ExportScope::Approved => self.approved(source),
        };
        let rig = source.rig.clone();
        let target = ExportTarget { options: self.document().export, origin: source.origin() };
        let sources = self.library.files();
        self.writing.push(path.clone());
        let task = Task::Export(ExportTask { rig, clips, format, target, tiers: self.document().tiers, path, sources });
        self.scheduler.submit(Request { key: None, task, live: true });
    }

    /// Stops what is being written: the file stays as it was, and [`WorkspaceEvent::Failed`] says that it was stopped.
    pub fn stop_writing(&self) {
        self.scheduler.stop(Lane::Export);
    }

    /// Files that are being written, the first that came first.
    pub fn writing(&self) -> &[PathBuf] {
        &self.writing
    }

    /// Marks a clip as looping or not, in one step; `None` goes back to what was found in its samples.
    pub fn mark_loop(&mut self, clip: ClipId, label: &str, mark: Option<bool>) {
        if let Some(key) = self.library.clip_key(clip) {
            self.edit(label, |document| document.mark_loop(&key, mark));
        }
    }

    /// What a clip is marked as; `None` when it is as found.
    pub fn loop_mark(&self, clip: ClipId) -> Option<bool> {
        self.document().loops.get(&self.library.clip_key(clip)?).copied()
    }

    /// Marks a clip as additive, or as standing for itself, in one step; `None` goes back to what its file says.
    pub fn mark_additive(&mut self, clip: ClipId, label: &str, mark: Option<Additive>) {
        if let Some(key) = self.library.clip_key(clip) {
            self.edit(label, |document| document.mark_additive(&key, mark));
        }
    }

    /// What a clip is marked as; `None` where it is as its file says.
    pub fn additive_mark(&self, clip: ClipId) -> Option<&Additive> {
        self.document().additive.get(&self.library.clip_key(clip)?)
    }

    /// Mends something of a clip before anything else is done with it, in one step, or takes that back.
    pub fn mend(&mut self, clip: ClipId, mend: Mend, is_on: bool) {
        if let Some(key) = self.library.clip_key(clip) {
            let label = mend.option().label;
            let label = if is_on { label.to_owned() } else { format!("{label}: not") };
            self.edit(label, |document| document.set_mend(&key, mend, is_on));
        }
    }

    /// Says whose rig the clips of files move, in one step; `None` goes back to what is found by names.
    pub fn choose_rig(&mut self, sources: &[u32], choice: Option<&RigChoice>) {
        let digests: Vec<_> = sources.iter().filter_map(|id| Some(self.library.source(*id)?.digest.clone())).collect();
        self.edit("Rig of clips", |document| {
            digests.iter().for_each(|digest| document.choose_rig(digest, choice.cloned()));
        });
    }

    /// Draws the plants of one foot of a clip while an interaction is under way; `None` goes back to those that are found.
    pub fn preview_plants(&mut self, clip: ClipId, label: &str, joint: &str, spans_secs: Option<Vec<[f32; 2]>>) {
        if let Some(key) = self.library.clip_key(clip) {
            self.preview(label, |document| document.set_plants(&key, joint, spans_secs));
        }
    }

    /// The feet of a clip whose plants were drawn by hand.
    pub fn drawn_plants(&self, clip: ClipId) -> &[FootPlants] {
        let drawn = self.library.clip_key(clip).and_then(|key| self.document().plants.get(&key));
        drawn.map_or(&[], Vec::as_slice)
    }

    /// Applies rigs, fixes and marks of the document to the clips. True if a clip changed.
    pub(super) fn settle(&mut self) -> bool {
        let Settled { is_changed, faults } = self.library.settle(self.document.present());
        self.unmade.extend(faults);
        is_changed
    }

    /// Answers of closed files go, new clips are compressed.
    pub(super) fn library_changed(&mut self) {
        let library = &self.library;
        self.answers.retain(|key, _| library.clip(key.clip).is_some());
        self.replaced.retain(|(key, _)| library.clip(key.clip).is_some());
        if self.selected.is_none_or(|id| self.library.clip(id).is_none()) {
            self.selected = self.library.clip_ids().chain(self.library.rig_ids()).next();
        }
        self.read_as_said();
        self.settle();
        self.fit_foreign();
        self.apply_edits();
        self.renew_study();
        self.schedule();
        self.changed();
    }

    /// A file that was given up is dropped.
    pub(super) fn take_in_file(
        &mut self,
        task: &ImportTask,
        result: Result<ImportedSource, TaskError>,
    ) -> Option<WorkspaceEvent> {
        if let Some(source) = self.rereading_of(task) {
            return self.take_in_again(source, task.options, result);
        }
        let at = self.reading.iter().position(|reading| reading == task)?;
        self.reading.remove(at);
        if self.reads_foreign(task) {
            return self.take_in_foreign(result);
        }
        Some(match result {
            Ok(source) => WorkspaceEvent::Opened { source: self.add_source(source) },
            Err(error) => WorkspaceEvent::Failed(error),
        })
    }

    pub(super) fn take_in_export(
        &mut self,
        task: ExportTask,
        result: Result<WrittenFile, TaskError>,
    ) -> Option<WorkspaceEvent> {
        if let Some(at) = self.writing.iter().position(|writing| *writing == task.path) {
            self.writing.remove(at);
        }
        Some(match result {
            Ok(WrittenFile { bytes, clips }) => WorkspaceEvent::Written { path: task.path, bytes, clips },
            Err(error) => WorkspaceEvent::Failed(error),
        })
    }
}
