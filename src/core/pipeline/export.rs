use crate::codecs::{EncodeError, Progress};
use crate::export::{
    self, EXPORTERS, ExportClip, ExportError, ExportRecipes, ExportTarget, Exported, Holds, PlayedClip, PlayedLimits,
    export_measured,
};
use crate::model::{Clip, Rig};
use crate::pipeline::{
    ArchiveClip, ArchiveError, CompressError, MeasuredClip, Outcome, TierFault, TierSettings, archive_to_write,
    compress_shell, guard, measure_archived, tier_levels, tiered_files,
};
use crate::recipe::Recipe;
use rayon::prelude::*;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use thiserror::Error;

/// Key of the container among export formats.
pub const CONTAINER: &str = "container";

/// Why an export failed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ExportFailure {
    /// A clip could not be compressed.
    #[error("clip '{clip}': {error}")]
    Compress { clip: String, error: CompressError },
    /// A clip cannot have tiers.
    #[error("clip '{clip}' {error}")]
    Tiers { clip: String, error: TierFault },
    /// A stored clip does not fit its source.
    #[error(transparent)]
    Stored(#[from] ArchiveError),
    /// The format cannot hold the data.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// There is no format with this key.
    #[error("no export format '{0}'; expected one of: {keys}", keys = format_keys())]
    Format(String),
}

/// A file format for compressed clips.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFormat {
    /// The key that [`export_each`] takes.
    pub key: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// A one-word name.
    pub short: String,
    /// File extension without the dot.
    pub extension: &'static str,
    /// The contents of one file.
    pub holds: Holds,
}

/// Key of a file format: an exporter's, or [`CONTAINER`].
pub type FormatKey = &'static str;

/// Reads a format key.
///
/// # Errors
/// Fails if no format has that key.
pub fn format_key<'de, D: Deserializer<'de>>(from: D) -> Result<FormatKey, D::Error> {
    let key = String::deserialize(from)?;
    let known = EXPORT_FORMATS.iter().find(|format| format.key == key);
    known.map(|format| format.key).ok_or_else(|| D::Error::custom(ExportFailure::Format(key)))
}

fn format_keys() -> String {
    EXPORT_FORMATS.iter().map(|format| format.key).collect::<Vec<_>>().join(", ")
}

/// All export formats: the container, then every exporter.
pub static EXPORT_FORMATS: LazyLock<Vec<ExportFormat>> = LazyLock::new(|| {
    let container = ExportFormat {
        key: CONTAINER,
        name: "Posepress container",
        short: CONTAINER.to_owned(),
        extension: "posepress",
        holds: Holds::Clips,
    };
    let others = EXPORTERS.iter().map(|exporter| ExportFormat {
        key: exporter.info().key,
        name: exporter.info().name,
        short: exporter.info().key.to_uppercase(),
        extension: exporter.info().extension,
        holds: exporter.info().holds,
    });
    std::iter::once(container).chain(others).collect()
});

/// File extension of a format, without the dot.
pub fn export_extension(format: &str) -> Option<&'static str> {
    EXPORT_FORMATS.iter().find(|known| known.key == format).map(|known| known.extension)
}

/// One file of an export with several files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFile {
    /// The tier that the file holds. `None` for the container.
    pub tier: Option<&'static str>,
    /// Contents of the file.
    pub bytes: Vec<u8>,
}

/// An export of clips with tiers.
#[derive(Debug, Clone, PartialEq)]
pub struct TieredExport {
    /// The container, then the files of the tiers.
    pub files: Vec<ExportedFile>,
    /// The measured error of each clip with all its tiers, from its bytes.
    pub clips: Vec<PlayedClip>,
}

/// Result of an export that continues after a clip that cannot be compressed.
#[derive(Debug)]
pub struct Export<T> {
    /// The file or files. `None` if no clip is left.
    pub file: Option<T>,
    /// Why clips are missing.
    pub failed: Vec<ExportFailure>,
}

impl<T> Export<T> {
    /// The file, if it has all clips.
    ///
    /// # Errors
    /// The first failure of a clip.
    pub fn whole(self) -> Result<T, ExportFailure> {
        let Self { file, failed } = self;
        failed.into_iter().next().map_or(Ok(()), Err)?;
        Ok(file.expect("a file without a failure"))
    }
}

