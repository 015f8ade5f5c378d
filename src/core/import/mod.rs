//! Readers of rigs and clips. Each has a folder, and an entry in [`IMPORTERS`].
//!
//! A reader converts its file to joints, meshes and *key tracks*. The steps for all formats are here: detection of the sample
//! rate, resampling of keys, and checks that report [`Finding`]s.

mod beside;
mod budget;
mod bvh;
mod checks;
mod clip_checks;
mod constraints_said;
mod error;
mod fbx;
mod feet;
mod finding;
mod fix;
mod fixer;
mod folder;
mod gltf;
mod importer;
mod jumps;
mod key_clip;
mod keys;
mod motion;
mod name;
mod normals;
mod options;
mod ozz;
mod picture;
mod playing;
mod rate;
mod registry;
mod resample;
mod rest;
mod rest_scale;
mod retime;
mod riot;
mod sample_rate;
mod sampling;
mod several;
mod source;
mod time_unit;
#[cfg(feature = "usd")]
mod usd;
mod weights;

pub(crate) use budget::Budget;
pub use budget::{Ask, OverBudget};
pub use error::ImportError;
pub use feet::HELD_UP_TO_M;
pub use finding::{Finding, Reading, ReadingPart, Severity};
pub use fix::{ChosenFixes, Fix};
pub use fixer::{Fixed, Fixer};
pub use folder::{FolderContents, find_files, readable_extensions, readable_kinds};
pub use gltf::{DocumentClip, EmbeddedImage, FileSpace, GltfDocument, WeightsNode};
pub(crate) use gltf::{Pointed, add_extras, declare, declare_additive, play as play_gltf, pointed};
pub use importer::{Imported, Importer};
pub(crate) use name::readable;
pub use options::{ConstraintReading, ImportOptions, LengthUnit, TimeUnit, UpAxis};
pub(crate) use ozz::{
    ANIMATION as OZZ_ANIMATION, LITTLE_ENDIAN as OZZ_LITTLE_ENDIAN, SKELETON as OZZ_SKELETON, play as play_ozz,
};
pub(crate) use playing::Written;
pub(crate) use rate::Phase;
pub(crate) use registry::read_file;
pub use registry::{IMPORTERS, import_bytes, import_file, read_source};
pub use riot::{NEEDS_RIG, lacks_rig, named_hash};
pub(crate) use riot::{
    RIOT_FOLLOWS_TIMES, RIOT_JOINT_BITS, RIOT_JUMP_KEYS, RIOT_MAGIC, RIOT_PLACES_START, RIOT_SHORT_FRAMES, joint_hash,
    play as play_riot,
};
pub use source::Origin;
#[cfg(feature = "usd")]
pub(crate) use usd::play as play_usd;

use error::Fault;
use importer::stem;
