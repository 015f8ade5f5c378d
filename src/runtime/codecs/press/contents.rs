//! All integers of a payload, in a form that can be changed and written again.

use super::chances::Chances;
use super::components::{Component, rows_of, wide_bits, width_code, write_anchors, write_segment};
use super::head::{Head, Part, Record};
use super::head_reader::HeadReader;
use super::layout::{Interval, intervals, predict_fine, predict_middle, residual_bias};
use super::limits::{is_in_proportion, least_bytes};
use super::places::PackedIntegers;
use super::records::{Rows, exact_bits};
use super::series::{LARGEST, SeriesTrack};
use super::widths::{TrackWidths, Widths};
use crate::Channel;
use crate::format::{BitReader, BitWriter, DecodeError, bits_at};
use crate::math::{Transform, step_of_code};
use crate::memory::{NoMemory, TryList, TryPush, copied, filled, with_room};
use crate::parts::{ClipHeader, RangeEncoder};
use alloc::vec::Vec;
use core::ops::Range;

/// The contents of a payload.
#[derive(Debug, Clone)]
pub struct Contents {
    /// Samples of the clip.
    pub samples: usize,
    /// All that is stored once per clip, joint or track.
    pub head: Head,
    /// Per track on a lattice and component, one integer per sample.
    pub values: Vec<[Vec<i32>; 3]>,
    /// Samples of float32 tracks, one word per number.
    pub exact_rows: Vec<u32>,
    /// For archives, per track the index of an earlier one that helps to predict its integers. Without: each has the likely guide.
    pub guides: Option<Vec<Option<usize>>>,
}

impl Contents {
    /// Reads a payload of runtime storage. `bind` has the bind pose of each joint.
    ///
    /// # Errors
    /// See [`DecodeError`]. Any bytes are safe to pass. Archives must be expanded first. A payload with too many integers for its bytes is
    /// an error too; `more` bytes count in addition, for a tier.
    pub fn read(header: &ClipHeader, bytes: &[u8], bind: &[Transform], more: usize) -> Result<Self, DecodeError> {
        let samples = header.grid.samples();
        let mut reader = HeadReader::new(bytes, bind, samples)?;
        let tracks = reader.head.tracks.len();
        if !is_in_proportion(bytes.len().saturating_add(more), 3 * tracks, samples) {
            let (what, expected) = ("integers of a clip with tiers", "fewer in a payload of this size");
            return Err(DecodeError::invalid(what, 0, 3 * tracks * samples, expected));
        }
        let segments = reader.head.segments(samples);
        let widths = segments.map(|_| copied(reader.next_widths())).try_list_of::<_, NoMemory>()?;
        let (head, rows_at) = reader.finish()?;
        let mut out = Self { samples, head, values: Vec::new(), exact_rows: Vec::new(), guides: None };
        out.read_rows(bytes, rows_at, &widths)?;
        Ok(out)
    }

    fn read_rows(&mut self, bytes: &[u8], rows_at: usize, widths: &[Vec<TrackWidths>]) -> Result<(), DecodeError> {
        let (samples, mut input) = (self.samples, BitReader::new(bytes));
        input.skip("head of the payload", 8 * rows_at)?;
        let bits = |record: &Record| record.anchors.map(|range| range.bits as u8);
        let row_bits = self.head.tracks.iter().flat_map(bits).map(usize::from).sum();
        let rows = Rows::read(&mut input, "anchors", row_bits, intervals(samples) + 1)?;
        self.values = with_room(self.head.tracks.len())?;
        let mut at = 0;
        for record in &self.head.tracks {
            let place = PackedIntegers { at, widths: bits(record) };
            let mut values = [filled(0, samples)?, filled(0, samples)?, filled(0, samples)?];
            for row in 0..=intervals(samples) {
                let stored = place.read(bytes, rows.row(row));
                let anchor = |i: usize| stored[i].wrapping_add(record.anchors[i].lowest);
                put(&mut values, Interval::anchor(row, samples), [anchor(0), anchor(1), anchor(2)]);
            }
            at += place.bits();
            self.values.try_push(values)?;
        }
        for (intervals, widths) in self.head.segments(self.samples).zip(widths) {
            let rows = rows_of(&intervals, samples);
            let width =
                |of: &TrackWidths| [0, 1].map(|row| [0, 1, 2].map(|i| self.head.layout.width(of[i][row].into()) as u8));
            let widths = widths.iter().map(width).try_list()?;
            read_segment(&mut input, bytes, &mut self.values, (intervals, rows), &widths, samples)?;
        }
        let exact_bits = self.exact_tracks()?.iter().map(|(_, channel)| exact_bits(*channel)).sum();
        let first = Rows::read(&mut input, "float32 samples", exact_bits, samples)?.first_bit;
        let words = (first..input.bit_position()).step_by(32);
        self.exact_rows = words.map(|bit| bits_at(bytes, bit, 32) as u32).try_list()?;
        input.skip("padding", (8 * least_bytes(&self.head, samples)).saturating_sub(input.bit_position()))?;
        input.finish("samples")
    }

