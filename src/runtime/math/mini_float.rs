//! Floats of one sign bit, three exponent bits and a short mantissa (Unreal's Float 32 rotations).

/// Bits of the exponent.
pub const MINI_FLOAT_EXPONENT_BITS: u32 = 3;

/// Bias of the exponent. The largest exponent stands for `1.0..2.0`, so 1 is exact. The smallest has no hidden bit.
pub const MINI_FLOAT_BIAS: i32 = 7;

/// Decodes a number in `-2..2` from a sign, a 3-bit exponent and a mantissa of `mantissa_bits` (at most 20). Higher bits are ignored.
pub fn mini_float_decode(code: u32, mantissa_bits: u32) -> f32 {
    let steps = (1u32 << mantissa_bits) as f32;
    let mantissa = (code & ((1 << mantissa_bits) - 1)) as f32 / steps;
    let exponent = (code >> mantissa_bits & 7) as i32;
    let magnitude = match exponent {
        0 => mantissa * exp2i(1 - MINI_FLOAT_BIAS),
        _ => (1.0 + mantissa) * exp2i(exponent - MINI_FLOAT_BIAS),
    };
    if code >> (MINI_FLOAT_EXPONENT_BITS + mantissa_bits) & 1 == 1 { -magnitude } else { magnitude }
}

/// Two to an integer power from -126 to 127, exact.
pub fn exp2i(power: i32) -> f32 {
    f32::from_bits(((127 + power) as u32) << 23)
}
