use serde::{Deserialize, Serialize};

/// Rates that animation is made at, the likelier first among those that nearly agree (NTSC after its whole number).
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

/// Used where the keys fit no common rate.
pub(super) const DEFAULT_RATE_HZ: f64 = 30.0;

/// Some exporters round key times to milliseconds; half of one, and a little for f32.
const TOLERANCE_SECS: f64 = 0.000_55;

/// But never more than this part of a sample, or fast rates would fit anything.
const TOLERANCE_SAMPLES: f64 = 0.05;

/// Part of the keys that must lie on the grid; a few that an artist dragged in between do not change the rate.
const ON_GRID: f64 = 0.99;

/// The slowest common rate whose grid, counted from time zero, holds at least 99 % of the times.
///
/// `None` when none does, or when there are fewer than two times to tell by.
pub(super) fn detect_rate_hz(times_secs: &[f32]) -> Option<f64> {
    if times_secs.len() < 2 {
        return None;
    }
    COMMON_RATES_HZ.into_iter().find(|&rate| fits(times_secs, rate))
}

/// True when at least 99 % of the times lie on the grid of that rate.
pub(super) fn fits(times_secs: &[f32], rate_hz: f64) -> bool {
    let tolerance = (TOLERANCE_SECS * rate_hz).min(TOLERANCE_SAMPLES);
    let on_grid = times_secs.iter().filter(|&&t| {
        let sample = f64::from(t) * rate_hz;
        (sample - sample.round()).abs() <= tolerance
    });
    on_grid.count() as f64 >= ON_GRID * times_secs.len() as f64
}

/// Fewer key times than this lie on too many grids to tell where one starts.
const MIN_PHASE_KEYS: usize = 4;

/// How far before its first key a grid starts that holds the keys at a slower rate than any grid from time zero, with that
/// rate, when there is one: keys at k / 24 + 1 / 30 s are 24 Hz from 1/30 s on, not 120 Hz from zero.
pub(super) fn phase(times_secs: &[f32]) -> Option<Phase> {
    let first = *times_secs.first().filter(|&&first| first > 0.0 && times_secs.len() >= MIN_PHASE_KEYS)?;
    let from_first: Vec<f32> = times_secs.iter().map(|time| time - first).collect();
    let rate_hz = detect_rate_hz(&from_first)?;
    if detect_rate_hz(times_secs).is_some_and(|from_zero| from_zero <= rate_hz) {
        return None;
    }
    Some(Phase { rate_hz, start_secs: (f64::from(first) % (1.0 / rate_hz)) as f32 })
}

/// A grid of samples that may not start at time zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Phase {
    pub rate_hz: f64,
    /// Its first sample, less than one sample after zero where it was found out from keys.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start_secs: f32,
}

fn is_zero(secs: &f32) -> bool {
    *secs == 0.0
}

/// A measured rate (1 / frame time) as the common one that its rounded digits stand for, else as it is.
pub(super) fn nearest_common_hz(rate_hz: f64) -> f64 {
    // Frame times are written with four significant digits or more: 0.03333 s is 30 Hz to 0.01 %. NTSC rates differ
    // from whole ones by 0.1 %.
    let near = |common: &f64| (rate_hz / common - 1.0).abs() < 2e-4;
    COMMON_RATES_HZ.into_iter().find(near).unwrap_or(rate_hz)
}

/// Samples that span a duration at a rate: `floor(duration x rate + 0.5) + 1`, two at least for a clip that lasts.
pub(super) fn sample_count(duration_secs: f32, rate_hz: f64) -> f64 {
    let intervals = (f64::from(duration_secs) * rate_hz + 0.5).floor();
    if duration_secs > 0.0 { intervals.max(1.0) + 1.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rate_hz: f64, frames: impl IntoIterator<Item = usize>) -> Vec<f32> {
        frames.into_iter().map(|f| (f as f64 / rate_hz) as f32).collect()
    }

    #[test]
    fn every_common_rate_is_found_from_its_own_grid() {
        for rate in COMMON_RATES_HZ {
            // A prime number of seconds' worth, so that no slower grid holds the same keys by chance.
            let found = detect_rate_hz(&grid(rate, 0..997)).unwrap();
            assert!((found - rate).abs() < 1e-9, "{rate}: found {found}");
        }
    }

    #[test]
    fn sparse_and_rounded_and_a_few_stray_keys_still_tell() {
        assert_eq!(detect_rate_hz(&grid(30.0, [0, 7, 11, 32])), Some(30.0));
        let rounded: Vec<f32> = (0..90).map(|f| ((f as f32 / 30.0) * 1000.0).round() / 1000.0).collect();
        assert_eq!(detect_rate_hz(&rounded), Some(30.0));
        let mut stray = grid(60.0, 0..200);
        stray[100] += 0.003;
        assert_eq!(detect_rate_hz(&stray), Some(60.0));
        stray[101] += 0.003;
        stray[102] += 0.003;
        assert_eq!(detect_rate_hz(&stray), None);
    }

    #[test]
    fn keys_of_no_rate_and_single_keys_give_none() {
        let golden: Vec<f32> = (0..50).map(|i| (i as f32 * 0.618_034).fract() + i as f32).collect();
        assert_eq!(detect_rate_hz(&golden), None);
        assert_eq!(detect_rate_hz(&[0.0]), None);
    }

    #[test]
    fn a_grid_that_starts_late_has_its_own_rate_and_start() {
        let late: Vec<f32> = (0..50).map(|k| (k as f64 / 24.0 + 1.0 / 30.0) as f32).collect();
        assert_eq!(detect_rate_hz(&late), Some(120.0), "from zero");
        let found = phase(&late).unwrap();
        assert!(found.rate_hz == 24.0 && (found.start_secs - 1.0 / 30.0).abs() < 1e-6, "{found:?}");
        let later: Vec<f32> = late.iter().map(|time| time + 2.0).collect();
        assert!((phase(&later).unwrap().start_secs - 1.0 / 30.0).abs() < 1e-5, "whole samples stay");
        assert_eq!(phase(&grid(24.0, 3..90)), None, "late by whole samples");
        assert_eq!(phase(&late[..3]), None, "too few to tell");
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
