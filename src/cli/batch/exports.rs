//! Outputs in other formats than the container: GLB with the clips put back into their source, ozz, `.anm`, tables.

use super::better::Chosen;
use super::guarded::guarded;
use super::job::{Imported, import};
use super::outputs::{NO_ENTRY, Part, made_of, write_output, written_of};
use super::planner::{PlannedFile, Planner};
use super::written::Written;
use posepress_core::batch::{FileStamp, OutputRecord, container_in};
use posepress_core::export::{ExportOptions, ExportTarget, Holds, PlayedClip};
use posepress_core::import::Origin;
use posepress_core::pipeline::{Archive, CONTAINER, EXPORT_FORMATS, ExportFormat, export_stored};
use posepress_core::store::ResultKey;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A file to write: its place, its format, and its clips.
pub struct ExportPlan<'a> {
    /// Path below the output folder.
    pub place: String,
    format: &'static ExportFormat,
    /// Indices of its clips in the file's list.
    pub clips: Vec<usize>,
    file: &'a PlannedFile,
}

/// The files of a source in other formats, for its clips with these indices.
pub fn export_plans<'a>(planner: &Planner, file: &'a PlannedFile, clips: &[usize]) -> Vec<ExportPlan<'a>> {
    let formats = EXPORT_FORMATS.iter().filter(|format| format.key != CONTAINER);
    let asked = formats.filter(|format| planner.outputs.formats.contains(&format.key));
    let of_format = |format: &'static ExportFormat| -> Vec<ExportPlan<'a>> {
        let (own, extension) = (&file.place.own, format.extension);
        let plan = |place: String, clips: &[usize]| ExportPlan { place, format, clips: clips.to_vec(), file };
        match format.holds {
            _ if clips.is_empty() => Vec::new(),
            Holds::Clips => vec![plan(format!("{own}.{extension}"), clips)],
            Holds::Rig => vec![plan(format!("{own}.skeleton.{extension}"), clips)],
            Holds::OneClip if file.clips().len() == 1 => {
                vec![plan(format!("{own}.{extension}"), clips)]
            }
            Holds::OneClip => {
                let names = file_names(file);
                let of_clip = |at: &usize| plan(format!("{own}.{}.{extension}", names[*at]), &[*at]);
                clips.iter().map(of_clip).collect()
            }
        }
    };
    asked.flat_map(of_format).collect()
}

/// Names of a file's clips that every system takes as file names, each once.
fn file_names(file: &PlannedFile) -> Vec<String> {
    const REFUSED: &str = "/\\:*?\"<>|";
    let mut seen = HashSet::new();
    let plain = |letter: char| if letter.is_control() || REFUSED.contains(letter) { '_' } else { letter };
    let mut unique = |name: &str| {
        let base: String = name.chars().map(plain).collect();
        let numbers = (1..).map(|number| format!("{base}.{number}"));
        let mut names = std::iter::once(base.clone()).chain(numbers);
        names.find(|name| seen.insert(name.to_lowercase())).unwrap_or(base.clone())
    };
    file.clips().iter().map(|clip| unique(&clip.name)).collect()
}

/// The files of a source in other formats, for its clips with a result.
pub fn plans_of<'a>(planner: &Planner, file: &'a PlannedFile, chosen: &[Chosen]) -> Vec<ExportPlan<'a>> {
    let with: Vec<usize> = (0..chosen.len()).filter(|at| chosen[*at].key.is_some()).collect();
    export_plans(planner, file, &with)
}

/// Writes the files of all sources in other formats, unless they still are those of the last run. A file whose place another source has
/// taken is refused.
pub fn write_exports(planner: &Planner, files: &[(&PlannedFile, &[Chosen])], written: &mut Written) {
    let mut plans: Vec<_> = files.iter().map(|(file, chosen)| plans_of(planner, file, chosen)).collect();
    let mut first: HashMap<String, &str> = HashMap::new();
    for ((file, _), plans) in files.iter().zip(&mut plans) {
        let label = &*file.input.label;
        plans.retain(|plan| {
            let by = *first.entry(plan.place.to_lowercase()).or_insert(label);
            if by != label {
                let why = format!("its output would be {}, as one of {by}. Rename one of them", plan.place);
                written.refuse(label, &plan.place, why);
            }
            by == label
        });
    }
    let of_file = |((_, chosen), plans): (&(&PlannedFile, &[Chosen]), &Vec<ExportPlan<'_>>)| {
        write_of_file(planner, chosen, plans)
    };
    let made: Vec<_> = files.par_iter().zip(&plans).flat_map_iter(of_file).collect();
    made.into_iter().for_each(|(place, record)| written.add(place, record));
}

