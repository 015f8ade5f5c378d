//! Orders and replies.

use super::parcel::{Packing, Parcel, Subject};
use super::record::ExplanationRecord;
use crate::codecs::{CandidateRecord, CandidateRow, Progress};
use crate::export::{ExportRecipes, ExportTarget};
use crate::import::{ChosenFixes, Fixed, ImportOptions};
use crate::metrics::VertexReport;
use crate::model::{Clip, ClipId, Image, Rig};
use crate::pipeline::{
    BudgetClip, BudgetLimits, BudgetRig, FormatKey, MeasuredRecord, OutcomeRecord, TierSettings, format_key,
};
use crate::recipe::Recipe;
use crate::store::ResultKey;
use crate::study::StudiedClips;
use crate::tasks::file::MadeExport;
use crate::tasks::{CompressTask, ExportTask, FitTask, FixTask, ImportTask, ImportedSource, PriceTask, Question, Task};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::path::PathBuf;
use std::sync::Arc;

/// Work for a worker, with the rigs and clips that it needs.
#[derive(Serialize, Deserialize)]
pub(super) struct Order {
    pub number: u64,
    pub rigs: Parcel<Rig>,
    pub clips: Parcel<Clip>,
    pub disk: Disk,
    pub work: Work,
}

/// The number of a reply to an order that could not be read.
pub(super) const UNREADABLE: u64 = 0;

/// The work of an order.
#[derive(Serialize, Deserialize)]
pub(super) enum Work {
    /// A compression. `skin`: the error on the skin is wanted too. `raw`: the window lacks what is found in the raw clip.
    Compress { of: Compression, skin: bool, raw: bool },
    /// A question about a compressed clip.
    Explain { of: Compression, question: Question },
    /// A compressed clip beside the original, or beside another recipe's result.
    Pair { of: Compression, with: Option<String> },
    /// The numbers of a recipe on many clips.
    Study { clips: Vec<Subject>, recipe: String },
    /// The numbers that fit clips into a budget.
    Fit { clips: Vec<(Subject, Share)>, limits: BudgetLimits, recipes: ExportRecipes },
    /// A file to read.
    Import { file: PathBuf, options: ImportOptions, containers: bool },
    /// Fixes of a clip.
    Fix { id: ClipId, file: Option<PathBuf>, rig: usize, clips: Vec<usize>, chosen: ChosenFixes },
    /// Clips to write as one file.
    Export {
        rig: usize,
        images: Vec<Image>,
        clips: Vec<(usize, String)>,
        #[serde(deserialize_with = "format_key")]
        format: FormatKey,
        target: ExportTarget,
        tiers: TierSettings,
        path: PathBuf,
    },
}

impl Work {
    /// True for the tasks of [`Packed::work`].
    pub fn is_of(task: &Task) -> bool {
        match task {
            Task::Price(task) => matches!(task, PriceTask::Recipe { .. }),
            task => matches!(task, Task::Import(_) | Task::Study(_) | Task::Fit(_) | Task::Fix(_) | Task::Export(_)),
        }
    }
}

/// A clip and its recipe.
#[derive(Serialize, Deserialize)]
pub(super) struct Compression {
    file: String,
    subject: Subject,
    recipe: String,
}

/// A clip that shares a budget with others.
#[derive(Serialize, Deserialize)]
pub(super) struct Share {
    name: String,
    recipe: String,
    is_fixed: bool,
    file: usize,
}

/// Files of the window that the work reads, where files are in memory.
#[derive(Default, Clone, Serialize, Deserialize)]
pub(super) struct Disk {
    pub files: Vec<(PathBuf, Contents)>,
    /// Files that the worker wanted and that do not exist.
    pub missing: Vec<PathBuf>,
}

/// The bytes of a file.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Contents(#[serde(with = "serde_bytes")] pub Vec<u8>);

#[derive(Serialize, Deserialize)]
pub(super) struct Reply {
    pub number: u64,
    /// False if another reply to the same order follows.
    pub is_last: bool,
    pub found: Found,
}

#[derive(Serialize, Deserialize)]
pub(super) enum Found {
    /// The part of the work that is done, and the candidates so far.
    Part(f32, Vec<CandidateRecord>),
    /// Numbers of a compression. The window keeps them.
    Number(ResultKey, #[serde(with = "serde_bytes")] Vec<u8>),
    /// Everything but the error on the skin.
    Shell(Option<MeasuredRecord>, Box<OutcomeRecord>),
    /// The result of the other recipe, and the errors of joints against it.
    Paired(Option<Box<OutcomeRecord>>, Box<OutcomeRecord>),
    /// The error on the skin.
    Skin(Option<VertexReport>),
    /// The answer to a question.
    Explained(ExplanationRecord),
    /// A file that was read, and the images of its rig.
    Imported(Box<ImportedSource>, Vec<Image>),
    /// Files that the window has, perhaps.
    Wanted(Vec<PathBuf>),
    /// A clip with its fixes.
    Fixed(Box<Fixed>),
    /// An export, not written yet.
    Exported(MadeExport),
    /// The window does the work itself: all numbers that it needs are there, or there is a fault.
    Nothing,
}

pub(super) fn packed(message: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(message).expect("a message is plain data")
}

pub(super) fn unpacked<T: DeserializeOwned>(message: &[u8]) -> Option<T> {
    postcard::from_bytes(message).ok()
}

impl Found {
    /// The progress of a task.
    pub fn part(progress: &Progress) -> Self {
        Self::Part(progress.fraction(), progress.candidates().iter().map(CandidateRow::record).collect())
    }
}

/// The rigs and clips of an order being written.
#[derive(Default)]
pub(super) struct Packed {
    pub rigs: Packing<Rig>,
    pub clips: Packing<Clip>,
}

impl Packed {
    fn subject(&mut self, rig: &Arc<Rig>, clip: &Arc<Clip>) -> Subject {
        Subject { rig: self.rigs.put(rig), clip: self.clips.put(clip) }
    }

