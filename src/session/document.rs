use super::Recipe;
use serde::{Deserialize, Serialize};

/// What a person decides, and can take back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Recipe slots A, B, C: never empty.
    pub recipes: Vec<Recipe>,
}

/// Letters of the slots.
pub const SLOT_LETTERS: [&str; 3] = ["A", "B", "C"];

impl Default for Document {
    /// What a first start shows: A is small, within its tolerance, and lets a foot slide; B holds the feet; C chooses a
    /// bit rate for each track of each segment.
    fn default() -> Self {
        let with = |codec, tolerance_m| Recipe { tolerance_m, ..Recipe::of(codec) };
        Self { recipes: vec![with("linear-keys", 0.006), with("linear-keys", 0.0002), with("variable-rate", 0.0002)] }
    }
}
