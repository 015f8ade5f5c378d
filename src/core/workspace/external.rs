//! The slot of the external file.

use super::state::{External, Read};
use super::{ClipSlot, Workspace, WorkspaceEvent};
use crate::codecs::LOSSLESS;
use crate::import::{ImportOptions, Imported};
use crate::pipeline::{ExternalClip, NoCounterpart};
use crate::project::{Alignment, ExternalFile};
use crate::recipe::Recipe;
use crate::tasks::{ImportTask, ImportedSource, Request, Task, TaskError};
use std::collections::HashMap;
use std::path::PathBuf;

impl Workspace {
    /// The slot of the external file, if there is one.
    pub fn external_slot(&self) -> Option<usize> {
        let document = self.document();
        document.external.as_ref().map(|_| document.recipes.len())
    }

    /// True if the external file is in the active slot.
    pub fn is_external_active(&self) -> bool {
        self.external_slot() == Some(self.active_slot)
    }

    /// Puts an external file into a slot. The limits of the active recipe judge it.
    ///
    /// The file is read in the background with the first of two sets of options. If it fits no rig with those, it is read with the second
    /// (see [`ImportOptions::of_other`]). If the file cannot be read, the slot disappears and [`WorkspaceEvent::Failed`] reports it. If it
    /// fits no rig at all, the slot stays and its results are errors.
    pub fn compare_with(&mut self, path: PathBuf, [options, other]: [ImportOptions; 2]) {
        let limits = Recipe { codec: LOSSLESS, values: Default::default(), ..Recipe::clone(self.active_recipe()) };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = ExternalFile { path, options, alignment: Alignment::default(), limits };
        self.edit(format!("Compare with {name}"), |document| document.external = Some(file));
        if let Some(external) = self.external.as_mut().filter(|external| external.read.is_none()) {
            external.other_guess = Some(other).filter(|other| *other != options);
        }
        self.external_slot().into_iter().for_each(|slot| self.activate_slot(slot));
    }

    /// Removes the external file.
    pub fn stop_comparing(&mut self) {
        self.edit("Stop comparing", |document| document.external = None);
    }

    /// Moves the external file in time, during an interaction.
    pub fn preview_alignment(&mut self, alignment: Alignment) {
        self.preview("Shift the external file", |document| {
            document.external.iter_mut().for_each(|external| external.alignment = alignment);
        });
    }

    /// Moves the external file by samples of the selected clip, in one step.
    pub fn shift_external(&mut self, samples: f64) {
        let rate_hz = self.selected.and_then(|id| self.library.clip(id)).map_or(0.0, |(_, clip)| clip.grid().rate_hz());
        let Some(ExternalFile { alignment: Alignment { offset_secs }, .. }) = &self.document().external else { return };
        if rate_hz > 0.0 {
            let alignment = Alignment { offset_secs: offset_secs + (samples / rate_hz) as f32 };
            self.commit();
            self.preview_alignment(alignment);
            self.commit();
        }
    }

