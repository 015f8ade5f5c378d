use super::error::{Place, TaskError, guarded};
use super::{
    ExplainTask, Explanation, ExportTask, FitTask, ImportTask, ImportedSource, PairTask, RawSides, StudyTask,
    TrialTask, WrittenFile,
};
use crate::codecs::Progress;
use crate::model::{Clip, Rig};
use crate::pipeline::{FittedBudget, ForeignClip, NoCounterpart, Outcome, compress_shell, measure_vertices};
use crate::recipe::Recipe;
use crate::report::{Sides, Trial};
use crate::study::StudyPoint;
use std::sync::Arc;

/// Work that somebody waits for. A task holds all that it needs and changes nothing that it was given, so that it can run
/// in any thread, twice, or not at all.
#[derive(Debug, Clone)]
pub enum Task {
    /// Reads a file.
    Import(ImportTask),
    /// Compresses a clip.
    Compress(CompressTask),
    /// Measures a compressed clip's skin.
    Measure(MeasureTask),
    /// Tries what would help a compressed clip.
    Try(Box<TrialTask>),
    /// Puts another side beside a compressed clip than the original.
    Pair(Box<PairTask>),
    /// Explains a compressed clip.
    Explain(Box<ExplainTask>),
    /// Looks what a recipe comes to on many clips.
    Study(StudyTask),
    /// Shares a budget out.
    Fit(FitTask),
    /// Writes clips.
    Export(ExportTask),
}

/// What a task found or did, kind by kind.
#[derive(Debug, Clone)]
pub enum TaskAnswer {
    /// Of [`Task::Import`].
    Imported(Box<ImportedSource>),
    /// Of [`Task::Compress`], [`Task::Measure`] and [`Task::Pair`].
    Compressed(Sides),
    /// Of [`Task::Try`].
    Tried(Trial),
    /// Of [`Task::Explain`].
    Explained(Explanation),
    /// Of [`Task::Study`].
    Studied(StudyPoint),
    /// Of [`Task::Fit`].
    Fitted(FittedBudget),
    /// Of [`Task::Export`].
    Exported(WrittenFile),
}

/// Tasks of one lane run one after the other, those of different lanes side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Files are read.
    Import,
    /// Clips are compressed and measured.
    Compress,
    /// Questions are answered.
    Explain,
    /// Recipes are compared on all clips, and budgets shared out.
    Study,
    /// Files are written.
    Export,
}

impl Lane {
    /// Every lane.
    pub const ALL: [Self; 5] = [Self::Import, Self::Compress, Self::Explain, Self::Study, Self::Export];

    /// Name of its thread.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Compress => "compress",
            Self::Explain => "explain",
            Self::Study => "study",
            Self::Export => "export",
        }
    }

    /// True for work that only computes: it runs on rayon's threads from end to end, which the window has put behind its
    /// own. What waits for a disk must not hold one of those.
    pub(super) fn only_computes(self) -> bool {
        matches!(self, Self::Compress | Self::Explain | Self::Study)
    }

    /// True when its tasks look whether they should stop, so that one can wait for them.
    pub(super) fn stops_soon(self) -> bool {
        matches!(self, Self::Compress | Self::Explain | Self::Study | Self::Export)
    }
}

/// Compresses a clip with a recipe and measures what its bytes decode to.
#[derive(Debug, Clone)]
pub struct CompressTask {
    /// The clip's file, as reports name it.
    pub file: Arc<str>,
    /// The rig.
    pub rig: Arc<Rig>,
    /// The clip.
    pub clip: Arc<Clip>,
    /// How.
    pub recipe: Arc<Recipe>,
    /// What another tool made of it, which is judged by the recipe instead of being compressed.
    pub foreign: Option<Result<ForeignClip, NoCounterpart>>,
    /// The error on the skin is wanted too: a [`MeasureTask`] follows, and what is known of the raw clip is kept.
    pub skin: bool,
}

