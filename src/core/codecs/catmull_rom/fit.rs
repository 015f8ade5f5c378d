//! The fit of one track: from two keys to as many as it takes, and back to those that are needed.

use super::section_error::{Beyond, Cost, SectionError};
use crate::codecs::encode::keys::KeyChain;
use crate::codecs::runtime::{SplineKey, SplineSection, SplineShape};
use glam::Vec4;
use std::collections::BinaryHeap;

/// Where the next key of a section goes.
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

/// How a curve is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitSettings {
    pub insertion: Insertion,
    pub values: KeyValues,
    /// Whether the longest section is split next and not the worst (Riot): nobody looks further then than to the first error
    /// beyond the limit. More keys, unless they are removed again. Only with [`Insertion::Midpoint`].
    pub longest_first: bool,
}

/// A new key moves this many keys on both sides of it; what lies farther hardly feels it.
const REACH: usize = 6;
/// Keys on both sides of one whose removal changes what the removal of these would cost.
const COST_REACH: usize = 3;

/// A curve through some of a track's samples, which grows key by key.
pub struct CurveFit<'a, S> {
    pub(super) settings: FitSettings,
    pub(super) shape: SplineShape,
    /// One per sample; rotations are continuous in sign.
    pub(super) targets: &'a [Vec4],
    /// What reads back when a value is stored for a sample.
    pub(super) stored: S,
    /// Steps per sample at which errors are looked at.
    stride: usize,
    pub(super) keys: KeyChain,
    count: usize,
    /// As they are to be stored, one per sample; of no meaning where there is no key.
    pub(super) values: Vec<Vec4>,
    /// The same as they decode.
    pub(super) decoded: Vec<Vec4>,
    /// Of the section that begins at each sample, where that is a key.
    errors: Vec<SectionError>,
    inserted: Vec<u32>,
}

impl<'a, S: Fn(usize, Vec4) -> Vec4> CurveFit<'a, S> {
    /// The first and the last sample; a track of one has one key.
    pub fn new(settings: FitSettings, shape: SplineShape, targets: &'a [Vec4], stride: usize, stored: S) -> Self {
        let last = targets.len() - 1;
        let inserted: Vec<u32> = if last > 0 { vec![0, last as u32] } else { vec![0] };
        let mut fit = Self {
            settings,
            shape,
            targets,
            stored,
            stride,
            keys: KeyChain::ends(targets.len()),
            count: inserted.len(),
            values: targets.to_vec(),
            decoded: targets.to_vec(),
            errors: vec![SectionError::default(); targets.len()],
            inserted,
        };
        [0, last].into_iter().for_each(|sample| fit.set(sample, targets[sample]));
        if settings.values == KeyValues::LeastSquares {
            fit.solve(0, last);
        }
        fit
    }

    pub(super) fn set(&mut self, sample: usize, value: Vec4) {
        self.values[sample] = value;
        self.decoded[sample] = (self.stored)(sample, value);
    }

    /// Inserts keys into the worst section, or the longest of those beyond the limit, again and again, until all are within the limit; false as soon as that takes more
    /// than `max_keys`. `error_sq` is that of a value at a step; it may be any beyond the limit given to it where it is beyond it.
    pub fn run(&mut self, limit_sq: f32, max_keys: usize, error_sq: impl Fn(usize, Vec4, f32) -> f32) -> bool {
        let mut beyond = BinaryHeap::new();
        self.measure((0, self.targets.len() - 1), limit_sq, &error_sq, &mut beyond);
        while let Some(section) = self.next_section(limit_sq, &mut beyond) {
            if self.count >= max_keys {
                return false;
            }
            let touched = self.insert_after(section, self.middle(section));
            self.measure(touched, limit_sq, &error_sq, &mut beyond);
        }
        self.count <= max_keys
    }

