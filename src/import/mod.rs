//! Readers of rigs and clips: one file each, one line each in [`IMPORTERS`].

use crate::model::{Clip, Rig};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Every importer.
pub static IMPORTERS: &[&dyn Importer] = &[];

/// Length unit of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthUnit {
    /// Metres.
    Metre,
    /// Centimetres.
    Centimetre,
    /// Millimetres.
    Millimetre,
    /// Inches.
    Inch,
}

impl LengthUnit {
    /// Metres in one.
    pub fn metres(self) -> f32 {
        match self {
            Self::Metre => 1.0,
            Self::Centimetre => 0.01,
            Self::Millimetre => 0.001,
            Self::Inch => 0.0254,
        }
    }
}

/// Axis that points up in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpAxis {
    /// As everything inside.
    Y,
    /// Turned by -90 degrees about X on the way in.
    Z,
}

/// What the user may say about a file.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImportOptions {
    /// Samples per second; `None` detects it from the keys.
    pub rate_hz: Option<f32>,
    /// Unit of lengths; `None` takes the file's own.
    pub unit: Option<LengthUnit>,
    /// Up axis; `None` takes the file's own.
    pub up: Option<UpAxis>,
}

/// A file, read. Y is up, lengths are metres, every clip fits the rig.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Joints and meshes.
    pub rig: Rig,
    /// In the order of the file.
    pub clips: Vec<Clip>,
    /// What the import checks found.
    pub findings: Vec<Finding>,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Fixed or left, worth a look.
    Warning,
    /// The user should decide: the file probably means something else.
    Decide,
}

/// One thing that the import checks noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// Clip, mesh or joint.
    pub subject: String,
    /// What was found.
    pub what: String,
    /// What it means, and what was done or can be done.
    pub meaning: String,
}

/// Why a file could not be read: which file, where in it, what was expected, what to do.
#[derive(Debug, Error)]
#[error("{}: {what}{}{}", path.display(), place(at), advise(advice))]
pub struct ImportError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong, with found and expected.
    pub what: String,
    /// Where in the file: a byte, a line, a node.
    pub at: Option<String>,
    /// What to do.
    pub advice: Option<String>,
}

fn place(at: &Option<String>) -> String {
    at.as_ref().map(|at| format!(" (at {at})")).unwrap_or_default()
}

fn advise(advice: &Option<String>) -> String {
    advice.as_ref().map(|a| format!(". {a}")).unwrap_or_default()
}

/// A reader of one kind of file.
pub trait Importer: Sync {
    /// As people know it: `glTF`.
    fn name(&self) -> &'static str;
    /// File extensions, lower case, without the dot.
    fn extensions(&self) -> &'static [&'static str];
    /// Reads rig and clips. `path` is for messages and for files beside it.
    ///
    /// # Errors
    /// See [`ImportError`].
    fn import(&self, path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Imported, ImportError>;
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
    let error =
        |what: String, advice: &str| ImportError { path: path.into(), what, at: None, advice: Some(advice.to_owned()) };
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let Some(importer) = IMPORTERS.iter().find(|i| i.extensions().contains(&extension.as_str())) else {
        let known: Vec<_> = IMPORTERS.iter().flat_map(|i| i.extensions()).copied().collect();
        let what = format!("files of kind '.{extension}' are not supported; expected one of: {}", known.join(", "));
        return Err(error(what, "Export the file as glTF or GLB"));
    };
    let bytes = std::fs::read(path).map_err(|e| error(format!("cannot be read: {e}"), "Check the path"))?;
    if bytes.is_empty() {
        return Err(error("the file is empty (0 bytes)".into(), "Copy or export it again"));
    }
    importer.import(path, &bytes, options)
}
