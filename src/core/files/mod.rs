//! The only place that reads files: sources and their external files, containers, tiers, recipes, projects, state.
//!
//! Files are on the system's disk, or in memory in a web page ([`use_memory`]).
//!
//! It refuses devices, pipes and folders, whose reading may never end; files larger than any of their kind; and Git LFS pointers. A test
//! fails if other code opens files.

mod memory;
mod patience;

pub use memory::{MemoryDisk, in_memory, use_memory};
pub use patience::{is_open_elsewhere, patiently};

use crate::text;
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Longest file, bytes: no GLB can be longer, and no section of a container.
pub const MAX_FILE_BYTES: u64 = u32::MAX as u64;
/// Longest text file, bytes. A project with a hundred thousand decisions takes a tenth of it.
pub const MAX_TEXT_BYTES: u64 = 64 << 20;

/// First bytes of a Git LFS pointer.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// An error while reading a file.
#[derive(Debug, Error)]
pub enum ReadError {
    /// An error of the operating system.
    #[error(transparent)]
    System(#[from] io::Error),
    /// A device, a pipe or a folder.
    #[error("it is {0}; expected a file")]
    NotAFile(&'static str),
    /// A file longer than any of its kind.
    #[error("it has {}; at most {} are read", text::bytes(*.found), text::bytes(*.most))]
    TooLong {
        /// Length, bytes.
        found: u64,
        /// Limit, bytes.
        most: u64,
    },
    /// A file that does not fit into memory.
    #[error("it has {}, which does not fit into memory. Close other programs", text::bytes(*.0))]
    NoMemory(u64),
    /// A Git LFS pointer.
    #[error("it is a Git LFS pointer, not the file itself. Fetch the file with 'git lfs pull'")]
    LfsPointer,
    /// A text file that is not UTF-8.
    #[error("it is not text: byte {0} is not UTF-8")]
    NotText(usize),
}

impl ReadError {
    /// True if the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::System(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// Reads the bytes of a file.
///
/// # Errors
/// See [`ReadError`].
pub fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    read_up_to(path, MAX_FILE_BYTES)
}

/// Reads a file as text.
///
/// # Errors
/// See [`ReadError`].
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let bytes = read_up_to(path, MAX_TEXT_BYTES)?;
    String::from_utf8(bytes).map_err(|error| ReadError::NotText(error.utf8_error().valid_up_to()))
}

/// Reads at most `most` bytes from the start of a file.
///
/// # Errors
/// See [`ReadError`].
pub fn read_start(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    open(path)?.0.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_up_to(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let (file, found) = open(path)?;
    let too_long = |found| ReadError::TooLong { found, most };
    if found > most {
        return Err(too_long(found));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(found as usize).map_err(|_| ReadError::NoMemory(found))?;
    // A file may grow while it is read.
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| match error.kind() {
        io::ErrorKind::OutOfMemory => ReadError::NoMemory(found),
        _ => ReadError::System(error),
    })?;
    match bytes.len() as u64 {
        length if length > most => Err(too_long(length)),
        _ if bytes.starts_with(LFS_POINTER) => Err(ReadError::LfsPointer),
        _ => Ok(bytes),
    }
}

/// The path of a file without links, by which a file that has several names is known.
///
/// # Errors
/// The file does not exist.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    match in_memory() {
        Some(disk) => disk.canonical(path),
        None if cfg!(windows) => place(path, |path| dunce::canonicalize(path)),
        None => dunce::canonicalize(path),
    }
}

/// The place by the system, else the absolute path of a file that exists. Some drives of Windows (virtual disks, shared folders) give none.
fn place(path: &Path, of_system: impl Fn(&Path) -> io::Result<PathBuf>) -> io::Result<PathBuf> {
    of_system(path).or_else(|error| if path.exists() { std::path::absolute(path) } else { Err(error) })
}

/// True for a file that exists and is not a folder.
pub fn is_file(path: &Path) -> bool {
    in_memory().map_or_else(|| path.is_file(), |disk| disk.read(path).is_ok())
}

/// Opens a file. Returns it with its length, bytes.
fn open(path: &Path) -> Result<(Box<dyn Read>, u64), ReadError> {
    if let Some(disk) = in_memory() {
        let bytes = disk.read(path)?;
        let length = bytes.len() as u64;
        return Ok((Box::new(io::Cursor::new(bytes)), length));
    }
    // Opening may wait for the other end of a pipe, or do something to a device.
    refuse_others(path.metadata()?.file_type())?;
    let file = patiently(|| File::open(path))?;
    let about = file.metadata()?;
    refuse_others(about.file_type())?; // what the name stands for may have changed
    let length = about.len();
    Ok((Box::new(file), length))
}

fn refuse_others(kind: FileType) -> Result<(), ReadError> {
    match kind {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => Err(ReadError::NotAFile("a folder")),
        _ => Err(ReadError::NotAFile("a device or a pipe")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_whole_as_text_or_by_their_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"abc\xFF").unwrap();
        assert_eq!(read(&path).unwrap(), b"abc\xFF");
        assert_eq!(read_start(&path, 2).unwrap(), b"ab");
        assert!(matches!(read_text(&path), Err(ReadError::NotText(3))));
        assert!(read(&folder.path().join("b")).unwrap_err().is_missing());
    }

    #[test]
    fn a_drive_that_gives_no_places_has_absolute_paths() {
        let folder = tempfile::tempdir().unwrap();
        let [there, missing] = ["a", "b"].map(|name| folder.path().join(name));
        std::fs::write(&there, "").unwrap();
        let refuses = |_: &Path| Err(io::ErrorKind::Unsupported.into());
        assert_eq!(place(&there, refuses).unwrap(), there);
        assert_eq!(place(&missing, refuses).unwrap_err().kind(), io::ErrorKind::Unsupported);
        assert_eq!(place(&there, |_| Ok(missing.clone())).unwrap(), missing);
    }

    #[test]
    fn what_is_too_long_is_refused_by_its_length_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        File::create(&path).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap(); // without a byte on the disk
        assert!(matches!(read(&path), Err(ReadError::TooLong { .. })));
        assert!(matches!(read_text(&path), Err(ReadError::TooLong { .. })));
        assert_eq!(read_start(&path, 5).unwrap(), [0; 5]);
    }

    #[test]
    fn a_folder_a_device_and_a_pointer_of_git_lfs_are_named_as_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read(folder.path()), Err(ReadError::NotAFile("a folder"))));
        let path = folder.path().join("walk.glb");
        std::fs::write(&path, [LFS_POINTER, b"v1\noid sha256:00\nsize 9\n"].concat()).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("git lfs pull"));
        if cfg!(unix) {
            assert!(matches!(read_start(Path::new("/dev/zero"), 1), Err(ReadError::NotAFile("a device or a pipe"))));
        }
    }
}
