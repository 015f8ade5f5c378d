//! Rounds coefficients towards zero while a joint and its descendants stay within the limit.

use super::decode::Layout;
use glam::Vec3A;
use std::ops::Range;

/// The contribution of each coefficient of a signal to its samples.
#[derive(Debug, Clone)]
pub struct Basis {
    /// For each coefficient, the samples that it reaches and its contribution to each.
    functions: Vec<(Range<usize>, Vec<f32>)>,
}

impl Basis {
    /// The basis of signals with this many samples.
    pub fn new(layout: &Layout, samples: usize) -> Self {
        let padded = layout.padded(samples);
        let mut lifting = vec![0.0; padded];
        let function = |index: usize| {
            let mut signal = vec![0.0; padded];
            signal[index] = 1.0;
            layout.wavelet.inverse(layout.padding, &mut signal, &mut lifting);
            let reached = |x: &f64| x.abs() > 1e-9;
            let start = signal[..samples].iter().position(reached).unwrap_or(0);
            let end = signal[..samples].iter().rposition(reached).map_or(start, |last| last + 1);
            (start..end, signal[start..end].iter().map(|x| *x as f32).collect())
        };
        Self { functions: (0..padded).map(function).collect() }
    }
}

/// Larger numbers are not changed: one less saves almost nothing.
const LARGEST: i32 = 2;

/// The effect of one track on the points that it moves.
#[derive(Debug, Default)]
pub struct Trim {
    /// Points per sample.
    pub points: usize,
    /// Per point, sample after sample: its error, its movement per step of each component, and the square of its largest error.
    pub errors: Vec<Vec3A>,
    pub moves: Vec<[Vec3A; 3]>,
    pub bounds_sq: Vec<f32>,
}

impl Trim {
    pub fn clear(&mut self, points: usize) {
        self.points = points;
        self.errors.clear();
        self.moves.clear();
        self.bounds_sq.clear();
    }

    /// Moves the points of a sample by some steps of a component.
    pub fn add(&mut self, sample: usize, component: usize, steps: f32) {
        let points = sample * self.points..(sample + 1) * self.points;
        for (error, moves) in self.errors[points.clone()].iter_mut().zip(&self.moves[points]) {
            *error += moves[component] * steps;
        }
    }

    /// Moves numbers towards zero, first those that become zero, where each point then stays within its bound or gets no worse.
    pub fn run(&mut self, basis: &Basis, codes: &mut [Vec<i32>; 3]) {
        for magnitude in 1..=LARGEST {
            for (component, codes) in codes.iter_mut().enumerate() {
                let large = codes.iter_mut().enumerate().rev().filter(|(_, code)| code.abs() == magnitude);
                for (index, code) in large {
                    let by = -code.signum();
                    if self.fits(basis, component, index, by as f32) {
                        self.take(basis, component, index, by as f32);
                        *code += by;
                    }
                }
            }
        }
    }

    fn fits(&self, basis: &Basis, component: usize, index: usize, by: f32) -> bool {
        let (reach, values) = &basis.functions[index];
        let (points, per_sample) = (reach.start * self.points..reach.end * self.points, self.points.max(1));
        let errors = self.errors[points.clone()].chunks_exact(per_sample);
        let moves = self.moves[points.clone()].chunks_exact(per_sample);
        let bounds_sq = self.bounds_sq[points].chunks_exact(per_sample);
        errors.zip(moves).zip(bounds_sq).zip(values).all(|(((errors, moves), bounds_sq), value)| {
            errors.iter().zip(moves).zip(bounds_sq).all(|((before, moves), bound_sq)| {
                let after_sq = (*before + moves[component] * (by * value)).length_squared();
                after_sq <= *bound_sq || after_sq <= before.length_squared()
            })
        })
    }

    fn take(&mut self, basis: &Basis, component: usize, index: usize, by: f32) {
        let (reach, values) = &basis.functions[index];
        reach.clone().zip(values).for_each(|(sample, value)| self.add(sample, component, by * value));
    }
}
