//! The containers of a library: which clips share one, and its place below the output folder.

use super::args::OnePer;
use super::inputs::{Input, Unusable};
use super::planner::Planner;
use crate::cli::output::check_output;
use posepress_core::batch::{FileStamp, OutputRecord, merged_container, unique_names};
use posepress_core::export::write_atomically;
use posepress_core::store::ResultKey;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Name of the container of a whole library, and of the files that are in no folder.
const ALL: &str = "all.posepress";

/// A clip of a container.
pub struct Part<'a> {
    /// Its file.
    pub input: &'a Input,
    /// Name of the clip in its file.
    pub clip: &'a str,
    /// Key of its result.
    pub key: &'a ResultKey,
}

/// The place of each file's container below the output folder. Also returns the files that have none, with the reason.
pub fn place_outputs(inputs: Vec<Input>, one_per: OnePer) -> (Vec<(Input, String)>, Vec<Unusable>) {
    let plain = |input: &Input| text(&input.below.with_extension("posepress"));
    let mut uses: HashMap<String, usize> = HashMap::new();
    inputs.iter().for_each(|input| *uses.entry(plain(input).to_lowercase()).or_default() += 1);
    let (mut placed, mut errors) = (Vec::new(), Vec::new());
    let mut taken: HashMap<String, (String, String)> = HashMap::new();
    for input in inputs {
        let place = match one_per {
            OnePer::All => ALL.to_owned(),
            OnePer::Folder => match text(input.below.parent().unwrap_or(Path::new(""))) {
                folder if folder.is_empty() => ALL.to_owned(),
                folder => format!("{folder}.posepress"),
            },
            // `walk.glb` and `walk.bvh` keep their endings.
            OnePer::File if uses[&plain(&input).to_lowercase()] > 1 => format!("{}.posepress", text(&input.below)),
            OnePer::File => plain(&input),
        };
        // On Windows and macOS, names that differ in case only are one file.
        let (known, by) = taken.entry(place.to_lowercase()).or_insert_with(|| (place.clone(), input.label.clone()));
        if (one_per == OnePer::File && *by != input.label) || *known != place {
            let same = if *known == place { "as" } else { "which differs only in capitals from the place of" };
            errors.push((input.label, format!("its output would be {place}, {same} {by}. Rename one of them")));
        } else {
            placed.push((input, place));
        }
    }
    (placed, errors)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
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
        let entry = entry.ok_or("its result was removed from the store during the run. Run again")?;
        containers.push((name, entry.payload));
    }
    let bytes = merged_container(&containers).map_err(|error| error.to_string())?;
    let sources = parts.iter().map(|part| part.input.path.as_path());
    check_output(&path, sources).map_err(|error| error.to_string())?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    write_atomically(&path, &bytes).map_err(|error| error.to_string())?;
    let stamp = stamp_of(&path).ok_or_else(|| format!("{}: it vanished after it was written", path.display()))?;
    Ok(OutputRecord { stamp, made_of })
}

/// The record of a container that is on the disk as the last run wrote it from the same results.
pub fn current<'a>(planner: &'a Planner, place: &str, parts: &[Part<'_>]) -> Option<&'a OutputRecord> {
    let known = planner.index.outputs.get(place)?;
    let is_same = known.made_of == made_of(parts).1 && stamp_of(&planner.output.join(place)) == Some(known.stamp);
    is_same.then_some(known)
}

/// Names of the clips in their container, and the digest of names and results.
fn made_of(parts: &[Part<'_>]) -> (Vec<String>, ResultKey) {
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

/// Clips by container.
pub type Containers<'a> = BTreeMap<&'a str, Vec<Part<'a>>>;
