//! Numbers of a known range as unsigned integers of a few bits.

/// Largest count of bits: f32 has no more than this in its mantissa.
pub const MAX_UNORM_BITS: u32 = 24;

/// The number in `0..=1` that an integer of `bits` (at most 24) means: a fraction of [`unorm_max`].
#[inline]
pub fn unorm_decode(code: u32, bits: u32) -> f32 {
    number(code) * (1.0 / unorm_max(bits))
}

/// The number in `-1..=1` that an integer of `bits` (2 to 24) means, [`snorm_half`] being zero; the largest integer, which
/// nobody writes, reads as just above 1.
#[inline]
pub fn snorm_decode(code: u32, bits: u32) -> f32 {
    let half = snorm_half(bits);
    (number(code) - half) * (1.0 / half)
}

/// A code as a signed integer, which processors convert in one instruction: 24 bits have no sign.
#[inline]
fn number(code: u32) -> f32 {
    code as i32 as f32
}

/// The integer of `bits` (at most 24) that means 1.
#[inline]
pub fn unorm_max(bits: u32) -> f32 {
    ((1u32 << bits) - 1) as f32
}

/// The integer of `bits` (2 to 24) that means 0, and how many steps lie on each side of it.
#[inline]
pub fn snorm_half(bits: u32) -> f32 {
    ((1u32 << (bits - 1)) - 1) as f32
}
