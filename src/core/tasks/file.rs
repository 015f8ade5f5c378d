use super::error::{TaskError, TaskFault, TaskSubject, guarded};
use crate::codecs::Progress;
use crate::export::{
    ExportTarget, Exported, FileToWrite, PlayedClip, check_output, try_output, write_atomically, write_together,
};
use crate::import::{ImportOptions, Imported, import_bytes, read_file, read_source};
use crate::metrics::{ContactPlan, PinPlan};
use crate::model::{Clip, Rig, SourceDigest};
use crate::pipeline::{
    Archive, CONTAINER, Export, ExportFailure, ExportedFile, TierSettings, TieredExport, export_each, export_extension,
    export_tiered, tier_path,
};
use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads a file: rig, clips and findings.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportTask {
    /// The file.
    pub file: SourceFile,
    /// The user's import options.
    pub options: ImportOptions,
    /// True to read containers too: their clips are decoded. So a container can be judged as an external file.
    pub containers: bool,
}

/// The origin of rig and clips.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceFile {
    /// A file on the disk.
    Path(PathBuf),
    /// Bytes that are part of the program.
    Bundled {
        /// Its name. The extension selects the importer.
        name: &'static str,
        /// Its contents.
        bytes: &'static [u8],
    },
}

/// A file that was read, with its identity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportedSource {
    /// Path of the file. `None` for bundled bytes.
    pub path: Option<PathBuf>,
    /// The user's import options.
    pub options: ImportOptions,
    /// Digest of its bytes.
    pub digest: SourceDigest,
    /// Its contents.
    pub imported: Imported,
}

impl SourceFile {
    /// The path on the disk, if it has one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Bundled { .. } => None,
        }
    }

    pub(super) fn name(&self) -> &Path {
        match self {
            Self::Path(path) => path,
            Self::Bundled { name, .. } => name.as_ref(),
        }
    }
}

impl ImportTask {
    /// Reads the file. A stop takes effect when the importer has finished.
    ///
    /// # Errors
    ///
    /// Returns [`TaskFault::Import`], [`TaskFault::Archive`], [`TaskFault::Stopped`] or [`TaskFault::Panicked`]. The place is the file.
    pub fn run(&self, progress: &Progress) -> Result<ImportedSource, TaskError> {
        guarded(TaskSubject::file(self.file.name()), || {
            let imported = match &self.file {
                SourceFile::Path(path) if self.containers && is_container(path) => self.read(read_file(path)?.into()),
                SourceFile::Path(path) => self.read(read_source(path)?.into()),
                SourceFile::Bundled { bytes, .. } => self.read((*bytes).into()),
            };
            progress.check().map_err(|_| TaskFault::Stopped)?;
            imported
        })
    }

    fn read(&self, bytes: Cow<'_, [u8]>) -> Result<ImportedSource, TaskFault> {
        let (digest, path) = (SourceDigest::of(&bytes), self.file.path().map(Path::to_path_buf));
        let name = self.file.name();
        let imported = match self.containers && is_container(name) {
            true => read_container(name, &bytes)?,
            false => import_bytes(name, bytes, &self.options)?,
        };
        Ok(ImportedSource { path, options: self.options, digest, imported })
    }
}

/// True for the name of a container.
pub fn is_container(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
    extension.is_some() && extension.as_deref() == export_extension(CONTAINER)
}

/// Decodes the clips of a container on its rig, which has no mesh.
fn read_container(path: &Path, bytes: &[u8]) -> Result<Imported, TaskFault> {
    let archive = Archive::open(bytes, None)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let clips = archive.clips().iter().map(|clip| archive.decode(clip)).collect::<Result<_, _>>()?;
    Ok(Imported {
        rig: archive.rig(&name),
        clips,
        clip_bytes: archive.clips().iter().map(|clip| clip.bytes.len() as u64).collect(),
        findings: Vec::new(),
        beside: Vec::new(),
    })
}

