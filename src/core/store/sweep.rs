//! Removing entries that were not used for long, and what ended programs left.

use super::failure::FAILURES;
use super::folder::{ENTRIES, PART, sub_folders};
use super::lease::LEASES;
use super::{Store, StoreError, StoredEntry};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Files that are not complete are left by programs that ended. After this time no program still writes one, and no run still needs the
/// reason of a failure.
const UNFINISHED: Duration = Duration::from_secs(24 * 60 * 60);

/// The entries that stay in a store.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sweep {
    /// Entries that were used in this time stay.
    pub keep: Option<Duration>,
    /// Largest sum of the entries that stay, bytes. Those that were not used for longest are removed.
    pub max_bytes: Option<u64>,
}

/// The result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Number of entries that were removed.
    pub removed: usize,
    /// Their size, bytes.
    pub removed_bytes: u64,
    /// Number of entries that stay.
    pub kept: usize,
    /// Their size, bytes.
    pub kept_bytes: u64,
}

impl Store {
    /// Removes entries by age and size, and files that ended programs left.
    ///
    /// # Errors
    /// [`StoreError::System`].
    pub fn sweep(&self, sweep: Sweep, now: SystemTime) -> Result<Swept, StoreError> {
        let mut entries = self.entries()?;
        // The entry that was used last comes first. Ties go to the smaller key.
        entries.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.key.cmp(&b.key)));
        let mut swept = Swept::default();
        for StoredEntry { key, bytes, used } in entries {
            let is_old = sweep.keep.is_some_and(|keep| age(now, used) > keep);
            let is_too_much = sweep.max_bytes.is_some_and(|most| swept.kept_bytes + bytes > most);
            if is_old || is_too_much {
                self.remove(&key)?;
                (swept.removed, swept.removed_bytes) = (swept.removed + 1, swept.removed_bytes + bytes);
            } else {
                (swept.kept, swept.kept_bytes) = (swept.kept + 1, swept.kept_bytes + bytes);
            }
        }
        self.left(now).iter().for_each(|path| _ = fs::remove_file(path)); // another program may be faster
        Ok(swept)
    }

    /// Files that were not completed, and reasons of failures, that are too old to be in work.
    fn left(&self, now: SystemTime) -> Vec<PathBuf> {
        let folders = sub_folders(&self.folder().join(ENTRIES)).unwrap_or_default();
        let folders = folders.into_iter().chain(["", LEASES, FAILURES].map(|name| self.folder().join(name)));
        let files = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let is_left = |file: &fs::DirEntry| {
            let path = file.path();
            let is_reason = path.parent().is_some_and(|folder| folder.ends_with(FAILURES));
            let is_part = is_reason || path.extension().is_some_and(|extension| extension == PART);
            let changed = file.metadata().and_then(|about| about.modified());
            is_part && changed.is_ok_and(|changed| age(now, changed) > UNFINISHED)
        };
        files.filter(is_left).map(|file| file.path()).collect()
    }
}

/// Zero for times in the future, which clocks that jump leave behind.
fn age(now: SystemTime, then: SystemTime) -> Duration {
    now.duration_since(then).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Entry, ResultKey};

    /// A store with an entry of each age in days. The later ones are larger.
    fn aged(ages: &[u64], now: SystemTime) -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        for (at, days) in ages.iter().enumerate() {
            let key = ResultKey::of(&[("clip", &days.to_string())]);
            store.put(&key, &Entry { head: "{}".into(), payload: vec![0; 1000 * (at + 1)] }).unwrap();
            let (start, rest) = key.place();
            let path = folder.path().join(ENTRIES).join(start).join(rest);
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(now - Duration::from_secs(days * 86_400)).unwrap();
        }
        (folder, store)
    }

    #[test]
    fn what_was_used_last_stays() {
        let now = SystemTime::now();
        let (_folder, store) = aged(&[1, 5, 40], now);
        let day = Duration::from_secs(86_400);
        let swept = store.sweep(Sweep { keep: Some(30 * day), max_bytes: None }, now).unwrap();
        assert_eq!((swept.removed, swept.kept), (1, 2));
        let swept = store.sweep(Sweep { keep: None, max_bytes: Some(1500) }, now).unwrap();
        assert_eq!((swept.removed, swept.kept), (1, 1));
        assert!(store.has(&ResultKey::of(&[("clip", "1")])));
        // A clock that was set back makes nothing old.
        let before = now - 365 * day;
        assert_eq!(store.sweep(Sweep { keep: Some(day), max_bytes: None }, before).unwrap().removed, 0);
    }

    #[test]
    fn files_of_programs_that_ended_go_and_fresh_ones_stay() {
        let now = SystemTime::now();
        let (folder, store) = aged(&[1], now);
        for name in ["old.1.part", "new.1.part"] {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        let old = fs::File::options().write(true).open(folder.path().join("old.1.part")).unwrap();
        old.set_modified(now - 2 * UNFINISHED).unwrap();
        drop(old);
        store.sweep(Sweep::default(), now).unwrap();
        assert!(!folder.path().join("old.1.part").exists() && folder.path().join("new.1.part").exists());
    }
}
