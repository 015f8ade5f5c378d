//! Other clips that are encoded in a clip's place: changed, differences of samples, one stretch after the other.

pub(in crate::codecs::encode) mod other_motion;
pub(in crate::codecs::encode) mod steps;
pub(in crate::codecs::encode) mod stretches;

pub use other_motion::with_locals;
pub use steps::Steps;
pub use stretches::encode_stretches;
