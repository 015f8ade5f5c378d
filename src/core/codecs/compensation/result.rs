use super::{CompensationMethod, Correction};
use serde::Serialize;

/// What became of the compensation that a recipe asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize)]
pub struct CompensationResult {
    /// What the recipe asked for.
    pub asked: CompensationMethod,
    /// What the bytes hold.
    pub applied: CompensationMethod,
    /// Extra tracks.
    pub tracks: usize,
    /// Why the first step that was asked for and is missing was left off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_off: Option<LeftOff>,
}

impl CompensationResult {
    /// Of bytes that were read; what was asked for is no longer known.
    pub(in crate::codecs) fn of(correction: &Correction) -> Self {
        let applied = CompensationMethod::of_steps(correction.steps);
        let limbs = correction.limbs.as_ref().map_or(0, |moved| moved.offsets.len());
        Self { asked: applied, applied, tracks: correction.tracks.len() + limbs, left_off: None }
    }

    /// What was asked for and is not in the bytes.
    pub fn missing(&self) -> CompensationMethod {
        self.asked.without(self.applied)
    }
}

/// Why a compensation was left off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOff {
    /// No joint is off by more than what would be corrected.
    NothingToCorrect,
    /// The largest error would be no smaller.
    NotNearer,
    /// The codec promises the tolerance, and the result would not keep it.
    OverTolerance,
    /// The codec alone holds the tolerance in as few bytes.
    NotSmaller,
}

impl LeftOff {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Self::NothingToCorrect => "nothing is off by more than the accuracy",
            Self::NotNearer => "the largest error would be no smaller",
            Self::OverTolerance => "the result would be over the tolerance that the codec promises",
            Self::NotSmaller => "the codec alone holds the tolerance in as few bytes",
        }
    }
}
