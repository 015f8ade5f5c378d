use super::Recipe;
use crate::codecs::{Codec, LinearKeys, VariableRate};
use crate::metrics::FootPlants;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a person decides, and can take back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Recipe slots A, B, C: never empty.
    pub recipes: Vec<Recipe>,
    /// Plants drawn by hand, by [`Library::clip_key`](super::Library::clip_key): what was found stands for all others.
    #[serde(default)]
    pub plants: BTreeMap<String, Vec<FootPlants>>,
    /// Clips marked as looping (true) or not (false), by the same key: all others are as found.
    #[serde(default)]
    pub loops: BTreeMap<String, bool>,
}

impl Document {
    /// Sets the plants of one foot of a clip; `None` goes back to those that are found.
    pub fn set_plants(&mut self, clip_key: &str, joint: &str, spans_secs: Option<Vec<[f32; 2]>>) {
        let feet = self.plants.entry(clip_key.to_owned()).or_default();
        feet.retain(|f| f.joint != joint);
        feet.extend(spans_secs.map(|spans_secs| FootPlants { joint: joint.to_owned(), spans_secs }));
        feet.sort_by(|a, b| a.joint.cmp(&b.joint));
        if feet.is_empty() {
            self.plants.remove(clip_key);
        }
    }

    /// Marks a clip as looping or not; `None` goes back to what was found in its samples.
    pub fn mark_loop(&mut self, clip_key: &str, mark: Option<bool>) {
        match mark {
            Some(loops) => drop(self.loops.insert(clip_key.to_owned(), loops)),
            None => drop(self.loops.remove(clip_key)),
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
