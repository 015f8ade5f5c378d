//! Readers of rigs and clips: one folder each, one line each in [`IMPORTERS`].
//!
//! A reader turns its file into joints, meshes and *key tracks*; everything that all formats share happens here once:
//! finding the sample rate, resampling the keys, and the checks whose results the user sees as [`Finding`]s.

mod beside;
mod budget;
mod bvh;
mod checks;
mod constraints_said;
mod doctor;
mod error;
mod fbx;
mod finding;
mod folder;
mod gltf;
mod jumps;
mod key_clip;
mod keys;
mod mend;
mod motion;
mod name;
mod options;
mod ozz;
mod picture;
mod playing;
mod rate;
mod resample;
mod retime;
mod riot;
mod sample_rate;
mod sampling;
mod source;
mod time_unit;
mod weights;

pub(crate) use budget::Budget;
pub use budget::{Ask, OverBudget};
pub use error::ImportError;
pub use finding::{Finding, Reading, ReadingPart, Severity};
pub use folder::{FolderContents, find_files, readable_extensions, readable_kinds};
pub use gltf::{DocumentClip, EmbeddedImage, FileSpace, GltfDocument, WeightsNode};
pub(crate) use gltf::{Pointed, add_extras, declare, declare_additive, play as play_gltf, pointed};
pub use mend::{Mend, Mender};
pub(crate) use name::readable;
pub use options::{ConstraintReading, ImportOptions, LengthUnit, TimeUnit, UpAxis};
pub(crate) use ozz::{
    ANIMATION as OZZ_ANIMATION, LITTLE_ENDIAN as OZZ_LITTLE_ENDIAN, SKELETON as OZZ_SKELETON, play as play_ozz,
};
pub(crate) use playing::Written;
pub(crate) use rate::Phase;
pub use riot::{NEEDS_RIG, lacks_rig, named_hash};
pub(crate) use riot::{
    RIOT_FOLLOWS_TIMES, RIOT_JOINT_BITS, RIOT_JUMP_KEYS, RIOT_MAGIC, RIOT_PLACES_START, RIOT_SHORT_FRAMES, joint_hash,
    play as play_riot,
};
pub use source::Origin;

use crate::files;
use crate::model::{Clip, Rig};
use error::Fault;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Every importer.
pub static IMPORTERS: &[&dyn Importer] = &[&gltf::Gltf, &fbx::Fbx, &bvh::Bvh, &ozz::Ozz, &riot::Riot];

/// A file, read. Y is up, lengths are metres, every clip fits the rig.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Joints and meshes.
    pub rig: Rig,
    /// In the order of the file.
    pub clips: Vec<Clip>,
    /// What the file spends on each clip, bytes: its keys and their times as they are stored, without names and structure.
    /// A curve of an FBX file counts twelve bytes a key, a time and a value, though the file may pack them.
    pub clip_bytes: Vec<u64>,
    /// What the import checks found.
    pub findings: Vec<Finding>,
    /// Files beside it that were read, too.
    pub beside: Vec<PathBuf>,
}

/// A reader of one kind of file.
pub trait Importer: Sync {
    /// As people know it: `glTF`.
    fn name(&self) -> &'static str;
    /// File extensions, lower case, without the dot.
    fn extensions(&self) -> &'static [&'static str];
    /// Reads rig and clips. `path` is for messages and for files beside it. Bytes that it is given for keeps it may drop as
    /// soon as they are read: of a long take the text is larger than the clip.
    ///
    /// # Errors
    /// See [`ImportError`]: any bytes are safe to pass.
    fn import(&self, path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, ImportError>;
}

impl std::fmt::Debug for dyn Importer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads a file with the importer of its extension.
///
/// # Errors
/// See [`ImportError`].
pub fn import_file(path: &Path, options: &ImportOptions) -> Result<Imported, ImportError> {
    import_bytes(path, read_source(path)?, options)
}

/// The bytes of a file of a kind that some importer reads.
///
/// # Errors
/// [`ImportError`], for files of other kinds too.
pub fn read_source(path: &Path) -> Result<Vec<u8>, ImportError> {
    importer_of(path)?;
    read_file(path)
}

/// The bytes of a file of any kind.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ImportError> {
    files::read(path).map_err(|e| {
        let fault = Fault::new(format!("cannot be read: {e}"));
        // What the system says does not say what to do; what is found wrong here does.
        let is_of_system = matches!(e, files::ReadError::System(_));
        let fault = if is_of_system { fault.advise("Check the path") } else { fault };
        fault.in_file(path)
    })
}

/// Reads the bytes of a file. `path` chooses the importer, and is for messages and for files beside it.
///
/// # Errors
/// See [`ImportError`].
pub fn import_bytes<'a>(
    path: &Path,
    bytes: impl Into<Cow<'a, [u8]>>,
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    let bytes = bytes.into();
    let importer = importer_of(path)?;
    if bytes.is_empty() {
        return Err(Fault::new("the file is empty (0 bytes)").advise("Copy or export it again").in_file(path));
    }
    importer.import(path, bytes, options)
}

fn importer_of(path: &Path) -> Result<&'static dyn Importer, ImportError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    IMPORTERS.iter().copied().find(|i| i.extensions().contains(&extension.as_str())).ok_or_else(|| {
        let known: Vec<_> = readable_extensions().collect();
        let what = format!("files of kind '.{extension}' are not supported; expected one of: {}", known.join(", "));
        Fault::new(what).advise("Export the file as glTF or GLB").in_file(path)
    })
}

/// The file's name without folder and extension, for rigs and clips that have no name of their own.
fn stem(path: &Path) -> String {
    path.file_stem().map(|s| readable(&s.to_string_lossy())).unwrap_or_default()
}
