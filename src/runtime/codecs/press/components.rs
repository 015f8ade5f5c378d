//! Anchors and residuals of tracks, and their rows in a payload, for encoders and expanded archives.

use super::anchors::AnchorRange;
use super::layout::{Interval, Layout, WIDE, intervals, predict_fine, predict_middle};
use crate::format::BitWriter;
use crate::memory::{NoMemory, TryList, with_room};
use crate::parts::Segments;
use alloc::vec::Vec;
use core::ops::Range;

/// One of the three numbers of a track.
#[derive(Debug)]
pub struct Component {
    /// Anchors: the start of each interval, and the last sample.
    pub anchors: Vec<i32>,
    /// Their range.
    pub range: AnchorRange,
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
        Ok(Self { range: AnchorRange::of(&anchors), anchors, middles, fines })
    }

    /// Bits of the residuals of some intervals: of middle samples, and of others.
    pub fn widths(&self, intervals: Range<usize>) -> [u32; 2] {
        let width = |residuals: &mut dyn Iterator<Item = i32>| residuals.map(signed_bits).max().unwrap_or(0);
        let middle = width(&mut self.middles[intervals.clone()].iter().copied());
        [middle, width(&mut self.fines[intervals].iter().flatten().copied())]
    }
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
pub fn segments_of(layout: &Layout, samples: usize) -> impl ExactSizeIterator<Item = Range<usize>> + use<> {
    let count = intervals(samples);
    let segments = Segments::new(count.max(1), layout.segment_intervals());
    (0..if count > 0 { segments.count() } else { 0 }).map(move |segment| segments.samples_of(segment))
}

/// Number of rows of a segment's residuals: of middle samples, and of others.
pub fn rows_of(intervals: &Range<usize>, samples: usize) -> [usize; 2] {
    let last = Interval::at(intervals.end - 1, samples);
    [intervals.len() - usize::from(last.length < 2), 2 * (intervals.len() - 1) + last.fine_rows()]
}

/// Writes all anchors, row by row.
pub fn write_anchors(components: &[Component], samples: usize, out: &mut BitWriter) {
    for row in 0..=intervals(samples) {
        for Component { anchors, range, .. } in components {
            out.push(anchors[row].wrapping_sub(range.lowest) as u32 as u64, range.bits);
        }
    }
}

/// Writes the residuals of some intervals, row by row: those of middle samples, then the others.
///
/// # Errors
/// [`NoMemory`].
pub fn write_segment(
    layout: &Layout,
    components: &[Component],
    intervals: Range<usize>,
    samples: usize,
    out: &mut BitWriter,
) -> Result<(), NoMemory> {
    let bits = |component: &Component| component.widths(intervals.clone()).map(|bits| layout.width(width_code(bits)));
    let widths = components.iter().map(bits).try_list()?;
    let rows = rows_of(&intervals, samples);
    for interval in intervals.clone().take(rows[0]) {
        for (component, widths) in components.iter().zip(&widths) {
            push_residual(component.middles[interval], widths[0], out);
        }
    }
    for row in 0..rows[1] {
        for (component, widths) in components.iter().zip(&widths) {
            push_residual(component.fines[intervals.start + row / 2][row % 2], widths[1], out);
        }
    }
    Ok(())
}

fn push_residual(residual: i32, bits: u32, out: &mut BitWriter) {
    let bias = 1i64 << bits >> 1;
    out.push((i64::from(residual) + bias) as u64, bits);
}
