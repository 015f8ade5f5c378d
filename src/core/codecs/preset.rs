use super::{CODECS, Codec, Param, ParamError, ParamValues, by_name};
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

/// The codec of that name, or an error that lists the names there are.
///
/// # Errors
/// [`ChoiceError::Codec`].
pub fn named(name: &str) -> Result<&'static dyn Codec, ChoiceError> {
    let expected = || CODECS.iter().map(|c| c.name()).collect::<Vec<_>>().join(", ");
    by_name(name).ok_or_else(|| ChoiceError::Codec { found: name.into(), expected: expected() })
}

/// The codec and values of `CODEC` or `CODEC:PRESET`, as the command line and lists of candidates write them.
///
/// # Errors
/// See [`ChoiceError`].
pub fn by_name_and_preset(text: &str) -> Result<(&'static dyn Codec, ParamValues), ChoiceError> {
    let Some((name, preset)) = text.split_once(':') else { return Ok((named(text)?, ParamValues::new())) };
    let codec = named(name)?;
    let presets = codec.info().presets;
    let found = presets.iter().find(|p| p.name == preset).ok_or_else(|| ChoiceError::Preset {
        codec: codec.name(),
        found: preset.into(),
        expected: match presets {
            [] => "none, it has no presets".into(),
            _ => format!("one of: {}", presets.iter().map(|p| p.name).collect::<Vec<_>>().join(", ")),
        },
    })?;
    Ok((codec, found.values(codec.params())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_is_named_behind_its_codec() {
        let (codec, values) = by_name_and_preset("linear-keys:riot-order").unwrap();
        assert_eq!(codec.name(), "linear-keys");
        assert_eq!(
            values.changed().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>(),
            ["layout=time-needed"]
        );
        let (codec, values) = by_name_and_preset("raw").unwrap();
        assert_eq!((codec.name(), values), ("raw", ParamValues::new()));
    }

    #[test]
    fn unknown_names_are_answered_with_those_there_are() {
        let message = |text| by_name_and_preset(text).unwrap_err().to_string();
        assert!(message("linear").contains("'linear'") && message("linear").contains("linear-keys"));
        assert!(message("linear-keys:fast").contains("'fast'") && message("linear-keys:fast").contains("riot-order"));
        assert!(message("raw:fast").contains("no presets"));
    }
}
