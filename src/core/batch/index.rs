//! The index of a run: which files were read when, so that the next run over an unchanged library reads none of them. It can be thrown away.

use super::FileListing;
use crate::store::ResultKey;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::time::{Duration, SystemTime};

/// A file that was changed less than this before it was looked at may change again without a new time.
const TIME_STEP: Duration = Duration::from_secs(2);

/// Size and time of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Length, bytes.
    pub bytes: u64,
    /// Time of the last change since 1970.
    pub changed: Duration,
}

/// A file as it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Its size and time.
    pub stamp: FileStamp,
    /// Digest of its bytes.
    pub digest: String,
    /// Key of the listing of its clips, and the listing. `None` for files that are read with another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing: Option<(ResultKey, FileListing)>,
}

/// An output as it was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputRecord {
    /// Its size and time.
    pub stamp: FileStamp,
    /// Digest of the keys and names of its clips.
    pub made_of: ResultKey,
    /// Clips whose error in the file is over a limit, with the words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub played: BTreeMap<String, String>,
}

/// Files and outputs as the last run found them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BatchIndex {
    /// Files that were read, by absolute path.
    pub files: BTreeMap<String, FileRecord>,
    /// Files that were written, by path below the output folder.
    pub outputs: BTreeMap<String, OutputRecord>,
}

impl FileStamp {
    /// The stamp of a file. `None` if the system gives no time, or a time before 1970.
    pub fn of(about: &Metadata) -> Option<Self> {
        let changed = about.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some(Self { bytes: about.len(), changed })
    }

    /// True if a later change of the file certainly gives another stamp. False for a file that was just changed, and for a time in the
    /// future, which a clock that jumped leaves behind.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let changed = SystemTime::UNIX_EPOCH + self.changed;
        now.duration_since(changed).is_ok_and(|age| age > TIME_STEP)
    }
}

impl BatchIndex {
    /// Reads an index. One that cannot be read is empty, and only costs reading the files again.
    pub fn read(text: Option<&str>) -> Self {
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The index as text.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("an index is plain data")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_rests_is_known_by_its_time() {
        let now = SystemTime::now();
        let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let settled = |changed| FileStamp { bytes: 1, changed }.is_settled(now);
        assert!(settled(since - Duration::from_secs(3)));
        assert!(!settled(since - Duration::from_secs(1)));
        assert!(!settled(since + Duration::from_secs(100)));
    }

    #[test]
    fn an_index_comes_back_and_a_damaged_one_is_empty() {
        let stamp = FileStamp { bytes: 3, changed: Duration::new(5, 7) };
        let record =
            FileRecord { stamp, digest: "a".into(), listing: Some((ResultKey::of(&[]), FileListing::default())) };
        let mut index = BatchIndex::default();
        index.files.insert("/a".into(), record);
        assert_eq!(BatchIndex::read(Some(&index.to_text())), index);
        assert_eq!(BatchIndex::read(Some("{\"files\":")), BatchIndex::default());
        assert_eq!(BatchIndex::read(None), BatchIndex::default());
    }
}
