//! Weights that make the errors of some joints count more or less, per sample.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Weights of errors, per joint and sample. An error with weight 10 must stay within a tenth of the tolerance.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ErrorWeights {
    /// Per joint, its weight at each sample. `None` for a joint whose weight is 1 throughout.
    joints: Vec<Option<Vec<f32>>>,
    samples: usize,
}

impl ErrorWeights {
    /// Weight 1 for every joint at every sample.
    pub fn even(joints: usize, samples: usize) -> Self {
        Self { joints: vec![None; joints], samples }
    }

    /// True if no weight was changed, so that all weights are 1.
    pub fn is_even(&self) -> bool {
        self.joints.iter().all(Option::is_none)
    }

    /// Changes the weight of a joint at some samples. Unknown joints and samples beyond the clip's end are ignored.
    pub fn change(&mut self, joint: usize, samples: Range<usize>, change: impl Fn(f32) -> f32) {
        let (count, end) = (self.samples, samples.end.min(self.samples));
        let Some(weights) = self.joints.get_mut(joint) else { return };
        let weights = weights.get_or_insert_with(|| vec![1.0; count]);
        weights[samples.start.min(end)..end].iter_mut().for_each(|weight| *weight = change(*weight));
    }

    /// The weights with one step per sample.
    pub fn at_samples(&self) -> Weights<'_> {
        self.at_steps(1)
    }

    /// The weights with `stride` steps per sample (at least 1).
    pub fn at_steps(&self, stride: usize) -> Weights<'_> {
        Weights { of: (!self.is_even()).then_some(self), first: 0, stride: stride.max(1) }
    }
}

/// [`ErrorWeights`] at the steps of a clip, or of a segment of it.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a> {
    of: Option<&'a ErrorWeights>,
    first: usize,
    stride: usize,
}

impl Weights<'_> {
    /// Weight 1 for every joint.
    pub const EVEN: Weights<'static> = Weights { of: None, first: 0, stride: 1 };

    /// The weight of a joint's error at a step. A step between two samples takes the lower of their weights, because the pose there is a
    /// blend of both.
    #[inline]
    pub fn at(&self, step: usize, joint: usize) -> f32 {
        self.of.map_or(1.0, |weights| self.looked_up(weights, step, joint))
    }

    fn looked_up(&self, weights: &ErrorWeights, step: usize, joint: usize) -> f32 {
        let Some(of_joint) = weights.joints.get(joint).and_then(Option::as_ref) else { return 1.0 };
        let before = self.first + step / self.stride;
        let after = self.first + step.div_ceil(self.stride);
        let at = |sample: usize| of_joint.get(sample).copied().unwrap_or(1.0);
        at(before).min(at(after))
    }

    /// True if every joint has weight 1.
    pub fn is_even(&self) -> bool {
        self.of.is_none()
    }

    /// True if the joint has weight 1 at every sample.
    pub fn is_even_on(&self, joint: usize) -> bool {
        self.of.is_none_or(|weights| weights.joints.get(joint).is_none_or(Option::is_none))
    }

    /// The weights of the segment that starts at a sample.
    pub fn stretch(self, first: usize) -> Self {
        Self { first: self.first + first, ..self }
    }

    /// The weights with `stride` steps per sample, at least 1.
    pub fn at_steps(self, stride: usize) -> Self {
        Self { stride, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_samples_the_smaller_neighbour_counts_and_stretches_begin_elsewhere() {
        let mut weights = ErrorWeights::even(3, 10);
        assert!(weights.is_even() && weights.at_samples().is_even());
        weights.change(1, 4..6, |w| w * 8.0);
        weights.change(1, 5..99, |w| w * 0.5);
        weights.change(7, 0..1, |w| w * 2.0);
        let at: Vec<f32> = (0..10).map(|sample| weights.at_samples().at(sample, 1)).collect();
        assert_eq!(at, [1.0, 1.0, 1.0, 1.0, 8.0, 4.0, 0.5, 0.5, 0.5, 0.5]);
        let halves = weights.at_steps(2);
        assert_eq!([7, 8, 9, 10, 11, 12, 13].map(|step| halves.at(step, 1)), [1.0, 8.0, 4.0, 4.0, 0.5, 0.5, 0.5]);
        assert_eq!([0, 1, 2].map(|sample| weights.at_samples().stretch(4).at(sample, 1)), [8.0, 4.0, 0.5]);
        assert_eq!((halves.at(8, 0), halves.is_even_on(0), halves.is_even_on(1)), (1.0, true, false));
        assert_eq!(weights.at_samples().at(40, 1), 1.0, "there is no such sample");
    }
}
