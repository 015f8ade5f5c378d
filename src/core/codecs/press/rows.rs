//! The bits of rows of tracks on lattices, and their rates.

use super::decode::{Component, INTERVAL_SAMPLES, Layout, intervals, rows_of, segments_of, width_code};
use super::pack::row_bits;
use crate::codecs::encode::lattice::LatticeTrack;
use crate::codecs::{LatticeRow, Ledger, Section, SegmentRate};
use std::ops::Range;

/// The rows of a payload.
pub struct Rows<'a> {
    pub samples: usize,
    pub layout: Layout,
    pub tracks: &'a [&'a LatticeTrack],
    /// Three per track.
    pub components: &'a [Component],
}

impl Rows<'_> {
    /// Counts their bits.
    pub fn count(&self, ledger: &mut Ledger) {
        for (track, components) in self.each() {
            let bits = components.iter().flat_map(|component| self.component_bits(component)).sum();
            ledger.track(track.joint, track.channel, Section::Animated, bits);
        }
    }

    /// Records the bits of each component, and each track's bit rate per segment, with its share of the anchors.
    pub fn rate(&self, ledger: &mut Ledger) {
        for segment in segments_of(&self.layout, self.samples) {
            let rows = rows_of(&segment, self.samples);
            let numbers = 3 * (rows[0] + rows[1] + segment.len()) as u64;
            for (track, components) in self.each() {
                let residuals = components.iter().flat_map(|component| self.residual_bits(component, &segment));
                let bits = residuals.sum::<u64>() + (segment.len() * row_bits(components)) as u64;
                let (joint, first_sample) = (track.joint as u16, (segment.start * INTERVAL_SAMPLES) as u32);
                let bits = ((bits + numbers / 2) / numbers) as u32;
                ledger.rate(SegmentRate { joint, channel: track.channel, first_sample, bits });
            }
        }
        let row = |(track, components): (&LatticeTrack, &[Component])| {
            [0, 1, 2].map(|component| LatticeRow {
                joint: track.joint as u16,
                channel: track.channel,
                component: component as u8,
                step: track.step(component),
                bits: self.component_bits(&components[component]),
            })
        };
        ledger.lattice(self.each().flat_map(row).collect());
    }

    /// Each track with its components.
    fn each(&self) -> impl Iterator<Item = (&LatticeTrack, &[Component])> {
        self.tracks.iter().copied().zip(self.components.chunks(3))
    }

    /// Bits of a component: anchors, residuals of middle samples, others.
    fn component_bits(&self, component: &Component) -> [u64; 3] {
        let mut out = [(intervals(self.samples) as u64 + 1) * u64::from(component.range.bits), 0, 0];
        for segment in segments_of(&self.layout, self.samples) {
            let [middles, fines] = self.residual_bits(component, &segment);
            out[1] += middles;
            out[2] += fines;
        }
        out
    }

    /// Bits of a component's residuals in a segment: of middle samples, and of others.
    fn residual_bits(&self, component: &Component, segment: &Range<usize>) -> [u64; 2] {
        let (rows, widths) = (rows_of(segment, self.samples), component.widths(segment.clone()));
        [0, 1].map(|i| rows[i] as u64 * u64::from(self.layout.width(width_code(widths[i]))))
    }
}