/// Exports clips as a container and the files of their tiers.
///
/// # Errors
/// See [`ExportFailure`]. A clip that cannot be compressed is not an error; a stopped task is.
pub fn export_tiered(
    rig: &Arc<Rig>,
    clips: &[(Arc<Clip>, Arc<Recipe>)],
    settings: &TierSettings,
    recipes: ExportRecipes,
    progress: &Progress,
) -> Result<Export<TieredExport>, ExportFailure> {
    let make = |source: &MeasuredClip, outcome: Outcome| {
        tier_levels(source, &outcome, settings, &progress.part())
            .map_err(|error| ExportFailure::Tiers { clip: source.clip.name().to_owned(), error })
    };
    let compressed = compress_each(rig, clips, progress, &make).collect();
    let Compressed { clips, results: levels, failed } = compressed_clips(clips, compressed)?;
    if clips.is_empty() && !failed.is_empty() {
        return Ok(Export { file: None, failed });
    }
    let named: Vec<_> = clips.iter().map(|(clip, _)| clip.name()).zip(levels.iter().map(Vec::as_slice)).collect();
    let files = tiered_files(rig, &named, settings, recipes);
    let tiers = files.tiers.iter().map(|(name, file)| ExportedFile { tier: Some(*name), bytes: file.to_bytes() });
    let container = ExportedFile { tier: None, bytes: files.container.to_bytes() };
    let whole = named.iter().filter_map(|(name, levels)| Some((name, levels.first()?)));
    let clips = whole.map(|(name, level)| PlayedClip::measured(name, rig, level.outcome.report.clone())).collect();
    let file = TieredExport { files: std::iter::once(container).chain(tiers).collect(), clips };
    Ok(Export { file: Some(file), failed })
}

/// Clips with their recipes and results, and the failures of the others.
struct Compressed<T> {
    clips: Vec<(Arc<Clip>, Arc<Recipe>)>,
    results: Vec<T>,
    failed: Vec<ExportFailure>,
}

