use super::ExportError;
use crate::format::FileBytes;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Writes a file so that a crash leaves the old one or the new one: temporary file, sync, rename.
///
/// Where a file stood before, its permissions and (as far as the system lets) its owner stay. A link is followed. What is no
/// regular file, such as a device or a pipe, is written into and not replaced.
///
/// # Errors
/// [`ExportError::Io`].
pub fn write_atomically(path: &Path, bytes: &(impl FileBytes + ?Sized)) -> Result<(), ExportError> {
    let write = || match path.metadata() {
        Ok(old) if old.is_file() => replace(&path.canonicalize()?, Some(&old), bytes),
        Ok(_) => bytes.write_to(&mut File::options().write(true).open(path)?),
        // A link to a file that is still to come.
        Err(_) if path.is_symlink() => bytes.write_to(&mut File::create(path)?),
        Err(_) => replace(path, None, bytes),
    };
    write().map_err(|error| ExportError::Io { path: path.display().to_string(), error })
}

/// Refuses to write onto one of the files that are read: a source may be the only copy that somebody has.
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

/// True when both paths lead to one file, through links and whatever way they are written.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().ok();
    matches!((place(a), place(b)), (Some(a), Some(b)) if a == b || is_hard_link(&a, &b))
}

fn replace(path: &Path, old: Option<&Metadata>, bytes: &(impl FileBytes + ?Sized)) -> io::Result<()> {
    let temporary = beside(path);
    let write = || {
        let mut file = File::create(&temporary)?;
        if let Some(old) = old {
            keep_owner(&file, old);
            file.set_permissions(old.permissions())?;
        }
        bytes.write_to(&mut file)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary); // best effort: the error that matters is the first one
    })
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Only the superuser may give files away; for others the writer owns what it writes.
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

#[cfg(not(unix))]
fn is_hard_link(_: &Path, _: &Path) -> bool {
    false
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
