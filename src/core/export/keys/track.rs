use super::curve::{Curve, Interpolation, KeyTime, Ticks, blend};
use super::numbers::Numbers;
use crate::math::{hermite, hermite_weights};
use glam::Vec4;
use std::collections::BTreeSet;
use std::ops::Range;

/// Bytes of a separate list of key times, for its accessor. Each time takes four more.
const TIMES_BYTES: usize = 90;

/// The kinds of keys that a track may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Style {
    /// glTF, for playback: the choice with the fewest bytes. No key if the node's own value is enough, one key, steps, lines or cubics.
    Gltf,
    /// glTF, for editing: no key, one key, steps, smooth cubics or lines.
    Editable,
    /// Straight lines between keys with these numbers.
    Chords(Numbers),
    /// A spline through keys with these numbers.
    Splines(Numbers, Ticks),
}

impl Style {
    /// Number format of its keys. For glTF, the format that every track may have.
    pub fn numbers(self) -> Numbers {
        match self {
            Self::Gltf | Self::Editable => Numbers::Floats,
            Self::Chords(numbers) | Self::Splines(numbers, _) => numbers,
        }
    }
}

/// The values of one channel of a joint at every sample, in the file's space, with the limits for its keys.
#[derive(Debug, Clone)]
pub struct Track {
    /// Decoded values. Signs of rotations are continuous.
    pub values: Vec<Vec4>,
    /// The node's value without animation.
    pub rest: Vec4,
    /// True for rotations.
    pub is_rotation: bool,
    /// Distance that a value change of one moves a point: one for translations.
    pub radius: f32,
    /// Samples whose values hold until the next sample.
    pub held: BTreeSet<usize>,
    /// Samples with keys in the source, if those are known.
    pub set: BTreeSet<usize>,
    /// The curve of the source, if it is known: see [`Track::source_cubic`].
    pub source: Option<Curve>,
    /// Largest error at a sample. Zero keeps every sample.
    pub budget: f32,
    /// Samples that must be keys.
    pub forced: BTreeSet<usize>,
    /// Kinds of keys that it may have.
    pub style: Style,
    /// True if 16-bit integers may be tried.
    pub allows_shorts: bool,
    /// True if cubics may be tried.
    pub allows_cubic: bool,
    /// True if keys for editing may have smooth curves between them, off the lines between samples.
    pub bends: bool,
}

impl Track {
    /// Fits the keys. `None` if the node's own value is enough, which only glTF supports.
    pub fn fit(&self) -> Option<Curve> {
        let read = self.exact();
        let curve = match self.style {
            Style::Gltf => return self.fit_gltf(),
            Style::Editable => return self.fit_editable(),
            _ if self.is_constant(self.values[0]) => self.curve(Interpolation::Step, vec![KeyTime::at(0)], &read),
            Style::Chords(_) => self.straight(&read, Interpolation::Chord),
            Style::Splines(_, ticks) => self.spline(&read, ticks),
        };
        Some(curve.stored(self.style.numbers()))
    }

    /// True if one value is close enough at all samples.
    pub(super) fn is_constant(&self, value: Vec4) -> bool {
        self.values.iter().all(|v| self.error(value, *v) <= self.budget)
            && (self.forced.is_empty() || self.values.iter().all(|v| *v == self.values[0]))
    }

    /// True if the node's own value is close enough at all samples.
    pub(super) fn is_at_rest(&self) -> bool {
        self.forced.is_empty() && self.values.iter().all(|v| self.error(self.rest, *v) <= self.budget)
    }

    fn fit_gltf(&self) -> Option<Curve> {
        if self.is_at_rest() {
            return None;
        }
        let reads = self.reads();
        for read in &reads {
            if self.is_constant(read.values[0]) {
                return Some(self.curve(Interpolation::Step, vec![KeyTime::at(0)], read));
            }
        }
        if self.held.len() + 1 == self.values.len() {
            return reads.first().map(|read| self.curve(Interpolation::Step, self.changes(), read));
        }
        let mut curves: Vec<Curve> = reads.iter().flat_map(|read| self.lines(read)).collect();
        curves.extend(self.cubic());
        curves.into_iter().min_by_key(|curve| self.bytes(curve))
    }

