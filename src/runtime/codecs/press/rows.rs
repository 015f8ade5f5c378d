//! Rows of residuals that were taken out of a payload, and how they are put back.

use super::archive::{copy_bits, is_archive};
use super::components::{push_width, rows_of, segments_of};
use super::layout::{FIRST_WIDTHS, Layout, intervals, read_width};
use super::records::{Records, Rows};
use super::{KINDS, LEAST_WIDTHS_BITS};
use crate::Channel;
use crate::format::{BitReader, BitWriter, DecodeError, bits_at};
use crate::math::Transform;
use crate::parts::{ClipHeader, TrackTable};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Where the rows of residuals of a payload lie, so that some of them can leave it and come back.
///
/// Without its rows a track of a segment is what it is predicted to be: its widths are zero, and the rest is as it was. Rows of
/// the samples between go first, since their residuals are on what the middles make of them.
///
/// A tier has them, in bits. For each segment:
/// - for each track on a lattice a bit that is set where as many of its rows are here as in the segment before (none before the
///   first), else followed by one bit for the rows of middles and one for the others;
/// - for each component of a track with rows here, and each of the two kinds, the difference of its width code to that which
///   the joined payload has in the segment before, in [unary](read_width);
/// - the residuals of the middles that are here, interval after interval; then the others, sample after sample.
///
/// Zero bits up to a byte end it.
#[derive(Debug)]
pub struct RowMap {
    /// What holds for the whole clip.
    pub layout: Layout,
    /// Tracks on lattices, in their order: joint and channel.
    pub tracks: Vec<(usize, Channel)>,
    /// Bits before the segments.
    pub head: Range<usize>,
    /// One after another.
    pub segments: Vec<SegmentMap>,
    /// Bits behind the segments, without those that fill the last byte.
    pub tail: Range<usize>,
}

/// Where the rows of one segment lie. Of two numbers the first is that of middles, the second that of other samples.
#[derive(Debug)]
pub struct SegmentMap {
    /// Intervals that it has.
    pub intervals: Range<usize>,
    /// How many rows there are.
    pub rows: [usize; KINDS],
    /// First bits of the first.
    pub starts: [usize; KINDS],
    /// Width codes of each component, three a track.
    pub codes: Vec<[u8; KINDS]>,
}

impl RowMap {
    /// Reads where everything is in a payload of runtime storage.
    ///
    /// # Errors
    /// See [`DecodeError`]; any bytes are safe to pass. Archives are refused: their rows lie nowhere.
    pub fn read(header: &ClipHeader, bytes: &[u8]) -> Result<Self, DecodeError> {
        if is_archive(bytes) {
            return Err(DecodeError::invalid("storage of press", 0, "an archive", "runtime storage"));
        }
        let mut input = BitReader::new(bytes);
        // A rest pose takes more memory than the kinds of its tracks take bits: none before there are enough of these.
        input.clone().skip("kinds of tracks", 3 * TrackTable::KIND_BITS as usize * header.joints)?;
        let table = TrackTable::read(&mut input, bytes, &vec![Transform::IDENTITY; header.joints])?;
        let layout = Layout::read(&mut input)?;
        let mut records = Records::new(&layout, &table, &mut input)?;
        let mut tracks = Vec::new();
        for channel in Channel::ALL {
            let read = records.read(&mut input, bytes, &table, channel)?;
            tracks.extend(read.iter().map(|track| (track.joint, channel)));
        }
        let samples = header.grid.samples();
        Rows::read(&mut input, "anchors", records.anchor_bits as usize, intervals(samples) + 1)?;
        let head = 0..input.bit_position();
        let segments = read_segments(&mut input, &layout, samples, tracks.len())?;
        let start = input.bit_position();
        Rows::read(&mut input, "float32 samples", records.exact_bits, samples)?;
        let tail = start..input.bit_position();
        input.finish("samples")?;
        Ok(Self { layout, tracks, head, segments, tail })
    }

