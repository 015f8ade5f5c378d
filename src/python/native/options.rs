use crate::fault::Fault;
use posepress_core::settings::Settings;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};

/// Keyword arguments as options of the command line: `tolerance_mm=0.1` is `tolerance-mm`, `0.1`. None leaves an option out.
pub fn options(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, String)>> {
    let mut options = Vec::new();
    for (name, value) in keywords.into_iter().flatten() {
        if !value.is_none() {
            options.push((name.extract::<String>()?, text(&value)?));
        }
    }
    Ok(options)
}

fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(on) = value.cast::<PyBool>() {
        return Ok(on.is_true().to_string());
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let lines = value.try_iter()?.map(|line| text(&line?)).collect::<PyResult<Vec<_>>>()?;
        return Ok(lines.join("\n"));
    }
    Ok(value.str()?.to_string())
}

/// Name of an option on the command line.
pub fn dashed(keyword: &str) -> String {
    keyword.replace('_', "-")
}

/// Default settings with these options.
pub fn settings<S: Settings>(options: &[(String, String)]) -> Result<S, Fault> {
    let mut settings = S::default();
    for (keyword, text) in options {
        settings.set_option(&dashed(keyword), text).map_err(|error| Fault::new("OptionError", error))?;
    }
    Ok(settings)
}