    /// Error of a value against the exact one, as the largest distance that something moves.
    pub fn error(&self, value: Vec4, exact: Vec4) -> f32 {
        if !self.is_rotation {
            return (value - exact).length() * self.radius;
        }
        let exact = if value.dot(exact) < 0.0 { -exact } else { exact };
        // Twice the distance of the quaternions: it covers their angle and any error of their length.
        2.0 * (value - exact).length() * self.radius
    }

    /// Error of a curve at a time in samples.
    pub fn error_at(&self, curve: Option<&Curve>, place: f64) -> f32 {
        self.error(curve.map_or(self.rest, |curve| curve.at(place)), self.exact_at(place))
    }

    /// The value of the source at a time in samples: on its cubics where they are known, else on the lines between samples.
    pub(super) fn exact_at(&self, place: f64) -> Vec4 {
        let (before, after) = (place.floor() as usize, place.ceil() as usize);
        let is_held = before < after && self.held.contains(&before);
        match (before == after || is_held, &self.source) {
            (true, _) => self.values[before],
            (false, Some(source)) => source.at(place),
            (false, None) => blend(self.values[before], self.values[after], place.fract(), self.is_rotation),
        }
    }

    /// The value at a time in samples on a smooth curve: that of the source, else one through all samples.
    pub(super) fn smooth_at(&self, place: f64) -> Vec4 {
        let before = place.floor() as usize;
        if place.fract() == 0.0 || self.held.contains(&before) {
            return self.values[before];
        }
        let through_samples = || {
            let [a, b] = [before, before + 1];
            let ends = [self.values[a], self.slope(a), self.values[b], self.slope(b)];
            hermite(ends, place.fract() as f32, self.is_rotation)
        };
        self.source.as_ref().map_or_else(through_samples, |source| source.at(place))
    }

    /// Makes the next fit follow the samples around a time more closely. Returns false if it cannot.
    pub fn tighten(&mut self, curve: Option<&Curve>, place: f64) -> bool {
        let around = [place.floor() as usize, place.ceil() as usize];
        let is_key = |curve: &Curve, sample| curve.times.binary_search(&KeyTime::at(sample)).is_ok();
        let only_shorts = match curve.map(|curve| (curve, curve.interpolation)) {
            Some((curve, Interpolation::Step)) => curve.numbers == Numbers::Shorts,
            Some((curve, Interpolation::Linear)) => around.into_iter().all(|sample| is_key(curve, sample)),
            _ => false,
        };
        if only_shorts {
            return std::mem::replace(&mut self.allows_shorts, false);
        }
        let may_bend =
            self.style == Style::Editable && !around.into_iter().all(|sample| curve.is_some_and(|c| is_key(c, sample)));
        self.allows_cubic &= may_bend;
        let before = self.forced.len();
        self.forced.extend(around);
        self.forced.len() > before
    }

    /// Keeps some samples exactly.
    pub fn keep(&mut self, samples: &Range<usize>) {
        if *samples == (0..self.values.len()) {
            return self.keep_all();
        }
        // A cubic chooses its own keys, but a line can get keys at these samples.
        (self.allows_shorts, self.allows_cubic) = (false, false);
        self.forced.extend(samples.clone());
    }

    /// Keeps every sample exactly.
    pub fn keep_all(&mut self) {
        (self.budget, self.allows_shorts, self.allows_cubic) = (0.0, false, false);
    }

    /// The values that readers may get: 16-bit integers, if all are within the budget, and the samples themselves.
    fn reads(&self) -> Vec<Read> {
        let exact = self.exact();
        if !(self.is_rotation && self.allows_shorts) {
            return vec![exact];
        }
        let numbers = Numbers::Shorts;
        let short = Read { values: self.values.iter().map(|v| numbers.read(*v)).collect(), numbers };
        let fits = short.values.iter().zip(&self.values).all(|(read, exact)| self.error(*read, *exact) <= self.budget);
        if fits { vec![short, exact] } else { vec![exact] }
    }

    pub(super) fn exact(&self) -> Read {
        Read { values: self.values.clone(), numbers: Numbers::Floats }
    }

