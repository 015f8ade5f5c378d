use super::{Entry, EntryFault, ResultKey};
use crate::files::{self, ReadError, patiently};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};
use thiserror::Error;

/// The file that marks a folder as a store, and its contents.
const MARK: (&str, &str) = ("posepress-store", "1\n");
/// Folder of the entries, with one folder per first two digits of a key.
pub(super) const ENTRIES: &str = "entries";
/// Ending of files that are not complete yet.
pub(super) const PART: &str = "part";
/// An entry's time of use is written again only when it is older, so that a run over an unchanged library writes nothing.
const USED_AGAIN: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder of results.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

/// Why a store or an entry cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// An error of the operating system.
    #[error("store: {}: {error}", path.display())]
    System {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The folder has other things in it, or is the store of another version.
    #[error("{}: {what}. Give the folder of a store, or an empty one for a new store", path.display())]
    NotAStore {
        /// The folder.
        path: PathBuf,
        /// The reason.
        what: &'static str,
    },
    /// An entry is damaged.
    #[error("entry {key}: {fault}")]
    Damaged {
        /// Its key.
        key: ResultKey,
        /// The damage.
        fault: EntryFault,
    },
    /// A file of the store cannot be read.
    #[error("store: {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error.
        error: ReadError,
    },
}

/// An entry's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its key.
    pub key: ResultKey,
    /// Length of the file, bytes.
    pub bytes: u64,
    /// The day when it was last used.
    pub used: SystemTime,
}

pub(super) fn failed(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |error| StoreError::System { path, error }
}

impl Store {
    /// Opens a store, and makes the folder if it is missing or empty.
    ///
    /// # Errors
    /// [`StoreError::System`], or [`StoreError::NotAStore`] for a folder with other contents.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let store = Self { folder: folder.to_owned() };
        let mark = folder.join(MARK.0);
        match mark.metadata() {
            Err(_) => {}
            // A machine that lost power can leave an empty file behind.
            Ok(about) if about.len() == 0 => {
                store.write(&mark, MARK.1.as_bytes())?;
                return Ok(store);
            }
            Ok(_) => return Self::open_existing(folder),
        }
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let is_ours = |name: &str| name == MARK.0 || name.ends_with(PART);
        let mut names = fs::read_dir(folder).map_err(failed(folder))?.flatten().map(|entry| entry.file_name());
        if names.any(|name| !is_ours(&name.to_string_lossy())) && !mark.exists() {
            return Err(StoreError::NotAStore { path: folder.into(), what: "the folder has files, but is no store" });
        }
        store.write(&mark, MARK.1.as_bytes())?;
        Ok(store)
    }

    /// Opens a store that exists.
    ///
    /// # Errors
    /// [`StoreError::NotAStore`].
    pub fn open_existing(folder: &Path) -> Result<Self, StoreError> {
        let wrong = |what| StoreError::NotAStore { path: folder.into(), what };
        match files::read_text(&folder.join(MARK.0)) {
            Ok(text) if text == MARK.1 => Ok(Self { folder: folder.into() }),
            Ok(_) => Err(wrong("the store is of another version of Posepress")),
            Err(_) => Err(wrong("the folder is no store")),
        }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, key: &ResultKey) -> PathBuf {
        let (folder, name) = key.place();
        self.folder.join(ENTRIES).join(folder).join(name)
    }

    /// True if there is an entry with that key. It may be damaged. Its time of use is renewed once per day.
    pub fn has(&self, key: &ResultKey) -> bool {
        let path = self.path(key);
        let Ok(about) = path.metadata() else { return false };
        let now = SystemTime::now();
        if about.modified().is_ok_and(|used| now.duration_since(used).is_ok_and(|age| age > USED_AGAIN)) {
            // On a folder that cannot be written, the entry only looks older than it is.
            let _ = File::options().write(true).open(&path).and_then(|file| file.set_modified(now));
        }
        about.is_file()
    }

    /// The entry with that key. `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] or [`StoreError::Read`].
    pub fn get(&self, key: &ResultKey) -> Result<Option<Entry>, StoreError> {
        let path = self.path(key);
        match files::read(&path) {
            Ok(bytes) => {
                let damaged = |fault| StoreError::Damaged { key: key.clone(), fault };
                Entry::read(key, &bytes).map(Some).map_err(damaged)
            }
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(StoreError::Read { path, error }),
        }
    }

    /// Adds an entry. An entry with the same key is replaced.
    ///
    /// # Errors
    /// [`StoreError::System`].
    pub fn put(&self, key: &ResultKey, entry: &Entry) -> Result<(), StoreError> {
        let path = self.path(key);
        self.make_folder(path.parent().unwrap_or(&self.folder))?;
        self.write(&path, &entry.to_bytes(key))?;
        self.clear_failure(key);
        Ok(())
    }

    /// Removes an entry. It is no error if there is none.
    ///
    /// # Errors
    /// [`StoreError::System`].
    pub fn remove(&self, key: &ResultKey) -> Result<(), StoreError> {
        let path = self.path(key);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&path)(error)),
            _ => Ok(()),
        }
    }

    /// All entries, by key.
    ///
    /// # Errors
    /// [`StoreError::System`].
    pub fn entries(&self) -> Result<Vec<StoredEntry>, StoreError> {
        let mut found = Vec::new();
        let root = self.folder.join(ENTRIES);
        for folder in sub_folders(&root).map_err(failed(&root))? {
            let start = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for file in fs::read_dir(&folder).map_err(failed(&folder))?.flatten() {
                let key = ResultKey::read(&format!("{start}{}", file.file_name().to_string_lossy()));
                let (Some(key), Ok(about)) = (key, file.metadata()) else { continue };
                let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                found.push(StoredEntry { key, bytes: about.len(), used });
            }
        }
        found.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(found)
    }

    /// The text of a file of the store that can be made again, such as an index. `None` if it cannot be read.
    pub fn note(&self, name: &str) -> Option<String> {
        files::read_text(&self.folder.join(name)).ok()
    }

    /// Writes such a file.
    ///
    /// # Errors
    /// [`StoreError::System`].
    pub fn write_note(&self, name: &str, text: &str) -> Result<(), StoreError> {
        self.write(&self.folder.join(name), text.as_bytes())
    }

    /// Makes a folder of the store. Fails if the store is gone: a new one in its place would lack the mark, and be refused later.
    pub(super) fn make_folder(&self, folder: &Path) -> Result<(), StoreError> {
        if folder.is_dir() {
            return Ok(());
        }
        if let Some(above) = folder.parent().filter(|above| *above != self.folder) {
            self.make_folder(above)?;
        }
        match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(folder)(error)),
            _ => Ok(()),
        }
    }

    /// Writes beside the place and renames. It does not wait for the disk: after a power failure, the checksum finds a torn entry.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let part = path.with_extension(format!("{}-{count}.{PART}", std::process::id()));
        let write = || {
            File::create(&part)?.write_all(bytes)?;
            patiently(|| fs::rename(&part, path))
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&part); // the first error is reported
            failed(path)(error)
        })
    }
}

