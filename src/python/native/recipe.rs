use crate::fault::Fault;
use crate::options::{dashed, options};
use posepress_core::recipe;
use posepress_core::settings::{ParamError, Settings};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use std::path::PathBuf;
use std::sync::Arc;

/// The settings that compress and judge a clip.
///
/// Args:
///     codec: name of a codec, with a preset after a colon. `posepress codecs` lists them. None: press.
///     settings: options of `posepress compress --help` and parameters of the codec, with `_` for `-`: `tolerance_mm=0.1`,
///         `shell_mm=30`, `warn_slide_mm=1`, `level="full"`. Lengths are in the unit of their name.
///
/// Raises:
///     posepress.OptionError: the codec or an option is unknown, or a value does not fit.
///
/// Examples:
///     >>> recipe = posepress.Recipe("variable-rate", tolerance_mm=0.05)
///     >>> recipe.codec, recipe.tolerance_mm
///     ('variable-rate', 0.05)
///     >>> posepress.Recipe.from_toml(recipe.toml) == recipe
///     True
#[pyclass(frozen, eq, module = "posepress")]
#[derive(PartialEq)]
pub struct Recipe(pub Arc<recipe::Recipe>);

#[pymethods]
impl Recipe {
    #[new]
    #[pyo3(signature = (codec=None, **settings))]
    fn new(py: Python<'_>, codec: Option<&str>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let start = codec.map_or(Ok(recipe::Recipe::default()), recipe::Recipe::chosen);
        let start = start.map_err(|error| refused(error).raised(py))?;
        with(start, &options(settings)?).map(Self::of).map_err(|fault| fault.raised(py))
    }

    /// Reads a recipe from TOML, as the window and `--recipe FILE` use it.
    #[classmethod]
    fn from_toml(_class: &Bound<'_, PyType>, py: Python<'_>, text: &str) -> PyResult<Self> {
        recipe::Recipe::from_toml(text).map(Self::of).map_err(|error| refused(error).raised(py))
    }

    /// Reads a recipe file.
    #[classmethod]
    fn read(_class: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let at = |error: &dyn std::fmt::Display| {
            let fault = refused(format!("{}: {error}", path.display()));
            fault.of_file(path.to_string_lossy()).raised(py)
        };
        let text = posepress_core::files::read_text(&path).map_err(|error| at(&error))?;
        recipe::Recipe::from_toml(&text).map(Self::of).map_err(|error| at(&error))
    }

    /// The same recipe with other settings.
    #[pyo3(signature = (**settings))]
    fn replace(&self, py: Python<'_>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        with(recipe::Recipe::clone(&self.0), &options(settings)?).map(Self::of).map_err(|fault| fault.raised(py))
    }

    /// Name of the codec.
    #[getter]
    fn codec(&self) -> &str {
        self.0.codec.name()
    }

    /// Largest shell error that it accepts, millimetres.
    #[getter]
    fn tolerance_mm(&self) -> f64 {
        posepress_core::text::millimetres(self.0.tolerance_m)
    }

    /// The text of its file.
    #[getter]
    fn toml(&self) -> String {
        self.0.to_toml()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_toml")?, (slf.get().toml(),)))
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.toml().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<posepress.Recipe {}>", self.0.title())
    }
}

impl Recipe {
    fn of(recipe: recipe::Recipe) -> Self {
        Self(Arc::new(recipe))
    }
}

fn refused(error: impl ToString) -> Fault {
    Fault::new("OptionError", error)
}

/// A recipe with options of the command line, then with parameters of its codec.
fn with(mut recipe: recipe::Recipe, options: &[(String, String)]) -> Result<recipe::Recipe, Fault> {
    for (keyword, text) in options {
        set(&mut recipe, keyword, text).map_err(refused)?;
    }
    recipe.validated().map_err(refused)
}

fn set(recipe: &mut recipe::Recipe, keyword: &str, text: &str) -> Result<(), ParamError> {
    let option = dashed(keyword);
    if has(&*recipe, &option) {
        return recipe.set_option(&option, text);
    }
    if has(&recipe.contacts, &option) {
        return recipe.contacts.set_option(&option, text);
    }
    if has(&recipe.compensation, &option) {
        return recipe.compensation.set_option(&option, text);
    }
    let params = recipe.codec.params();
    let key = if params.iter().any(|param| param.key == keyword) { keyword } else { &option };
    recipe.values.set_text(params, key, text)
}

fn has<S: Settings>(_: &S, option: &str) -> bool {
    S::ALL.iter().any(|setting| setting.option == option)
}