impl CompressTask {
    /// Everything but the error on the skin. The raw clip is measured once for all tasks that share `raw_sides`.
    ///
    /// # Errors
    /// [`TaskFault::Compress`](super::TaskFault::Compress), [`TaskFault::NoCounterpart`](super::TaskFault::NoCounterpart),
    /// [`TaskFault::Stopped`](super::TaskFault::Stopped), [`TaskFault::Panicked`](super::TaskFault::Panicked); the place is the
    /// clip.
    pub fn run(&self, raw_sides: &mut RawSides, progress: &Progress) -> Result<Sides, TaskError> {
        guarded(Place::clip(self.clip.name()), || {
            let foreign = self.foreign.clone().transpose()?;
            let source = raw_sides.of(self);
            let outcome = match foreign {
                Some(foreign) => foreign.judge(&source, &self.recipe),
                None => compress_shell(&source, &self.recipe, progress)?,
            };
            Ok(Sides::new(&self.file, source, outcome))
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        let is_same = self.skin == other.skin && self.recipe == other.recipe && self.foreign == other.foreign;
        is_same && Arc::ptr_eq(&self.clip, &other.clip)
    }
}

/// Measures the error of every vertex of a compressed clip.
#[derive(Debug, Clone)]
pub struct MeasureTask {
    /// The clip, raw and compressed.
    pub of: Sides,
}

impl MeasureTask {
    /// The same outcome with the error on the skin.
    ///
    /// # Errors
    /// [`TaskFault::Stopped`](super::TaskFault::Stopped), [`TaskFault::Panicked`](super::TaskFault::Panicked); the place is the clip.
    pub fn run(&self, progress: &Progress) -> Result<Sides, TaskError> {
        let Sides { source, reference, outcome, report } = &self.of;
        guarded(Place::clip(source.clip.name()), || {
            let mut outcome = Outcome::clone(outcome);
            measure_vertices(source, &mut outcome, progress)?;
            Ok(Sides { reference: reference.clone(), ..Sides::new(&report.source, source.clone(), outcome) })
        })
    }
}

impl Task {
    /// Does the work in the thread that asks. [`Self::next`] says what follows it.
    ///
    /// # Errors
    /// [`TaskError`]: what happened, and to which file or clip.
    pub fn run(&self, progress: &Progress) -> Result<TaskAnswer, TaskError> {
        self.run_with(&mut RawSides::default(), progress)
    }

    /// As [`Self::run`], with what earlier tasks know of raw clips.
    ///
    /// # Errors
    /// See [`Self::run`].
    pub fn run_with(&self, raw_sides: &mut RawSides, progress: &Progress) -> Result<TaskAnswer, TaskError> {
        Ok(match self {
            Self::Import(task) => TaskAnswer::Imported(Box::new(task.run(progress)?)),
            Self::Compress(task) => TaskAnswer::Compressed(task.run(raw_sides, progress)?),
            Self::Measure(task) => TaskAnswer::Compressed(task.run(progress)?),
            Self::Try(task) => TaskAnswer::Tried(task.run(progress)?),
            Self::Pair(task) => TaskAnswer::Compressed(task.run(progress)?),
            Self::Explain(task) => TaskAnswer::Explained(task.run(progress)?),
            Self::Study(task) => TaskAnswer::Studied(task.run(progress)?),
            Self::Fit(task) => TaskAnswer::Fitted(task.run(progress)?),
            Self::Export(task) => TaskAnswer::Exported(task.run(progress)?),
        })
    }

    /// The task that completes an answer: a clip that somebody looks at is shown first and its skin measured then.
    pub fn next(&self, answer: &TaskAnswer) -> Option<Self> {
        match (self, answer) {
            (Self::Compress(task), TaskAnswer::Compressed(of)) if task.skin => {
                Some(Self::Measure(MeasureTask { of: of.clone() }))
            }
            (Self::Pair(_), TaskAnswer::Compressed(of)) => Some(Self::Measure(MeasureTask { of: of.clone() })),
            _ => None,
        }
    }

    /// Where it runs.
    pub fn lane(&self) -> Lane {
        match self {
            Self::Import(_) => Lane::Import,
            Self::Compress(_) | Self::Measure(_) | Self::Try(_) => Lane::Compress,
            Self::Pair(_) | Self::Explain(_) => Lane::Explain,
            Self::Study(_) | Self::Fit(_) => Lane::Study,
            Self::Export(_) => Lane::Export,
        }
    }

    /// True when the answer to one answers the other.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Import(a), Self::Import(b)) => a == b,
            (Self::Compress(a), Self::Compress(b)) => a.is_same(b),
            (Self::Measure(a), Self::Measure(b)) => Arc::ptr_eq(&a.of.outcome, &b.of.outcome),
            (Self::Try(a), Self::Try(b)) => a.is_same(b),
            (Self::Pair(a), Self::Pair(b)) => a.is_same(b),
            (Self::Explain(a), Self::Explain(b)) => a.is_same(b),
            (Self::Study(a), Self::Study(b)) => a.is_same(b),
            (Self::Fit(a), Self::Fit(b)) => a.is_same(b),
            _ => false, // every export is one that somebody asked for
        }
    }
}
