//! Reasons of failures. A program that works on a part of a library leaves them for the one that merges the parts.

use super::{ResultKey, Store, StoreError};
use crate::files;
use std::fs;
use std::path::PathBuf;

/// Folder of the reasons.
pub(super) const FAILURES: &str = "failures";

impl Store {
    fn failure_path(&self, key: &ResultKey) -> PathBuf {
        self.folder().join(FAILURES).join(key.to_string())
    }

    /// Why the last program that worked on a key made no result. `None` if it made one, or if there was no work yet.
    pub fn failure(&self, key: &ResultKey) -> Option<String> {
        files::read_text(&self.failure_path(key)).ok()
    }

    /// Writes why a key has no result. [`Store::put`] removes it.
    ///
    /// # Errors
    /// [`StoreError::System`].
    pub fn put_failure(&self, key: &ResultKey, reason: &str) -> Result<(), StoreError> {
        self.make_folder(&self.folder().join(FAILURES))?;
        self.write(&self.failure_path(key), reason.as_bytes())
    }

    /// Forgets why a key had no result.
    pub(super) fn clear_failure(&self, key: &ResultKey) {
        let _ = fs::remove_file(self.failure_path(key)); // mostly there is none
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Entry;

    #[test]
    fn a_reason_stays_until_there_is_a_result() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let key = ResultKey::of(&[("clip", "walk")]);
        assert_eq!(store.failure(&key), None);
        store.put_failure(&key, "first").unwrap();
        store.put_failure(&key, "it is torn").unwrap();
        assert_eq!(store.failure(&key).as_deref(), Some("it is torn"));
        store.put(&key, &Entry { head: "{}".into(), payload: Vec::new() }).unwrap();
        assert_eq!(store.failure(&key), None);
    }
}
