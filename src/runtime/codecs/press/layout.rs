//! How a clip is stored: intervals, segments, and what integers are predicted from.

use crate::format::{BitReader, DecodeError, word_at};

/// Samples from one anchor to the next; the last interval of a clip may have fewer.
pub const INTERVAL_SAMPLES: usize = 4;
/// Intervals of the shortest segments.
pub const SEGMENT_INTERVALS: usize = 2;
/// Width code of components that need more bits than the codes below say; how many, the layout says.
pub const WIDE: u32 = 15;
/// Width codes that those of the first segment are differences to, of residuals of middles and of others.
pub const FIRST_WIDTHS: [u32; 2] = [5, 4];
/// Bits that say how wide anchors, their offsets or wide components are.
pub const SIZE_BITS: u32 = 5;
/// Bits of the least code of a step.
pub const STEP_BITS: u32 = 8;
/// Bits that say how many a step's code has above the least.
pub const CODE_SIZE_BITS: u32 = 4;

/// What holds for the whole clip. On disk, in the order of the fields: 2, 5, 1, 8 and 4 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Segments have `SEGMENT_INTERVALS << length` intervals or up to twice that.
    pub length: u32,
    /// Bits of components of width code [`WIDE`].
    pub wide_bits: u32,
    /// Some tracks are float32: a bit a track says which.
    pub has_exact: bool,
    /// The least code of a step.
    pub least_code: u8,
    /// Bits of each step's code above it, at most 8.
    pub code_bits: u32,
}

impl Layout {
    /// Bits that it takes.
    pub const BITS: u64 = 20;
    /// Bits of the length.
    pub const LENGTH_BITS: u32 = 2;

    /// Reads a layout.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let length = input.read("length of segments", Self::LENGTH_BITS)? as u32;
        let wide_bits = input.read("bits of wide components", SIZE_BITS)? as u32;
        let has_exact = input.read("flag of exact tracks", 1)? == 1;
        let least_code = input.read("least step", STEP_BITS)? as u8;
        let at = input.bit_position() / 8;
        let code_bits = input.read("bits of steps", CODE_SIZE_BITS)? as u32;
        if code_bits > STEP_BITS {
            return Err(DecodeError::invalid("bits of steps", at, code_bits, "0 to 8"));
        }
        Ok(Self { length, wide_bits, has_exact, least_code, code_bits })
    }

    /// Intervals of a segment, at least.
    pub fn segment_intervals(&self) -> usize {
        SEGMENT_INTERVALS << self.length
    }

    /// Bits of a component of that width code.
    pub fn width(&self, code: u32) -> u32 {
        if code == WIDE { self.wide_bits } else { code }
    }
}

/// Intervals of a clip: between two anchors lie up to three samples.
pub fn intervals(samples: usize) -> usize {
    (samples - 1).div_ceil(INTERVAL_SAMPLES)
}

/// What a sample of an interval is rebuilt from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// The anchor at the start.
    Start = 0,
    /// A residual on the middle of its neighbours.
    Fine = 1,
    /// A residual on the line between the anchors.
    Middle = 2,
    /// The anchor at the end.
    End = 3,
}

/// Where a sample stands among the anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// Number of it, which is that of the anchor at its start.
    pub index: usize,
    /// Samples from anchor to anchor, 1 to 4.
    pub length: usize,
}

impl Interval {
    /// The interval from a sample on; that before the last anchor of a clip for the last sample. `samples` is at least 2.
    #[inline]
    pub fn of(sample: usize, samples: usize) -> Self {
        let index = (sample / INTERVAL_SAMPLES).min(intervals(samples) - 1);
        Self::at(index, samples)
    }

    /// The interval of that number.
    #[inline]
    pub fn at(index: usize, samples: usize) -> Self {
        let start = index * INTERVAL_SAMPLES;
        Self { index, length: (samples - 1 - start).min(INTERVAL_SAMPLES) }
    }

    /// The sample of the anchor at its start.
    pub fn start(&self) -> usize {
        self.index * INTERVAL_SAMPLES
    }

    /// Place of the sample in the middle, which intervals of one sample lack.
    #[inline]
    pub fn middle(&self) -> usize {
        if self.length == 2 { 1 } else { 2 }
    }

    /// How the sample `place` after the start is rebuilt.
    #[inline]
    pub fn node(&self, place: usize) -> Node {
        match place {
            0 => Node::Start,
            place if place == self.length => Node::End,
            place if place == self.middle() => Node::Middle,
            _ => Node::Fine,
        }
    }

    /// Rows of residuals on the middle of neighbours: of the first and third sample after the start.
    #[inline]
    pub fn fine_rows(&self) -> usize {
        self.length.saturating_sub(2)
    }

    /// The middle lies two thirds of the way from anchor to anchor, not half.
    #[inline]
    pub fn is_uneven(&self) -> bool {
        self.length == 3
    }
}

