//! Keys for editing: few, at the keys of the source, on curves with continuous tangents.

use super::curve::{Curve, Interpolation, KeyTime};
use super::track::Track;
use super::turned::turned_tangents;
use crate::math::hermite_weights;
use glam::Vec4;
use std::collections::BTreeSet;

/// Weight of the slope of the samples for a tangent. It matters mainly if there are no samples between keys.
const SLOPE_WEIGHT: f32 = 1e-3;
/// Limit on keys times samples of a track for removing keys again. Each attempt solves the whole track.
const REMOVAL_WORK: usize = 1 << 21;
/// Part of the keys of a smooth curve that one with kinks may have: editors prefer smooth curves.
const BENT_PART: f32 = 2.0 / 3.0;
/// Least number of samples per key of the source. Fewer do not give the tangents of its curves.
const SPARSE: usize = 3;

impl Track {
    /// Fits keys for editing. `None` if the node's own value is enough.
    pub(super) fn fit_editable(&self) -> Option<Curve> {
        let exact = self.exact();
        if self.is_at_rest() {
            return None;
        }
        if self.is_constant(self.values[0]) {
            return Some(self.curve(Interpolation::Step, vec![KeyTime::at(0)], &exact));
        }
        if self.held.len() + 1 == self.values.len() {
            return Some(self.curve(Interpolation::Step, self.changes(), &exact));
        }
        let keyed = Self { forced: self.forced.union(&self.set).copied().collect(), ..self.clone() };
        let lines = keyed.straight(&exact, Interpolation::Linear);
        let smooth = keyed.smooth();
        let source = self.source.clone().filter(|_| self.budget > 0.0);
        // Of equals the first.
        let best = [Some(lines), smooth, source].into_iter().flatten().min_by_key(|curve| curve.times.len());
        let is_better = |bent: &Curve| {
            best.as_ref().is_none_or(|best| bent.times.len() as f32 <= BENT_PART * best.times.len() as f32)
        };
        keyed.bent().filter(is_better).or(best)
    }

    /// Cubics with two tangents per key, which may differ: motion with kinks, such as steps of feet, needs fewer keys.
    fn bent(&self) -> Option<Curve> {
        let may_bend = self.bends && self.budget > 0.0 && self.held.is_empty();
        may_bend.then(|| self.longest_cubics()).flatten()
    }

    /// The curve of the source, if its keys are cubics at samples. The samples between two keys give their tangents, which may differ at
    /// both sides of a key. `None` if the samples do not lie on such cubics, or if keys are so dense that they give no tangents.
    pub(super) fn source_cubic(&self) -> Option<Curve> {
        let is_sparse = !self.set.is_empty() && SPARSE * self.set.len() < self.values.len();
        if !is_sparse || !self.allows_cubic || self.budget <= 0.0 || !self.held.is_empty() {
            return None;
        }
        let (first, last) = (*self.set.first()?, *self.set.last()?);
        // Players hold the first key before it, and the last one after it.
        let held = |from: usize, to: usize| (from..=to).all(|sample| self.values[sample] == self.values[from]);
        let end = self.values.len() - 1;
        let ends = [(held(0, first), 0), (held(last, end), end)].into_iter().filter(|(held, _)| !held);
        let keys: BTreeSet<usize> = self.set.iter().copied().chain(ends.map(|(_, sample)| sample)).collect();
        self.cubic_through(&keys.into_iter().collect::<Vec<_>>(), |a, b| self.source_between(a, b))
    }

    /// Tangents of the source in an interval. Those of a rotation may have any length, as in a file.
    fn source_between(&self, a: usize, b: usize) -> Option<[Vec4; 2]> {
        let ends = [self.values[a], self.values[b]];
        if b == a + 1 {
            return Some([ends[1] - ends[0]; 2]); // no sample between shows a curve
        }
        let turned = self.is_rotation.then(|| turned_tangents(ends, self.slopes(a, b), self.between(a, b))).flatten();
        turned.filter(|tangents| self.holds(*tangents, a, b)).or_else(|| self.cubic_between(a, b))
    }

