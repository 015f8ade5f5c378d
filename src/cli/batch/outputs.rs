//! The containers of a library: which clips share one, and its place below the output folder.

use super::inputs::{Input, Unusable, slashed};
use super::planner::{PlannedFile, Planner};
use crate::cli::output::check_output;
use posepress_core::batch::{
    FileStamp, OnePer, OutputRecord, OutputRules, container_in, merged_container, unique_names,
};
use posepress_core::export::write_atomically;
use posepress_core::pipeline::CONTAINER;
use posepress_core::store::ResultKey;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Name of the container of a whole library, and of the files that are in no folder.
const ALL: &str = "all.posepress";

/// The reason of an output whose results are incomplete.
pub const NO_ENTRY: &str = "a result that it needs is not in the store any more. Run again, without --only-better if the result is an earlier one";

/// A clip of a container.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// Its file.
    pub input: &'a Input,
    /// Name of the clip in its file.
    pub clip: &'a str,
    /// Key of its result.
    pub key: &'a ResultKey,
}

/// The places of a file's outputs, below the output folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Path of its own outputs, without an extension.
    pub own: String,
    /// Path of the container of its clips.
    pub container: String,
}

/// The places of each file's outputs. Also returns the files that have none, with the reason.
pub fn place_outputs(inputs: Vec<Input>, rules: &OutputRules) -> (Vec<(Input, Place)>, Vec<Unusable>) {
    let one_per = rules.one_per.unwrap_or_default();
    let stem = |input: &Input| slashed(&input.below.with_extension(""));
    let mut uses: HashMap<String, usize> = HashMap::new();
    inputs.iter().for_each(|input| *uses.entry(stem(input).to_lowercase()).or_default() += 1);
    let has_own = matches!(one_per, OnePer::File | OnePer::Character) || rules.formats.iter().any(|f| *f != CONTAINER);
    let (mut placed, mut errors) = (Vec::new(), Vec::new());
    let mut taken: HashMap<String, (String, String)> = HashMap::new();
    for input in inputs {
        // `walk.glb` and `walk.bvh` keep their endings.
        let is_alone = uses[&stem(&input).to_lowercase()] == 1;
        let own = if is_alone { stem(&input) } else { slashed(&input.below) };
        let container = match one_per {
            OnePer::All => ALL.to_owned(),
            OnePer::Folder => match slashed(input.below.parent().unwrap_or(Path::new(""))) {
                folder if folder.is_empty() => ALL.to_owned(),
                folder => format!("{folder}.posepress"),
            },
            OnePer::File | OnePer::Character => format!("{own}.posepress"),
        };
        // On Windows and macOS, names that differ in case only are one file.
        let mut clash = |place: &str, is_own: bool| {
            let first = || (place.to_owned(), input.label.clone());
            let (known, by) = taken.entry(place.to_lowercase()).or_insert_with(first);
            if (!is_own || *by == input.label) && *known == place {
                return None;
            }
            let same = if *known == place { "as" } else { "which differs only in capitals from the place of" };
            Some(format!("its output would be {place}, {same} {by}. Rename one of them"))
        };
        let of_container = clash(&container, matches!(one_per, OnePer::File | OnePer::Character));
        let of_own = || clash(&own, true).filter(|_| has_own);
        match of_container.or_else(of_own) {
            Some(reason) => errors.push((input.label, reason)),
            None => placed.push((input, Place { own, container })),
        }
    }
    (placed, errors)
}

/// Gives the files on one skeleton the container of the first of them.
pub fn share_characters(files: &mut [PlannedFile]) {
    let mut first: HashMap<String, String> = HashMap::new();
    for file in files {
        let Some(rig) = file.listed.as_ref().map(|listed| listed.rig.clone()) else { continue };
        let own = format!("{}.posepress", file.place.own);
        file.place.container = first.entry(rig).or_insert(own).clone();
    }
}

/// Writes a container from the results in the store, unless the file still is the one of the last run. Returns the file's record.
pub fn write_container(planner: &Planner, place: &str, parts: &[Part<'_>]) -> Result<OutputRecord, String> {
    let path = planner.output.join(place);
    if let Some(known) = current(planner, place, parts) {
        return Ok(known.clone());
    }
    let (names, made_of) = made_of(parts);
    let mut containers = Vec::with_capacity(parts.len());
    for (name, part) in names.into_iter().zip(parts) {
        let entry = planner.store.get(part.key).map_err(|error| error.to_string())?;
        let entry = entry.ok_or(NO_ENTRY)?;
        containers.push((name, container_in(&entry.payload).ok_or(NO_ENTRY)?.to_vec()));
    }
    let bytes = merged_container(&containers).map_err(|error| error.to_string())?;
    let sources = parts.iter().map(|part| part.input.path.as_path());
    let stamp = write_output(&path, sources, &bytes)?;
    Ok(OutputRecord { stamp, made_of, played: BTreeMap::new() })
}

/// Writes a file below the output folder. Returns its size and time.
pub fn write_output<'a>(
    path: &Path,
    sources: impl Iterator<Item = &'a Path>,
    bytes: &[u8],
) -> Result<FileStamp, String> {
    check_output(path, sources).map_err(|error| error.to_string())?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    write_atomically(path, bytes).map_err(|error| error.to_string())?;
    stamp_of(path).ok_or_else(|| format!("{}: it vanished after it was written", path.display()))
}

/// The record of a container that is on the disk as the last run wrote it from the same results.
pub fn current<'a>(planner: &'a Planner, place: &str, parts: &[Part<'_>]) -> Option<&'a OutputRecord> {
    written_of(planner, place, &made_of(parts).1)
}

/// The record of an output that is on the disk as the last run wrote it.
pub fn written_of<'a>(planner: &'a Planner, place: &str, made_of: &ResultKey) -> Option<&'a OutputRecord> {
    let known = planner.index.outputs.get(place)?;
    let is_same = known.made_of == *made_of && stamp_of(&planner.output.join(place)) == Some(known.stamp);
    is_same.then_some(known)
}

/// Names of the clips in their container, and the digest of names and results.
pub fn made_of(parts: &[Part<'_>]) -> (Vec<String>, ResultKey) {
    let names = names_of(parts);
    let keys: Vec<String> = parts.iter().map(|part| part.key.to_string()).collect();
    let all: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(keys.iter().map(String::as_str)).collect();
    let key = ResultKey::of(&all);
    (names, key)
}

/// Size and time of a file. `None` if it is not there.
pub fn stamp_of(path: &Path) -> Option<FileStamp> {
    path.metadata().ok().and_then(|about| FileStamp::of(&about))
}

/// Names of the clips in their container.
fn names_of(parts: &[Part<'_>]) -> Vec<String> {
    let mut files: Vec<(PathBuf, Vec<&str>)> = Vec::new();
    for part in parts {
        match files.last_mut() {
            Some((file, clips)) if *file == part.input.path => clips.push(part.clip),
            _ => files.push((part.input.path.clone(), vec![part.clip])),
        }
    }
    let stems: Vec<_> = files.iter().map(|(file, _)| file.file_stem().unwrap_or_default().to_string_lossy()).collect();
    let files: Vec<(&str, Vec<&str>)> =
        stems.iter().map(|stem| &**stem).zip(files.iter().map(|f| f.1.clone())).collect();
    unique_names(&files).into_iter().flatten().collect()
}
