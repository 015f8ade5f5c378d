//! The maths of decoding, and what only encoders need.

mod least_squares;

pub use least_squares::BandedLeastSquares;
pub use posepress_runtime::math::*;
