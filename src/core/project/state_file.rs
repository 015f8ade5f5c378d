use crate::export::{ExportError, write_atomically};
use crate::files;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use thiserror::Error;

/// The file in which one window saves its work. A lock keeps other windows from writing it.
///
/// Every window has its own file: the first open window uses `window-1.toml`, the second `window-2.toml`. So two windows never overwrite
/// each other's work, and nothing has to be merged. A second window that is opened again later finds its own work. A file of a newer
/// version of the program is skipped and stays unchanged.
///
/// The number is reserved by a lock on another file. The system releases the lock when the program ends, even after a crash.
#[derive(Debug)]
pub struct StateFile {
    folder: PathBuf,
    number: usize,
    _lock: File,
}

/// The version that this program writes as `version`.
pub const STATE_VERSION: i64 = 1;

/// The largest number of windows. A larger number would be a fault, such as a script that starts windows in a loop.
const MAX_WINDOWS: usize = 64;

/// Longest wait for a closing program. It is the longest time seen on a busy machine.
const LAST_BREATH: Duration = Duration::from_secs(1);

/// Number of attempts during that wait.
const TRIES: u32 = 40;

/// A file that exists while a window opens something. After a crash, the next start reads from it what was being opened.
#[derive(Debug)]
pub struct OpeningMark {
    path: PathBuf,
}

impl OpeningMark {
    /// The text of a mark that was not removed: the program ended while it opened something. `None` if there is no mark.
    pub fn read(&self) -> Option<String> {
        match read(&self.path) {
            FoundState::Text(text) => Some(text),
            FoundState::Nothing | FoundState::Unreadable(_) => None,
        }
    }

    /// Writes the mark. It is on the disk when this returns.
    ///
    /// # Errors
    /// Returns [`ExportError::Io`] if it cannot be written.
    pub fn write(&self, text: &str) -> Result<(), ExportError> {
        write_atomically(&self.path, text.as_bytes())
    }

    /// Removes the mark when everything is open.
    pub fn remove(&self) {
        let _ = std::fs::remove_file(&self.path); // it may not exist
    }
}

/// Why a window cannot save its work.
#[derive(Debug, Error)]
pub enum StateFileError {
    /// The folder cannot be created, or a file in it cannot be written.
    #[error("{}: {error}", path.display())]
    Folder {
        /// The folder, or the file in it.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// Too many windows are open.
    #[error("{MAX_WINDOWS} windows are open, or have files of a newer version. Close one")]
    TooMany,
}

/// The contents of a window's file.
#[derive(Debug, Clone, PartialEq)]
pub enum FoundState {
    /// There is no file yet.
    Nothing,
    /// Its text.
    Text(String),
    /// The file is not text or cannot be read, with the reason.
    Unreadable(String),
}

/// A file of a newer version of the program. It is not touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewerState {
    /// The file.
    pub path: PathBuf,
    /// Its version.
    pub version: i64,
}

impl StateFile {
    /// Takes the first free number. Also returns the files that were skipped because a newer version wrote them.
    ///
    /// # Errors
    /// See [`StateFileError`].
    pub fn claim(folder: &Path) -> Result<(Self, Vec<NewerState>), StateFileError> {
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
        let mut newer = Vec::new();
        for number in 1..=MAX_WINDOWS {
            let locked = match number {
                1 => Self::lock_patiently(folder, number, || std::thread::sleep(LAST_BREATH / TRIES))?,
                _ => Self::lock(folder, number)?,
            };
            let Some(file) = locked else { continue };
            match file.newer_version() {
                Some(version) => newer.push(NewerState { path: file.path(), version }),
                None => {
                    file.remove_unfinished();
                    return Ok((file, newer));
                }
            }
        }
        Err(StateFileError::TooMany)
    }

    /// Locks a number and waits a moment for it. A window that was just closed or killed may still hold it, and a restarted program should
    /// find its work.
    fn lock_patiently(folder: &Path, number: usize, mut pause: impl FnMut()) -> Result<Option<Self>, StateFileError> {
        for _ in 0..TRIES {
            if let Some(locked) = Self::lock(folder, number)? {
                return Ok(Some(locked));
            }
            pause();
        }
        Self::lock(folder, number)
    }

