use super::JointError;
use serde::{Deserialize, Serialize};

/// Share of the values that are at or below [`Stats::p99_m`].
const P99: f64 = 0.99;

/// Distribution of errors, metres.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Stats {
    /// Largest.
    pub max_m: f32,
    /// 99 % are at or below it. Exact by nearest rank for joints, at most 1/128 above that for vertices.
    pub p99_m: f32,
    /// Root mean square.
    pub rms_m: f32,
    /// Mean.
    pub mean_m: f32,
}

impl Stats {
    /// Exact statistics of a set of errors in metres, all zero or positive. All zero for an empty set.
    ///
    /// The set is read three times instead of copied, because a long take has many errors. The percentile is by nearest rank: the smallest
    /// value that at least 99 % of the set do not exceed.
    ///
    /// ```
    /// use posepress_core::metrics::Stats;
    ///
    /// let stats = Stats::of([0.001, 0.002, 0.003].into_iter());
    /// assert_eq!((stats.max_m, stats.p99_m), (0.003, 0.003));
    /// assert!((stats.mean_m - 0.002).abs() < 1e-9);
    /// ```
    pub fn of(errors: impl Iterator<Item = f32> + Clone) -> Self {
        let mut moments = Moments::default();
        errors.clone().for_each(|e| moments.add(e));
        match moments.count {
            0 => Self::default(),
            count => moments.stats(ranked(errors, rank_of(P99, count))),
        }
    }
}

/// The value at a rank (1 = smallest) in a set of at least that many values, all zero or positive. The bits of such values have the same
/// order as the values, so it counts their upper 16 bits first, then the lower 16.
fn ranked(values: impl Iterator<Item = f32> + Clone, rank: u64) -> f32 {
    let bits = || values.clone().map(f32::to_bits);
    let (upper, below) = counted(bits().map(|bits| bits >> 16), rank);
    let (lower, _) = counted(bits().filter(|bits| bits >> 16 == upper).map(|bits| bits & 0xFFFF), rank - below);
    f32::from_bits(upper << 16 | lower)
}

/// The number at a rank in a set of 16-bit numbers, and the count of smaller ones.
fn counted(numbers: impl Iterator<Item = u32>, rank: u64) -> (u32, u64) {
    let mut counts = vec![0u64; 1 << 16];
    numbers.for_each(|number| counts[number as usize] += 1);
    let mut below = 0;
    for (number, count) in (0..).zip(counts) {
        if below + count >= rank {
            return (number, below);
        }
        below += count;
    }
    unreachable!("the rank is within the set")
}

/// The rank that covers a share of `count` values, at least 1.
fn rank_of(share: f64, count: u64) -> u64 {
    ((share * count as f64).ceil() as u64).clamp(1, count)
}

/// Largest value and sums of a set. The sums are f64, so that millions of small numbers add up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Moments {
    pub(super) max: f32,
    sum: f64,
    sum_of_squares: f64,
    count: u64,
}

impl Moments {
    pub(super) fn add(&mut self, value: f32) {
        let wide = f64::from(value);
        self.max = self.max.max(value);
        self.sum += wide;
        self.sum_of_squares += wide * wide;
        self.count += 1;
    }

    pub(super) fn add_zeros(&mut self, count: usize) {
        self.count += count as u64;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
        self.count += other.count;
    }

    pub(super) fn rms(&self) -> f32 {
        (self.sum_of_squares / self.count.max(1) as f64).sqrt() as f32
    }

    fn mean(&self) -> f32 {
        (self.sum / self.count.max(1) as f64) as f32
    }

    pub(super) fn stats(&self, p99_m: f32) -> Stats {
        Stats { max_m: self.max, p99_m, rms_m: self.rms(), mean_m: self.mean() }
    }

    pub(super) fn of_joint(&self, worst_secs: f32) -> JointError {
        JointError { max_m: self.max, rms_m: self.rms(), mean_m: self.mean(), worst_secs }
    }
}

