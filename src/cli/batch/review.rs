//! `--review`: a project of the run, which the window opens.

use super::planner::{Library, PlannedClip, PlannedFile, Planner};
use crate::cli::{Console, Failure};
use posepress_core::batch::Sidecar;
use posepress_core::export::write_atomically;
use posepress_core::model::ClipKey;
use posepress_core::project::{PROJECT_EXTENSION, ProjectSource};
use posepress_core::recipe::Recipe;
use posepress_core::text;
use std::path::Path;

/// A window opens the file by its ending. Beside a source it must not be the file of its tags.
pub fn check_review(path: &Path, library: &Library) -> Result<(), Failure> {
    let wrong = |why: String| Err(Failure::usage(format!("--review {}: {why}", path.display())));
    if !path.to_string_lossy().to_lowercase().ends_with(&format!(".{PROJECT_EXTENSION}")) {
        return wrong(format!("expected a name that ends with .{PROJECT_EXTENSION}"));
    }
    let absolute = std::path::absolute(path).map_err(|error| Failure::file(path, error))?;
    let same = library.files.iter().find(|file| Sidecar::path_of(&file.input.absolute) == absolute);
    same.map_or(Ok(()), |file| wrong(format!("it would hold the tags of {}. Give another name", file.input.label)))
}

/// Writes the files of the run, each clip with its recipe, beside what a person decided in the project of the run.
pub fn write_review(
    planner: &Planner,
    library: &Library,
    path: &Path,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let mut project = planner.decided_project();
    project.sources.clear();
    let mut given = Vec::new();
    for file in &library.files {
        let Some((source, clips)) = file_of(planner, library, file) else { continue };
        project.sources.push(source);
        given.extend(clips);
    }
    project.document.give_recipes(&given);
    let absolute = std::path::absolute(path).map_err(|error| Failure::file(path, error))?;
    let text = project.to_toml(absolute.parent().unwrap_or(Path::new("")));
    write_atomically(path, text.as_bytes()).map_err(Failure::input)?;
    let (clips, store) = (text::count(given.len(), "clip"), planner.store.folder().display());
    console.say(format!("{}: {clips}. Open it with: posepress --store {store} {}", path.display(), path.display()));
    Ok(())
}

/// A file for the project, and its clips with their recipes. `None` if its clips are not known.
fn file_of(
    planner: &Planner,
    library: &Library,
    file: &PlannedFile,
) -> Option<(ProjectSource, Vec<(ClipKey, Recipe)>)> {
    let record = library.records.get(&*file.input.absolute.to_string_lossy())?;
    let source = planner.project_source(&file.input, &record.digest);
    let clip = |clip: &PlannedClip| Some((source.clip_key(&clip.name), clip.recipe.clone().ok()?));
    let clips = file.clips.as_ref()?.iter().filter_map(clip).collect();
    Some((source, clips))
}
