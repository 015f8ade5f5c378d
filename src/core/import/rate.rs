use super::jumps::Jump;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// Common sample rates. Among nearly equal ones the more likely comes first (NTSC after its whole number).
pub(super) const COMMON_RATES_HZ: [f64; 13] = [
    24.0,
    24_000.0 / 1001.0,
    25.0,
    30.0,
    30_000.0 / 1001.0,
    48.0,
    50.0,
    60.0,
    60_000.0 / 1001.0,
    90.0,
    100.0,
    120.0,
    240.0,
];

/// Default for keys without a common rate.
pub(super) const DEFAULT_RATE_HZ: f64 = 30.0;

/// Tolerance of key times: half a millisecond, since some exporters round to milliseconds, and a little for f32.
const TOLERANCE_SECS: f64 = 0.000_55;

/// Largest tolerance as a fraction of a sample, since fast rates would otherwise fit anything.
const TOLERANCE_SAMPLES: f64 = 0.05;

/// Share of keys that must lie on the grid. A few keys that an artist dragged off it do not change the rate.
const ON_GRID: f64 = 0.99;

/// Range of key rates that are kept.
pub(super) const KEY_RATES_HZ: RangeInclusive<f64> = 0.5..=1000.0;

/// Range of rates for keys without a rate: at least that of films, and no more than that of games if a slower rate suffices.
const SAMPLED_HZ: RangeInclusive<f64> = 24.0..=60.0;

/// Fastest uncommon rate for sparse keys. Above it every rate fits.
const FASTEST_SPARSE_HZ: f64 = 240.0;

/// Least share of grid places with a key, for uniform keys.
const UNIFORM_PART: f64 = 0.5;

/// Least number of key times. Fewer fit too many grids.
const MIN_UNIFORM_KEYS: usize = 4;

/// Least number of sparse keys for an uncommon rate.
const MIN_SPARSE_KEYS: usize = 8;

/// Tolerance of such keys relative to rounded times, since every rate fits some keys.
const EXACT_PART: f64 = 0.1;

/// Most samples between the two nearest keys.
const MOST_SAMPLES_APART: usize = 60;

/// Keys in a first test of a rate.
const SCREENED_KEYS: usize = 512;

/// Relative distance at which a rate is rounded to a whole one. NTSC rates differ by 0.1 %.
const SAME_RATE: f64 = 2e-4;

/// Time of a key, or the two times of a jump. A sample must meet one of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct KeyTime {
    first_secs: f32,
    last_secs: f32,
}

impl KeyTime {
    pub fn at(secs: f32) -> Self {
        Self { first_secs: secs, last_secs: secs }
    }

    pub fn of(jump: Jump) -> Self {
        Self { first_secs: jump.at_secs, last_secs: jump.until_secs }
    }

    /// The same time in a clip that starts later.
    pub fn earlier(self, secs: f32) -> Self {
        Self { first_secs: self.first_secs - secs, last_secs: self.last_secs - secs }
    }

    pub fn order(&self, other: &Self) -> Ordering {
        self.first_secs.total_cmp(&other.first_secs).then(self.last_secs.total_cmp(&other.last_secs))
    }

    /// Its place on a grid of that rate; whole if it meets a sample.
    fn place(self, rate_hz: f64) -> f64 {
        let (first, last) = (f64::from(self.first_secs) * rate_hz, f64::from(self.last_secs) * rate_hz);
        let sample = first.ceil();
        if sample <= last {
            sample
        } else {
            [first, last].into_iter().min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(last)
        }
    }
}

/// Distance of a place from the nearest sample.
fn off(place: f64) -> f64 {
    (place - place.round()).abs()
}

/// Tolerance of a key at a rate, in samples.
fn tolerance_samples(rate_hz: f64) -> f64 {
    (TOLERANCE_SECS * rate_hz).min(TOLERANCE_SAMPLES)
}