    /// The payload with the rows that a tier has of it. `bytes` are those that were read.
    ///
    /// # Errors
    /// See [`DecodeError`]; any tier is safe to pass.
    pub fn join(&self, bytes: &[u8], tier: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let mut input = BitReader::new(tier);
        let mut out = BitWriter::new();
        copy_bits(bytes, &self.head, &mut out);
        let mut state = Joining {
            here: vec![[false; KINDS]; self.tracks.len()],
            codes: vec![FIRST_WIDTHS.map(|code| code as u8); 3 * self.tracks.len()],
        };
        for segment in &self.segments {
            state.read(&mut input, segment, &mut out)?;
            for kind in 0..KINDS {
                let row_bits: usize = state.taken(kind).map(|code| self.layout.width(code) as usize).sum();
                let mut from = input.skip("rows of a tier", segment.rows[kind].saturating_mul(row_bits))?;
                let mut own = segment.starts[kind];
                for _ in 0..segment.rows[kind] {
                    for (component, codes) in state.codes.iter().enumerate() {
                        let is_here = state.here[component / 3][kind];
                        let (bytes, at) = if is_here { (tier, &mut from) } else { (bytes, &mut own) };
                        let width = self.layout.width(codes[kind].into());
                        out.push(bits_at(bytes, *at, width), width);
                        *at += width as usize;
                    }
                }
            }
        }
        input.finish("tier")?;
        copy_bits(bytes, &self.tail, &mut out);
        Ok(out.finish())
    }
}

fn read_segments(
    input: &mut BitReader<'_>,
    layout: &Layout,
    samples: usize,
    tracks: usize,
) -> Result<Vec<SegmentMap>, DecodeError> {
    if tracks == 0 {
        return Ok(Vec::new());
    }
    let least_bits = (segments_of(layout, samples).count() * tracks).saturating_mul(LEAST_WIDTHS_BITS);
    input.clone().skip("widths of residuals", least_bits)?;
    let mut before = vec![FIRST_WIDTHS; 3 * tracks];
    let mut out = Vec::new();
    for intervals in segments_of(layout, samples) {
        let mut codes = Vec::with_capacity(3 * tracks);
        let mut row_bits = [0; KINDS];
        for before in &mut before {
            for (before, row_bits) in before.iter_mut().zip(&mut row_bits) {
                *before = read_width(input, *before)?;
                *row_bits += layout.width(*before) as usize;
            }
            codes.push(before.map(|code| code as u8));
        }
        let rows = rows_of(&intervals, samples);
        let starts = [
            input.skip("residuals of middles", rows[0] * row_bits[0])?,
            input.skip("residuals of samples", rows[1] * row_bits[1])?,
        ];
        out.push(SegmentMap { intervals, rows, starts, codes });
    }
    Ok(out)
}

/// Where a tier is being joined.
struct Joining {
    /// Which rows of each track come from the tier.
    here: Vec<[bool; KINDS]>,
    /// Width codes of the joined payload, in the latest segment.
    codes: Vec<[u8; KINDS]>,
}

impl Joining {
    /// Reads what a tier says of a segment before its rows, and puts the widths that the joined payload has there.
    fn read(
        &mut self,
        input: &mut BitReader<'_>,
        segment: &SegmentMap,
        out: &mut BitWriter,
    ) -> Result<(), DecodeError> {
        for here in &mut self.here {
            if input.read("rows of a track", 1)? == 0 {
                let bits = input.read("rows of a track", KINDS as u32)?;
                *here = [bits & 1 != 0, bits & 2 != 0];
            }
        }
        for (component, codes) in self.codes.iter_mut().enumerate() {
            let own = segment.codes[component];
            for kind in 0..KINDS {
                let before = u32::from(codes[kind]);
                if self.here[component / 3][kind] {
                    if own[kind] != 0 {
                        let at = input.bit_position() / 8;
                        return Err(DecodeError::invalid(
                            "rows of a tier",
                            at,
                            "there already",
                            "rows that were taken",
                        ));
                    }
                    codes[kind] = read_width(input, before)? as u8;
                } else {
                    codes[kind] = own[kind];
                }
                push_width(before, codes[kind].into(), out);
            }
        }
        Ok(())
    }

    /// Width codes of what comes from the tier.
    fn taken(&self, kind: usize) -> impl Iterator<Item = u32> + '_ {
        let here = self.codes.iter().enumerate().filter(move |(component, _)| self.here[component / 3][kind]);
        here.map(move |(_, codes)| codes[kind].into())
    }
}
