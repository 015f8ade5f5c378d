//! Files in memory, for a web page, which has no disk: those that were given to it, and those that it wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Files by their paths.
#[derive(Debug, Default)]
pub struct MemoryDisk {
    files: Mutex<Files>,
}

#[derive(Debug, Default)]
struct Files {
    kept: BTreeMap<PathBuf, Arc<[u8]>>,
    /// Paths of files that were written and not yet taken, in the order of writing.
    written: Vec<PathBuf>,
    /// Paths that were asked for and have no file.
    missed: BTreeSet<PathBuf>,
}

static MEMORY: OnceLock<MemoryDisk> = OnceLock::new();

/// Replaces the system's disk by files in memory, for the rest of the process.
pub fn use_memory() -> &'static MemoryDisk {
    MEMORY.get_or_init(MemoryDisk::default)
}

/// The files in memory. `None` if files are on the system's disk.
pub fn in_memory() -> Option<&'static MemoryDisk> {
    MEMORY.get()
}

impl MemoryDisk {
    /// Adds files that were given together, such as a glTF file with its buffers. Returns their paths, in the same order.
    ///
    /// A name may be given again with other bytes, from another folder. Then the new files are kept in a folder of their own.
    pub fn give(&self, files: Vec<(String, Vec<u8>)>) -> Vec<PathBuf> {
        let mut disk = self.lock();
        let is_free = |folder: &str| {
            files.iter().all(|(name, bytes)| {
                let there = disk.kept.get(&plain(&Path::new(folder).join(name)));
                there.is_none_or(|there| **there == **bytes)
            })
        };
        let numbered = (2..).map(|number: usize| number.to_string());
        let folder = std::iter::once(String::new()).chain(numbered).find(|folder| is_free(folder)).unwrap_or_default();
        let add = |(name, bytes): (String, Vec<u8>)| {
            let path = plain(&Path::new(&folder).join(name));
            disk.kept.insert(path.clone(), bytes.into());
            path
        };
        files.into_iter().map(add).collect()
    }

    /// Writes a file.
    pub fn write(&self, path: &Path, bytes: Vec<u8>) {
        let (path, mut disk) = (plain(path), self.lock());
        disk.kept.insert(path.clone(), bytes.into());
        disk.written.retain(|written| *written != path);
        disk.written.push(path);
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`].
    pub fn read(&self, path: &Path) -> io::Result<Arc<[u8]>> {
        let (path, mut disk) = (plain(path), self.lock());
        let found = disk.kept.get(&path).cloned();
        found.ok_or_else(|| {
            disk.missed.insert(path);
            io::ErrorKind::NotFound.into()
        })
    }

    /// The one path of a file, or of a folder with files.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`].
    pub fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        let path = plain(path);
        let mut disk = self.lock();
        match disk.kept.keys().any(|kept| kept.starts_with(&path)) {
            true => Ok(path),
            false => {
                disk.missed.insert(path);
                Err(io::ErrorKind::NotFound.into())
            }
        }
    }

    /// Replaces all files.
    pub fn replace(&self, files: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) {
        let kept = files.into_iter().map(|(path, bytes)| (plain(&path), bytes.into())).collect();
        *self.lock() = Files { kept, ..Files::default() };
    }

    /// Paths that were asked for since the last call and have no file, by name.
    pub fn take_missed(&self) -> Vec<PathBuf> {
        std::mem::take(&mut self.lock().missed).into_iter().collect()
    }

    /// Files that were written since the last call, for the browser to save.
    pub fn take_written(&self) -> Vec<(PathBuf, Arc<[u8]>)> {
        let mut disk = self.lock();
        let written = std::mem::take(&mut disk.written);
        let bytes_of = |path: &PathBuf| disk.kept.get(path).cloned();
        written.into_iter().filter_map(|path| bytes_of(&path).map(|bytes| (path, bytes))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The path without `.`, `..` and a root, so that every file has only one.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut whole, part| {
        match part {
            Component::Normal(name) => whole.push(name),
            Component::ParentDir => _ = whole.pop(),
            _ => {}
        }
        whole
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, bytes: &[u8]) -> (String, Vec<u8>) {
        (name.into(), bytes.into())
    }

    #[test]
    fn what_is_given_together_stays_together_and_no_name_hides_another_file() {
        let disk = MemoryDisk::default();
        let first = disk.give(vec![named("a.gltf", b"1"), named("a.bin", b"2")]);
        assert_eq!(first, [Path::new("a.gltf"), Path::new("a.bin")]);
        assert_eq!(disk.give(vec![named("a.gltf", b"1")]), [Path::new("a.gltf")], "the same file again");
        let other = disk.give(vec![named("b.gltf", b"3"), named("a.bin", b"4")]);
        assert_eq!(other, [Path::new("2/b.gltf"), Path::new("2/a.bin")]);
        assert_eq!(*disk.read(Path::new("./2/../2/a.bin")).unwrap(), *b"4");
        assert_eq!(*disk.read(Path::new("/a.bin")).unwrap(), *b"2");
        assert_eq!(disk.read(Path::new("c")).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(disk.take_written().is_empty(), "nothing of it is the page's own");
    }

    #[test]
    fn files_that_were_asked_for_in_vain_are_known_until_there_are_others() {
        let disk = MemoryDisk::default();
        disk.replace([(PathBuf::from("/walks/a.gltf"), vec![1])]);
        assert!(disk.read(Path::new("walks/a.gltf")).is_ok() && disk.read(Path::new("walks/./a.bin")).is_err());
        assert!(disk.canonical(Path::new("walks")).is_ok() && disk.canonical(Path::new("b.png")).is_err());
        assert_eq!(disk.take_missed(), [Path::new("b.png"), Path::new("walks/a.bin")]);
        assert!(disk.take_missed().is_empty());
        disk.replace([(PathBuf::from("walks/a.bin"), vec![2])]);
        assert!(disk.read(Path::new("walks/a.bin")).is_ok() && disk.read(Path::new("walks/a.gltf")).is_err());
    }

    #[test]
    fn what_was_written_is_taken_once() {
        let disk = MemoryDisk::default();
        disk.write(Path::new("b"), vec![1]);
        disk.write(Path::new("a"), vec![2]);
        disk.write(Path::new("b"), vec![3]);
        let written = disk.take_written();
        let written: Vec<_> = written.iter().map(|(path, bytes)| (path.to_str().unwrap(), &bytes[..])).collect();
        assert_eq!(written, [("a", &[2][..]), ("b", &[3][..])]);
        assert!(disk.take_written().is_empty());
    }
}
