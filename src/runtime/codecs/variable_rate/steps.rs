//! Samples as whole steps. Each of the three numbers of a track has its own rate.
//!
//! On disk, after the [`Layout`]:
//! - a flag that some tracks are float32 and, if set, one bit per track, set for float32;
//! - the least step code (8 bits); the bits of a step code above the least (4 bits); the rate before the first segment (5 bits); the order
//!   of the codes of lowest values (3 bits);
//! - per track that is not float32: three step codes, minus the least (see [`lattice_step`](crate::parts::lattice_step)); for a rotation, its reference (32 bits); for
//!   a vector, three origins in steps, each as its width (5 bits) and its [zigzag code](unzigzag32);
//! - per segment: for each number of these tracks, its rate as a difference from the segment before in
//!   [unary](crate::parts::read_width), and its lowest value above the origin, see [`Reach`]; then the samples, each with all tracks.

use super::layout::Layout;
use super::reach::Numbers;
use super::segment_table::{SegmentTable, Walk};
use super::step_groups::{Spot, StepGroups, StepTrack};
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{Ints, Kernel, run};
use crate::memory::{Fixed, NoMemory, TryPush, fixed, with_room};
use crate::parts::{
    ClipHeader, PoseSlice, REFERENCE_BITS, Segments, StillPose, StoredTracks, packed_reference, unzigzag32,
};
use crate::{Channel, TimeGrid};
use alloc::vec::Vec;
use core::ops::Range;

pub use super::layout::GRANULARITY_OF_STEPS;
pub use super::reach::{Reach, WIDEST};

/// Bits of the width of an origin, and of the first rate.
pub const SIZE_BITS: u32 = 5;
/// Bits of the least step code.
pub const STEP_BITS: u32 = 8;
/// Bits of the width of step codes above the least.
pub const CODE_SIZE_BITS: u32 = 4;
/// Bits of the order of the codes of lowest values.
pub const ORDER_BITS: u32 = 3;
/// Fewest payload bits per track and segment. The check keeps memory in proportion to the payload.
pub const LEAST_SEGMENT_BITS: usize = 8;

/// Most bytes of a payload: places in it and in the [`SegmentTable`] take 32 bits.
const MOST_BYTES: usize = 1 << 28;

/// Decodes eight tracks at a time. In memory, the table of ranges follows the rows if the decoder owns them.
#[derive(Debug)]
pub struct StepsDecoder {
    grid: TimeGrid,
    still: StillPose,
    groups: StepGroups,
    segments: Segments,
    starts: Fixed<SegmentStart>,
    table: SegmentTable,
}

/// The places of a segment's data.
#[derive(Debug, Clone, Copy)]
struct SegmentStart {
    /// Bit of the first sample.
    rows_bit: u32,
    /// Bits per sample.
    row_bits: u32,
    /// First byte of the segment in the table.
    table_byte: u32,
}

impl StepsDecoder {
    /// Reads and checks the data after the layout.
    pub fn open(
        header: &ClipHeader,
        mut input: BitReader<'_>,
        bytes: &[u8],
        table: StoredTracks,
        layout: &Layout,
    ) -> Result<Self, DecodeError> {
        if bytes.len() > MOST_BYTES {
            return Err(DecodeError::invalid("payload", 0, "too large", format_args!("up to {MOST_BYTES} bytes")));
        }
        let (codes, groups, mut numbers) = read_tracks(&mut input, bytes, &table)?;
        let mut out = Self {
            grid: header.grid,
            still: table.still,
            groups,
            segments: Segments::new(header.grid.samples(), layout.segment_samples),
            starts: Fixed::default(),
            table: SegmentTable::default(),
        };
        let tracks = out.groups.all().iter().map(|group| usize::from(group.tracks)).sum::<usize>();
        if tracks > 0 {
            let least_bits = out.segments.count().saturating_mul(tracks).saturating_mul(LEAST_SEGMENT_BITS);
            input.clone().skip("segments", least_bits.saturating_sub(input.bit_position()))?;
            let mut starts = Vec::new();
            for segment in 0..out.segments.count() {
                starts.try_push(out.read_segment(&mut input, segment, codes.order, &mut numbers)?)?;
            }
            out.starts = fixed(starts)?;
            out.table.finish()?;
            out.check_exact(bytes)?;
        }
        input.finish("segments")?;
        Ok(out)
    }