    pub(super) fn curve(&self, interpolation: Interpolation, times: Vec<KeyTime>, read: &Read) -> Curve {
        Curve {
            interpolation,
            values: times.iter().map(|time| read.values[time.sample]).collect(),
            times,
            tangents: Vec::new(),
            is_rotation: self.is_rotation,
            numbers: read.numbers,
        }
    }

    /// Bytes of a curve. Key times at every sample are free, since they are in the file anyway.
    fn bytes(&self, curve: &Curve) -> usize {
        let own_times = if curve.times.len() == self.values.len() { 0 } else { TIMES_BYTES + 4 * curve.times.len() };
        curve.value_bytes() + own_times
    }

    /// The first and last sample, and those that differ from the sample before.
    pub(super) fn changes(&self) -> Vec<KeyTime> {
        let last = self.values.len() - 1;
        let is_key = |&s: &usize| s == 0 || s == last || self.values[s] != self.values[s - 1];
        (0..=last).filter(is_key).map(KeyTime::at).collect()
    }

    /// Straight lines, once with as few keys as the budget allows, and once with a key per sample. The times of the latter are in the file
    /// anyway.
    fn lines(&self, read: &Read) -> Vec<Curve> {
        let all = self.line(read, Interpolation::Linear, |a| a + 1);
        if self.budget <= 0.0 {
            return vec![all];
        }
        vec![self.straight(read, Interpolation::Linear), all]
    }

    /// Straight lines with as few keys as the budget allows.
    pub(super) fn straight(&self, read: &Read, interpolation: Interpolation) -> Curve {
        let reaches = |a, b| self.budget > 0.0 && self.is_on_line(read, interpolation, a, b);
        self.line(read, interpolation, |a| farthest(a, self.run_end(a), |b| reaches(a, b)))
    }

    fn line(&self, read: &Read, interpolation: Interpolation, next: impl Fn(usize) -> usize) -> Curve {
        let last = self.values.len() - 1;
        let mut times = vec![KeyTime::at(0)];
        let mut at = 0;
        while at < last {
            if self.held.contains(&at) {
                times.push(KeyTime { sample: at, ends_hold: true });
                at += 1;
            } else {
                at = next(at);
            }
            times.push(KeyTime::at(at));
        }
        self.curve(interpolation, times, read)
    }

    /// The last sample that a line from `a` may reach: the end, a held interval or a forced key.
    fn run_end(&self, a: usize) -> usize {
        let after = |set: &BTreeSet<usize>| set.range(a + 1..).next().copied();
        let stops = after(&self.forced).into_iter().chain(after(&self.held));
        stops.min().unwrap_or(usize::MAX).min(self.values.len() - 1)
    }

    fn is_on_line(&self, read: &Read, interpolation: Interpolation, a: usize, b: usize) -> bool {
        let (from, to) = (read.values[a], read.values[b]);
        let is_near = |s: usize| {
            let t = (s - a) as f64 / (b - a) as f64;
            self.error(interpolation.straight(from, to, t, self.is_rotation), self.values[s]) <= self.budget
        };
        (a + 1..b).all(is_near)
    }