/// The folders in a folder. None if it does not exist.
pub(super) fn sub_folders(root: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(root) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_and_a_damaged_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("a/store")).unwrap();
        let key = ResultKey::of(&[("clip", "walk")]);
        assert!(!store.has(&key) && store.get(&key).unwrap().is_none());
        let entry = Entry { head: "{}".into(), payload: vec![7; 100] };
        store.put(&key, &entry).unwrap();
        assert!(store.has(&key));
        assert_eq!(store.get(&key).unwrap(), Some(entry.clone()));
        assert_eq!(store.entries().unwrap().len(), 1);
        let path = store.path(&key);
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        let damaged = Store::open(store.folder()).unwrap().get(&key).unwrap_err().to_string();
        assert!(damaged.contains(&key.to_string()) && damaged.contains("checksum"), "{damaged}");
        store.put(&key, &entry).unwrap();
        assert_eq!(store.get(&key).unwrap(), Some(entry));
        store.remove(&key).unwrap();
        store.remove(&key).unwrap();
        assert!(!store.has(&key));
    }

    #[test]
    fn a_folder_with_other_files_and_a_newer_store_are_refused_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("walk.glb"), "a").unwrap();
        assert!(Store::open(folder.path()).unwrap_err().to_string().contains("is no store"));
        assert!(Store::open_existing(folder.path()).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let newer = tempfile::tempdir().unwrap();
        fs::write(newer.path().join(MARK.0), "2\n").unwrap();
        assert!(Store::open(newer.path()).unwrap_err().to_string().contains("another version"));
    }

    #[test]
    fn a_store_whose_mark_lost_its_bytes_is_marked_again_and_keeps_its_entries() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let key = ResultKey::of(&[("clip", "walk")]);
        store.put(&key, &Entry { head: "{}".into(), payload: vec![7] }).unwrap();
        fs::write(folder.path().join(MARK.0), "").unwrap();
        assert!(Store::open(folder.path()).unwrap().has(&key));
        assert!(Store::open_existing(folder.path()).is_ok());
    }

    #[test]
    fn a_store_that_is_gone_is_not_made_by_a_result() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store")).unwrap();
        let (key, entry) = (ResultKey::of(&[]), Entry { head: "{}".into(), payload: Vec::new() });
        fs::remove_dir_all(store.folder()).unwrap();
        assert!(store.put(&key, &entry).is_err() && store.put_failure(&key, "torn").is_err());
        assert!(!store.folder().exists());
    }

    #[test]
    fn an_old_entry_that_is_used_is_young_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let key = ResultKey::of(&[]);
        store.put(&key, &Entry { head: "{}".into(), payload: Vec::new() }).unwrap();
        let old = SystemTime::now() - 3 * USED_AGAIN;
        File::options().write(true).open(store.path(&key)).unwrap().set_modified(old).unwrap();
        assert!(store.entries().unwrap()[0].used < SystemTime::now() - 2 * USED_AGAIN);
        assert!(store.has(&key));
        assert!(store.entries().unwrap()[0].used > SystemTime::now() - USED_AGAIN);
    }
}
