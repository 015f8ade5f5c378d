use crate::clip::Clip;
use crate::fault::Fault;
use crate::read::{FindingRow, row};
use crate::work;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use posepress_core::export::{EditorCurve, EditorKeys, editor_keys};
use posepress_core::import::{ChosenFixes, Fix, Fixer};
use posepress_core::model::Channel;
use pyo3::prelude::*;

/// Metres per millimetre.
const METRES: f32 = 1e-3;

/// Joint, channel, curve, samples, values, tangents.
type KeysRow<'py> = (
    usize,
    &'static str,
    &'static str,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray3<f32>>,
);

/// Few keys for an editor of curves, one row per channel that leaves its bind pose.
#[pyfunction]
#[pyo3(signature = (clip, tolerance_mm, shell_mm, progress=None))]
pub fn fit_keys<'py>(
    py: Python<'py>,
    clip: PyRef<'py, Clip>,
    tolerance_mm: f32,
    shell_mm: f32,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<KeysRow<'py>>> {
    let clip = &*clip;
    let keys = work::run(py, progress, |_| {
        for (name, length) in [("tolerance_mm", tolerance_mm), ("shell_mm", shell_mm)] {
            if !(length.is_finite() && length > 0.0) {
                return Err(Fault::new("OptionError", format!("{name} = {length} is not a length above zero")));
            }
        }
        editor_keys(&clip.rig, &clip.clip, tolerance_mm * METRES, shell_mm * METRES)
            .map_err(|error| Fault::new("ClipError", error).of_clip(&clip.name))
    })?;
    keys.into_iter().map(|keys| shown(py, keys)).collect()
}

fn shown(py: Python<'_>, keys: EditorKeys) -> PyResult<KeysRow<'_>> {
    let EditorKeys { joint, channel, curve, places, values, tangents } = keys;
    let (channel, width) = match channel {
        Channel::Rotation => ("rotation", 4),
        Channel::Translation => ("translation", 3),
        Channel::Scale => ("scale", 3),
    };
    let curve = match curve {
        EditorCurve::Step => "step",
        EditorCurve::Linear => "linear",
        EditorCurve::Cubic => "cubic",
    };
    let count = values.len();
    let numbers = |all: Vec<glam::Vec4>| {
        PyArray1::from_vec(py, all.iter().flat_map(|value| value.to_array().into_iter().take(width)).collect())
    };
    let tangent_count = tangents.len();
    let tangents = numbers(tangents.into_iter().flatten().collect()).reshape([tangent_count, 2, width])?;
    Ok((joint, channel, curve, PyArray1::from_vec(py, places), numbers(values).reshape([count, width])?, tangents))
}

/// The clip with feet that stand still during their contacts, and what that changed.
#[pyfunction]
#[pyo3(signature = (clip, progress=None))]
pub fn hold_feet(
    py: Python<'_>,
    clip: PyRef<'_, Clip>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Clip, Vec<FindingRow>)> {
    let clip = &*clip;
    work::run(py, progress, |_| {
        let chosen = ChosenFixes::new([Fix::Feet].into(), &[]);
        let fixed = Fixer::new(&clip.rig, &[&*clip.clip]).fixed(&clip.clip, &chosen);
        let fixed = fixed.map_err(|error| Fault::new("ClipError", error).of_clip(&clip.name))?;
        let findings = fixed.findings.iter().map(row).collect();
        Ok((Clip { name: clip.name.clone(), ..Clip::made(fixed.clip, clip.rig.clone()) }, findings))
    })
}
