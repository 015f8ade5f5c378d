use super::error::{TaskError, TaskSubject, guarded};
use super::{
    ExplainTask, Explanation, ExportTask, FitTask, FixTask, ImportTask, ImportedSource, KeptResults, PairTask,
    PriceTask, RawSides, StudyTask, TrialTask, WrittenFile,
};
use crate::codecs::Progress;
use crate::import::Fixed;
use crate::model::{Clip, Rig};
use crate::pipeline::{ExternalClip, FittedBudget, NoCounterpart, Outcome, compress_shell, measure_vertices};
use crate::recipe::Recipe;
use crate::report::{Sides, Trial};
use crate::study::{ClipFigures, StudyPoint};
use std::sync::Arc;

/// A unit of work. It owns all its inputs and changes none of them, so that it can run in any thread, twice, or not at all.
#[derive(Debug, Clone)]
pub enum Task {
    /// Reads a file.
    Import(ImportTask),
    /// Applies fixes to a clip.
    Fix(FixTask),
    /// Compresses a clip.
    Compress(CompressTask),
    /// Measures a compressed clip's skin.
    Measure(MeasureTask),
    /// Tries a remedy on a compressed clip.
    Try(Box<TrialTask>),
    /// Compares a compressed clip with a chosen side.
    Pair(Box<PairTask>),
    /// Answers a question about a compressed clip.
    Explain(Box<ExplainTask>),
    /// Measures a recipe on many clips.
    Study(StudyTask),
    /// Measures the price of a change.
    Price(PriceTask),
    /// Fits clips into a budget.
    Fit(FitTask),
    /// Exports clips.
    Export(ExportTask),
}

/// The result of a task, by kind.
#[derive(Debug, Clone)]
pub enum TaskAnswer {
    /// Result of [`Task::Import`].
    Imported(Box<ImportedSource>),
    /// Result of [`Task::Fix`].
    Fixed(Box<Fixed>),
    /// Result of [`Task::Compress`], [`Task::Measure`] and [`Task::Pair`].
    Compressed(Sides),
    /// Result of [`Task::Try`].
    Tried(Trial),
    /// Result of [`Task::Explain`].
    Explained(Explanation),
    /// Result of [`Task::Study`].
    Studied(StudyPoint),
    /// Result of [`Task::Price`].
    Priced(Vec<ClipFigures>),
    /// Result of [`Task::Fit`].
    Fitted(FittedBudget),
    /// Result of [`Task::Export`].
    Exported(WrittenFile),
}

/// A queue of tasks. Tasks of one lane run in sequence, those of different lanes in parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Reads files.
    Import,
    /// Applies fixes to clips.
    Fix,
    /// Compresses and measures clips.
    Compress,
    /// Answers questions.
    Explain,
    /// Compares recipes on all clips and fits budgets.
    Study,
    /// Writes files.
    Export,
}

impl Lane {
    /// Every lane.
    pub const ALL: [Self; 6] = [Self::Import, Self::Fix, Self::Compress, Self::Explain, Self::Study, Self::Export];

    /// Name of its thread.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Fix => "fix",
            Self::Compress => "compress",
            Self::Explain => "explain",
            Self::Study => "study",
            Self::Export => "export",
        }
    }

    /// True for work that only computes. It runs entirely on rayon's threads, which have a lower priority than the window's thread. Work
    /// that waits for a disk must not block one of rayon's threads.
    pub(super) fn only_computes(self) -> bool {
        matches!(self, Self::Fix | Self::Compress | Self::Explain | Self::Study)
    }

    /// True if its tasks check often for a stop, so that a caller can wait for them.
    pub(super) fn stops_soon(self) -> bool {
        matches!(self, Self::Compress | Self::Explain | Self::Study | Self::Export)
    }
}

/// Compresses a clip with a recipe and measures the decoded bytes.
#[derive(Debug, Clone)]
pub struct CompressTask {
    /// Name of the clip's file for reports.
    pub file: Arc<str>,
    /// The rig.
    pub rig: Arc<Rig>,
    /// The clip.
    pub clip: Arc<Clip>,
    /// The recipe.
    pub recipe: Arc<Recipe>,
    /// The external result, which the recipe judges instead of compressing the clip.
    pub external: Option<Result<ExternalClip, NoCounterpart>>,
    /// True if the error on the skin is needed too. Then a [`MeasureTask`] follows, and the measured raw clip is kept.
    pub skin: bool,
}

