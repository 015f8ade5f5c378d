//! What a person works on: files, recipes, undo, background jobs, and the one path from clip to numbers.

mod archive;
mod clip_report;
mod compress;
mod document;
mod explain;
mod export;
mod history;
mod jobs;
mod library;
mod recipe;
mod report_columns;
mod search;
mod workspace;

pub use archive::{Archive, ArchiveClip, ArchiveError, ArchiveListing, measure_archived, rig_digest, write_archive};
pub use clip_report::{
    ChangedRecipe, ClipReport, ContactsRow, ErrorRow, LoopRow, PlantRow, REPORT_SCHEMA, SubFrameRow, TriedResult,
    TriedRow, VertexRow, VertexWorstRow, WorstRow,
};
pub use compress::{CompressError, MeasuredClip, Outcome, compress, compress_shell, measure_encoded, measure_vertices};
pub use document::{Document, SLOT_LETTERS};
pub use explain::{worst_complaint, worst_moment, worst_plant};
pub use export::{CONTAINER, ExportFailure, export_clips, export_extension};
pub use history::History;
pub use jobs::{JobEvent, JobKey, JobResult, Jobs, Request, STOPPED};
pub use library::{ClipId, Library, LoadedSource};
pub use recipe::{JointOverride, Recipe, RecipeError};
pub use report_columns::{Figure, REPORT_COLUMNS, ReportColumn};
pub use search::{Found, search};
pub use workspace::{Answer, Summary, Totals, Workspace};
