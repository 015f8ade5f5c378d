use core::ops::Range;

/// Samples cut into segments of nearly equal length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segments {
    samples: u32,
    count: u32,
}

impl Segments {
    /// Segments of `segment_samples` (at least 1), or up to twice that in clips too short for an even cut.
    pub fn new(samples: usize, segment_samples: usize) -> Self {
        Self { samples: samples as u32, count: (samples / segment_samples.max(1)).max(1) as u32 }
    }

    /// Number of segments, at least 1.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Samples of one segment.
    pub fn samples_of(&self, segment: usize) -> Range<usize> {
        self.start(segment)..self.start(segment + 1)
    }

    /// First sample of a segment.
    #[inline]
    pub fn start(&self, segment: usize) -> usize {
        (segment as u64 * u64::from(self.samples) / u64::from(self.count)) as usize
    }

    /// The segment of a sample.
    #[inline]
    pub fn of(&self, sample: usize) -> usize {
        (((sample as u64 + 1) * u64::from(self.count) - 1) / u64::from(self.samples)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_clips_have_places_beyond_32_bits() {
        let (samples, segments) = (1 << 20, Segments::new(1 << 20, 16));
        assert_eq!((segments.count(), segments.start(segments.count())), (samples / 16, samples));
        assert_eq!(segments.of(samples - 1), segments.count() - 1);
    }

    #[test]
    fn every_sample_lies_in_its_segment_and_lengths_differ_by_one() {
        for samples in 1..200 {
            for length in 1..40 {
                let segments = Segments::new(samples, length);
                let runs: Vec<_> = (0..segments.count()).map(|s| segments.samples_of(s)).collect();
                assert_eq!(runs.iter().map(Range::len).sum::<usize>(), samples);
                let lengths = || runs.iter().map(Range::len);
                assert!(lengths().max().unwrap() - lengths().min().unwrap() <= 1);
                assert!(
                    samples < length || (lengths().min().unwrap() >= length && lengths().max().unwrap() < 2 * length)
                );
                for (segment, run) in runs.into_iter().enumerate() {
                    assert!(run.into_iter().all(|s| segments.of(s) == segment));
                }
            }
        }
    }
}
