//! A project: a file that a team shares. It lists the open files with their import options, and all decisions.

use crate::files;
use crate::import::{ImportOptions, find_files};
use crate::model::{ClipKey, SourceDigest};
use crate::project::{Document, DocumentError};
use crate::settings::{ParamError, Settings};
use serde::{Deserialize, Serialize};
use std::cell::LazyCell;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use thiserror::Error;

/// Extension of project files.
pub const PROJECT_EXTENSION: &str = "posepress.toml";

/// The format version that this program writes and reads.
const VERSION: u32 = 1;

/// Files, recipes, marks and decisions.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// Files, in the order in which they were opened.
    pub sources: Vec<ProjectSource>,
    /// Everything that undo affects.
    pub document: Document,
}

/// A file of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectSource {
    /// Path of the file. In the project file it is relative to the project if both are on the same disk.
    pub path: PathBuf,
    /// Digest of its bytes when the project was saved.
    pub digest: String,
    /// Import options.
    #[serde(default)]
    pub import: ImportOptions,
}

/// The current place of a file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSource {
    /// Path of the file.
    pub path: PathBuf,
    /// True if it has the bytes from when the project was saved.
    pub is_same: bool,
}

/// Why a project cannot be read.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ProjectError {
    /// The text is not TOML, or not a project.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// The file has another format version.
    #[error("it is of version {0}; this program reads version {VERSION}. Open it with the version that wrote it")]
    Version(u32),
    /// Its recipes, marks or decisions are not valid.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The import options of a file are not valid.
    #[error("{}: {error}", path.display())]
    Import { path: PathBuf, error: ParamError },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    #[serde(default)]
    sources: Vec<ProjectSource>,
    document: Document,
}

/// The version number, which every version of the file has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl ProjectSource {
    /// The key of one of its clips.
    pub fn clip_key(&self, clip: &str) -> ClipKey {
        ClipKey::new(&SourceDigest::stored(&self.digest), clip)
    }

    /// The current place of the file. [`find_sources`] looks for all files of a project at once.
    pub fn found(&self, folder: &Path) -> Option<FoundSource> {
        find_sources(std::slice::from_ref(self), Some(folder)).pop().flatten()
    }

    fn found_at(&self, path: &Path) -> FoundSource {
        let is_same = files::read(path).is_ok_and(|bytes| SourceDigest::of(&bytes).to_string() == self.digest);
        FoundSource { path: path.to_path_buf(), is_same }
    }
}

/// The current place of each file: the saved path, else a file of the same name below the folder. Below the folder, a file with the saved
/// bytes is preferred. A file is used for one source only. A file at the saved path of a source is used for that source.
pub fn find_sources(sources: &[ProjectSource], folder: Option<&Path>) -> Vec<Option<FoundSource>> {
    let in_place = |source: &ProjectSource| files::is_file(&source.path).then(|| source.found_at(&source.path));
    let mut found: Vec<Option<FoundSource>> = sources.iter().map(in_place).collect();
    let below = LazyCell::new(|| folder.and_then(|folder| find_files(folder).ok()).map_or(Vec::new(), |all| all.files));
    let mut taken: HashSet<PathBuf> = found.iter().flatten().map(|found| canonical(&found.path)).collect();
    for wants_same in [true, false] {
        for (source, place) in sources.iter().zip(&mut found).filter(|(_, place)| place.is_none()) {
            let is_free =
                |path: &&PathBuf| path.file_name() == source.path.file_name() && !taken.contains(&canonical(path));
            let candidates = below.iter().filter(is_free).map(|path| source.found_at(path));
            *place = candidates.into_iter().find(|found| found.is_same || !wants_same);
            taken.extend(place.as_ref().map(|found| canonical(&found.path)));
        }
    }
    found
}

fn canonical(path: &Path) -> PathBuf {
    files::canonical(path).unwrap_or_else(|_| path.to_path_buf())
}

impl Project {
    /// The project as text, for a file in that folder.
    pub fn to_toml(&self, folder: &Path) -> String {
        let source = |source: &ProjectSource| ProjectSource { path: relative(&source.path, folder), ..source.clone() };
        let sources = self.sources.iter().map(source).collect();
        let mut document = self.document.clone();
        document.external.iter_mut().for_each(|external| external.path = relative(&external.path, folder));
        let written = Written { version: VERSION, sources, document };
        toml::to_string_pretty(&written).expect("a project is plain data")
    }

    /// Reads a project in that folder.
    ///
    /// # Errors
    /// See [`ProjectError`].
    pub fn from_toml(text: &str, folder: &Path) -> Result<Self, ProjectError> {
        match toml::from_str::<Versioned>(text)? {
            Versioned { version } if version != VERSION => return Err(ProjectError::Version(version)),
            Versioned { .. } => {}
        }
        let Written { sources, mut document, .. } = toml::from_str(text)?;
        document.external.iter_mut().for_each(|external| external.path = absolute(&external.path, folder));
        let source = |source: ProjectSource| match source.import.check() {
            Ok(()) => Ok(ProjectSource { path: absolute(&source.path, folder), ..source }),
            Err(error) => Err(ProjectError::Import { path: source.path, error }),
        };
        let sources = sources.into_iter().map(source).collect::<Result<_, _>>()?;
        Ok(Self { sources, document: document.validated()? })
    }
}

