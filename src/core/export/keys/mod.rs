//! Chooses the keys of a file so that its players keep a clip within its tolerance. Formats differ in their interpolation and in the
//! numbers of their keys.

mod curve;
mod editable;
mod fit;
mod follow;
mod number_error;
mod numbers;
mod smooth;
mod track;
mod turned;

pub use curve::{Curve, Interpolation, KeyTime, Ticks};
pub use editable::{EditorCurve, EditorKeys, editor_keys};
pub use fit::{FittedClip, KeyStyle, fit};
pub use number_error::NumberError;
pub use numbers::{Numbers, SmallestThree, to_fractions, to_halves, to_shorts};
pub use track::farthest;