/// Compresses clips of one rig and writes them to a file.
#[derive(Debug, Clone)]
pub struct ExportTask {
    /// The rig.
    pub rig: Arc<Rig>,
    /// Its clips, each with its recipe.
    pub clips: Vec<(Arc<Clip>, Arc<Recipe>)>,
    /// Key of the format: an exporter's, or [`CONTAINER`](crate::pipeline::CONTAINER).
    pub format: &'static str,
    /// Options of the export, and the file that the clips came from.
    pub target: ExportTarget,
    /// Settings for tiers, which are written to files beside a container.
    pub tiers: TierSettings,
    /// Path of the file. An existing file is replaced only after everything is written.
    pub path: PathBuf,
    /// Open files, which must not be overwritten.
    pub sources: Vec<PathBuf>,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenFile {
    /// Its size, with the files of its tiers.
    pub bytes: usize,
    /// The error of each clip as players play the file. Empty if nothing was measured.
    pub clips: Vec<PlayedClip>,
    /// The clips that could not be compressed and are not in the file, each with the reason.
    pub missing: Vec<String>,
}

impl ExportTask {
    /// Compresses the clips and writes the file. A clip that cannot be compressed is left out. A stopped task writes nothing.
    ///
    /// # Errors
    ///
    /// Returns [`TaskFault::Export`], [`TaskFault::Stopped`] or [`TaskFault::Panicked`]. The place is the file.
    pub fn run(&self, progress: &Progress) -> Result<WrittenFile, TaskError> {
        guarded(TaskSubject::file(&self.path), || {
            self.check_output(&self.path)?;
            try_output(&self.path).map_err(ExportFailure::from)?;
            self.write(self.make(progress)?)
        })
    }

    /// Compresses the clips into the bytes of the file.
    pub(super) fn make(&self, progress: &Progress) -> Result<MadeExport, TaskFault> {
        let made = match self.format == CONTAINER && self.tiers.on {
            true => {
                let recipes = self.target.options.recipes;
                let export = export_tiered(&self.rig, &self.clips, &self.tiers, recipes, progress)?;
                let (TieredExport { files, clips }, missing) = with_missing(export)?;
                MadeExport::new(files.into_iter().map(|file| self.file(file)).collect(), clips, missing)
            }
            false => {
                let export = export_each(&self.rig, &self.clips, self.format, &self.target, progress)?;
                let (Exported { bytes, clips }, missing) = with_missing(export)?;
                MadeExport::new(vec![self.file(ExportedFile { tier: None, bytes })], clips, missing)
            }
        };
        progress.check().map_err(|_| TaskFault::Stopped)?;
        Ok(made)
    }

    fn file(&self, ExportedFile { tier, bytes }: ExportedFile) -> MadeFile {
        MadeFile { path: tier.map_or_else(|| self.path.clone(), |name| tier_path(&self.path, name)), bytes }
    }

    /// Writes all files of an export or none.
    pub(super) fn write(&self, made: MadeExport) -> Result<WrittenFile, TaskFault> {
        let MadeExport { files, mut clips, plans, missing } = made;
        for (clip, plans) in clips.iter_mut().zip(plans) {
            (clip.report.slide.plan, clip.report.pins.plan) = plans;
        }
        for file in &files {
            self.check_output(&file.path)?;
        }
        match &files[..] {
            [one] => write_atomically(&one.path, &one.bytes),
            all => write_together(&all.iter().map(MadeFile::to_write).collect::<Vec<_>>()),
        }
        .map_err(ExportFailure::from)?;
        Ok(WrittenFile { bytes: files.iter().map(|file| file.bytes.len()).sum(), clips, missing })
    }

    fn check_output(&self, path: &Path) -> Result<(), TaskFault> {
        Ok(check_output(path, self.sources.iter().map(PathBuf::as_path)).map_err(ExportFailure::from)?)
    }
}

/// The files of an export, not written yet.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MadeExport {
    files: Vec<MadeFile>,
    clips: Vec<PlayedClip>,
    /// Contacts and pins of each clip, which a stored report lacks.
    plans: Vec<(Arc<ContactPlan>, Arc<PinPlan>)>,
    missing: Vec<String>,
}

impl MadeExport {
    fn new(files: Vec<MadeFile>, clips: Vec<PlayedClip>, missing: Vec<String>) -> Self {
        let plans = |clip: &PlayedClip| (clip.report.slide.plan.clone(), clip.report.pins.plan.clone());
        Self { files, plans: clips.iter().map(plans).collect(), clips, missing }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct MadeFile {
    path: PathBuf,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

impl MadeFile {
    fn to_write(&self) -> FileToWrite<'_> {
        (self.path.clone(), &self.bytes)
    }
}

/// The file and, for each clip that is not in it, the reason. Without a file, the first reason is the fault.
fn with_missing<T>(Export { file, failed }: Export<T>) -> Result<(T, Vec<String>), TaskFault> {
    let missing = failed.iter().map(ToString::to_string).collect();
    match file {
        Some(file) => Ok((file, missing)),
        None => Err(failed.into_iter().next().expect("a file or a failure").into()),
    }
}
