//! Floats of one sign bit, three exponent bits and a short mantissa (Unreal's Float 32 rotations).

use super::log2;
use posepress_runtime::internal::math::{MINI_FLOAT_BIAS, MINI_FLOAT_EXPONENT_BITS, exp2i};

/// A number in `-1..=1` as sign, 3-bit exponent and `mantissa_bits` (at most 20); values outside are clamped.
///
/// Error for magnitudes in `2^-(k+1)..2^-k`, k up to 5: half of `2^-(k+1+mantissa_bits)`; below `2^-6`: half of
/// `2^-(6+mantissa_bits)`.
pub fn mini_float_encode(x: f32, mantissa_bits: u32) -> u32 {
    let sign = u32::from(x < 0.0);
    let magnitude = x.abs().min(1.0);
    let steps = (1u32 << mantissa_bits) as f32;
    let lowest = exp2i(1 - MINI_FLOAT_BIAS);
    // Codes grow with magnitude, so a mantissa that rounds up to the next power of two carries into the exponent.
    let code = if magnitude < lowest {
        (magnitude / lowest * steps + 0.5) as u32
    } else {
        let exponent = (log2(magnitude.into()).floor() as i32).clamp(1 - MINI_FLOAT_BIAS, 0);
        let fraction = magnitude / exp2i(exponent) - 1.0;
        (((exponent + MINI_FLOAT_BIAS) as u32) << mantissa_bits) + (fraction * steps + 0.5).max(0.0) as u32
    };
    sign << (MINI_FLOAT_EXPONENT_BITS + mantissa_bits) | code
}

#[cfg(test)]
mod tests {
    use super::*;
    use posepress_runtime::internal::math::mini_float_decode;

    #[test]
    fn error_is_half_a_step_of_the_octave() {
        for mantissa_bits in [6, 7] {
            for i in -20_000..=20_000i32 {
                let x = i as f32 / 20_000.0;
                let octave = x.abs().max(exp2i(-6)).log2().floor() as i32;
                let bound = 0.5 * exp2i(octave - mantissa_bits) + 1e-7;
                let back = mini_float_decode(mini_float_encode(x, mantissa_bits as u32), mantissa_bits as u32);
                assert!((back - x).abs() <= bound, "{x} reads as {back}, bound {bound}");
            }
        }
    }

    #[test]
    fn every_code_survives_and_ends_are_exact() {
        for code in 0..1u32 << 11 {
            let x = mini_float_decode(code, 7);
            if x.abs() <= 1.0 && code != 1 << 10 {
                assert_eq!(mini_float_encode(x, 7), code);
            }
        }
        assert_eq!(mini_float_decode(mini_float_encode(-1.0, 6), 6), -1.0);
        assert_eq!(mini_float_decode(mini_float_encode(5.0, 6), 6), 1.0);
        assert_eq!(mini_float_decode(mini_float_encode(0.0, 6), 6), 0.0);
    }
}
