//! Every sample as integers on a lattice, predicted from the samples around it.

mod layout;

use super::Decode;
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{LANES, Range3, Transform, each_lane, quat_mul, rodrigues_unmap};
use crate::parts::{
    ClipHeader, KeyFormat, PoseSlice, RotationFormat, Segments, TrackGroup, TrackTable, VectorFormat, check_key,
    groups_of, sample_groups,
};
use crate::{Channel, TimeGrid};
use alloc::vec::Vec;
use glam::{Quat, Vec4};
use layout::read_three;

pub use layout::{
    EXACT, INTERVAL_SAMPLES, Interval, Layout, Node, SEGMENT_INTERVALS, SIZE_BITS, STEP_BITS, WIDE, WIDTH_BITS,
    intervals, lattice_step, predict_fine, predict_middle, residual_bias,
};

/// The format of float32 samples, and that of what a rotation track is relative to.
const EXACT_ROTATION: RotationFormat = RotationFormat::Full;
const EXACT_VECTOR: VectorFormat = VectorFormat::Float96;
/// The rotation that a track's samples are relative to.
pub const REFERENCE: RotationFormat = RotationFormat::Largest32;

/// Reads integers in place, four tracks at a time: a sample takes one or two anchors, a residual of the middle of its interval
/// and perhaps one more.
///
/// A rotation is its track's reference, then the modified Rodrigues parameters `integers x steps / 4`; a translation or scale is
/// `integers x steps`. Anchors are every fourth sample and the last. The sample in the middle between two is a residual on
/// [`predict_middle`], the others on [`predict_fine`]. Tracks are in the order rotations, translations, scales.
///
/// On disk, in bits, after the track table:
/// - [`Layout`]; if it says so, a bit a track that is set for those of float32 samples;
/// - for every other track: three step codes, 8 bits each (see [`lattice_step`]); of rotations the reference, 32 bits; for each
///   component the width of its anchors (5 bits), the width of an offset (5 bits) and the offset: even numbers are twice the
///   lowest anchor, odd ones twice its negative less one. Without one, half the anchors' range is subtracted;
/// - the anchors, sample after sample;
/// - for each segment: width codes of residuals, 4 bits for the middle and 4 for the others, one such pair a component;
///   the residuals of the middles, interval after interval; then the others, sample after sample;
/// - the tracks of float32 samples, sample after sample.
#[derive(Debug)]
pub struct PressDecoder {
    grid: TimeGrid,
    still: Vec<Transform>,
    rotations: Vec<LatticeGroup>,
    translations: Vec<LatticeGroup>,
    scales: Vec<LatticeGroup>,
    anchors: Rows,
    segments: Segments,
    starts: Vec<SegmentRows>,
    /// Of each segment, those of the rotations, translations and scales.
    places: Vec<[Place; LANES]>,
    exact: Vec<ExactTrack>,
    exact_rows: Rows,
}

/// Rows of equal length.
#[derive(Debug, Clone, Copy, Default)]
struct Rows {
    first_bit: usize,
    row_bits: usize,
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

/// Where the anchors of a track lie in their row, and the number that zero bits mean.
#[derive(Debug, Clone, Copy)]
struct Anchors {
    at: u32,
    widths: [u8; 3],
    lowest: [i32; 3],
}

/// One animated track, as it is read.
struct LatticeTrack {
    joint: usize,
    steps: [f32; 3],
    reference: Quat,
    anchors: Anchors,
}

/// Where the residuals of a segment start.
#[derive(Debug, Clone, Copy)]
struct SegmentRows {
    middle: Rows,
    fine: Rows,
}

/// Where the residuals of a track lie in the rows of a segment.
#[derive(Debug, Clone, Copy)]
struct Place {
    middle_at: u32,
    fine_at: u32,
    middle: [u8; 3],
    fine: [u8; 3],
}

/// A track of float32 samples.
#[derive(Debug)]
struct ExactTrack {
    joint: usize,
    channel: Channel,
    at: usize,
}

impl Decode for PressDecoder {
    const VERSION: u8 = 1;
    type Cursor = ();

