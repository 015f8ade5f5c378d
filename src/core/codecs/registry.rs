//! The list of codecs, one line per codec. Forms, command line, reports and contract tests are generated from it.

use super::{ChoiceError, Codec, CodecId, Encoder, ParamValues};
use super::{
    automatic, catmull_rom, every_second_key, linear_keys, per_track, press, quantize, raw, variable_rate, wavelet,
};
use serde::{Deserialize, Deserializer};

/// Every codec, in the order in which users see them.
pub static CODECS: &[&dyn Codec] = &[
    &raw::Raw,
    &quantize::Quantize,
    &every_second_key::EverySecondKey,
    &linear_keys::LinearKeys,
    &per_track::PerTrack,
    &variable_rate::VariableRate,
    &catmull_rom::CatmullRom,
    &wavelet::WaveletCodec,
    &press::Press,
    &automatic::Automatic,
];

/// The codec without loss: the fallback where no other keeps the tolerance.
pub static LOSSLESS: &dyn Encoder = &raw::Raw;

/// The codecs of [`CODECS`] that have a format of their own.
pub fn encoders() -> impl Iterator<Item = &'static dyn Encoder> {
    CODECS.iter().filter_map(|codec| codec.encoder())
}

/// The codec with that name.
pub fn by_name(name: &str) -> Option<&'static dyn Codec> {
    CODECS.iter().copied().find(|c| c.name() == name)
}

/// The codec with that id.
pub fn by_id(id: CodecId) -> Option<&'static dyn Encoder> {
    encoders().find(|c| c.id() == id)
}

/// The codec with that name, or an error that lists all names.
///
/// # Errors
/// [`ChoiceError::Codec`].
pub fn named(name: &str) -> Result<&'static dyn Codec, ChoiceError> {
    let expected = || CODECS.iter().map(|c| c.name()).collect::<Vec<_>>().join(", ");
    by_name(name).ok_or_else(|| ChoiceError::Codec { found: name.into(), expected: expected() })
}

/// The codec and values of `CODEC` or `CODEC:PRESET`, as in the command line and in lists of candidates.
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

/// A codec is deserialized from its name.
impl<'de> Deserialize<'de> for &'static dyn Codec {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(&String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
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