    /// Removes keys again, the one whose removal leaves the smallest error first, until none can go within the limit. There is
    /// no order then in which those that are left were inserted.
    pub fn thin_out(&mut self, limit_sq: f32, error_sq: impl Fn(usize, Vec4, f32) -> f32) {
        let mut costs = vec![f32::INFINITY; self.targets.len()];
        let mut heap = BinaryHeap::new();
        let inner: Vec<usize> = self.keys.from(0).collect();
        inner.into_iter().for_each(|key| self.offer_removal(key, limit_sq, &error_sq, &mut costs, &mut heap));
        while let Some(Cost { error_sq: cost, key }) = heap.pop() {
            if !self.keys.is_key(key) || costs[key] != cost {
                continue;
            }
            let (before, after) = self.keys.neighbours(key);
            self.keys.remove(key);
            self.count -= 1;
            let (first, last) = (self.keys.back(before, COST_REACH - 1), self.keys.forward(after, COST_REACH - 1));
            let near: Vec<usize> = self.keys.from(first).take_while(|key| *key <= last).collect();
            near.into_iter().for_each(|key| self.offer_removal(key, limit_sq, &error_sq, &mut costs, &mut heap));
        }
        self.inserted.clear();
    }

    /// Notes what the removal of a key costs, where it can go.
    fn offer_removal(
        &self,
        key: usize,
        limit_sq: f32,
        error_sq: &impl Fn(usize, Vec4, f32) -> f32,
        costs: &mut [f32],
        heap: &mut BinaryHeap<Cost>,
    ) {
        let (Some(a), Some(b)) = (self.keys.before(key), self.keys.after(key)) else { return };
        let (before, after) = (self.keys.before(a), self.keys.after(b));
        let sections = [
            before.map(|start| (self.keys.before(start), [start, a], Some(b))),
            Some((before, [a, b], after)),
            after.map(|end| (Some(a), [b, end], self.keys.after(end))),
        ];
        let mut worst_sq = 0.0f32;
        for (before, ends, after) in sections.into_iter().flatten() {
            let section = self.section_between(before, ends, after);
            worst_sq = worst_sq.max(self.error_of(&section, ends, limit_sq, error_sq).worst_sq);
            if worst_sq > limit_sq {
                break;
            }
        }
        costs[key] = worst_sq;
        if worst_sq <= limit_sq {
            heap.push(Cost { error_sq: worst_sq, key });
        }
    }

    /// Adds a key at a sample that has none; returns the first and the last key whose values are other ones now.
    pub fn insert(&mut self, sample: usize) -> (usize, usize) {
        let before = (0..sample).rev().find(|sample| self.keys.is_key(*sample)).unwrap_or(0);
        self.insert_after(before, sample)
    }

    fn insert_after(&mut self, before: usize, sample: usize) -> (usize, usize) {
        self.keys.insert(sample, before);
        self.count += 1;
        self.set(sample, self.targets[sample]);
        self.inserted.push(sample as u32);
        match self.settings.values {
            KeyValues::Interpolation => (sample, sample),
            KeyValues::LeastSquares => {
                let (first, last) = (self.keys.back(sample, REACH), self.keys.forward(sample, REACH));
                self.solve(first, last);
                (first, last)
            }
        }
    }

    /// The curve at every step.
    pub fn curve(&self) -> Vec<Vec4> {
        let mut out = Vec::with_capacity((self.targets.len() - 1) * self.stride + 1);
        for start in self.keys.from(0) {
            let Some(section) = self.section(start) else { break };
            out.extend(self.steps(start, self.keys.forward(start, 1)).map(|step| section.value(self.sample_of(step))));
        }
        out.push(self.decoded[self.targets.len() - 1]);
        out
    }

    /// Samples of the keys, ascending.
    pub fn samples(&self) -> Vec<u32> {
        self.keys.kept()
    }

    /// How many keys there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Values of the keys, to be stored, and the samples in the order in which they were inserted.
    pub fn into_values(self) -> (Vec<Vec4>, Vec<u32>) {
        (self.keys.from(0).map(|key| self.values[key]).collect(), self.inserted)
    }

    /// Steps from a sample on to another, the latter not among them.
    fn steps(&self, start: usize, end: usize) -> std::ops::Range<usize> {
        start * self.stride..end * self.stride
    }

    fn sample_of(&self, step: usize) -> f64 {
        step as f64 / self.stride as f64
    }