/// The middle of an interval without its residual: half the way between the anchors, or two thirds where it is uneven.
#[inline(always)]
pub fn predict_middle(start: i32, end: i32, is_uneven: bool) -> i32 {
    let way = end.wrapping_sub(start);
    start.wrapping_add(if is_uneven { ((i64::from(way) * 43_691) >> 16) as i32 } else { way >> 1 })
}

/// A sample without its residual, between its neighbours: a quarter of how much the middle left its line, as on a parabola.
#[inline(always)]
pub fn predict_fine(before: i32, after: i32, middle_residual: i32) -> i32 {
    (before.wrapping_add(after) >> 1).wrapping_add(middle_residual.wrapping_add(2) >> 2)
}

/// The lowest bits of a word, and half of how many integers they hold, by their number; for any byte, so that looking up needs
/// no check.
const MASKS: [u32; 256] = by_width(false);
const HALVES: [i32; 256] = {
    let (halves, mut signed) = (by_width(true), [0; 256]);
    let mut width = 0;
    while width < 256 {
        signed[width] = halves[width] as i32;
        width += 1;
    }
    signed
};

const fn by_width(is_half: bool) -> [u32; 256] {
    let mut out = [0; 256];
    let mut width = 0;
    while width < 32 {
        out[width] = if is_half { (1u32 << width) >> 1 } else { (1u32 << width) - 1 };
        width += 1;
    }
    out
}

/// Three integers that follow each other, as they are stored. `IS_NARROW`: they take no more than 57 bits.
#[inline(always)]
pub fn read_three<const IS_NARROW: bool>(bytes: &[u8], at: usize, [a, b, c]: [u8; 3]) -> [i32; 3] {
    let take = |word: u64, width: u8| (word as u32 & MASKS[usize::from(width)]) as i32;
    let first = word_at(bytes, at);
    let (second, third) = if IS_NARROW {
        (first >> (a & 63), first >> (a & 63) >> (b & 63))
    } else {
        (word_at(bytes, at + usize::from(a)), word_at(bytes, at + usize::from(a) + usize::from(b)))
    };
    [take(first, a), take(second, b), take(third, c)]
}

/// The same of residuals.
#[inline(always)]
pub fn read_residuals<const IS_NARROW: bool>(bytes: &[u8], at: usize, widths: [u8; 3]) -> [i32; 3] {
    let ([x, y, z], [a, b, c]) = (read_three::<IS_NARROW>(bytes, at, widths), widths);
    [x - residual_bias(a), y - residual_bias(b), z - residual_bias(c)]
}

/// Residuals are stored with half of their range added.
#[inline(always)]
pub fn residual_bias(width: u8) -> i32 {
    HALVES[usize::from(width)]
}

/// The width code that follows another, 0 to [`WIDE`]: even counts of ones before a zero are twice how much larger it is, odd
/// ones twice how much smaller less one.
///
/// # Errors
/// See [`DecodeError`].
pub fn read_width(input: &mut BitReader<'_>, before: u32) -> Result<u32, DecodeError> {
    let at = input.bit_position() / 8;
    let mut ones = 0i32;
    while input.read("width of residuals", 1)? == 1 {
        ones += 1;
        if ones > 2 * WIDE as i32 {
            break;
        }
    }
    let code = before as i32 + ((ones >> 1) ^ -(ones & 1));
    u32::try_from(code)
        .ok()
        .filter(|code| *code <= WIDE)
        .ok_or_else(|| DecodeError::invalid("width of residuals", at, code, "0 to 15"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{MAX_BITS_AT, bits_at};
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

    #[test]
    fn widths_are_differences_in_unary_and_stay_in_range() {
        let read = |bytes: &[u8], before| read_width(&mut BitReader::new(bytes), before);
        assert_eq!(read(&[0b0], 5), Ok(5));
        assert_eq!(read(&[0b01], 5), Ok(4));
        assert_eq!(read(&[0b011], 5), Ok(6));
        assert!(read(&[0b01], 0).is_err() && read(&[0b011], WIDE).is_err());
        assert!(read(&[0xff; 20], 0).is_err() && read(&[0xff], 0).is_err());
    }

    #[test]
    fn three_integers_are_read_however_wide_they_are() {
        let bytes: Vec<u8> = (0..60u8).map(|i| i.wrapping_mul(37)).collect();
        for widths in [[3, 0, 12], [31, 31, 31], [19, 19, 19], [20, 19, 19]] {
            for at in (0..60).chain([300, 470, 480, 500]) {
                let mut from = at;
                let expected = widths.map(|width: u8| {
                    from += usize::from(width);
                    bits_at(&bytes, from - usize::from(width), width.into()) as i32
                });
                assert_eq!(read_three::<false>(&bytes, at, widths), expected, "{widths:?} at {at}");
                if widths.iter().map(|w| u32::from(*w)).sum::<u32>() <= MAX_BITS_AT {
                    assert_eq!(read_three::<true>(&bytes, at, widths), expected, "{widths:?} at {at}");
                }
                let residuals = read_residuals::<false>(&bytes, at, widths);
                assert!((0..3).all(|i| residuals[i] == expected[i] - ((1i64 << widths[i]) >> 1) as i32));
            }
        }
    }
}
