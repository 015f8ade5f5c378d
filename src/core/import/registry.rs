//! The list of importers. Files are read with the importer of their extension.

use super::error::Fault;
#[cfg(feature = "usd")]
use super::usd;
use super::{ImportError, ImportOptions, Imported, Importer, bvh, fbx, gltf, ozz, readable_extensions, riot};
use crate::files;
use std::borrow::Cow;
use std::path::Path;

/// Every importer.
pub static IMPORTERS: &[&dyn Importer] = &[
    &gltf::Gltf,
    &fbx::Fbx,
    &bvh::Bvh,
    &ozz::Ozz,
    &riot::Riot,
    #[cfg(feature = "usd")]
    &usd::Usd,
];

/// Reads a file with the importer of its extension.
///
/// # Errors
/// See [`ImportError`].
pub fn import_file(path: &Path, options: &ImportOptions) -> Result<Imported, ImportError> {
    import_bytes(path, read_source(path)?, options)
}

/// Reads the bytes of a file with a supported extension.
///
/// # Errors
/// [`ImportError`], also for other extensions.
pub fn read_source(path: &Path) -> Result<Vec<u8>, ImportError> {
    importer_of(path)?;
    read_file(path)
}

/// Reads the bytes of any file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ImportError> {
    files::read(path).map_err(|e| {
        let fault = Fault::new(format!("cannot be read: {e}"));
        // Messages of the operating system lack advice. Other messages give the expected value.
        let is_of_system = matches!(e, files::ReadError::System(_));
        let fault = if is_of_system { fault.advise("Check the path") } else { fault };
        fault.in_file(path)
    })
}

/// Imports the bytes of a file. `path` chooses the importer, and serves messages and external files.
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

pub(super) fn importer_of(path: &Path) -> Result<&'static dyn Importer, ImportError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    IMPORTERS.iter().copied().find(|i| i.extensions().contains(&extension.as_str())).ok_or_else(|| {
        let known: Vec<_> = readable_extensions().collect();
        let what = format!("files of kind '.{extension}' are not supported; expected one of: {}", known.join(", "));
        Fault::new(what).advise("Export the file as glTF or GLB").in_file(path)
    })
}

impl ImportOptions {
    /// Options for an external file that is compared with a source with these options, the more likely first. Units and axes apply to
    /// files of the same format. Other files state their own, or use metres, as files of Posepress do.
    pub fn of_other(self, source: &Path, other: &Path) -> [Self; 2] {
        let same = Self { frames_are_hz: None, ..self };
        let own = Self { unit: None, scale: None, up: None, ..same };
        let kind = |path: &Path| importer_of(path).ok().map(Importer::name);
        if kind(source) == kind(other) { [same, own] } else { [own, same] }
    }
}