    /// A smooth curve. It starts with the forced keys, the first and the last sample. Each round adds the worst sample of every section
    /// over the budget. At the end, keys that are not needed are removed. `None` if samples are held, or if the budget is zero.
    fn smooth(&self) -> Option<Curve> {
        if !self.allows_cubic || self.budget <= 0.0 || !self.held.is_empty() {
            return None;
        }
        let wanted: BTreeSet<usize> = self.forced.iter().copied().chain([0, self.values.len() - 1]).collect();
        let mut samples = wanted.clone();
        loop {
            let curve = self.smooth_through(&samples);
            let more = self.worst_ones(&curve);
            if more.is_empty() {
                return Some(self.without_needless(curve, samples, &wanted));
            }
            samples.extend(more);
        }
    }

    /// The worst sample of every section over the budget.
    fn worst_ones(&self, curve: &Curve) -> Vec<usize> {
        let off = |s: usize| (s, self.error(curve.at(s as f64), self.values[s]));
        let worst = |section: &[KeyTime]| {
            let between = (section[0].sample + 1..section[1].sample).map(off);
            between.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, error)| *error > self.budget)
        };
        curve.times.windows(2).filter_map(worst).map(|(sample, _)| sample).collect()
    }

    /// Removes added keys while the curve stays within the budget.
    fn without_needless(&self, mut curve: Curve, mut samples: BTreeSet<usize>, wanted: &BTreeSet<usize>) -> Curve {
        if samples.len() * self.values.len() > REMOVAL_WORK {
            return curve;
        }
        let added: Vec<usize> = samples.difference(wanted).copied().collect();
        for sample in added {
            samples.remove(&sample);
            let fewer = self.smooth_through(&samples);
            if self.worst_ones(&fewer).is_empty() {
                curve = fewer;
            } else {
                samples.insert(sample);
            }
        }
        curve
    }

    /// Cubics through some samples, with one tangent per key. The tangents fit the samples between keys by least squares. Each equation has
    /// a key and its neighbours.
    fn smooth_through(&self, samples: &BTreeSet<usize>) -> Curve {
        let keys: Vec<usize> = samples.iter().copied().collect();
        let mut diagonal = vec![SLOPE_WEIGHT; keys.len()];
        let mut beside = vec![0.0f32; keys.len()];
        let mut right: Vec<Vec4> = keys.iter().map(|&key| self.slope(key) * SLOPE_WEIGHT).collect();
        for (at, section) in keys.windows(2).enumerate() {
            let [a, b] = [section[0], section[1]];
            let span = (b - a) as f32;
            for sample in a + 1..b {
                let [wa, out, wb, into] = hermite_weights((sample - a) as f32 / span);
                let left = self.values[sample] - self.values[a] * wa - self.values[b] * wb;
                let [out, into] = [out * span, into * span];
                diagonal[at] += out * out;
                diagonal[at + 1] += into * into;
                beside[at] += out * into;
                right[at] += left * out;
                right[at + 1] += left * into;
            }
        }
        let tangents = solved(diagonal, &beside, right).into_iter().map(|tangent| [tangent; 2]).collect();
        let times = keys.into_iter().map(KeyTime::at).collect();
        Curve { tangents, ..self.curve(Interpolation::Cubic, times, &self.exact()) }
    }
}

