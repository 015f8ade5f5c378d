//! Files of notes, as pages of reports write them: for reviewers who have no project.

use crate::model::{ClipKey, SourceDigest};
use crate::project::document::LONGEST_SECS;
use crate::project::{Document, MomentNote, ProjectSource};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The format version that this program writes and reads.
const SCHEMA: u32 = 1;
/// The kind of file. Other JSON is refused.
const KIND: &str = "posepress-notes";

/// Notes about moments of clips. They name a clip by its file and its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotesFile {
    kind: String,
    schema: u32,
    /// The notes, in the order in which they were written.
    pub notes: Vec<SharedNote>,
}

/// A note and the clip that it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedNote {
    /// Name of the clip's file, without its folder.
    pub file: String,
    /// Name of the clip in its file.
    pub clip: String,
    /// The note.
    #[serde(flatten)]
    pub note: MomentNote,
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MergedNotes {
    /// Number of notes that were added.
    pub added: usize,
    /// Number of notes that the project already had.
    pub known: usize,
    /// Notes whose file is not in the project, or is there more than once.
    pub unplaced: Vec<SharedNote>,
}

/// Why a file of notes cannot be read.
#[derive(Debug, Error)]
pub enum NotesFileError {
    /// The text is not JSON, or holds no notes.
    #[error("it is no file of notes: {0}")]
    Json(#[from] serde_json::Error),
    /// The file is JSON of another kind.
    #[error("it is no file of notes: its kind is {0}; expected '{KIND}'")]
    Kind(String),
    /// The file has another format version.
    #[error("it is of schema {0}; this program reads schema {SCHEMA}")]
    Schema(u32),
    /// A note is at no time of a clip.
    #[error("the note '{text}' is at {at_secs} s; expected 0 to {LONGEST_SECS} s")]
    #[allow(missing_docs)] // the message says it
    Time { at_secs: f32, text: String },
}

#[derive(Deserialize)]
struct Versioned {
    kind: Option<String>,
    schema: u32,
}

impl NotesFile {
    /// Reads notes from JSON.
    ///
    /// # Errors
    /// See [`NotesFileError`].
    pub fn from_json(text: &str) -> Result<Self, NotesFileError> {
        match serde_json::from_str::<Versioned>(text)? {
            Versioned { kind, .. } if kind.as_deref() != Some(KIND) => {
                return Err(NotesFileError::Kind(
                    kind.map_or_else(|| "not given".to_owned(), |kind| format!("'{kind}'")),
                ));
            }
            Versioned { schema, .. } if schema != SCHEMA => return Err(NotesFileError::Schema(schema)),
            Versioned { .. } => {}
        }
        let file: Self = serde_json::from_str(text)?;
        match file.notes.iter().find(|shared| !(0.0..=LONGEST_SECS).contains(&shared.note.at_secs)) {
            Some(SharedNote { note, .. }) => {
                Err(NotesFileError::Time { at_secs: note.at_secs, text: note.text.clone() })
            }
            None => Ok(file),
        }
    }

    /// Adds the notes to a project's document. A note that the document already has is not added again.
    pub fn merge(&self, sources: &[ProjectSource], document: &mut Document) -> MergedNotes {
        let mut merged = MergedNotes::default();
        for shared in &self.notes {
            let Some(digest) = digest_of(&shared.file, sources) else {
                merged.unplaced.push(shared.clone());
                continue;
            };
            let (clip, note) = (ClipKey::new(&digest, &shared.clip), shared.note.clone());
            if document.notes.get(&clip).is_some_and(|notes| notes.contains(&note)) {
                merged.known += 1;
            } else {
                document.add_note(&clip, note);
                merged.added += 1;
            }
        }
        merged
    }
}

/// The digest of the only file with that name.
fn digest_of(file: &str, sources: &[ProjectSource]) -> Option<SourceDigest> {
    let mut found = sources.iter().filter(|source| source.path.file_name().is_some_and(|name| name == file));
    match (found.next(), found.next()) {
        (Some(source), None) => Some(SourceDigest::stored(&source.digest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ImportOptions;

    const TEXT: &str = r#"{"kind":"posepress-notes","schema":1,"notes":[
        {"file":"walk.glb","clip":"Walk","at_secs":0.5,"joint":"foot_l","text":"pops","author":"ana","time":"2026-11-28T10:00:00Z"},
        {"file":"run.glb","clip":"Run","at_secs":0.1,"text":"fine"}]}"#;

    fn source(path: &str) -> ProjectSource {
        let digest = SourceDigest::of(path.as_bytes()).to_string();
        ProjectSource { path: path.into(), digest, import: ImportOptions::default() }
    }

    #[test]
    fn notes_are_added_once_to_the_clip_of_their_file() {
        let (file, mut document) = (NotesFile::from_json(TEXT).unwrap(), Document::default());
        let sources = [source("a/walk.glb"), source("a/jump.glb")];
        let merged = file.merge(&sources, &mut document);
        assert_eq!((merged.added, merged.known, merged.unplaced.len()), (1, 0, 1));
        let key = ClipKey::new(&SourceDigest::of(b"a/walk.glb"), "Walk");
        assert_eq!(document.notes[&key][0].text, "pops");
        let again = file.merge(&sources, &mut document);
        assert_eq!((again.added, again.known, document.notes[&key].len()), (0, 1, 1));
    }

    #[test]
    fn a_name_of_two_files_names_none() {
        let (file, mut document) = (NotesFile::from_json(TEXT).unwrap(), Document::default());
        let merged = file.merge(&[source("a/walk.glb"), source("b/walk.glb")], &mut document);
        assert_eq!((merged.added, merged.unplaced.len()), (0, 2));
        assert!(document.notes.is_empty());
    }

    #[test]
    fn other_files_are_refused() {
        let error = |text: &str| NotesFile::from_json(text).unwrap_err().to_string();
        assert!(error("{}").contains("no file of notes"));
        assert!(error(r#"{"kind":"posepress-notes","schema":2}"#).contains("schema 2"));
        assert!(error(r#"{"kind":"posepress-signoff","schema":1,"notes":[]}"#).contains("kind is 'posepress-signoff'"));
        assert!(error(&TEXT.replace("kind", "sort")).contains("kind is not given"));
        assert!(error(&TEXT.replace("0.5", "-1")).contains("'pops' is at -1 s"));
    }
}