/// True if at least 99 % of the times lie on the grid of that rate from time zero.
pub(super) fn fits(times: &[KeyTime], rate_hz: f64) -> bool {
    fits_within(times, rate_hz, tolerance_samples(rate_hz))
}

fn fits_within(times: &[KeyTime], rate_hz: f64, tolerance: f64) -> bool {
    let most_off = ((1.0 - ON_GRID) * times.len() as f64) as usize;
    times.iter().filter(|time| off(time.place(rate_hz)) > tolerance).nth(most_off).is_none()
}

/// The rate of keys.
#[derive(Debug, Clone, Copy, PartialEq)]
struct KeyRate {
    /// Slowest rate that fits.
    rate_hz: f64,
    /// True if most of its samples have a key.
    is_uniform: bool,
}

/// The slowest rate whose grid from time zero fits the keys.
fn key_rate(times: &[KeyTime]) -> Option<KeyRate> {
    // Most rates fail at the first keys, however many there are.
    let begin = &times[..times.len().min(SCREENED_KEYS)];
    let screened = rates_to_try(times).into_iter().map(|rate| refined(begin, rate)).filter(|rate| fits(begin, *rate));
    let slowest = screened.map(|rate| refined(times, rate));
    let slowest = slowest.filter(|rate| KEY_RATES_HZ.contains(rate) && fits(times, *rate)).min_by(f64::total_cmp);
    let rounded =
        uniform_rate_hz(times).filter(|rate| slowest.is_none_or(|slowest| *rate < slowest * (1.0 - SAME_RATE)));
    if let Some(rate_hz) = rounded {
        return Some(KeyRate { rate_hz, is_uniform: true });
    }
    let rate_hz = slowest?;
    let mut places: Vec<f64> = times.iter().map(|time| time.place(rate_hz).round()).collect();
    places.dedup();
    let all = places.last()? - places.first()? + 1.0;
    let is_uniform = places.len() >= MIN_UNIFORM_KEYS && places.len() as f64 >= UNIFORM_PART * all;
    Some(KeyRate { rate_hz, is_uniform })
}

/// The rate of keys without gaps and with rounded times: each is nearest to its own sample.
fn uniform_rate_hz(times: &[KeyTime]) -> Option<f64> {
    /// Largest rounding of a key, in samples, before it could match its neighbour.
    const ROUNDED_SAMPLES: f64 = 0.25;
    let (first, last) = (times.first()?, times.last()?);
    let intervals = (times.len() - 1) as f64;
    let rate_hz = refined(times, intervals / f64::from(last.last_secs - first.last_secs));
    let starts_at = first.place(rate_hz).round();
    let is_own = |(key, time): (usize, &KeyTime)| {
        let off = (time.place(rate_hz) - starts_at - key as f64).abs();
        off <= (TOLERANCE_SECS * rate_hz).min(ROUNDED_SAMPLES)
    };
    let is_uniform = times.len() >= MIN_SPARSE_KEYS && times.iter().enumerate().all(is_own);
    (is_uniform && KEY_RATES_HZ.contains(&rate_hz)).then_some(rate_hz)
}

/// Candidate rates: common ones, and those at which the two nearest keys are whole samples apart.
fn rates_to_try(times: &[KeyTime]) -> Vec<f64> {
    let mut gaps: Vec<f64> =
        times.windows(2).map(|pair| f64::from(pair[1].last_secs) - f64::from(pair[0].last_secs)).collect();
    gaps.retain(|gap| *gap > 0.0);
    gaps.sort_by(f64::total_cmp);
    let mut rates = COMMON_RATES_HZ.to_vec();
    if let (Some(least), Some(middle), Some(first), Some(last)) =
        (gaps.first(), gaps.get(gaps.len() / 2), times.first(), times.last())
    {
        let mean = f64::from(last.last_secs - first.last_secs) / gaps.len() as f64;
        for gap in [*least, *middle, mean] {
            let nearest = (1..=MOST_SAMPLES_APART).map(|samples| samples as f64 / gap);
            rates.extend(nearest.take_while(|rate| *rate <= KEY_RATES_HZ.end() * 1.1));
        }
    }
    rates
}

