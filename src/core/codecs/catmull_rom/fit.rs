//! The fit of one track: from two keys to as many as it takes.

use crate::codecs::runtime::{SplineKey, SplineSection, SplineShape, points_and_steps};
use crate::math::{BandedLeastSquares, catmull_rom_weights};
use glam::Vec4;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::{Range, RangeInclusive};

/// Where the next key of the worst section goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insertion {
    /// In the middle (Riot).
    Midpoint,
    /// Where the error is largest.
    WorstSample,
}

/// What values keys have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyValues {
    /// Those of the track: the curve goes through its samples (Riot).
    Interpolation,
    /// Those for which the sum of squared differences at all samples is smallest (Riot's further direction).
    LeastSquares,
}

/// How curves are fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitSettings {
    pub insertion: Insertion,
    pub values: KeyValues,
}

/// A new key moves this many keys on both sides of it; what lies farther hardly feels it.
const REACH: usize = 6;
/// How much more a sample counts at which a curve must not be off at all.
const FIXED_WEIGHT: f32 = 1e3;

/// A curve through some of a track's samples, which grows key by key.
pub struct CurveFit<'a, S> {
    settings: FitSettings,
    shape: SplineShape,
    /// One per sample; rotations are continuous in sign.
    targets: &'a [Vec4],
    /// What reads back when a value is stored.
    stored: S,
    /// Steps per sample at which errors are looked at.
    stride: usize,
    /// As they decode.
    keys: Vec<SplineKey>,
    /// As they are to be stored.
    values: Vec<Vec4>,
    /// One per section.
    errors: Vec<SectionError>,
    inserted: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct SectionError {
    worst_sq: f32,
    /// Step of the worst.
    step: usize,
}

/// A section that is to be split, the worst first, of equals the earliest.
#[derive(Debug, PartialEq)]
struct Beyond {
    worst_sq: f32,
    /// Samples of its keys.
    start: u32,
    end: u32,
}

impl Eq for Beyond {}

impl PartialOrd for Beyond {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Beyond {
    fn cmp(&self, other: &Self) -> Ordering {
        self.worst_sq.total_cmp(&other.worst_sq).then_with(|| (other.start, other.end).cmp(&(self.start, self.end)))
    }
}

impl<'a, S: Fn(Vec4) -> Vec4> CurveFit<'a, S> {
    /// The first and the last sample; a track of one has one key.
    pub fn new(settings: FitSettings, shape: SplineShape, targets: &'a [Vec4], stride: usize, stored: S) -> Self {
        let last = targets.len() - 1;
        let inserted: Vec<u32> = if last > 0 { vec![0, last as u32] } else { vec![0] };
        let values: Vec<Vec4> = inserted.iter().map(|s| targets[*s as usize]).collect();
        let keys = inserted.iter().zip(&values).map(|(s, v)| SplineKey { sample: *s, value: stored(*v) }).collect();
        let errors = vec![SectionError::default(); values.len() - 1];
        let mut fit = Self { settings, shape, targets, stored, stride, keys, values, errors, inserted };
        if settings.values == KeyValues::LeastSquares {
            fit.solve(0, fit.keys.len() - 1);
        }
        fit
    }

    /// Inserts keys into the worst section, again and again, until all are within the limit; false as soon as that takes more
    /// than `max_keys`. `error_sq` is that of a value at a step.
    pub fn run(&mut self, limit_sq: f32, max_keys: usize, error_sq: impl Fn(usize, Vec4) -> f32) -> bool {
        let mut beyond = BinaryHeap::new();
        let measured = self.measure(0..=self.errors.len(), &error_sq);
        self.offer(measured, limit_sq, &mut beyond);
        while let Some(section) = self.worst_section(&mut beyond) {
            if self.keys.len() >= max_keys {
                return false;
            }
            let touched = self.insert(self.middle(section));
            let measured = self.measure(touched, &error_sq);
            self.offer(measured, limit_sq, &mut beyond);
        }
        self.keys.len() <= max_keys
    }

