use crate::clip::Clip;
use crate::fault::Fault;
use crate::recipe::Recipe;
use crate::work;
use numpy::PyArray1;
use posepress_core::batch::{ClipNumbers, ManifestRow};
use posepress_core::codecs::Progress;
use posepress_core::export::ExportRecipes;
use posepress_core::pipeline::{ExternalClip, MeasuredClip, archive_to_write, measure_vertices};
use posepress_core::report::{ClipReport, Sides};
use posepress_core::tasks::{CompressTask, MeasureTask, RawSides};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::Path;
use std::sync::Arc;

/// Report and row of a manifest as JSON, passes, error per sample in millimetres, container.
type Measured<'py> = (String, String, bool, Bound<'py, PyArray1<f32>>, Option<Bound<'py, PyBytes>>);

/// A measured result, before it becomes Python objects.
struct Plain {
    report: ClipReport,
    error_mm: Vec<f32>,
    data: Option<Vec<u8>>,
}

impl Plain {
    fn of(clip: &Clip, sides: &Sides, data: Option<Vec<u8>>) -> Self {
        let (report, steps) = (&sides.outcome.report, sides.outcome.report.sub_frames);
        let error_mm = report.per_step.iter().step_by(steps).map(|error_m| error_m * 1000.0).collect();
        let report = ClipReport::new(&clip.source, &clip.name, &sides.source, &sides.outcome);
        Self { report, error_mm, data }
    }

    fn shown(self, py: Python<'_>) -> PyResult<Measured<'_>> {
        let Self { report, error_mm, data } = self;
        let numbers = Some(ClipNumbers::of(&report));
        let row =
            ManifestRow { source: report.source.clone(), clip: report.clip.clone(), numbers, ..Default::default() };
        let [report_json, row] = [serde_json::to_string(&report), serde_json::to_string(&row)]
            .map(|text| text.map_err(|error| Fault::new("PosepressError", error).raised(py)));
        let data = data.map(|data| PyBytes::new(py, &data));
        Ok((report_json?, row?, report.passes(), PyArray1::from_vec(py, error_mm), data))
    }
}

/// Compresses a clip and measures the decoded bytes.
#[pyfunction]
#[pyo3(signature = (clip, recipe, progress=None))]
pub fn compress<'py>(
    py: Python<'py>,
    clip: PyRef<'py, Clip>,
    recipe: PyRef<'py, Recipe>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Measured<'py>> {
    let (clip, recipe) = (&*clip, recipe.0.clone());
    let plain = work::run(py, progress, |progress| {
        let task = CompressTask {
            file: clip.source.clone(),
            rig: clip.rig.clone(),
            clip: clip.clip.clone(),
            recipe,
            external: None,
            skin: true,
        };
        let at = |error| Fault::from(error).of_clip(&clip.name).of_file(&*clip.source);
        let of = task.run(&mut RawSides::default(), &progress.share(0.0..0.9)).map_err(at)?;
        let sides = MeasureTask { of }.run(&progress.share(0.9..1.0)).map_err(at)?;
        let archive = archive_to_write(&clip.rig, &[(&clip.name, &sides.outcome)], ExportRecipes::Kept);
        Ok(Plain::of(clip, &sides, Some(archive.to_bytes())))
    })?;
    plain.shown(py)
}

/// Measures another tool's version of a clip against it, by the limits of a recipe.
#[pyfunction]
#[pyo3(signature = (clip, other, recipe, offset_secs=0.0, progress=None))]
pub fn judge<'py>(
    py: Python<'py>,
    clip: PyRef<'py, Clip>,
    other: PyRef<'py, Clip>,
    recipe: PyRef<'py, Recipe>,
    offset_secs: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Measured<'py>> {
    let (clip, other, recipe) = (&*clip, &*other, recipe.0.clone());
    work::run(py, progress, |progress| judged(clip, other, &recipe, offset_secs, progress))?.shown(py)
}

fn judged(
    clip: &Clip,
    other: &Clip,
    recipe: &posepress_core::recipe::Recipe,
    offset_secs: f64,
    progress: &Progress,
) -> Result<Plain, Fault> {
    if !offset_secs.is_finite() {
        return Err(Fault::new("OptionError", format!("offset_secs = {offset_secs} is not a time in seconds")));
    }
    let theirs = other.moved_to(&clip.rig)?;
    let file: Arc<str> = match Path::new(&*other.source).file_name() {
        Some(name) => name.to_string_lossy().into(),
        None => other.name.as_str().into(),
    };
    let source = MeasuredClip::new(clip.rig.clone(), clip.clip.clone(), recipe);
    let external = ExternalClip::beside(&clip.clip, (file, theirs), other.bytes, offset_secs);
    let mut outcome = external.judge(&source, recipe);
    measure_vertices(&source, &mut outcome, progress).map_err(|error| Fault::new("Stopped", error))?;
    Ok(Plain::of(clip, &Sides::new(&clip.source, source, outcome), None))
}