    /// A spline that starts with the first and last sample. Each round adds the worst sample of every section over the budget.
    fn spline(&self, read: &Read, ticks: Ticks) -> Curve {
        let last = self.values.len() - 1;
        let mut samples: BTreeSet<usize> = self.forced.iter().copied().chain([0, last]).collect();
        if self.budget <= 0.0 {
            samples.extend(0..last);
        }
        loop {
            let times = samples.iter().copied().map(KeyTime::at).collect();
            let curve = self.curve(Interpolation::Spline(ticks), times, read);
            let off = |s: usize| (s, self.error(curve.at(s as f64), self.values[s]));
            let worst = |section: &[KeyTime]| {
                let between = (section[0].sample + 1..section[1].sample).map(off);
                between.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, error)| *error > self.budget)
            };
            let more: Vec<usize> = curve.times.windows(2).filter_map(worst).map(|(sample, _)| sample).collect();
            if more.is_empty() {
                return curve;
            }
            samples.extend(more);
        }
    }

    /// Cubics with as few keys as the budget allows. `None` if samples are held.
    fn cubic(&self) -> Option<Curve> {
        if !self.allows_cubic || self.budget <= 0.0 || !self.held.is_empty() {
            return None;
        }
        self.longest_cubics()
    }

    /// Cubics, each as long as the budget and the forced keys allow.
    pub(super) fn longest_cubics(&self) -> Option<Curve> {
        let last = self.values.len() - 1;
        let mut keys = vec![0];
        while let Some(&at) = keys.last().filter(|at| **at < last) {
            keys.push(farthest(at, self.run_end(at), |b| self.cubic_between(at, b).is_some()));
        }
        self.cubic_through(&keys, |a, b| self.cubic_between(a, b))
    }

    /// Cubics between these samples, with two tangents per key. `between` gives those of an interval, or `None` if it is over the budget.
    pub(super) fn cubic_through(
        &self,
        keys: &[usize],
        between: impl Fn(usize, usize) -> Option<[Vec4; 2]>,
    ) -> Option<Curve> {
        let mut tangents = vec![[Vec4::ZERO; 2]];
        for section in keys.windows(2) {
            let [a, b] = [section[0], section[1]];
            let span = (b - a) as f32;
            let [out, into] = between(a, b)?;
            tangents.last_mut()?[1] = out / span;
            tangents.push([into / span, Vec4::ZERO]);
        }
        let times = keys.iter().copied().map(KeyTime::at).collect();
        Some(Curve { tangents, ..self.curve(Interpolation::Cubic, times, &self.exact()) })
    }

    /// Change of the values around a sample, per sample.
    pub(super) fn slope(&self, sample: usize) -> Vec4 {
        let (before, after) = (sample.saturating_sub(1), (sample + 1).min(self.values.len() - 1));
        (self.values[after] - self.values[before]) / (after - before) as f32
    }

    /// Tangents of the cubic from sample `a` to `b` that fits the samples between best, per interval. `None` if the cubic is over the
    /// budget.
    pub(super) fn cubic_between(&self, a: usize, b: usize) -> Option<[Vec4; 2]> {
        let (from, to) = (self.values[a], self.values[b]);
        if b == a + 1 && self.forced.contains(&a) && self.forced.contains(&b) {
            return Some([to - from; 2]); // a curve between these was too far off
        }
        let [out, into] = nearest_tangents(from, to, self.between(a, b)).unwrap_or_else(|| self.slopes(a, b));
        self.holds([out, into], a, b).then_some([out, into])
    }

    /// The samples between two, with their times as parts of the interval.
    pub(super) fn between(&self, a: usize, b: usize) -> impl Iterator<Item = (f32, Vec4)> {
        (a + 1..b).map(move |s| ((s - a) as f32 / (b - a) as f32, self.values[s]))
    }

    /// Slopes of the samples at both ends of an interval, per interval.
    pub(super) fn slopes(&self, a: usize, b: usize) -> [Vec4; 2] {
        [self.slope(a), self.slope(b)].map(|slope| slope * (b - a) as f32)
    }

    /// True if a cubic with these tangents is within the budget between two samples.
    pub(super) fn holds(&self, [out, into]: [Vec4; 2], a: usize, b: usize) -> bool {
        let ends = [self.values[a], out, self.values[b], into];
        self.between(a, b).all(|(t, exact)| self.error(hermite(ends, t, self.is_rotation), exact) <= self.budget)
    }
}

/// The samples as a reader gets them.
pub(super) struct Read {
    values: Vec<Vec4>,
    numbers: Numbers,
}

/// A far sample, up to `end`, for which `reaches` holds. It is found by doubling the distance from `a`, then by bisection.
pub fn farthest(a: usize, end: usize, reaches: impl Fn(usize) -> bool) -> usize {
    let mut good = a + 1;
    let mut step = 2;
    while a + step <= end && reaches(a + step) {
        good = a + step;
        step *= 2;
    }
    let mut bad = (a + step).min(end + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if reaches(middle) { good = middle } else { bad = middle }
    }
    good
}

