//! The logistic distribution, from tables that are computed at compile time. They use only `+ - * /`, so all machines get the same bits.

use super::range_coder::{Chance, PROBABILITY_BITS};

/// Entries of [`TAILS`] per unit.
const STEPS: usize = 16;
/// Units that [`TAILS`] covers.
const REACH: usize = 12;
/// Entries of [`STRETCHED`].
const PARTS: usize = 4096;

/// `1 / (1 + e^x)` for x from zero to [`REACH`].
static TAILS: [f64; STEPS * REACH + 1] = {
    let mut out = [0.0; STEPS * REACH + 1];
    let mut i = 0;
    while i < out.len() {
        let e = exp(i as f64 / STEPS as f64);
        out[i] = 1.0 / (1.0 + e);
        i += 1;
    }
    out
};

/// The inverse of [`squash`] at the middle of each of [`PARTS`] parts of `0..1`.
static STRETCHED: [f32; PARTS] = {
    let mut out = [0.0; PARTS];
    let (mut part, mut i) = (PARTS / 2, 0);
    while part > 0 {
        part -= 1;
        let share = (part as f64 + 0.5) / PARTS as f64;
        while TAILS[i + 1] > share {
            i += 1;
        }
        let within = (TAILS[i] - share) / (TAILS[i] - TAILS[i + 1]);
        let at = (i as f64 + within) / STEPS as f64;
        out[part] = -at as f32;
        out[PARTS - 1 - part] = at as f32;
    }
    out
};

/// `e^x` for x from 0 to 12.
const fn exp(x: f64) -> f64 {
    let small = x / 1024.0;
    let (mut sum, mut term, mut i) = (1.0, 1.0, 1);
    while i < 10 {
        term *= small / i as f64;
        sum += term;
        i += 1;
    }
    let mut doubled = 0;
    while doubled < 10 {
        sum *= sum;
        doubled += 1;
    }
    sum
}

/// Share of a logistic distribution above `scales` times its scale. Far out, the result is larger than the true share.
#[inline(always)]
pub fn tail(scales: f64) -> f64 {
    let far = scales.abs();
    let at = far * STEPS as f64;
    let i = (at as usize).min(TAILS.len() - 2);
    let mut beyond = TAILS[i] + (TAILS[i + 1] - TAILS[i]) * (at - i as f64);
    if far >= REACH as f64 {
        beyond = TAILS[TAILS.len() - 1] * REACH as f64 / far;
    }
    // No branch: the sign changes from call to call.
    0.5 - (0.5 - beyond).copysign(scales)
}

/// The probability whose odds are `e^x`.
#[inline]
pub fn squash(x: f64) -> f64 {
    tail(-x)
}

/// The inverse of [`squash`], within about -9 to 9.
#[inline]
pub fn stretch(chance: f64) -> f64 {
    STRETCHED[((chance * PARTS as f64) as usize).min(PARTS - 1)].into()
}

/// [`stretch`] of the probability that a bit is one.
#[inline]
pub fn stretch_of_zero(chance: Chance) -> f64 {
    let zero = (chance.of_zero() >> (PROBABILITY_BITS - PARTS.ilog2())) as usize;
    STRETCHED[(PARTS - 1 - zero) % PARTS].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_the_distribution() {
        for i in -300..300 {
            let x = f64::from(i) / 27.0;
            assert!((tail(x) - 1.0 / (1.0 + x.exp())).abs() < 1e-4, "{x}: {}", tail(x));
            assert!((squash(x) + tail(x) - 1.0).abs() < 1e-4);
        }
        assert!(tail(40.0) > 0.0 && tail(40.0) < tail(20.0) && tail(f64::INFINITY) == 0.0);
    }

    #[test]
    fn stretching_undoes_squashing() {
        for i in 1..100 {
            let chance = f64::from(i) / 100.0;
            assert!((squash(stretch(chance)) - chance).abs() < 2e-4, "{chance}");
        }
        assert!(stretch(0.0) < -8.0 && stretch(1.0) > 8.0);
    }
}
