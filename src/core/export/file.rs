use super::ExportError;
use crate::files::{MemoryDisk, canonical, in_memory, is_open_elsewhere, patiently};
use crate::format::FileBytes;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// One file of a group that is written together.
pub type FileToWrite<'a> = (PathBuf, &'a dyn FileBytes);

/// Writes a file atomically: temporary file, sync, rename. A crash leaves the old or the new file.
///
/// A replaced file keeps its permissions and, if the system allows, its owner. Links are followed. Devices and pipes are written to, not
/// replaced.
///
/// # Errors
/// [`ExportError::ReadOnly`], [`ExportError::OpenElsewhere`], [`ExportError::Io`].
pub fn write_atomically(path: &Path, bytes: &(impl FileBytes + ?Sized)) -> Result<(), ExportError> {
    write_together(&[(path.to_owned(), &Borrowed(bytes))])
}

struct Borrowed<'a, B: ?Sized>(&'a B);

impl<B: FileBytes + ?Sized> FileBytes for Borrowed<'_, B> {
    fn write_to(&self, out: &mut dyn io::Write) -> io::Result<()> {
        self.0.write_to(out)
    }
}

/// Writes a group of files, each like [`write_atomically`]: all of them, or none if one fails. After a failure the old files are back.
///
/// # Errors
/// As [`write_atomically`], for the first that cannot be written.
pub fn write_together(files: &[FileToWrite<'_>]) -> Result<(), ExportError> {
    if let Some(disk) = in_memory() {
        return write_to_memory(disk, files);
    }
    let mut staged = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        let destination = destination(path)?;
        staged.push(Staged::new(destination, path, *bytes).map_err(failed(path))?);
    }
    for at in 0..staged.len() {
        if let Err(error) = staged[at].put_in_place() {
            staged[..at].iter_mut().rev().for_each(Staged::take_back);
            return Err(failed(&files[at].0)(error));
        }
    }
    Ok(())
}

fn write_to_memory(disk: &MemoryDisk, files: &[FileToWrite<'_>]) -> Result<(), ExportError> {
    for (path, file) in files {
        let mut bytes = Vec::new();
        file.write_to(&mut bytes).map_err(failed(path))?;
        disk.write(path, bytes);
    }
    Ok(())
}

/// Tests if a file can be written, before the work for it.
///
/// # Errors
/// As [`write_atomically`].
pub fn try_output(path: &Path) -> Result<(), ExportError> {
    if in_memory().is_some() {
        return Ok(());
    }
    match destination(path)? {
        Destination::File { at, old } => {
            // Windows replaces no file that another program has open.
            if cfg!(windows) && old.is_some() {
                patiently(|| File::options().write(true).open(&at)).map_err(failed(path))?;
            }
            let probe = beside(&at, "try");
            let attempt = || File::create(&probe).and_then(|_| patiently(|| std::fs::remove_file(&probe)));
            attempt().map_err(failed(path))
        }
        // To open a pipe would wait for its reader.
        Destination::Device => Ok(()),
    }
}

/// The destination of a file. A rename would replace a read-only file too, but its owner does not want that.
fn destination(path: &Path) -> Result<Destination, ExportError> {
    match Destination::of(path).map_err(failed(path))? {
        Destination::File { old: Some(old), .. } if old.permissions().readonly() => {
            Err(ExportError::ReadOnly { path: path.display().to_string() })
        }
        destination => Ok(destination),
    }
}

fn failed(at: &Path) -> impl FnOnce(io::Error) -> ExportError {
    let path = at.display().to_string();
    move |error| match is_open_elsewhere(at, &error) {
        true => ExportError::OpenElsewhere { path },
        false => ExportError::Io { path, error },
    }
}

/// The destination of a file.
enum Destination {
    /// A regular file, with links resolved, and the old file.
    File { at: PathBuf, old: Option<Metadata> },
    /// A device or a pipe.
    Device,
}

impl Destination {
    fn of(path: &Path) -> io::Result<Self> {
        match path.metadata() {
            Ok(old) if old.is_file() => Ok(Self::File { at: canonical(path)?, old: Some(old) }),
            Ok(old) if old.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => Ok(Self::Device),
            // A link to a file that does not exist yet.
            Err(_) if path.is_symlink() => Ok(Self::File { at: end_of_links(path)?, old: None }),
            Err(_) => Ok(Self::File { at: path.to_owned(), old: None }),
        }
    }
}

/// Follows links to a path that does not exist.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    /// The limit of Linux.
    const MOST_LINKS: usize = 40;
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        if !at.is_symlink() {
            return Ok(at);
        }
        let to = std::fs::read_link(&at)?;
        at = at.parent().map_or_else(|| to.clone(), |folder| folder.join(&to));
    }
    Err(io::ErrorKind::InvalidInput.into())
}