    fn open(header: &ClipHeader, bytes: &[u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let layout = Layout::read(&mut input)?;
        let samples = header.grid.samples();
        let mut records = Records::new(&layout, &table, &mut input)?;
        let mut channel = |channel| records.read(&mut input, bytes, &table, channel);
        let tracks = [channel(Channel::Rotation)?, channel(Channel::Translation)?, channel(Channel::Scale)?];
        let intervals = intervals(samples);
        let anchors = Rows::read(&mut input, "anchors", records.anchor_bits as usize, intervals + 1)?;
        let mut out = Self {
            grid: header.grid,
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
        };
        let counts = tracks.map(|tracks| tracks.len());
        if intervals > 0 && counts.iter().any(|count| *count > 0) {
            for segment in 0..out.segments.count() {
                let intervals = out.segments.samples_of(segment);
                let last = Interval::at(intervals.end - 1, samples);
                let start = read_segment(&mut input, &layout, counts, intervals.len(), last, &mut out.places)?;
                out.starts.push(start);
            }
        }
        if !out.exact.is_empty() {
            out.exact_rows = Rows::read(&mut input, "float32 samples", records.exact_bits, samples)?;
            (0..samples).try_for_each(|sample| out.exact.iter().try_for_each(|t| t.check(bytes, &out.exact_rows, sample)))?;
        }
        input.finish("samples")?;
        Ok(out)
    }

    fn cursor(&self, _: &[u8]) {}

    #[inline]
    fn sample(&self, bytes: &[u8], (): &mut (), at_sample: f64, mut out: PoseSlice<'_>) {
        let (index, alpha) = self.grid.split(at_sample);
        out.copy_from(&self.still);
        let spot = self.spot(bytes, index, alpha);
        let (rotations, vectors) = spot.places.split_at(self.rotations.len().min(spot.places.len()));
        let (translations, scales) = vectors.split_at(self.translations.len().min(vectors.len()));
        spot.channel::<RotationFormat>(&self.rotations, rotations, &mut out, |out, q| out.rotation = q);
        spot.channel::<VectorFormat>(&self.translations, translations, &mut out, |out, v| out.translation = v);
        spot.channel::<VectorFormat>(&self.scales, scales, &mut out, |out, v| out.scale = v);
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
    }
}

impl PressDecoder {
    /// Where the bits of a sample lie, and of the next one if `alpha` is above zero.
    #[inline(always)]
    fn spot<'a>(&'a self, bytes: &'a [u8], sample: usize, alpha: f32) -> Spot<'a> {
        let samples = self.grid.samples();
        let mut spot = Spot {
            bytes,
            alpha,
            nodes: [Node::Start; 2],
            anchors: [self.anchors.row(0); 2],
            weight: 0,
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
        let groups = self.rotations.len() + self.translations.len() + self.scales.len();
        spot.nodes = [interval.node(place), interval.node(if alpha > 0.0 { place + 1 } else { place })];
        spot.anchors = [self.anchors.row(interval.index), self.anchors.row(interval.index + 1)];
        spot.weight = interval.middle_weight();
        spot.is_late = place >= interval.middle();
        spot.middle = rows.middle.row(in_segment);
        spot.fine = rows.fine.row(2 * in_segment + usize::from(spot.is_late));
        spot.places = &self.places[segment * groups..][..groups];
        spot
    }
}

/// A sample, or two neighbours to be blended.
struct Spot<'a> {
    bytes: &'a [u8],
    alpha: f32,
    nodes: [Node; 2],
    /// Bits of the rows before and after.
    anchors: [usize; 2],
    weight: i64,
    middle: usize,
    fine: usize,
    /// The other residual is that of a sample behind the middle.
    is_late: bool,
    places: &'a [[Place; LANES]],
}

impl Spot<'_> {
    /// Reads the wanted tracks of a channel and puts their keys.
    #[inline(always)]
    fn channel<F: ReadLattice>(
        &self,
        groups: &[LatticeGroup],
        places: &[[Place; LANES]],
        out: &mut PoseSlice<'_>,
        put: impl Fn(&mut Transform, F::Key),
    ) {
        let wanted = groups_of(out, groups);
        let first = wanted.start;
        let none = [Place { middle_at: 0, fine_at: 0, middle: [0; 3], fine: [0; 3] }; LANES];
        let place = |number: usize| places.get(first + number).unwrap_or(&none);
        let read = |number: usize, group: &LatticeGroup| {
            let place = place(number);
            F::lanes(group, each_lane([0, 1, 2, 3], |lane| self.one(&group.anchors[lane], &place[lane])))
        };
        let read_both = |number: usize, group: &LatticeGroup| {
            let place = place(number);
            let both = each_lane([0, 1, 2, 3], |lane| self.both(&group.anchors[lane], &place[lane]));
            (F::lanes(group, each_lane(both, |b| b[0])), F::lanes(group, each_lane(both, |b| b[1])))
        };
        let put = |joint: usize, key| out.joint(joint).into_iter().for_each(|out| put(out, key));
        sample_groups::<F, _>(&groups[wanted], self.alpha, read, read_both, put);
    }

