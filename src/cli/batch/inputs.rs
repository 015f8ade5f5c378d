//! The files of a library: given ones, those below folders, and those of patterns.

use super::decided::Decided;
use crate::cli::Failure;
use crate::cli::patterns::Pattern;
use posepress_core::batch::{CONFIG_NAME, FileStamp, Sidecar};
use posepress_core::files::canonical;
use posepress_core::import::readable_extensions;
use posepress_core::project::PROJECT_EXTENSION;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// A file of the library.
#[derive(Debug, Clone)]
pub struct Input {
    /// Path as it was given or found.
    pub path: PathBuf,
    /// The same as text, with `/` between folders.
    pub label: String,
    /// Path below the folder that was given; the place of its output.
    pub below: PathBuf,
    /// Path from the root of the system. Links are not resolved.
    pub absolute: PathBuf,
    /// Size and time.
    pub stamp: Option<FileStamp>,
}

impl Input {
    /// Length, bytes.
    pub fn bytes(&self) -> u64 {
        self.stamp.map_or(0, |stamp| stamp.bytes)
    }
}

/// The files of a library, and what is wrong with others.
#[derive(Debug, Default)]
pub struct Found {
    /// Files, by label.
    pub inputs: Vec<Input>,
    /// Files and folders that cannot be used, with the reason.
    pub errors: Vec<Unusable>,
    /// The project that was given.
    pub project: Option<PathBuf>,
}

/// A file or folder that cannot be used, and the reason.
pub type Unusable = (String, String);

/// Finds the files of the library. Files below the folders `skipped` do not belong to it. A file that is found twice counts once. A project
/// stands for its files.
pub fn find(given: &[PathBuf], skipped: &[&Path]) -> Result<Found, Failure> {
    let skipped: Vec<PathBuf> = skipped.iter().filter_map(|folder| canonical(folder).ok()).collect();
    let (mut found, mut errors) = (BTreeMap::new(), Vec::new());
    // The pattern of a shell may name what belongs to the others.
    let sidecars: HashSet<PathBuf> = given.iter().map(|path| Sidecar::path_of(path)).collect();
    let is_beside = |path: &Path| sidecars.contains(path) || path.file_name().is_some_and(|name| name == CONFIG_NAME);
    let given = given.iter().filter(|path| !is_beside(path));
    let (projects, given): (Vec<&PathBuf>, Vec<&PathBuf>) = given.partition(|path| is_project(path));
    if let [first, second, ..] = projects.as_slice() {
        let [first, second] = [first, second].map(|path| label(path));
        return Err(Failure::usage(format!("{first} and {second} are two projects. Run them apart")));
    }
    let of_project = projects.first().map(|path| Decided::read(path)).transpose()?;
    let of_project = of_project.iter().flat_map(Decided::files).map(|(path, folder)| Ok((shown(path), shown(folder))));
    let given = given.into_iter().map(|path| files_of(path, &skipped)).collect::<Result<Vec<_>, _>>()?;
    for one in given.into_iter().flatten().chain(of_project) {
        match one.and_then(|(path, folder)| input(&path, &folder).map_err(|reason| (label(&path), reason))) {
            Ok((place, input)) => {
                let known: &mut Input = found.entry(place).or_insert_with(|| input.clone());
                // Links may lead to a file by a longer way. Of two folders that were given, the outer one counts.
                let way = |input: &Input| {
                    let below = Reverse(input.below.components().count());
                    (input.path.components().count(), input.label.clone(), below)
                };
                if way(&input) < way(known) {
                    *known = input;
                }
            }
            Err(error) => errors.push(error),
        }
    }
    let mut inputs: Vec<Input> = found.into_values().collect();
    inputs.sort_by(|a, b| a.label.cmp(&b.label));
    errors.sort();
    errors.dedup();
    Ok(Found { inputs, errors, project: projects.first().map(|path| PathBuf::clone(path)) })
}

fn is_project(path: &Path) -> bool {
    path.to_string_lossy().to_lowercase().ends_with(&format!(".{PROJECT_EXTENSION}"))
}

/// A path below the current folder without that folder, as people give it.
fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(std::path::absolute).unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).to_owned()
}

/// A file and the folder that was given, or a path and the reason why it cannot be used.
type FoundFile = Result<(PathBuf, PathBuf), Unusable>;

/// The files of a file, folder or pattern.
fn files_of(path: &Path, skipped: &[PathBuf]) -> Result<Vec<FoundFile>, Failure> {
    if path.is_dir() {
        return Ok(match walk((path, usize::MAX), skipped, |_| true) {
            none if none.is_empty() => vec![Err((label(path), "no file that can be read lies below it".into()))],
            files => files,
        });
    }
    let folder = || path.parent().unwrap_or(Path::new("")).to_owned();
    Ok(match Pattern::of(path)? {
        Some(pattern) => match walk((&pattern.folder, pattern.depth), skipped, |path| pattern.fits(path)) {
            none if none.is_empty() => vec![Err((label(path), "no file that can be read matches it".into()))],
            files => files,
        },
        None => vec![Ok((path.to_owned(), folder()))],
    })
}

fn label(path: &Path) -> String {
    slashed(path.strip_prefix(".").unwrap_or(path))
}

/// A path as text, with `/` between folders.
pub fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    // Outside Windows, the other slash may be a part of a name.
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// A file, and its place with links resolved.
fn input(path: &Path, folder: &Path) -> Result<(PathBuf, Input), String> {
    if path.to_str().is_none() {
        return Err("its name is not text (UTF-8). Rename it".into());
    }
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}. Check the path");
    let about = path.metadata().map_err(unreadable)?;
    let place = canonical(path).map_err(unreadable)?;
    let absolute = std::path::absolute(path).map_err(unreadable)?;
    let below = path.strip_prefix(folder).unwrap_or(path).to_owned();
    Ok((place, Input { path: path.into(), label: label(path), below, absolute, stamp: FileStamp::of(&about) }))
}

/// The files that can be imported, down to a depth below a folder.
fn walk((folder, depth): (&Path, usize), skipped: &[PathBuf], is_wanted: impl Fn(&Path) -> bool) -> Vec<FoundFile> {
    let extensions: Vec<_> = readable_extensions().collect();
    let is_source = |path: &Path| {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        extension.is_some_and(|extension| extensions.iter().any(|known| *known == extension))
    };
    let enters = |entry: &DirEntry| {
        let is_skipped = || canonical(entry.path()).is_ok_and(|path| skipped.contains(&path));
        !entry.file_type().is_dir() || skipped.is_empty() || !is_skipped()
    };
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).max_depth(depth).follow_links(true).into_iter().filter_entry(enters) {
        match entry {
            Ok(entry) if entry.file_type().is_dir() || !is_source(entry.path()) || !is_wanted(entry.path()) => {}
            Ok(entry) => found.push(Ok((entry.into_path(), folder.to_owned()))),
            // A link to a folder above: its files are found there.
            Err(error) if error.loop_ancestor().is_some() => {}
            // A link to nothing that is no source, such as the lock of an editor.
            Err(error) if error.path().is_some_and(|path| path.is_symlink() && !is_source(path)) => {}
            Err(error) => {
                let path = error.path().map_or_else(|| label(folder), label);
                found.push(Err((path, format!("cannot be read: {error}"))));
            }
        }
    }
    found
}
