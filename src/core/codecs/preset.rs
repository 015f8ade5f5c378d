use super::{Param, ParamError, ParamValues};
use thiserror::Error;

/// A named set of settings of a codec, from an article, an engine or our own tests.
#[derive(Debug)]
pub struct Preset {
    /// Short name in lower case, with dashes: `tech-intro`.
    pub name: &'static str,
    /// One sentence for users.
    pub summary: &'static str,
    /// Key and value of the settings that differ from their defaults, as text.
    pub values: &'static [(&'static str, &'static str)],
}

/// The errors of `CODEC[:PRESET]`.
#[expect(missing_docs, reason = "the messages say it")]
#[derive(Debug, Error, PartialEq, Eq, Clone)]
pub enum ChoiceError {
    /// No codec has that name.
    #[error("no codec '{found}'; expected one of: {expected}")]
    Codec { found: String, expected: String },
    /// The codec has no preset of that name.
    #[error("{codec} has no preset '{found}'; expected {expected}")]
    Preset { codec: &'static str, found: String, expected: String },
    /// A setting does not fit the codec.
    #[error(transparent)]
    Param(#[from] ParamError),
}

impl Preset {
    /// The preset's values, checked against the codec's settings.
    ///
    /// # Errors
    /// [`ParamError`]. The presets of all codecs are tested, so they cause none.
    pub fn values(&self, params: &[Param]) -> Result<ParamValues, ParamError> {
        let mut values = ParamValues::new();
        self.values.iter().try_for_each(|(key, value)| values.set_text(params, key, value))?;
        Ok(values)
    }
}
