//! Decoding of tracks on lattices, in groups of eight.

use super::layout::{Layout, Node, WIDE, predict_fine, predict_middle};
use super::records::LatticeTrack;
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{
    EIGHT, Ints, LANES, Transform, Whole, each_lane, each_of_eight, lerp_lanes, nlerp_lanes, quat_mul, rodrigues_unmap,
};
use crate::memory::{NoMemory, TryList};
use crate::parts::{PayloadEnd, PoseSlice, TrackGroup, groups_of, next_run, read_width, rotations, vectors, word};
use alloc::vec::Vec;
use glam::Vec3;

/// Usable bits of a word: 64 minus up to 7 bits before the row and 7 before the track's first integer.
const NARROW_BITS: u32 = 64 - 7 - 7;

/// Eight animated tracks of a channel. A last group with fewer tracks repeats its first track.
#[derive(Debug)]
pub struct LatticeGroup {
    joints: [usize; EIGHT],
    tracks: usize,
    steps: [[f32; EIGHT]; 3],
    /// Rotations that rotation tracks are relative to.
    references: [[f32; EIGHT]; 4],
    anchors: RowLanes,
    /// Values of zero bits of anchors.
    lowest: [[i32; EIGHT]; 3],
}

/// Places of the residuals of eight tracks in the rows of a segment.
#[derive(Debug)]
pub struct PackedGroup {
    middle: RowLanes,
    fine: RowLanes,
}

/// Place of a track's three integers in a row: bits from the start of the row, and the width of each.
#[derive(Debug, Clone, Copy)]
pub struct PackedIntegers {
    pub at: u32,
    pub widths: [u8; 3],
}

impl PackedIntegers {
    /// The stored integers in the row that starts at bit `row`.
    pub fn read(&self, bytes: &[u8], row: usize) -> [i32; 3] {
        let mut at = row + self.at as usize;
        self.widths.map(|width| {
            at += usize::from(width);
            bits_at(bytes, at - usize::from(width), width.into()) as i32
        })
    }
}

/// [`PackedIntegers`] of eight tracks, in the form that decodes fastest.
#[derive(Debug, Clone, Copy)]
struct RowLanes {
    /// Bits from the start of the row to the first track.
    first_bit: u32,
    /// Distance from there to each track: whole bytes, and the remaining bits.
    byte: [u8; EIGHT],
    bit: [u8; EIGHT],
    widths: [[u8; EIGHT]; 3],
    /// True if some track has too many bits for one word.
    is_wide: bool,
}

/// The place of a sample, or of two neighbouring samples to blend.
pub struct Spot<'a> {
    pub bytes: &'a [u8],
    pub end: &'a PayloadEnd,
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
}

/// Three integers per track, for all tracks of a register.
type Three<I> = [I; 3];

/// An array of three from their indices.
#[inline(always)]
fn three<T>(f: impl Fn(usize) -> T) -> [T; 3] {
    [f(0), f(1), f(2)]
}

impl TrackGroup<EIGHT> for LatticeGroup {
    #[inline(always)]
    fn joints(&self) -> &[usize; EIGHT] {
        &self.joints
    }
}

/// The item of a lane; the first item for missing lanes.
fn lane_of<T>(items: &[T], lane: usize) -> &T {
    items.get(lane).unwrap_or(&items[0])
}

impl LatticeGroup {
    /// Groups of the tracks of a channel.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn groups(tracks: &[LatticeTrack]) -> Result<Vec<Self>, NoMemory> {
        tracks.chunks(EIGHT).map(Self::new).try_list()
    }

    fn new(tracks: &[LatticeTrack]) -> Self {
        let of = |lane: usize| lane_of(tracks, lane);
        let anchors = each_of_eight(|lane| of(lane).anchors);
        Self {
            joints: each_of_eight(|lane| of(lane).joint),
            tracks: tracks.len(),
            steps: three(|i| each_of_eight(|lane| of(lane).steps[i])),
            references: [0, 1, 2, 3].map(|i| each_of_eight(|lane| of(lane).reference.to_array()[i])),
            anchors: RowLanes::new(&anchors[..tracks.len()]),
            lowest: three(|i| each_of_eight(|lane| of(lane).lowest[i])),
        }
    }
}