fn write_of_file(
    planner: &Planner,
    chosen: &[Chosen],
    plans: &[ExportPlan<'_>],
) -> Vec<(String, Result<OutputRecord, String>)> {
    let (mut written, mut open) = (Vec::new(), Vec::new());
    for plan in plans {
        let key = key_of(plan, &parts(plan, chosen));
        match written_of(planner, &plan.place, &key) {
            Some(known) => written.push((plan.place.clone(), Ok(known.clone()))),
            None => open.push((plan, key)),
        }
    }
    let Some((first, _)) = open.first() else { return written };
    let imported = guarded(|| import(planner, &first.file.input).map_err(|error| error.to_string()));
    for (plan, key) in &open {
        let made = match &imported {
            Ok(imported) => guarded(|| write(planner, plan, chosen, imported)),
            Err(error) => Err(error.clone()),
        };
        let record = made.map(|(stamp, played)| OutputRecord { stamp, made_of: key.clone(), played });
        written.push((plan.place.clone(), record));
    }
    written
}

fn parts<'a>(plan: &'a ExportPlan<'_>, chosen: &'a [Chosen]) -> Vec<Part<'a>> {
    let clips = plan.file.clips();
    let part = |at: &usize| {
        let key = chosen.get(*at)?.key.as_ref()?;
        Some(Part { input: &plan.file.input, clip: &clips.get(*at)?.name, key })
    };
    plan.clips.iter().filter_map(part).collect()
}

/// Digest of all that decides a file.
fn key_of(plan: &ExportPlan<'_>, parts: &[Part<'_>]) -> ResultKey {
    ResultKey::of(&[("format", plan.format.key), ("clips", &made_of(parts).1.to_string())])
}

/// Size and time of a written file, and the clips that are over a limit in it.
type WrittenFile = (FileStamp, BTreeMap<String, String>);

fn write(
    planner: &Planner,
    plan: &ExportPlan<'_>,
    chosen: &[Chosen],
    imported: &Imported,
) -> Result<WrittenFile, String> {
    let parts = parts(plan, chosen);
    let source = |part: &Part<'_>| imported.clips.iter().find(|clip| clip.name == part.clip);
    let mut stored = Vec::with_capacity(parts.len());
    for part in &parts {
        let clip = source(part).ok_or("a clip of its file is gone. Run again")?;
        let entry = planner.store.get(part.key).map_err(|error| error.to_string())?.ok_or(NO_ENTRY)?;
        let archive = Archive::open(container_in(&entry.payload).ok_or(NO_ENTRY)?, Some(&imported.file.rig));
        let archive = archive.map_err(|error| error.to_string())?;
        stored.push((clip.clip.clone(), archive));
    }
    let clips = stored.iter().filter_map(|(clip, archive)| Some((clip.clone(), archive.clips().first()?)));
    let file = &imported.file;
    let origin = Origin { path: file.path.clone(), digest: file.digest.clone(), options: imported.options };
    let target = ExportTarget { options: ExportOptions::default(), origin: Some(origin) };
    let exported = export_stored(&file.rig, &clips.collect::<Vec<_>>(), plan.format.key, &target);
    let exported = exported.map_err(|error| error.to_string())?;
    let complaint = |(part, clip): (&Part<'_>, &PlayedClip)| {
        Some((part.clip.to_owned(), format!("{}: {}", plan.place, clip.complaint()?)))
    };
    let played = parts.iter().zip(&exported.clips).filter_map(complaint).collect();
    let sources = std::iter::once(file.path.as_path()).chain(file.beside.iter().map(|path| path.as_path()));
    let stamp = write_output(&planner.output.join(&plan.place), sources, &exported.bytes)?;
    Ok((stamp, played))
}
