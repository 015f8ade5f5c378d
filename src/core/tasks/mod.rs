//! Tasks: all work that takes longer than a frame. A [`Task`] runs on a [`Scheduler`] or, for the command line, in the caller's thread.

mod bases;
mod crew;
mod error;
mod explain;
mod file;
mod fix;
mod kept;
mod library;
mod pair;
mod price;
mod raw_sides;
mod scheduler;
mod study;
mod task;
mod trial;
mod unit_questions;

pub use bases::{Bases, NoBase};
pub use crew::{Crew, Hand};
pub use error::{TaskError, TaskFault, TaskSubject};
pub(super) use explain::OpenQuestion;
pub use explain::{ExplainTask, Explanation, FitOf, Question};
pub use file::{ExportTask, ImportTask, ImportedSource, SourceFile, WrittenFile, is_container};
pub use fix::FixTask;
pub use kept::KeptResults;
pub(crate) use library::Settled;
pub use library::{Library, LoadedSource, Undecided};
pub(super) use pair::Pair;
pub use pair::{OtherClip, PairTask, PairWith};
pub use price::PriceTask;
pub use raw_sides::RawSides;
pub use scheduler::{Activity, Request, Scheduler, TaskEvent};
pub use study::{FitTask, StudyTask};
pub use task::{CompressTask, Lane, MeasureTask, Task, TaskAnswer};
pub use trial::TrialTask;
pub(super) use trial::Trials;
pub use unit_questions::{UnitQuestion, unit_questions};
