use super::{CompensationMethod, Correction};
use serde::{Deserialize, Serialize};

/// The outcome of the compensation in a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub struct CompensationResult {
    /// The method that the recipe asked for.
    pub asked: CompensationMethod,
    /// The method in the bytes.
    pub applied: CompensationMethod,
    /// The number of extra tracks.
    pub tracks: usize,
    /// The reason why the first missing step was not applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_off: Option<LeftOff>,
}

/// With all fields, for formats that have no names of fields.
pub(in crate::codecs) mod plain {
    use super::CompensationResult;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(result: &CompensationResult, to: S) -> Result<S::Ok, S::Error> {
        let CompensationResult { asked, applied, tracks, left_off } = result;
        (asked, applied, tracks, left_off).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<CompensationResult, D::Error> {
        let (asked, applied, tracks, left_off) = Deserialize::deserialize(from)?;
        Ok(CompensationResult { asked, applied, tracks, left_off })
    }
}

impl CompensationResult {
    /// The compensation in given bytes. The method that was asked for is not known.
    pub(in crate::codecs) fn of(correction: &Correction) -> Self {
        let applied = CompensationMethod::of_steps(correction.steps);
        let limbs = correction.limbs.as_ref().map_or(0, |moved| moved.offsets.len());
        Self { asked: applied, applied, tracks: correction.tracks.len() + limbs, left_off: None }
    }

    /// The steps that were asked for but are not in the bytes.
    pub fn missing(&self) -> CompensationMethod {
        self.asked.without(self.applied)
    }
}

/// The reasons why a compensation is not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOff {
    /// No joint has an error above the accuracy.
    NothingToCorrect,
    /// The largest error would not be smaller.
    NotNearer,
    /// The codec guarantees the tolerance, and the result would exceed it.
    OverTolerance,
    /// The codec alone keeps the tolerance in as few bytes.
    NotSmaller,
}

impl LeftOff {
    /// The text for users.
    pub fn text(self) -> &'static str {
        match self {
            Self::NothingToCorrect => "no joint has an error above the accuracy",
            Self::NotNearer => "the largest error would not be smaller",
            Self::OverTolerance => "the result would exceed the tolerance that the codec guarantees",
            Self::NotSmaller => "the codec alone keeps the tolerance in as few bytes",
        }
    }
}
