use super::{Workspace, WorkspaceEvent};
use crate::session::{ClipId, ImportTask, ImportedSource, Request, SourceFile, Task, TaskError};

impl Workspace {
    /// Begins to read an open file again, as it was read before; what is open stays until the new is there.
    /// [`WorkspaceEvent::Reread`] tells the end, [`WorkspaceEvent::Failed`] that what was open stays; a file of the same bytes is no
    /// event. What is bundled has no file.
    pub fn reread(&mut self, source: u32) {
        let Some(known) = self.library.source(source) else { return };
        let Some(path) = known.path.clone() else { return };
        let task = ImportTask { file: SourceFile::Path(path), options: known.options, containers: false };
        self.rereading.push((task.clone(), source));
        self.scheduler.submit(Request { key: None, task: Task::Import(task), live: true });
    }

    /// Which open file a task was to read again; it does no more.
    pub(super) fn rereading_of(&mut self, task: &ImportTask) -> Option<u32> {
        let at = self.rereading.iter().position(|(known, _)| known == task)?;
        Some(self.rereading.remove(at).1)
    }

    /// The new file in the place of the old: marks of its clips stay by their names, old answers stand until new ones are there.
    pub(super) fn take_in_again(
        &mut self,
        id: u32,
        result: Result<ImportedSource, TaskError>,
    ) -> Option<WorkspaceEvent> {
        let known = self.library.source(id)?;
        let mut source = match result {
            Ok(source) if source.digest == known.digest && source.imported.beside.is_empty() => return None,
            Ok(source) => source,
            Err(error) => return Some(WorkspaceEvent::Failed(error)),
        };
        source.show_rig();
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
        // What stands at the place of another clip now says nothing of it.
        self.answers.retain(|key, _| is_same(key.clip));
        self.replaced.clear();
        self.library_changed();
        Some(WorkspaceEvent::Reread { source: id })
    }
}