/// Refines a rate to the grid nearest to the times. Each time matches the sample that the earlier ones predict. A whole rate wins if it
/// fits as well.
fn refined(times: &[KeyTime], rate_hz: f64) -> f64 {
    let (mut rate, mut of_time, mut of_square) = (rate_hz, 0.0, 0.0);
    for secs in times.iter().map(|time| f64::from(time.last_secs)) {
        let sample = (secs * rate).round();
        if (secs * rate - sample).abs() <= 0.25 && sample > 0.0 {
            of_time += sample * secs;
            of_square += secs * secs;
            rate = of_time / of_square;
        }
    }
    let whole = [rate.round(), (2.0 * rate).round() / 2.0, nearest_common_hz(rate)];
    whole.into_iter().find(|whole| (rate / whole - 1.0).abs() < SAME_RATE && fits(times, *whole)).unwrap_or(rate)
}

/// The rate of uniform keys.
pub(super) fn uniform_hz(times: &[KeyTime]) -> Option<f64> {
    key_rate(times).filter(|found| found.is_uniform).map(|found| found.rate_hz)
}

/// Rates that fit a clip's keys, slowest first; empty if none fits.
///
/// Uniform keys with linear interpolation were sampled, so that only their rate counts. Other keys have motion in between: candidates are
/// then multiples of their rate, and common rates.
pub(super) fn rates_hz(times: &[KeyTime], is_straight: bool) -> Vec<f64> {
    if times.len() < 2 {
        return Vec::new();
    }
    let found = key_rate(times);
    if let Some(KeyRate { rate_hz, is_uniform: true }) = found
        && (is_straight || rate_hz >= *SAMPLED_HZ.start())
    {
        return vec![rate_hz];
    }
    let common: Vec<f64> = COMMON_RATES_HZ.into_iter().filter(|rate| fits(times, *rate)).collect();
    let is_known = |rate: &f64, rates: &[f64]| rates.iter().any(|other| (rate / other - 1.0).abs() < NTSC);
    let mut rates: Vec<f64> = Vec::new();
    let is_exact = |rate: f64| fits_within(times, rate, EXACT_PART * tolerance_samples(rate));
    let resolves = |found: &KeyRate| found.is_uniform || (times.len() >= MIN_SPARSE_KEYS && is_exact(found.rate_hz));
    let own = found.filter(resolves).map(|found| found.rate_hz);
    let multiples = own.into_iter().flat_map(|own| (1..).map(move |times| f64::from(times) * own));
    let multiples = multiples.take_while(|rate| *rate <= FASTEST_SPARSE_HZ);
    for rate in common.into_iter().chain(multiples).filter(|rate| rate >= SAMPLED_HZ.start()) {
        if !is_known(&rate, &rates) {
            rates.push(rate);
        }
    }
    rates.sort_by(f64::total_cmp);
    let usual = rates.iter().filter(|rate| SAMPLED_HZ.contains(rate)).count();
    rates.truncate(usual.max(1));
    rates
}

/// Relative distance between a rate and its NTSC form.
const NTSC: f64 = 2e-3;

/// The slowest of [`rates_hz`].
fn slowest_hz(times: &[KeyTime], is_straight: bool) -> Option<f64> {
    rates_hz(times, is_straight).first().copied()
}

