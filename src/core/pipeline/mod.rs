//! The path from a clip and a recipe to measured bytes: encoding, contact locking, search, tiers, budgets and archives.

mod archive;
mod archive_clip;
mod budget;
mod compress;
mod compress_error;
mod contact_lock;
mod encoder_limits;
mod export;
mod external;
mod file_size;
mod guard;
mod hold;
mod known_numbers;
mod lod;
mod measure;
mod measured_clip;
mod outcome;
mod outcome_bytes;
mod record;
mod rig_match;
mod search;
mod tier_listing;
mod tiers;

pub use archive::{Archive, ArchiveError, ArchiveListing, archive_to_write, is_same_rig, measure_archived, rig_digest};
pub use archive_clip::ArchiveClip;
pub use budget::{
    BUDGET_ROUNDS, BudgetClip, BudgetError, BudgetLimits, BudgetRig, BudgetShare, ClipSource, FittedBudget,
    budget_round, fit_budget,
};
pub use compress::{compress, compress_shell, measure_vertices};
pub use compress_error::CompressError;
pub use contact_lock::ContactLock;
pub use export::{
    CONTAINER, EXPORT_FORMATS, Export, ExportFailure, ExportFormat, ExportedFile, FormatKey, TieredExport, export_each,
    export_extension, export_stored, export_tiered, format_key,
};
pub use external::{ExternalClip, NoCounterpart, counterpart};
pub use file_size::{FilePart, FileSize, StoredClip};
pub use guard::{OwnFault, guard};
pub use known_numbers::{Asked, KnownNumbers, known_or};
pub use lod::{LodFault, LodRecord, MeasuredLod, measure_lods};
pub(crate) use measure::measured;
pub use measured_clip::MeasuredClip;
pub use outcome::{Encoding, Made, Outcome};
pub use record::{MeasuredRecord, OutcomeRecord};
pub use rig_match::{MatchedJoint, RigMatch, RigMismatch};
pub use search::{Feet, Found, search};
pub use tier_listing::{TierListing, TierPlace};
pub use tiers::{
    TIER_EXTENSION, TierFault, TierLevel, TierSettings, TieredFiles, container_of_tier, is_tier_file, tier_levels,
    tier_path, tiered_files,
};
