//! Decoding of tracks on lattices, in groups of eight.

use super::head::{Head, REFERENCE_BITS, Record, packed};
use super::layout::{Node, predict_fine, predict_middle};
use super::places::{PackedGroup, PackedIntegers, RowPlaces, Three};
use crate::Channel;
use crate::math::{
    EIGHT, Ints, LANES, Range3, Transform, Whole, each_lane, lerp_lanes, nlerp_lanes, quat_mul, rodrigues_unmap,
};
use crate::memory::{NoMemory, with_room};
use crate::parts::{LATTICE_REFERENCE, PoseSlice, TrackGroup, groups_of, lattice_step, next_run, rotations, vectors};
use alloc::vec::Vec;

/// Eight animated tracks of a channel. A last group with fewer tracks repeats its first joint.
#[derive(Debug)]
pub struct LatticeGroup {
    joints: [u16; EIGHT],
    tracks: u8,
    is_scale: bool,
    steps: [[f32; EIGHT]; 3],
    anchors: RowPlaces,
    /// Values of zero bits of anchors.
    lowest: [[i32; EIGHT]; 3],
}

/// The rotations that the rotation tracks of a group are relative to: x, y, z and w.
type References = [[f32; EIGHT]; 4];

/// The references of groups of vectors.
const NO_REFERENCES: References = [[0.0; EIGHT]; 4];

/// The groups of all channels.
#[derive(Debug)]
pub struct LatticeGroups {
    rotations: Vec<LatticeGroup>,
    /// One per group of rotations.
    references: Vec<References>,
    translations: Vec<LatticeGroup>,
    scales: Vec<LatticeGroup>,
}

/// The place of a sample, or of two neighbouring samples to blend.
pub struct Spot<'a> {
    pub bytes: &'a [u8],
    pub alpha: f32,
    pub nodes: (Node, Node),
    /// First bits of the rows of anchors before and after.
    pub anchors: (usize, usize),
    pub is_uneven: bool,
    /// First bit of the row of the middle sample's residual.
    pub middle: usize,
    /// First bit of the row of the other residual.
    pub fine: usize,
    /// True if the other residual is that of a sample after the middle.
    pub is_late: bool,
    /// Bits of residuals with code [`WIDE`], above [`WIDE`] itself.
    pub wide_more: u64,
}

impl TrackGroup<EIGHT> for LatticeGroup {
    #[inline(always)]
    fn joints(&self) -> &[u16; EIGHT] {
        &self.joints
    }
}

impl LatticeGroups {
    /// The groups of a head's tracks, and the bits of a row of their anchors.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn of(head: &Head) -> Result<(Self, u32), NoMemory> {
        let mut out =
            Self { rotations: Vec::new(), references: Vec::new(), translations: Vec::new(), scales: Vec::new() };
        let mut row_bits = 0;
        for channel in Channel::ALL {
            let tracks = head.of_channel(channel);
            let count = tracks.len().div_ceil(EIGHT);
            let groups = match channel {
                Channel::Rotation => {
                    out.references = with_room(count)?;
                    out.references.extend(tracks.chunks(EIGHT).map(references_of));
                    &mut out.rotations
                }
                Channel::Translation => &mut out.translations,
                Channel::Scale => &mut out.scales,
            };
            *groups = with_room(count)?;
            groups.extend(tracks.chunks(EIGHT).map(|tracks| LatticeGroup::new(tracks, &mut row_bits)));
        }
        Ok((out, row_bits))
    }

    /// Number of groups.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.rotations.len() + self.translations.len() + self.scales.len()
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        self.count() * size_of::<LatticeGroup>() + size_of_val(&self.references[..])
    }
}

fn references_of(tracks: &[Record]) -> References {
    let mut out = NO_REFERENCES;
    for (lane, track) in tracks.iter().enumerate() {
        let key = packed(track.reference, REFERENCE_BITS);
        let reference = LATTICE_REFERENCE.read(&key, 0, &Range3::UNIT).to_array();
        for (numbers, number) in out.iter_mut().zip(reference) {
            numbers[lane] = number;
        }
    }
    out
}

