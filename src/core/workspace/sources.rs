use super::{ClipSlot, Workspace, WorkspaceEvent};
use crate::export::ExportTarget;
use crate::import::ImportOptions;
use crate::metrics::FootContacts;
use crate::model::{Additive, Clip, ClipId};
use crate::project::{Document, RigChoice};
use crate::tasks::{ExportTask, ImportTask, ImportedSource, Lane, Request, SourceFile, Task, TaskError, WrittenFile};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The clips of a file to export, and their recipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportScope {
    /// All clips, each with its recipe in the active slot.
    All,
    /// The approved clips, each with the recipe that it was approved with.
    Approved,
    /// The selected clip, with its recipe in the active slot.
    Clip,
}

impl ExportScope {
    /// In the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::All, Self::Approved, Self::Clip];
}

impl Workspace {
    /// Starts to read a file. Open files stay. [`WorkspaceEvent::Opened`] or [`WorkspaceEvent::Failed`] reports the end.
    pub fn open(&mut self, file: SourceFile, options: ImportOptions) {
        let task = ImportTask { file, options, containers: false };
        self.reading.push(task.clone());
        self.scheduler.submit(Request { key: None, task: Task::Import(task), live: true });
    }

    /// Stops reading. Files that are being read are not opened. A running importer ends on its own, and the next file waits for it.
    pub fn stop_reading(&mut self) {
        self.reading.clear();
        self.give_up_rereading();
        // The external file that was being read is dropped.
        if self.external_slot().is_some_and(|slot| self.waits_for_file(slot)) {
            self.drop_external();
        }
        self.scheduler.set_wanted(Lane::Import, Vec::new());
    }

    /// Files that are being read, oldest first. The bundled sample has no path. Open files that are read again come last.
    pub fn reading(&self) -> impl Iterator<Item = &Path> {
        let again = self.rereading.iter().map(|(task, _)| task);
        self.reading.iter().chain(again).filter_map(|task| task.file.path())
    }

    /// Adds a file to the library and returns its id. Its clips take their earlier marks and are compressed. A file without clips only
    /// shows its default pose.
    pub fn add_source(&mut self, source: ImportedSource) -> u32 {
        let id = self.library.add(source);
        self.library_changed();
        id
    }

    /// Closes a file and drops its results.
    pub fn close(&mut self, source: u32) {
        self.library.remove(source);
        self.library_changed();
    }

    /// Closes the bundled sample and replaces its recipes by the defaults, because they are not meant for the user's files. Changed recipes
    /// stay. Returns the letters of the replaced recipes.
    pub fn leave_sample(&mut self) -> Vec<&'static str> {
        let bundled: Vec<u32> = self.library.sources().iter().filter(|s| s.path.is_none()).map(|s| s.id).collect();
        if bundled.is_empty() {
            return Vec::new();
        }
        bundled.into_iter().for_each(|source| self.library.remove(source));
        let before = self.document().recipes.clone();
        self.document.amend(Document::leave_sample);
        self.document_changed();
        self.library_changed();
        let now = self.document();
        let is_other = |slot: &usize| before[*slot] != now.recipes[*slot];
        (0..before.len()).filter(is_other).map(|slot| now.letter(slot)).collect()
    }

    /// Starts an export: compresses clips of a file and writes them. [`WorkspaceEvent::Written`] or [`WorkspaceEvent::Failed`] reports the
    /// end.
    pub fn export(&mut self, clip: ClipId, scope: ExportScope, format: &'static str, path: PathBuf) {
        let Some(source) = self.library.source(clip.source) else { return };
        if let Some(waits) = self.first_unfixed(source) {
            return self.unmade.push(waits);
        }
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

    /// Stops the current export. The file stays as it was, and [`WorkspaceEvent::Failed`] reports the stop.
    pub fn stop_writing(&self) {
        self.scheduler.stop(Lane::Export);
    }

    /// Files that are being written, oldest first.
    pub fn writing(&self) -> &[PathBuf] {
        &self.writing
    }

    /// Marks a clip as looping or not, in one step. `None` removes the mark, so that loops are detected.
    pub fn mark_loop(&mut self, clip: ClipId, label: &str, mark: Option<bool>) {
        if let Some(key) = self.library.clip_key(clip) {
            self.edit(label, |document| document.mark_loop(&key, mark));
        }
    }

    /// The loop mark of a clip. `None` if it has none.
    pub fn loop_mark(&self, clip: ClipId) -> Option<bool> {
        self.document().loops.get(&self.library.clip_key(clip)?).copied()
    }

    /// Marks a clip as additive or not, in one step. `None` removes the mark, so that the mark in the file applies.
    pub fn mark_additive(&mut self, clip: ClipId, label: &str, mark: Option<Additive>) {
        if let Some(key) = self.library.clip_key(clip) {
            self.edit(label, |document| document.mark_additive(&key, mark));
        }
    }

    /// The additive mark of a clip. `None` if it has none.
    pub fn additive_mark(&self, clip: ClipId) -> Option<&Additive> {
        self.document().additive.get(&self.library.clip_key(clip)?)
    }

    /// Sets the rig for the clips of files, in one step. `None` removes the choice, so that the rig is found by joint names.
    pub fn choose_rig(&mut self, sources: &[u32], choice: Option<&RigChoice>) {
        let digests: Vec<_> = sources.iter().filter_map(|id| Some(self.library.source(*id)?.digest.clone())).collect();
        self.edit("Choose rig", |document| {
            digests.iter().for_each(|digest| document.choose_rig(digest, choice.cloned()));
        });
    }

    /// Draws the contacts of one foot of a clip, during an interaction. `None` removes them, so that contacts are detected.
    pub fn preview_contacts(&mut self, clip: ClipId, label: &str, joint: &str, spans_secs: Option<Vec<[f32; 2]>>) {
        if let Some(key) = self.library.clip_key(clip) {
            self.preview(label, |document| document.set_contacts(&key, joint, spans_secs));
        }
    }

    /// The feet of a clip whose contacts were drawn by hand.
    pub fn drawn_contacts(&self, clip: ClipId) -> &[FootContacts] {
        let drawn = self.library.clip_key(clip).and_then(|key| self.document().contacts.get(&key));
        drawn.map_or(&[], Vec::as_slice)
    }

    /// Updates everything after a change of the library: drops results of closed files and compresses new clips.
    pub(super) fn library_changed(&mut self) {
        let library = &self.library;
        self.answers.retain(|key, _| library.clip(key.clip).is_some());
        self.replaced.retain(|(key, _)| library.clip(key.clip).is_some());
        if self.selected.is_none_or(|id| self.library.clip(id).is_none()) {
            self.selected = self.library.clip_ids().chain(self.library.rig_ids()).next();
        }
        self.read_as_said();
        self.settle();
        self.fit_external();
        self.apply_edits();
        self.renew_study();
        self.schedule();
        self.changed();
    }

    /// Takes a file that was read. A file that is no longer wanted is dropped.
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
        if self.reads_external(task) {
            return self.take_in_external(result);
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
            Ok(file) => WorkspaceEvent::Written { path: task.path, file },
            Err(error) => WorkspaceEvent::Failed(error),
        })
    }
}
