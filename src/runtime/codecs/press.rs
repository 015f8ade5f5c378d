//! Every sample as integers on a lattice, predicted from the samples around it.

mod archive;
mod components;
mod layout;
mod records;
mod series;

use super::Decode;
use crate::format::{BitReader, DecodeError, MAX_BITS_AT};
use crate::math::{LANES, Transform, each_lane, quat_mul, rodrigues_unmap};
use crate::parts::{
    ClipHeader, KeyFormat, PoseSlice, RotationFormat, Segments, TrackGroup, TrackTable, VectorFormat, grouped,
    sample_groups,
};
use crate::{Channel, StateMemory, TimeGrid};
use alloc::vec;
use alloc::vec::Vec;
use glam::Vec4;
use layout::{Node, read_residuals, read_three, read_width};
use records::{Anchors, ExactTrack, LatticeTrack, Records, Rows};

pub use archive::{ARCHIVE_MARK, ARCHIVE_MARK_BITS, ARCHIVE_ZEROS, expand, is_archive, is_in_proportion};
pub use components::{
    Component, SegmentBits, SegmentWriter, rows_of, segments_of, wide_bits, width_code, width_difference,
    write_anchor_range, write_anchors,
};
pub use layout::{
    CODE_SIZE_BITS, FIRST_WIDTHS, INTERVAL_SAMPLES, Interval, Layout, SIZE_BITS, STEP_BITS, WIDE, intervals,
    predict_fine, predict_middle,
};
pub use records::exact_bits;
pub use series::{LARGEST, SeriesModel};

/// Bits that the widths of a track take at least in a segment.
const LEAST_WIDTHS_BITS: usize = 6;

/// Reads integers in place, four tracks at a time: a sample takes one or two anchors, a residual of the middle of its interval
/// and perhaps one more.
///
/// A rotation is its track's reference, then the modified Rodrigues parameters `integers x steps / 4`; a translation or scale is
/// `integers x steps`. Anchors are every fourth sample and the last. The sample in the middle between two is a residual on
/// [`predict_middle`], the others on [`predict_fine`]. Tracks are in the order rotations, translations, scales.
///
/// On disk, in bits, after the track table:
/// - [`Layout`]; if it says so, a bit a track that is set for those of float32 samples;
/// - for every other track: three step codes, as differences to the least (see [`lattice_step`](crate::parts::lattice_step)); of rotations the reference,
///   32 bits; for each component the width of its anchors (5 bits) and a bit that is set where the width of an offset (5 bits)
///   and the offset follow: even numbers are twice the lowest anchor, odd ones twice its negative less one. Without an offset
///   half the anchors' range is subtracted;
/// - the anchors, sample after sample;
/// - for each segment: width codes of residuals, of the middle and of the others, one such pair a component, as differences to
///   the segment before in [unary](read_width); the residuals of the middles, interval after interval; then the others,
///   sample after sample;
/// - the tracks of float32 samples, sample after sample.
///
/// Payloads that begin with [`ARCHIVE_MARK`] are first [expanded](expand) to such bits.
#[derive(Debug)]
pub struct PressDecoder {
    grid: TimeGrid,
    still: Vec<Transform>,
    /// Tracks on lattices, of each channel.
    counts: [usize; 3],
    rotations: Vec<LatticeGroup>,
    translations: Vec<LatticeGroup>,
    scales: Vec<LatticeGroup>,
    anchors: Rows,
    segments: Segments,
    starts: Vec<SegmentRows>,
    /// Of each segment, those of the rotations, translations and scales.
    places: Vec<Place>,
    /// No three integers of a track take more bits than are read at once.
    is_narrow: bool,
    exact: Vec<ExactTrack>,
    exact_rows: Rows,
    /// The payload that an archive stands for: what is read instead of its bytes.
    expanded: Option<Vec<u8>>,
}

/// Four animated tracks of a channel.
#[derive(Debug)]
struct LatticeGroup {
    joints: [usize; LANES],
    steps: [Vec4; 3],
    /// Of rotations: what they are relative to.
    references: [Vec4; 4],
    anchors: [Anchors; LANES],
}

/// Where the residuals of a segment start.
#[derive(Debug, Clone, Copy)]
struct SegmentRows {
    middle_bit: usize,
    fine_bit: usize,
    middle_bits: u32,
    fine_bits: u32,
}

/// Where the residuals of a track lie in the rows of a segment.
#[derive(Debug, Clone, Copy)]
struct Place {
    middle_at: u32,
    fine_at: u32,
    middle: [u8; 3],
    fine: [u8; 3],
}

impl Decode for PressDecoder {
    const VERSION: u8 = 2;
    const OLDEST: u8 = 1;
    type Cursor = ();

