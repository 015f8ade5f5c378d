//! The bits of rows of tracks on lattices, and their rates.

use super::decode::{Component, INTERVAL_SAMPLES, Layout, intervals, rows_of, segments_of, width_code};
use super::pack::row_bits;
use crate::codecs::encode::lattice::LatticeTrack;
use crate::codecs::{LatticeRow, Ledger, Section, SegmentRate};
use std::ops::Range;

/// The rows of a payload.
pub struct Rows<'a> {
    samples: usize,
    layout: Layout,
    tracks: &'a [&'a LatticeTrack],
    /// Three per track.
    components: &'a [Component],
    /// Per component and segment, the bits of residuals: of middle samples, and of others.
    residual_bits: Vec<Vec<[u64; 2]>>,
}

impl<'a> Rows<'a> {
    /// The rows of tracks on lattices, with their components.
    pub fn new(samples: usize, layout: Layout, tracks: &'a [&'a LatticeTrack], components: &'a [Component]) -> Self {
        let bits = |component: &Component, segment: Range<usize>| {
            let (rows, widths) = (rows_of(&segment, samples), component.widths(segment));
            [0, 1].map(|i| rows[i] as u64 * u64::from(layout.width(width_code(widths[i]))))
        };
        let of = |component| segments_of(&layout, samples).map(|segment| bits(component, segment)).collect();
        Self { samples, layout, tracks, components, residual_bits: components.iter().map(of).collect() }
    }

    /// Counts their bits.
    pub fn count(&self, ledger: &mut Ledger) {
        for (index, track) in self.tracks.iter().enumerate() {
            let bits = (3 * index..3 * index + 3).flat_map(|component| self.component_bits(component)).sum();
            ledger.track(track.joint, track.channel, Section::Animated, bits);
        }
    }

    /// Records the bits of each component, and each track's bit rate per segment, with its share of the anchors.
    pub fn rate(&self, ledger: &mut Ledger) {
        for (number, segment) in segments_of(&self.layout, self.samples).enumerate() {
            let rows = rows_of(&segment, self.samples);
            let numbers = 3 * (rows[0] + rows[1] + segment.len()) as u64;
            for (index, track) in self.tracks.iter().enumerate() {
                let own = 3 * index..3 * index + 3;
                let residuals = self.residual_bits[own.clone()].iter().flat_map(|bits| bits[number]).sum::<u64>();
                let bits = residuals + (segment.len() * row_bits(&self.components[own])) as u64;
                let (joint, first_sample) = (track.joint as u16, (segment.start * INTERVAL_SAMPLES) as u32);
                let bits = ((bits + numbers / 2) / numbers) as u32;
                ledger.rate(SegmentRate { joint, channel: track.channel, first_sample, bits });
            }
        }
        let row = |(index, track): (usize, &&LatticeTrack)| {
            [0, 1, 2].map(|component| LatticeRow {
                joint: track.joint as u16,
                channel: track.channel,
                component: component as u8,
                step: track.step(component),
                bits: self.component_bits(3 * index + component),
            })
        };
        ledger.lattice(self.tracks.iter().enumerate().flat_map(row).collect());
    }

    /// Bits of a component: anchors, residuals of middle samples, others.
    fn component_bits(&self, component: usize) -> [u64; 3] {
        let anchors = (intervals(self.samples) as u64 + 1) * u64::from(self.components[component].range.bits);
        let sum = |row: usize| self.residual_bits[component].iter().map(|bits| bits[row]).sum();
        [anchors, sum(0), sum(1)]
    }
}
