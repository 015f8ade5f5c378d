//! Contents of folders and files, for the path sheet.

use crate::state::{FolderEntry, Listing, UnreadFolder};
use posepress_core::pipeline::ArchiveListing;
use posepress_core::tasks::is_container;
use posepress_core::text;
use std::path::Path;

/// Description of a file: clips of a container, else its size.
pub fn describe(path: &Path) -> Option<String> {
    let about = path.metadata().ok()?;
    let size = text::bytes(about.len());
    let is_small = about.is_file() && about.len() <= MOST_DESCRIBED_BYTES;
    let listing = || ArchiveListing::read(&posepress_core::files::read(path).ok()?).ok();
    let listing = if is_small && is_container(path) { listing() } else { None };
    Some(listing.map_or(size.clone(), |listing| format!("{}, {size}", text::count(listing.clips.len(), "clip"))))
}

/// Largest container whose clips are listed.
const MOST_DESCRIBED_BYTES: u64 = 256 << 20;

/// Lists a folder: folders first, then files, each ordered by name.
pub fn list(folder: &Path) -> Listing {
    let at = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let read = || -> std::io::Result<Vec<FolderEntry>> {
        let mut entries = std::fs::read_dir(at)?
            .map(|entry| {
                let entry = entry?;
                Ok(FolderEntry {
                    is_file: !entry.path().is_dir(),
                    name: entry.file_name().to_string_lossy().into_owned(),
                })
            })
            .collect::<std::io::Result<Vec<_>>>()?;
        entries.sort_by_key(|entry| (entry.is_file, entry.name.to_lowercase()));
        Ok(entries)
    };
    Listing { folder: folder.to_path_buf(), entries: read().map_err(UnreadFolder::from) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_first_and_a_folder_that_is_missing_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for inner in ["water", "Walks"] {
            std::fs::create_dir(folder.path().join(inner)).unwrap();
        }
        for name in ["walk_a.glb", "Old.posepress"] {
            std::fs::write(folder.path().join(name), b"").unwrap();
        }
        let entries = list(folder.path()).entries.unwrap();
        let rows: Vec<_> = entries.iter().map(|entry| (entry.name.as_str(), entry.is_file)).collect();
        assert_eq!(rows, [("Walks", false), ("water", false), ("Old.posepress", true), ("walk_a.glb", true)]);
        assert!(list(&folder.path().join("nowhere")).entries.is_err());
    }
}
