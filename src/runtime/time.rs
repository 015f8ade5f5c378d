use core::ops::Range;

/// Uniform sample times over a clip: sample `i` is at `i * duration / (samples - 1)`.
///
/// The rate follows from the number of samples and the exact duration, so that 29.97 Hz or a clip of 1.013 s causes no error.
///
/// # Example
/// ```
/// use posepress_runtime::TimeGrid;
///
/// let grid = TimeGrid::new(31, 1.0);
/// assert_eq!(grid.rate_hz(), 30.0);
/// assert_eq!(grid.split(2.25), (2, 0.25));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeGrid {
    samples: u32,
    duration_secs: f32,
}

/// A time this close to a sample, in samples, is that sample.
const SNAP_SAMPLES: f64 = 1e-3;
/// Relative difference between two computations of the same f32 seconds. Far from the start it exceeds [`SNAP_SAMPLES`].
const SECONDS_EPSILON: f64 = f32::EPSILON as f64;

impl TimeGrid {
    /// A grid of `samples` (at least 1) over `duration_secs`. A duration that is not positive gives a single instant.
    pub fn new(samples: usize, duration_secs: f32) -> Self {
        let duration_secs = if samples > 1 && duration_secs > 0.0 { duration_secs } else { 0.0 };
        Self { samples: u32::try_from(samples).unwrap_or(u32::MAX).max(1), duration_secs }
    }

    /// Number of samples, at least 1.
    pub fn samples(&self) -> usize {
        self.samples as usize
    }

    /// Time of the last sample.
    pub fn duration_secs(&self) -> f32 {
        self.duration_secs
    }

    /// Samples per second; 0 for a single instant.
    pub fn rate_hz(&self) -> f64 {
        if self.duration_secs > 0.0 { f64::from(self.samples - 1) / f64::from(self.duration_secs) } else { 0.0 }
    }

    /// The grid without its last sample; it must have more than one.
    #[doc(hidden)]
    pub fn without_last(&self) -> Self {
        let samples = self.samples().saturating_sub(1).max(1);
        Self::new(samples, self.time_secs((samples - 1) as f64))
    }

    /// Time of a sample, which may be fractional.
    pub fn time_secs(&self, sample: f64) -> f32 {
        if self.samples < 2 {
            return 0.0;
        }
        (sample * f64::from(self.duration_secs) / f64::from(self.samples - 1)) as f32
    }

    /// The fractional sample of a time, clamped to the grid and snapped to a sample within the precision of f32 seconds. For a known
    /// sample, use its index instead.
    pub fn sample_at(&self, time_secs: f32) -> f64 {
        let x = self.clamp(f64::from(time_secs) * self.rate_hz());
        let nearest = f64::from((x + 0.5) as u32); // `round` and `floor` are function calls on processors without them
        if (x - nearest).abs() < SNAP_SAMPLES.max(x * SECONDS_EPSILON) { nearest } else { x }
    }

    /// Clamps a place to the clip, in samples. NaN gives the start.
    #[inline]
    pub fn clamp(&self, at_sample: f64) -> f64 {
        if at_sample > 0.0 { at_sample.min(f64::from(self.samples - 1)) } else { 0.0 }
    }

    /// The sample at or before a place in the clip, and the fraction towards the next one, in `0..1`.
    #[inline]
    pub fn split(&self, at_sample: f64) -> (usize, f32) {
        let x = self.clamp(at_sample);
        let index = x as u32;
        (index as usize, (x - f64::from(index)) as f32)
    }

    /// Places with `sub_frames` steps per sample interval, in samples. There are `(samples - 1) * sub_frames + 1` of them.
    pub fn steps(&self, sub_frames: usize) -> impl ExactSizeIterator<Item = f64> + Clone + use<> {
        self.some_steps(sub_frames, 0..usize::MAX)
    }

    /// The same from step to step. Steps that do not exist are left out.
    pub fn some_steps(
        &self,
        sub_frames: usize,
        steps: Range<usize>,
    ) -> impl ExactSizeIterator<Item = f64> + Clone + use<> {
        let sub_frames = sub_frames.max(1);
        let count = (self.samples() - 1) * sub_frames + 1;
        (steps.start.min(count)..steps.end.min(count)).map(move |step| step as f64 / sub_frames as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_time_locates_itself_exactly() {
        const LONG: usize = 200_000;
        let long =
            [24.0, 30_000.0 / 1001.0, 30.0, 60.0, 120.0].map(|rate_hz| (LONG, ((LONG - 1) as f64 / rate_hz) as f32));
        let short = [(1, 0.0), (2, 0.033_333), (93, 3.066_667), (1901, 63.333_332), (7, 0.213_7)];
        for (samples, duration) in short.into_iter().chain(long) {
            let grid = TimeGrid::new(samples, duration);
            for i in 0..samples {
                let at = grid.sample_at(grid.time_secs(i as f64));
                assert_eq!(grid.split(at), (i, 0.0), "{samples} samples of {duration} s, sample {i}");
            }
        }
    }

    #[test]
    fn a_time_between_samples_stays_between_them() {
        for rate_hz in [24.0, 60.0, 120.0] {
            let grid = TimeGrid::new(200_000, (199_999.0 / rate_hz) as f32);
            for i in (0..199_999).step_by(97) {
                let at = f64::from(i) + 0.5;
                assert!((grid.sample_at(grid.time_secs(at)) - at).abs() < 0.02, "{rate_hz} Hz, sample {at}");
            }
        }
    }

    #[test]
    fn places_outside_are_clamped() {
        let grid = TimeGrid::new(31, 1.0);
        assert_eq!(grid.split(grid.sample_at(-3.0)), (0, 0.0));
        assert_eq!(grid.split(grid.sample_at(9.0)), (30, 0.0));
        assert_eq!((grid.split(-0.5), grid.split(1e9)), ((0, 0.0), (30, 0.0)));
        assert_eq!((grid.sample_at(f32::NAN), grid.split(f64::NAN)), (0.0, (0, 0.0)));
        assert_eq!((grid.steps(4).len(), grid.steps(4).last()), (121, Some(30.0)));
    }
}
