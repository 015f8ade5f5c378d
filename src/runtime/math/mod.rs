//! Transforms and the maps between rotations and numbers that codecs store.

mod arc;
mod float;
mod mini_float;
mod quat_map;
mod range;
mod real;
mod spline;
mod transform;
mod unorm;
mod wavelet;

pub use arc::rotation_arc;
pub(crate) use float::sqrt;
pub use mini_float::{mini_float_decode, mini_float_encode};
pub use quat_map::{
    LARGEST_DROPPED_LIMIT, drop_component, drop_largest, drop_w, harmonic_map, harmonic_unmap, restore_largest,
    restore_last, restore_w, rotation_exp, rotation_log,
};
pub use range::Range3;
pub use real::{LANES, Real, each_lane};
pub use spline::{Cubic, KnotSteps, catmull_rom_weights};
pub use transform::{Transform, nlerp, nlerp_lanes};
pub use unorm::{MAX_UNORM_BITS, snorm_decode, snorm_encode, snorm_step, unorm_decode, unorm_encode};
pub use wavelet::{Padding, Wavelet};