impl CompressTask {
    /// Compresses and measures the clip, except for the error on the skin. Tasks that share `raw_sides` measure the raw clip once.
    ///
    /// # Errors
    ///
    /// Returns [`TaskFault::Compress`](super::TaskFault::Compress), [`TaskFault::NoCounterpart`](super::TaskFault::NoCounterpart),
    /// [`TaskFault::Stopped`](super::TaskFault::Stopped) or [`TaskFault::Panicked`](super::TaskFault::Panicked). The place is the clip.
    pub fn run(&self, raw_sides: &mut RawSides, progress: &Progress) -> Result<Sides, TaskError> {
        guarded(TaskSubject::clip(self.clip.name()), || {
            let external = self.external.clone().transpose()?;
            let source = raw_sides.of(self);
            let outcome = match external {
                Some(external) => external.judge(&source, &self.recipe),
                None => compress_shell(&source, &self.recipe, progress)?,
            };
            Ok(Sides::new(&self.file, source, outcome))
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        let is_same = self.skin == other.skin && self.recipe == other.recipe && self.external == other.external;
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
    /// Returns the same outcome with the error on the skin.
    ///
    /// # Errors
    ///
    /// Returns [`TaskFault::Stopped`](super::TaskFault::Stopped) or [`TaskFault::Panicked`](super::TaskFault::Panicked). The place is the
    /// clip.
    pub fn run(&self, progress: &Progress) -> Result<Sides, TaskError> {
        let Sides { source, reference, outcome, report } = &self.of;
        guarded(TaskSubject::clip(source.clip.name()), || {
            let mut outcome = Outcome::clone(outcome);
            measure_vertices(source, &mut outcome, progress)?;
            Ok(Sides { reference: reference.clone(), ..Sides::new(&report.source, source.clone(), outcome) })
        })
    }
}

impl Task {
    /// Runs the task in the caller's thread, and reuses raw clips that earlier tasks measured and numbers of studies that
    /// are kept. [`Self::next`] returns the task that follows.
    ///
    /// # Errors
    ///
    /// Returns a [`TaskError`] with the fault and the file or clip.
    pub fn run(
        &self,
        raw_sides: &mut RawSides,
        kept: &KeptResults,
        progress: &Progress,
    ) -> Result<TaskAnswer, TaskError> {
        Ok(match self {
            Self::Import(task) => TaskAnswer::Imported(Box::new(task.run(progress)?)),
            Self::Fix(task) => TaskAnswer::Fixed(Box::new(task.run()?)),
            Self::Compress(task) => TaskAnswer::Compressed(task.run(raw_sides, progress)?),
            Self::Measure(task) => TaskAnswer::Compressed(task.run(progress)?),
            Self::Try(task) => TaskAnswer::Tried(task.run(kept, progress)?),
            Self::Pair(task) => TaskAnswer::Compressed(task.run(progress)?),
            Self::Explain(task) => TaskAnswer::Explained(task.run(progress)?),
            Self::Study(task) => TaskAnswer::Studied(task.run(kept, progress)?),
            Self::Price(task) => TaskAnswer::Priced(task.run(kept, progress)?),
            Self::Fit(task) => TaskAnswer::Fitted(task.run(kept, progress)?),
            Self::Export(task) => TaskAnswer::Exported(task.run(progress)?),
        })
    }

    /// The task that completes an answer: after a compression or a pair, the error on the skin is measured. `None` if the answer is
    /// complete.
    pub fn next(&self, answer: &TaskAnswer) -> Option<Self> {
        match (self, answer) {
            (Self::Compress(task), TaskAnswer::Compressed(of)) if task.skin => {
                Some(Self::Measure(MeasureTask { of: of.clone() }))
            }
            (Self::Pair(_), TaskAnswer::Compressed(of)) => Some(Self::Measure(MeasureTask { of: of.clone() })),
            _ => None,
        }
    }

    /// The lane in which it runs.
    pub fn lane(&self) -> Lane {
        match self {
            Self::Import(_) => Lane::Import,
            Self::Fix(_) => Lane::Fix,
            Self::Compress(_) | Self::Measure(_) | Self::Try(_) => Lane::Compress,
            Self::Pair(_) | Self::Explain(_) => Lane::Explain,
            Self::Study(_) | Self::Price(_) | Self::Fit(_) => Lane::Study,
            Self::Export(_) => Lane::Export,
        }
    }

    /// The file or clip that its errors name.
    pub(super) fn place(&self) -> TaskSubject {
        match self {
            Self::Import(task) => TaskSubject::file(task.file.name()),
            Self::Fix(task) => TaskSubject::clip(task.clip().name()),
            Self::Compress(task) => TaskSubject::clip(task.clip.name()),
            Self::Measure(MeasureTask { of }) => TaskSubject::clip(of.source.clip.name()),
            Self::Try(task) => TaskSubject::clip(task.of.source.clip.name()),
            Self::Pair(task) => TaskSubject::clip(task.of.source.clip.name()),
            Self::Explain(task) => TaskSubject::clip(task.of.source.clip.name()),
            Self::Study(task) => TaskSubject::clip(&task.of.title()),
            Self::Price(_) | Self::Fit(_) => TaskSubject::default(),
            Self::Export(task) => TaskSubject::file(&task.path),
        }
    }

    /// True if the answer to one also answers the other.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Import(a), Self::Import(b)) => a == b,
            (Self::Fix(a), Self::Fix(b)) => a.is_same(b),
            (Self::Compress(a), Self::Compress(b)) => a.is_same(b),
            (Self::Measure(a), Self::Measure(b)) => Arc::ptr_eq(&a.of.outcome, &b.of.outcome),
            (Self::Try(a), Self::Try(b)) => a.is_same(b),
            (Self::Pair(a), Self::Pair(b)) => a.is_same(b),
            (Self::Explain(a), Self::Explain(b)) => a.is_same(b),
            (Self::Study(a), Self::Study(b)) => a.is_same(b),
            (Self::Price(a), Self::Price(b)) => a.is_same(b),
            (Self::Fit(a), Self::Fit(b)) => a.is_same(b),
            _ => false, // every export is a separate request
        }
    }
}
