//! Plays clips that Posepress compressed: opens their bytes once, then samples poses at any time.

mod channel;
#[allow(missing_docs)]
mod clip;
#[allow(missing_docs)]
pub mod codecs;
#[allow(missing_docs)]
pub mod compensation;
pub mod format;
pub mod math;
#[allow(missing_docs)]
pub mod parts;
mod pose;
mod sampler;
mod time;

pub use channel::{Channel, Hold};
pub use clip::{ClipParts, CodecId, open_clip};
pub use pose::Pose;
pub use sampler::Sampler;
pub use time::TimeGrid;
