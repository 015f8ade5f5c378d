//! Wavelet transforms of signals whose length is a power of two, by lifting.

/// A wavelet function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Wavelet {
    /// Sum and difference of pairs that never overlap; one vanishing moment.
    Haar = 0,
    /// Daubechies' four taps; two vanishing moments, so straight lines cost nothing.
    D4 = 1,
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
    /// Turns a scale followed by its sub-bands, coarsest first, into the signal whose length, a power of two, they have: band
    /// `k` lies at `2^k..2^(k + 1)`. `scratch` is overwritten and must be as long.
    pub fn inverse(self, padding: Padding, signal: &mut [f64], scratch: &mut [f64]) {
        debug_assert!(signal.len().is_power_of_two());
        let mut len = 2;
        while len <= signal.len() {
            let half = len / 2;
            scratch[..len].copy_from_slice(&signal[..len]);
            let (sums, differences) = scratch[..len].split_at_mut(half);
            match self {
                Self::Haar => haar_step(sums, differences),
                Self::D4 => d4_undo(padding, sums, differences),
            }
            for ((pair, sum), difference) in
                signal[..len].as_chunks_mut::<2>().0.iter_mut().zip(sums.iter()).zip(differences.iter())
            {
                *pair = [*sum, *difference];
            }
            len *= 2;
        }
    }
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
