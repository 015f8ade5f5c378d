//! Writes tracks and their rates.

use super::decode::{Layout, exact_bits};
use super::tracks::{SegmentTrack, Track};
use crate::codecs::encode::write::{write_channel, write_track_table};
use crate::codecs::runtime::{Rate, Segments, TrackTable, ValueSpan};
use crate::codecs::{Encoded, Ledger, Section, SegmentRate};
use crate::format::BitWriter;
use crate::model::{Channel, Clip};
use std::ops::Range;

/// Writes the payload that [`super::decode`] reads. `rates`: one per segment and track.
pub fn pack(clip: &Clip, table: &TrackTable, layout: &Layout, tracks: &[Track], rates: &[Vec<Rate>]) -> Encoded {
    let segments = Segments::new(clip.samples(), layout.segment_samples);
    let mut packer = Packer { clip, layout, out: BitWriter::new(), ledger: Ledger::default() };
    packer.head(table, tracks);
    if !tracks.is_empty() {
        for (segment, rates) in rates.iter().enumerate() {
            let samples = segments.samples_of(segment);
            let has_spans = layout.has_segment_spans(segments);
            let tracks: Vec<_> = tracks.iter().map(|t| t.segment(samples.clone(), has_spans)).collect();
            packer.segment(&tracks, rates, samples);
        }
    }
    packer.finish()
}

/// Writes a layout, with the code of its granularity.
pub fn write_layout(layout: &Layout, granularity: u64, out: &mut BitWriter) {
    out.push(granularity, 2);
    out.push(layout.range as u64, 2);
    out.push(u64::from(layout.highest_bits == 23), 1);
    out.push(layout.segment_samples as u64, 16);
}

struct Packer<'a> {
    clip: &'a Clip,
    layout: &'a Layout,
    out: BitWriter,
    ledger: Ledger,
}

impl Packer<'_> {
    fn head(&mut self, table: &TrackTable, tracks: &[Track]) {
        let ledger = &mut self.ledger;
        write_track_table(table, &mut self.out, |joint, channel, bits| {
            ledger.track(joint, channel, Section::Constant, bits)
        });
        ledger.clip(Section::Tables, table.head_bits());
        write_layout(self.layout, self.layout.granularity as u64, &mut self.out);
        ledger.clip(Section::Header, Layout::BITS);
        for track in tracks.iter().filter(|t| t.channel == Channel::Rotation) {
            self.out.push(u64::from(track.stored.dropped), 2);
            ledger.track(track.joint(), track.channel, Section::Tables, 2);
        }
        for track in tracks {
            let bits = track.write_span(&mut self.out);
            ledger.track(track.joint(), track.channel, Section::Range, bits);
        }
    }

    fn segment(&mut self, tracks: &[SegmentTrack<'_>], rates: &[Rate], samples: Range<usize>) {
        self.rates(tracks, rates);
        let tracks: Vec<_> = tracks.iter().zip(rates.iter().copied()).collect();
        for (track, rate) in &tracks {
            self.slot(track, *rate);
            self.ledger.rate(SegmentRate {
                joint: track.track.joint() as u16,
                channel: track.track.channel,
                first_sample: samples.start as u32,
                bits: rate.bits(self.layout.highest_bits),
            });
        }
        for sample in samples.clone() {
            for (track, rate) in &tracks {
                self.sample(track, *rate, sample, sample - samples.start);
            }
        }
        for (track, rate) in &tracks {
            let bits = match *rate {
                Rate::EXACT => exact_bits(track.track.channel),
                rate => 3 * rate.bits(self.layout.highest_bits) as usize,
            };
            self.count(track, Section::Animated, (bits * samples.len()) as u64);
        }
    }

    /// Writes which tracks are float32, and the rates of the others.
    fn rates(&mut self, tracks: &[SegmentTrack<'_>], rates: &[Rate]) {
        let has_exact = rates.contains(&Rate::EXACT);
        self.out.push(u64::from(has_exact), 1);
        self.ledger.clip(Section::Tables, 1);
        if has_exact {
            for (track, rate) in tracks.iter().zip(rates) {
                self.out.push(u64::from(*rate == Rate::EXACT), 1);
                self.count(track, Section::Tables, 1);
            }
        }
        let mut stored = vec![Rate::CONSTANT; self.layout.rates(tracks.len())];
        for (i, (track, rate)) in tracks.iter().zip(rates).enumerate().filter(|(_, (_, r))| **r != Rate::EXACT) {
            stored[self.layout.rate_of(track.track.channel, i)] = *rate;
        }
        stored.iter().for_each(|rate| self.out.push(rate.code(), Rate::CODE_BITS));
        let bits = u64::from(Rate::CODE_BITS);
        if stored.len() == tracks.len() {
            tracks.iter().for_each(|track| self.count(track, Section::Tables, bits));
        } else {
            self.ledger.clip(Section::Tables, bits * stored.len() as u64);
        }
    }

    /// Writes the span of a track in the segment, or its constant in the same place.
    fn slot(&mut self, track: &SegmentTrack<'_>, rate: Rate) {
        match (rate, track.span_code) {
            (Rate::EXACT, _) => {}
            (Rate::CONSTANT, _) => {
                track.constant.into_iter().for_each(|c| self.out.push(u64::from(c), 16));
                self.count(track, Section::Constant, u64::from(ValueSpan::SEGMENT_BITS));
            }
            (_, Some(code)) => {
                self.out.push(code, ValueSpan::SEGMENT_BITS);
                self.count(track, Section::Range, u64::from(ValueSpan::SEGMENT_BITS));
            }
            _ => {}
        }
    }

    fn sample(&mut self, track: &SegmentTrack<'_>, rate: Rate, sample: usize, in_segment: usize) {
        let bits = rate.bits(self.layout.highest_bits);
        match rate {
            Rate::CONSTANT => {}
            Rate::EXACT => {
                write_channel(&self.clip.at(sample, track.track.joint()), track.track.channel, &mut self.out)
            }
            _ => track.codes(in_segment, bits).into_iter().for_each(|c| self.out.push(u64::from(c), bits)),
        }
    }

    fn count(&mut self, track: &SegmentTrack<'_>, section: Section, bits: u64) {
        self.ledger.track(track.track.joint(), track.track.channel, section, bits);
    }

    fn finish(mut self) -> Encoded {
        let bits = self.out.bit_len();
        self.ledger.clip(Section::Padding, (bits.next_multiple_of(8) - bits) as u64);
        Encoded { payload: self.out.finish(), ledger: self.ledger, kept: Vec::new() }
    }
}
