//! Functions with the same result bits on every platform, so that encoders write the same bytes everywhere. They use sums, products,
//! quotients and square roots, which IEEE 754 rounds exactly.

use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

const MANTISSA_BITS: u32 = 52;
const EXPONENT_OF_ONE: i32 = 1023;

/// Base-two logarithm of a positive number, within 1e-14. For 0 and subnormal numbers, a value below -1022.
pub fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> MANTISSA_BITS) as i32 - EXPONENT_OF_ONE;
    let one_to_two = f64::from_bits((bits % (1 << MANTISSA_BITS)) | ((EXPONENT_OF_ONE as u64) << MANTISSA_BITS));
    let (near_one, exponent) =
        if one_to_two > SQRT_2 { (0.5 * one_to_two, exponent + 1) } else { (one_to_two, exponent) };
    // ln x = 2 artanh y. Each term is less than 0.03 times the one before.
    let y = (near_one - 1.0) / (near_one + 1.0);
    let sum = (0..12).rev().fold(0.0, |sum, n| sum * y * y + 1.0 / f64::from(2 * n + 1));
    f64::from(exponent) + 2.0 * y * sum * LOG2_E
}

/// A positive number raised to a power, with a relative error of 1e-13. The result must be a normal number.
pub fn power(base: f64, exponent: f64) -> f64 {
    let power_of_two = exponent * log2(base);
    let whole = power_of_two.round();
    // e to the power of at most ln 2 / 2. Each term is less than half of the one before.
    let x = (power_of_two - whole) * LN_2;
    let part = (1..=16).rev().fold(1.0, |sum, n| 1.0 + x / f64::from(n) * sum);
    part * f64::from_bits(((whole as i64 + i64::from(EXPONENT_OF_ONE)) as u64) << MANTISSA_BITS)
}

/// Arc sine of a number in `0..=1`, within 1e-14.
pub fn asin(sine: f64) -> f64 {
    const HALVINGS: i32 = 3;
    let half = |sine: f64| sine / (2.0 + 2.0 * (1.0 - sine * sine).max(0.0).sqrt()).sqrt();
    let small = (0..HALVINGS).fold(sine, |sine, _| half(sine));
    // Each term is less than 0.04 times the one before.
    let (mut power, mut sum) = (small, 0.0);
    for n in 0..12 {
        let odd = f64::from(2 * n + 1);
        sum += power / odd;
        power *= small * small * odd / (odd + 1.0);
    }
    f64::from(1 << HALVINGS) * sum
}

/// Fifth root of a number in `0..=1`, with a relative error of 1e-14.
pub fn fifth_root(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    // Newton's method from above: every step is closer, until rounding stops it.
    let mut root = 1.0f64;
    loop {
        let square = root * root;
        let next = 0.8 * root + 0.2 * x / (square * square);
        if next >= root {
            return root;
        }
        root = next;
    }
}

/// The nearest integer, or the nearest `i32` of a larger number. Ties go away from zero. A call of the library's `round` takes longer.
#[inline]
pub fn nearest(x: f64) -> i32 {
    (x + 0.5f64.copysign(x)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_what_the_library_has() {
        for i in 1..=4000 {
            let x = f64::from(i) / 4000.0;
            for (found, expected) in [
                (log2(x), x.log2()),
                (log2(1e30 * x), (1e30 * x).log2()),
                (asin(x), x.asin()),
                (fifth_root(x), x.powf(0.2)),
                (power(2.0, 10.0 * x), 1024.0f64.powf(x)),
                (power(1e3 * x, -1.6), (1e3 * x).powf(-1.6)),
            ] {
                assert!((found - expected).abs() <= 1e-14 * expected.abs().max(1.0), "{found} for {expected} at {x}");
            }
        }
        assert_eq!((log2(8.0), log2(0.25), asin(0.0), fifth_root(1.0), fifth_root(0.0)), (3.0, -2.0, 0.0, 1.0, 0.0));
        assert!(log2(0.0) < -1022.0);
    }

    /// Result bits, to find a platform with different ones.
    #[test]
    fn they_have_these_bits() {
        let sums = (1..=1000).map(|i| f64::from(i) / 1000.0).map(|x| log2(x) + asin(x) + fifth_root(x));
        let digest = sums.fold(0u64, |digest, x| digest.rotate_left(7) ^ x.to_bits());
        assert_eq!(digest, 0x9139_c483_9ec5_7cb8, "{digest:#x}");
    }
}