/// A complete file that is not yet at its destination. It is removed unless it is put in place.
enum Staged<'a> {
    File { at: PathBuf, temporary: PathBuf, old: Option<PathBuf>, is_in_place: bool },
    Device { path: &'a Path, bytes: &'a dyn FileBytes },
}

impl<'a> Staged<'a> {
    fn new(to: Destination, path: &'a Path, bytes: &'a dyn FileBytes) -> io::Result<Self> {
        let Destination::File { at, old } = to else { return Ok(Self::Device { path, bytes }) };
        let temporary = beside(&at, "part");
        let mut file = File::create(&temporary)?;
        let kept = old.is_some().then(|| beside(&at, "old"));
        let staged = Self::File { at, temporary, old: kept, is_in_place: false };
        if let Some(old) = &old {
            keep_owner(&file, old);
            file.set_permissions(old.permissions())?;
        }
        bytes.write_to(&mut file)?;
        file.sync_all()?;
        Ok(staged)
    }

    /// Moves the file to its destination. The old file stays beside it until this value is dropped.
    fn put_in_place(&mut self) -> io::Result<()> {
        match self {
            Self::File { at, temporary, old, is_in_place } => {
                if let Some(kept) = old {
                    // Without hard links, neither file exists for a moment.
                    std::fs::hard_link(&*at, &*kept).or_else(|_| patiently(|| std::fs::rename(&*at, &*kept)))?;
                }
                patiently(|| std::fs::rename(&*temporary, &*at))?;
                *is_in_place = true;
                Ok(())
            }
            Self::Device { path, bytes } => bytes.write_to(&mut File::options().write(true).open(path)?),
        }
    }

    /// Restores the old file. It ignores errors, since the first one is reported.
    fn take_back(&mut self) {
        if let Self::File { at, old, is_in_place: true, .. } = self {
            let _ = match old.take() {
                Some(kept) => std::fs::rename(kept, at),
                None => std::fs::remove_file(at),
            };
        }
    }
}

impl Drop for Staged<'_> {
    /// Ignores errors: the files are in place, or the first error is reported.
    fn drop(&mut self) {
        if let Self::File { at, temporary, old, is_in_place } = self {
            if !*is_in_place {
                let _ = std::fs::remove_file(temporary);
            }
            if let Some(kept) = old.take().filter(|kept| kept.exists()) {
                let _ = if at.exists() { std::fs::remove_file(kept) } else { std::fs::rename(kept, at) };
            }
        }
    }
}

/// Refuses an output that is one of the sources, which may be the only copy.
///
/// # Errors
/// [`ExportError::OntoSource`].
pub fn check_output<'a>(output: &Path, sources: impl IntoIterator<Item = &'a Path>) -> Result<(), ExportError> {
    match sources.into_iter().find(|source| is_same_file(output, source)) {
        None => Ok(()),
        Some(source) => {
            let [output, source_file] = [output, source].map(|path| path.display().to_string());
            Err(ExportError::OntoSource { output, source_file })
        }
    }
}

/// True if both paths are the same file, with links resolved.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| canonical(path).ok();
    matches!((place(a), place(b)), (Some(a), Some(b)) if a == b || is_hard_link(&a, &b))
}

/// An unused name beside a file.
fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.{what}", std::process::id()));
    path.with_file_name(name)
}

/// Sets the owner, which only the superuser may do. Otherwise the writer is the owner.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

#[cfg(unix)]
fn is_hard_link(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |path: &Path| path.metadata().map(|m| (m.dev(), m.ino())).ok();
    place(a).is_some_and(|of_a| Some(of_a) == place(b))
}

