//! Numbers of a known range as unsigned integers of a few bits.

/// Most bits: the mantissa of f32 has no more.
pub const MAX_UNORM_BITS: u32 = 24;

/// Decodes an integer of `bits` (at most 24) to `0..=1`, as a fraction of [`unorm_max`].
#[inline]
pub fn unorm_decode(code: u32, bits: u32) -> f32 {
    number(code) * (1.0 / unorm_max(bits))
}

/// Decodes an integer of `bits` (2 to 24) to `-1..=1`; [`snorm_half`] is zero. Encoders never write the largest integer, which
/// gives a number just above 1.
#[inline]
pub fn snorm_decode(code: u32, bits: u32) -> f32 {
    let half = snorm_half(bits);
    (number(code) - half) * (1.0 / half)
}

/// Converts a code as a signed integer, which processors do in one instruction. 24 bits never reach the sign bit.
#[inline]
fn number(code: u32) -> f32 {
    code as i32 as f32
}

/// The integer of `bits` (at most 24) for 1.
#[inline]
pub fn unorm_max(bits: u32) -> f32 {
    ((1u32 << bits) - 1) as f32
}

/// The integer of `bits` (2 to 24) for 0, which is also the number of steps on each side.
#[inline]
pub fn snorm_half(bits: u32) -> f32 {
    ((1u32 << (bits - 1)) - 1) as f32
}
