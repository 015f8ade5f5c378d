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
mod view;
mod workspace;

pub use archive::{Archive, ArchiveClip, ArchiveError, ArchiveListing, measure_archived, rig_digest, write_archive};
pub use clip_report::{
    ChangedRecipe, ClipReport, ContactsRow, ErrorRow, LoopRow, PlantRow, REPORT_SCHEMA, SubFrameRow, TriedResult,
    TriedRow, VertexRow, VertexWorstRow, WorstRow,
};
pub use compress::{CompressError, MeasuredClip, Outcome, compress, compress_shell, measure_encoded, measure_vertices};
pub use document::{Document, SLOT_LETTERS};
pub use explain::{worst_complaint, worst_moment, worst_plant};
pub use export::{CONTAINER, EXPORT_FORMATS, ExportFailure, ExportFormat, export_clips, export_extension};
pub use history::History;
pub use jobs::{JobEvent, JobKey, JobResult, Jobs, Request, STOPPED};
pub use library::{ClipId, Library, LoadedSource};
pub use recipe::{JointOverride, Recipe, RecipeError};
pub use view::{
    DIFFERENCE_GAINS, Layer, LayerKind, Layers, Side, StillView, USUAL_DIFFERENCE_GAIN, USUAL_ONION_MIX, USUAL_WIPE,
    ViewInfo, ViewMode, difference_gain_range, next_difference_gain,
};
pub use workspace::{Answer, Summary, Totals, Workspace};
