use super::{ClipKey, Recipe, RecipeError};
use crate::codecs::{Codec, LinearKeys, VariableRate};
use crate::metrics::FootPlants;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// What a person decides, and can take back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Recipe slots A, B, C: never empty.
    pub recipes: Vec<Recipe>,
    /// Plants drawn by hand: what was found stands for all other clips.
    #[serde(default)]
    pub plants: BTreeMap<ClipKey, Vec<FootPlants>>,
    /// Clips marked as looping (true) or not (false): all others are as found.
    #[serde(default)]
    pub loops: BTreeMap<ClipKey, bool>,
}

/// Why a saved document cannot be used.
#[derive(Debug, Error)]
pub enum DocumentError {
    /// Not a document, or one of another version.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A recipe does not fit this version.
    #[error("recipe {letter}: {error}")]
    Recipe {
        /// Its slot.
        letter: &'static str,
        /// What does not fit.
        error: RecipeError,
    },
    /// More recipes than slots, or none.
    #[error("found {found} recipes; expected 1 to {}", SLOT_LETTERS.len())]
    Slots {
        /// Recipes found.
        found: usize,
    },
}

impl Document {
    /// Reads what [`Self::to_json`] wrote, in this version or an older one.
    ///
    /// # Errors
    /// See [`DocumentError`].
    pub fn from_json(text: &str) -> Result<Self, DocumentError> {
        let mut document: Self = serde_json::from_str(text)?;
        let found = document.recipes.len();
        if !(1..=SLOT_LETTERS.len()).contains(&found) {
            return Err(DocumentError::Slots { found });
        }
        for (recipe, letter) in document.recipes.iter_mut().zip(SLOT_LETTERS) {
            let valid = std::mem::take(recipe).validated();
            *recipe = valid.map_err(|error| DocumentError::Recipe { letter, error })?;
        }
        Ok(document)
    }

    /// The document as text, to be kept.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a document is plain data")
    }

    /// Sets the plants of one foot of a clip; `None` goes back to those that are found.
    pub fn set_plants(&mut self, clip: &ClipKey, joint: &str, spans_secs: Option<Vec<[f32; 2]>>) {
        let feet = self.plants.entry(clip.clone()).or_default();
        feet.retain(|f| f.joint != joint);
        feet.extend(spans_secs.map(|spans_secs| FootPlants { joint: joint.to_owned(), spans_secs }));
        feet.sort_by(|a, b| a.joint.cmp(&b.joint));
        if feet.is_empty() {
            self.plants.remove(clip);
        }
    }

    /// Marks a clip as looping or not; `None` goes back to what was found in its samples.
    pub fn mark_loop(&mut self, clip: &ClipKey, mark: Option<bool>) {
        match mark {
            Some(loops) => drop(self.loops.insert(clip.clone(), loops)),
            None => drop(self.loops.remove(clip)),
        }
    }

    /// Gives a clip what was said of it under an older key, unless something newer was said.
    pub(super) fn rename_clip(&mut self, old: &ClipKey, new: &ClipKey) {
        if let Some(plants) = self.plants.remove(old) {
            self.plants.entry(new.clone()).or_insert(plants);
        }
        if let Some(loops) = self.loops.remove(old) {
            self.loops.entry(new.clone()).or_insert(loops);
        }
    }
}

/// Letters of the slots.
pub const SLOT_LETTERS: [&str; 3] = ["A", "B", "C"];

impl Default for Document {
    /// What a first start shows: A is small, within its tolerance, and lets a foot slide; B holds the feet; C chooses a
    /// bit rate for each track of each segment.
    fn default() -> Self {
        let with = |codec: &'static dyn Codec, tolerance_m| Recipe { tolerance_m, ..Recipe::of(codec) };
        Self {
            recipes: vec![with(&LinearKeys, 0.006), with(&LinearKeys, 0.0002), with(&VariableRate, 0.0002)],
            plants: BTreeMap::new(),
            loops: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_again_and_what_does_not_fit_is_named() {
        let document = Document::default();
        assert_eq!(Document::from_json(&document.to_json()).unwrap(), document);
        let error = |text: &str| Document::from_json(text).unwrap_err().to_string();
        assert!(error("{\"recipes\": [").contains("line 1"));
        assert_eq!(error("{\"recipes\": []}"), "found 0 recipes; expected 1 to 3");
        let mut bad = document;
        bad.recipes[1].tolerance_m = -1.0;
        let text = error(&bad.to_json());
        assert!(text.starts_with("recipe B: ") && text.contains("tolerance_m"), "{text}");
    }
}