impl PackedGroup {
    /// Reads the widths of up to eight tracks in a segment. `codes` has the width codes of the segment before, and is updated. `bits` has
    /// the bits so far of a row of middle samples and of a row of others, and is updated.
    pub fn read(
        input: &mut BitReader<'_>,
        layout: &Layout,
        codes: &mut [[[u32; 2]; 3]],
        bits: &mut [u32; 2],
    ) -> Result<Self, DecodeError> {
        let mut places = [PackedIntegers { at: 0, widths: [0; 3] }; 2].map(|place| [place; EIGHT]);
        for (track, codes) in codes.iter_mut().enumerate() {
            for i in 0..2 {
                places[i][track].at = bits[i];
            }
            for (component, codes) in codes.iter_mut().enumerate() {
                *codes = [read_width(input, codes[0], WIDE)?, read_width(input, codes[1], WIDE)?];
                for i in 0..2 {
                    let width = layout.width(codes[i]);
                    places[i][track].widths[component] = width as u8;
                    bits[i] += width;
                }
            }
        }
        let [middles, fines] = places.each_ref().map(|places| RowLanes::new(&places[..codes.len()]));
        Ok(Self { middle: middles, fine: fines })
    }
}

impl RowLanes {
    fn new(places: &[PackedIntegers]) -> Self {
        let of = |lane: usize| lane_of(places, lane);
        let offset = |lane: usize| of(lane).at - places[0].at;
        let bits = |place: &PackedIntegers| place.widths.into_iter().map(u32::from).sum::<u32>();
        Self {
            first_bit: places[0].at,
            byte: each_of_eight(|lane| (offset(lane) / 8) as u8),
            bit: each_of_eight(|lane| (offset(lane) % 8) as u8),
            widths: three(|i| each_of_eight(|lane| of(lane).widths[i])),
            is_wide: places.iter().any(|place| bits(place) > NARROW_BITS),
        }
    }

    /// The stored integers of the row that starts at bit `row`, from track `first` on.
    #[inline(always)]
    fn read<I: Ints>(&self, first: usize, spot: &Spot<'_>, row: usize) -> Three<I> {
        let at = row + self.first_bit as usize;
        if self.is_wide {
            let [x, y, z] = &self.read_wide(spot.bytes, at);
            return [I::load(x, first), I::load(y, first), I::load(z, first)];
        }
        let (window, [a, b, c]) = (spot.end.window(spot.bytes, at / 8), &self.widths);
        let words = I::words(first, |track| word(window, self.byte[track]));
        let x = I::skip(words, &self.bit, first, (at % 8) as u32);
        let y = I::skip(x, a, first, 0);
        let z = I::skip(y, b, first, 0);
        [I::lowest(x, a, first), I::lowest(y, b, first), I::lowest(z, c, first)]
    }

    /// Like [`RowLanes::read`], for tracks of any width, one by one.
    #[cold]
    fn read_wide(&self, bytes: &[u8], at: usize) -> [[i32; EIGHT]; 3] {
        let mut out = [[0; EIGHT]; 3];
        for lane in 0..EIGHT {
            let mut at = at + 8 * usize::from(self.byte[lane]) + usize::from(self.bit[lane]);
            for (out, widths) in out.iter_mut().zip(&self.widths) {
                out[lane] = bits_at(bytes, at, widths[lane].into()) as i32;
                at += usize::from(widths[lane]);
            }
        }
        out
    }

    /// Like [`RowLanes::read`], for residuals, which are stored with [half their range](super::layout::residual_bias) added.
    #[inline(always)]
    fn residuals<I: Ints>(&self, first: usize, spot: &Spot<'_>, row: usize) -> Three<I> {
        let [a, b, c] = &self.widths;
        self.read::<I>(first, spot, row).minus([I::half_of(a, first), I::half_of(b, first), I::half_of(c, first)])
    }
}

/// Tracks of a group from `first` on, as many as a register holds.
#[derive(Clone, Copy)]
struct Tracks<'a> {
    group: &'a LatticeGroup,
    first: usize,
}

