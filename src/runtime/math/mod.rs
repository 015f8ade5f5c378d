//! Transforms, and maps from the numbers that codecs store to rotations.

mod arc;
mod eight;
mod float;
mod mini_float;
mod quat_map;
mod range;
mod real;
mod reproducible;
mod spline;
mod step;
mod transform;
mod unorm;
mod wavelet;

pub use arc::rotation_arc;
#[cfg(test)]
pub(crate) use eight::numbers_of;
pub use eight::{Bytes, EIGHT, Ints, Kernel, Quad, Whole, each_of_eight, lowest_bits, run, run_portably};
pub(crate) use float::sqrt;
pub use mini_float::{MINI_FLOAT_BIAS, MINI_FLOAT_EXPONENT_BITS, exp2i, mini_float_decode};
pub use quat_map::{
    LARGEST_DROPPED_LIMIT, harmonic_unmap, quat_mul, restore_largest, restore_last, restore_w, rodrigues_unmap,
    rotation_exp,
};
pub use range::Range3;
pub use real::{LANES, Number, Real, each_lane};
pub use reproducible::{dot_lanes, dot4, product, product_lanes, turned, unit, unit4};
pub use spline::{Cubic, KnotSteps, tangent_parts};
pub use step::{STEP_CODE_OF_ONE, STEP_CODES_AN_OCTAVE, step_of_code, step_table};
pub use transform::{Transform, lerp_lanes, nlerp, nlerp_lanes};
pub use unorm::{MAX_UNORM_BITS, snorm_decode, snorm_half, unorm_decode, unorm_max};
pub use wavelet::{
    Band, CDF53_STEPS, CDF53_SUM, CDF97_STEPS, CDF97_SUM, D4_DIFFERENCE, D4_FAR, D4_NEAR, D4_SUM, Padding, SQRT_3,
    SignalValue, Wavelet, bands, haar_step, lift_step,
};