    /// Letter of a slot: A, B, C, and F for the external file.
    pub fn slot_letter(&self, slot: usize) -> &'static str {
        self.document().letter(slot)
    }

    /// Title of a slot: its recipe, the named recipe of the selected clip, or the external file.
    pub fn slot_title(&self, slot: usize) -> String {
        match &self.external {
            Some(external) if self.external_slot() == Some(slot) => external.file.to_string(),
            _ => match self.selected.and_then(|clip| self.given_name(ClipSlot { clip, slot })) {
                Some(name) => name.to_owned(),
                None => self.own_title(slot),
            },
        }
    }

    /// The external result in a slot. `None` in the slots of recipes, and while the file is read.
    pub(super) fn judged(&self, key: ClipSlot) -> Option<Result<ExternalClip, NoCounterpart>> {
        let source = self.library.source(key.clip.source)?;
        let clip = source.clips.get(key.clip.clip as usize)?;
        let file = self.document().external.as_ref().filter(|_| self.external_slot() == Some(key.slot))?;
        self.external.as_ref()?.beside(source, clip, file.alignment.offset_secs.into())
    }

    /// True if the slot's file is still being read.
    pub(super) fn waits_for_file(&self, slot: usize) -> bool {
        self.external_slot() == Some(slot) && self.external.as_ref().is_none_or(|external| external.read.is_none())
    }

    /// Reads the document's external file, unless it is already open.
    pub(super) fn renew_external(&mut self) {
        let file = self.document.present().external.as_ref();
        let is_there = match (&self.external, file) {
            (Some(external), Some(file)) => external.is_of(file),
            (external, file) => external.is_none() && file.is_none(),
        };
        if is_there {
            return;
        }
        if let Some(old) = self.external.take() {
            self.reading.retain(|task| *task != old.task);
        }
        self.external = file.map(External::new);
        if let Some(external) = &self.external {
            let task = external.task.clone();
            self.reading.push(task.clone());
            self.scheduler.submit(Request { key: None, task: Task::Import(task), live: true });
        }
    }

    /// Starts to read the external file again. The old contents stay until then. [`WorkspaceEvent::RereadExternal`] or
    /// [`WorkspaceEvent::Failed`] reports the end.
    pub fn reread_external(&mut self) {
        let read = self.external.as_ref().filter(|external| external.read.is_some());
        let Some(task) = read.map(|external| external.task.clone()).filter(|task| !self.reading.contains(task)) else {
            return;
        };
        self.reading.push(task.clone());
        self.scheduler.submit(Request { key: None, task: Task::Import(task), live: true });
    }

    /// Puts the clips of the external file on the rigs of the open files.
    pub(super) fn fit_external(&mut self) {
        if let Some(external) = &mut self.external {
            external.fit(self.library.sources());
        }
    }

    /// True if that task reads the external file.
    pub(super) fn reads_external(&self, task: &ImportTask) -> bool {
        self.external.as_ref().is_some_and(|external| external.task == *task)
    }

    pub(super) fn take_in_external(&mut self, result: Result<ImportedSource, TaskError>) -> Option<WorkspaceEvent> {
        match result {
            Ok(ImportedSource { imported: Imported { rig, clips, clip_bytes, .. }, .. }) => {
                let external = self.external.as_mut()?;
                let new = Read { rig, clips, bytes: clip_bytes, on_rigs: HashMap::new() };
                let was_read = external.read.replace(new).is_some();
                self.fit_external();
                self.guess_again();
                self.schedule();
                self.changed();
                was_read.then_some(WorkspaceEvent::RereadExternal)
            }
            // The old contents stay.
            Err(error) if self.external.as_ref().is_some_and(|external| external.read.is_some()) => {
                Some(WorkspaceEvent::Failed(error))
            }
            Err(error) => {
                self.drop_external();
                Some(WorkspaceEvent::Failed(error))
            }
        }
    }

    /// Reads the external file with the other options, if it fits no rig.
    fn guess_again(&mut self) {
        let Some(external) = self.external.as_mut().filter(|external| external.fits_nowhere()) else { return };
        let Some(other) = external.other_guess.take() else { return };
        let task = external.task.clone();
        let is_it = |file: &ExternalFile| task.file.path() == Some(&file.path) && task.options == file.options;
        self.document.amend(|document| {
            document.external.iter_mut().filter(|file| is_it(file)).for_each(|file| file.options = other);
        });
        self.document_changed();
    }

    /// Drops an external file that cannot be read. Undo does not restore it.
    pub(super) fn drop_external(&mut self) {
        let Some(file) = self.document.present().external.clone() else { return };
        let is_it = |other: &ExternalFile| other.path == file.path && other.options == file.options;
        self.document.amend(|document| document.external = document.external.take().filter(|other| !is_it(other)));
        self.document_changed();
    }
}
