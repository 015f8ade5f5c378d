use crate::metrics::{ErrorLimits, ErrorWeights, Promise};
use crate::model::Sampler;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Default limit on the error of a file, metres: the default tolerance of a recipe.
const PLAYED_LIMIT_M: f32 = 1e-4;
/// Default number of measurements per sample.
const SUB_FRAMES: usize = 4;

/// The limits on the error of a written file.
#[derive(Debug, Clone)]
pub struct PlayedLimits {
    /// The tolerance at the samples, metres.
    pub tolerance_m: f32,
    /// The error that it bounds.
    pub promise: Promise,
    /// Limits of errors that the tolerance does not bound.
    pub limits: ErrorLimits,
    /// Weights of joints; `None` if all are equal.
    pub weights: Option<Arc<ErrorWeights>>,
    /// Measurements per sample.
    pub sub_frames: usize,
}

impl Default for PlayedLimits {
    fn default() -> Self {
        let limits = ErrorLimits::default();
        let (promise, weights) = (Promise::Largest, None);
        Self { tolerance_m: PLAYED_LIMIT_M, promise, limits, weights, sub_frames: SUB_FRAMES }
    }
}

/// A clip of a file, played as the format's players do.
pub struct Played {
    pub(super) sampler: Box<dyn Sampler + Send>,
    pub(super) between: Between,
}

/// The behaviour of a format between samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Between {
    /// None: the format is a table.
    Nothing,
    /// Curves that can match those of the source.
    Same,
    /// Other curves for any keys. Their error is reported but not judged.
    Other,
}

impl Played {
    /// A player of a format.
    pub fn new(sampler: impl Sampler + Send + 'static, between: Between) -> Self {
        Self { sampler: Box::new(sampler), between }
    }
}
