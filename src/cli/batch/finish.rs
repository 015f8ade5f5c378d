//! The end of a run: containers, manifest, gates, baseline, index.

use super::annotations::Judged;
use super::args::BatchArgs;
use super::better::{Chosen, choose, earlier_row, failed_row, failed_rows};
use super::exports::{plans_of, write_exports};
use super::format::print_manifest;
use super::limits::Limits;
use super::outputs::{Part, write_container};
use super::page::page;
use super::planner::{Library, PlannedClip, PlannedFile, Planner};
use super::prune::{Outputs, orphaned, prune};
use super::queue::Results;
use super::review::Review;
use super::written::Written;
use crate::cli::evidence::Painter;
use crate::cli::{Console, Exit, Failure};
use posepress_core::batch::{BatchIndex, ClipNumbers, FileRecord, MANIFEST_NAME, Manifest, ManifestRow};
use posepress_core::export::write_atomically;
use posepress_core::pipeline::CONTAINER;
use posepress_core::text;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;

/// Writes containers, manifest, baseline and index, and prints the result.
pub fn finish(
    planner: &Planner,
    mut library: Library,
    mut results: Results,
    (args, limits, review): (&BatchArgs, &Limits, Option<Review<'_>>),
    console: &mut Console<'_>,
) -> Result<Exit, Failure> {
    results.settle(&mut library);
    let made = |clip: &PlannedClip| match results.made_of(clip) {
        Err(error) if args.merge => Err(planner.store.failure(&clip.key).unwrap_or(error)),
        made => made,
    };
    planner.share_containers(&mut library);
    let chosen: Vec<Vec<Chosen>> = library.files.iter().map(|file| chosen_of(planner, file, &made)).collect();
    let files: Vec<(&PlannedFile, &[Chosen])> =
        library.files.iter().zip(&chosen).map(|(file, chosen)| (file, chosen.as_slice())).collect();
    let mut written = Written::default();
    write_containers(planner, &files, &mut written);
    write_exports(planner, &files, &mut written);
    let budgets = std::mem::take(&mut library.budgets);
    let manifest = Manifest { budgets, ..Manifest::of(rows(planner, &library, (&results, &chosen), &written)) };
    let path = planner.output.join(MANIFEST_NAME);
    write_atomically(&path, manifest.to_text().as_bytes()).map_err(Failure::input)?;
    if let Some(review) = review {
        review.write(planner, &library, console)?;
    }
    let orphans = orphaned(planner, &library);
    let orphans = if args.prune { prune(planner, orphans, console) } else { orphans };
    write_index(planner, std::mem::take(&mut library.records), (written, orphans), console);
    let (diff, unmet) = limits.judge(&manifest)?;
    let judged = Judged::new(&manifest, &limits.gate, unmet);
    if let Some(path) = &args.html {
        let painter = console.painter.as_mut().map(|painter| &mut **painter as &mut dyn Painter);
        let page = page(&judged, diff.as_ref(), (planner, &library), painter);
        write_atomically(path, page.as_bytes()).map_err(Failure::input)?;
    }
    print_manifest(&judged, diff.as_ref(), args.format, console)?;
    limits.update_baseline(&judged, console)?;
    conclude(&judged)
}

fn chosen_of(
    planner: &Planner,
    file: &PlannedFile,
    made: &impl Fn(&PlannedClip) -> Result<ClipNumbers, String>,
) -> Vec<Chosen> {
    file.clips().iter().map(|clip| choose(planner, file, clip, made(clip))).collect()
}

fn write_containers(planner: &Planner, files: &[(&PlannedFile, &[Chosen])], written: &mut Written) {
    if !planner.outputs.formats.contains(&CONTAINER) {
        return;
    }
    let mut containers: BTreeMap<&str, Vec<(&PlannedFile, Vec<Part<'_>>)>> = BTreeMap::new();
    for (file, chosen) in files {
        let clips = file.clips().iter().zip(chosen.iter());
        let parts = clips.filter_map(|(clip, chosen)| {
            chosen.key.as_ref().map(|key| Part { input: &file.input, clip: &clip.name, key })
        });
        let parts: Vec<_> = parts.chain(kept_lost(planner, file)).collect();
        if !parts.is_empty() {
            containers.entry(&file.place.container).or_default().push((file, parts));
        }
    }
    for (place, files) in &mut containers {
        refuse_other_rigs(place, files, written);
    }
    let write = |(place, files): (&str, Vec<(&PlannedFile, Vec<Part<'_>>)>)| {
        let parts: Vec<Part<'_>> = files.into_iter().flat_map(|(_, parts)| parts).collect();
        (place.to_owned(), write_container(planner, place, &parts))
    };
    let made: Vec<_> = containers.into_par_iter().map(write).collect();
    made.into_iter().for_each(|(place, record)| written.add(place, record));
}

/// A container has one rig: the one with the most clips. Files on another one have no part in it.
fn refuse_other_rigs(place: &str, files: &mut Vec<(&PlannedFile, Vec<Part<'_>>)>, written: &mut Written) {
    let rig_of = |file: &PlannedFile| file.listed.as_ref().map(|listed| listed.rig.clone()).unwrap_or_default();
    let mut clips: HashMap<String, usize> = HashMap::new();
    files.iter().for_each(|(file, parts)| *clips.entry(rig_of(file)).or_default() += parts.len());
    // Of rigs with as many clips, the first.
    let most = files.iter().rev().max_by_key(|(file, _)| clips[&rig_of(file)]);
    let Some((label, rig)) = most.map(|(file, _)| (file.input.label.clone(), rig_of(file))) else { return };
    files.retain(|(file, _)| {
        let is_one = rig_of(file) == rig;
        if !is_one {
            let why = format!(
                "its rig is not that of {label}, and {place} has one rig. Give --one-per character, or folders of their own"
            );
            written.refuse(&file.input.label, place, why);
        }
        is_one
    });
}

/// Earlier results of clips that cannot be read any more, where nothing worse replaces them.
fn kept_lost<'a>(planner: &'a Planner, file: &'a PlannedFile) -> impl Iterator<Item = Part<'a>> {
    let lost = file.listed.iter().flat_map(|listed| &listed.lost).filter(|_| planner.outputs.only_better);
    lost.filter_map(|clip| {
        let key = earlier_row(planner, &file.input.label, &clip.name)?.key.as_ref()?;
        Some(Part { input: &file.input, clip: &clip.name, key })
    })
}

fn rows(
    planner: &Planner,
    library: &Library,
    (results, chosen): (&Results, &[Vec<Chosen>]),
    written: &Written,
) -> Vec<ManifestRow> {
    let failed = |source: &str, error: &str| failed_rows(planner, source, error);
    let mut rows: Vec<ManifestRow> = library.errors.iter().flat_map(|(source, error)| failed(source, error)).collect();
    for ((at, file), chosen) in library.files.iter().enumerate().zip(chosen) {
        let label = &file.input.label;
        let lost = file.listed.iter().flat_map(|listed| &listed.lost);
        rows.extend(lost.map(|clip| failed_row(planner, label, &clip.name, &clip.reason)));
        rows.extend(results.errors.get(&at).into_iter().flat_map(|error| failed(label, error)));
        let exports: Vec<(String, Vec<usize>)> =
            plans_of(planner, file, chosen).into_iter().map(|plan| (plan.place, plan.clips)).collect();
        for (at, clip) in file.clips().iter().enumerate() {
            let exports = exports.iter().filter(|(_, clips)| clips.contains(&at)).map(|(place, _)| place.clone());
            rows.push(row(planner, (file, clip), (&chosen[at], exports.collect()), written));
        }
    }
    rows
}

fn row(
    planner: &Planner,
    (file, clip): (&PlannedFile, &PlannedClip),
    (chosen, exports): (&Chosen, Vec<String>),
    written: &Written,
) -> ManifestRow {
    let label = &*file.input.label;
    let container = Some(file.place.container.clone()).filter(|place| written.of(label, place).is_some());
    let outputs = || container.iter().chain(&exports).filter_map(|place| written.of(label, place));
    let failed = |error: &str| failed_row(planner, &file.input.label, &clip.name, error);
    let Chosen { key: Some(key), numbers, error, kept } = chosen else {
        return failed(chosen.error.as_deref().unwrap_or_default());
    };
    if let Some(error) = outputs().find_map(Result::err) {
        return failed(error);
    }
    let complaints = outputs().filter_map(|written| written.ok()?.played.get(&clip.name)).cloned();
    let played = complaints.collect();
    ManifestRow {
        source: file.input.label.clone(),
        clip: clip.name.clone(),
        key: Some(key.clone()),
        subject: Some(clip.subject.clone()),
        output: container,
        exports,
        played,
        numbers: numbers.clone(),
        kept: kept.clone(),
        error: error.clone(),
    }
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
    let outputs = orphans.into_iter().chain(written.records()).collect();
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