    /// Locks a number. `None` if another window has it.
    fn lock(folder: &Path, number: usize) -> Result<Option<Self>, StateFileError> {
        let path = folder.join(format!("window-{number}.lock"));
        let lock = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { folder: folder.to_owned(), number, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(&path)(error)),
        }
    }

    /// Number of the window. The first one that is open has 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Path of the file.
    pub fn path(&self) -> PathBuf {
        state_path(&self.folder, self.number)
    }

    /// Reads the saved work.
    pub fn read(&self) -> FoundState {
        read(&self.path())
    }

    /// The mark for files that this window opens.
    pub fn opening_mark(&self) -> OpeningMark {
        OpeningMark { path: self.folder.join(format!("window-{}.opening", self.number)) }
    }

    /// Renames the file to a name with the current time in the same folder and returns the new path.
    ///
    /// # Errors
    /// Fails if the system does not allow it. Then the file must not be written.
    pub fn keep_beside(&self) -> Result<PathBuf, StateFileError> {
        let (path, now) = (self.path(), humantime::format_rfc3339_seconds(SystemTime::now()));
        // Some systems do not allow a colon in file names.
        let stem = format!("window-{}-unread-{now}", self.number).replace(':', "-");
        let names = std::iter::once(format!("{stem}.toml")).chain((2..).map(|count| format!("{stem}-{count}.toml")));
        let kept = names.map(|name| self.folder.join(name)).find(|kept| !kept.exists());
        let kept = kept.expect("one of endlessly many names is free");
        std::fs::rename(&path, &kept).map_err(failed(&path))?;
        Ok(kept)
    }

    /// Writes the file. A reader finds the old text or the new one, even if the program ends meanwhile.
    ///
    /// # Errors
    /// Returns [`ExportError::Io`] if it cannot be written.
    pub fn write(&self, text: &str) -> Result<(), ExportError> {
        write_atomically(&self.path(), text.as_bytes())
    }

    /// Reads the saved work of another window, open or not.
    pub fn read_other(&self, number: usize) -> FoundState {
        read(&state_path(&self.folder, number))
    }

    /// Numbers of windows that are closed and saved their work later than this one, latest first.
    pub fn left_later(&self) -> Vec<usize> {
        let changed =
            |number| std::fs::metadata(state_path(&self.folder, number)).and_then(|data| data.modified()).ok();
        let own = changed(self.number);
        let is_closed = |number: &usize| Self::lock(&self.folder, *number).is_ok_and(|lock| lock.is_some());
        let others = (1..=MAX_WINDOWS).filter(|number| *number != self.number);
        let mut later: Vec<_> = others
            .filter_map(|number| Some((changed(number)?, number)))
            .filter(|(at, number)| Some(*at) > own && is_closed(number))
            .collect();
        later.sort_unstable_by(|a, b| b.cmp(a));
        later.into_iter().map(|(_, number)| number).collect()
    }

    fn newer_version(&self) -> Option<i64> {
        let FoundState::Text(text) = self.read() else { return None };
        let version = text.parse::<toml::Table>().ok()?.get("version")?.as_integer()?;
        (version > STATE_VERSION).then_some(version)
    }

    /// Removes the incomplete files of writes that a crash interrupted.
    fn remove_unfinished(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        let own = ["toml", "opening"].map(|kind| format!("window-{}.{kind}.", self.number));
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if own.iter().any(|own| name.starts_with(own)) && name.ends_with(".part") {
                let _ = std::fs::remove_file(entry.path()); // a leftover file does no harm
            }
        }
    }
}

fn state_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("window-{number}.toml"))
}

