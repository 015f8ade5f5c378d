//! Clips that are encoded in place of a clip: with other transforms, with more samples, or one block of samples after another.

pub(in crate::codecs::encode) mod other_motion;
pub(in crate::codecs::encode) mod steps;
pub(in crate::codecs::encode) mod stretches;

pub use other_motion::with_locals;
pub use steps::Steps;
pub use stretches::encode_stretches;