    /// Reads the ranges of a segment's numbers, and skips its samples.
    fn read_segment(
        &mut self,
        input: &mut BitReader<'_>,
        segment: usize,
        order: u32,
        mut numbers: &mut [Numbers],
    ) -> Result<SegmentStart, DecodeError> {
        let (table_byte, mut row_bits) = (self.table.bytes().len(), 0);
        for group in self.groups.all() {
            row_bits += usize::from(group.exact_bits);
            if group.exact_bits == 0 {
                let (own, others) = numbers.split_at_mut(group.tracks.into());
                for numbers in &mut *own {
                    row_bits += numbers.read(input, order)?;
                }
                self.table.add(own)?;
                numbers = others;
            }
        }
        let samples = self.segments.samples_of(segment).len();
        let rows_bit = input.skip("samples of a segment", samples.saturating_mul(row_bits))?;
        Ok(SegmentStart { rows_bit: rows_bit as u32, row_bits: row_bits as u32, table_byte: table_byte as u32 })
    }

    /// Checks float32 samples once, so that sampling needs no checks.
    fn check_exact(&self, bytes: &[u8]) -> Result<(), DecodeError> {
        let has_exact = self.groups.all().iter().any(|group| group.exact_bits > 0);
        // A damaged header may claim very many samples.
        for sample in 0..if has_exact { self.grid.samples() } else { 0 } {
            let (_, mut walk) = self.walk(self.segments.of(sample), sample);
            for group in self.groups.all() {
                let bit = walk.skip(group);
                if group.exact_bits > 0 {
                    group.check(bytes, bit)?;
                }
            }
        }
        Ok(())
    }

    /// Copies the rows, so that the payload is not needed.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn own(&mut self, payload: &[u8]) -> Result<(), NoMemory> {
        if self.table.rows().is_some() {
            return Ok(());
        }
        let size = (0..self.starts.len()).map(|segment| self.rows(segment).len()).sum::<usize>();
        let mut rows = with_room(size + self.table.bytes().len())?;
        for segment in 0..self.starts.len() {
            let (bytes, start) = (self.rows(segment), &mut self.starts[segment]);
            start.rows_bit = 8 * rows.len() as u32 + start.rows_bit % 8;
            rows.extend_from_slice(payload.get(bytes).unwrap_or_default());
        }
        self.table.put_after(rows);
        Ok(())
    }

    /// The bytes of a segment's samples. They may begin and end within a byte.
    fn rows(&self, segment: usize) -> Range<usize> {
        let SegmentStart { rows_bit, row_bits, .. } = self.starts[segment];
        let bits = self.segments.samples_of(segment).len() * row_bits as usize;
        rows_bit as usize / 8..(rows_bit as usize + bits).div_ceil(8)
    }

    /// Samples the wanted joints.
    #[inline]
    pub fn sample(&self, payload: &[u8], at_sample: f64, mut out: PoseSlice<'_>) {
        let bytes = self.table.rows().unwrap_or(payload);
        run(Sampling { decoder: self, bytes, at_sample, out: &mut out });
    }

    /// Bits per sample of a segment, and a walk over the groups of one of its samples.
    #[inline(always)]
    fn walk(&self, segment: usize, sample: usize) -> (usize, Walk<'_>) {
        let SegmentStart { rows_bit, row_bits, table_byte } = self.starts[segment];
        let before = (sample - self.segments.start(segment)) * row_bits as usize;
        (row_bits as usize, self.table.walk(table_byte as usize, rows_bit as usize + before))
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        self.still.heap_bytes() + self.groups.heap_bytes() + size_of_val(&self.starts[..]) + self.table.bytes().len()
    }
}

