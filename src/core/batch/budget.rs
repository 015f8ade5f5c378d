use super::clip_match::{ClipMatch, MATCH_KEYS, known};
use super::units::size_bytes;
use crate::pipeline::BudgetLimits;
use crate::text;
use serde::{Deserialize, Serialize};
use toml::Value;

/// A budget of `posepress.toml`: clips, and the most that they may take.
#[derive(Debug, Clone)]
pub struct BudgetRule {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The limits.
    pub limits: BudgetLimits,
    clips: ClipMatch,
}

impl BudgetRule {
    /// Reads a budget. The error is the reason, without the file and the number.
    pub(super) fn read(number: usize, value: &Value) -> Result<Self, String> {
        let table = value.as_table().ok_or("expected a table [[budget]]")?;
        known(table, "key", &[&MATCH_KEYS[..], &["most", "memory"]].concat())?;
        let size = |key: &str| match table.get(key) {
            None => Ok(None),
            Some(value) => {
                let bytes = value.as_str().and_then(size_bytes).filter(|bytes| *bytes >= 1.0);
                let wrong = || format!("'{key}' must be a size in quotes, such as \"80MB\"");
                bytes.map(|bytes| Some(bytes as usize)).ok_or_else(wrong)
            }
        };
        let limits = BudgetLimits { file: size("most")?, memory: size("memory")? };
        if limits == BudgetLimits::default() {
            return Err("expected 'most' or 'memory', such as most = \"80MB\"".into());
        }
        Ok(Self { number, limits, clips: ClipMatch::read(table)? })
    }

    /// True if a clip is among those of the budget. Paths are those of [`super::Rule::is_about`].
    pub fn is_about(&self, file: &str, clip: &str, tags: &[String]) -> bool {
        self.clips.is_about(file, clip, tags)
    }

    /// The budget in words.
    pub fn words(&self) -> String {
        format!("{}: at most {}", self.clips.words(), self.limits.words())
    }
}

/// The tolerances of clips that share a budget, as a store keeps them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredBudget {
    /// Size of the containers, bytes.
    pub bytes: u64,
    /// Memory of the opened clips, bytes.
    pub memory_bytes: u64,
    /// Indices of clips that could not be compressed, and have no part in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<usize>,
    /// The tolerance of each other clip, metres, in the order of the clips.
    pub tolerances_m: Vec<f32>,
    /// The worst error of each of them as a share of the limit of its recipe. At 1 it just passes.
    pub worst: Vec<f32>,
}

/// A budget and what became of it, in a manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetRow {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The budget in words.
    pub budget: String,
    /// Number of its clips.
    pub clips: usize,
    /// Largest size of their containers, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_bytes: Option<usize>,
    /// Largest memory of the opened clips, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_memory_bytes: Option<usize>,
    /// Size of the containers with the chosen tolerances, bytes.
    pub bytes: u64,
    /// Memory of the opened clips with these, bytes.
    pub memory_bytes: u64,
    /// The clip with the worst error for its recipe.
    pub worst_clip: String,
    /// That error as a share of the limit of the recipe.
    pub worst: f32,
}

impl BudgetRow {
    /// The row in words.
    pub fn words(&self) -> String {
        let clips = text::count(self.clips, "clip");
        let [bytes, memory] = [self.bytes, self.memory_bytes].map(text::bytes);
        let worst = format!("the worst, {}, is at {:.2} times its limit", self.worst_clip, self.worst);
        format!("{clips} in {bytes}, {memory} of memory; {worst}")
    }
}
