use core::ops::Range;

/// The cut of a long take into stretches. Each stretch is encoded on its own, so the memory and the time of a sample do not grow with
/// the length of the take.
///
/// Neighbouring stretches share one sample. All stretches are equally long; only the last may be shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretches {
    last_sample: usize,
    count: usize,
    /// Samples from the start of a stretch to the start of the next.
    stride: usize,
}

/// Times of keys in a stretch take 16 bits: see [`KeySet`](super::KeySet).
const _: () = assert!(Stretches::MOST_SAMPLES < 1 << u16::BITS);

impl Stretches {
    /// Most joints times samples of a stretch: half a minute of 60 joints at 120 Hz.
    const MOST_TRANSFORMS: usize = 1 << 18;
    /// Most samples of a stretch, for any number of joints: some searches read all samples of a track for each key.
    const MOST_SAMPLES: usize = 1 << 13;
    /// Fewest samples of a stretch, for any number of joints: the data stored once per stretch must stay small beside the samples.
    const LEAST_SAMPLES: usize = 1 << 8;

    /// The cut of a clip with these numbers of joints and samples. Few clips have more than one stretch.
    pub fn of(joints: usize, samples: usize) -> Self {
        let most = (Self::MOST_TRANSFORMS / joints.max(1)).clamp(Self::LEAST_SAMPLES, Self::MOST_SAMPLES);
        let last_sample = samples.saturating_sub(1);
        let stride = last_sample.div_ceil(last_sample.div_ceil(most).max(1)).max(1);
        Self { last_sample, count: last_sample.div_ceil(stride).max(1), stride }
    }

    /// A single stretch, for takes of any length.
    pub fn uncut(samples: usize) -> Self {
        let last_sample = samples.saturating_sub(1);
        Self { last_sample, count: 1, stride: last_sample.max(1) }
    }

    /// Number of stretches, at least 1.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Samples of a stretch, including those shared with its neighbours.
    pub fn samples_of(&self, stretch: usize) -> Range<usize> {
        let first = self.start(stretch);
        first..(first + self.stride).min(self.last_sample) + 1
    }

    /// First sample of a stretch.
    #[inline]
    pub fn start(&self, stretch: usize) -> usize {
        stretch * self.stride
    }

    /// The stretch of a place in the clip, in samples. A shared sample belongs to the later stretch.
    #[inline]
    pub fn at(&self, at_sample: f64) -> usize {
        if self.count == 1 { 0 } else { (at_sample as usize / self.stride).min(self.count - 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_meet_at_one_sample_and_differ_little_in_length() {
        for joints in [0, 1, 3, 22, 60, 500, 2000, 65_535] {
            for samples in [1, 2, 257, 258, 4370, 16_000, 32_769, 32_770, 72_000, 200_000, 1 << 20] {
                let stretches = Stretches::of(joints, samples);
                let runs: Vec<_> = (0..stretches.count()).map(|s| stretches.samples_of(s)).collect();
                assert_eq!((runs[0].start, runs[runs.len() - 1].end), (0, samples), "{joints} x {samples}");
                assert!(runs.windows(2).all(|w| w[0].end == w[1].start + 1 && w[0].len() >= w[1].len()));
                for (stretch, run) in runs.iter().enumerate() {
                    // A stretch is not cut again.
                    assert_eq!(Stretches::of(joints, run.len()).count(), 1, "{joints} x {samples}");
                    assert_eq!(stretches.at(run.start as f64), stretch);
                    assert_eq!(stretches.at((run.end - 1) as f64 - 0.01).min(stretch), stretch, "{joints} x {samples}");
                }
                assert_eq!((stretches.at(-3.0), stretches.at(1e12)), (0, stretches.count() - 1));
            }
        }
    }
}