    /// Empty contents, for a decoder.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn blank(joints: usize, samples: usize) -> Result<Self, NoMemory> {
        let head = Head::blank(joints)?;
        Ok(Self { samples, head, values: Vec::new(), exact_rows: Vec::new(), guides: None })
    }

    /// The tracks of float32: joint and channel.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn exact_tracks(&self) -> Result<Vec<(usize, Channel)>, NoMemory> {
        let mut out = Vec::new();
        self.head.each_animated(|joint, channel, is_exact| match is_exact {
            true => out.try_push((joint, channel)),
            false => Ok(()),
        })?;
        Ok(out)
    }

    /// True if all integers are in the range of a clip's integers.
    pub fn is_of_a_clip(&self) -> bool {
        self.values.iter().flatten().flatten().all(|x| x.unsigned_abs() < LARGEST as u32)
    }

    /// The components of all tracks, three per track.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn components(&self) -> Result<Vec<Component>, NoMemory> {
        self.values.iter().flatten().map(|values| Component::new(values)).try_list_of()
    }

    /// The track as the model of archives takes it.
    pub fn series(&self, track: usize, guide: Option<usize>) -> SeriesTrack {
        let record = &self.head.tracks[track];
        SeriesTrack { guide, steps: record.codes.map(step_of_code), is_rotation: record.is_rotation() }
    }

    /// Writes the coded part of runtime storage: head and widths. `components` are those of [`Contents::components`]. `after` is called after
    /// each part.
    ///
    /// # Errors
    /// The first error of `after`, or [`NoMemory`].
    pub fn code_head<E: From<NoMemory>>(
        &mut self,
        components: &[Component],
        bind: &[Transform],
        chances: &mut Chances,
        bits: &mut RangeEncoder,
        after: &mut impl FnMut(&RangeEncoder, Part) -> Result<(), E>,
    ) -> Result<(), E> {
        self.head.is_archive = false;
        self.head.layout.wide_bits = wide_bits(components);
        for (record, components) in self.head.tracks.iter_mut().zip(components.chunks(3)) {
            record.anchors = [0, 1, 2].map(|i| components[i].range);
        }
        self.head.code(bind, chances, bits, after)?;
        let mut widths = Widths::new(self.head.tracks.len())?;
        for intervals in self.head.segments(self.samples) {
            let codes = |component: &Component| component.widths(intervals.clone()).map(|bits| width_code(bits) as u8);
            let wanted = |track: usize| [0, 1, 2].map(|i| codes(&components[3 * track + i]));
            widths.code(&self.head, chances, bits, wanted, &mut *after)?;
        }
        Ok(())
    }

    /// Writes the payload of runtime storage; see [`Contents::code_head`].
    ///
    /// # Errors
    /// The first error of `after`, or [`NoMemory`].
    pub fn written<E: From<NoMemory>>(
        mut self,
        components: &[Component],
        bind: &[Transform],
        mut after: impl FnMut(&RangeEncoder, Part) -> Result<(), E>,
    ) -> Result<Vec<u8>, E> {
        let mut bits = RangeEncoder::default();
        self.code_head(components, bind, &mut Chances::trained(), &mut bits, &mut after)?;
        let mut out = BitWriter::after(bits.ended()?);
        write_anchors(components, self.samples, &mut out);
        for intervals in self.head.segments(self.samples) {
            write_segment(&self.head.layout, components, intervals, self.samples, &mut out)?;
        }
        self.exact_rows.iter().for_each(|word| out.push((*word).into(), 32));
        let mut out = out.try_finish()?;
        let missing = least_bytes(&self.head, self.samples).saturating_sub(out.len());
        out.try_reserve_exact(missing).map_err(NoMemory::from)?;
        out.resize(out.len() + missing, 0);
        Ok(out)
    }
}