impl LatticeGroup {
    /// The group of up to eight tracks of a channel. `row_bits` has the bits of a row of anchors so far, and is updated.
    fn new(tracks: &[Record], row_bits: &mut u32) -> Self {
        let mut anchors = [PackedIntegers { at: *row_bits, widths: [0; 3] }; EIGHT];
        let mut out = Self {
            joints: [tracks[0].joint as u16; EIGHT],
            tracks: tracks.len() as u8,
            is_scale: tracks[0].channel == Channel::Scale,
            steps: [[0.0; EIGHT]; 3],
            anchors: RowPlaces::new(&anchors[..0]),
            lowest: [[0; EIGHT]; 3],
        };
        for (lane, track) in tracks.iter().enumerate() {
            out.joints[lane] = track.joint as u16;
            anchors[lane] = PackedIntegers { at: *row_bits, widths: track.anchors.map(|range| range.bits as u8) };
            *row_bits += anchors[lane].bits();
            for i in 0..3 {
                out.steps[i][lane] = lattice_step(track.codes[i], track.is_rotation());
                out.lowest[i][lane] = track.anchors[i].lowest;
            }
        }
        out.anchors = RowPlaces::new(&anchors[..tracks.len()]);
        out
    }
}

/// Tracks of a group from `first` on, as many as a register holds.
#[derive(Clone, Copy)]
struct Tracks<'a> {
    group: &'a LatticeGroup,
    references: &'a References,
    first: usize,
}

impl Tracks<'_> {
    /// Reads the anchors of the row that starts at bit `row`.
    #[inline(always)]
    fn anchors<I: Ints>(self, bytes: &[u8], row: usize) -> Three<I> {
        let [x, y, z] = &self.group.lowest;
        let lowest = [I::load(x, self.first), I::load(y, self.first), I::load(z, self.first)];
        self.group.anchors.read::<I>(self.first, bytes, row).plus(lowest)
    }

    /// The integers times the steps.
    #[inline(always)]
    fn scaled<I: Ints>(self, [x, y, z]: Three<I>) -> [I::Real; 3] {
        let [a, b, c] = &self.group.steps;
        [x.real() * I::reals(a, self.first), y.real() * I::reals(b, self.first), z.real() * I::reals(c, self.first)]
    }

    /// Passes the keys of wanted joints to `put`, the first track last: see [`TrackGroup::joints`]. `keys` returns four keys.
    #[inline(always)]
    fn put<I: Ints, T: Copy>(
        self,
        out: &mut PoseSlice<'_>,
        keys: impl Fn(usize) -> [T; LANES],
        put: impl Fn(&mut Transform, T),
    ) {
        let mut room = [0; EIGHT];
        let joints = out.wanted_of(&self.group.joints, &mut room);
        for quad in (0..I::WIDTH / LANES).rev() {
            let (keys, first) = (keys(quad), (self.first + LANES * quad) % EIGHT);
            each_lane([3, 2, 1, 0], |lane| {
                out.room(usize::from(joints[first + lane])).into_iter().for_each(|out| put(out, keys[lane]));
            });
        }
    }

    /// The rotations of integers, as x, y, z and w.
    #[inline(always)]
    fn rotations<I: Ints>(self, integers: Three<I>) -> [I::Real; 4] {
        let ([x, y, z, w], first) = (self.references, self.first);
        let references = [I::reals(x, first), I::reals(y, first), I::reals(z, first), I::reals(w, first)];
        quat_mul(references, rodrigues_unmap(self.scaled::<I>(integers)))
    }
}

