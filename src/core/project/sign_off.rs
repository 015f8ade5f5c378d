//! The record of a review: who decided what about which clip, with which numbers, and whether that still holds.

use crate::model::ClipKey;
use crate::project::{Decision, Judgement, MomentNote, NamedClip, Project, ProjectSource};
use crate::recipe::Recipe;
use crate::report::{DecidedFigures, WorstRow};
use serde::Serialize;
use std::path::Path;

/// Whether a decision still holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The file is the one that was judged, and a recipe of the project makes of it what was judged.
    Holds,
    /// No recipe of the project is the one that was judged.
    RecipeChanged,
    /// The file has other bytes than when it was judged.
    FileChanged,
    /// The file is not there.
    FileMissing,
}

impl Standing {
    /// As people read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::RecipeChanged => "recipe changed since",
            Self::FileChanged => "file changed since",
            Self::FileMissing => "file missing",
        }
    }
}

/// A decision, as a record has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignOff {
    /// Name of the file.
    pub file: String,
    /// Name of the clip.
    pub clip: String,
    /// What was decided.
    pub judgement: Judgement,
    /// Whether it holds.
    pub standing: Standing,
    /// Who decided.
    pub author: String,
    /// When, as RFC 3339 says it.
    pub time: String,
    /// Why.
    pub note: String,
    /// How the clip was compressed, in a line.
    pub recipe: String,
    /// What the clip came to.
    pub figures: Option<DecidedFigures>,
    /// When it was furthest off, and what.
    pub worst: Option<WorstRow>,
    /// The clip, to be found among the project's files.
    #[serde(skip)]
    pub key: ClipKey,
    /// The recipe itself.
    #[serde(skip)]
    pub judged: Recipe,
}

/// What was said about moments of a clip.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClipNotes {
    /// Name of the file; empty where it is no file of the project any more.
    pub file: String,
    /// Name of the clip.
    pub clip: String,
    /// In the order of their moments.
    pub notes: Vec<MomentNote>,
}

impl ClipNotes {
    /// Every note of a project, by file and clip.
    pub fn all(project: &Project) -> Vec<Self> {
        let file_of = |key: &ClipKey| {
            let source = project.sources.iter().find(|source| key.is_of(&source.digest));
            source.and_then(|source| Some(source.path.file_name()?.to_string_lossy().into_owned())).unwrap_or_default()
        };
        let notes = project.document.notes.iter();
        let mut all: Vec<Self> = notes
            .map(|(key, notes)| Self { file: file_of(key), clip: key.clip_name().to_owned(), notes: notes.clone() })
            .collect();
        all.sort_by(|a, b| (&a.file, &a.clip).cmp(&(&b.file, &b.clip)));
        all
    }
}

impl SignOff {
    /// Every decision of a project of that folder, by file and clip. Files are read to see whether they are the same.
    pub fn all(project: &Project, folder: &Path) -> Vec<Self> {
        let standing = |source: &ProjectSource| match source.found(folder) {
            None => Standing::FileMissing,
            Some(found) if found.is_same => Standing::Holds,
            Some(_) => Standing::FileChanged,
        };
        let files: Vec<(&str, Standing)> = project.sources.iter().map(|s| (&*s.digest, standing(s))).collect();
        let decisions = project.document.decisions.iter();
        let mut all: Vec<Self> = decisions
            .map(|(key, decision)| {
                // A decision about an older version is kept under that version's digest.
                let file = files.iter().find(|(digest, _)| key.is_of(digest));
                let standing = file.map_or(Standing::FileChanged, |(_, standing)| *standing);
                Self::new(project, (key, decision), standing)
            })
            .collect();
        all.sort_by(|a, b| (&a.file, &a.clip, &a.time).cmp(&(&b.file, &b.clip, &b.time)));
        all
    }

    fn new(project: &Project, (key, decision): (&ClipKey, &Decision), file_stands: Standing) -> Self {
        let Decision { judgement, note, author, time, file, clip, figures, worst, recipe: judged } = decision.clone();
        let of_file = project.sources.iter().find(|source| key.is_of(&source.digest));
        let place = of_file.map_or(file.as_str().into(), |source| source.path.to_string_lossy());
        let of = NamedClip { key, file: &place, name: &clip };
        let made = |slot| project.document.recipe_for(slot, &of);
        let is_made =
            || (0..project.document.recipes.len()).filter_map(made).any(|known| known.is_same_for(&judged, &clip));
        let standing = match file_stands {
            Standing::Holds if judgement != Judgement::Ignored && !is_made() => Standing::RecipeChanged,
            standing => standing,
        };
        let (recipe, key) = (judged.title(), key.clone());
        Self { file, clip, judgement, standing, author, time, note, recipe, figures, worst, key, judged }
    }

    /// The clip may be used as it was judged.
    pub fn is_signed_off(&self) -> bool {
        self.standing == Standing::Holds && self.judgement != Judgement::Rejected
    }
}