/// Sets the clips that cannot be compressed apart. Any other failure, and a stopped task, ends the export.
fn compressed_clips<T>(
    clips: &[(Arc<Clip>, Arc<Recipe>)],
    made: Vec<Result<T, ExportFailure>>,
) -> Result<Compressed<T>, ExportFailure> {
    let mut compressed = Compressed { clips: Vec::new(), results: Vec::new(), failed: Vec::new() };
    for (clip, made) in clips.iter().zip(made) {
        match made {
            Ok(result) => {
                compressed.clips.push(clip.clone());
                compressed.results.push(result);
            }
            Err(ExportFailure::Compress { error, .. })
                if !matches!(error, CompressError::Encode(EncodeError::Cancelled)) =>
            {
                compressed.failed.push(ExportFailure::Compress { clip: clip.0.name().to_owned(), error });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(compressed)
}

/// Compresses every clip on all cores and calls `make` on each result.
fn compress_each<'a, T: Send>(
    rig: &'a Arc<Rig>,
    clips: &'a [(Arc<Clip>, Arc<Recipe>)],
    progress: &'a Progress,
    make: &'a (impl Fn(&MeasuredClip, Outcome) -> Result<T, ExportFailure> + Sync),
) -> impl IndexedParallelIterator<Item = Result<T, ExportFailure>> + 'a {
    let done = AtomicUsize::new(1);
    clips.par_iter().map(move |(clip, recipe)| {
        let failed = |error| ExportFailure::Compress { clip: clip.name().to_owned(), error };
        let compressed = guard(|| {
            let source = MeasuredClip::new(rig.clone(), clip.clone(), recipe);
            let outcome = compress_shell(&source, recipe, &progress.part())?;
            Ok::<_, CompressError>(make(&source, outcome))
        });
        compressed
            .map_err(failed)?
            .inspect(|_| progress.set_fraction(done.fetch_add(1, Ordering::Relaxed) as f32 / clips.len() as f32))
    })
}

/// Compresses clips, each with its recipe, and writes them in a format. Also returns the error of each clip as players of the format play
/// the file.
///
/// Continues after a clip that cannot be compressed. The written motion was encoded to bytes and decoded from them. A format that holds only
/// the rig skips that.
///
/// ```
/// # use posepress_core::codecs::Progress;
/// # use posepress_core::import::{ImportOptions, import_bytes};
/// # use posepress_core::pipeline::{MeasuredClip, compress};
/// # use posepress_core::recipe::Recipe;
/// # use std::{path::Path, sync::Arc};
/// # let bvh = "HIERARCHY ROOT hip { OFFSET 0 1 0 CHANNELS 3 Xrotation Yrotation Zrotation End Site { OFFSET 0 -0.5 0 } }
/// # MOTION Frames: 4 Frame Time: 0.05 0 0 0 10 0 0 20 5 0 30 9 0";
/// # let mut file = import_bytes(Path::new("swing.bvh"), bvh.as_bytes(), &ImportOptions::default())?;
/// # let (rig, clip) = (Arc::new(file.rig), Arc::new(file.clips.remove(0)));
/// use posepress_core::export::ExportTarget;
/// use posepress_core::pipeline::{EXPORT_FORMATS, export_each};
///
/// assert!(EXPORT_FORMATS.iter().any(|format| format.key == "glb"));
/// let (recipe, target) = (Arc::new(Recipe::default()), ExportTarget::default());
/// let exported = export_each(&rig, &[(clip.clone(), recipe)], "glb", &target, &Progress::new())?.whole()?;
/// let read = import_bytes(Path::new("swing.glb"), exported.bytes, &ImportOptions::default())?;
/// assert_eq!(read.clips[0].name(), clip.name());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// See [`ExportFailure`]. A clip that cannot be compressed is not an error; a stopped task is.
pub fn export_each(
    rig: &Arc<Rig>,
    clips: &[(Arc<Clip>, Arc<Recipe>)],
    format: &str,
    target: &ExportTarget,
    progress: &Progress,
) -> Result<Export<Exported>, ExportFailure> {
    if let Some(file) = rig_alone(rig, format, target) {
        return Ok(Export { file: Some(file?), failed: Vec::new() });
    }
    let made = compress_each(rig, clips, progress, &|_, outcome| Ok(outcome)).collect();
    let Compressed { clips, results: outcomes, failed } = compressed_clips(clips, made)?;
    let is_wanted = failed.is_empty() || !clips.is_empty();
    let file = is_wanted.then(|| write_each(rig, &clips, &outcomes, format, target)).transpose()?;
    Ok(Export { file, failed })
}

/// Like [`export_each`], for clips that are in containers already, each with its source. The file has the same bytes.
///
/// # Errors
/// See [`ExportFailure`].
pub fn export_stored(
    rig: &Arc<Rig>,
    clips: &[(Arc<Clip>, &ArchiveClip)],
    format: &str,
    target: &ExportTarget,
) -> Result<Exported, ExportFailure> {
    if let Some(file) = rig_alone(rig, format, target) {
        return file;
    }
    let measured = |(clip, stored): &(Arc<Clip>, &ArchiveClip)| {
        let recipe = Arc::new(stored.recipe());
        let outcome = measure_archived(&MeasuredClip::new(rig.clone(), clip.clone(), &recipe), stored)?;
        Ok(((clip.clone(), recipe), outcome))
    };
    let measured: Result<Vec<_>, ArchiveError> = clips.par_iter().map(measured).collect();
    let (clips, outcomes): (Vec<_>, Vec<_>) = measured?.into_iter().unzip();
    write_each(rig, &clips, &outcomes, format, target)
}

/// The file of a format that holds no clip.
fn rig_alone(rig: &Rig, format: &str, target: &ExportTarget) -> Option<Result<Exported, ExportFailure>> {
    let exporter = export::by_key(format).filter(|exporter| exporter.info().holds == Holds::Rig)?;
    Some(export_measured(exporter, rig, &mut [], target).map_err(ExportFailure::from))
}

/// Writes compressed clips and measures the file.
fn write_each(
    rig: &Arc<Rig>,
    clips: &[(Arc<Clip>, Arc<Recipe>)],
    outcomes: &[Outcome],
    format: &str,
    target: &ExportTarget,
) -> Result<Exported, ExportFailure> {
    if format == CONTAINER {
        let named: Vec<(&str, &Outcome)> = clips.iter().map(|(clip, _)| clip.name()).zip(outcomes).collect();
        let bytes = archive_to_write(rig, &named, target.options.recipes).to_bytes();
        let measured = |(name, outcome): &(&str, &Outcome)| PlayedClip::measured(name, rig, outcome.report.clone());
        return Ok(Exported { bytes, clips: named.iter().map(measured).collect() });
    }
    let exporter = export::by_key(format).ok_or_else(|| ExportFailure::Format(format.to_owned()))?;
    let mut exported = Vec::with_capacity(clips.len());
    for ((clip, recipe), outcome) in clips.iter().zip(outcomes) {
        let (tolerance_m, shells_m) = (recipe.tolerance_m, outcome.shells_m.to_vec());
        let decoded = ExportClip::decoded(clip, outcome.sampler());
        let joints = recipe.limits_of(rig, clip);
        let exact = joints.exact_joints(clip.samples());
        let (weights, sub_frames) = (Some(joints.weights), recipe.sub_frames);
        let limits =
            PlayedLimits { tolerance_m, promise: recipe.promise(), limits: recipe.limits(), weights, sub_frames };
        exported.push(ExportClip { tolerance_m, shells_m, limits, exact, ..decoded });
    }
    Ok(export_measured(exporter, rig, &mut exported, target)?)
}
