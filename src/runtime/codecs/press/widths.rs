//! Width codes of residuals.

use super::anchors::AnchorRange;
use super::chances::{Chances, Near};
use super::head::{Head, Part};
use super::layout::WIDE;
use crate::memory::{NoMemory, filled};
use crate::parts::CodeBit;
use alloc::vec::Vec;

/// Width codes of the residuals of a track in a segment: per component, of middle samples and of others.
pub type TrackWidths = [[u8; 2]; 3];

/// Bits by which the widths of a component usually differ from those that they are forecast from: residuals of middle samples from its
/// anchors, and other residuals from those of middle samples.
const MIDDLES_BELOW: i32 = 3;
const OTHERS_BELOW: i32 = 1;

/// The widths of all tracks, segment by segment.
#[derive(Debug)]
pub struct Widths {
    tracks: Vec<TrackWidths>,
    is_first: bool,
}

impl Widths {
    /// Before the first segment.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(tracks: usize) -> Result<Self, NoMemory> {
        Ok(Self { tracks: filled([[0; 2]; 3], tracks)?, is_first: true })
    }

    /// The widths in the segment that was coded last, per track.
    pub fn tracks(&self) -> &[TrackWidths] {
        &self.tracks
    }

    /// Codes the next segment. `wanted` gives an encoder the widths of a track.
    ///
    /// # Errors
    /// The first error of `after`.
    pub fn code<B: CodeBit, E>(
        &mut self,
        head: &Head,
        chances: &mut Chances,
        bits: &mut B,
        mut wanted: impl FnMut(usize) -> TrackWidths,
        mut after: impl FnMut(&B, Part) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut missed = [0; 2];
        for (track, (record, widths)) in head.tracks.iter().zip(&mut self.tracks).enumerate() {
            let wanted = wanted(track);
            for (component, widths) in widths.iter_mut().enumerate() {
                let forecast =
                    Forecast { before: *widths, anchors: &record.anchors[component], is_first: self.is_first };
                *widths = forecast.code(wanted[component], &mut missed, chances, bits);
            }
            after(bits, Part::Widths { track })?;
        }
        self.is_first = false;
        Ok(())
    }
}

/// The source of the forecast of a component's widths.
struct Forecast<'a> {
    /// Its widths in the segment before.
    before: [u8; 2],
    anchors: &'a AnchorRange,
    is_first: bool,
}

impl Forecast<'_> {
    /// Codes the widths. `missed` has the errors of the forecasts of the component before, and is updated.
    fn code(&self, wanted: [u8; 2], missed: &mut [i32; 2], chances: &mut Chances, bits: &mut impl CodeBit) -> [u8; 2] {
        let mut out = [0; 2];
        for row in 0..2 {
            let eighths = (self.eighths(row, out[0].into()) + missed[row]).clamp(0, 8 * WIDE as i32);
            let likely = (eighths as u32 + 4) / 8;
            let near = Near::Width(row, self.is_first, likely);
            out[row] = chances.near(near, likely, WIDE, wanted[row].into(), bits) as u8;
            missed[row] = i32::from(out[row]) - likely as i32;
        }
        out
    }

    /// The forecast of residuals of middle samples (0) or of others (1), in eighths of a bit. `middle` is the width of the former.
    fn eighths(&self, row: usize, middle: i32) -> i32 {
        let [middle_before, other_before] = self.before.map(i32::from);
        let of_anchors = 8 * (self.anchors.bits as i32 - MIDDLES_BELOW).max(0);
        let of_middle = 8 * (middle - OTHERS_BELOW);
        match (row, self.is_first) {
            (0, true) => of_anchors,
            (0, false) => (7 * (6 * middle_before + 2 * (other_before + OTHERS_BELOW)) + of_anchors) / 8,
            (_, true) => of_middle,
            (_, false) => 4 * other_before + of_middle / 2,
        }
    }
}
