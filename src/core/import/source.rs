use super::ImportOptions;
use super::budget::MAX_SOURCE_BYTES;
use crate::text;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// First bytes of what Git stores in place of a large file.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The bytes of a file. Devices and pipes would never end, and are refused.
///
/// # Errors
/// The system's, and one for what is no file, a pointer of Git LFS or larger than any source.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let about = path.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if about.len() > MAX_SOURCE_BYTES {
        let (found, most) = (text::bytes(about.len()), text::bytes(MAX_SOURCE_BYTES));
        return Err(io::Error::other(format!("it has {found}; at most {most} are read")));
    }
    let mut bytes = Vec::with_capacity(about.len() as usize);
    File::open(path)?.take(MAX_SOURCE_BYTES).read_to_end(&mut bytes)?;
    if bytes.starts_with(LFS_POINTER) {
        return Err(io::Error::other(
            "it is a Git LFS pointer, not the file itself. Fetch the file with 'git lfs pull'",
        ));
    }
    Ok(bytes)
}

/// The first 128 bits of the BLAKE3 digest of a source file's bytes, in hex. It distinguishes files of the same name and
/// identifies a file that was moved. It does not cover the files that a glTF refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceDigest(String);

impl SourceDigest {
    /// Of a file's bytes.
    pub fn of(bytes: &[u8]) -> Self {
        const DIGITS: usize = 32;
        Self(blake3::hash(bytes).to_hex()[..DIGITS].to_owned())
    }
}

impl fmt::Display for SourceDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A file that was read, as it has to be found when it is read again.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Where it lies.
    pub path: PathBuf,
    /// Of the bytes that were read.
    pub digest: SourceDigest,
    /// What the user said about it.
    pub options: ImportOptions,
}

#[cfg(test)]
mod lfs_tests {
    use super::*;

    #[test]
    fn a_pointer_of_git_lfs_is_named_with_the_command_that_fetches_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("walk.glb");
        std::fs::write(&path, [LFS_POINTER, b"v1\noid sha256:00\nsize 9\n"].concat()).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("git lfs pull"));
    }
}
