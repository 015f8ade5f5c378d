//! Numbers of a known range as unsigned integers of a few bits.

use posepress_runtime::internal::math::{MAX_UNORM_BITS, snorm_half, unorm_max};

/// `0..=1` as an integer of `bits` (at most 24); values outside are clamped. Error: half a step of `1 / (2^bits - 1)`.
#[inline]
pub fn unorm_encode(x: f32, bits: u32) -> u32 {
    debug_assert!(bits <= MAX_UNORM_BITS);
    (x.clamp(0.0, 1.0) * unorm_max(bits) + 0.5) as u32
}

/// `-1..=1` as an integer of `bits` (2 to 24); values outside are clamped. Error: half a step.
///
/// The number of levels is odd, so that zero, the most frequent component of a rotation, is exact.
#[inline]
pub fn snorm_encode(x: f32, bits: u32) -> u32 {
    let half = snorm_half(bits);
    (x.clamp(-1.0, 1.0) * half + half + 0.5) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use posepress_runtime::internal::math::{snorm_decode, unorm_decode};

    #[test]
    fn errors_stay_below_half_a_step() {
        for bits in 2..=20 {
            let unorm_step = 1.0 / ((1u32 << bits) - 1) as f32;
            for i in 0..=1000 {
                let x = i as f32 / 1000.0;
                let rounding = 2.0 * f32::EPSILON;
                assert!((unorm_decode(unorm_encode(x, bits), bits) - x).abs() <= 0.5 * unorm_step + rounding);
                let y = 2.0 * x - 1.0;
                assert!(
                    (snorm_decode(snorm_encode(y, bits), bits) - y).abs() <= 0.5 * (1.0 / snorm_half(bits)) + rounding
                );
            }
        }
    }

    #[test]
    fn ends_and_zero_are_exact_and_outliers_clamped() {
        for bits in 2..=20 {
            assert_eq!(unorm_decode(unorm_encode(0.0, bits), bits), 0.0);
            assert!((unorm_decode(unorm_encode(7.0, bits), bits) - 1.0).abs() <= f32::EPSILON);
            assert_eq!(snorm_decode(snorm_encode(0.0, bits), bits), 0.0);
            assert!((snorm_decode(snorm_encode(-9.0, bits), bits) + 1.0).abs() <= f32::EPSILON);
        }
    }
}