    fn subjects(&mut self, clips: &StudiedClips) -> Vec<Subject> {
        clips.iter().map(|(rig, clip)| self.subject(rig, clip)).collect()
    }

    /// A compression with its recipe.
    pub fn compression(&mut self, of: &CompressTask) -> Compression {
        let CompressTask { file, rig, clip, recipe, .. } = of;
        Compression { file: file.to_string(), subject: self.subject(rig, clip), recipe: recipe.to_toml() }
    }

    /// The work that finds the numbers of a task, or its whole answer. `None` for a task that only the window can do.
    pub fn work(&mut self, task: &Task) -> Option<Work> {
        Some(match task {
            Task::Study(task) => Work::Study { clips: self.subjects(&task.clips), recipe: task.of.recipe.to_toml() },
            Task::Price(PriceTask::Recipe { rig, clip, recipe }) => {
                Work::Study { clips: vec![self.subject(rig, clip)], recipe: recipe.to_toml() }
            }
            Task::Fit(FitTask { clips, sources, limits, recipes }) => {
                let shares = clips.iter().map(Share::of);
                let clips = self.subjects(sources).into_iter().zip(shares).collect();
                Work::Fit { clips, limits: *limits, recipes: *recipes }
            }
            Task::Import(ImportTask { file, options, containers }) => {
                Work::Import { file: file.name().to_owned(), options: *options, containers: *containers }
            }
            Task::Fix(FixTask { id, file, rig, clips, chosen }) => Work::Fix {
                id: *id,
                file: file.clone(),
                rig: self.rigs.put(rig),
                clips: clips.iter().map(|clip| self.clips.put(clip)).collect(),
                chosen: chosen.clone(),
            },
            Task::Export(ExportTask { rig, clips, format, target, tiers, path, .. }) => Work::Export {
                rig: self.rigs.put(rig),
                images: rig.images.clone(),
                clips: clips.iter().map(|(clip, recipe)| (self.clips.put(clip), recipe.to_toml())).collect(),
                format,
                target: target.clone(),
                tiers: *tiers,
                path: path.clone(),
            },
            _ => return None,
        })
    }
}

impl Share {
    fn of(clip: &BudgetClip) -> Self {
        let BudgetClip { name, recipe, is_fixed, file, .. } = clip;
        Self { name: name.clone(), recipe: recipe.to_toml(), is_fixed: *is_fixed, file: *file }
    }

    fn clip(self, rig: &Rig) -> Option<BudgetClip> {
        let Self { name, recipe: toml, is_fixed, file } = self;
        let recipe = Recipe::clone(&*recipe(&toml)?);
        Some(BudgetClip { name, rig: BudgetRig::of(rig), recipe, is_fixed, file })
    }
}

/// The rigs and clips of an order that was read.
pub(super) struct Unpacked {
    pub rigs: Vec<Arc<Rig>>,
    pub clips: Vec<Arc<Clip>>,
}

impl Unpacked {
    fn subject(&self, Subject { rig, clip }: Subject) -> Option<(Arc<Rig>, Arc<Clip>)> {
        Some((self.rigs.get(rig)?.clone(), self.clips.get(clip)?.clone()))
    }

    pub fn rig(&self, at: usize) -> Option<Arc<Rig>> {
        self.rigs.get(at).cloned()
    }

    pub fn all_clips(&self, at: Vec<usize>) -> Option<Vec<Arc<Clip>>> {
        at.into_iter().map(|at| self.clips.get(at).cloned()).collect()
    }

    /// Clips with their recipes.
    pub fn recipes(&self, clips: Vec<(usize, String)>) -> Option<Vec<(Arc<Clip>, Arc<Recipe>)>> {
        clips.into_iter().map(|(at, toml)| Some((self.clips.get(at)?.clone(), recipe(&toml)?))).collect()
    }

    /// The clips of a study.
    pub fn subjects(&self, clips: &[Subject]) -> Option<StudiedClips> {
        clips.iter().map(|of| self.subject(*of)).collect()
    }

    /// The task that compresses a clip.
    pub fn compression(&self, of: Compression, skin: bool) -> Option<CompressTask> {
        let ((rig, clip), recipe) = (self.subject(of.subject)?, recipe(&of.recipe)?);
        Some(CompressTask { file: of.file.into(), rig, clip, recipe, external: None, skin })
    }

    /// The clips of a budget.
    pub fn shares(&self, clips: Vec<(Subject, Share)>) -> Option<(Arc<[BudgetClip]>, StudiedClips)> {
        let (subjects, shares): (Vec<_>, Vec<_>) = clips.into_iter().unzip();
        let sources = self.subjects(&subjects)?;
        let clips = shares.into_iter().zip(sources.iter()).map(|(share, (rig, _))| share.clip(rig));
        Some((clips.collect::<Option<_>>()?, sources))
    }
}

/// A recipe of an order.
pub(super) fn recipe(toml: &str) -> Option<Arc<Recipe>> {
    Recipe::from_toml(toml).ok().map(Arc::new)
}
