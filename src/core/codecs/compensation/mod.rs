//! Error compensation for any codec (Animation Compression: Error Compensation): in place, with additive tracks, or by
//! inverse kinematics.
//!
//! It wraps a codec: the codec encodes, its bytes are decoded, and what they lack is measured and given back. Whatever is
//! stored lies in a section of its own at the end of a clip's bytes and is judged by what the whole decodes to; where it
//! makes nothing better, it is left off, and the clip says why.

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
pub use result::{CompensationResult, LeftOff};
pub use settings::Compensation;
pub use steps::{CompensatedClip, encode_compensated};