    /// The integers of a track at the sample.
    #[inline(always)]
    fn one(&self, anchors: &Anchors, place: &Place) -> [i32; 3] {
        match self.nodes[0] {
            Node::Start => anchors.read(self.bytes, self.anchors[0]),
            Node::End => anchors.read(self.bytes, self.anchors[1]),
            Node::Middle | Node::Fine => self.both(anchors, place)[0],
        }
    }

    /// The integers of a track at both samples.
    #[inline(always)]
    fn both(&self, anchors: &Anchors, place: &Place) -> [[i32; 3]; 2] {
        let start = anchors.read(self.bytes, self.anchors[0]);
        let end = anchors.read(self.bytes, self.anchors[1]);
        if self.nodes == [Node::Start, Node::End] {
            return [start, end];
        }
        let residual = place.middle_residual(self.bytes, self.middle);
        let component = |i: usize| predict_middle(start[i], end[i], self.weight).wrapping_add(residual[i]);
        let middle = [component(0), component(1), component(2)];
        if !self.nodes.contains(&Node::Fine) {
            return self.nodes.map(|node| if node == Node::Start { start } else if node == Node::End { end } else { middle });
        }
        let (before, after) = if self.is_late { (middle, end) } else { (start, middle) };
        let own = place.fine_residual(self.bytes, self.fine);
        let component = |i: usize| predict_fine(before[i], after[i], residual[i]).wrapping_add(own[i]);
        let fine = [component(0), component(1), component(2)];
        if self.nodes[0] == Node::Fine { [fine, after] } else { [before, fine] }
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
        let group = |tracks: &[LatticeTrack]| {
            let of = |lane: usize| tracks.get(lane).unwrap_or(&tracks[0]);
            let lanes = |number: &dyn Fn(&LatticeTrack) -> f32| {
                Vec4::from_array(each_lane([0, 1, 2, 3], |lane| number(of(lane))))
            };
            Self {
                joints: each_lane([0, 1, 2, 3], |lane| of(lane).joint),
                steps: [0, 1, 2].map(|i| lanes(&|track| track.steps[i])),
                references: [0, 1, 2, 3].map(|i| lanes(&|track| track.reference.to_array()[i])),
                anchors: each_lane([0, 1, 2, 3], |lane| of(lane).anchors),
            }
        };
        tracks.chunks(LANES).map(group).collect()
    }
}

/// Keys from integers. The formats are those of float32 samples.
trait ReadLattice: KeyFormat {
    fn lanes(group: &LatticeGroup, integers: [[i32; 3]; LANES]) -> Self::Lanes;
}

#[inline(always)]
fn scaled(group: &LatticeGroup, integers: [[i32; 3]; LANES]) -> [Vec4; 3] {
    let component = |i: usize| Vec4::from_array(each_lane(integers, |n| n[i] as f32)) * group.steps[i];
    [component(0), component(1), component(2)]
}

impl ReadLattice for RotationFormat {
    #[inline(always)]
    fn lanes(group: &LatticeGroup, integers: [[i32; 3]; LANES]) -> [Vec4; 4] {
        quat_mul(group.references, rodrigues_unmap(scaled(group, integers)))
    }
}

impl ReadLattice for VectorFormat {
    #[inline(always)]
    fn lanes(group: &LatticeGroup, integers: [[i32; 3]; LANES]) -> [Vec4; 3] {
        scaled(group, integers)
    }
}

impl Rows {
    fn read(input: &mut BitReader<'_>, what: &'static str, row_bits: usize, rows: usize) -> Result<Self, DecodeError> {
        Ok(Self { first_bit: input.skip(what, rows.saturating_mul(row_bits))?, row_bits })
    }