/// A call of [`StepsDecoder::sample`] as a [`Kernel`].
struct Sampling<'a, 'b> {
    decoder: &'a StepsDecoder,
    bytes: &'a [u8],
    at_sample: f64,
    out: &'a mut PoseSlice<'b>,
}

impl Kernel for Sampling<'_, '_> {
    #[inline(always)]
    fn run<I: Ints>(self) {
        let Self { decoder, bytes, at_sample, out } = self;
        let ((index, alpha), mut out) = (decoder.grid.split(at_sample), out.again());
        decoder.still.put(&mut out);
        if decoder.starts.is_empty() {
            return;
        }
        let segment = decoder.segments.of(index);
        let is_last = alpha > 0.0 && decoder.segments.start(segment + 1) == index + 1;
        let (row_bits, walk) = decoder.walk(segment, index);
        let next = if is_last { Some(decoder.walk(segment + 1, index + 1).1) } else { None };
        Spot { bytes, alpha, row_bits }.put::<I>(&decoder.groups, (walk, next), &mut out);
    }
}

/// Settings of the codes of steps, rates and lowest values.
#[derive(Debug, Clone, Copy)]
struct Codes {
    least_step: u8,
    step_bits: u32,
    first_width: u32,
    order: u32,
}

/// Reads the settings that are stored once per track.
fn read_tracks(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    table: &StoredTracks,
) -> Result<(Codes, StepGroups, Vec<Numbers>), DecodeError> {
    let count = Channel::ALL.into_iter().map(|channel| table.animated(channel).count()).sum();
    let has_exact = input.read("flag of exact tracks", 1)? == 1;
    let flags_bit = has_exact.then(|| input.skip("exact tracks", count)).transpose()?;
    let codes = Codes::read(input)?;
    let (mut tracks, mut all) = (Vec::new(), Vec::new());
    for channel in Channel::ALL {
        for joint in table.animated(channel) {
            let is_exact = flags_bit.is_some_and(|bit| bits_at(bytes, bit + tracks.len(), 1) == 1);
            let mut track = StepTrack { joint, channel, is_exact, steps: [0; 3], reference: 0 };
            if !is_exact {
                all.try_push(codes.read_track(input, &mut track)?)?;
            }
            tracks.try_push(track)?;
        }
    }
    Ok((codes, StepGroups::of(&tracks)?, all))
}

impl Codes {
    fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let least_step = input.read("least step", STEP_BITS)? as u8;
        let at = input.bit_position() / 8;
        let step_bits = input.read("bits of steps", CODE_SIZE_BITS)? as u32;
        if step_bits > STEP_BITS {
            return Err(DecodeError::invalid("bits of steps", at, step_bits, "0 to 8"));
        }
        let at = input.bit_position() / 8;
        let first_width = input.read("first rate", SIZE_BITS)? as u32;
        if first_width > WIDEST {
            return Err(DecodeError::invalid("first rate", at, first_width, "0 to 24"));
        }
        Ok(Self { least_step, step_bits, first_width, order: input.read("order of lowests", ORDER_BITS)? as u32 })
    }

    /// Reads a track's steps, and its reference or origins.
    fn read_track(&self, input: &mut BitReader<'_>, track: &mut StepTrack) -> Result<Numbers, DecodeError> {
        for step in &mut track.steps {
            *step = self.least_step.saturating_add(input.read("step of a track", self.step_bits)? as u8);
        }
        let mut origins = [0; 3];
        if track.channel == Channel::Rotation {
            let mut fields = [0; 4];
            for (field, bits) in fields.iter_mut().zip([2, REFERENCE_BITS, REFERENCE_BITS, REFERENCE_BITS]) {
                *field = input.read("reference of a track", bits)? as u32;
            }
            track.reference = packed_reference(fields);
        } else {
            for origin in &mut origins {
                let bits = input.read("bits of an origin", SIZE_BITS)? as u32;
                *origin = unzigzag32(input.read("origin", bits)? as u32);
            }
        }
        Ok(Numbers { origins, reach: [Reach::first(self.first_width); 3] })
    }
}