fn read(path: &Path) -> FoundState {
    match files::read_text(path) {
        Err(error) if error.is_missing() => FoundState::Nothing,
        Err(error) => FoundState::Unreadable(error.to_string()),
        Ok(text) => FoundState::Text(text),
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> StateFileError + '_ {
    move |error| StateFileError::Folder { path: path.to_owned(), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(folder: &Path) -> StateFile {
        StateFile::claim(folder).unwrap().0
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.ends_with(".lock")).collect();
        names.sort();
        names
    }

    #[test]
    fn two_windows_have_a_file_each_and_find_it_again() {
        let home = tempfile::tempdir().unwrap();
        let folder = &home.path().join("not/yet there");
        let (first, second) = (claim(folder), claim(folder));
        assert_eq!((first.number(), second.number()), (1, 2));
        assert_eq!(first.read(), FoundState::Nothing);
        first.write("a = 1").unwrap();
        second.write("b = 2").unwrap();
        assert_eq!(second.read_other(1), FoundState::Text("a = 1".into()));
        drop((first, second));
        assert_eq!(claim(folder).read(), FoundState::Text("a = 1".into()));
        let (_first, second) = (claim(folder), claim(folder));
        assert_eq!(second.read(), FoundState::Text("b = 2".into()));
    }

    #[test]
    fn who_starts_again_at_once_gets_the_work_of_the_window_that_is_just_closing() {
        let folder = tempfile::tempdir().unwrap();
        let mut closing = Some(claim(folder.path()));
        let mut pauses = 0;
        let locked = StateFile::lock_patiently(folder.path(), 1, || {
            pauses += 1;
            closing.take_if(|_| pauses == 3);
        });
        assert_eq!(locked.unwrap().map(|file| file.number()), Some(1));
        assert_eq!(pauses, 3);
        assert_eq!(claim(folder.path()).number(), 1, "it was dropped");
    }

    #[test]
    fn only_work_of_a_closed_window_that_is_later_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (claim(folder.path()), claim(folder.path()));
        first.write("a = 1").unwrap();
        let at = |file: &StateFile, secs: u64| {
            let file = File::options().write(true).open(file.path()).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(secs)).unwrap();
        };
        second.write("b = 2").unwrap();
        at(&first, 1000);
        at(&second, 2000);
        assert!(first.left_later().is_empty(), "its window is open");
        drop(second);
        assert_eq!(first.left_later(), [2]);
        at(&first, 3000);
        assert!(first.left_later().is_empty());
    }

    #[test]
    fn a_file_of_a_newer_version_is_passed_over_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("version = {}\n[shapes]\nround = true\n", STATE_VERSION + 1);
        std::fs::write(folder.path().join("window-1.toml"), &text).unwrap();
        let (file, newer) = StateFile::claim(folder.path()).unwrap();
        assert_eq!(file.number(), 2);
        assert_eq!((newer.len(), newer[0].version), (1, STATE_VERSION + 1));
        file.write("version = 1").unwrap();
        assert_eq!(file.read_other(1), FoundState::Text(text));
    }

    #[test]
    fn what_cannot_be_read_is_kept_beside_under_names_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = claim(folder.path());
        let mut kept = Vec::new();
        for bytes in [&b"\xff\xfe\0"[..], b"cut = [", b""] {
            std::fs::write(file.path(), bytes).unwrap();
            assert_eq!(matches!(file.read(), FoundState::Unreadable(_)), bytes.starts_with(b"\xff"));
            kept.push((file.keep_beside().unwrap(), bytes));
            assert_eq!(file.read(), FoundState::Nothing);
        }
        for (path, bytes) in &kept {
            assert_eq!(std::fs::read(path).unwrap(), *bytes);
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(name.starts_with("window-1-unread-2") && !name.contains(':'), "{name}");
        }
        assert_eq!(names(folder.path()).len(), 3);
    }

    #[test]
    fn a_write_that_was_cut_off_leaves_the_old_text_and_is_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        claim(folder.path()).write("a = 1").unwrap();
        std::fs::write(folder.path().join("window-1.toml.77.part"), "a =").unwrap();
        std::fs::write(folder.path().join("window-2.toml.78.part"), "of another window").unwrap();
        let file = claim(folder.path());
        assert_eq!(file.read(), FoundState::Text("a = 1".into()));
        assert_eq!(names(folder.path()), ["window-1.toml", "window-2.toml.78.part"]);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a file");
        std::fs::write(&file, "").unwrap();
        let error = StateFile::claim(&file.join("posepress")).unwrap_err().to_string();
        assert!(error.contains("a file"), "{error}");
    }
}
