//! Every sample is stored as integers on a lattice, predicted from the samples around it.

mod archive;
mod coding;
mod components;
mod contents;
mod lattice;
mod layout;
mod least_squares;
mod mark;
mod places;
mod planes;
mod record_chances;
mod records;
mod records_trained;
mod residuals;
mod residuals_trained;
mod series;

use super::Decode;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::math::{EIGHT, Ints, Kernel, run};
use crate::memory::{NoMemory, TryPush, filled, with_room};
use crate::parts::{ClipHeader, PoseSlice, Segments, StillPose, StoredTracks};
use crate::{Channel, StateMemory, TimeGrid};
use alloc::vec::Vec;
use lattice::{LatticeGroups, Spot};
use layout::Node;
use places::PackedGroup;
use records::{ExactTrack, Records, Rows};

pub use archive::{ARCHIVE_ZEROS, expand};
pub use coding::{Learned, Part};
pub use components::{
    Component, SegmentBits, SegmentWriter, rows_of, segments_of, wide_bits, width_code, write_anchor_range,
    write_anchors, write_layout,
};
pub use contents::Contents;
pub use layout::{
    CODE_SIZE_BITS, FIRST_WIDTHS, INTERVAL_SAMPLES, Interval, Layout, SIZE_BITS, STEP_BITS, WIDE, intervals,
    predict_fine, predict_middle,
};
pub use mark::{ARCHIVE_MARK, is_archive, is_in_proportion};
pub use planes::{CODES_A_PLANE, LatticeIntegers, PLANES_BITS, PressIntegers, components_of, half};
pub use record_chances::{RECORD_CHANCES, RecordChances};
pub use records::exact_bits;
pub use residuals::Weights;
pub use series::{LARGEST, SeriesModel, SeriesTrack};

/// Fewest bits of a track's widths in a segment.
const LEAST_WIDTHS_BITS: usize = 6;

/// Reads integers in place, eight tracks at a time. A sample needs one or two anchors, and up to two residuals.
///
/// A rotation is its track's reference times the rotation of the modified Rodrigues parameters `integers x steps / 4`. A translation or
/// scale is `integers x steps`. Anchors are every fourth sample and the last one. The middle sample of an interval between anchors is
/// [`predict_middle`] plus a residual. The other samples are [`predict_fine`] plus a residual. Tracks are in the order rotations,
/// translations, scales.
///
/// On disk, in bits, after the track table:
/// - [`Layout`]; if some tracks are float32, one bit per track, set for float32;
/// - per track that is not float32: three step codes, minus the least (see [`crate::parts::lattice_step`]); for a rotation, its reference
///   (32 bits); per component, the width of its anchors (5 bits) and a bit that is set if an offset follows, as its width (5 bits) and the
///   [zigzag code](crate::parts::unzigzag32) of the lowest anchor. Anchors are stored above the lowest, or without an offset above minus
///   half their range;
/// - the anchors, sample by sample;
/// - per segment: two width codes per component, for residuals of middle samples and of others, as differences from the segment before in
///   [unary](crate::parts::read_width); the residuals of the middle samples, interval by interval; then the others, sample by sample;
/// - the float32 tracks, sample by sample.
///
/// Payloads that begin with [`ARCHIVE_MARK`] are first [expanded](expand) to this form.
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
        let mut input = BitReader::new(bytes);
        let table = StoredTracks::read(&mut input, bytes, bind)?;
        let layout = Layout::read(&mut input)?;
        let samples = header.grid.samples();
        let mut records = Records::new(&layout, &table, &mut input)?;
        let mut channel = |channel| records.read(&mut input, bytes, &table, channel);
        let tracks = [channel(Channel::Rotation)?, channel(Channel::Translation)?, channel(Channel::Scale)?];
        let intervals = intervals(samples);
        let anchors = Rows::read(&mut input, "anchors", records.anchor_bits as usize, intervals + 1)?;
        let mut out = Self {
            grid: header.grid,
            groups: LatticeGroups::new(&tracks)?,
            wide_more: (layout.wide_bits - WIDE).into(),
            still: table.still,
            anchors,
            segments: Segments::new(intervals.max(1), layout.segment_intervals()),
            starts: Vec::new(),
            places: Vec::new(),
            exact: records.exact,
            exact_rows: Rows::default(),
            expanded: None,
        };
        if intervals > 0 && tracks.iter().any(|tracks| !tracks.is_empty()) {
            out.read_segments(&mut input, &layout, tracks.map(|tracks| tracks.len()))?;
        }
        if !out.exact.is_empty() {
            out.exact_rows = Rows::read(&mut input, "float32 samples", records.exact_bits, samples)?;
            (0..samples)
                .try_for_each(|sample| out.exact.iter().try_for_each(|t| t.check(bytes, &out.exact_rows, sample)))?;
        }
        input.finish("samples")?;
        Ok(out)
    }

    /// Computes the places of all residuals. `counts` is the number of tracks on lattices per channel.
    fn read_segments(
        &mut self,
        input: &mut BitReader<'_>,
        layout: &Layout,
        counts: [usize; 3],
    ) -> Result<(), DecodeError> {
        let tracks = counts.iter().sum::<usize>();
        // A place takes more memory than its widths take bits, so these bits must be present before memory is allocated.
        let least_bits = (self.segments.count() * tracks).saturating_mul(LEAST_WIDTHS_BITS);
        input.clone().skip("widths of residuals", least_bits)?;
        self.starts = with_room(self.segments.count())?;
        self.places = with_room(self.segments.count() * self.groups.count())?;
        let mut codes = filled([FIRST_WIDTHS; 3], tracks)?;
        for segment in 0..self.segments.count() {
            let intervals = self.segments.samples_of(segment);
            let last = Interval::at(intervals.end - 1, self.grid.samples());
            let mut bits = [0; 2];
            let mut left = &mut codes[..];
            for count in counts {
                let (codes, others) = left.split_at_mut(count);
                for codes in codes.chunks_mut(EIGHT) {
                    self.places.try_push(PackedGroup::read(input, layout, codes, &mut bits)?)?;
                }
                left = others;
            }
            let [middle_bits, fine_bits] = bits;
            let middles = intervals.len() - usize::from(last.length < 2);
            let fines = 2 * (intervals.len() - 1) + last.fine_rows();
            let middle_bit = input.skip("residuals of middles", middles * middle_bits as usize)?;
            let fine_bit = input.skip("residuals of samples", fines * fine_bits as usize)?;
            self.starts.try_push(SegmentRows { middle_bit, fine_bit, middle_bits, fine_bits })?;
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
