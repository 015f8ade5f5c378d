//! Every sample is stored as integers on a lattice, predicted from the samples around it.

mod anchors;
mod archive;
mod chances;
mod chances_trained;
mod coding;
mod components;
mod contents;
mod head;
mod head_reader;
mod lattice;
mod layout;
mod least_squares;
mod limits;
mod places;
mod planes;
mod records;
mod residuals;
mod residuals_trained;
mod series;
mod widths;

use super::Decode;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::math::{EIGHT, Ints, Kernel, run};
use crate::memory::{Boxed, Fixed, NoMemory, boxed, fixed, with_room};
use crate::parts::{ClipHeader, PoseSlice, Segments, StillPose};
use crate::{Channel, StateMemory, TimeGrid};
use head_reader::HeadReader;
use lattice::{LatticeGroups, Spot};
use layout::Node;
use places::{ResidualPlaces, SegmentWidths};
use records::{ExactRows, Rows, still_pose};

pub use anchors::AnchorRange;
pub use archive::{ARCHIVE_ZEROS, expand};
pub use chances::{CHANCES, Chances};
pub use coding::Learned;
pub use components::{Component, rows_of, segments_of, wide_bits, width_code};
pub use contents::Contents;
pub use head::{ANIMATED, CONSTANT, CONSTANT_BITS, Constant, Head, Part, Record};
pub use head_reader::is_archive;
pub use layout::{INTERVAL_SAMPLES, Interval, Layout, WIDE, intervals, predict_fine, predict_middle};
pub use limits::is_in_proportion;
use limits::least_bytes;
pub use planes::{CODES_A_PLANE, PLANES_BITS, half};
pub use records::exact_bits;
pub use residuals::Weights;
pub use series::{LARGEST, SeriesModel, SeriesTrack};

/// Reads integers in place, eight tracks at a time. A sample needs one or two anchors, and up to two residuals.
///
/// A rotation is its track's reference times the rotation of the modified Rodrigues parameters `integers x steps / 4`. A translation or
/// scale is `integers x steps`. Anchors are every fourth sample and the last one. The middle sample of an interval between anchors is
/// [`predict_middle`] plus a residual. The other samples are [`predict_fine`] plus a residual. Tracks are in the order rotations,
/// translations, scales.
///
/// On disk:
/// - entropy-coded, the [`Head`], then per segment the widths of residuals;
/// - in bits, from the next whole byte on: the anchors, sample by sample, above the lowest of each component;
/// - per segment: the residuals of the middle samples, interval by interval; then the others, sample by sample;
/// - the float32 tracks, sample by sample;
/// - zeros, up to the least number of bytes.
///
/// Archives are first [expanded](expand) to this form. In memory, width codes follow the rows if the decoder [owns](Decode::own) them.
#[derive(Debug)]
pub struct PressDecoder {
    grid: TimeGrid,
    still: StillPose,
    /// Tracks on lattices.
    groups: LatticeGroups,
    /// Bits of residuals with code [`WIDE`], above [`WIDE`] itself.
    wide_more: u8,
    /// Bits per row of anchors. The first row begins at the first bit.
    anchor_bits: u32,
    segments: Segments,
    starts: Fixed<SegmentRows>,
    widths: SegmentWidths,
    exact: Option<Boxed<ExactRows>>,
    /// First byte of the rows in the payload. `None` if they lie before the widths: a copy, or those of an expanded archive.
    rows_at: Option<u32>,
}

/// The places of a segment's residuals.
#[derive(Debug, Clone, Copy)]
struct SegmentRows {
    /// First bit of the residuals of middle samples.
    middle_bit: u32,
    /// First bit of the other residuals.
    fine_bit: u32,
    /// Bits per row of middle samples.
    middle_bits: u32,
    /// Bits per row of others.
    fine_bits: u32,
}

impl Decode for PressDecoder {
    const VERSION: u8 = 1;
    type Cursor = ();

    fn open(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        if !is_archive(bytes) {
            return Self::open_runtime(header, bytes, bind);
        }
        let expanded = expand(header, bytes, bind)?;
        let mut opened = Self::open_runtime(header, &expanded, bind)?;
        opened.own(&expanded)?;
        Ok(opened)
    }

    fn own(&mut self, payload: &[u8]) -> Result<bool, NoMemory> {
        if let Some(start) = self.rows_at {
            self.widths.put_after(payload.get(start as usize..).unwrap_or_default())?;
            self.rows_at = None;
        }
        Ok(true)
    }

    fn cursor(&self, _: &[u8], _: StateMemory) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline]
    fn sample(&self, bytes: &[u8], (): &mut (), at_sample: f64, mut out: PoseSlice<'_>) {
        let bytes = match self.rows_at {
            Some(start) => bytes.get(start as usize..).unwrap_or_default(),
            None => self.widths.bytes(),
        };
        run(Sampling { decoder: self, bytes, at_sample, out: &mut out });
    }

    fn heap_bytes(&self) -> usize {
        self.still.heap_bytes()
            + self.groups.heap_bytes()
            + size_of_val(&self.starts[..])
            + self.widths.bytes().len()
            + self.exact.as_ref().map_or(0, |exact| size_of_val(&**exact) + exact.heap_bytes())
    }
}