/// A grid with an offset that fits the keys at a slower rate than any grid from time zero. Keys at k / 24 + 1 / 30 s are 24 Hz from 1/30 s
/// on, not 120 Hz from zero.
pub(super) fn phase(times: &[KeyTime], is_straight: bool) -> Option<Phase> {
    let first = times.first().filter(|first| first.first_secs > 0.0 && times.len() >= MIN_UNIFORM_KEYS)?.first_secs;
    let from_first: Vec<KeyTime> = times.iter().map(|time| time.earlier(first)).collect();
    let rate_hz = slowest_hz(&from_first, is_straight)?;
    // For slow keys, the time before the first key is kept if the grid from zero has at most 60 Hz.
    let kept_hz = if rate_hz < *SAMPLED_HZ.start() { *SAMPLED_HZ.end() } else { rate_hz * (1.0 + NTSC) };
    if slowest_hz(times, is_straight).is_some_and(|from_zero| from_zero <= kept_hz) {
        return None;
    }
    Some(Phase { rate_hz, start_secs: (f64::from(first) % (1.0 / rate_hz)) as f32 })
}

/// A grid of samples that may not start at time zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Phase {
    pub rate_hz: f64,
    /// Time of the first sample; less than one sample if it was found from keys.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start_secs: f32,
}

fn is_zero(secs: &f32) -> bool {
    *secs == 0.0
}

/// Rounds a measured rate (1 / frame time) to the common rate with the same digits, if there is one.
pub(super) fn nearest_common_hz(rate_hz: f64) -> f64 {
    // Frame times are written with four significant digits or more: 0.03333 s is 30 Hz to 0.01 %. NTSC rates differ
    // from whole ones by 0.1 %.
    let near = |common: &f64| (rate_hz / common - 1.0).abs() < SAME_RATE;
    COMMON_RATES_HZ.into_iter().find(near).unwrap_or(rate_hz)
}

