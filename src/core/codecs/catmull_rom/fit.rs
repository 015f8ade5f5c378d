//! The fit of one track: from two keys to as many as it needs, with keys that turn out unnecessary removed again.

use super::section_error::{Beyond, Cost, SectionError};
use crate::codecs::encode::keys::{Interest, KeyChain};
use crate::codecs::runtime::{SplineKey, SplineSection, SplineShape};
use glam::Vec4;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The place of the next key in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insertion {
    /// In the middle (Riot).
    Midpoint,
    /// At the largest error.
    WorstSample,
}

/// The values of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyValues {
    /// Those of the track: the curve goes through its samples (Riot).
    Interpolation,
    /// Those with the smallest sum of squared differences over all samples (Riot's proposed next step).
    LeastSquares,
}

/// The settings of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitSettings {
    pub insertion: Insertion,
    pub values: KeyValues,
    /// True if all sections beyond the limit get a key at once, instead of the worst section only. Faster, but needs some more keys unless
    /// they are removed again.
    pub in_rounds: bool,
}

/// A new key changes the values of this many keys on both sides. Keys further away hardly change.
const REACH: usize = 6;
/// Sections before the one that begins at a key which change with the key's value.
const BEFORE: usize = 2;
/// A squared error of this many squared limits is far beyond the limit: the exact error of such sections is not needed. On the corpus at
/// 0.1 mm, 4, 16 and 64 give bytes that differ by 0.02 %.
const FAR: f32 = 16.0;
/// The same for splitting all sections at once. On the hand-keyed clips of the corpus at 0.1 mm this adds 0.2 % to the bytes, a
/// quarter of it 0.5 %, and a thousandth 2.5 %.
const AT_ONCE: f32 = 16_384.0;
/// Keys on both sides of a removed key whose own removal then has another cost.
const COST_REACH: usize = 3;

/// A curve through some of a track's samples, which grows key by key.
pub struct CurveFit<'a, S> {
    pub(super) settings: FitSettings,
    pub(super) shape: SplineShape,
    /// One per sample; rotations are continuous in sign.
    pub(super) targets: &'a [Vec4],
    /// Weight per sample in least squares. Empty if all are 1.
    pub(super) weights: &'a [f32],
    /// The decoded form of a value stored for a sample.
    pub(super) stored: S,
    /// Steps per sample at which errors are measured.
    stride: usize,
    pub(super) keys: KeyChain,
    count: usize,
    /// The values to store, one per sample. Unused at samples without a key.
    pub(super) values: Vec<Vec4>,
    /// The same values, decoded.
    pub(super) decoded: Vec<Vec4>,
    /// The error of the section that begins at each key.
    errors: Vec<SectionError>,
    inserted: Vec<u32>,
}

