//! Wavelet transforms of signals, by lifting.

use core::ops::{Add, Div, Mul, Sub};
use glam::DVec4;

/// A value of a signal, or the values of four signals that are transformed together.
pub trait SignalValue:
    Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self> + Div<f64, Output = Self>
{
}

impl SignalValue for f64 {}
impl SignalValue for DVec4 {}

/// A wavelet function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Wavelet {
    /// Sum and difference of pairs that never overlap; one vanishing moment.
    Haar = 0,
    /// Daubechies' four taps; two vanishing moments, so the differences of straight lines are zero.
    D4 = 1,
    /// Cohen, Daubechies and Feauveau's nine and seven taps, nearly orthonormal; four vanishing moments, signals of any length.
    Cdf97 = 2,
    /// Cohen, Daubechies and Feauveau's five and three taps; two vanishing moments, signals of any length.
    Cdf53 = 3,
}

/// The continuation of a signal beyond its ends. It extends short signals to a power of two, and gives the values for taps beyond an
/// end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Padding {
    /// Zeros.
    Zero = 0,
    /// The value at the end, repeated.
    Repeat = 1,
    /// The signal, reversed.
    Mirror = 2,
    /// The signal, repeated from its other end. Only this one keeps [`Wavelet::D4`] orthonormal.
    Loop = 3,
    /// The straight line through the two values at the end.
    Line = 4,
}

/// Square root of three.
pub const SQRT_3: f64 = 1.732_050_807_568_877_2;
/// Factor of a difference's own sum in the lifting of D4 (Daubechies and Sweldens, Factoring wavelet transforms into lifting steps).
pub const D4_NEAR: f64 = SQRT_3 / 4.0;
/// Factor of the sum before that in the lifting of D4.
pub const D4_FAR: f64 = (SQRT_3 - 2.0) / 4.0;
/// Scale of sums of D4, which makes the transform orthonormal.
pub const D4_SUM: f64 = (SQRT_3 - 1.0) / core::f64::consts::SQRT_2;
/// Scale of differences, the inverse of [`D4_SUM`].
pub const D4_DIFFERENCE: f64 = (SQRT_3 + 1.0) / core::f64::consts::SQRT_2;

/// Factors of the lifting steps of [`Wavelet::Cdf97`], in the order of the forward transform: differences, sums, differences, sums.
pub const CDF97_STEPS: [f64; 4] =
    [-1.586_134_342_059_924, -0.052_980_118_572_961, 0.882_911_075_530_934, 0.443_506_852_043_971];
/// Scale of sums of [`Wavelet::Cdf97`]. The sum of a constant signal is then as large as with an orthonormal wavelet.
pub const CDF97_SUM: f64 = 1.149_604_398_860_241;
/// Factors of the lifting steps of [`Wavelet::Cdf53`].
pub const CDF53_STEPS: [f64; 2] = [-0.5, 0.25];
/// Scale of sums of [`Wavelet::Cdf53`].
pub const CDF53_SUM: f64 = core::f64::consts::SQRT_2;

impl Padding {
    /// All paddings, ordered by code.
    pub const ALL: [Self; 5] = [Self::Zero, Self::Repeat, Self::Mirror, Self::Loop, Self::Line];

    /// The value before the first of `values`, which has at least one.
    pub fn before<V: SignalValue>(self, values: &[V]) -> V {
        let [first, .., last] = *values else { return if self == Self::Zero { V::default() } else { values[0] } };
        match self {
            Self::Zero => V::default(),
            Self::Repeat => first,
            Self::Mirror => values[1],
            Self::Loop => last,
            Self::Line => first * 2.0 - values[1],
        }
    }

    /// The value after the last of `values`, which has at least one.
    pub fn after<V: SignalValue>(self, values: &[V]) -> V {
        let [first, .., last] = *values else { return if self == Self::Zero { V::default() } else { values[0] } };
        match self {
            Self::Zero => V::default(),
            Self::Repeat => last,
            Self::Mirror => values[values.len() - 2],
            Self::Loop => first,
            Self::Line => last * 2.0 - values[values.len() - 2],
        }
    }
}

impl Wavelet {
    /// All wavelets, ordered by code.
    pub const ALL: [Self; 4] = [Self::Haar, Self::D4, Self::Cdf97, Self::Cdf53];

    /// True if it transforms signals of any length, not only powers of two.
    pub fn takes_any_length(self) -> bool {
        matches!(self, Self::Cdf97 | Self::Cdf53)
    }

