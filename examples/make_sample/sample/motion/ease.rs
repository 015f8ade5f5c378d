use std::f64::consts::{PI, TAU};

/// Zero before `a`, one after `b`. Velocity and acceleration are zero at both ends (quintic).
pub fn ease(a: f64, b: f64, x: f64) -> f64 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}

/// Rises from 0 to 1 between `a` and `b`, stays, falls between `c` and `d`.
pub fn hump(a: f64, b: f64, c: f64, d: f64, x: f64) -> f64 {
    ease(a, b, x) - ease(c, d, x)
}

/// Sine of `turns + phase`, where 1 is a full turn.
pub fn wave(turns: f64, phase: f64) -> f64 {
    (TAU * (turns + phase)).sin()
}

/// A bump of height 1 between `a` and `b`, zero outside.
pub fn bump(a: f64, b: f64, x: f64) -> f64 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    (PI * t).sin().powi(2)
}

/// Value at `x` of (time, value) keys, eased between keys.
pub fn through(keys: &[(f64, f64)], x: f64) -> f64 {
    let steps = keys.windows(2).map(|k| (k[1].1 - k[0].1) * ease(k[0].0, k[1].0, x));
    keys.first().map_or(0.0, |k| k.1) + steps.sum::<f64>()
}

/// Cubic between two (time, value, velocity) keys.
pub fn cubic(from: (f64, f64, f64), to: (f64, f64, f64), x: f64) -> f64 {
    let span = to.0 - from.0;
    let s = ((x - from.0) / span).clamp(0.0, 1.0);
    let (s2, s3) = (s * s, s * s * s);
    from.1 * (2.0 * s3 - 3.0 * s2 + 1.0)
        + from.2 * span * (s3 - 2.0 * s2 + s)
        + to.1 * (3.0 * s2 - 2.0 * s3)
        + to.2 * span * (s3 - s2)
}

/// Deterministic noise within [-1, 1]: xorshift, smoothed over three samples, with a period of `samples`.
pub fn noise(seed: u64, samples: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let white: Vec<f64> = (0..samples).map(|_| next()).collect();
    let at = |i: usize| white[i % samples];
    (0..samples).map(|i| 0.25 * at(i) + 0.5 * at(i + 1) + 0.25 * at(i + 2)).collect()
}
