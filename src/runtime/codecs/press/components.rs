//! Writing the integers of tracks into a payload, for encoders and expanded archives.

use super::layout::{
    CODE_SIZE_BITS, FIRST_WIDTHS, Interval, Layout, SIZE_BITS, STEP_BITS, WIDE, intervals, predict_fine, predict_middle,
};
use crate::format::BitWriter;
use crate::memory::{NoMemory, TryList, filled, with_room};
use crate::parts::{Segments, width_difference, zigzag32};
use alloc::vec::Vec;
use core::ops::Range;

/// One of the three numbers of a track.
#[derive(Debug)]
pub struct Component {
    /// Anchors: the start of each interval, and the last sample.
    pub anchors: Vec<i32>,
    /// The value that anchors are stored above.
    pub lowest: i32,
    /// Bits of an anchor.
    pub anchor_bits: u32,
    /// Bits of the stored `lowest`; 0 if it is minus half the range and not stored.
    pub offset_bits: u32,
    /// Per interval, the residual of its middle sample.
    pub middles: Vec<i32>,
    /// Per interval, the residuals of its other samples.
    pub fines: Vec<[i32; 2]>,
}

impl Component {
    /// Computes anchors and residuals from the integers of all samples.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(values: &[i32]) -> Result<Self, NoMemory> {
        let samples = values.len();
        let count = intervals(samples);
        let anchor = |i: usize| values[Interval::anchor(i, samples)];
        let anchors = (0..=count).map(anchor).try_list()?;
        let (mut middles, mut fines) = (with_room(count)?, with_room(count)?);
        for interval in (0..count).map(|i| Interval::at(i, samples)) {
            let values = &values[interval.start()..][..=interval.length];
            let (start, end, middle) =
                (values[0], values[interval.length], values[interval.middle().min(interval.length)]);
            let residual = match interval.length {
                1 => 0,
                _ => middle - predict_middle(start, end, interval.is_uneven()),
            };
            let fine = |place: usize, before, after| values[place] - predict_fine(before, after, residual);
            middles.push(residual);
            fines.push(match interval.fine_rows() {
                0 => [0; 2],
                1 => [fine(1, start, middle), 0],
                _ => [fine(1, start, middle), fine(3, middle, end)],
            });
        }
        let (lowest, anchor_bits, offset_bits) = anchor_range(&anchors);
        Ok(Self { anchors, lowest, anchor_bits, offset_bits, middles, fines })
    }

    /// Bits of the residuals of some intervals: of middle samples, and of others.
    pub fn widths(&self, intervals: Range<usize>) -> [u32; 2] {
        let width = |residuals: &mut dyn Iterator<Item = i32>| residuals.map(signed_bits).max().unwrap_or(0);
        let middle = width(&mut self.middles[intervals.clone()].iter().copied());
        [middle, width(&mut self.fines[intervals].iter().flatten().copied())]
    }
}