/// Counts of positive values in bins, for percentiles of sets too large to keep. A bin holds the f32 values that share the sign, the
/// exponent and the first seven bits of the mantissa. It is 1/128 to 1/256 of its value wide.
#[derive(Debug, Clone)]
pub(super) struct Histogram {
    counts: Vec<u64>,
}

impl Histogram {
    /// Low bits of an f32 that a bin ignores.
    const DROPPED_BITS: u32 = 16;
    /// Bin of 2^-40 m, far below the resolution of f32 positions. Smaller values count as zero.
    const FIRST: u32 = (127 - 40) << 7;
    /// Bin of 2^13 m. It also counts all larger values and infinity.
    const LAST: u32 = (127 + 13) << 7;

    pub(super) fn new() -> Self {
        Self { counts: vec![0; (Self::LAST - Self::FIRST + 2) as usize] }
    }

    pub(super) fn add(&mut self, value: f32) {
        let bin = (value.to_bits() >> Self::DROPPED_BITS).clamp(Self::FIRST - 1, Self::LAST);
        self.counts[(bin + 1 - Self::FIRST) as usize] += 1;
    }

    pub(super) fn add_zeros(&mut self, count: usize) {
        self.counts[0] += count as u64;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
    }

    /// The value that 99 % do not exceed, at most 1/128 above the exact one. `max` is the largest value added.
    pub(super) fn p99(&self, max: f32) -> f32 {
        let total: u64 = self.counts.iter().sum();
        if total == 0 {
            return 0.0;
        }
        let rank = rank_of(P99, total);
        let mut below = 0;
        let slot = self.counts.iter().position(|&count| {
            below += count;
            below >= rank
        });
        match slot.map(|s| s as u32) {
            Some(0) => 0.0,
            Some(slot) if slot + Self::FIRST - 1 < Self::LAST => {
                f32::from_bits((slot + Self::FIRST) << Self::DROPPED_BITS).min(max)
            }
            _ => max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_ramp_has_the_statistics_of_its_closed_form() {
        // 1, 2, ..., n: mean (n+1)/2, mean square (n+1)(2n+1)/6, 99 % at 0.99 n.
        for n in [1_usize, 2, 99, 100, 101, 1000, 12_345] {
            let stats = Stats::of((1..=n).rev().map(|i| i as f32));
            let n64 = n as f64;
            assert_eq!(stats.max_m, n as f32);
            assert_eq!(stats.p99_m, (0.99 * n64).ceil() as f32, "{n}");
            assert_eq!(stats.mean_m, ((n64 + 1.0) / 2.0) as f32);
            assert!((f64::from(stats.rms_m).powi(2) / ((n64 + 1.0) * (2.0 * n64 + 1.0) / 6.0) - 1.0).abs() < 1e-6);
        }
        assert_eq!(Stats::of(std::iter::empty()), Stats::default());
    }

    #[test]
    fn zeros_infinities_and_giants_keep_their_percentile() {
        let mut histogram = Histogram::new();
        histogram.add_zeros(99);
        histogram.add(0.5);
        assert_eq!(histogram.p99(0.5), 0.0);
        histogram.add(f32::INFINITY);
        histogram.add(f32::INFINITY);
        assert_eq!(histogram.p99(f32::INFINITY), f32::INFINITY);
        assert_eq!(Histogram::new().p99(0.0), 0.0);
    }

    proptest! {
        #[test]
        fn the_histogram_is_never_below_the_exact_percentile_and_hardly_above(
            mut values in prop::collection::vec(1e-9_f32..10.0, 1..400),
        ) {
            let mut histogram = Histogram::new();
            values.iter().for_each(|&v| histogram.add(v));
            let exact = Stats::of(values.iter().copied());
            values.sort_by(f32::total_cmp);
            prop_assert_eq!(exact.p99_m, values[rank_of(P99, values.len() as u64) as usize - 1]);
            let binned = histogram.p99(exact.max_m);
            prop_assert!(binned >= exact.p99_m && binned <= exact.p99_m * (1.0 + 1.0 / 128.0));
        }
    }
}