impl Tracks<'_> {
    /// Reads the anchors of a row.
    #[inline(always)]
    fn anchors<I: Ints>(self, spot: &Spot<'_>, row: usize) -> Three<I> {
        let [x, y, z] = &self.group.lowest;
        let lowest = [I::load(x, self.first), I::load(y, self.first), I::load(z, self.first)];
        self.group.anchors.read::<I>(self.first, spot, row).plus(lowest)
    }

    /// The integers times the steps.
    #[inline(always)]
    fn scaled<I: Ints>(self, [x, y, z]: Three<I>) -> [I::Real; 3] {
        let [a, b, c] = &self.group.steps;
        [x.real() * I::reals(a, self.first), y.real() * I::reals(b, self.first), z.real() * I::reals(c, self.first)]
    }

    /// The rotations of integers, as x, y, z and w.
    #[inline(always)]
    fn rotations<I: Ints>(self, integers: Three<I>) -> [I::Real; 4] {
        let ([x, y, z, w], first) = (&self.group.references, self.first);
        let references = [I::reals(x, first), I::reals(y, first), I::reals(z, first), I::reals(w, first)];
        quat_mul(references, rodrigues_unmap(self.scaled::<I>(integers)))
    }

    /// Passes the keys of wanted joints to `put`. `keys` returns four keys.
    #[inline(always)]
    fn put<I: Ints, T: Copy>(
        self,
        out: &mut PoseSlice<'_>,
        keys: impl Fn(usize) -> [T; LANES],
        put: impl Fn(&mut Transform, T),
    ) {
        let mut room = [0; EIGHT];
        let joints = out.wanted_of(&self.group.joints, &mut room);
        for quad in 0..I::WIDTH / LANES {
            let (keys, first) = (keys(quad), (self.first + LANES * quad) % EIGHT);
            each_lane([0, 1, 2, 3], |lane| {
                out.room(joints[first + lane]).into_iter().for_each(|out| put(out, keys[lane]));
            });
        }
    }
}

