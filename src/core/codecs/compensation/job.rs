use super::correction_bytes::Corrections;
use super::decode::CorrectionSteps;
use super::{Compensation, LeftOff, Motion};
use crate::codecs::{EncodeError, Encoded, Encoder, ParamValues, Source};

/// The inputs of a compensation.
pub struct Job<'a> {
    pub codec: &'a dyn Encoder,
    /// The source, with the codec's tolerance.
    pub source: &'a Source<'a>,
    pub values: &'a ParamValues,
    pub settings: &'a Compensation,
    /// See [`Compensation::accuracy_m`].
    pub accuracy_m: f32,
    /// See [`Compensation::limb_accuracy_m`].
    pub limb_accuracy_m: f32,
    pub raw: Motion,
    /// Joints at the ends of limbs.
    pub ends: Vec<usize>,
}

impl Job<'_> {
    /// The decoded motion at every sample.
    pub fn decoded(&self, encoded: &Encoded, corrections: &Corrections) -> Result<Motion, EncodeError> {
        let is_some = corrections.steps != CorrectionSteps::default();
        let correction = is_some.then(|| corrections.write(self.source.skeleton.len()));
        let correction = correction.as_ref().map(|c| c.bytes.as_slice());
        Motion::decoded(self.codec, self.source, &encoded.payload, correction, 1)
    }
}

/// The result of a method: its own bytes or those of the codec, with the corrections to store.
pub type Attempt<T> = Result<Result<T, LeftOff>, EncodeError>;