/// Solves a tridiagonal system, symmetric and positive definite, by Thomas' algorithm.
fn solved(mut diagonal: Vec<f32>, beside: &[f32], mut right: Vec<Vec4>) -> Vec<Vec4> {
    for at in 1..diagonal.len() {
        let factor = beside[at - 1] / diagonal[at - 1];
        diagonal[at] -= factor * beside[at - 1];
        let before = right[at - 1];
        right[at] -= before * factor;
    }
    for at in (0..diagonal.len()).rev() {
        if let Some(&after) = right.get(at + 1) {
            right[at] -= after * beside[at];
        }
        right[at] /= diagonal[at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::super::track::Style;
    use super::*;

    fn track(x: impl Iterator<Item = f32>, set: &[usize]) -> Track {
        Track {
            values: x.map(|x| Vec4::new(x, 0.0, 0.0, 0.0)).collect(),
            rest: Vec4::X * 9.0,
            is_rotation: false,
            radius: 1.0,
            held: BTreeSet::new(),
            set: set.iter().copied().collect(),
            source: None,
            budget: 1e-3,
            forced: BTreeSet::new(),
            style: Style::Editable,
            allows_shorts: false,
            allows_cubic: true,
            bends: false,
        }
    }

    fn keys(curve: &Curve) -> Vec<usize> {
        curve.times.iter().map(|time| time.sample).collect()
    }

    /// Two cubics of an editor that meet smoothly at sample 20. The test finds their keys, and no other.
    fn two_cubics(sample: usize) -> f32 {
        let hermite = |a: f32, out: f32, b: f32, into: f32, t: f32| {
            let [wa, wout, wb, winto] = hermite_weights(t);
            a * wa + out * wout + b * wb + into * winto
        };
        match sample {
            0..=20 => hermite(0.0, 0.0, 1.0, 0.4, sample as f32 / 20.0),
            _ => hermite(1.0, 0.8, -0.5, 0.0, (sample - 20) as f32 / 40.0),
        }
    }

    #[test]
    fn the_keys_of_an_editor_are_found_again() {
        let curve = track((0..61).map(two_cubics), &[0, 20, 60]).fit().unwrap();
        assert_eq!((curve.interpolation, keys(&curve)), (Interpolation::Cubic, vec![0, 20, 60]));
        for (tangent, expected) in curve.tangents.iter().zip([0.0, 0.02, 0.0]) {
            assert!((tangent[0].x - expected).abs() < 1e-3 && tangent[0] == tangent[1], "{tangent:?}");
        }
        let unknown = track((0..61).map(two_cubics), &[]).fit().unwrap();
        assert!(unknown.times.len() <= 6, "{:?}", keys(&unknown));
        let lines = Track { allows_cubic: false, ..track((0..61).map(two_cubics), &[0, 20, 60]) }.fit().unwrap();
        assert_eq!(lines.interpolation, Interpolation::Linear);
        assert!([0, 20, 60].iter().all(|key| keys(&lines).contains(key)) && lines.times.len() > 6);
    }

    #[test]
    fn a_source_that_starts_late_and_ends_early_needs_no_keys_at_the_ends() {
        let late = |sample: usize| two_cubics(sample.clamp(5, 65) - 5) + if sample > 25 { 0.3 } else { 0.0 };
        let mut track = track((0..70).map(late), &[5, 25, 26, 65]);
        track.source = track.source_cubic();
        let source = track.source.clone().unwrap();
        assert_eq!(keys(&source), [5, 25, 26, 65]);
        assert!((0..70).all(|s| (source.at(s as f64).x - late(s)).abs() <= track.budget));
        let moving = Track { set: [5, 25, 26, 40].into(), ..track };
        assert!(moving.source_cubic().is_none_or(|curve| keys(&curve).ends_with(&[69])), "it moves after its last key");
    }

    #[test]
    fn every_sample_is_kept_within_the_budget_and_lines_stay_lines() {
        let wave = |s: usize| (s as f32 * 0.21).sin() + if s > 33 { 0.5 } else { 0.0 };
        let curve = track((0..90).map(wave), &[]).fit().unwrap();
        assert!(curve.times.len() < 45, "{:?}", keys(&curve));
        assert!((0..90).all(|s| (curve.at(s as f64).x - wave(s)).abs() <= 1e-3));
        let line = track((0..30).map(|s| s as f32 * 0.5), &[]).fit().unwrap();
        assert_eq!((line.interpolation, keys(&line)), (Interpolation::Linear, vec![0, 29]));
        assert_eq!(track((0..30).map(|_| 9.0), &[3]).fit(), None, "what does not move needs no keys");
    }

    #[test]
    fn a_key_that_is_asked_for_keeps_the_curve_smooth_as_long_as_samples_are_left() {
        let mut smooth = track((0..61).map(two_cubics), &[0, 20, 60]);
        let curve = smooth.fit();
        assert!(smooth.tighten(curve.as_ref(), 30.5) && smooth.allows_cubic);
        let curve = smooth.fit().unwrap();
        assert!(keys(&curve).contains(&30) && curve.interpolation == Interpolation::Cubic);
        smooth.tighten(Some(&curve), 30.5);
        assert!(!smooth.allows_cubic, "between neighbours only a line can follow");
    }
}
