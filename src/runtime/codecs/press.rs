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
use crate::memory::{NoMemory, with_room};
use crate::parts::{ClipHeader, PoseSlice, Segments, StillPose};
use crate::{Channel, StateMemory, TimeGrid};
use alloc::vec::Vec;
use head_reader::HeadReader;
use lattice::{LatticeGroups, Spot};
use layout::Node;
use places::PackedGroup;
use records::{ExactTrack, Rows, exact_tracks, still_pose};

pub use anchors::AnchorRange;
pub use archive::{ARCHIVE_ZEROS, expand};
pub use chances::{CHANCES, Chances};
pub use coding::Learned;
pub use components::{Component, rows_of, segments_of, wide_bits, width_code};
pub use contents::Contents;
pub use head::{ANIMATED, CONSTANT, CONSTANT_BITS, Constant, Head, Part, REFERENCE_BITS, Record};
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
/// Archives are first [expanded](expand) to this form.
#[derive(Debug)]
pub struct PressDecoder {
    grid: TimeGrid,
    still: StillPose,
    /// Tracks on lattices.
    groups: LatticeGroups,
    /// Bits of residuals with code [`WIDE`], above [`WIDE`] itself.
    wide_more: u64,
    anchors: Rows,
    segments: Segments,
    starts: Vec<SegmentRows>,
    /// Per segment, the places of the groups of rotations, translations and scales.
    places: Vec<PackedGroup>,
    exact: Vec<ExactTrack>,
    exact_rows: Rows,
    /// The expanded payload of an archive, which is read instead of the bytes.
    expanded: Option<Vec<u8>>,
}

/// The places of a segment's residuals.
#[derive(Debug, Clone, Copy)]
struct SegmentRows {
    /// First bit of the residuals of middle samples.
    middle_bit: usize,
    /// First bit of the other residuals.
    fine_bit: usize,
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
        let opened = Self::open_runtime(header, &expanded, bind)?;
        Ok(Self { expanded: Some(expanded), ..opened })
    }

    fn cursor(&self, _: &[u8], _: StateMemory) -> Result<(), NoMemory> {
        Ok(())
    }

    #[inline]
    fn sample(&self, bytes: &[u8], (): &mut (), at_sample: f64, mut out: PoseSlice<'_>) {
        let bytes = self.expanded.as_deref().unwrap_or(bytes);
        run(Sampling { decoder: self, bytes, at_sample, out: &mut out });
    }

    fn heap_bytes(&self) -> usize {
        self.still.heap_bytes()
            + self.groups.heap_bytes()
            + size_of_val(&self.starts[..])
            + size_of_val(&self.places[..])
            + size_of_val(&self.exact[..])
            + self.expanded.as_ref().map_or(0, Vec::capacity)
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
        let (spot, places) = decoder.spot(bytes, index, alpha);
        spot.put::<I>(&decoder.groups, places, &mut out);
        for track in &decoder.exact {
            if let Some(out) = out.joint(track.joint) {
                track.put(bytes, &decoder.exact_rows, index, alpha, out);
            }
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
        let (exact, exact_bits) = exact_tracks(&reader.head)?;
        let mut out = Self {
            grid: header.grid,
            groups,
            wide_more: (layout.wide_bits - WIDE).into(),
            still: StillPose::new(bind, 0)?,
            anchors: Rows::default(),
            segments: Segments::new(intervals(samples).max(1), layout.segment_intervals()),
            starts: Vec::new(),
            places: Vec::new(),
            exact,
            exact_rows: Rows::default(),
            expanded: None,
        };
        out.read_places(&mut reader, samples)?;
        let (head, rows_at) = reader.finish()?;
        out.still = still_pose(&head, bind, rows_at)?;
        let mut input = BitReader::new(bytes);
        input.skip("head of the payload", 8 * rows_at)?;
        out.anchors = Rows::read(&mut input, "anchors", anchor_bits as usize, intervals(samples) + 1)?;
        out.find_rows(&mut input)?;
        if !out.exact.is_empty() {
            out.exact_rows = Rows::read(&mut input, "float32 samples", exact_bits, samples)?;
            (0..samples)
                .try_for_each(|sample| out.exact.iter().try_for_each(|t| t.check(bytes, &out.exact_rows, sample)))?;
        }
        input.skip("padding", (8 * least_bytes(&head, samples)).saturating_sub(input.bit_position()))?;
        input.finish("samples")?;
        Ok(out)
    }

    /// Computes the places of residuals in their rows.
    fn read_places(&mut self, reader: &mut HeadReader<'_>, samples: usize) -> Result<(), DecodeError> {
        let segments = reader.head.segments(samples).count();
        self.starts = with_room(segments)?;
        self.places = with_room(segments * self.groups.count())?;
        let layout = reader.head.layout;
        let counts = Channel::ALL.map(|channel| reader.head.of_channel(channel).len());
        for _ in 0..segments {
            let (mut bits, mut left) = ([0; 2], reader.next_widths());
            for count in counts {
                let (widths, others) = left.split_at(count);
                self.places.extend(widths.chunks(EIGHT).map(|widths| PackedGroup::new(widths, &layout, &mut bits)));
                left = others;
            }
            let [middle_bits, fine_bits] = bits;
            self.starts.push(SegmentRows { middle_bit: 0, fine_bit: 0, middle_bits, fine_bits });
        }
        Ok(())
    }

    /// Computes the places of the rows of residuals.
    fn find_rows(&mut self, input: &mut BitReader<'_>) -> Result<(), DecodeError> {
        for (segment, rows) in self.starts.iter_mut().enumerate() {
            let [middles, fines] = rows_of(&self.segments.samples_of(segment), self.grid.samples());
            rows.middle_bit = input.skip("residuals of middles", middles * rows.middle_bits as usize)?;
            rows.fine_bit = input.skip("residuals of samples", fines * rows.fine_bits as usize)?;
        }
        Ok(())
    }

    /// The place of a sample, and of the next one if `alpha` is above zero. Also returns the places of residuals in its segment.
    #[inline(always)]
    fn spot<'a>(&'a self, bytes: &'a [u8], sample: usize, alpha: f32) -> (Spot<'a>, &'a [PackedGroup]) {
        let samples = self.grid.samples();
        let mut spot = Spot {
            bytes,
            alpha,
            nodes: (Node::Start, Node::Start),
            anchors: (self.anchors.row(0), self.anchors.row(0)),
            is_uneven: false,
            middle: 0,
            fine: 0,
            is_late: false,
            wide_more: self.wide_more,
        };
        if self.starts.is_empty() {
            return (spot, &[]); // one sample, or nothing on a lattice
        }
        let interval = Interval::of(sample, samples);
        let place = sample - interval.start();
        let segment = self.segments.of(interval.index);
        let (rows, in_segment) = (&self.starts[segment], interval.index - self.segments.start(segment));
        spot.nodes = (interval.node(place), interval.node(if alpha > 0.0 { place + 1 } else { place }));
        spot.anchors = (self.anchors.row(interval.index), self.anchors.row(interval.index + 1));
        spot.is_uneven = interval.is_uneven();
        spot.is_late = place >= interval.middle();
        spot.middle = rows.middle_bit + in_segment * rows.middle_bits as usize;
        spot.fine = rows.fine_bit + (2 * in_segment + usize::from(spot.is_late)) * rows.fine_bits as usize;
        let groups = self.groups.count();
        (spot, &self.places[segment * groups..][..groups])
    }
}
