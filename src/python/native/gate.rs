use crate::fault::Fault;
use posepress_core::batch::{Gate, Manifest, ManifestRow};
use pyo3::prelude::*;

/// File, clip, limit, words. File and clip are empty for a limit on all clips.
type UnmetRow = (String, String, &'static str, String);

/// The limits that results do not meet. Each row is a row of a manifest as JSON.
#[pyfunction]
pub fn gate(py: Python<'_>, rows: Vec<String>, limits: &str) -> PyResult<Vec<UnmetRow>> {
    let refused = |error: &dyn std::fmt::Display| Fault::new("OptionError", error).raised(py);
    let rows = rows.iter().map(|row| serde_json::from_str::<ManifestRow>(row));
    let manifest = Manifest::of(rows.collect::<Result<_, _>>().map_err(|error| refused(&error))?);
    let unmet = Gate::parse(limits).and_then(|gate| gate.unmet(&manifest, None)).map_err(|error| refused(&error))?;
    let row = |unmet: posepress_core::batch::Unmet| {
        let (file, clip) = unmet.place.unwrap_or_default();
        (file, clip, unmet.key, unmet.words)
    };
    Ok(unmet.into_iter().map(row).collect())
}
