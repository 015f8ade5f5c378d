//! Writers of approved clips: one file each, one line each in [`EXPORTERS`].

mod clip;
mod csv;
mod error;
mod exporter;
mod file;
mod glb;
mod keys;
mod measured;
mod options;
mod ozz;
mod played;
mod registry;
mod riot;
#[cfg(feature = "usd")]
mod usd;

pub use clip::{ExportClip, ExportTarget};
pub use csv::{Csv, csv_table};
pub use error::ExportError;
pub use exporter::{Exporter, ExporterInfo, Holds};
pub use file::{FileToWrite, check_output, try_output, write_atomically, write_together};
pub use glb::Glb;
pub use keys::{EditorCurve, EditorKeys, NumberError, editor_keys};
pub use measured::{Exported, PlayedClip, export_measured, measure_file};
pub use options::{ExportBody, ExportInto, ExportKeys, ExportOptions, ExportPacking, ExportRecipes, RotationFormat};
pub use ozz::{Ozz, OzzSkeleton};
pub use played::{Between, Played, PlayedLimits};
pub use registry::{EXPORTERS, by_key};
pub use riot::Riot;
#[cfg(feature = "usd")]
pub use usd::Usd;

use clip::only_clip;
