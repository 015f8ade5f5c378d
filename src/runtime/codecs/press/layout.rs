//! Intervals and segments of a clip, and the prediction of integers.

use crate::math::Whole;

/// Samples from one anchor to the next; the last interval of a clip may have fewer.
pub const INTERVAL_SAMPLES: usize = 4;
/// Intervals of the shortest segments.
pub const SEGMENT_INTERVALS: usize = 2;
/// Width code of residuals with [`Layout::wide_bits`] bits. Smaller codes are the width itself.
pub const WIDE: u32 = 15;
/// Settings of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Segments have `SEGMENT_INTERVALS << length` intervals or up to twice that.
    pub length: u32,
    /// Bits of residuals with width code [`WIDE`].
    pub wide_bits: u32,
}

impl Layout {
    /// Bits of the length.
    pub const LENGTH_BITS: u32 = 2;

    /// Fewest intervals of a segment.
    pub fn segment_intervals(&self) -> usize {
        SEGMENT_INTERVALS << self.length
    }

    /// Bits of a residual with that width code.
    pub fn width(&self, code: u32) -> u32 {
        if code == WIDE { self.wide_bits } else { code }
    }
}

/// Number of intervals of a clip. Between two anchors there are up to three samples.
pub fn intervals(samples: usize) -> usize {
    (samples - 1).div_ceil(INTERVAL_SAMPLES)
}

/// The source of a sample in an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// The anchor at the start.
    Start = 0,
    /// [`predict_fine`] plus a residual.
    Fine = 1,
    /// [`predict_middle`] plus a residual.
    Middle = 2,
    /// The anchor at the end.
    End = 3,
}

/// The samples from an anchor to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// Its index, equal to that of the anchor at its start.
    pub index: usize,
    /// Samples from anchor to anchor, 1 to 4.
    pub length: usize,
}

impl Interval {
    /// The interval of a sample. The last sample of a clip belongs to the last interval. `samples` is at least 2.
    #[inline]
    pub fn of(sample: usize, samples: usize) -> Self {
        let index = (sample / INTERVAL_SAMPLES).min(intervals(samples) - 1);
        Self::at(index, samples)
    }

    /// The interval of that index.
    #[inline]
    pub fn at(index: usize, samples: usize) -> Self {
        let start = index * INTERVAL_SAMPLES;
        Self { index, length: (samples - 1 - start).min(INTERVAL_SAMPLES) }
    }

    /// The sample of an anchor: every fourth sample, and the last.
    pub fn anchor(row: usize, samples: usize) -> usize {
        (row * INTERVAL_SAMPLES).min(samples - 1)
    }

    /// The sample of the anchor at its start.
    pub fn start(&self) -> usize {
        self.index * INTERVAL_SAMPLES
    }

    /// Place of the middle sample after the start. Intervals of length 1 have no middle sample.
    #[inline]
    pub fn middle(&self) -> usize {
        if self.length == 2 { 1 } else { 2 }
    }

    /// Source of the sample `place` after the start.
    #[inline]
    pub fn node(&self, place: usize) -> Node {
        match place {
            0 => Node::Start,
            place if place == self.length => Node::End,
            place if place == self.middle() => Node::Middle,
            _ => Node::Fine,
        }
    }

    /// Number of samples with [`Node::Fine`]: the first and the third after the start.
    #[inline]
    pub fn fine_rows(&self) -> usize {
        self.length.saturating_sub(2)
    }

    /// True if the middle sample is two thirds of the way from anchor to anchor, not half.
    #[inline]
    pub fn is_uneven(&self) -> bool {
        self.length == 3
    }
}

/// Prediction of a middle sample: on the line between the anchors, at half or, if uneven, at two thirds of the way.
#[inline(always)]
pub fn predict_middle<W: Whole>(start: W, end: W, is_uneven: bool) -> W {
    let way = end.minus(start);
    start.plus(if is_uneven { way.each(two_thirds) } else { way.shifted::<1>() })
}

fn two_thirds(way: i32) -> i32 {
    ((i64::from(way) * 43_691) >> 16) as i32
}

/// Prediction of a sample between its neighbours: their mean plus a quarter of the middle sample's residual, as on a parabola.
#[inline(always)]
pub fn predict_fine<W: Whole>(before: W, after: W, middle_residual: W) -> W {
    before.plus(after).shifted::<1>().plus(middle_residual.plus(W::splat(2)).shifted::<2>())
}

/// Half of the range of `width` bits. It is added to stored residuals, so that they are not negative.
pub fn residual_bias(width: u8) -> i32 {
    ((1u32 << width) >> 1) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_sample_but_anchors_stands_between_two_that_are_known_before() {
        for samples in 2..40 {
            let mut seen = Vec::new();
            for interval in (0..intervals(samples)).map(|index| Interval::at(index, samples)) {
                let nodes: Vec<Node> = (0..=interval.length).map(|place| interval.node(place)).collect();
                let expected: &[Node] = match interval.length {
                    1 => &[Node::Start, Node::End],
                    2 => &[Node::Start, Node::Middle, Node::End],
                    3 => &[Node::Start, Node::Fine, Node::Middle, Node::End],
                    _ => &[Node::Start, Node::Fine, Node::Middle, Node::Fine, Node::End],
                };
                assert_eq!(nodes, expected, "{samples} samples, {interval:?}");
                assert_eq!(interval.fine_rows(), nodes.iter().filter(|n| **n == Node::Fine).count());
                seen.extend((interval.start()..interval.start() + interval.length).map(|s| (s, interval)));
            }
            assert_eq!(seen.len(), samples - 1);
            assert!(seen.into_iter().all(|(sample, interval)| Interval::of(sample, samples) == interval));
            assert_eq!(Interval::of(samples - 1, samples), Interval::at(intervals(samples) - 1, samples));
        }
    }

    #[test]
    fn straight_lines_and_parabolas_leave_nothing() {
        for slope in [-7, 0, 3, 100_000_000] {
            let line = |place: i32| 11 + slope * place;
            for length in [2, 3, 4] {
                let interval = Interval { index: 0, length };
                let middle = predict_middle(line(0), line(length as i32), interval.is_uneven());
                assert!(
                    (middle - line(interval.middle() as i32)).abs() <= slope.abs() / 65_536 + 1,
                    "{slope} {length}"
                );
            }
            assert_eq!(predict_fine(line(0), line(2), 0), line(1));
        }
        let parabola = |place: i32| 12 * place * place;
        let residual = parabola(2) - predict_middle(parabola(0), parabola(4), false);
        assert_eq!(predict_fine(parabola(0), parabola(2), residual), parabola(1));
        assert_eq!(predict_fine(parabola(2), parabola(4), residual), parabola(3));
    }
}