    #[inline(always)]
    fn row(&self, row: usize) -> usize {
        self.first_bit + row * self.row_bits
    }
}

impl Anchors {
    #[inline(always)]
    fn read(&self, bytes: &[u8], row: usize) -> [i32; 3] {
        let read = read_three(bytes, row + self.at as usize, self.widths);
        let component = |i: usize| read[i].wrapping_add(self.lowest[i]);
        [component(0), component(1), component(2)]
    }
}

impl Place {
    #[inline(always)]
    fn middle_residual(&self, bytes: &[u8], row: usize) -> [i32; 3] {
        residual(read_three(bytes, row + self.middle_at as usize, self.middle), self.middle)
    }

    #[inline(always)]
    fn fine_residual(&self, bytes: &[u8], row: usize) -> [i32; 3] {
        residual(read_three(bytes, row + self.fine_at as usize, self.fine), self.fine)
    }
}

#[inline(always)]
fn residual(read: [i32; 3], widths: [u8; 3]) -> [i32; 3] {
    let component = |i: usize| read[i] - residual_bias(widths[i]);
    [component(0), component(1), component(2)]
}

impl ExactTrack {
    fn check(&self, bytes: &[u8], rows: &Rows, sample: usize) -> Result<(), DecodeError> {
        let at = rows.row(sample) + self.at;
        match self.channel {
            Channel::Rotation => check_key(bytes, at, EXACT_ROTATION),
            Channel::Translation | Channel::Scale => check_key(bytes, at, EXACT_VECTOR),
        }
    }

    /// Puts the track's value `alpha` of the way to the next sample.
    fn put(&self, bytes: &[u8], rows: &Rows, sample: usize, alpha: f32, out: &mut Transform) {
        match self.channel {
            Channel::Rotation => out.rotation = self.value(EXACT_ROTATION, bytes, rows, sample, alpha),
            Channel::Translation => out.translation = self.value(EXACT_VECTOR, bytes, rows, sample, alpha),
            Channel::Scale => out.scale = self.value(EXACT_VECTOR, bytes, rows, sample, alpha),
        }
    }

    fn value<F: KeyFormat>(&self, format: F, bytes: &[u8], rows: &Rows, sample: usize, alpha: f32) -> F::Key {
        let read = |sample: usize| format.read(bytes, rows.row(sample) + self.at, &Range3::UNIT);
        if alpha > 0.0 { F::blend(read(sample), read(sample + 1), alpha) } else { read(sample) }
    }
}

/// Reads what is stored once a track.
struct Records {
    /// First bit of the flags of exact tracks.
    flags_bit: Option<usize>,
    track: usize,
    anchor_bits: u32,
    exact: Vec<ExactTrack>,
    exact_bits: usize,
}

impl Records {
    fn new(layout: &Layout, table: &TrackTable, input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let tracks = Channel::ALL.into_iter().map(|channel| table.animated(channel).count()).sum();
        let flags_bit = layout.has_exact.then(|| input.skip("exact tracks", tracks)).transpose()?;
        Ok(Self { flags_bit, track: 0, anchor_bits: 0, exact: Vec::new(), exact_bits: 0 })
    }