impl<'a, S: Fn(usize, Vec4) -> Vec4> CurveFit<'a, S> {
    /// A fit with the first and the last sample as keys. A track of one sample has one key.
    pub fn new(
        settings: FitSettings,
        shape: SplineShape,
        (targets, weights): (&'a [Vec4], &'a [f32]),
        stride: usize,
        stored: S,
    ) -> Self {
        let last = targets.len() - 1;
        let inserted: Vec<u32> = if last > 0 { vec![0, last as u32] } else { vec![0] };
        let mut fit = Self {
            settings,
            shape,
            targets,
            weights,
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

    /// Inserts keys until all sections are within the limit. Returns false as soon as that takes more than `max_keys`. `error_sq` is the
    /// squared error of a value at a step, computed as far as the [`Interest`] asks.
    ///
    /// While interpolating curves are far beyond the limit, every such section gets a key at once. After that, the worst section gets one,
    /// again and again. With [`FitSettings::in_rounds`] every section beyond the limit gets one at once.
    pub fn run(&mut self, limit_sq: f32, max_keys: usize, error_sq: impl Fn(usize, Vec4, Interest) -> f32) -> bool {
        let FitSettings { in_rounds, values, .. } = self.settings;
        let at_once_sq = match values {
            _ if in_rounds => limit_sq,
            KeyValues::Interpolation => AT_ONCE * limit_sq,
            // Solved values depend on the order of the keys.
            KeyValues::LeastSquares => f32::INFINITY,
        };
        (at_once_sq == f32::INFINITY || self.split_all(at_once_sq, max_keys, &error_sq))
            && (in_rounds || self.split_worst(limit_sq, max_keys, &error_sq))
            && self.count <= max_keys
    }

    /// Inserts a key into the worst section beyond the limit, until there is none.
    fn split_worst(
        &mut self,
        limit_sq: f32,
        max_keys: usize,
        error_sq: &impl Fn(usize, Vec4, Interest) -> f32,
    ) -> bool {
        let mut beyond = BinaryHeap::new();
        let enough_sq = match self.settings.insertion {
            Insertion::Midpoint => FAR * limit_sq,
            Insertion::WorstSample => f32::INFINITY,
        };
        let asked = Interest { above_sq: limit_sq, enough_sq };
        self.measure((0, self.targets.len() - 1), asked, error_sq, |section| beyond.push(section));
        while let Some(section) = self.next_section(limit_sq, &mut beyond) {
            if self.count >= max_keys {
                return false;
            }
            let touched = self.insert_after(section, self.middle(section));
            self.measure(touched, asked, error_sq, |section| beyond.push(section));
        }
        true
    }

    /// Inserts a key into each section beyond the limit, in rounds, until there is none.
    fn split_all(&mut self, limit_sq: f32, max_keys: usize, error_sq: &impl Fn(usize, Vec4, Interest) -> f32) -> bool {
        let asked = match self.settings.insertion {
            Insertion::Midpoint => Interest::within(limit_sq),
            Insertion::WorstSample => Interest { above_sq: limit_sq, enough_sq: f32::INFINITY },
        };
        let mut beyond: Vec<usize> = Vec::new();
        let mut touched = vec![(0, self.targets.len() - 1)];
        loop {
            beyond.clear();
            for stretch in touched {
                self.measure(stretch, asked, error_sq, |section| beyond.push(section.start as usize));
            }
            if beyond.is_empty() {
                return true;
            }
            if self.count + beyond.len() > max_keys {
                return false;
            }
            for start in &mut beyond {
                let sample = self.middle(*start);
                self.add_key(*start, sample);
                *start = sample;
            }
            touched = self.touched(&beyond);
            if self.settings.values == KeyValues::LeastSquares {
                touched.iter().for_each(|(first, last)| self.solve(*first, *last));
            }
        }
    }

    /// The first and the last key of each run of keys that new keys at some samples, ascending, change.
    fn touched(&self, inserted: &[usize]) -> Vec<(usize, usize)> {
        let reach = if self.settings.values == KeyValues::LeastSquares { REACH } else { 0 };
        let mut stretches: Vec<(usize, usize)> = Vec::new();
        for &sample in inserted {
            let (first, last) = (self.keys.back(sample, reach), self.keys.forward(sample, reach));
            match stretches.last_mut() {
                Some(stretch) if self.keys.back(first, BEFORE) <= self.keys.forward(stretch.1, 1) => {
                    stretch.1 = last;
                }
                _ => stretches.push((first, last)),
            }
        }
        stretches
    }

    /// Removes keys again, the one with the smallest resulting error first, until none can be removed within the limit. The order of
    /// insertion is then lost.
    pub fn thin_out(&mut self, limit_sq: f32, error_sq: impl Fn(usize, Vec4, Interest) -> f32) {
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

    /// Records the error after the removal of a key, if it can be removed.
    fn offer_removal(
        &self,
        key: usize,
        limit_sq: f32,
        error_sq: &impl Fn(usize, Vec4, Interest) -> f32,
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
        let asked = Interest { enough_sq: limit_sq, ..Interest::ALL };
        let mut worst_sq = 0.0f32;
        for (before, ends, after) in sections.into_iter().flatten().filter(|(_, ends, _)| self.is_judged(*ends)) {
            let section = self.section_between(before, ends, after);
            worst_sq = worst_sq.max(self.error_of(&section, ends, asked.beyond(worst_sq), error_sq).worst_sq);
            if worst_sq > limit_sq {
                break;
            }
        }
        costs[key] = worst_sq;
        if worst_sq <= limit_sq {
            heap.push(Cost { error_sq: worst_sq, key });
        }
    }

    /// Adds a key at a sample that has none. Returns the first and the last key whose values changed.
    pub fn insert(&mut self, sample: usize) -> (usize, usize) {
        let before = (0..sample).rev().find(|sample| self.keys.is_key(*sample)).unwrap_or(0);
        self.insert_after(before, sample)
    }

    fn add_key(&mut self, before: usize, sample: usize) {
        self.keys.insert(sample, before);
        self.count += 1;
        self.set(sample, self.targets[sample]);
        self.inserted.push(sample as u32);
    }

    fn insert_after(&mut self, before: usize, sample: usize) -> (usize, usize) {
        self.add_key(before, sample);
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

    /// The number of keys.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The key values to store, and the samples in the order of insertion.
    pub fn into_values(self) -> (Vec<Vec4>, Vec<u32>) {
        (self.keys.from(0).map(|key| self.values[key]).collect(), self.inserted)
    }

    /// The steps from one sample to another, without the end.
    fn steps(&self, start: usize, end: usize) -> std::ops::Range<usize> {
        start * self.stride..end * self.stride
    }

    fn sample_of(&self, step: usize) -> f64 {
        step as f64 / self.stride as f64
    }

    /// The section that begins at a key. `None` at the last key.
    fn section(&self, start: usize) -> Option<SplineSection> {
        let end = self.keys.after(start)?;
        Some(self.section_between(self.keys.before(start), [start, end], self.keys.after(end)))
    }

    fn section_between(&self, before: Option<usize>, ends: [usize; 2], after: Option<usize>) -> SplineSection {
        let key = |sample: usize| SplineKey { sample: sample as u32, value: self.decoded[sample] };
        SplineSection::between(before.map(key), ends.map(key), after.map(key), self.shape)
    }

    /// Measures all sections that change with the keys from `first` to `last`. Notes those whose error is of interest and that have room
    /// for a key.
    fn measure(
        &mut self,
        (first, last): (usize, usize),
        asked: Interest,
        error_sq: &impl Fn(usize, Vec4, Interest) -> f32,
        mut note: impl FnMut(Beyond),
    ) {
        let last_start = self.keys.forward(last, 1);
        let mut next = Some(self.keys.back(first, BEFORE));
        while let Some(start) = next.filter(|start| *start <= last_start) {
            next = self.keys.after(start);
            let Some(end) = next else { break };
            // A section without room for a key cannot be improved.
            if end - start == 1 {
                self.errors[start] = SectionError::default();
                continue;
            }
            let section = self.section_between(self.keys.before(start), [start, end], self.keys.after(end));
            self.errors[start] = self.error_of(&section, [start, end], asked, error_sq);
            if self.errors[start].worst_sq > asked.above_sq {
                note(self.beyond(start, end));
            }
        }
    }

    /// The steps at which the error of a section is measured. An interpolated key has only its rounding error, which more keys would not
    /// reduce.
    fn judged(&self, [start, end]: [usize; 2]) -> Range<usize> {
        let steps = self.steps(start, end);
        match self.settings.values {
            KeyValues::Interpolation => steps.start + 1..steps.end,
            KeyValues::LeastSquares => steps.start..steps.end + 1,
        }
    }

    fn is_judged(&self, ends: [usize; 2]) -> bool {
        !self.judged(ends).is_empty()
    }

    /// The largest error of a section as far as it is of interest, searched from the middle outwards.
    fn error_of(
        &self,
        section: &SplineSection,
        [start, end]: [usize; 2],
        asked: Interest,
        error_sq: &impl Fn(usize, Vec4, Interest) -> f32,
    ) -> SectionError {
        let judged = self.judged([start, end]);
        let middle = judged.start + judged.len() / 2;
        let from_middle = (middle..judged.end).chain((judged.start..middle).rev());
        let mut worst = SectionError { worst_sq: 0.0, step: start * self.stride };
        for step in from_middle {
            let found = error_sq(step, section.value(self.sample_of(step)), asked.beyond(worst.worst_sq));
            if found > worst.worst_sq || found == worst.worst_sq && step < worst.step {
                worst = SectionError { worst_sq: found, step };
            }
            if found > asked.enough_sq {
                break;
            }
        }
        worst
    }

    fn beyond(&self, start: usize, end: usize) -> Beyond {
        Beyond { rank: self.errors[start].worst_sq, start: start as u32, end: end as u32 }
    }

    /// The next section to split. Skips notes about sections that have changed since.
    fn next_section(&self, limit_sq: f32, beyond: &mut BinaryHeap<Beyond>) -> Option<usize> {
        while let Some(noted) = beyond.pop() {
            let (start, end) = (noted.start as usize, noted.end as usize);
            let is_there = self.keys.is_key(start) && self.keys.after(start) == Some(end);
            if is_there && self.errors[start].worst_sq > limit_sq && self.beyond(start, end) == noted {
                return Some(start);
            }
        }
        None
    }

    /// The sample at which to split a section that has room.
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

    /// True for a key with keys at both neighbouring samples: it affects only its own sample.
    pub(super) fn is_hemmed(&self, key: usize) -> bool {
        let near = |other: Option<usize>| other.is_none_or(|other| key.abs_diff(other) == 1);
        near(self.keys.before(key)) && near(self.keys.after(key))
    }
}
