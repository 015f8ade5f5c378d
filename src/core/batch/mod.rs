//! A library of clips: rules that choose recipes, results, the manifest of a run, gates, and what changed since a baseline.

mod budget;
mod choose;
mod clip_entry;
mod clip_match;
mod config;
mod diff;
mod gate;
mod index;
mod listing;
mod manifest;
mod merge;
mod names;
mod numbers;
mod output;
mod reported;
mod rule;
mod sidecar;
mod stored_numbers;
mod units;

pub use budget::{BudgetRow, BudgetRule, StoredBudget};
pub use choose::{ClipPattern, NoneChosen, choose_clips, is_chosen};
pub use clip_entry::{clip_entry, clip_key, container_in, sides_in};
pub use config::{BatchConfig, CONFIG_NAME, ConfigError};
pub use diff::{ClipChange, ManifestDiff};
pub use gate::{GATE_KEYS, Gate, GateError, GateKey, Unmet};
pub use index::{BatchIndex, FileRecord, FileStamp, OutputRecord};
pub use listing::{BesideFile, FileListing, ListedClip, LostClip, StoredHead};
pub use manifest::{MANIFEST_NAME, MANIFEST_SCHEMA, Manifest, ManifestError, ManifestRow, Totals};
pub use merge::{MergeError, merge_containers, merged_container};
pub use names::unique_names;
pub use numbers::ClipNumbers;
pub use output::{OnePer, OutputRules, output_format};
pub use rule::Rule;
pub use sidecar::Sidecar;
pub use stored_numbers::{StoredNumbers, number_key};