    fn read(
        &mut self,
        input: &mut BitReader<'_>,
        bytes: &[u8],
        table: &TrackTable,
        channel: Channel,
    ) -> Result<Vec<LatticeTrack>, DecodeError> {
        let mut tracks = Vec::new();
        for joint in table.animated(channel) {
            let is_exact = self.flags_bit.is_some_and(|bit| bits_at(bytes, bit + self.track, 1) == 1);
            self.track += 1;
            if is_exact {
                self.exact.push(ExactTrack { joint, channel, at: self.exact_bits });
                self.exact_bits += exact_bits(channel);
            } else {
                tracks.push(self.lattice(input, bytes, joint, channel)?);
            }
        }
        Ok(tracks)
    }

    fn lattice(
        &mut self,
        input: &mut BitReader<'_>,
        bytes: &[u8],
        joint: usize,
        channel: Channel,
    ) -> Result<LatticeTrack, DecodeError> {
        let is_rotation = channel == Channel::Rotation;
        let mut step = || Ok(lattice_step(input.read("step of a track", STEP_BITS)? as u8, is_rotation));
        let steps = [step()?, step()?, step()?];
        let reference = if is_rotation {
            let at = input.skip("reference of a track", REFERENCE.bits() as usize)?;
            REFERENCE.read(bytes, at, &Range3::UNIT)
        } else {
            Quat::IDENTITY
        };
        let mut anchors = Anchors { at: self.anchor_bits, widths: [0; 3], lowest: [0; 3] };
        for (width, lowest) in anchors.widths.iter_mut().zip(&mut anchors.lowest) {
            *width = input.read("width of anchors", SIZE_BITS)? as u8;
            let offset_bits = input.read("width of an offset", SIZE_BITS)? as u32;
            let offset = input.read("offset of anchors", offset_bits)? as i32;
            *lowest = if offset_bits == 0 { -residual_bias(*width) } else { (offset >> 1) ^ -(offset & 1) };
            self.anchor_bits += u32::from(*width);
        }
        Ok(LatticeTrack { joint, steps, reference, anchors })
    }
}

/// Bits of a float32 sample of a channel.
pub fn exact_bits(channel: Channel) -> usize {
    match channel {
        Channel::Rotation => EXACT_ROTATION.bits() as usize,
        Channel::Translation | Channel::Scale => EXACT_VECTOR.bits() as usize,
    }
}

/// Finds where the residuals of a segment are; `tracks`: how many of each channel, `last`: its last interval.
fn read_segment(
    input: &mut BitReader<'_>,
    layout: &Layout,
    tracks: [usize; 3],
    intervals: usize,
    last: Interval,
    places: &mut Vec<[Place; LANES]>,
) -> Result<SegmentRows, DecodeError> {
    let (mut middle_bits, mut fine_bits) = (0u32, 0u32);
    for count in tracks {
        for first in (0..count).step_by(LANES) {
            let mut group: Option<[Place; LANES]> = None;
            for lane in 0..LANES.min(count - first) {
                let mut place = Place { middle_at: middle_bits, fine_at: fine_bits, middle: [0; 3], fine: [0; 3] };
                for (middle, fine) in place.middle.iter_mut().zip(&mut place.fine) {
                    *middle = layout.width(input.read("width of residuals", WIDTH_BITS)?) as u8;
                    *fine = layout.width(input.read("width of residuals", WIDTH_BITS)?) as u8;
                    middle_bits += u32::from(*middle);
                    fine_bits += u32::from(*fine);
                }
                group.get_or_insert([place; LANES])[lane] = place;
            }
            places.extend(group);
        }
    }
    let middles = intervals - usize::from(last.length < 2);
    let fines = 2 * (intervals - 1) + last.fine_rows();
    let middle = Rows::read(input, "residuals of middles", middle_bits as usize, middles)?;
    let fine = Rows::read(input, "residuals of samples", fine_bits as usize, fines)?;
    Ok(SegmentRows { middle, fine })
}
