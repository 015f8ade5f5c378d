//! Error compensation for any codec (Animation Compression: Error Compensation): in place, with additive tracks, or by
//! inverse kinematics.
//!
//! It wraps a codec: the codec encodes, its bytes are decoded, and their error is measured and corrected. The correction is stored in a
//! section at the end of a clip's bytes and is judged by the decoded result. If it improves nothing, it is not stored, and the clip's
//! report says why.

mod additive;
mod correction_bytes;
mod ik;
mod in_place;
mod job;
mod method;
mod motion;
mod result;
mod retarget;
mod settings;
mod steps;
mod track;

use posepress_runtime::internal::compensation as decode;

pub use decode::Correction;
pub use method::CompensationMethod;
pub use motion::Motion;
pub(super) use result::plain as plain_result;
pub use result::{CompensationResult, LeftOff};
pub use settings::Compensation;
pub use steps::{CompensatedClip, encode_compensated};