impl Spot<'_> {
    /// Samples the wanted joints. `groups` has the groups of each channel. `places` has the places of their residuals in the segment, in
    /// the same order; it is empty for clips of one sample.
    #[inline(always)]
    pub fn put<I: Ints>(&self, groups: &[Vec<LatticeGroup>; 3], places: &[PackedGroup], out: &mut PoseSlice<'_>) {
        let [rotations, translations, scales] = groups;
        let from = |group: usize| places.get(group..).unwrap_or_default();
        self.channel::<Rotations, I>(rotations, places, out);
        self.channel::<Translations, I>(translations, from(rotations.len()), out);
        self.channel::<Scales, I>(scales, from(rotations.len() + translations.len()), out);
    }

    #[inline(always)]
    fn channel<C: LatticeChannel, I: Ints>(
        &self,
        groups: &[LatticeGroup],
        places: &[PackedGroup],
        out: &mut PoseSlice<'_>,
    ) {
        let mut left = groups_of(out, groups);
        while let Some(run) = next_run(groups, &mut left, out) {
            for (number, group) in run.clone().zip(&groups[run]) {
                let (places, mut tracks) = (places.get(number), Tracks { group, first: 0 });
                while tracks.first < group.tracks {
                    let (a, b) = self.both::<I>(tracks, places);
                    C::put::<I>(tracks, a, if self.alpha > 0.0 { Some(b) } else { None }, self.alpha, out);
                    tracks.first += I::WIDTH;
                }
            }
        }
    }

    /// The integers of both samples.
    #[inline(always)]
    fn both<I: Ints>(&self, tracks: Tracks<'_>, places: Option<&PackedGroup>) -> (Three<I>, Three<I>) {
        let start = tracks.anchors::<I>(self, self.anchors.0);
        let end = if self.nodes.1 == Node::Start { start } else { tracks.anchors(self, self.anchors.1) };
        let (false, Some(places)) = (self.is_on_anchors(), places) else {
            return (if self.nodes.0 == Node::End { end } else { start }, end);
        };
        let residual = places.middle.residuals::<I>(tracks.first, self, self.middle);
        let middle = predict_middle(start, end, self.is_uneven).plus(residual);
        match self.nodes {
            (Node::Start, Node::Middle) => return (start, middle),
            (Node::Middle, Node::End) => return (middle, end),
            (Node::Middle, Node::Middle) => return (middle, middle),
            _ => {}
        }
        let (before, after) = if self.is_late { (middle, end) } else { (start, middle) };
        let own = places.fine.residuals::<I>(tracks.first, self, self.fine);
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
struct Translations;
struct Scales;

impl LatticeChannel for Rotations {
    #[inline(always)]
    fn put<I: Ints>(tracks: Tracks<'_>, a: Three<I>, b: Option<Three<I>>, alpha: f32, out: &mut PoseSlice<'_>) {
        let a = tracks.rotations::<I>(a);
        let [x, y, z, w] = if let Some(b) = b { nlerp_lanes(a, tracks.rotations::<I>(b), alpha) } else { a };
        let keys = |quad| rotations([I::quad(x, quad), I::quad(y, quad), I::quad(z, quad), I::quad(w, quad)]);
        tracks.put::<I, _>(out, keys, |out, q| out.rotation = q);
    }
}

impl LatticeChannel for Translations {
    #[inline(always)]
    fn put<I: Ints>(tracks: Tracks<'_>, a: Three<I>, b: Option<Three<I>>, alpha: f32, out: &mut PoseSlice<'_>) {
        put_vectors::<I>(tracks, (a, b), alpha, out, |out, v| out.translation = v);
    }
}

impl LatticeChannel for Scales {
    #[inline(always)]
    fn put<I: Ints>(tracks: Tracks<'_>, a: Three<I>, b: Option<Three<I>>, alpha: f32, out: &mut PoseSlice<'_>) {
        put_vectors::<I>(tracks, (a, b), alpha, out, |out, v| out.scale = v);
    }
}

#[inline(always)]
fn put_vectors<I: Ints>(
    tracks: Tracks<'_>,
    (a, b): (Three<I>, Option<Three<I>>),
    alpha: f32,
    out: &mut PoseSlice<'_>,
    put: impl Fn(&mut Transform, Vec3),
) {
    let a = tracks.scaled::<I>(a);
    let [x, y, z] = if let Some(b) = b { lerp_lanes(a, tracks.scaled::<I>(b), alpha) } else { a };
    tracks.put::<I, _>(out, |quad| vectors([I::quad(x, quad), I::quad(y, quad), I::quad(z, quad)]), put);
}

#[cfg(test)]
mod tests {
    use super::super::layout::residual_bias;
    use super::*;
    use crate::math::{Kernel, Quad, numbers_of, run};
    use proptest::prelude::*;

    /// Reads the residuals of a row.
    struct Row<'a> {
        lanes: &'a RowLanes,
        spot: &'a Spot<'a>,
        row: usize,
        out: &'a mut [[i32; EIGHT]; 3],
    }

    impl Kernel for Row<'_> {
        #[inline(always)]
        fn run<I: Ints>(self) {
            for first in (0..EIGHT).step_by(I::WIDTH) {
                let residuals = self.lanes.residuals::<I>(first, self.spot, self.row);
                for (out, residuals) in self.out.iter_mut().zip(residuals) {
                    out[first..][..I::WIDTH].copy_from_slice(&numbers_of(residuals));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn residuals_are_read_however_wide_they_are(
            bytes in prop::collection::vec(any::<u8>(), 0..400), row in 0usize..3500, first_bit in 0u32..60,
            widths in prop::collection::vec(prop::array::uniform3(prop_oneof![0u8..32, 0u8..17]), 1..=EIGHT),
        ) {
            let mut at = first_bit;
            let place = |widths: &[u8; 3]| {
                let place = PackedIntegers { at, widths: *widths };
                at += widths.iter().map(|width| u32::from(*width)).sum::<u32>();
                place
            };
            let places: Vec<PackedIntegers> = widths.iter().map(place).collect();
            let (bytes, end, lanes) = (&bytes, &PayloadEnd::new(&bytes), &RowLanes::new(&places));
            let (nodes, anchors) = ((Node::Start, Node::Start), (0, 0));
            let spot = &Spot { bytes, end, alpha: 0.0, nodes, anchors, is_uneven: false, middle: 0, fine: 0, is_late: false };
            let (mut fast, mut portable) = ([[0; EIGHT]; 3], [[0; EIGHT]; 3]);
            run(Row { lanes, spot, row, out: &mut fast });
            Row { lanes, spot, row, out: &mut portable }.run::<Quad>();
            prop_assert_eq!(fast, portable);
            for (lane, place) in (0..EIGHT).map(|lane| (lane, lane_of(&places, lane))) {
                let stored = place.read(bytes, row);
                for (component, width) in place.widths.into_iter().enumerate() {
                    let expected = stored[component] - residual_bias(width);
                    prop_assert_eq!(fast[component][lane], expected, "track {} of {:?}", lane, places);
                }
            }
        }
    }
}
