//! Square roots: from std, or without it from libm, or the instruction of WebAssembly. All are exact.

use glam::Vec4;

#[cfg(all(not(feature = "std"), not(feature = "libm")))]
compile_error!("posepress-runtime needs the feature `std` or `libm`");

/// Square root.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(all(not(feature = "std"), target_arch = "wasm32"))]
    return wasm::sqrtf(x);
    #[cfg(all(not(feature = "std"), not(target_arch = "wasm32")))]
    return libm::sqrtf(x);
}

/// Square root of each number. glam takes them one by one for WebAssembly, from libm without std.
#[inline(always)]
pub fn sqrt4(x: Vec4) -> Vec4 {
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return core::arch::wasm32::f32x4_sqrt(x.into()).into();
    #[cfg(all(target_arch = "wasm32", not(target_feature = "simd128")))]
    return Vec4::from_array(x.to_array().map(sqrt));
    #[cfg(not(target_arch = "wasm32"))]
    return x.sqrt();
}

/// libm computes square roots bit by bit on stable Rust, which doubles the time of a pose. compiler_builtins has the instruction.
#[cfg(all(not(feature = "std"), target_arch = "wasm32"))]
#[allow(unsafe_code)] // a function of C's library: it takes and returns a number, and touches no memory
mod wasm {
    unsafe extern "C" {
        pub safe fn sqrtf(x: f32) -> f32;
    }
}