/// Reads the residuals of a segment (its intervals, and the numbers of its rows), and computes the samples that are not anchors.
fn read_segment(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    values: &mut [[Vec<i32>; 3]],
    (segment, rows): (Range<usize>, [usize; 2]),
    widths: &[[[u8; 3]; 2]],
    samples: usize,
) -> Result<(), DecodeError> {
    let row_bits = |kind: usize| widths.iter().flat_map(|of| of[kind]).map(usize::from).sum::<usize>();
    let mut middle = input.skip("residuals of middles", rows[0] * row_bits(0))?;
    let mut fine = input.skip("residuals of samples", rows[1] * row_bits(1))?;
    for interval in segment.map(|index| Interval::at(index, samples)).filter(|interval| interval.length > 1) {
        let start = interval.start();
        let (at_middle, end) = (start + interval.middle(), start + interval.length);
        let mut residuals = with_room(values.len())?;
        for (values, widths) in values.iter_mut().zip(widths) {
            let residual = next_three(bytes, &mut middle, widths[0]);
            let (a, b) = (at(values, start), at(values, end));
            let line = |i: usize| predict_middle(a[i], b[i], interval.is_uneven()).wrapping_add(residual[i]);
            put(values, at_middle, [line(0), line(1), line(2)]);
            residuals.push(residual);
        }
        let places = [(1, start, at_middle), (3, at_middle, end)];
        for (place, before, after) in places.into_iter().take(interval.fine_rows()) {
            for ((values, widths), middle) in values.iter_mut().zip(widths).zip(&residuals) {
                let own = next_three(bytes, &mut fine, widths[1]);
                let (a, b) = (at(values, before), at(values, after));
                let line = |i: usize| predict_fine(a[i], b[i], middle[i]).wrapping_add(own[i]);
                put(values, start + place, [line(0), line(1), line(2)]);
            }
        }
    }
    Ok(())
}

fn put(values: &mut [Vec<i32>; 3], sample: usize, integers: [i32; 3]) {
    values.iter_mut().zip(integers).for_each(|(values, integer)| values[sample] = integer);
}

fn at(values: &[Vec<i32>; 3], sample: usize) -> [i32; 3] {
    [0, 1, 2].map(|i| values[i][sample])
}

fn next_three(bytes: &[u8], at: &mut usize, widths: [u8; 3]) -> [i32; 3] {
    let stored = PackedIntegers { at: 0, widths }.read(bytes, *at);
    let out = [0, 1, 2].map(|i| stored[i] - residual_bias(widths[i]));
    *at += widths.into_iter().map(usize::from).sum::<usize>();
    out
}

#[cfg(test)]
mod tests {
    use super::super::anchors::AnchorRange;
    use super::super::head::ANIMATED;
    use super::*;
    use crate::TimeGrid;

    /// A rotation track that stays at zero on its lattice, in the shortest segments.
    fn still(samples: usize) -> (Contents, ClipHeader, [Transform; 1]) {
        let mut contents = Contents::blank(1, samples).unwrap();
        let (joint, channel, anchors) = (0, Channel::Rotation, [AnchorRange::BEFORE_FIRST; 3]);
        contents.head.kinds = [[ANIMATED, 0, 0]].to_vec();
        contents.head.tracks = [Record { joint, channel, codes: [7; 3], reference: [1, 2, 3, 4], anchors }].to_vec();
        contents.values = [[0, 1, 2].map(|_| alloc::vec![0; samples])].to_vec();
        let grid = TimeGrid::new(samples, 9.0);
        (
            contents,
            ClipHeader { joints: 1, grid, float_tracks: 0, looping: false, additive: false },
            [Transform::IDENTITY],
        )
    }

    fn written(contents: Contents, bind: &[Transform]) -> Vec<u8> {
        let components = contents.components().unwrap();
        contents.written(&components, bind, |_, _| Ok::<(), NoMemory>(())).unwrap()
    }

    #[test]
    fn a_payload_has_bytes_for_the_places_of_its_segments_though_their_widths_take_none() {
        let (contents, header, bind) = still(40_000);
        let bytes = written(contents, &bind);
        // 10,000 intervals, two per segment, one group of tracks.
        assert_eq!((bytes.len(), bytes.ends_with(&[0; 900])), (5_000 / 4, true));
        let read = Contents::read(&header, &bytes, &bind, usize::MAX).unwrap();
        assert_eq!((read.values[0][1].len(), read.head.tracks[0].reference), (40_000, [1, 2, 3, 4]));
        assert!(read.values.iter().flatten().flatten().all(|x| *x == 0));
        assert_eq!(written(read, &bind), bytes);
        for wrong in [&bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat()] {
            assert!(Contents::read(&header, wrong, &bind, usize::MAX).is_err(), "{} bytes", wrong.len());
        }
    }

    #[test]
    fn a_payload_without_its_head_is_refused() {
        let (contents, header, bind) = still(9);
        let bytes = written(contents, &bind);
        for length in 0..bytes.len() {
            assert!(Contents::read(&header, &bytes[..length], &bind, usize::MAX).is_err(), "{length} bytes");
        }
    }
}