    fn open(header: &ClipHeader, bytes: &[u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        if !is_archive(bytes) {
            return Self::open_runtime(header, bytes, bind);
        }
        let expanded = expand(header, bytes, bind)?;
        let opened = Self::open_runtime(header, &expanded, bind)?;
        Ok(Self { expanded: Some(expanded), ..opened })
    }

    fn cursor(&self, _: &[u8], _: StateMemory) {}

    #[inline]
    fn sample(&self, bytes: &[u8], (): &mut (), at_sample: f64, mut out: PoseSlice<'_>) {
        let bytes = self.expanded.as_deref().unwrap_or(bytes);
        let (index, alpha) = self.grid.split(at_sample);
        out.copy_from(&self.still);
        let spot = self.spot(bytes, index, alpha);
        if self.is_narrow {
            self.lattices::<true>(&spot, &mut out);
        } else {
            self.lattices::<false>(&spot, &mut out);
        }
        for track in &self.exact {
            if let Some(out) = out.joint(track.joint) {
                track.put(bytes, &self.exact_rows, index, alpha, out);
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        let groups = self.rotations.len() + self.translations.len() + self.scales.len();
        size_of_val(&self.still[..])
            + groups * size_of::<LatticeGroup>()
            + size_of_val(&self.starts[..])
            + size_of_val(&self.places[..])
            + size_of_val(&self.exact[..])
            + self.expanded.as_ref().map_or(0, Vec::capacity)
    }
}

impl PressDecoder {
    /// Reads and checks a payload that is no archive.
    fn open_runtime(header: &ClipHeader, bytes: &[u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let layout = Layout::read(&mut input)?;
        let samples = header.grid.samples();
        let mut records = Records::new(&layout, &table, &mut input)?;
        let mut channel = |channel| records.read(&mut input, bytes, &table, channel);
        let tracks = [channel(Channel::Rotation)?, channel(Channel::Translation)?, channel(Channel::Scale)?];
        let intervals = intervals(samples);
        let anchors = Rows::read(&mut input, "anchors", records.anchor_bits as usize, intervals + 1)?;
        let is_narrow = tracks.iter().flatten().all(|track| is_narrow(track.anchors.widths));
        let mut out = Self {
            grid: header.grid,
            is_narrow,
            counts: [tracks[0].len(), tracks[1].len(), tracks[2].len()],
            rotations: LatticeGroup::groups(&tracks[0]),
            translations: LatticeGroup::groups(&tracks[1]),
            scales: LatticeGroup::groups(&tracks[2]),
            still: table.still,
            anchors,
            segments: Segments::new(intervals.max(1), layout.segment_intervals()),
            starts: Vec::new(),
            places: Vec::new(),
            exact: records.exact,
            exact_rows: Rows::default(),
            expanded: None,
        };
        if intervals > 0 && out.counts.iter().sum::<usize>() > 0 {
            out.read_segments(&mut input, &layout)?;
        }
        if !out.exact.is_empty() {
            out.exact_rows = Rows::read(&mut input, "float32 samples", records.exact_bits, samples)?;
            (0..samples)
                .try_for_each(|sample| out.exact.iter().try_for_each(|t| t.check(bytes, &out.exact_rows, sample)))?;
        }
        input.finish("samples")?;
        Ok(out)
    }

    /// Puts the wanted tracks that lie on lattices.
    #[inline(always)]
    fn lattices<const IS_NARROW: bool>(&self, spot: &Spot<'_>, out: &mut PoseSlice<'_>) {
        let (rotations, vectors) = spot.places.split_at(self.counts[0].min(spot.places.len()));
        let (translations, scales) = vectors.split_at(self.counts[1].min(vectors.len()));
        spot.channel::<RotationFormat, IS_NARROW>(&self.rotations, rotations, out, |out, q| out.rotation = q);
        spot.channel::<VectorFormat, IS_NARROW>(&self.translations, translations, out, |out, v| out.translation = v);
        spot.channel::<VectorFormat, IS_NARROW>(&self.scales, scales, out, |out, v| out.scale = v);
    }

    /// Finds where the residuals of every segment are.
    fn read_segments(&mut self, input: &mut BitReader<'_>, layout: &Layout) -> Result<(), DecodeError> {
        let tracks = self.counts.iter().sum::<usize>();
        // A place takes more memory than its widths take bits: none before there are enough of these.
        let least_bits = (self.segments.count() * tracks).saturating_mul(LEAST_WIDTHS_BITS);
        input.clone().skip("widths of residuals", least_bits)?;
        self.starts = Vec::with_capacity(self.segments.count());
        self.places = Vec::with_capacity(self.segments.count() * tracks);
        let mut codes = vec![[FIRST_WIDTHS; 3]; tracks];
        for segment in 0..self.segments.count() {
            let intervals = self.segments.samples_of(segment);
            let last = Interval::at(intervals.end - 1, self.grid.samples());
            let (mut middle_bits, mut fine_bits) = (0, 0);
            for codes in &mut codes {
                let place = Place::read(input, layout, codes, (middle_bits, fine_bits))?;
                middle_bits += place.middle.iter().copied().map(u32::from).sum::<u32>();
                fine_bits += place.fine.iter().copied().map(u32::from).sum::<u32>();
                self.is_narrow &= is_narrow(place.middle) && is_narrow(place.fine);
                self.places.push(place);
            }
            let middles = intervals.len() - usize::from(last.length < 2);
            let fines = 2 * (intervals.len() - 1) + last.fine_rows();
            let middle_bit = input.skip("residuals of middles", middles * middle_bits as usize)?;
            let fine_bit = input.skip("residuals of samples", fines * fine_bits as usize)?;
            self.starts.push(SegmentRows { middle_bit, fine_bit, middle_bits, fine_bits });
        }
        Ok(())
    }

    /// Where the bits of a sample lie, and of the next one if `alpha` is above zero.
    #[inline(always)]
    fn spot<'a>(&'a self, bytes: &'a [u8], sample: usize, alpha: f32) -> Spot<'a> {
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
            places: &[],
        };
        if self.starts.is_empty() {
            return spot; // one sample, or nothing on a lattice
        }
        let interval = Interval::of(sample, samples);
        let place = sample - interval.start();
        let segment = self.segments.of(interval.index);
        let (rows, in_segment) = (&self.starts[segment], interval.index - self.segments.start(segment));
        let tracks = self.counts.iter().sum::<usize>();
        spot.nodes = (interval.node(place), interval.node(if alpha > 0.0 { place + 1 } else { place }));
        spot.anchors = (self.anchors.row(interval.index), self.anchors.row(interval.index + 1));
        spot.is_uneven = interval.is_uneven();
        spot.is_late = place >= interval.middle();
        spot.middle = rows.middle_bit + in_segment * rows.middle_bits as usize;
        spot.fine = rows.fine_bit + (2 * in_segment + usize::from(spot.is_late)) * rows.fine_bits as usize;
        spot.places = &self.places[segment * tracks..][..tracks];
        spot
    }
}

/// A sample, or two neighbours to be blended.
struct Spot<'a> {
    bytes: &'a [u8],
    alpha: f32,
    nodes: (Node, Node),
    /// Bits of the rows before and after.
    anchors: (usize, usize),
    is_uneven: bool,
    middle: usize,
    fine: usize,
    /// The other residual is that of a sample behind the middle.
    is_late: bool,
    places: &'a [Place],
}

/// The three integers of a track.
type Integers = [i32; 3];

impl Spot<'_> {
    /// Reads the wanted tracks of a channel and puts their keys. `IS_NARROW`: see [`read_three`].
    #[inline(always)]
    fn channel<F: ReadLattice, const IS_NARROW: bool>(
        &self,
        groups: &[LatticeGroup],
        places: &[Place],
        out: &mut PoseSlice<'_>,
        put: impl Fn(&mut Transform, F::Key),
    ) {
        let read = |number: usize, group: &LatticeGroup| {
            let places = four_places(places, number);
            let one = |lane: usize| self.one::<IS_NARROW>(&group.anchors[lane], places[lane]);
            F::lanes(group, each_lane([0, 1, 2, 3], one))
        };
        let read_both = |number: usize, group: &LatticeGroup| {
            let places = four_places(places, number);
            let [a, b, c, d] =
                each_lane([0, 1, 2, 3], |lane| self.both::<IS_NARROW>(&group.anchors[lane], places[lane]));
            (F::lanes(group, [a.0, b.0, c.0, d.0]), F::lanes(group, [a.1, b.1, c.1, d.1]))
        };
        sample_groups::<F, _>(groups, self.alpha, out, read, read_both, put);
    }

    /// The integers at the sample.
    #[inline(always)]
    fn one<const IS_NARROW: bool>(&self, anchors: &Anchors, place: &Place) -> Integers {
        match self.nodes.0 {
            Node::Start => anchors.read::<IS_NARROW>(self.bytes, self.anchors.0),
            Node::End => anchors.read::<IS_NARROW>(self.bytes, self.anchors.1),
            Node::Middle | Node::Fine => self.both::<IS_NARROW>(anchors, place).0,
        }
    }

    /// The integers at both samples.
    #[inline(always)]
    fn both<const IS_NARROW: bool>(&self, anchors: &Anchors, place: &Place) -> (Integers, Integers) {
        let start = anchors.read::<IS_NARROW>(self.bytes, self.anchors.0);
        let end = anchors.read::<IS_NARROW>(self.bytes, self.anchors.1);
        if self.nodes == (Node::Start, Node::End) {
            return (start, end);
        }
        let at = self.middle + place.middle_at as usize;
        let residual = read_residuals::<IS_NARROW>(self.bytes, at, place.middle);
        let line = |i: usize| predict_middle(start[i], end[i], self.is_uneven).wrapping_add(residual[i]);
        let middle = [line(0), line(1), line(2)];
        match self.nodes {
            (Node::Start, Node::Middle) => return (start, middle),
            (Node::Middle, Node::End) => return (middle, end),
            (Node::Middle, Node::Middle) => return (middle, middle),
            _ => {}
        }
        let (before, after) = if self.is_late { (middle, end) } else { (start, middle) };
        let at = self.fine + place.fine_at as usize;
        let own = read_residuals::<IS_NARROW>(self.bytes, at, place.fine);
        let line = |i: usize| predict_fine(before[i], after[i], residual[i]).wrapping_add(own[i]);
        let fine = [line(0), line(1), line(2)];
        if self.nodes.0 == Node::Fine { (fine, after) } else { (before, fine) }
    }
}

/// The places of a group. The last group may have fewer tracks than four, and clips of one sample have no places.
#[inline(always)]
fn four_places(places: &[Place], group: usize) -> [&Place; LANES] {
    let at = group * LANES;
    if let Some([a, b, c, d]) = places.get(at..at + LANES) {
        return [a, b, c, d];
    }
    let last = places.len().saturating_sub(1);
    each_lane([at, at + 1, at + 2, at + 3], |at| places.get(at.min(last)).unwrap_or(&Place::NONE))
}

impl Anchors {
    #[inline(always)]
    fn read<const IS_NARROW: bool>(&self, bytes: &[u8], row: usize) -> Integers {
        let [x, y, z] = read_three::<IS_NARROW>(bytes, row + self.at as usize, self.widths);
        [x.wrapping_add(self.lowest[0]), y.wrapping_add(self.lowest[1]), z.wrapping_add(self.lowest[2])]
    }
}

impl TrackGroup for LatticeGroup {
    #[inline(always)]
    fn joints(&self) -> &[usize; LANES] {
        &self.joints
    }
}

impl LatticeGroup {
    fn groups(tracks: &[LatticeTrack]) -> Vec<Self> {
        grouped(tracks, |of| Self {
            joints: of.map(|track| track.joint),
            steps: [0, 1, 2].map(|i| Vec4::from_array(of.map(|track| track.steps[i]))),
            references: [0, 1, 2, 3].map(|i| Vec4::from_array(of.map(|track| track.reference.to_array()[i]))),
            anchors: of.map(|track| track.anchors),
        })
    }
}

/// Keys from integers. The formats are those of float32 samples.
trait ReadLattice: KeyFormat {
    fn lanes(group: &LatticeGroup, integers: [Integers; LANES]) -> Self::Lanes;
}

#[inline(always)]
fn scaled(group: &LatticeGroup, integers: [Integers; LANES]) -> [Vec4; 3] {
    let component = |i: usize| Vec4::from_array(each_lane(integers, |n| n[i] as f32)) * group.steps[i];
    [component(0), component(1), component(2)]
}

impl ReadLattice for RotationFormat {
    #[inline(always)]
    fn lanes(group: &LatticeGroup, integers: [Integers; LANES]) -> [Vec4; 4] {
        quat_mul(group.references, rodrigues_unmap(scaled(group, integers)))
    }
}

impl ReadLattice for VectorFormat {
    #[inline(always)]
    fn lanes(group: &LatticeGroup, integers: [Integers; LANES]) -> [Vec4; 3] {
        scaled(group, integers)
    }
}

impl Place {
    const NONE: Self = Self { middle_at: 0, fine_at: 0, middle: [0; 3], fine: [0; 3] };

    /// Reads the widths of a track in a segment. `codes`: those of the segment before.
    fn read(
        input: &mut BitReader<'_>,
        layout: &Layout,
        codes: &mut [[u32; 2]; 3],
        (middle_at, fine_at): (u32, u32),
    ) -> Result<Self, DecodeError> {
        let mut out = Self { middle_at, fine_at, ..Self::NONE };
        for (i, codes) in codes.iter_mut().enumerate() {
            *codes = [read_width(input, codes[0])?, read_width(input, codes[1])?];
            (out.middle[i], out.fine[i]) = (layout.width(codes[0]) as u8, layout.width(codes[1]) as u8);
        }
        Ok(out)
    }
}

/// Three integers of these widths are read at once.
fn is_narrow(widths: [u8; 3]) -> bool {
    widths.into_iter().map(u32::from).sum::<u32>() <= MAX_BITS_AT
}
