use alloc::vec::Vec;

/// Uniform sample times over a clip: sample `i` lies at `i * duration / (samples - 1)`.
///
/// The rate is whatever makes the samples span the exact duration, so that 29.97 Hz or a clip of 1.013 s does not read
/// as error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeGrid {
    samples: usize,
    duration_secs: f32,
}

/// Times closer to a sample than this fraction of a sample are taken as that sample: f32 seconds cannot say it better.
const SNAP_SAMPLES: f64 = 1e-3;

impl TimeGrid {
    /// A grid of `samples` (at least 1) over `duration_secs`; a duration that is not positive makes it one instant.
    pub fn new(samples: usize, duration_secs: f32) -> Self {
        let duration_secs = if samples > 1 && duration_secs > 0.0 { duration_secs } else { 0.0 };
        Self { samples: samples.max(1), duration_secs }
    }

    /// Number of samples, at least 1.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Time of the last sample.
    pub fn duration_secs(&self) -> f32 {
        self.duration_secs
    }

    /// Samples per second, zero for a grid of one instant.
    pub fn rate_hz(&self) -> f64 {
        if self.duration_secs > 0.0 { (self.samples - 1) as f64 / f64::from(self.duration_secs) } else { 0.0 }
    }

    /// Time of a sample, which may be fractional.
    pub fn time_secs(&self, sample: f64) -> f32 {
        if self.samples < 2 {
            return 0.0;
        }
        (sample * f64::from(self.duration_secs) / (self.samples - 1) as f64) as f32
    }

    /// Fractional sample of a time, clamped to the grid and snapped to a sample that is nearly hit.
    pub fn sample_at(&self, time_secs: f32) -> f64 {
        let x = (f64::from(time_secs) * self.rate_hz()).clamp(0.0, (self.samples - 1) as f64);
        let nearest = f64::from((x + 0.5) as u32); // `round` and `floor` are calls where the processor may lack them
        if (x - nearest).abs() < SNAP_SAMPLES { nearest } else { x }
    }

    /// The sample at or before a time and how far the time lies towards the next one, in `0..1`.
    pub fn locate(&self, time_secs: f32) -> (usize, f32) {
        let x = self.sample_at(time_secs);
        let index = x as u32;
        (index as usize, (x - f64::from(index)) as f32)
    }

    /// Times of every sample with `sub_frames` steps a sample: `(samples - 1) * sub_frames + 1` times.
    pub fn times(&self, sub_frames: usize) -> Vec<f32> {
        let steps = sub_frames.max(1);
        (0..=(self.samples - 1) * steps).map(|i| self.time_secs(i as f64 / steps as f64)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_time_locates_itself_exactly() {
        for (samples, duration) in [(1, 0.0), (2, 0.033_333), (93, 3.066_667), (1901, 63.333_332), (7, 0.213_7)] {
            let grid = TimeGrid::new(samples, duration);
            for i in 0..samples {
                assert_eq!(grid.locate(grid.time_secs(i as f64)), (i, 0.0), "{samples} samples, sample {i}");
            }
        }
    }

    #[test]
    fn times_outside_are_clamped() {
        let grid = TimeGrid::new(31, 1.0);
        assert_eq!(grid.locate(-3.0), (0, 0.0));
        assert_eq!(grid.locate(9.0), (30, 0.0));
        assert_eq!(grid.times(4).len(), 121);
    }
}