    /// Adds a key at a sample that has none; returns the keys whose values are other ones now.
    pub fn insert(&mut self, sample: u32) -> RangeInclusive<usize> {
        let at = self.keys.partition_point(|k| k.sample < sample);
        let value = self.targets[sample as usize];
        self.keys.insert(at, SplineKey { sample, value: (self.stored)(value) });
        self.values.insert(at, value);
        self.errors.insert(at.saturating_sub(1), SectionError::default());
        self.inserted.push(sample);
        match self.settings.values {
            KeyValues::Interpolation => at..=at,
            KeyValues::LeastSquares => self.solve(at.saturating_sub(REACH), (at + REACH).min(self.keys.len() - 1)),
        }
    }

    /// The curve at every step.
    pub fn curve(&self) -> Vec<Vec4> {
        let mut out = Vec::with_capacity((self.targets.len() - 1) * self.stride + 1);
        for index in 0..self.errors.len() {
            let section = SplineSection::of(&self.keys, index, self.shape);
            out.extend(self.steps(index).map(|step| section.value(self.sample_of(step))));
        }
        out.extend(self.keys.last().map(|k| k.value));
        out
    }

    /// Samples of the keys, ascending.
    pub fn samples(&self) -> Vec<u32> {
        self.keys.iter().map(|k| k.sample).collect()
    }

    /// Values of the keys, to be stored.
    pub fn into_values(self) -> (Vec<Vec4>, Vec<u32>) {
        (self.values, self.inserted)
    }

    /// Steps from the start of a section on, its end not among them.
    fn steps(&self, section: usize) -> std::ops::Range<usize> {
        let at = |key: usize| self.keys[key].sample as usize * self.stride;
        at(section)..at(section + 1)
    }

    fn sample_of(&self, step: usize) -> f64 {
        step as f64 / self.stride as f64
    }

    /// Looks at all sections that a change of those keys changes, and returns which.
    fn measure(&mut self, keys: RangeInclusive<usize>, error_sq: &impl Fn(usize, Vec4) -> f32) -> Range<usize> {
        let first = keys.start().saturating_sub(2);
        let sections = first..self.errors.len().min(keys.end() + 2);
        for index in sections.clone() {
            let section = SplineSection::of(&self.keys, index, self.shape);
            let steps = self.steps(index);
            // An interpolated key is off by its rounding alone, which more keys would not mend.
            let judged = match self.settings.values {
                KeyValues::Interpolation => steps.start + 1..=steps.end - 1,
                KeyValues::LeastSquares => steps.start..=steps.end,
            };
            let mut worst = SectionError { worst_sq: 0.0, step: steps.start };
            for step in judged {
                let found = error_sq(step, section.value(self.sample_of(step)));
                if found > worst.worst_sq {
                    worst = SectionError { worst_sq: found, step };
                }
            }
            self.errors[index] = worst;
        }
        sections
    }

    /// Notes those of some sections that are beyond the limit and have room for a key.
    fn offer(&self, sections: Range<usize>, limit_sq: f32, beyond: &mut BinaryHeap<Beyond>) {
        let is_beyond = |index: &usize| self.errors[*index].worst_sq > limit_sq && self.length(*index) > 1;
        beyond.extend(sections.filter(is_beyond).map(|index| self.beyond(index)));
    }

    fn beyond(&self, section: usize) -> Beyond {
        let [start, end] = [section, section + 1].map(|key| self.keys[key].sample);
        Beyond { worst_sq: self.errors[section].worst_sq, start, end }
    }

    /// The section with the largest error beyond the limit, the earliest of equals, that has room for a key. What was noted of
    /// sections that have changed since is passed over.
    fn worst_section(&self, beyond: &mut BinaryHeap<Beyond>) -> Option<usize> {
        while let Some(worst) = beyond.pop() {
            let section = self.keys.partition_point(|key| key.sample < worst.start);
            if self.beyond(section) == worst {
                return Some(section);
            }
        }
        None
    }

