//! The error that a tolerance bounds.

use crate::settings::choices;
use serde::{Deserialize, Serialize};

/// The error that a codec keeps within the tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Promise {
    /// The largest error of all joints and samples.
    #[default]
    Largest,
    /// The mean error of every joint over all samples. No error exceeds [`MOST_TIMES_MEAN`] tolerances.
    Mean,
}

choices!(Promise {
    Largest => ("largest", "Largest error", "No joint has a larger error than the tolerance in any frame."),
    Mean => ("mean", "Mean error", "No joint has a larger mean error than the tolerance. Single frames may have up to ten times as much. Smaller."),
});

/// The largest error under [`Promise::Mean`], in tolerances.
pub const MOST_TIMES_MEAN: f32 = 10.0;

/// Errors above this many tolerances are rare under [`Promise::Mean`], and worth a warning on the skin or between samples.
pub const USUAL_TIMES_MEAN: f32 = 3.0;

/// Steps of a metre in which errors are added up: whole numbers have the same sum in any order, on any number of threads.
const STEPS_PER_M: f64 = (1u64 << 40) as f64;

/// The errors of some samples, added up for the error that a tolerance bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct PromisedError {
    worst_m: f32,
    /// Per joint, the sum of its errors. Empty for [`Promise::Largest`].
    sums: Vec<u64>,
    samples: u32,
}

impl PromisedError {
    /// No samples yet.
    pub fn new(promise: Promise, joints: usize) -> Self {
        let sums = if promise == Promise::Mean { vec![0; joints] } else { Vec::new() };
        Self { worst_m: 0.0, sums, samples: 0 }
    }

    /// Adds a sample: the error of every joint in metres, times its weight.
    pub fn add(&mut self, errors_m: impl Iterator<Item = f32>) {
        let mut sums = self.sums.iter_mut();
        for error_m in errors_m {
            self.worst_m = self.worst_m.max(error_m);
            if let Some(sum) = sums.next() {
                *sum = sum.saturating_add(in_steps(error_m));
            }
        }
        self.samples += 1;
    }

    /// The errors of both.
    pub fn and(mut self, other: &Self) -> Self {
        self.worst_m = self.worst_m.max(other.worst_m);
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, other)| *sum = sum.saturating_add(*other));
        self.samples += other.samples;
        self
    }

    /// The joint with the largest mean, and that mean in metres. `None` for [`Promise::Largest`].
    pub fn worst_mean(&self) -> Option<(usize, f32)> {
        let (joint, sum) = self.sums.iter().enumerate().max_by_key(|(joint, sum)| (**sum, usize::MAX - joint))?;
        Some((joint, (*sum as f64 / STEPS_PER_M / f64::from(self.samples.max(1))) as f32))
    }

    /// The error that must not exceed the tolerance, metres.
    pub fn bounded_m(&self) -> f32 {
        self.worst_mean().map_or(self.worst_m, |(_, mean_m)| mean_m.max(self.worst_m / MOST_TIMES_MEAN))
    }
}

/// An error that is not a number counts as infinite.
fn in_steps(error_m: f32) -> u64 {
    if error_m.is_nan() { u64::MAX } else { (f64::from(error_m) * STEPS_PER_M) as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn added(promise: Promise, samples: &[[f32; 3]]) -> PromisedError {
        let mut out = PromisedError::new(promise, 3);
        samples.iter().for_each(|errors_m| out.add(errors_m.iter().copied()));
        out
    }

    #[test]
    fn a_mean_is_that_of_the_worst_joint_unless_a_single_error_is_ten_times_as_large() {
        let samples = [[0.001, 0.003, 0.0], [0.001, 0.001, 0.0]];
        assert_eq!(added(Promise::Largest, &samples).bounded_m(), 0.003);
        assert_eq!(added(Promise::Largest, &samples).worst_mean(), None);
        let mean = added(Promise::Mean, &samples);
        assert_eq!(mean.worst_mean().unwrap().0, 1);
        assert!((mean.bounded_m() - 0.002).abs() < 1e-8);
        let single =
            added(Promise::Mean, &[[0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3], [0.0, 0.0, 0.04], [0.0; 3]].repeat(3));
        assert_eq!(single.worst_mean().unwrap().0, 2);
        assert!((single.bounded_m() - 0.04 / 6.0).abs() < 1e-8, "one of six samples: the mean is more than a tenth");
        let peak = added(Promise::Mean, &[&[[0.02, 0.0, 0.0]][..], &[[0.0; 3]; 19]].concat());
        assert!((peak.bounded_m() - 0.002).abs() < 1e-8, "one of 20 samples: the mean is half of that");
    }

    #[test]
    fn errors_that_are_no_numbers_or_infinite_are_never_within() {
        for error_m in [f32::NAN, f32::INFINITY, f32::MAX] {
            assert!(added(Promise::Mean, &[[0.0, error_m, 0.0], [error_m; 3]]).bounded_m() > 1e6);
        }
    }

    proptest! {
        #[test]
        fn parts_in_any_order_give_the_same_bits(
            samples in prop::collection::vec(prop::array::uniform3(0.0f32..0.01), 1..40), cut in 0usize..40,
        ) {
            let whole = added(Promise::Mean, &samples);
            let (a, b) = samples.split_at(cut.min(samples.len()));
            let (a, b) = (added(Promise::Mean, a), added(Promise::Mean, b));
            prop_assert_eq!(&a.clone().and(&b), &whole);
            prop_assert_eq!(&b.and(&a), &whole);
            let means = [0, 1, 2].map(|joint| samples.iter().map(|s| f64::from(s[joint])).sum::<f64>() / samples.len() as f64);
            let largest = means.into_iter().fold(0.0, f64::max);
            prop_assert!((f64::from(whole.worst_mean().unwrap().1) - largest).abs() < 1e-8);
        }
    }
}
