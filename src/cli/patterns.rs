//! Patterns of files, such as `*.bvh` and `walks/**/*.glb`. Shells of Windows do not replace them by the files, and others do not if they are quoted.

use super::Failure;
use globset::{GlobBuilder, GlobMatcher};
use std::path::{Component, Path, PathBuf};
use walkdir::WalkDir;

/// A pattern of paths.
pub struct Pattern {
    /// The folder above all paths that can match.
    pub folder: PathBuf,
    /// Folders and files below it, in the longest path that can match.
    pub depth: usize,
    matcher: GlobMatcher,
}

impl Pattern {
    /// `None` for a path without the signs of patterns, and for one that exists.
    ///
    /// # Errors
    /// [`Failure::Usage`]: a bracket has no end.
    pub fn of(path: &Path) -> Result<Option<Self>, Failure> {
        // Without repeated separators.
        let path: PathBuf = path.components().collect();
        let is_pattern = path.components().any(|part| has_signs(&part));
        let Some(text) = path.to_str().filter(|_| is_pattern && !path.exists()) else { return Ok(None) };
        let folder: PathBuf = path.components().take_while(|part| !has_signs(part)).collect();
        let rest = path.components().count() - folder.components().count();
        let is_here = folder.as_os_str().is_empty();
        // A walk of the current folder gives paths with './', which the pattern does not have.
        let whole = if is_here { format!("./{text}") } else { text.to_owned() };
        let glob = GlobBuilder::new(&whole).literal_separator(true).case_insensitive(cfg!(windows)).build();
        let glob = glob.map_err(|error| Failure::usage(format!("'{text}': {}", error.kind())))?;
        Ok(Some(Self {
            folder: if is_here { PathBuf::from(".") } else { folder },
            depth: if text.contains("**") { usize::MAX } else { rest },
            matcher: glob.compile_matcher(),
        }))
    }

    /// True for a path that begins with the folder and fits.
    pub fn fits(&self, path: &Path) -> bool {
        self.matcher.is_match(path)
    }

    /// The files that fit, by name.
    fn files(&self) -> Vec<PathBuf> {
        let below = WalkDir::new(&self.folder).max_depth(self.depth).follow_links(true).sort_by_file_name();
        let files = below.into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
        let fitting = files.map(walkdir::DirEntry::into_path).filter(|path| self.fits(path));
        fitting.map(|path| path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)).collect()
    }
}

/// True for a name with the signs of patterns. The start of a Windows path, such as `\\?\C:`, is no name.
fn has_signs(part: &Component<'_>) -> bool {
    const SIGNS: [char; 4] = ['*', '?', '[', '{'];
    matches!(part, Component::Normal(name) if name.to_string_lossy().contains(SIGNS))
}

/// Replaces each pattern by its files. A pattern that no file fits stays, for the command to name it among the files that it cannot read.
///
/// # Errors
/// A pattern cannot be read.
pub fn expand(files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut expanded = Vec::with_capacity(files.len());
    for file in files.drain(..) {
        match Pattern::of(&file)?.map(|pattern| pattern.files()) {
            Some(found) if !found.is_empty() => expanded.extend(found),
            _ => expanded.push(file),
        }
    }
    *files = expanded;
    Ok(())
}

/// The error of a path that is still a pattern.
pub fn unfitted(path: &Path) -> Option<Failure> {
    let is_pattern = Pattern::of(path).ok().flatten().is_some();
    is_pattern.then(|| Failure::file(path, "no file fits the pattern. Check the folder and the name"))
}