#[cfg(target_family = "wasm")]
fn is_hard_link(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(windows)]
fn is_hard_link(a: &Path, b: &Path) -> bool {
    same_file::is_same_file(a, b).unwrap_or(false)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};

    #[test]
    fn a_replaced_file_keeps_its_permissions_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.posepress");
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        let before = file.metadata().unwrap();
        write_atomically(&file, b"new").unwrap();
        let after = file.metadata().unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn links_are_followed_and_devices_stay() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, dangling, to_null] = ["a", "link", "dangling", "null"].map(|name| folder.path().join(name));
        std::fs::write(&file, "old").unwrap();
        symlink("a", &link).unwrap();
        symlink("b", &dangling).unwrap();
        symlink("/dev/null", &to_null).unwrap();
        for path in [&link, &dangling, &to_null] {
            write_atomically(path, b"new").unwrap();
            assert!(path.is_symlink(), "{}", path.display());
        }
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert_eq!(std::fs::read(folder.path().join("b")).unwrap(), b"new");
        assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
    }

    /// Bytes whose end cannot be written.
    struct Torn;

    impl FileBytes for Torn {
        fn write_to(&self, out: &mut dyn io::Write) -> io::Result<()> {
            out.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    /// Names and contents of a folder.
    fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let read = |entry: io::Result<std::fs::DirEntry>| {
            let entry = entry.unwrap();
            let bytes = std::fs::read(entry.path()).unwrap_or_default();
            (entry.file_name().into_string().unwrap(), bytes)
        };
        let mut all: Vec<_> = folder.read_dir().unwrap().map(read).collect();
        all.sort();
        all
    }

    #[test]
    fn files_that_belong_together_are_all_written_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
        std::fs::write(&old, "before").unwrap();
        let before = contents(folder.path());
        for failing in 0..3 {
            let mut files: Vec<FileToWrite<'_>> = vec![(old.clone(), &b"1"), (new.clone(), &b"2")];
            files.insert(failing, (folder.path().join("torn"), &Torn));
            let error = write_together(&files).unwrap_err().to_string();
            assert!(error.contains("torn"), "{error}");
            assert_eq!(contents(folder.path()), before, "file {failing} failed");
        }
        // One file that cannot be put in place, after two that can.
        let taken = folder.path().join("taken");
        std::fs::create_dir_all(taken.join("within")).unwrap();
        let before = contents(folder.path());
        let mut staged = [&old, &new]
            .map(|path| Staged::new(destination(path).unwrap(), path, &b"after" as &dyn FileBytes).unwrap())
            .into_iter()
            .collect::<Vec<_>>();
        staged.iter_mut().for_each(|file| file.put_in_place().unwrap());
        assert_eq!(std::fs::read(&old).unwrap(), b"after");
        staged.iter_mut().rev().for_each(Staged::take_back);
        drop(staged);
        assert_eq!(contents(folder.path()), before);
        assert!(write_together(&[(new.clone(), &b"2"), (taken, &b"3")]).is_err());
        assert_eq!(contents(folder.path()), before);
        write_together(&[(old.clone(), &b"1"), (new.clone(), &b"2")]).unwrap();
        assert_eq!((std::fs::read(&old).unwrap(), std::fs::read(&new).unwrap()), (b"1".to_vec(), b"2".to_vec()));
        assert_eq!(folder.path().read_dir().unwrap().count(), 3, "nothing is left beside them");
    }

    #[test]
    fn a_place_is_tried_and_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        try_output(&file).unwrap();
        std::fs::write(&file, "old").unwrap();
        try_output(&file).unwrap();
        assert_eq!(contents(folder.path()), [("a".to_owned(), b"old".to_vec())]);
        try_output(Path::new("/dev/null")).unwrap();
        for wrong in [folder.path().join("none/a"), file.join("a"), folder.path().to_owned()] {
            assert!(try_output(&wrong).is_err(), "{}", wrong.display());
        }
    }

    #[test]
    fn a_read_only_file_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let [file, other, link] = ["a.glb", "b.glb", "link"].map(|name| folder.path().join(name));
        std::fs::write(&file, "checked in").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
        symlink("a.glb", &link).unwrap();
        let refused = |done: Result<(), ExportError>| {
            let error = done.unwrap_err();
            assert!(matches!(error, ExportError::ReadOnly { .. }), "{error}");
            assert!(error.to_string().contains("Check it out"), "{error}");
        };
        refused(try_output(&file));
        refused(write_atomically(&link, b"new"));
        refused(write_together(&[(other, &b"new"), (file.clone(), &b"new")]));
        assert_eq!(std::fs::read(&file).unwrap(), b"checked in");
        assert_eq!(folder.path().read_dir().unwrap().count(), 2, "nothing else was written");
    }

    #[test]
    fn one_file_is_known_by_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, hard, other] = ["a", "link", "hard", "other"].map(|name| folder.path().join(name));
        std::fs::write(&file, "a").unwrap();
        std::fs::write(&other, "a").unwrap();
        symlink("a", &link).unwrap();
        std::fs::hard_link(&file, &hard).unwrap();
        for same in [&file, &link, &hard, &folder.path().join(".").join("a")] {
            assert!(is_same_file(&file, same), "{}", same.display());
        }
        assert!(!is_same_file(&file, &other) && !is_same_file(&file, &folder.path().join("none")));
    }
}
