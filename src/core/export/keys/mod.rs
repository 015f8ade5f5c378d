//! The keys that a file needs, so that what its players make of them keeps a clip within its tolerance. Formats differ in what lies
//! between keys and in the numbers that keys are stored in.

mod curve;
mod fit;
mod follow;
mod number_error;
mod numbers;
mod smooth;
mod track;

pub use curve::{Curve, Interpolation, KeyTime, Ticks};
pub use fit::{FittedClip, KeyStyle, fit};
pub use number_error::NumberError;
pub use numbers::{Numbers, SmallestThree, to_fractions, to_halves, to_shorts};
pub use track::farthest;