impl Spot<'_> {
    /// Samples the wanted joints. `places` has the places of the residuals of all groups in the segment; it is empty for clips of one
    /// sample.
    #[inline(always)]
    pub fn put<I: Ints>(&self, groups: &LatticeGroups, places: &[PackedGroup], out: &mut PoseSlice<'_>) {
        let LatticeGroups { rotations, references, translations, scales } = groups;
        let from = |group: usize| places.get(group..).unwrap_or_default();
        self.channel::<Rotations, I>(rotations, references, places, out);
        // One loop, so that their code is there once.
        let first = rotations.len();
        for (groups, places) in [(translations, from(first)), (scales, from(first + translations.len()))] {
            self.channel::<Vectors, I>(groups, &[], places, out);
        }
    }

    #[inline(always)]
    fn channel<C: LatticeChannel, I: Ints>(
        &self,
        groups: &[LatticeGroup],
        references: &[References],
        places: &[PackedGroup],
        out: &mut PoseSlice<'_>,
    ) {
        let mut left = groups_of(out, groups);
        while let Some(run) = next_run(groups, &mut left, out) {
            for (number, group) in run.clone().zip(&groups[run]) {
                let places = if self.is_on_anchors() { None } else { places.get(number) };
                let rows = places.map(|places| [places.row(0, self.wide_more), places.row(1, self.wide_more)]);
                let references = references.get(number).unwrap_or(&NO_REFERENCES);
                let registers = if usize::from(group.tracks) > I::WIDTH { EIGHT / I::WIDTH } else { 1 };
                for register in (0..registers).rev() {
                    let tracks = Tracks { group, references, first: register * I::WIDTH };
                    let (a, b) = self.both::<I>(tracks, rows.as_ref());
                    C::put::<I>(tracks, a, if self.alpha > 0.0 { Some(b) } else { None }, self.alpha, out);
                }
            }
        }
    }

    /// The integers of both samples. `rows` has the places of residuals; none are needed on anchors.
    #[inline(always)]
    fn both<I: Ints>(&self, tracks: Tracks<'_>, rows: Option<&[RowPlaces; 2]>) -> (Three<I>, Three<I>) {
        let start = tracks.anchors::<I>(self.bytes, self.anchors.0);
        let end = if self.nodes.1 == Node::Start { start } else { tracks.anchors(self.bytes, self.anchors.1) };
        let Some([middles, fines]) = rows else {
            return (if self.nodes.0 == Node::End { end } else { start }, end);
        };
        let residual = middles.residuals::<I>(tracks.first, self.bytes, self.middle);
        let middle = predict_middle(start, end, self.is_uneven).plus(residual);
        match self.nodes {
            (Node::Start, Node::Middle) => return (start, middle),
            (Node::Middle, Node::End) => return (middle, end),
            (Node::Middle, Node::Middle) => return (middle, middle),
            _ => {}
        }
        let (before, after) = if self.is_late { (middle, end) } else { (start, middle) };
        let own = fines.residuals::<I>(tracks.first, self.bytes, self.fine);
        let fine = predict_fine(before, after, residual).plus(own);
        if self.nodes.0 == Node::Fine { (fine, after) } else { (before, fine) }
    }

    /// True if both samples are anchors, so that no residual is needed.
    #[inline(always)]
    fn is_on_anchors(&self) -> bool {
        let is_anchor = |node| matches!(node, Node::Start | Node::End);
        is_anchor(self.nodes.0) && is_anchor(self.nodes.1)
    }
}

/// Conversion of integers to the values of a channel.
trait LatticeChannel {
    /// Writes the values of integers `a`, or their blend with `b`, to the wanted joints.
    fn put<I: Ints>(tracks: Tracks<'_>, a: Three<I>, b: Option<Three<I>>, alpha: f32, out: &mut PoseSlice<'_>);
}

struct Rotations;
struct Vectors;

impl LatticeChannel for Rotations {
    #[inline(always)]
    fn put<I: Ints>(tracks: Tracks<'_>, a: Three<I>, b: Option<Three<I>>, alpha: f32, out: &mut PoseSlice<'_>) {
        let a = tracks.rotations::<I>(a);
        let [x, y, z, w] = if let Some(b) = b { nlerp_lanes(a, tracks.rotations::<I>(b), alpha) } else { a };
        let keys = |quad| rotations([I::quad(x, quad), I::quad(y, quad), I::quad(z, quad), I::quad(w, quad)]);
        tracks.put::<I, _>(out, keys, |out, q| out.rotation = q);
    }
}

impl LatticeChannel for Vectors {
    #[inline(always)]
    fn put<I: Ints>(tracks: Tracks<'_>, a: Three<I>, b: Option<Three<I>>, alpha: f32, out: &mut PoseSlice<'_>) {
        let a = tracks.scaled::<I>(a);
        let [x, y, z] = if let Some(b) = b { lerp_lanes(a, tracks.scaled::<I>(b), alpha) } else { a };
        let keys = |quad| vectors([I::quad(x, quad), I::quad(y, quad), I::quad(z, quad)]);
        let is_scale = tracks.group.is_scale;
        tracks.put::<I, _>(out, keys, |out, v| *(if is_scale { &mut out.scale } else { &mut out.translation }) = v);
    }
}