/// The base of stored anchors, the bits of an anchor above it, and the bits of the stored base. Chooses the shorter of two ways: minus
/// half the range, which is not stored, or the lowest anchor.
fn anchor_range(anchors: &[i32]) -> (i32, u32, u32) {
    let (lowest, highest) = anchors.iter().fold((i32::MAX, i32::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    let centred_bits = signed_bits(lowest).max(signed_bits(highest));
    let bits = u32::BITS - ((highest - lowest) as u32).leading_zeros();
    let offset_bits = u32::BITS - zigzag32(lowest).leading_zeros();
    if centred_bits as usize * anchors.len() <= bits as usize * anchors.len() + (offset_bits + SIZE_BITS) as usize {
        return (-((1i64 << centred_bits >> 1) as i32), centred_bits, 0);
    }
    (lowest, bits, offset_bits.max(1))
}

/// Bits of a signed integer; 0 for zero.
fn signed_bits(x: i32) -> u32 {
    let magnitude = if x < 0 { !x } else { x } as u32;
    if x == 0 { 0 } else { 1 + u32::BITS - magnitude.leading_zeros() }
}

/// The width code of a width.
pub fn width_code(bits: u32) -> u32 {
    bits.min(WIDE)
}

/// Bits of residuals with width code [`WIDE`], for all components of a clip.
pub fn wide_bits(components: &[Component]) -> u32 {
    components.iter().flat_map(|c| c.widths(0..c.middles.len())).max().unwrap_or(0).max(WIDE)
}

/// The intervals of each segment.
pub fn segments_of(layout: &Layout, samples: usize) -> impl Iterator<Item = Range<usize>> {
    let count = intervals(samples);
    let segments = Segments::new(count.max(1), layout.segment_intervals());
    (0..if count > 0 { segments.count() } else { 0 }).map(move |segment| segments.samples_of(segment))
}

/// Number of rows of a segment's residuals: of middle samples, and of others.
pub fn rows_of(intervals: &Range<usize>, samples: usize) -> [usize; 2] {
    let last = Interval::at(intervals.end - 1, samples);
    [intervals.len() - usize::from(last.length < 2), 2 * (intervals.len() - 1) + last.fine_rows()]
}

/// Writes a layout.
pub fn write_layout(layout: &Layout, out: &mut BitWriter) {
    out.push(u64::from(layout.length), Layout::LENGTH_BITS);
    out.push(u64::from(layout.wide_bits), SIZE_BITS);
    out.push(u64::from(layout.has_exact), 1);
    out.push(u64::from(layout.least_code), STEP_BITS);
    out.push(u64::from(layout.code_bits), CODE_SIZE_BITS);
}

/// Writes the widths and the offset of a component's anchors.
pub fn write_anchor_range(component: &Component, out: &mut BitWriter) {
    out.push(u64::from(component.anchor_bits), SIZE_BITS);
    out.push(u64::from(component.offset_bits > 0), 1);
    if component.offset_bits > 0 {
        out.push(u64::from(component.offset_bits), SIZE_BITS);
        out.push(u64::from(zigzag32(component.lowest)), component.offset_bits);
    }
}

/// Writes all anchors, row by row.
pub fn write_anchors(components: &[Component], samples: usize, out: &mut BitWriter) {
    for row in 0..=intervals(samples) {
        for component in components {
            out.push(component.anchors[row].wrapping_sub(component.lowest) as u32 as u64, component.anchor_bits);
        }
    }
}

/// The bits of a component in a segment.
#[derive(Debug, Clone, Copy)]
pub struct SegmentBits {
    /// Bits of its width codes.
    pub codes: u32,
    /// Bits of a residual of a middle sample, and of another.
    pub widths: [u32; 2],
}

/// Writes segments in order.
#[derive(Debug)]
pub struct SegmentWriter<'a> {
    layout: Layout,
    samples: usize,
    components: &'a [Component],
    before: Vec<[u32; 2]>,
}

impl<'a> SegmentWriter<'a> {
    /// A writer at the first segment.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(layout: Layout, samples: usize, components: &'a [Component]) -> Result<Self, NoMemory> {
        Ok(Self { layout, samples, components, before: filled(FIRST_WIDTHS, components.len())? })
    }

    /// Writes the segment of these intervals. Returns the bits of each component.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn write(&mut self, intervals: Range<usize>, out: &mut BitWriter) -> Result<Vec<SegmentBits>, NoMemory> {
        let mut bits = with_room::<SegmentBits>(self.components.len())?;
        for (component, before) in self.components.iter().zip(&mut self.before) {
            let codes = component.widths(intervals.clone()).map(width_code);
            let differences = [0, 1].map(|i| width_difference(before[i], codes[i]));
            differences.iter().for_each(|difference| out.push_unary(*difference));
            let widths = codes.map(|code| self.layout.width(code));
            bits.push(SegmentBits { codes: differences.iter().sum::<u32>() + 2, widths });
            *before = codes;
        }
        let rows = rows_of(&intervals, self.samples);
        for interval in intervals.clone().take(rows[0]) {
            for (component, bits) in self.components.iter().zip(&bits) {
                push_residual(component.middles[interval], bits.widths[0], out);
            }
        }
        for row in 0..rows[1] {
            for (component, bits) in self.components.iter().zip(&bits) {
                push_residual(component.fines[intervals.start + row / 2][row % 2], bits.widths[1], out);
            }
        }
        Ok(bits)
    }
}

fn push_residual(residual: i32, bits: u32, out: &mut BitWriter) {
    let bias = 1i64 << bits >> 1;
    out.push((i64::from(residual) + bias) as u64, bits);
}

/// Writes anchors and segments.
///
/// # Errors
/// [`NoMemory`].
pub fn write_integers(
    layout: &Layout,
    components: &[Component],
    samples: usize,
    out: &mut BitWriter,
) -> Result<(), NoMemory> {
    write_anchors(components, samples, out);
    if components.is_empty() {
        return Ok(());
    }
    let mut segments = SegmentWriter::new(*layout, samples, components)?;
    segments_of(layout, samples).try_for_each(|intervals| segments.write(intervals, out).map(drop))
}