/// Samples of a duration at a rate: `floor(duration x rate + 0.5) + 1`, at least two for a positive duration.
pub(super) fn sample_count(duration_secs: f32, rate_hz: f64) -> f64 {
    let intervals = (f64::from(duration_secs) * rate_hz + 0.5).floor();
    if duration_secs > 0.0 { intervals.max(1.0) + 1.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rate_hz: f64, frames: impl IntoIterator<Item = usize>) -> Vec<KeyTime> {
        frames.into_iter().map(|f| KeyTime::at((f as f64 / rate_hz) as f32)).collect()
    }

    fn in_milliseconds(times: &[KeyTime]) -> Vec<KeyTime> {
        times.iter().map(|time| KeyTime::at((time.first_secs * 1000.0).round() / 1000.0)).collect()
    }

    fn assert_rate(times: &[KeyTime], expected_hz: f64) {
        let found = slowest_hz(times, true).unwrap();
        assert!((found / expected_hz - 1.0).abs() < 1e-6, "{expected_hz} Hz: found {found}");
    }

    #[test]
    fn any_uniform_rate_is_found_from_its_own_keys() {
        let odd =
            [0.5, 0.75, 1.0, 2.0, 5.0, 7.3, 10.0, 12.0, 12.5, 15.0, 18.0, 20.0, 36.0, 45.0, 72.0, 75.0, 144.0, 180.0];
        let fast = [200.0, 250.0, 300.0, 500.0, 960.0, 1000.0];
        for rate in odd.into_iter().chain(fast).chain(COMMON_RATES_HZ) {
            for keys in [5, 19, 60, 997] {
                assert_rate(&grid(rate, 0..keys), rate);
            }
            let mut gaps = grid(rate, (0..200).filter(|key| key % 7 != 3));
            assert_rate(&gaps, rate);
            gaps[50] = KeyTime::at(gaps[50].first_secs + 0.3 / rate as f32);
            assert_rate(&gaps, rate);
        }
    }

    #[test]
    fn uniform_keys_may_be_rounded_to_milliseconds() {
        for rate in [18.0, 24.0, 30.0, 60.0, 72.0, 90.0, 144.0, 240.0] {
            let found = slowest_hz(&in_milliseconds(&grid(rate, 0..361)), true).unwrap();
            assert!((found / rate - 1.0).abs() < 1e-3, "{rate} Hz: found {found}");
        }
    }

    #[test]
    fn few_keys_and_those_of_curves_are_sampled_as_animation_is() {
        assert_rate(&grid(2.0, 0..3), 24.0);
        assert_rate(&grid(30.0, [0, 7, 11, 32]), 30.0);
        assert_rate(&grid(18.0, [0, 3, 7, 20, 31, 50, 77, 100, 131]), 36.0);
        assert_eq!(slowest_hz(&grid(2.0, 0..21), false), Some(24.0));
        assert_eq!(slowest_hz(&grid(10.0, 0..21), false), Some(30.0));
        assert_eq!(slowest_hz(&grid(72.0, 0..21), false), Some(72.0));
        assert_eq!(rates_hz(&grid(1.0, 0..3), false), [24.0, 25.0, 30.0, 48.0, 50.0, 60.0]);
    }

    #[test]
    fn a_few_stray_keys_still_tell() {
        let mut stray = grid(60.0, 0..200);
        stray[100] = KeyTime::at(stray[100].first_secs + 0.003);
        assert_rate(&stray, 60.0);
        for key in [101, 102] {
            stray[key] = KeyTime::at(stray[key].first_secs + 0.003);
        }
        assert_ne!(slowest_hz(&stray, true), Some(60.0));
    }

    #[test]
    fn a_jump_meets_the_grid_with_any_of_its_keys() {
        for (first, last) in [(-0.001, 0.0), (0.0, 0.001), (-0.0005, 0.0005)] {
            let jump =
                |time: KeyTime| KeyTime { first_secs: time.first_secs + first, last_secs: time.first_secs + last };
            let times: Vec<KeyTime> = grid(30.0, 0..40).into_iter().skip(1).map(jump).collect();
            assert!(fits(&times, 30.0), "{first} to {last}");
        }
    }

    #[test]
    fn keys_of_no_rate_and_single_keys_give_none() {
        let golden: Vec<KeyTime> = (0..50).map(|i| KeyTime::at((i as f32 * 0.618_034).fract() + i as f32)).collect();
        assert_eq!(slowest_hz(&golden, true), None);
        assert_eq!(slowest_hz(&[KeyTime::at(0.0)], true), None);
    }

    #[test]
    fn a_grid_that_starts_late_has_its_own_rate_and_start() {
        let late: Vec<KeyTime> = grid(24.0, 0..50).iter().map(|time| time.earlier(-1.0 / 30.0)).collect();
        let found = phase(&late, true).unwrap();
        assert!(found.rate_hz == 24.0 && (found.start_secs - 1.0 / 30.0).abs() < 1e-6, "{found:?}");
        let later: Vec<KeyTime> = late.iter().map(|time| time.earlier(-2.0)).collect();
        assert!((phase(&later, true).unwrap().start_secs - 1.0 / 30.0).abs() < 1e-5, "whole samples stay");
        assert_eq!(phase(&grid(24.0, 3..90), true), None, "late by whole samples");
        assert_eq!(phase(&grid(30.0, (1..90).step_by(2)), true), None, "nothing is cut off to be slower than films");
        assert_eq!(phase(&late[..3], true), None, "too few to tell");
    }

    #[test]
    fn sample_counts_follow_the_design() {
        let counts = [(0.0, 1.0), (1.0, 31.0), (1.066_666_7, 33.0), (3.416_666_7, 104.0), (0.001, 2.0)];
        for (duration, expected) in counts {
            assert_eq!(sample_count(duration, 30.0), expected, "{duration} s");
        }
    }

    #[test]
    fn frame_times_with_few_digits_mean_common_rates() {
        assert_eq!(nearest_common_hz(1.0 / 0.033_333_3), 30.0);
        assert_eq!(nearest_common_hz(1.0 / 0.008_333), 120.0);
        assert_eq!(nearest_common_hz(1.0 / 0.033_366_7), 30_000.0 / 1001.0);
        assert_eq!(nearest_common_hz(29.0), 29.0);
    }
}
