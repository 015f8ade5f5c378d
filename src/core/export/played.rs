use crate::metrics::{ErrorLimits, ErrorWeights};
use crate::model::Sampler;
use std::sync::Arc;

/// Error that a file may have where no recipe says how much, metres: the tolerance of a recipe by default.
const PLAYED_LIMIT_M: f32 = 1e-4;
/// Steps per sample at which it is measured then.
const SUB_FRAMES: usize = 4;

/// What the error of a written file is judged by.
#[derive(Debug, Clone)]
pub struct PlayedLimits {
    /// Largest error at the samples, metres.
    pub tolerance_m: f32,
    /// Limits of errors that the tolerance does not bound.
    pub limits: ErrorLimits,
    /// Joints that count more, or less; `None` where all count alike.
    pub weights: Option<Arc<ErrorWeights>>,
    /// Steps per sample at which it is measured.
    pub sub_frames: usize,
}

impl Default for PlayedLimits {
    fn default() -> Self {
        let limits = ErrorLimits::default();
        Self { tolerance_m: PLAYED_LIMIT_M, limits, weights: None, sub_frames: SUB_FRAMES }
    }
}

/// A clip of a file, as the format's players play it.
pub struct Played {
    pub(super) sampler: Box<dyn Sampler + Send>,
    pub(super) between: Between,
}

/// What a format has between samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// Nothing: it is a table.
    Nothing,
    /// Curves that can be those of the source.
    Same,
    /// Curves that never are, for any keys: their error is shown and not judged.
    Other,
}

impl Played {
    /// A player of a format.
    pub fn new(sampler: impl Sampler + Send + 'static, between: Between) -> Self {
        Self { sampler: Box::new(sampler), between }
    }
}
