//! `--watch`: the same run again, whenever a file of the library changes.

use super::args::BatchArgs;
use super::inputs::find;
use super::outputs::stamp_of;
use super::planner::Library;
use super::queue::Results;
use super::stop::Stop;
use posepress_core::batch::{BatchConfig, FileStamp, Sidecar};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Shortest pause between two looks at the files.
const PAUSE: Duration = Duration::from_millis(300);
/// The pause is this many times as long as a look takes, so that a large library costs little while nothing changes.
const PAUSE_PER_LOOK: u32 = 10;

/// Sizes and times of all files that decide a run. A file that is not there has none.
pub type Seen = BTreeMap<PathBuf, Option<FileStamp>>;

/// The files that a run read, with those beside its inputs.
pub fn beside(library: &Library, results: &Results) -> BTreeSet<PathBuf> {
    let imported = results.records.iter().filter_map(|(at, record)| {
        let (_, listing) = record.listing.as_ref()?;
        let folder = library.files[*at].input.absolute.parent()?;
        Some(listing.beside.iter().map(|file| folder.join(&file.path)))
    });
    library.records.keys().map(PathBuf::from).chain(imported.flatten()).collect()
}

/// Looks at the files of the library, their sidecars, their rules and project, and files beside them.
pub fn look(args: &BatchArgs, output: &Path, beside: &BTreeSet<PathBuf>) -> Seen {
    let mut paths = beside.clone();
    let found = find(&args.inputs, &[output, &args.store_folder(output)]).unwrap_or_default();
    let mut rules = BTreeSet::new();
    for input in found.inputs {
        paths.insert(Sidecar::path_of(&input.absolute));
        rules.extend(input.absolute.parent().and_then(BatchConfig::find));
        paths.insert(input.absolute);
    }
    paths.extend(found.project);
    paths.extend(rules.iter().filter_map(|path| BatchConfig::read(path).ok()?.project));
    paths.extend(rules);
    paths.extend(args.source.rig.clone());
    paths.into_iter().map(|path| (path.clone(), stamp_of(&path))).collect()
}

/// The files as they were before a run, and those that the run found beside its inputs as they are now.
pub fn with_beside(mut before: Seen, now: Seen, beside: &BTreeSet<PathBuf>) -> Seen {
    for (path, stamp) in now.into_iter().filter(|(path, _)| beside.contains(path)) {
        before.entry(path).or_insert(stamp);
    }
    before
}

/// Waits until the files differ from what a run saw, and then rest. False if a stop was asked for.
pub fn wait_for_change(before: &Seen, look: impl Fn() -> Seen, stop: &Stop) -> bool {
    let mut last = before.clone();
    loop {
        let began = Instant::now();
        let now = look();
        // Files that are still being written change between two looks.
        if now != *before && now == last {
            return true;
        }
        last = now;
        let until = Instant::now() + PAUSE.max(began.elapsed() * PAUSE_PER_LOOK);
        while Instant::now() < until {
            if stop.is_asked() {
                return false;
            }
            std::thread::sleep(PAUSE / 10);
        }
    }
}