    /// The section that begins at a key; `None` at the last.
    fn section(&self, start: usize) -> Option<SplineSection> {
        let end = self.keys.after(start)?;
        Some(self.section_between(self.keys.before(start), [start, end], self.keys.after(end)))
    }

    fn section_between(&self, before: Option<usize>, ends: [usize; 2], after: Option<usize>) -> SplineSection {
        let key = |sample: usize| SplineKey { sample: sample as u32, value: self.decoded[sample] };
        SplineSection::between(before.map(key), ends.map(key), after.map(key), self.shape)
    }

    /// Looks at all sections that a change of keys from `first` to `last` changes, and notes those that are beyond the limit and
    /// have room for a key.
    fn measure(
        &mut self,
        (first, last): (usize, usize),
        limit_sq: f32,
        error_sq: &impl Fn(usize, Vec4, f32) -> f32,
        beyond: &mut BinaryHeap<Beyond>,
    ) {
        let last_start = self.keys.forward(last, 1);
        let mut next = Some(self.keys.back(first, 2));
        while let Some(start) = next.filter(|start| *start <= last_start) {
            next = self.keys.after(start);
            let (Some(section), Some(end)) = (self.section(start), next) else { break };
            let enough_sq = if self.settings.longest_first { limit_sq } else { f32::INFINITY };
            self.errors[start] = self.error_of(&section, [start, end], enough_sq, error_sq);
            if self.errors[start].worst_sq > limit_sq && end - start > 1 {
                beyond.push(self.beyond(start, end));
            }
        }
    }

    /// The largest error of a section, or the first beyond `enough_sq`, looked for from its middle on.
    fn error_of(
        &self,
        section: &SplineSection,
        [start, end]: [usize; 2],
        enough_sq: f32,
        error_sq: &impl Fn(usize, Vec4, f32) -> f32,
    ) -> SectionError {
        let steps = self.steps(start, end);
        // An interpolated key is off by its rounding alone, which more keys would not mend.
        let judged = match self.settings.values {
            KeyValues::Interpolation => steps.start + 1..steps.end,
            KeyValues::LeastSquares => steps.start..steps.end + 1,
        };
        let middle = judged.start + judged.len() / 2;
        let from_middle = (middle..judged.end).chain((judged.start..middle).rev());
        let mut worst = SectionError { worst_sq: 0.0, step: steps.start };
        for step in from_middle {
            let found = error_sq(step, section.value(self.sample_of(step)), enough_sq);
            if found > worst.worst_sq || found == worst.worst_sq && step < worst.step {
                worst = SectionError { worst_sq: found, step };
            }
            if found > enough_sq {
                break;
            }
        }
        worst
    }

    fn beyond(&self, start: usize, end: usize) -> Beyond {
        let rank = if self.settings.longest_first { (end - start) as f32 } else { self.errors[start].worst_sq };
        Beyond { rank, start, end }
    }

    /// The section that is to be split next. What was noted of sections that have changed since is passed over.
    fn next_section(&self, limit_sq: f32, beyond: &mut BinaryHeap<Beyond>) -> Option<usize> {
        while let Some(noted) = beyond.pop() {
            let Beyond { start, end, .. } = noted;
            let is_there = self.keys.is_key(start) && self.keys.after(start) == Some(end);
            if is_there && self.errors[start].worst_sq > limit_sq && self.beyond(start, end) == noted {
                return Some(start);
            }
        }
        None
    }

    /// Where a section that has room is to be split.
    fn middle(&self, start: usize) -> usize {
        let end = self.keys.forward(start, 1);
        match self.settings.insertion {
            Insertion::Midpoint => start + (end - start) / 2,
            Insertion::WorstSample => {
                let worst = (self.errors[start].step + self.stride / 2) / self.stride;
                worst.clamp(start + 1, end - 1)
            }
        }
    }

    /// True for a key between keys at the neighbouring samples: nothing but its own sample is left for it to be near.
    pub(super) fn is_hemmed(&self, key: usize) -> bool {
        let near = |other: Option<usize>| other.is_none_or(|other| key.abs_diff(other) == 1);
        near(self.keys.before(key)) && near(self.keys.after(key))
    }
}
