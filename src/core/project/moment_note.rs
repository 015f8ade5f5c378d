//! Notes about a moment of a clip and a joint, for other people on the team.

use crate::model::ClipKey;
use crate::project::{Document, Reviewer};
use serde::{Deserialize, Serialize};

/// A note about a moment of a clip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MomentNote {
    /// Seconds from the clip's start. It does not depend on the sample rate.
    pub at_secs: f32,
    /// Name of the joint that the note is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// The text.
    pub text: String,
    /// The author.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Time of writing, as RFC 3339.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub time: String,
}

impl MomentNote {
    /// A reviewer's note about a moment and a joint.
    pub fn new(at_secs: f32, joint: Option<String>, by: Reviewer) -> Self {
        let Reviewer { author, note, time } = by;
        let time = humantime::format_rfc3339_seconds(time).to_string();
        Self { at_secs, joint, text: note.trim().to_owned(), author, time }
    }
}

impl Document {
    /// Adds a note to a clip. Notes are ordered by their time in the clip.
    pub fn add_note(&mut self, clip: &ClipKey, note: MomentNote) {
        let notes = self.notes.entry(clip.clone()).or_default();
        let at = notes.partition_point(|known| known.at_secs <= note.at_secs);
        notes.insert(at, note);
    }

    /// Changes the text of a note, by its index. An empty text removes the note.
    pub fn change_note(&mut self, clip: &ClipKey, index: usize, text: &str) {
        let Some(notes) = self.notes.get_mut(clip).filter(|notes| index < notes.len()) else { return };
        match text.trim() {
            "" => drop(notes.remove(index)),
            text => text.clone_into(&mut notes[index].text),
        }
        if notes.is_empty() {
            self.notes.remove(clip);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceDigest;

    #[test]
    fn notes_stand_in_the_order_of_their_moments_and_survive_their_file() {
        let clip = ClipKey::new(&SourceDigest::of(b"walk"), "walk");
        let note = |at_secs, text: &str| MomentNote {
            at_secs,
            joint: Some("foot_l".into()),
            text: text.into(),
            author: "ana".into(),
            time: String::new(),
        };
        let mut document = Document::default();
        for (at_secs, text) in [(0.5, "pops"), (0.1, "first"), (0.5, "again")] {
            document.add_note(&clip, note(at_secs, text));
        }
        let texts = |document: &Document| document.notes[&clip].iter().map(|n| n.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&document), ["first", "pops", "again"]);
        assert_eq!(Document::from_toml(&document.to_toml()).unwrap(), document);
        document.change_note(&clip, 1, " the heel pops ");
        document.change_note(&clip, 0, " ");
        document.change_note(&clip, 9, "there is none");
        assert_eq!(texts(&document), ["the heel pops", "again"]);
        document.change_note(&clip, 0, "");
        document.change_note(&clip, 0, "");
        assert!(document.notes.is_empty());
        document.add_note(&clip, note(f32::NAN, "nowhere"));
        assert!(Document::from_toml(&document.to_toml()).unwrap_err().to_string().contains("nowhere"));
    }
}
