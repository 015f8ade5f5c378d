//! The one door that files come in by: sources and what lies beside them, containers and tiers, recipes, projects, state.
//!
//! Devices, pipes and folders are refused before they are opened: reading one may never end. So are files that are larger than
//! anything of their kind, and the pointers that Git LFS leaves. A test fails where code opens a file by another way.

use crate::text;
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::Path;
use thiserror::Error;

/// Longest file, bytes: no GLB can be longer, and no section of a container.
pub const MAX_FILE_BYTES: u64 = u32::MAX as u64;
/// Longest text that this program writes and reads again, bytes: a project with a hundred thousand decisions has a tenth.
pub const MAX_TEXT_BYTES: u64 = 64 << 20;

/// First bytes of what Git stores in place of a large file.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Why a file was not read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The system does not let it be read.
    #[error(transparent)]
    System(#[from] io::Error),
    /// It is a device, a pipe or a folder.
    #[error("it is {0}; expected a file")]
    NotAFile(&'static str),
    /// It is longer than any file of its kind.
    #[error("it has {}; at most {} are read", text::bytes(*.found), text::bytes(*.most))]
    TooLong {
        /// Its length, bytes.
        found: u64,
        /// The longest that is read, bytes.
        most: u64,
    },
    /// It does not fit into memory.
    #[error("it has {}, for which there is no memory. Close other programs", text::bytes(*.0))]
    NoMemory(u64),
    /// Git has not fetched it.
    #[error("it is a Git LFS pointer, not the file itself. Fetch the file with 'git lfs pull'")]
    LfsPointer,
    /// It should be text.
    #[error("it is not text: byte {0} is not UTF-8")]
    NotText(usize),
}

impl ReadError {
    /// True when there is no file of that name.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::System(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// The bytes of a file.
///
/// # Errors
/// See [`ReadError`].
pub fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    read_up_to(path, MAX_FILE_BYTES)
}

/// The text of a file.
///
/// # Errors
/// See [`ReadError`].
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let bytes = read_up_to(path, MAX_TEXT_BYTES)?;
    String::from_utf8(bytes).map_err(|error| ReadError::NotText(error.utf8_error().valid_up_to()))
}

/// The first bytes of a file, at most so many.
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

/// An open file and its length, bytes.
fn open(path: &Path) -> Result<(File, u64), ReadError> {
    // Opening may wait for the other end of a pipe, or do something to a device.
    refuse_others(path.metadata()?.file_type())?;
    let file = File::open(path)?;
    let about = file.metadata()?;
    refuse_others(about.file_type())?; // what the name stands for may have changed
    Ok((file, about.len()))
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
