use super::{Param, ParamError, ParamValues};
use thiserror::Error;

/// Values of a codec's parameters that an article, an engine or we found worth a name.
#[derive(Debug)]
pub struct Preset {
    /// Short name, lower case with dashes: `tech-intro`.
    pub name: &'static str,
    /// One sentence for people.
    pub summary: &'static str,
    /// Parameters that differ from their defaults: key and value as they are typed.
    pub values: &'static [(&'static str, &'static str)],
}

/// Why `CODEC[:PRESET]` names nothing.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum ChoiceError {
    /// No codec of that name.
    #[error("no codec '{found}'; expected one of: {expected}")]
    Codec {
        /// Name given.
        found: String,
        /// Names there are.
        expected: String,
    },
    /// The codec has no preset of that name.
    #[error("{codec} has no preset '{found}'; expected {expected}")]
    Preset {
        /// The codec.
        codec: &'static str,
        /// Name given.
        found: String,
        /// Names there are.
        expected: String,
    },
    /// A parameter does not fit the codec.
    #[error(transparent)]
    Param(#[from] ParamError),
}

impl Preset {
    /// Its values, checked against the codec's parameters.
    ///
    /// # Errors
    /// [`ParamError`]; a test walks all presets, so a codec of the list gives none.
    pub fn values(&self, params: &[Param]) -> Result<ParamValues, ParamError> {
        let mut values = ParamValues::new();
        self.values.iter().try_for_each(|(key, value)| values.set_text(params, key, value))?;
        Ok(values)
    }
}
