//! Square roots from std, or from libm without std. Both are exact.

#[cfg(all(not(feature = "std"), not(feature = "libm")))]
compile_error!("posepress-runtime needs the feature `std` or `libm`");

/// Square root.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    return libm::sqrtf(x);
}
