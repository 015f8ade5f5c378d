use super::registry::{IMPORTERS, importer_of};
use std::io;
use std::path::{Path, PathBuf};

/// The files in a folder and its subfolders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FolderContents {
    /// Files with a known format, sorted by path.
    pub files: Vec<PathBuf>,
    /// Files of other kinds.
    pub skipped: usize,
    /// Folders that cannot be listed, with the error of the system.
    pub closed: Vec<String>,
}

/// Finds the files to import in a folder. It skips links to folders, which could form cycles, and hidden entries.
///
/// # Errors
/// The error of the system if the folder cannot be listed.
pub fn find_files(folder: &Path) -> io::Result<FolderContents> {
    let mut found = FolderContents::default();
    let mut open = folders_and_files(folder, &mut found)?;
    while let Some(inner) = open.pop() {
        match folders_and_files(&inner, &mut found) {
            Ok(more) => open.extend(more),
            Err(error) => found.closed.push(format!("{}: {error}", inner.display())),
        }
    }
    found.files.sort();
    found.closed.sort();
    Ok(found)
}

/// Sorts the files of one folder, and returns the folders in it.
fn folders_and_files(folder: &Path, found: &mut FolderContents) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let path = entry.path();
        match entry.file_type()? {
            kind if kind.is_dir() => folders.push(path),
            kind if kind.is_symlink() && path.is_dir() => {}
            _ if importer_of(&path).is_ok() => found.files.push(path),
            _ => found.skipped += 1,
        }
    }
    Ok(folders)
}

/// Extensions of all readable formats, lower case, without the dot.
pub fn readable_extensions() -> impl Iterator<Item = &'static str> {
    IMPORTERS.iter().flat_map(|importer| importer.extensions()).copied()
}

/// Names of all readable formats: `glTF, FBX or BVH`.
pub fn readable_kinds() -> String {
    let names: Vec<_> = IMPORTERS.iter().map(|importer| importer.name()).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_as_people_say_them() {
        let kinds = readable_kinds();
        assert!(IMPORTERS.iter().all(|importer| kinds.contains(importer.name())), "{kinds}");
        assert_eq!(kinds.matches(" or ").count(), 1, "{kinds}");
    }

    #[test]
    fn folders_are_searched_to_the_bottom_and_what_is_skipped_is_counted() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        std::fs::create_dir_all(at("b/deep/.hidden")).unwrap();
        for name in ["z.glb", "b/A.BVH", "b/deep/x.gltf", "b/deep/x.bin", "notes.txt", ".x.glb", "b/deep/.hidden/y.glb"]
        {
            std::fs::write(at(name), b"").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(top.path(), at("b/round")).unwrap();
        let found = find_files(top.path()).unwrap();
        assert_eq!(found.files, [at("b/A.BVH"), at("b/deep/x.gltf"), at("z.glb")]);
        assert_eq!((found.skipped, found.closed.len()), (2, 0));
        assert!(find_files(&at("nowhere")).is_err());
    }
}
