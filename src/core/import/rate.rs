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
