//! Maths: the functions of the runtime, and functions that only encoders need.

mod binomial;
pub(crate) mod four;
mod hermite;
mod least_squares;
mod mini_float;
mod mix;
mod quat_map;
mod range;
mod reproducible;
mod spline;
mod unorm;
mod wavelet;

pub use binomial::chance_of_at_least;
pub use hermite::{hermite, hermite_weights, riot_section};
pub use least_squares::BandedLeastSquares;
pub use mini_float::mini_float_encode;
pub use mix::mix;
pub use posepress_runtime::internal::math::*;
#[cfg(test)]
pub(crate) use quat_map::tests;
pub use quat_map::{drop_component, drop_largest, drop_w, harmonic_map, rotation_log};
pub use range::ReduceRange;
pub use reproducible::{asin, fifth_root, log2, nearest, power};
pub use spline::catmull_rom_weights;
pub use unorm::{snorm_encode, unorm_encode};
pub use wavelet::{pad, wavelet_forward};
