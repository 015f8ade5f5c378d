//! Wavelet transforms of signals by lifting.

/// A wavelet function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Wavelet {
    /// Sum and difference of pairs that never overlap; one vanishing moment.
    Haar = 0,
    /// Daubechies' four taps; two vanishing moments, so straight lines cost nothing.
    D4 = 1,
    /// Cohen, Daubechies and Feauveau's nine and seven taps, all but orthonormal; four vanishing moments, and any length.
    Cdf97 = 2,
    /// Cohen, Daubechies and Feauveau's five and three taps; two vanishing moments, and any length.
    Cdf53 = 3,
}

/// What a signal is taken to be beyond its ends: it fills short signals up to a power of two, and is what the taps of
/// [`Wavelet::D4`] find where they reach over an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Padding {
    /// Zeroes.
    Zero = 0,
    /// The value at the end.
    Repeat = 1,
    /// The signal backwards.
    Mirror = 2,
    /// The signal again from its other end: the only one that keeps [`Wavelet::D4`] orthonormal.
    Loop = 3,
    /// The straight line through the two values at the end.
    Line = 4,
}

/// Square root of three.
pub const SQRT_3: f64 = 1.732_050_807_568_877_2;
/// Lifting step of D4 from the sum beside a difference (Daubechies and Sweldens, Factoring wavelet transforms into lifting
/// steps).
pub const D4_NEAR: f64 = SQRT_3 / 4.0;
/// Lifting step of D4 from the sum before that.
pub const D4_FAR: f64 = (SQRT_3 - 2.0) / 4.0;
/// Scale of sums that makes the steps orthonormal.
pub const D4_SUM: f64 = (SQRT_3 - 1.0) / core::f64::consts::SQRT_2;
/// Scale of differences, the inverse of [`D4_SUM`].
pub const D4_DIFFERENCE: f64 = (SQRT_3 + 1.0) / core::f64::consts::SQRT_2;

/// Lifting steps of [`Wavelet::Cdf97`], from the first of the forward transform: differences, sums, differences, sums.
pub const CDF97_STEPS: [f64; 4] =
    [-1.586_134_342_059_924, -0.052_980_118_572_961, 0.882_911_075_530_934, 0.443_506_852_043_971];
/// Scale of its sums: a constant's sum then is as large as that of two orthonormal values.
pub const CDF97_SUM: f64 = 1.149_604_398_860_241;
/// Lifting steps of [`Wavelet::Cdf53`].
pub const CDF53_STEPS: [f64; 2] = [-0.5, 0.25];
/// Scale of its sums.
pub const CDF53_SUM: f64 = core::f64::consts::SQRT_2;

impl Padding {
    /// In the order of their codes.
    pub const ALL: [Self; 5] = [Self::Zero, Self::Repeat, Self::Mirror, Self::Loop, Self::Line];

    /// What lies before the first of some values, at least one.
    pub fn before(self, values: &[f64]) -> f64 {
        let [first, .., last] = *values else { return if self == Self::Zero { 0.0 } else { values[0] } };
        match self {
            Self::Zero => 0.0,
            Self::Repeat => first,
            Self::Mirror => values[1],
            Self::Loop => last,
            Self::Line => 2.0 * first - values[1],
        }
    }

    /// What lies after the last of some values, at least one.
    pub fn after(self, values: &[f64]) -> f64 {
        let [first, .., last] = *values else { return if self == Self::Zero { 0.0 } else { values[0] } };
        match self {
            Self::Zero => 0.0,
            Self::Repeat => last,
            Self::Mirror => values[values.len() - 2],
            Self::Loop => first,
            Self::Line => 2.0 * last - values[values.len() - 2],
        }
    }
}

impl Wavelet {
    /// In the order of their codes.
    pub const ALL: [Self; 4] = [Self::Haar, Self::D4, Self::Cdf97, Self::Cdf53];

    /// Every length is transformed as it is, not only powers of two.
    pub fn takes_any_length(self) -> bool {
        matches!(self, Self::Cdf97 | Self::Cdf53)
    }

    /// Turns a scale followed by its sub-bands, coarsest first, into the signal, whose length must be one that it takes: see
    /// [`bands`]. `scratch` is overwritten and must be as long.
    pub fn inverse(self, padding: Padding, signal: &mut [f64], scratch: &mut [f64]) {
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
    /// Its first number; before it lie the scale and all coarser bands.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Where the band before it starts, or the scale.
    pub coarser: usize,
    /// Finer bands that there are.
    pub level: u32,
}

/// The bands of a signal, coarsest first: the finest holds the smaller half of all numbers, and so on. Of powers of two, band `k`
/// lies at `2^k..2^(k + 1)`.
pub fn bands(len: usize) -> impl Iterator<Item = Band> {
    let halved = move |level: u32| len.div_ceil(1 << level);
    let levels = len.next_power_of_two().trailing_zeros();
    (0..levels).rev().map(move |level| {
        let (start, end) = (halved(level + 1), halved(level));
        Band { start, end, coarser: if start == 1 { 0 } else { halved(level + 2) }, level }
    })
}

/// Adds to each number of one half its two neighbours of the other. Of two numbers of the same place that of the sums is first.
fn lift(padding: Padding, factor: f64, to: &mut [f64], from: &[f64], are_sums: bool) {
    let (Some(first), Some(last)) = (from.first(), from.last()) else { return };
    let (before, after) = (padding.before(from), padding.after(from));
    let rest = if are_sums {
        to[0] += factor * (before + first);
        &mut to[1..]
    } else {
        to
    };
    for (number, pair) in rest.iter_mut().zip(from.windows(2)) {
        *number += factor * (pair[0] + pair[1]);
    }
    if rest.len() == from.len() {
        rest[from.len() - 1] += factor * (last + after);
    }
}

/// A lifting step: differences are predicted from sums, then sums take in differences, and so on. Differences go on beyond an
/// end as they are there: a line through two of them would double their error.
pub fn lift_step(padding: Padding, place: usize, step: f64, sums: &mut [f64], differences: &mut [f64]) {
    if place.is_multiple_of(2) {
        lift(padding, step, differences, sums, false);
    } else {
        lift(Padding::Repeat, step, sums, differences, true);
    }
}

fn lift_undo(padding: Padding, steps: &[f64], scale: f64, sums: &mut [f64], differences: &mut [f64]) {
    sums.iter_mut().for_each(|s| *s /= scale);
    differences.iter_mut().for_each(|d| *d *= scale);
    steps.iter().enumerate().rev().for_each(|(place, step)| lift_step(padding, place, -step, sums, differences));
}

/// Turns even and odd values into sums and differences; undoes itself.
pub fn haar_step(even: &mut [f64], odd: &mut [f64]) {
    for (a, b) in even.iter_mut().zip(odd) {
        (*a, *b) = ((*a + *b) * core::f64::consts::FRAC_1_SQRT_2, (*a - *b) * core::f64::consts::FRAC_1_SQRT_2);
    }
}

fn d4_undo(padding: Padding, sums: &mut [f64], differences: &mut [f64]) {
    differences.iter_mut().for_each(|d| *d *= D4_SUM);
    let after = padding.after(differences);
    let next = differences[1..].iter().copied().chain([after]);
    sums.iter_mut().zip(next).for_each(|(s, d)| *s = *s * D4_DIFFERENCE + d);
    let mut before = padding.before(sums);
    for (s, d) in sums.iter().zip(differences.iter_mut()) {
        *d += D4_NEAR * s + D4_FAR * before;
        before = *s;
    }
    sums.iter_mut().zip(differences.iter()).for_each(|(s, d)| *s -= SQRT_3 * d);
}
