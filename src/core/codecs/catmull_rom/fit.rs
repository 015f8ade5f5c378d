//! The fit of one track: from two keys to as many as it takes, and back to those that are needed.

use super::section_error::{Beyond, Cost, SectionError};
use crate::codecs::encode::keys::{Interest, KeyChain};
use crate::codecs::runtime::{SplineKey, SplineSection, SplineShape};
use glam::Vec4;
use std::collections::BinaryHeap;
use std::ops::Range;

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
    /// Whether all sections beyond the limit get a key at a time and not the worst, so that nobody looks for it: faster. Some more
    /// keys, unless they are removed again.
    pub in_rounds: bool,
}

/// A new key moves this many keys on both sides of it; what lies farther hardly feels it.
const REACH: usize = 6;
/// Sections before a key that change with its value, but for the one that begins there.
const BEFORE: usize = 2;
/// Sections are far beyond the limit where the square of their error is so many times that of the limit: nobody looks then which of
/// them is the worst. On the corpus at 0.1 mm, 4, 16 and 64 give bytes that differ by 0.02 %.
const FAR: f32 = 16.0;
/// The same where all of them get a key at a time. On the hand-keyed clips of the corpus at 0.1 mm that adds 0.2 % to the bytes, a
/// quarter of it 0.5 %, and a thousandth 2.5 %.
const AT_ONCE: f32 = 16_384.0;
/// Keys on both sides of one whose removal changes what the removal of these would cost.
const COST_REACH: usize = 3;

/// A curve through some of a track's samples, which grows key by key.
pub struct CurveFit<'a, S> {
    pub(super) settings: FitSettings,
    pub(super) shape: SplineShape,
    /// One per sample; rotations are continuous in sign.
    pub(super) targets: &'a [Vec4],
    /// How much each counts in least squares; empty where all count once.
    pub(super) weights: &'a [f32],
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

    /// Inserts keys until all sections are within the limit; false as soon as that takes more than `max_keys`. `error_sq` is that of
    /// a value at a step, as far as it is of interest.
    ///
    /// As long as curves through samples are far beyond the limit, all such sections get a key at a time, whichever is the worst;
    /// then the worst, again and again. With [`FitSettings::in_rounds`] all that are beyond the limit get one at a time.
    pub fn run(&mut self, limit_sq: f32, max_keys: usize, error_sq: impl Fn(usize, Vec4, Interest) -> f32) -> bool {
        let FitSettings { in_rounds, values, .. } = self.settings;
        let at_once_sq = match values {
            _ if in_rounds => limit_sq,
            KeyValues::Interpolation => AT_ONCE * limit_sq,
            // What keys were solved for depends on their order.
            KeyValues::LeastSquares => f32::INFINITY,
        };
        (at_once_sq == f32::INFINITY || self.split_all(at_once_sq, max_keys, &error_sq))
            && (in_rounds || self.split_worst(limit_sq, max_keys, &error_sq))
            && self.count <= max_keys
    }

    /// Inserts keys into the worst section of those beyond the limit, again and again.
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

    /// Inserts keys into all sections that are beyond the limit at a time.
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

    /// The first and the last key of each stretch of keys that those at some samples, ascending, change.
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

    /// Removes keys again, the one whose removal leaves the smallest error first, until none can go within the limit. There is
    /// no order then in which those that are left were inserted.
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

    /// Notes what the removal of a key costs, where it can go.
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

    /// Adds a key at a sample that has none; returns the first and the last key whose values are other ones now.
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

    /// Looks at all sections that a change of keys from `first` to `last` changes; those that are beyond what is of interest
    /// and have room for a key are noted.
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
            // Nothing can be mended in one without room.
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

    /// Steps at which the error of a section is looked at. An interpolated key is off by its rounding alone, which more keys
    /// would not mend.
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

    /// The largest error of a section as far as it is of interest, looked for from its middle on.
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

    /// The section that is to be split next. What was noted of sections that have changed since is passed over.
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
