//! `--review`: a project of the run, which the window opens.

use super::decided::Decided;
use super::inputs::Input;
use super::planner::{Library, PlannedClip, PlannedFile, Planner};
use crate::cli::open_project::open_project;
use crate::cli::output::{check_output, try_output};
use crate::cli::{Console, Failure};
use posepress_core::batch::Sidecar;
use posepress_core::export::write_atomically;
use posepress_core::model::ClipKey;
use posepress_core::project::{Document, PROJECT_EXTENSION, Project, ProjectSource};
use posepress_core::recipe::Recipe;
use posepress_core::text;
use std::path::Path;

/// The place of a project of the run.
pub struct Review<'a> {
    path: &'a Path,
}

impl<'a> Review<'a> {
    /// Checks before the work that the run may write there.
    pub fn new(path: &'a Path, planner: &Planner, inputs: &[Input]) -> Result<Self, Failure> {
        let wrong = |why: &str| Err(Failure::usage(format!("--review {}: {why}. Give another name", path.display())));
        if !path.to_string_lossy().to_lowercase().ends_with(&format!(".{PROJECT_EXTENSION}")) {
            return wrong(&format!("expected a name that ends with .{PROJECT_EXTENSION}"));
        }
        let absolute = std::path::absolute(path).map_err(|error| Failure::file(path, error))?;
        if let Some(input) = inputs.iter().find(|input| Sidecar::path_of(&input.absolute) == absolute) {
            return wrong(&format!("it would hold the tags of {}", input.label));
        }
        check_output(path, planner.decided().map(Decided::path))?;
        let review = Self { path };
        review.earlier()?;
        try_output(path)?;
        Ok(review)
    }

    /// The project that an earlier run left there, with what a person decided since, also during this run.
    fn earlier(&self) -> Result<Option<Project>, Failure> {
        let project = || open_project(self.path).map(|(project, _)| project);
        self.path.exists().then(project).transpose()
    }

    /// Writes the files of the run, each clip with its recipe, beside what a person decided in the project of the run and in the earlier
    /// one.
    pub fn write(self, planner: &Planner, library: &Library, console: &mut Console<'_>) -> Result<(), Failure> {
        let path = self.path;
        let known: Vec<_> = library.files.iter().filter_map(|file| file_of(planner, library, file)).collect();
        let (sources, given): (Vec<_>, Vec<_>) = known.into_iter().unzip();
        let given = given.concat();
        let mut document = document(planner, self.earlier()?);
        document.give_recipes(&given);
        let absolute = std::path::absolute(path).map_err(|error| Failure::file(path, error))?;
        let text = Project { sources, document }.to_toml(absolute.parent().unwrap_or(Path::new("")));
        write_atomically(path, text.as_bytes()).map_err(Failure::input)?;
        let (clips, store) = (text::count(given.len(), "clip"), planner.store.folder().display());
        let path = path.display();
        console.say(format!("{path}: {clips}. Open it with: posepress --store '{store}' '{path}'"));
        Ok(())
    }
}

/// All that a person decided, before the recipes of the run.
fn document(planner: &Planner, earlier: Option<Project>) -> Document {
    match (planner.decided(), earlier) {
        (Some(decided), earlier) => {
            let mut document = decided.project().document.clone();
            earlier.into_iter().for_each(|earlier| document.take_review(earlier.document));
            document
        }
        (None, Some(earlier)) => earlier.document,
        (None, None) => Document { recipes: vec![planner.start().clone()], ..Document::default() },
    }
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
    let clips = file.listed.as_ref()?.clips.iter().filter_map(clip).collect();
    Some((source, clips))
}