/// A call of [`Decode::sample`] as a [`Kernel`].
struct Sampling<'a, 'b> {
    decoder: &'a PressDecoder,
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
        let (spot, residuals) = decoder.spot(bytes, index, alpha);
        spot.put::<I>(&decoder.groups, residuals, &mut out);
        if let Some(exact) = &decoder.exact {
            exact.put(bytes, index, alpha, &mut out);
        }
    }
}

impl PressDecoder {
    /// Reads and checks a payload that is not an archive.
    fn open_runtime(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let samples = header.grid.samples();
        let mut reader = HeadReader::new(bytes, bind, samples)?;
        let layout = reader.head.layout;
        let (groups, anchor_bits) = LatticeGroups::of(&reader.head)?;
        let mut out = Self {
            grid: header.grid,
            groups,
            wide_more: (layout.wide_bits - WIDE) as u8,
            still: StillPose::new(bind),
            anchor_bits,
            segments: Segments::new(intervals(samples).max(1), layout.segment_intervals()),
            starts: Fixed::default(),
            widths: SegmentWidths::default(),
            exact: None,
            rows_at: Some(0),
        };
        out.read_widths(&mut reader, samples)?;
        let (head, rows_at) = reader.finish()?;
        out.still = still_pose(&head, bind, rows_at)?;
        out.rows_at = Some(rows_at as u32);
        let bytes = bytes.get(rows_at..).unwrap_or_default();
        let mut input = BitReader::new(bytes);
        Rows::read(&mut input, "anchors", anchor_bits as usize, intervals(samples) + 1)?;
        out.find_rows(&mut input)?;
        if head.exact.is_some() {
            out.exact = Some(boxed(ExactRows::read(&head, &mut input, bytes, samples)?)?);
        }
        let read = 8 * rows_at + input.bit_position();
        input.skip("padding", (8 * least_bytes(&head, samples)).saturating_sub(read))?;
        input.finish("samples")?;
        Ok(out)
    }

    /// Reads the widths of residuals.
    fn read_widths(&mut self, reader: &mut HeadReader<'_>, samples: usize) -> Result<(), NoMemory> {
        let segments = reader.head.segments(samples).count();
        let mut starts = with_room(segments)?;
        self.widths = SegmentWidths::new(reader.head.tracks.len(), segments)?;
        let layout = reader.head.layout;
        let counts = Channel::ALL.map(|channel| reader.head.of_channel(channel).len());
        for _ in 0..segments {
            let (mut bits, mut left) = ([0; 2], reader.next_widths());
            for count in counts {
                let (widths, others) = left.split_at(count);
                widths.chunks(EIGHT).for_each(|widths| self.widths.add_group(widths, &layout, &mut bits));
                left = others;
            }
            let [middle_bits, fine_bits] = bits;
            starts.push(SegmentRows { middle_bit: 0, fine_bit: 0, middle_bits, fine_bits });
        }
        self.widths.finish();
        self.starts = fixed(starts)?;
        Ok(())
    }

    /// Computes the places of the rows of residuals.
    fn find_rows(&mut self, input: &mut BitReader<'_>) -> Result<(), DecodeError> {
        let mut skip = |what: &'static str, rows: usize, bits: u32| {
            let at = input.skip(what, rows * bits as usize)?;
            u32::try_from(at).map_err(|_| DecodeError::invalid(what, at / 8, "too large", "less than 512 MB of a clip"))
        };
        for (segment, rows) in self.starts.iter_mut().enumerate() {
            let [middles, fines] = rows_of(&self.segments.samples_of(segment), self.grid.samples());
            rows.middle_bit = skip("residuals of middles", middles, rows.middle_bits)?;
            rows.fine_bit = skip("residuals of samples", fines, rows.fine_bits)?;
        }
        Ok(())
    }

    /// The place of a sample, and of the next one if `alpha` is above zero. Also returns the places of residuals in its segment.
    #[inline(always)]
    fn spot<'a>(&'a self, bytes: &'a [u8], sample: usize, alpha: f32) -> (Spot<'a>, Option<ResidualPlaces<'a>>) {
        let samples = self.grid.samples();
        let mut spot =
            Spot { bytes, alpha, nodes: (Node::Start, Node::Start), anchors: (0, 0), is_uneven: false, is_late: false };
        if self.starts.is_empty() {
            return (spot, None); // one sample, or nothing on a lattice
        }
        let interval = Interval::of(sample, samples);
        let place = sample - interval.start();
        let segment = self.segments.of(interval.index);
        let (rows, in_segment) = (&self.starts[segment], interval.index - self.segments.start(segment));
        spot.nodes = (interval.node(place), interval.node(if alpha > 0.0 { place + 1 } else { place }));
        let anchor_bits = self.anchor_bits as usize;
        spot.anchors = (interval.index * anchor_bits, (interval.index + 1) * anchor_bits);
        spot.is_uneven = interval.is_uneven();
        spot.is_late = place >= interval.middle();
        let middle = rows.middle_bit as usize + in_segment * rows.middle_bits as usize;
        let fine = rows.fine_bit as usize + (2 * in_segment + usize::from(spot.is_late)) * rows.fine_bits as usize;
        (spot, Some(self.widths.residuals(segment, [middle, fine], self.wide_more.into())))
    }
}
