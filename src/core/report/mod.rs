//! Reports on a compressed clip: its numbers, its verdict, the reasons and advice.

mod clip_report;
mod columns;
mod complaint;
mod contact_words;
mod decided_figures;
mod joint_bits;
mod joint_costs;
mod lod_rows;
mod pin_row;
mod pixel_row;
mod reason;
mod remedy;
mod rows;
mod screen;
mod sides;
mod summary;
mod tier_rows;
mod tighter;
mod why;
mod why_slide;
mod worst_row;

pub use clip_report::{ClipReport, PEAKS, REPORT_SCHEMA};
pub use columns::{Figure, Listed, REPORT_COLUMNS, ReportColumn};
pub use complaint::{worst_complaint, worst_contact, worst_moment};
pub use contact_words::{contact_frames, slide_limit};
pub use decided_figures::DecidedFigures;
pub(crate) use decided_figures::{grown, written_mm};
pub use joint_bits::{JointBits, joint_bits};
pub use joint_costs::{JointCosts, JointRow, JointSort, joint_rows};
pub use lod_rows::{LodFigures, LodRow, fitted_lods, lod_at, lod_starts_m, lods_by};
pub use pin_row::PinRow;
pub use pixel_row::PixelRow;
pub use reason::{Reason, finer_rate_hz};
pub use remedy::{Remedied, Remedy, Trial, override_costs};
pub use rows::{
    ChangedRecipe, ContactRow, ErrorRow, ExactRow, ExternalRow, FloatRow, JudgedRow, LockRow, LoopRow, OverrideRow,
    RootRow, SlideRow, StepRow, SubFrameRow, TriedResult, TriedRow, VertexRow, VertexWorstRow,
};
pub use screen::Screen;
pub use sides::Sides;
pub use summary::{Totals, WorstFigure, better_slot};
pub use tier_rows::TierRow;
pub use why::{AncestorShare, StoredAround, Why};
pub use why_slide::WhySlide;
pub use worst_row::WorstRow;
