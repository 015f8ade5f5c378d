use super::Workspace;
use crate::model::ClipId;
use crate::project::{MergedNotes, MomentNote, NotesFile, ProjectSource};

impl Workspace {
    /// The notes about a clip, ordered by their time in the clip.
    pub fn notes(&self, clip: ClipId) -> &[MomentNote] {
        let notes = self.library().clip_key(clip).and_then(|key| self.document().notes.get(&key));
        notes.map_or(&[], Vec::as_slice)
    }

    /// Adds a note about a moment of a clip, in one step.
    pub fn add_note(&mut self, clip: ClipId, note: MomentNote) {
        if let Some(key) = self.library().clip_key(clip) {
            self.edit("Note", |document| document.add_note(&key, note));
        }
    }

    /// Adds the notes of a file, in one step. `sources` are the files of the project.
    pub fn merge_notes(&mut self, file: &NotesFile, sources: &[ProjectSource]) -> MergedNotes {
        let mut merged = MergedNotes::default();
        self.edit("Merge notes", |document| merged = file.merge(sources, document));
        merged
    }

    /// Changes a note, in one step. An empty text removes it.
    pub fn change_note(&mut self, clip: ClipId, index: usize, text: &str) {
        if let Some(key) = self.library().clip_key(clip) {
            let label = if text.trim().is_empty() { "Remove note" } else { "Change note" };
            self.edit(label, |document| document.change_note(&key, index, text));
        }
    }
}
