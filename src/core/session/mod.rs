//! What a person works on: files, recipes, undo, the tasks that run beside, and the one path from clip to numbers.

mod archive;
mod archive_clip;
mod bases;
mod budget;
mod clip_list;
mod clip_report;
mod command_line;
mod complaint;
mod compress;
mod contact_lock;
mod document;
mod export;
mod file_size;
mod foreign;
mod guard;
mod history;
mod imitation;
mod joint_bits;
mod joint_costs;
mod joint_override;
mod library;
mod look;
mod moment_note;
mod named_recipes;
mod plant_words;
mod project;
mod reason;
mod recipe;
mod remedy;
mod report_columns;
mod report_rows;
mod review;
mod rig_match;
mod screen;
mod search;
mod shared_view;
mod sign_off;
mod state_file;
mod study;
mod study_limits;
mod summary;
mod tasks;
mod tier_listing;
mod tiers;
#[cfg(test)]
mod train;
mod unit_questions;
mod view;
mod why;
mod why_plant;
mod workspace;

pub use crate::import::SourceDigest;
pub use archive::{
    Archive, ArchiveError, ArchiveListing, archive_to_write, measure_archived, rig_digest, write_archive,
};
pub use archive_clip::ArchiveClip;
pub use bases::Bases;
pub use budget::{BudgetClip, BudgetError, BudgetShare, FittedBudget, fit_budget};
pub use clip_list::{ClipListing, ClipRow, ClipSort, NAMES};
pub use clip_report::{ClipReport, PEAKS, REPORT_SCHEMA};
pub use command_line::{CommandLine, ExportLine, SourceWords, recipe_options};
pub use complaint::{worst_complaint, worst_moment, worst_plant};
pub use compress::{CompressError, Encoding, Made, MeasuredClip, Outcome, compress, compress_shell, measure_vertices};
pub use contact_lock::ContactLock;
pub use document::{Alignment, Document, DocumentError, ForeignFile, SLOT_LETTERS};
pub use export::{
    CONTAINER, EXPORT_FORMATS, ExportFailure, ExportFormat, ExportedFile, TieredExport, export_clips, export_each,
    export_extension, export_others, export_tiered,
};
pub use file_size::{FilePart, FileSize, StoredClip};
pub use foreign::{ForeignClip, NoCounterpart, counterpart};
pub use guard::{OwnFault, guard};
pub use history::History;
pub use imitation::{IMITATIONS, Imitation};
pub use joint_bits::{JointBits, joint_bits};
pub use joint_costs::{JointCosts, JointRow, JointSort, joint_rows};
pub use joint_override::{FAR_SHELL_M, JointLimits, JointOverride};
pub use library::{ClipId, ClipKey, Library, LoadedSource, RigChoice};
pub use look::{CameraDirection, CameraPreset};
pub use moment_note::MomentNote;
pub use named_recipes::{Assignments, NamedClip, PatternRecipe, RecipePlace, wrong_name};
pub use plant_words::{plant_frames, slide_limit};
pub use project::{FoundSource, PROJECT_EXTENSION, Project, ProjectError, ProjectSource, find_sources};
pub use reason::{Reason, finer_rate_hz};
pub use recipe::{Recipe, RecipeError};
pub use remedy::{Remedy, Trial, override_costs};
pub use report_columns::{Figure, Listed, REPORT_COLUMNS, ReportColumn};
pub use report_rows::{
    ChangedRecipe, ContactsRow, ErrorRow, ExactRow, FloatRow, ForeignRow, JudgedRow, LockRow, LoopRow, OverrideRow,
    PlantRow, StepRow, SubFrameRow, TriedResult, TriedRow, VertexRow, VertexWorstRow, WorstRow,
};
pub use review::{DecidedFigures, Decision, Judgement, ReviewFilter, ReviewState};
pub use rig_match::{MatchedJoint, RigMatch, RigMismatch};
pub use screen::{PixelRow, Screen};
pub use search::{Feet, Found, search};
pub use shared_view::{CameraPlace, SharedView, SharedViewError};
pub use sign_off::{ClipNotes, SignOff, Standing, Undecided};
pub use state_file::{FoundState, NewerState, OpeningMark, STATE_VERSION, StateFile, StateFileError};
pub use study::{ClipFigures, Studied, StudiedClips, StudyPoint, study, study_recipes};
pub use study_limits::{StudyGoal, StudyLimit, StudyLimits};
pub use summary::{Totals, WorstFigure, better_slot};
pub use tasks::{
    Activity, CompressTask, ExplainTask, Explanation, ExportTask, FitOf, FitTask, ImportTask, ImportedSource, Lane,
    MeasureTask, PairTask, PairWith, Place, Question, RawSides, Request, Scheduler, Sides, SourceFile, StudyTask, Task,
    TaskAnswer, TaskError, TaskEvent, TaskFault, TrialTask, WrittenFile, is_container,
};
pub use tier_listing::{TierListing, TierPlace};
pub use tiers::{
    TIER_EXTENSION, TierFault, TierLevel, TierRow, TierSettings, TieredFiles, container_of_tier, is_tier_file,
    tier_levels, tier_path, tiered_files,
};
pub use unit_questions::{UnitQuestion, unit_questions};
pub use view::{
    DIFFERENCE_GAINS, Layer, LayerKind, Layers, Side, StillView, USUAL_DIFFERENCE_GAIN, USUAL_ONION_MIX, USUAL_WIPE,
    ViewInfo, ViewMode, difference_gain_range, next_difference_gain,
};
pub use why::{AncestorShare, StoredAround, Why};
pub use why_plant::WhyPlant;
pub use workspace::{Answer, ClipSlot, ExportScope, Reference, Reviewer, StudyScope, Workspace, WorkspaceEvent};