    /// Samples from its first key to its last.
    fn length(&self, section: usize) -> u32 {
        self.keys[section + 1].sample - self.keys[section].sample
    }

    /// Where a section that has room is to be split.
    fn middle(&self, section: usize) -> u32 {
        let (a, b) = (self.keys[section].sample, self.keys[section + 1].sample);
        match self.settings.insertion {
            Insertion::Midpoint => a + (b - a) / 2,
            Insertion::WorstSample => {
                let worst = (self.errors[section].step + self.stride / 2) / self.stride;
                (worst as u32).clamp(a + 1, b - 1)
            }
        }
    }

    /// True for a key between keys at the neighbouring samples: nothing but its own sample is left for it to be near.
    fn is_hemmed(&self, key: usize) -> bool {
        let before = key.checked_sub(1).is_none_or(|section| self.length(section) == 1);
        before && (key + 1 == self.keys.len() || self.length(key) == 1)
    }

    /// Least squares for the values of some keys, with the others as they are.
    fn solve(&mut self, first: usize, last: usize) -> RangeInclusive<usize> {
        let mut system = BandedLeastSquares::new(last - first + 1);
        for section in first.saturating_sub(2)..self.errors.len().min(last + 2) {
            self.add_rows(&mut system, (first, last), section);
        }
        // The last sample belongs to no section's start.
        let ends = [self.keys.len() - 1].into_iter().filter(|end| *end == last);
        let fixed = (first..=last).filter(|key| self.is_hemmed(*key)).map(|key| (key, FIXED_WEIGHT));
        for (key, weight) in ends.map(|end| (end, 1.0)).chain(fixed) {
            system.add(key - first, &[weight], weight * self.targets[self.keys[key].sample as usize]);
        }
        for (key, solved) in (first..=last).zip(system.solve()) {
            let target = self.targets[self.keys[key].sample as usize];
            let length = solved.length();
            self.values[key] = match self.shape.is_rotation {
                _ if self.is_hemmed(key) || !solved.is_finite() => target,
                true if length > 0.1 => solved / length,
                true => target,
                false => solved,
            };
            self.keys[key].value = (self.stored)(self.values[key]);
        }
        first..=last
    }

    /// One row for each sample of a section, its end excepted; what keys outside `first..=last` add is known.
    fn add_rows(&self, system: &mut BandedLeastSquares, (first, last): (usize, usize), section: usize) {
        let key = |index: usize| SplineKey { sample: self.keys[index].sample, value: self.values[index] };
        let before = section.checked_sub(1).map(key);
        let after = Some(section + 2).filter(|i| *i < self.keys.len()).map(key);
        let ends = [key(section), key(section + 1)];
        let (_, steps) = points_and_steps(before, ends, after, self.shape);
        for sample in ends[0].sample..ends[1].sample {
            let alpha = (sample - ends[0].sample) as f32 / (ends[1].sample - ends[0].sample) as f32;
            let [w0, mut w1, mut w2, w3] = catmull_rom_weights(steps, alpha);
            // Mirrored keys are made of the section's own.
            if before.is_none() {
                (w1, w2) = (w1 + 2.0 * w0, w2 - w0);
            }
            if after.is_none() {
                (w1, w2) = (w1 - w3, w2 + 2.0 * w3);
            }
            let mut value = self.targets[sample as usize];
            // Places in the system from the key before the section on, which may lie before its first.
            let mut weights = [0.0; BandedLeastSquares::WIDTH];
            let start = section.saturating_sub(1).max(first);
            let all = [section.checked_sub(1), Some(section), Some(section + 1), after.map(|_| section + 2)];
            for (index, weight) in all.into_iter().zip([w0, w1, w2, w3]) {
                match index {
                    Some(index) if (first..=last).contains(&index) => weights[index - start] = weight,
                    Some(index) => value -= weight * self.values[index],
                    None => {}
                }
            }
            let count = weights.len().min(last + 1 - start);
            system.add(start - first, &weights[..count], value);
        }
    }
}
