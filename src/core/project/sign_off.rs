//! The record of a review: each decision with its author, its numbers and its state.

use crate::import::Fix;
use crate::model::ClipKey;
use crate::project::{BlindScore, BlindTest, Decision, DecisionKind, MomentNote, NamedClip, Project, ProjectSource};
use crate::recipe::Recipe;
use crate::report::{DecidedFigures, WorstRow};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// State of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The file has the same bytes and the clip the same fixes, and a slot still has the recipe that was judged. An ignored clip needs no
    /// recipe.
    Holds,
    /// No slot has the recipe that was judged.
    RecipeChanged,
    /// The clip has other fixes than at the decision.
    FixesChanged,
    /// The file has other bytes than at the decision, or is not part of the project any more.
    FileChanged,
    /// The file is missing.
    FileMissing,
}

impl Standing {
    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::RecipeChanged => "recipe changed",
            Self::FixesChanged => "fixes changed",
            Self::FileChanged => "file changed",
            Self::FileMissing => "file missing",
        }
    }
}

/// A decision in a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignOff {
    /// Name of the file.
    pub file: String,
    /// Name of the clip.
    pub clip: String,
    /// The decision.
    pub kind: DecisionKind,
    /// The state of the decision.
    pub standing: Standing,
    /// The author.
    pub author: String,
    /// Time of the decision, as RFC 3339.
    pub time: String,
    /// The reason.
    pub note: String,
    /// The recipe in one line.
    pub recipe: String,
    /// The fixes of the clip.
    pub fixes: BTreeSet<Fix>,
    /// The numbers of the clip.
    pub figures: Option<DecidedFigures>,
    /// Joint and time of its largest error.
    pub worst: Option<WorstRow>,
    /// Blind tests of the clip with the recipe that was judged.
    pub blind_tests: Vec<BlindResult>,
    /// Key of the clip, to find it among the project's files.
    #[serde(skip)]
    pub key: ClipKey,
    /// The recipe.
    #[serde(skip)]
    pub judged: Recipe,
}

/// The result of a blind test in a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlindResult {
    /// The recipe in one line.
    pub recipe: String,
    /// The person.
    pub author: String,
    /// Time of the end, as RFC 3339.
    pub time: String,
    /// Number of right answers.
    pub right: usize,
    /// Number of trials.
    pub trials: usize,
    /// Chance of at least so many right answers by guessing.
    pub p_value: f64,
}

impl BlindResult {
    /// The tests of a clip with recipes that a slot of the project has.
    pub fn of_slots(project: &Project, clip: &NamedClip<'_>) -> Vec<Self> {
        let document = &project.document;
        let slots: Vec<Recipe> =
            (0..document.recipes.len()).filter_map(|slot| document.recipe_for(slot, clip)).collect();
        let is_of_slot = |test: &&BlindTest| slots.iter().any(|slot| slot.is_same_for(&test.recipe, clip.name));
        document.blind_tests.get(clip.key).into_iter().flatten().filter(is_of_slot).map(Self::from).collect()
    }

    /// The score.
    pub fn score(&self) -> BlindScore {
        BlindScore { right: self.right, trials: self.trials }
    }
}

impl From<&BlindTest> for BlindResult {
    fn from(test: &BlindTest) -> Self {
        let (score, BlindTest { author, time, .. }) = (test.score(), test.clone());
        let BlindScore { right, trials } = score;
        let recipe = test.recipe.title();
        Self { recipe, author, time, right, trials, p_value: score.p_value() }
    }
}

/// The notes about a clip.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClipNotes {
    /// Name of the file. Empty if it is no longer a file of the project.
    pub file: String,
    /// Name of the clip.
    pub clip: String,
    /// The notes, ordered by their moments.
    pub notes: Vec<MomentNote>,
}

impl ClipNotes {
    /// All notes of a project, ordered by file and clip.
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
    /// All decisions of a project in that folder, ordered by file and clip. It reads the files to check if they changed.
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
                // A decision about an older version is stored under that version's digest.
                let file = files.iter().find(|(digest, _)| key.is_of(digest));
                let standing = file.map_or(Standing::FileChanged, |(_, standing)| *standing);
                Self::new(project, (key, decision), standing)
            })
            .collect();
        all.sort_by(|a, b| (&a.file, &a.clip, &a.time).cmp(&(&b.file, &b.clip, &b.time)));
        all
    }

    fn new(project: &Project, (key, decision): (&ClipKey, &Decision), file_stands: Standing) -> Self {
        let Decision { kind, note, author, time, file, clip, figures, worst, fixes, recipe: judged, .. } =
            decision.clone();
        let of_file = project.sources.iter().find(|source| key.is_of(&source.digest));
        let place = of_file.map_or(file.as_str().into(), |source| source.path.to_string_lossy());
        let of = NamedClip { key, file: &place, name: &clip };
        let made = |slot| project.document.recipe_for(slot, &of);
        let is_made =
            || (0..project.document.recipes.len()).filter_map(made).any(|known| known.is_same_for(&judged, &clip));
        let standing = match file_stands {
            Standing::Holds if *project.document.fixes_of(key) != fixes => Standing::FixesChanged,
            Standing::Holds if kind != DecisionKind::Ignored && !is_made() => Standing::RecipeChanged,
            standing => standing,
        };
        let is_judged = |test: &&BlindTest| judged.is_same_for(&test.recipe, &clip);
        let tests = project.document.blind_tests.get(key).into_iter().flatten();
        let blind_tests = tests.filter(is_judged).map(BlindResult::from).collect();
        let (recipe, key) = (judged.title(), key.clone());
        Self { file, clip, kind, standing, author, time, note, recipe, figures, worst, fixes, blind_tests, key, judged }
    }

    /// True if the decision holds and is not a rejection.
    pub fn is_signed_off(&self) -> bool {
        self.standing == Standing::Holds && self.kind != DecisionKind::Rejected
    }
}
