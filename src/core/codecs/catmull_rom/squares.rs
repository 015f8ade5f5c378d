//! Key values by least squares.

use super::fit::CurveFit;
use crate::codecs::runtime::{SplineKey, points_and_steps};
use crate::math::{BandedLeastSquares, catmull_rom_weights};
use glam::Vec4;
use std::ops::RangeInclusive;

/// Weight of samples at which the curve must be exact.
const FIXED_WEIGHT: f32 = 1e3;
/// Keys on each side of the solved ones on which the curve depends.
const BESIDE: usize = 3;
/// A quaternion shorter than this has no reliable direction.
const SHORTEST: f32 = 0.1;

impl<S: Fn(usize, Vec4) -> Vec4> CurveFit<'_, S> {
    /// Solves the values of the keys from `first` to `last` by least squares. The other keys keep their values.
    pub(super) fn solve(&mut self, first: usize, last: usize) {
        let end = self.keys.forward(last, BESIDE);
        let near: Vec<usize> =
            self.keys.from(self.keys.back(first, BESIDE)).take_while(|sample| *sample <= end).collect();
        let place = |sample: usize| near.partition_point(|near| *near < sample);
        let solved = place(first)..=place(last);
        let mut system = BandedLeastSquares::new(solved.clone().count());
        let sections = solved.start().saturating_sub(2)..(near.len() - 1).min(solved.end() + 2);
        sections.for_each(|section| self.add_rows(&mut system, &near, &solved, section));
        // No section starts at the last sample.
        let is_end = last + 1 == self.targets.len();
        let ends = is_end.then_some((*solved.end(), 1.0));
        let fixed = solved.clone().filter(|place| self.is_hemmed(near[*place])).map(|place| (place, FIXED_WEIGHT));
        for (place, weight) in ends.into_iter().chain(fixed) {
            system.add(place - solved.start(), &[weight], weight * self.targets[near[place]]);
        }
        for (place, value) in solved.zip(system.solve()) {
            let (sample, target, length) = (near[place], self.targets[near[place]], value.length());
            let value = match self.shape.is_rotation {
                _ if self.is_hemmed(sample) || !value.is_finite() => target,
                true if length > SHORTEST => value / length,
                true => target,
                false => value,
            };
            self.set(sample, value);
        }
    }

    /// Adds one row per sample of a section, without its end. Keys that are not `solved` have known values. Sections and keys are indices
    /// in `near`.
    fn add_rows(
        &self,
        system: &mut BandedLeastSquares,
        near: &[usize],
        solved: &RangeInclusive<usize>,
        section: usize,
    ) {
        let key = |place: usize| SplineKey { sample: near[place] as u32, value: self.values[near[place]] };
        let before = section.checked_sub(1).map(key);
        let after = Some(section + 2).filter(|place| *place < near.len()).map(key);
        let ends = [key(section), key(section + 1)];
        let (_, steps) = points_and_steps(before, ends, after, self.shape);
        for sample in near[section]..near[section + 1] {
            let alpha = (sample - near[section]) as f32 / (near[section + 1] - near[section]) as f32;
            let [w0, mut w1, mut w2, w3] = catmull_rom_weights(steps, alpha);
            // Mirrored keys are combinations of the section's own keys.
            if before.is_none() {
                (w1, w2) = (w1 + 2.0 * w0, w2 - w0);
            }
            if after.is_none() {
                (w1, w2) = (w1 - w3, w2 + 2.0 * w3);
            }
            let mut value = self.targets[sample];
            let counts = self.weights.get(sample).copied().unwrap_or(1.0);
            // Indices in the system from the key before the section, which may precede the system's first.
            let mut weights = [0.0; BandedLeastSquares::WIDTH];
            let start = section.saturating_sub(1).max(*solved.start());
            let all = [section.checked_sub(1), Some(section), Some(section + 1), after.map(|_| section + 2)];
            for (place, weight) in all.into_iter().zip([w0, w1, w2, w3]) {
                match place {
                    Some(place) if solved.contains(&place) => weights[place - start] = weight,
                    Some(place) => value -= weight * self.values[near[place]],
                    None => {}
                }
            }
            let count = weights.len().min(solved.end() + 1 - start);
            weights.iter_mut().for_each(|weight| *weight *= counts);
            system.add(start - solved.start(), &weights[..count], counts * value);
        }
    }
}
