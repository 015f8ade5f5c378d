use super::{ClipNumbers, StoredBudget};
use crate::store::{Entry, EntryFault, Subject};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The clips of a file, which are known only after an import.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileListing {
    /// Its clips, in the order of the file.
    pub clips: Vec<ListedClip>,
    /// Clips that cannot be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostClip>,
    /// Digest of the rig of its clips.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rig: String,
    /// Other files that were read with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<BesideFile>,
}

/// A clip of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedClip {
    /// Its name, once in its file.
    pub name: String,
    /// Digest of what it is.
    pub subject: Subject,
    /// Tags that the file gives it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// A clip of a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LostClip {
    /// Its name.
    pub name: String,
    /// The reason.
    pub reason: String,
}

/// A file that is read with another one, such as the buffer of a glTF.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BesideFile {
    /// Its path, relative to the folder of the other file where it is below that folder.
    pub path: PathBuf,
    /// Digest of its bytes.
    pub digest: String,
}

/// The description of an entry in a store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StoredHead {
    /// The clips of a file. There is no payload.
    Listing(FileListing),
    /// The tolerances of clips that share a budget. There is no payload.
    Budget(StoredBudget),
    /// A budget that clips cannot share. There is no payload.
    RefusedBudget {
        /// The reason, as [`BudgetError`](crate::pipeline::BudgetError) says it.
        why: String,
    },
    /// Numbers of a clip for a study or a budget, by [`StoredNumbers`](super::StoredNumbers). The payload has them.
    Numbers {
        /// Their kind.
        of: String,
        /// The clip's name.
        clip: String,
    },
    /// A compressed clip. [`clip_entry`](super::clip_entry) makes its payload.
    Clip {
        /// Its name, once in its file.
        clip: String,
        /// Its numbers.
        numbers: Box<ClipNumbers>,
        /// Its report, as `report --json` has it, without times and the path of its file.
        report: serde_json::Value,
    },
}

impl StoredHead {
    /// An entry with this description.
    pub fn entry(&self, payload: Vec<u8>) -> Entry {
        Entry { head: serde_json::to_string(self).expect("the description is plain data"), payload }
    }

    /// The description of an entry.
    ///
    /// # Errors
    /// [`EntryFault::Head`].
    pub fn of(entry: &Entry) -> Result<Self, EntryFault> {
        serde_json::from_str(&entry.head).map_err(|_| EntryFault::Head)
    }
}