/// Tangents of least squares; `None` if there are too few samples.
fn nearest_tangents(from: Vec4, to: Vec4, between: impl Iterator<Item = (f32, Vec4)>) -> Option<[Vec4; 2]> {
    let (mut oo, mut oi, mut ii) = (0.0, 0.0, 0.0);
    let (mut out, mut into) = (Vec4::ZERO, Vec4::ZERO);
    for (t, value) in between {
        let [wa, wout, wb, winto] = hermite_weights(t);
        let left = value - from * wa - to * wb;
        (oo, oi, ii) = (oo + wout * wout, oi + wout * winto, ii + winto * winto);
        (out, into) = (out + left * wout, into + left * winto);
    }
    let determinant = oo * ii - oi * oi;
    let is_known = determinant > 1e-6 * oo * ii;
    is_known.then(|| [(out * ii - into * oi) / determinant, (into * oo - out * oi) / determinant])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(x: &[f32], held: &[usize]) -> Track {
        Track {
            values: x.iter().map(|&x| Vec4::new(x, 0.0, 0.0, 0.0)).collect(),
            rest: Vec4::ZERO,
            is_rotation: false,
            radius: 1.0,
            held: held.iter().copied().collect(),
            set: BTreeSet::new(),
            source: None,
            budget: 1e-4,
            forced: BTreeSet::new(),
            style: Style::Gltf,
            allows_shorts: true,
            allows_cubic: true,
            bends: false,
        }
    }

    fn samples(curve: &Curve) -> Vec<usize> {
        curve.times.iter().map(|time| time.sample).collect()
    }

    #[test]
    fn the_rest_takes_no_key_and_a_constant_one() {
        assert_eq!(track(&[0.0, 5e-5, 0.0], &[]).fit(), None);
        let constant = track(&[1.0, 1.00005, 1.0], &[]).fit().unwrap();
        assert_eq!((constant.interpolation, samples(&constant)), (Interpolation::Step, vec![0]));
    }

    #[test]
    fn samples_that_a_line_misses_become_keys() {
        let x: Vec<f32> = (0..60).map(|s| if s < 23 { s as f32 } else { 46.0 - s as f32 }).collect();
        let bent = track(&x, &[]).fit().unwrap();
        assert_eq!((bent.interpolation, samples(&bent)), (Interpolation::Linear, vec![0, 23, 59]));
    }

    #[test]
    fn smooth_motion_becomes_a_cubic_where_that_is_smaller() {
        let x: Vec<f32> = (0..200).map(|s| (s as f32 * 0.05).sin()).collect();
        let track = track(&x, &[]);
        let cubic = track.fit().unwrap();
        assert_eq!(cubic.interpolation, Interpolation::Cubic);
        assert!(cubic.times.len() < 15, "{}", cubic.times.len());
        let worst = (0..200).map(|s| track.error_at(Some(&cubic), f64::from(s))).fold(0.0, f32::max);
        assert!(worst <= track.budget, "{worst}");
    }

    #[test]
    fn held_intervals_become_steps_or_double_keys() {
        let step = track(&[0.0, 0.0, 5.0, 5.0], &[0, 1, 2]).fit().unwrap();
        assert_eq!((step.interpolation, samples(&step)), (Interpolation::Step, vec![0, 2, 3]));
        let lines = track(&[0.0, 1.0, 5.0, 6.0], &[1]).fit().unwrap();
        assert_eq!((lines.interpolation, samples(&lines)), (Interpolation::Linear, vec![0, 1, 1, 2, 3]));
        assert!(lines.times[2].ends_hold);
    }

    #[test]
    fn a_tightened_track_keeps_the_sample_and_one_without_budget_all() {
        let x: Vec<f32> = (0..60).map(|s| s as f32 + 5e-5 * (s % 2) as f32).collect();
        let mut track = track(&x, &[]);
        let sparse = track.fit().unwrap();
        assert_eq!(samples(&sparse), [0, 59]);
        assert!(track.tighten(Some(&sparse), 7.0));
        assert_eq!(samples(&track.fit().unwrap()), [0, 7, 59]);
        track.keep_all();
        assert_eq!(track.fit().unwrap().times.len(), 60);
    }
}
