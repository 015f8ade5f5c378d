//! The end of a run on its share of the library: what it did, without outputs.

use super::inputs::Unusable;
use super::planner::Library;
use super::queue::Results;
use super::share::{Share, keys_of};
use crate::cli::{Console, Exit, Failure};
use posepress_core::store::ResultKey;
use posepress_core::text;
use serde::Serialize;
use std::collections::HashSet;

/// The work of a run on its share.
#[derive(Debug, Default, PartialEq, Serialize)]
struct ShareReport {
    schema: u32,
    /// Clips that this run compressed.
    compressed: usize,
    /// Clips whose results were in the store.
    found: usize,
    /// Clips and files without a result.
    failed: Vec<ShareFailure>,
}

#[derive(Debug, PartialEq, Serialize)]
struct ShareFailure {
    source: String,
    /// Empty for a whole file.
    clip: String,
    error: String,
}

/// Prints what a run did on its share. Outputs and manifest are left to the merge.
pub fn finish_share(
    mut library: Library,
    mut results: Results,
    share: &Share,
    as_json: bool,
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    results.settle(&mut library);
    let report = report(&library, &results, share);
    if as_json {
        console.json(&report)?;
    } else {
        let (compressed, failed) = (text::count(report.compressed, "clip"), report.failed.len());
        writeln!(
            console.out,
            "{compressed} compressed, {} were in the store, {failed} without a result",
            report.found
        )?;
    }
    let failed: Vec<String> = report.failed.iter().map(ShareFailure::words).collect();
    match failed.len() {
        0 => Ok(Exit::Done),
        count => {
            Err(Failure::input(format!("{} without a result: {}", text::count(count, "row"), text::listed(&failed))))
        }
    }
}

impl ShareFailure {
    fn words(&self) -> String {
        let (source, error) = (text::escaped(&self.source), text::escaped(&self.error));
        match &*self.clip {
            "" => format!("{source}: {error}"),
            clip => format!("{source}#{clip}: {error}"),
        }
    }
}

fn report(library: &Library, results: &Results, share: &Share) -> ShareReport {
    let failure = |source: &str, clip: &str, error: &str| ShareFailure {
        source: source.into(),
        clip: clip.into(),
        error: error.into(),
    };
    let unusable = |(source, reason): &Unusable| failure(source, "", reason);
    let mut report =
        ShareReport { schema: 1, failed: library.errors.iter().map(unusable).collect(), ..ShareReport::default() };
    for (at, file) in library.files.iter().enumerate().filter(|(at, file)| share.has_file(*at, file)) {
        let label = &file.input.label;
        report.failed.extend(results.errors.get(&at).map(|error| failure(label, "", error)));
        let lost = file.listed.iter().flat_map(|listed| &listed.lost);
        report.failed.extend(lost.map(|clip| failure(label, &clip.name, &clip.reason)));
        for clip in file.clips().iter().filter(|clip| share.has_clip(at, file, clip)) {
            match results.made_of(clip) {
                Ok(_) if clip.numbers.is_some() => report.found += 1,
                Ok(_) => report.compressed += 1,
                Err(error) => report.failed.push(failure(label, &clip.name, &error)),
            }
        }
    }
    if let Share::Keys { keys, .. } = share {
        let known: HashSet<&ResultKey> = keys_of(library).collect();
        let mut unknown: Vec<&ResultKey> = keys.iter().filter(|key| !known.contains(key)).collect();
        unknown.sort();
        let why = "no task of these inputs has this key: a file or a rule changed since the plan, or clips share budgets. \
                   Plan again, and with budgets name all inputs of the plan";
        report.failed.extend(unknown.into_iter().map(|key| failure(&format!("--claim {key}"), "", why)));
    }
    report
}
