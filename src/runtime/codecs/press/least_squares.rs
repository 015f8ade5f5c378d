//! Recursive least squares: adaptive weights of a linear prediction.

use crate::math::{Ints, Kernel, run};

/// Forgetting factor: the weight of earlier samples, per sample.
const FORGETTING: f64 = 0.996;
/// Variance of the first weights.
const FIRST_VARIANCE: f64 = 0.3;
/// First weight of the first input. The other weights begin at zero.
const FIRST_WEIGHT: f64 = 0.6;
/// Inputs with a smaller spread are skipped: they carry no information, and forgetting would inflate the variance.
const LEAST_SPREAD: f64 = 1e-4;
/// Most weights that are updated without [`run`], whose dispatch would take longer.
const FEW: usize = 8;
/// With a larger variance of a weight, the state is reset.
const LARGEST_VARIANCE: f64 = 1e6;

/// Recursive least squares with forgetting.
#[derive(Debug, Clone)]
pub struct LeastSquares<const N: usize> {
    weights: [f64; N],
    /// Inverse of the correlation of the inputs.
    inverse: [[f64; N]; N],
}

impl<const N: usize> LeastSquares<N> {
    /// The first weights and variances.
    pub fn new() -> Self {
        let (mut weights, mut inverse) = ([0.0; N], [[0.0; N]; N]);
        weights[0] = FIRST_WEIGHT;
        (0..N).for_each(|i| inverse[i][i] = FIRST_VARIANCE);
        Self { weights, inverse }
    }

    /// The prediction from these inputs.
    #[inline]
    pub fn predict(&self, inputs: &[f64; N]) -> f64 {
        dot(&self.weights, inputs)
    }

    /// Adapts the weights. `error` is the true value minus the prediction from these inputs.
    #[inline]
    pub fn learn(&mut self, inputs: &[f64; N], error: f64) {
        // Few weights are updated faster than the processor is detected.
        if N > FEW {
            run(Learning { squares: self, inputs, error });
        } else {
            self.learn_now(inputs, error);
        }
    }

    #[inline(always)]
    fn learn_now(&mut self, inputs: &[f64; N], error: f64) {
        let Self { weights, inverse } = self;
        // The matrix is symmetric, so its rows are its columns.
        let mut gain = [0.0; N];
        for (row, input) in inverse.iter().zip(inputs) {
            for (gain, value) in gain.iter_mut().zip(row) {
                *gain += value * input;
            }
        }
        let spread = dot(&gain, inputs);
        if spread.is_nan() || spread < LEAST_SPREAD {
            return;
        }
        let share = 1.0 / (FORGETTING + spread);
        let mut is_sound = true;
        for i in 0..N {
            weights[i] += gain[i] * (error * share);
            let by = gain[i] * (share / FORGETTING);
            for (value, gain) in inverse[i].iter_mut().zip(&gain) {
                *value = *value * (1.0 / FORGETTING) - by * gain;
            }
            let variance = inverse[i][i];
            is_sound &= variance > 0.0 && variance < LARGEST_VARIANCE && weights[i].is_finite();
        }
        if !is_sound {
            *self = Self::new();
        }
    }
}

/// A call of [`LeastSquares::learn_now`] as a [`Kernel`].
struct Learning<'a, const N: usize> {
    squares: &'a mut LeastSquares<N>,
    inputs: &'a [f64; N],
    error: f64,
}

impl<const N: usize> Kernel for Learning<'_, N> {
    #[inline(always)]
    fn run<I: Ints>(self) {
        self.squares.learn_now(self.inputs, self.error);
    }
}

/// Dot product in four partial sums, which processors compute at once.
#[inline(always)]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    let mut sums = [0.0; 4];
    for i in 0..N {
        sums[i % 4] += a[i] * b[i];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers in -1 to 1.
    fn noise(i: usize) -> f64 {
        let mixed = (i as u32 + 1).wrapping_mul(2_654_435_761);
        let mixed = (mixed ^ mixed >> 15).wrapping_mul(2_246_822_519);
        f64::from((mixed ^ mixed >> 13) & 0xffff) / 32_768.0 - 1.0
    }

    #[test]
    fn weights_come_to_what_made_the_numbers() {
        let mut squares = LeastSquares::<4>::new();
        for i in 0..400 {
            let inputs = [noise(4 * i), noise(4 * i + 1), noise(4 * i + 2), noise(4 * i + 3)];
            let wanted = 0.5 * inputs[0] - 1.25 * inputs[1] + 0.125 * inputs[3];
            squares.learn(&inputs, wanted - squares.predict(&inputs));
        }
        for (found, wanted) in squares.weights.iter().zip([0.5, -1.25, 0.0, 0.125]) {
            assert!((found - wanted).abs() < 0.02, "{found} for {wanted}");
        }
    }

    #[test]
    fn what_is_learned_is_the_same_to_the_bit_whatever_the_processor_has() {
        let (mut fast, mut plain) = (LeastSquares::<16>::new(), LeastSquares::<16>::new());
        for i in 0..300 {
            let inputs = core::array::from_fn(|k| 40.0 * noise(16 * i + k));
            let error = 3.0 * noise(7 * i);
            fast.learn(&inputs, error);
            plain.learn_now(&inputs, error);
            assert!(fast.weights == plain.weights && fast.inverse == plain.inverse);
        }
    }

    #[test]
    fn numbers_without_sense_begin_anew() {
        let mut squares = LeastSquares::<4>::new();
        for i in 0..200 {
            squares.learn(&[1e9, noise(i) * 1e9, 0.0, 1e-3], f64::INFINITY);
            assert!(squares.predict(&[1.0; 4]).is_finite());
        }
    }
}