    /// Inverse transform in place, from the scale and its sub-bands, coarsest first (see [`bands`]), to the signal. Its length must be a
    /// power of two, unless [`Wavelet::takes_any_length`]. `scratch` must be as long; it is overwritten.
    pub fn inverse<V: SignalValue>(self, padding: Padding, signal: &mut [V], scratch: &mut [V]) {
        for Band { end: len, start: half, .. } in bands(signal.len()) {
            scratch[..len].copy_from_slice(&signal[..len]);
            let (sums, differences) = scratch[..len].split_at_mut(half);
            match self {
                Self::Haar => haar_step(sums, differences),
                Self::D4 => d4_undo(padding, sums, differences),
                Self::Cdf97 => lift_undo(padding, &CDF97_STEPS, CDF97_SUM, sums, differences),
                Self::Cdf53 => lift_undo(padding, &CDF53_STEPS, CDF53_SUM, sums, differences),
            }
            for ((pair, sum), difference) in
                signal[..len].as_chunks_mut::<2>().0.iter_mut().zip(sums.iter()).zip(differences.iter())
            {
                *pair = [*sum, *difference];
            }
            if len % 2 == 1 {
                signal[len - 1] = sums[half - 1];
            }
        }
    }
}

/// A sub-band of a transformed signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Band {
    /// Index of its first number. The scale and all coarser bands precede it.
    pub start: usize,
    /// Index after its last number.
    pub end: usize,
    /// Start of the next coarser band; 0 for the coarsest.
    pub coarser: usize,
    /// Number of finer bands.
    pub level: u32,
}

/// The bands of a signal, coarsest first. The finest band is the last half of all numbers (rounded down), the next one half of the rest,
/// and so on. If `len` is a power of two, band `k` is at `2^k..2^(k + 1)`.
pub fn bands(len: usize) -> impl Iterator<Item = Band> {
    let halved = move |level: u32| len.div_ceil(1 << level);
    let levels = len.next_power_of_two().trailing_zeros();
    (0..levels).rev().map(move |level| {
        let (start, end) = (halved(level + 1), halved(level));
        Band { start, end, coarser: if start == 1 { 0 } else { halved(level + 2) }, level }
    })
}

/// Adds to each number of `to` the sum of its two neighbours in `from`, times `factor`. In the signal, sums and differences alternate,
/// and a sum comes first. `are_sums` is true if `to` has the sums.
fn lift<V: SignalValue>(padding: Padding, factor: f64, to: &mut [V], from: &[V], are_sums: bool) {
    let (Some(&first), Some(&last)) = (from.first(), from.last()) else { return };
    let rest = if are_sums {
        to[0] = to[0] + (padding.before(from) + first) * factor;
        &mut to[1..]
    } else {
        to
    };
    let mut before = first;
    for (number, next) in rest.iter_mut().zip(&from[1..]) {
        *number = *number + (before + *next) * factor;
        before = *next;
    }
    if rest.len() == from.len() {
        rest[from.len() - 1] = rest[from.len() - 1] + (last + padding.after(from)) * factor;
    }
}

/// The lifting step of index `place`: even steps change differences from sums, odd steps change sums from differences. Beyond an end,
/// differences are repeated, because a line through two of them would double their error.
pub fn lift_step<V: SignalValue>(padding: Padding, place: usize, step: f64, sums: &mut [V], differences: &mut [V]) {
    if place.is_multiple_of(2) {
        lift(padding, step, differences, sums, false);
    } else {
        lift(Padding::Repeat, step, sums, differences, true);
    }
}

fn lift_undo<V: SignalValue>(padding: Padding, steps: &[f64], scale: f64, sums: &mut [V], differences: &mut [V]) {
    sums.iter_mut().for_each(|s| *s = *s / scale);
    differences.iter_mut().for_each(|d| *d = *d * scale);
    steps.iter().enumerate().rev().for_each(|(place, step)| lift_step(padding, place, -step, sums, differences));
}

/// Turns even and odd values into sums and differences. It is its own inverse.
pub fn haar_step<V: SignalValue>(even: &mut [V], odd: &mut [V]) {
    for (a, b) in even.iter_mut().zip(odd) {
        (*a, *b) = ((*a + *b) * core::f64::consts::FRAC_1_SQRT_2, (*a - *b) * core::f64::consts::FRAC_1_SQRT_2);
    }
}

fn d4_undo<V: SignalValue>(padding: Padding, sums: &mut [V], differences: &mut [V]) {
    differences.iter_mut().for_each(|d| *d = *d * D4_SUM);
    let after = padding.after(differences);
    let next = differences[1..].iter().copied().chain([after]);
    sums.iter_mut().zip(next).for_each(|(s, d)| *s = *s * D4_DIFFERENCE + d);
    let mut before = padding.before(sums);
    for (s, d) in sums.iter().zip(differences.iter_mut()) {
        *d = *d + (*s * D4_NEAR + before * D4_FAR);
        before = *s;
    }
    sums.iter_mut().zip(differences.iter()).for_each(|(s, d)| *s = *s - *d * SQRT_3);
}
