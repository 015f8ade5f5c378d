//! Jitter: fast changes of the error, which are seen even where the error is small.

use super::motion::finite_or_infinite;
use super::track::difference;
use super::{ModelTrack, Worst};
use glam::Affine3A;
use std::collections::VecDeque;
use std::f64::consts::{PI, TAU};

/// Frequency from which a change of the error is jitter. A slower change looks like another motion.
const FROM_HZ: f64 = 4.0;

/// Time over which jitter is averaged, seconds.
const WINDOW_SECS: f64 = 0.5;

/// Measures jitter: the largest, over joints and times, root mean square of the error above 4 Hz, over the joint's shell and half a second.
///
/// The error of a joint is d = lossy - raw, as a map of points. Its second difference over the samples, d(i - 1) - 2 d(i) + d(i + 1), has the
/// mean square |t|² + |L|² r² / 3 on a shell of radius r, for translation t and linear part L. Divided by [`gain`], its root is the amplitude
/// of an error that is spread evenly over the frequencies from 4 Hz to half the sample rate. Slower errors hardly count.
///
/// `None` for clips of fewer than three samples, and for sample rates without such frequencies.
pub(super) fn measure_jitter(raw: &ModelTrack, lossy: &ModelTrack, shells_m: &[f32]) -> Option<Worst> {
    let (grid, stride) = (raw.grid(), raw.sub_frames());
    let gain = gain(grid.rate_hz())?;
    if grid.samples() < 3 {
        return None;
    }
    let window = ((WINDOW_SECS * grid.rate_hz()).round() as usize).clamp(1, grid.samples() - 2);
    let errors = |sample: usize| -> Vec<Affine3A> {
        let (lossy, raw) = (lossy.pose(sample * stride), raw.pose(sample * stride));
        lossy.iter().zip(&*raw).map(|(lossy, raw)| difference(lossy, raw)).collect()
    };
    let mut means = RunningMeans::new(raw.joints(), window);
    let [mut a, mut b] = [errors(0), errors(1)];
    let mut worst = Worst::default();
    for sample in 2..grid.samples() {
        let c = errors(sample);
        let squares =
            (0..c.len()).map(|joint| second_difference_sq([&a[joint], &b[joint], &c[joint]], shells_m[joint]));
        if let Some((joint, mean)) = means.push(squares.collect()) {
            let error_m = finite_or_infinite((mean.max(0.0).sqrt() / gain) as f32);
            if error_m > worst.error_m {
                let middle = sample as f64 - 1.0 - (window - 1) as f64 / 2.0;
                worst = Worst { joint, time_secs: grid.time_secs(middle), error_m };
            }
        }
        (a, b) = (b, c);
    }
    Some(worst)
}

/// Root mean square gain of a second difference, over the frequencies from 4 Hz to half the sample rate. `None` if there are none.
///
/// A sine of angle w per sample is multiplied by 2 - 2 cos w. The integral of its square is 6 w - 8 sin w + sin 2 w.
fn gain(rate_hz: f64) -> Option<f64> {
    let from = TAU * FROM_HZ / rate_hz;
    let integral = |w: f64| 6.0 * w - 8.0 * w.sin() + (2.0 * w).sin();
    (from < PI).then(|| ((integral(PI) - integral(from)) / (PI - from)).sqrt())
}

/// Mean square, over the shell, of the second difference of three errors, square metres.
fn second_difference_sq([a, b, c]: [&Affine3A; 3], shell_m: f32) -> f64 {
    let linear = a.matrix3 - b.matrix3 * 2.0 + c.matrix3;
    let columns = [linear.x_axis, linear.y_axis, linear.z_axis].map(|axis| axis.length_squared());
    let moved = a.translation - b.translation * 2.0 + c.translation;
    let turned = f64::from(columns.iter().sum::<f32>()) * f64::from(shell_m).powi(2) / 3.0;
    f64::from(moved.length_squared()) + turned
}

/// Means of the last `window` values of each joint.
struct RunningMeans {
    window: usize,
    last: VecDeque<Vec<f64>>,
    sums: Vec<f64>,
}

impl RunningMeans {
    fn new(joints: usize, window: usize) -> Self {
        Self { window, last: VecDeque::with_capacity(window), sums: vec![0.0; joints] }
    }

    /// Adds a value per joint. Returns the joint with the largest mean, and the mean, once the window is full.
    fn push(&mut self, values: Vec<f64>) -> Option<(usize, f64)> {
        if self.last.len() == self.window {
            let oldest = self.last.pop_front().unwrap_or_default();
            self.sums.iter_mut().zip(&oldest).for_each(|(sum, value)| *sum -= value);
        }
        self.sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
        self.last.push_back(values);
        let is_full = self.last.len() == self.window;
        let means = self.sums.iter().map(|sum| sum / self.window as f64).enumerate().filter(|_| is_full);
        means.reduce(|largest, one| if one.1 > largest.1 || one.1.is_nan() { one } else { largest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_is_that_of_the_band() {
        assert_eq!((gain(8.0), gain(5.0)), (None, None));
        // Of white noise over all frequencies the second difference has 6 times the square.
        assert!((gain(1e9).unwrap() - 6f64.sqrt()).abs() < 1e-6);
        // At the edge of the band only the fastest sine is left, which is multiplied by 4.
        assert!((gain(8.001).unwrap() - 4.0).abs() < 1e-3);
        let steps = 100_000;
        let from = TAU * FROM_HZ / 30.0;
        let square = |i: usize| {
            let w = from + (PI - from) * (i as f64 + 0.5) / f64::from(steps);
            (2.0 - 2.0 * w.cos()).powi(2)
        };
        let mean = (0..steps as usize).map(square).sum::<f64>() / f64::from(steps);
        assert!((gain(30.0).unwrap() / mean.sqrt() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_running_mean_is_of_the_last_values() {
        let mut means = RunningMeans::new(2, 3);
        let found: Vec<_> =
            [[0.0, 1.0], [3.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, f64::NAN]].map(|v| means.push(v.to_vec())).into();
        assert_eq!(found[..4], [None, None, Some((0, 1.0)), Some((0, 1.0))]);
        assert!(found[4].is_some_and(|(joint, mean)| joint == 1 && mean.is_nan()));
    }
}
