use super::{Workspace, WorkspaceEvent};
use crate::import::ImportOptions;
use crate::model::ClipId;
use crate::tasks::{ImportTask, ImportedSource, Request, SourceFile, Task, TaskError};
use std::path::PathBuf;

impl Workspace {
    /// Starts to read an open file again with the same options. The old contents stay until then.
    ///
    /// [`WorkspaceEvent::Reread`] reports the end, and [`WorkspaceEvent::Failed`] that the old contents stay. A file with the same bytes
    /// causes no event, unless other files belong to it. The bundled sample has no file.
    pub fn reread(&mut self, source: u32) {
        let Some(known) = self.library.source(source) else { return };
        let Some(path) = known.path.clone() else { return };
        self.read_again(source, path, known.options);
    }

    fn read_again(&mut self, source: u32, path: PathBuf, options: ImportOptions) {
        let task = ImportTask { file: SourceFile::Path(path), options, containers: false };
        self.rereading.push((task.clone(), source));
        self.scheduler.submit(Request { key: None, task: Task::Import(task), live: true });
    }

    /// Reads open files with other options, in one step. The old contents stay until then.
    ///
    /// [`WorkspaceEvent::ReadAs`] reports the end, and [`WorkspaceEvent::Failed`] that a file stays as it was. The bundled sample has no
    /// file and stays.
    pub fn read_as(&mut self, label: &str, sources: &[u32], said: impl Fn(ImportOptions) -> ImportOptions) {
        let known = sources.iter().filter_map(|id| self.library.source(*id)).filter(|source| source.path.is_some());
        let readings: Vec<_> = known.map(|source| (source.digest.to_string(), said(source.options))).collect();
        self.edit(label, |document| document.readings.extend(readings));
    }

    /// Starts to read open files again whose options differ from the document's.
    pub(super) fn read_as_said(&mut self) {
        let readings = &self.document.present().readings;
        let sources = self.library.sources().iter().filter_map(|source| Some((source, source.path.clone()?)));
        let wanted = sources.map(|(source, path)| {
            let options = readings.get(&source.digest.to_string()).copied().unwrap_or(source.opened_as);
            (source.id, path, options, options != source.options)
        });
        for (id, path, options, is_otherwise) in wanted.collect::<Vec<_>>() {
            self.rereading.retain(|(task, source)| *source != id || task.options == options);
            if is_otherwise && !self.rereading.iter().any(|(_, source)| *source == id) {
                self.read_again(id, path, options);
            }
        }
    }

    /// Stops reading open files again. Their current import options stay.
    pub(super) fn give_up_rereading(&mut self) {
        for (_, source) in std::mem::take(&mut self.rereading) {
            self.stay_as_read(source);
        }
    }

    /// Stores the current import options of an open file in the document.
    fn stay_as_read(&mut self, source: u32) {
        if let Some(known) = self.library.source(source) {
            let (digest, options) = (known.digest.to_string(), known.options);
            self.document.amend(|document| _ = document.readings.insert(digest.clone(), options));
        }
    }

    /// Removes a task from the files that are read again. Returns the id of its open file.
    pub(super) fn rereading_of(&mut self, task: &ImportTask) -> Option<u32> {
        let at = self.rereading.iter().position(|(known, _)| known == task)?;
        Some(self.rereading.remove(at).1)
    }

    /// Replaces the old contents of a file by the new ones. Marks move to the clips of the same names. Old results stay until new ones are
    /// computed.
    pub(super) fn take_in_again(
        &mut self,
        id: u32,
        options: ImportOptions,
        result: Result<ImportedSource, TaskError>,
    ) -> Option<WorkspaceEvent> {
        let known = self.library.source(id)?;
        let is_as_before = options == known.options;
        let source = match result {
            Ok(source) if is_as_before && source.digest == known.digest && source.imported.beside.is_empty() => {
                return None;
            }
            Ok(source) => source,
            Err(error) => {
                self.stay_as_read(id);
                return Some(WorkspaceEvent::Failed(error));
            }
        };
        let names: Vec<String> = known.clips.iter().map(|clip| clip.name().to_owned()).collect();
        let selected = self.selected.filter(|clip| clip.source == id).and_then(|clip| names.get(clip.clip as usize));
        let (old, new) = (known.digest.clone(), source.digest.clone());
        let keys = self.library.renew(id, source);
        self.document.amend(|document| {
            keys.iter().for_each(|(old, new)| document.move_marks(old, new));
            document.renew_source(&old, &new);
        });
        let clips = &self.library.source(id)?.clips;
        let is_same = |clip: ClipId| {
            let at = clip.clip as usize;
            clip.source != id || names.get(at).zip(clips.get(at)).is_some_and(|(old, new)| old == new.name())
        };
        let found = selected.and_then(|name| clips.iter().position(|clip| clip.name() == name));
        if let Some(clip) = found {
            self.selected = Some(ClipId { source: id, clip: clip as u32 });
        }
        // Drops results whose clip changed its position in the file.
        self.answers.retain(|key, _| is_same(key.clip));
        self.replaced.clear();
        self.library_changed();
        Some(if is_as_before { WorkspaceEvent::Reread { source: id } } else { WorkspaceEvent::ReadAs { source: id } })
    }
}
