//! How a clip is stored: intervals, segments, and what integers are predicted from.

use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::exp2i;

/// Samples from one anchor to the next; the last interval of a clip may have fewer.
pub const INTERVAL_SAMPLES: usize = 4;
/// Intervals of the shortest segments.
pub const SEGMENT_INTERVALS: usize = 4;
/// Width code of components that need more bits than the codes below say; how many, the layout says.
pub const WIDE: u32 = 15;
/// Bits of a width code.
pub const WIDTH_BITS: u32 = 4;
/// Bits that say how wide anchors, their offsets or wide components are.
pub const SIZE_BITS: u32 = 5;
/// Bits of the code of a step.
pub const STEP_BITS: u32 = 8;
/// Step code of tracks whose samples are float32.
pub const EXACT: u8 = 0;

/// What holds for the whole clip: 2 bits, 5 bits, 1 bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Segments have `SEGMENT_INTERVALS << length` intervals or up to twice that.
    pub length: u32,
    /// Bits of components of width code [`WIDE`].
    pub wide_bits: u32,
    /// Some tracks are float32: a bit a track says which.
    pub has_exact: bool,
}

impl Layout {
    /// Bits that it takes.
    pub const BITS: u64 = 8;
    /// Bits of the length.
    pub const LENGTH_BITS: u32 = 2;

    /// Reads a layout.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let length = input.read("length of segments", Self::LENGTH_BITS)? as u32;
        let wide_bits = input.read("bits of wide components", SIZE_BITS)? as u32;
        let has_exact = input.read("flag of exact tracks", 1)? == 1;
        Ok(Self { length, wide_bits, has_exact })
    }

    /// Intervals of a segment, at least.
    pub fn segment_intervals(&self) -> usize {
        SEGMENT_INTERVALS << self.length
    }

    /// Bits of a component of that width code.
    pub fn width(&self, code: u64) -> u32 {
        if code == u64::from(WIDE) { self.wide_bits } else { code as u32 }
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

    /// How far towards the anchor at its end the middle lies, in parts of 65,536.
    #[inline]
    pub fn middle_weight(&self) -> i64 {
        if self.length == 3 { 43_691 } else { 32_768 }
    }
}

/// The middle of an interval without its residual.
#[inline(always)]
pub fn predict_middle(start: i32, end: i32, weight: i64) -> i32 {
    let way = i64::from(end) - i64::from(start);
    start.wrapping_add((way * weight >> 16) as i32)
}

/// A sample without its residual, between its neighbours: a quarter of how much the middle left its line, as on a parabola.
#[inline(always)]
pub fn predict_fine(before: i32, after: i32, middle_residual: i32) -> i32 {
    let middle = (i64::from(before) + i64::from(after)) >> 1;
    (middle as i32).wrapping_add(middle_residual.wrapping_add(2) >> 2)
}

/// Size of the steps of a code, as float32: those of rotations are halves of the tangent of a quarter of the angle.
pub fn lattice_step(code: u8, is_rotation: bool) -> f32 {
    let step = crate::math::step_of_code(code) as f32;
    if is_rotation { step * exp2i(-2) } else { step }
}

/// Three integers that follow each other, as they are stored.
#[inline(always)]
pub fn read_three(bytes: &[u8], at: usize, widths: [u8; 3]) -> [i32; 3] {
    let [a, b, c] = widths.map(u32::from);
    let take = |word: u64, width: u32| (word & ((1 << width) - 1)) as i32;
    if a + b + c <= crate::format::MAX_BITS_AT {
        let word = bits_at(bytes, at, crate::format::MAX_BITS_AT);
        return [take(word, a), take(word >> a, b), take(word >> (a + b), c)];
    }
    let at = |before: u32| at + before as usize;
    [bits_at(bytes, at(0), a), bits_at(bytes, at(a), b), bits_at(bytes, at(a + b), c)].map(|x| x as i32)
}

/// Residuals are stored with half of their range added.
#[inline(always)]
pub fn residual_bias(width: u8) -> i32 {
    ((1u64 << width) >> 1) as i32
}