/// The path from a folder to a file. The file's own path if there is none, as between disks.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let (path_parts, folder_parts): (Vec<Component>, Vec<Component>) =
        (path.components().collect(), folder.components().collect());
    let shared = path_parts.iter().zip(&folder_parts).take_while(|(a, b)| a == b).count();
    // Different trees share only the root, with its drive on Windows.
    let is_root = |part: &&Component| matches!(part, Component::Prefix(_) | Component::RootDir);
    if shared <= folder_parts.iter().take_while(is_root).count() || !folder.is_absolute() {
        return path.to_owned();
    }
    let up = folder_parts[shared..].iter().map(|_| Component::ParentDir);
    let parts: Vec<String> = up
        .chain(path_parts[shared..].iter().copied())
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    PathBuf::from(parts.join("/")) // the same on every system
}

/// The inverse of [`relative`]. It resolves `..`, so that every file has only one path.
fn absolute(path: &Path, folder: &Path) -> PathBuf {
    let up = |mut whole: PathBuf, part: Component<'_>| {
        match part {
            Component::ParentDir if whole.file_name().is_some() => _ = whole.pop(),
            part => whole.push(part),
        }
        whole
    };
    folder.join(path).components().fold(PathBuf::new(), up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::ExternalFile;

    /// A path from the root, on Windows with a drive.
    fn at(path: &str) -> PathBuf {
        PathBuf::from(if cfg!(windows) { format!("C:{path}") } else { path.into() })
    }

    fn project(folder: &Path) -> Project {
        let source = |path: PathBuf| ProjectSource { path, digest: "0123".into(), import: ImportOptions::default() };
        let sources = vec![source(folder.join("walks/walk.glb")), source(at("/elsewhere/run.bvh"))];
        Project { sources, document: Document::default() }
    }

    #[test]
    fn a_project_goes_along_with_its_folder() {
        let (here, there) = (&*at("/home/ann/game/anim"), &*at("/mnt/team/anim"));
        let text = project(here).to_toml(here);
        assert!(text.contains("path = \"walks/walk.glb\"") && text.contains("/elsewhere/run.bvh"), "{text}");
        assert_eq!(Project::from_toml(&text, there).unwrap(), project(there));
        let beside = project(&at("/home/ann/other")).to_toml(here);
        assert!(beside.contains("path = \"../../other/walks/walk.glb\""), "{beside}");
        assert_eq!(Project::from_toml(&beside, here).unwrap(), project(&at("/home/ann/other")));
    }

    #[test]
    fn what_is_no_project_says_what_is_wrong() {
        let folder = &*at("/a/b");
        let text = project(folder).to_toml(folder);
        let error = |text: &str| Project::from_toml(text, folder).unwrap_err().to_string();
        assert!(error("codec = \"press\"").contains("version"));
        assert!(error(&text.replace("version = 1", "version = 7")).contains("version 7"));
        assert!(error(&text.replace("linear-keys", "zip")).contains("zip"));
        for length in (0..text.len()).step_by(97) {
            let _ = Project::from_toml(&text[..length], folder); // no panic
        }
    }

    #[test]
    fn what_stands_beside_the_recipes_goes_along_too() {
        let (here, there) = (&*at("/home/ann/game/anim"), &*at("/mnt/team/anim"));
        let with = |folder: &Path| {
            let mut project = project(folder);
            project.document.external = Some(ExternalFile {
                path: folder.join("theirs.glb"),
                options: ImportOptions::default(),
                alignment: Default::default(),
                limits: Default::default(),
            });
            project
        };
        let text = with(here).to_toml(here);
        assert!(text.contains("path = \"theirs.glb\""), "{text}");
        assert_eq!(Project::from_toml(&text, there).unwrap(), with(there));
    }

    #[test]
    fn a_file_that_was_moved_inside_the_project_is_found_by_name_rather_with_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let digest = SourceDigest::of(b"walk").to_string();
        let source = ProjectSource { digest, ..project(folder.path()).sources[0].clone() };
        assert_eq!(source.found(folder.path()), None);
        let write = |at: &str, bytes: &[u8]| {
            let path = folder.path().join(at);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let other = write("a/walk.glb", b"another walk");
        assert_eq!(source.found(folder.path()), Some(FoundSource { path: other, is_same: false }));
        let moved = write("moved/deep/walk.glb", b"walk");
        assert_eq!(source.found(folder.path()), Some(FoundSource { path: moved, is_same: true }));
        let edited = write("walks/walk.glb", b"edited where it was");
        assert_eq!(source.found(folder.path()), Some(FoundSource { path: edited, is_same: false }));
    }

    /// Two takes of one name in two folders: the missing one is not the other.
    #[test]
    fn no_file_stands_for_two_sources() {
        let folder = tempfile::tempdir().unwrap();
        let write = |at: &str, bytes: &[u8]| {
            let path = folder.path().join(at);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let source = |at: &str, bytes: &[u8]| ProjectSource {
            path: folder.path().join(at),
            digest: SourceDigest::of(bytes).to_string(),
            import: ImportOptions::default(),
        };
        let sources = [source("a/walk.glb", b"a"), source("b/walk.glb", b"b"), source("c/walk.glb", b"c")];
        let find = || -> Vec<Option<PathBuf>> {
            let found = find_sources(&sources, Some(folder.path()));
            found.into_iter().map(|found| Some(found?.path)).collect()
        };
        let b = write("b/walk.glb", b"b");
        assert_eq!(find(), [None, Some(b.clone()), None]);
        let edited = write("1/walk.glb", b"edited");
        assert_eq!(find(), [Some(edited.clone()), Some(b.clone()), None], "one file for one of them");
        let moved = write("2/walk.glb", b"c");
        assert_eq!(find(), [Some(edited), Some(b.clone()), Some(moved)]);
        let nowhere = find_sources(&sources, None);
        assert_eq!(nowhere, [None, Some(FoundSource { path: b, is_same: true }), None], "without a folder to look in");
    }
}
