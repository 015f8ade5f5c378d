//! The end of a run: containers, manifest, gates, baseline, index.

use super::annotations::Judged;
use super::args::BatchArgs;
use super::format::print_manifest;
use super::outputs::{Containers, Part, write_container};
use super::page::page;
use super::planner::{Library, PlannedClip, PlannedFile, Planner};
use super::prune::{Outputs, orphaned, prune};
use super::queue::Results;
use crate::cli::evidence::Painter;
use crate::cli::{Console, Exit, Failure};
use posepress_core::batch::{
    BatchIndex, ClipNumbers, FileRecord, Gate, MANIFEST_NAME, Manifest, ManifestDiff, ManifestRow, OutputRecord,
};
use posepress_core::export::write_atomically;
use posepress_core::text;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;

/// Containers that were written, or the reason why not, by place.
type Written = HashMap<String, Result<OutputRecord, String>>;

/// Writes containers, manifest, baseline and index, and prints the result.
pub fn finish(
    planner: &Planner,
    mut library: Library,
    mut results: Results,
    (args, gate, before): (&BatchArgs, Gate, Option<Manifest>),
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    results.settle(&mut library);
    let made = |clip: &PlannedClip| match results.made_of(clip) {
        Err(error) if args.merge => Err(planner.store.failure(&clip.key).unwrap_or(error)),
        made => made,
    };
    let written = write_containers(planner, &library, &made);
    let manifest = Manifest::of(rows(&library, &results, &written, &made));
    let path = planner.output.join(MANIFEST_NAME);
    write_atomically(&path, manifest.to_text().as_bytes()).map_err(Failure::input)?;
    let orphans = orphaned(planner, &library);
    let orphans = if args.prune { prune(planner, orphans, console) } else { orphans };
    write_index(planner, std::mem::take(&mut library.records), (written, orphans), console);
    let diff = before.as_ref().map(|before| ManifestDiff::between(before, &manifest));
    let unmet = gate.unmet(&manifest, diff.as_ref().or(args.update_baseline.then(ManifestDiff::default).as_ref()));
    let judged = Judged::new(&manifest, unmet.map_err(Failure::usage)?);
    if let Some(path) = &args.html {
        let painter = console.painter.as_mut().map(|painter| &mut **painter as &mut dyn Painter);
        let page = page(&judged, diff.as_ref(), (planner, &library), painter);
        write_atomically(path, page.as_bytes()).map_err(Failure::input)?;
    }
    print_manifest(&judged, diff.as_ref(), args.format, console)?;
    if let Some(baseline) = args.baseline.as_ref().filter(|_| args.update_baseline) {
        write_atomically(baseline, manifest.to_text().as_bytes()).map_err(Failure::input)?;
    }
    conclude(&judged)
}

fn write_containers(
    planner: &Planner,
    library: &Library,
    made: &(impl Fn(&PlannedClip) -> Result<ClipNumbers, String> + Sync),
) -> Written {
    let mut containers: Containers<'_> = BTreeMap::new();
    for file in &library.files {
        let clips = file.clips.iter().flatten().filter(|clip| made(clip).is_ok());
        let parts = clips.map(|clip| Part { input: &file.input, clip: &clip.name, key: &clip.key });
        containers.entry(&file.output).or_default().extend(parts);
    }
    containers.retain(|_, parts| !parts.is_empty());
    let write = |(place, parts): (&str, Vec<Part<'_>>)| (place.to_owned(), write_container(planner, place, &parts));
    containers.into_par_iter().map(write).collect()
}

fn rows(
    library: &Library,
    results: &Results,
    written: &Written,
    made: &impl Fn(&PlannedClip) -> Result<ClipNumbers, String>,
) -> Vec<ManifestRow> {
    let failed = |source: &str, error: &str| ManifestRow {
        source: source.into(),
        error: Some(error.into()),
        ..ManifestRow::default()
    };
    let of_clip = |file: &PlannedFile, clip: &PlannedClip| {
        let row = ManifestRow { source: file.input.label.clone(), clip: clip.name.clone(), ..ManifestRow::default() };
        let output = written.get(&file.output).map(|written| written.as_ref().map_err(String::as_str));
        match (made(clip), output) {
            (Ok(numbers), Some(Ok(_))) => {
                let (key, output) = (Some(clip.key.clone()), Some(file.output.clone()));
                ManifestRow { key, output, numbers: Some(numbers), ..row }
            }
            (Ok(_), Some(Err(error))) => ManifestRow { error: Some(error.into()), ..row },
            (Ok(_), None) => ManifestRow { error: Some("no container was written".into()), ..row },
            (Err(error), _) => ManifestRow { error: Some(error), ..row },
        }
    };
    let mut rows: Vec<ManifestRow> = library.errors.iter().map(|(source, error)| failed(source, error)).collect();
    for (at, file) in library.files.iter().enumerate() {
        rows.extend(results.errors.get(&at).into_iter().flatten().map(|error| failed(&file.input.label, error)));
        rows.extend(file.clips.iter().flatten().map(|clip| of_clip(file, clip)));
    }
    rows
}

/// Writes the index. Without it the next run reads the files again, which is no error.
fn write_index(
    planner: &Planner,
    files: BTreeMap<String, FileRecord>,
    (written, orphans): (Written, Outputs),
    console: &mut Console<'_>,
) {
    let now = SystemTime::now();
    let files = files.into_iter().filter(|(_, record)| record.stamp.is_settled(now)).collect();
    let written = written.into_iter().filter_map(|(place, record)| Some((place, record.ok()?)));
    let outputs = orphans.into_iter().chain(written).collect();
    let index = BatchIndex { files, outputs };
    if index == planner.index {
        return;
    }
    if let Err(error) = planner.store.write_note(&planner.index_name(), &index.to_text()) {
        console.say(format!("{error}. The next run reads all files"));
    }
}

/// The exit of a run: rows without a result first, then gates.
fn conclude(judged: &Judged<'_>) -> Result<Exit, Failure> {
    let failed: Vec<String> =
        judged.manifest.rows.iter().filter(|row| row.error.is_some()).map(ManifestRow::title).collect();
    if !failed.is_empty() {
        let count = text::count(failed.len(), "row");
        return Err(Failure::input(format!("{count} without a result: {}", text::listed(&failed))));
    }
    let unmet: Vec<String> =
        judged.faults.iter().map(|fault| format!("gate: {}: {}", fault.title, fault.words)).collect();
    match unmet.len() {
        0 => Ok(Exit::Done),
        count => {
            const MOST: usize = 20;
            let mut lines = unmet;
            lines.truncate(MOST);
            let more = count - lines.len();
            lines.extend((more > 0).then(|| format!("gate: and {more} more; the manifest has all")));
            Ok(Exit::GateNotMet(lines.join("\n")))
        }
    }
}
