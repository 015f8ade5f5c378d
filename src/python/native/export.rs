use crate::clip::Clip;
use crate::fault::Fault;
use crate::options::{options, settings};
use crate::recipe::Recipe;
use crate::work;
use posepress_core::codecs::Progress;
use posepress_core::export::{
    ExportClip, ExportTarget, Exported, Holds, PlayedClip, by_key, export_measured, write_atomically,
};
use posepress_core::pipeline::{CONTAINER, EXPORT_FORMATS, ExportFailure, export_each, is_same_rig};
use posepress_core::text::millimetres;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::Arc;

/// Name, tolerance_mm, max_mm, between_mm, within.
type PlayedRow = (String, f64, f64, f64, bool);

/// Writes clips in a format. Without a recipe the clips themselves are written, else what the recipe's bytes decode to.
#[pyfunction]
#[pyo3(signature = (clips, format, recipe=None, progress=None, **keywords))]
pub fn export<'py>(
    py: Python<'py>,
    clips: Vec<PyRef<'py, Clip>>,
    format: &str,
    recipe: Option<PyRef<'py, Recipe>>,
    progress: Option<Py<PyAny>>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Bound<'py, PyBytes>, Vec<PlayedRow>)> {
    let options = options(keywords)?;
    let clips: Vec<&Clip> = clips.iter().map(|clip| &**clip).collect();
    let recipe = recipe.map(|recipe| recipe.0.clone());
    let Exported { bytes, clips } = work::run(py, progress, |progress| {
        let target = ExportTarget { options: settings(&options)?, origin: origin(&clips) };
        exported(&clips, format, recipe, &target, progress)
    })?;
    Ok((PyBytes::new(py, &bytes), clips.iter().map(row).collect()))
}

/// Writes a file. It is replaced only after everything is written.
#[pyfunction]
pub fn write(py: Python<'_>, path: PathBuf, data: PyBackedBytes) -> PyResult<()> {
    work::run(py, None, |_| {
        let written = write_atomically(&path, &data.to_vec());
        written.map_err(|error| Fault::new("ExportError", error).of_file(path.to_string_lossy()))
    })
}

fn row(played: &PlayedClip) -> PlayedRow {
    let report = &played.report;
    let [max_mm, between_mm] = [&report.samples, &report.between].map(|shell| millimetres(shell.worst.error_m));
    (played.name.clone(), millimetres(report.tolerance_m), max_mm, between_mm, played.is_within())
}

/// The file of the clips, if it is the same for all.
fn origin(clips: &[&Clip]) -> Option<posepress_core::import::Origin> {
    let first = clips.first()?.origin.as_ref()?;
    let is_same = |clip: &&Clip| clip.origin.as_ref() == Some(first);
    clips.iter().all(is_same).then(|| (**first).clone())
}

fn exported(
    clips: &[&Clip],
    format: &str,
    recipe: Option<Arc<posepress_core::recipe::Recipe>>,
    target: &ExportTarget,
    progress: &Progress,
) -> Result<Exported, Fault> {
    let refused = |what: String| Fault::new("ExportError", what);
    let Some(first) = clips.first() else { return Err(refused("no clips were given".into())) };
    if let Some(other) = clips.iter().find(|clip| !is_same_rig(&clip.rig, &first.rig)) {
        let advice = "Put it there with clip.on_rig(rig)";
        let what = format!("clip '{}' is on another rig than '{}'. {advice}", other.name, first.name);
        return Err(refused(what).of_clip(&other.name).advise(advice));
    }
    let failed = |error: ExportFailure| Fault::new("ExportError", error);
    if let Some(recipe) = recipe {
        let chosen: Vec<_> = clips.iter().map(|clip| (clip.clip.clone(), recipe.clone())).collect();
        let export = export_each(&first.rig, &chosen, format, target, progress).map_err(failed)?;
        return export.whole().map_err(failed);
    }
    if format == CONTAINER {
        return Err(refused("a container holds compressed clips: give a recipe".into()));
    }
    let exporter = by_key(format).ok_or_else(|| {
        let formats: Vec<&str> = EXPORT_FORMATS.iter().map(|format| format.key).collect();
        refused(format!("no format '{format}'; expected one of: {}", formats.join(", ")))
    })?;
    let clips = if exporter.info().holds == Holds::Rig { &[] } else { clips };
    let mut raw: Vec<_> = clips.iter().map(|clip| raw(clip)).collect();
    export_measured(exporter, &first.rig, &mut raw, target).map_err(|error| Fault::new("ExportError", error))
}

fn raw(clip: &Clip) -> ExportClip<'_> {
    ExportClip { name: clip.name.clone(), ..ExportClip::raw(&clip.clip) }
}
