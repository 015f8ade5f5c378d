//! Decoding of tracks on lattices, in groups of eight.

use super::layout::{Layout, Node, WIDE, predict_fine, predict_middle};
use super::records::LatticeTrack;
use crate::format::{BitReader, DecodeError, bits_at};
use crate::math::{
    EIGHT, Ints, LANES, Transform, Whole, each_lane, each_of_eight, lerp_lanes, nlerp_lanes, quat_mul, rodrigues_unmap,
};
use crate::memory::{NoMemory, TryList};
use crate::parts::{PoseSlice, Tail, TrackGroup, groups_of, next_run, read_width, rotations, vectors, word};
use alloc::vec::Vec;
use glam::Vec3;

/// Usable bits of a word: 64 minus up to 7 bits before the row and 7 before the track's first integer.
const NARROW_BITS: u32 = 64 - 7 - 7;

/// Eight animated tracks of a channel. A last group with fewer tracks repeats its first joint.
#[derive(Debug)]
pub struct LatticeGroup<R> {
    joints: [u16; EIGHT],
    tracks: u8,
    steps: [[f32; EIGHT]; 3],
    references: R,
    anchors: RowPlaces,
    /// Values of zero bits of anchors.
    lowest: [[i32; EIGHT]; 3],
}

/// The rotations that rotation tracks are relative to: x, y, z and w.
pub type References = [[f32; EIGHT]; 4];

/// The groups of all channels.
#[derive(Debug)]
pub struct LatticeGroups {
    rotations: Vec<LatticeGroup<References>>,
    translations: Vec<LatticeGroup<()>>,
    scales: Vec<LatticeGroup<()>>,
}

/// Width codes of the residuals of eight tracks in the rows of a segment. Missing tracks have no bits.
#[derive(Debug)]
pub struct PackedGroup {
    /// Per row (of middle samples, of others), the bits from its start to the first track, with [`HAS_WIDE`] and [`MANY_BITS`].
    first_bits: [u32; 2],
    /// Per row and track, the width codes of x and y, four bits each.
    xy: [[u8; EIGHT]; 2],
    /// Per track, the width codes of z in both rows.
    z: [u8; EIGHT],
}

/// Flag beside the first bit of a row: some width code is [`WIDE`].
const HAS_WIDE: u32 = 1 << 31;
/// Flag beside the first bit of a row: some track has more than [`NARROW_BITS`].
const MANY_BITS: u32 = 1 << 30;

/// Place of a track's three integers in a row: bits from the start of the row, and the width of each.
#[derive(Debug, Clone, Copy)]
pub struct PackedIntegers {
    pub at: u32,
    pub widths: [u8; 3],
}

impl PackedIntegers {
    fn bits(&self) -> u32 {
        self.widths.into_iter().map(u32::from).sum()
    }

    /// The stored integers in the row that starts at bit `row`.
    pub fn read(&self, bytes: &[u8], row: usize) -> [i32; 3] {
        let mut at = row + self.at as usize;
        self.widths.map(|width| {
            at += usize::from(width);
            bits_at(bytes, at - usize::from(width), width.into()) as i32
        })
    }
}

/// Places of the three integers of eight tracks in a row, in the form that decodes fastest. Missing tracks have no bits.
#[derive(Debug, Clone, Copy)]
struct RowPlaces {
    /// Bits from the start of the row to the first track, with [`MANY_BITS`].
    first_bit: u32,
    /// Distance from there to each track: whole bytes, and the remaining bits.
    byte: [u8; EIGHT],
    bit: [u8; EIGHT],
    widths: [[u8; EIGHT]; 3],
}

/// Places of the integers of as many tracks as a register holds.
#[derive(Clone, Copy)]
struct Places<I> {
    /// Bits from the start of the row to the first of the eight tracks, with the flags.
    first_bit: u32,
    /// Distance from there to each of the eight tracks: whole bytes, and the remaining bits.
    byte: [u8; EIGHT],
    bit: I,
    widths: Three<I>,
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

/// Three integers per track, for all tracks of a register.
type Three<I> = [I; 3];

/// An array of three from their indices.
#[inline(always)]
fn three<T>(f: impl Fn(usize) -> T) -> [T; 3] {
    [f(0), f(1), f(2)]
}

impl<R> TrackGroup<EIGHT> for LatticeGroup<R> {
    #[inline(always)]
    fn joints(&self) -> &[u16; EIGHT] {
        &self.joints
    }
}

/// The flag of a track with that many bits.
fn flag_of(bits: u32) -> u32 {
    if bits > NARROW_BITS { MANY_BITS } else { 0 }
}

/// The item of a lane; the first item for missing lanes.
fn lane_of<T>(items: &[T], lane: usize) -> &T {
    items.get(lane).unwrap_or(&items[0])
}

impl LatticeGroups {
    /// Groups of the tracks of each channel.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new([rotations, translations, scales]: &[Vec<LatticeTrack>; 3]) -> Result<Self, NoMemory> {
        let references = |tracks: &[LatticeTrack]| {
            [0, 1, 2, 3].map(|i| each_of_eight(|lane| lane_of(tracks, lane).reference.to_array()[i]))
        };
        Ok(Self {
            rotations: LatticeGroup::all(rotations, references)?,
            translations: LatticeGroup::all(translations, |_| ())?,
            scales: LatticeGroup::all(scales, |_| ())?,
        })
    }

    /// Number of groups.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.rotations.len() + self.translations.len() + self.scales.len()
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.rotations[..]) + size_of_val(&self.translations[..]) + size_of_val(&self.scales[..])
    }
}

impl<R> LatticeGroup<R> {
    fn all(tracks: &[LatticeTrack], references: impl Fn(&[LatticeTrack]) -> R) -> Result<Vec<Self>, NoMemory> {
        tracks.chunks(EIGHT).map(|tracks| Self::new(tracks, references(tracks))).try_list()
    }

    fn new(tracks: &[LatticeTrack], references: R) -> Self {
        let of = |lane: usize| lane_of(tracks, lane);
        let anchors = each_of_eight(|lane| of(lane).anchors);
        Self {
            joints: each_of_eight(|lane| of(lane).joint as u16),
            tracks: tracks.len() as u8,
            steps: three(|i| each_of_eight(|lane| of(lane).steps[i])),
            references,
            anchors: RowPlaces::new(&anchors[..tracks.len()]),
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
        let mut out = Self { first_bits: *bits, xy: [[0; EIGHT]; 2], z: [0; EIGHT] };
        for (track, codes) in codes.iter_mut().enumerate() {
            for codes in &mut *codes {
                *codes = [read_width(input, codes[0], WIDE)?, read_width(input, codes[1], WIDE)?];
            }
            for row in [0, 1] {
                bits[row] += out.set(row, track, three(|component| codes[component][row]), layout);
            }
        }
        Ok(out)
    }

    /// Sets the width codes of a track in a row. Returns its bits.
    fn set(&mut self, row: usize, track: usize, [x, y, z]: [u32; 3], layout: &Layout) -> u32 {
        let bits = layout.width(x) + layout.width(y) + layout.width(z);
        self.xy[row][track] = (x | y << 4) as u8;
        self.z[track] |= (z << (4 * row)) as u8;
        self.first_bits[row] |= if [x, y, z].contains(&WIDE) { HAS_WIDE } else { 0 } | flag_of(bits);
        bits
    }

    /// Places in a row (0: of middle samples, 1: of others), from track `first` on. `more` is the number of bits of residuals with code
    /// [`WIDE`] above [`WIDE`] itself.
    #[inline(always)]
    fn places<I: Ints>(&self, row: usize, first: usize, more: u64) -> Places<I> {
        const LOW: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        const SEVENS: u64 = 0x0707_0707_0707_0707;
        /// Times this, each byte becomes the sum of those before it.
        const BEFORE: u64 = 0x0101_0101_0101_0100;
        let first_bit = self.first_bits[row];
        let (xy, z) = (u64::from_le_bytes(self.xy[row]), u64::from_le_bytes(self.z));
        let mut widths = [xy & LOW, xy >> 4 & LOW, z >> (4 * row) & LOW];
        if first_bit & HAS_WIDE != 0 {
            widths = [widened(widths[0], more), widened(widths[1], more), widened(widths[2], more)];
        }
        // Whole bytes and remaining bits are added up apart: all sums are below 256.
        let bits = widths[0] + widths[1] + widths[2];
        let bytes_before = (bits >> 3 & LOW).wrapping_mul(BEFORE);
        let bits_before = (bits & SEVENS).wrapping_mul(BEFORE);
        let byte = bytes_before + (bits_before >> 3 & SEVENS);
        let [x, y, z] = widths;
        Places {
            first_bit,
            byte: byte.to_le_bytes(),
            bit: I::bytes(&(bits_before & SEVENS).to_le_bytes(), first),
            widths: [
                I::bytes(&x.to_le_bytes(), first),
                I::bytes(&y.to_le_bytes(), first),
                I::bytes(&z.to_le_bytes(), first),
            ],
        }
    }
}

/// The widths of codes: `more` bits more for each [`WIDE`].
#[inline(always)]
fn widened(codes: u64, more: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    codes + ((codes + ONES) >> 4 & ONES) * more
}

impl RowPlaces {
    fn new(tracks: &[PackedIntegers]) -> Self {
        let offset = |lane: usize| tracks.get(lane).map_or(0, |track| track.at - tracks[0].at);
        Self {
            first_bit: tracks.iter().fold(tracks[0].at, |first_bit, track| first_bit | flag_of(track.bits())),
            byte: each_of_eight(|lane| (offset(lane) / 8) as u8),
            bit: each_of_eight(|lane| (offset(lane) % 8) as u8),
            widths: three(|i| each_of_eight(|lane| tracks.get(lane).map_or(0, |track| track.widths[i]))),
        }
    }

    /// Places from track `first` on.
    #[inline(always)]
    fn places<I: Ints>(&self, first: usize) -> Places<I> {
        let [x, y, z] = &self.widths;
        let widths = [I::bytes(x, first), I::bytes(y, first), I::bytes(z, first)];
        Places { first_bit: self.first_bit, byte: self.byte, bit: I::bytes(&self.bit, first), widths }
    }
}

impl<I: Ints> Places<I> {
    /// The stored integers of the row that starts at bit `row`.
    #[inline(always)]
    fn read(&self, first: usize, spot: &Spot<'_>, row: usize) -> Three<I> {
        let at = row + (self.first_bit & !(HAS_WIDE | MANY_BITS)) as usize;
        if self.first_bit & MANY_BITS != 0 {
            let [x, y, z] = self.read_wide(first, spot.bytes, at);
            return [I::load(&x, 0), I::load(&y, 0), I::load(&z, 0)];
        }
        let (mut tail, [a, b, c]) = (Tail::default(), self.widths);
        let window = tail.window(spot.bytes, at / 8);
        let words = I::words(|lane| word(window, self.byte[first + lane]));
        let x = I::skip(words, self.bit.plus(I::splat((at % 8) as i32)));
        let y = I::skip(x, a);
        let z = I::skip(y, b);
        [I::lowest(x, a), I::lowest(y, b), I::lowest(z, c)]
    }

    /// Like [`Places::read`], for tracks of any width, one by one.
    #[cold]
    fn read_wide(&self, first: usize, bytes: &[u8], at: usize) -> [[i32; EIGHT]; 3] {
        let (mut out, bits, widths) = ([[0; EIGHT]; 3], self.bit.numbers(), self.widths.map(I::numbers));
        for lane in 0..I::WIDTH {
            let mut at = at + 8 * usize::from(self.byte[first + lane]) + bits[lane] as usize;
            for (out, widths) in out.iter_mut().zip(&widths) {
                out[lane] = bits_at(bytes, at, widths[lane] as u32) as i32;
                at += widths[lane] as usize;
            }
        }
        out
    }

    /// Like [`Places::read`], for residuals, which are stored with [half their range](super::layout::residual_bias) added.
    #[inline(always)]
    fn residuals(&self, first: usize, spot: &Spot<'_>, row: usize) -> Three<I> {
        let [a, b, c] = self.widths;
        self.read(first, spot, row).minus([I::half_of(a), I::half_of(b), I::half_of(c)])
    }
}

/// Tracks of a group from `first` on, as many as a register holds.
struct Tracks<'a, R> {
    group: &'a LatticeGroup<R>,
    first: usize,
}

impl<R> Clone for Tracks<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Tracks<'_, R> {}

impl<R> Tracks<'_, R> {
    /// Values of zero bits of anchors.
    #[inline(always)]
    fn lowest<I: Ints>(self) -> Three<I> {
        let [x, y, z] = &self.group.lowest;
        [I::load(x, self.first), I::load(y, self.first), I::load(z, self.first)]
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
}

impl Tracks<'_, References> {
    /// The rotations of integers, as x, y, z and w.
    #[inline(always)]
    fn rotations<I: Ints>(self, integers: Three<I>) -> [I::Real; 4] {
        let ([x, y, z, w], first) = (&self.group.references, self.first);
        let references = [I::reals(x, first), I::reals(y, first), I::reals(z, first), I::reals(w, first)];
        quat_mul(references, rodrigues_unmap(self.scaled::<I>(integers)))
    }
}

impl Spot<'_> {
    /// Samples the wanted joints. `places` has the places of the residuals of all groups in the segment; it is empty for clips of one
    /// sample.
    #[inline(always)]
    pub fn put<I: Ints>(&self, groups: &LatticeGroups, places: &[PackedGroup], out: &mut PoseSlice<'_>) {
        let LatticeGroups { rotations, translations, scales } = groups;
        let from = |group: usize| places.get(group..).unwrap_or_default();
        self.channel::<Rotations, I>(rotations, places, out);
        self.channel::<Translations, I>(translations, from(rotations.len()), out);
        self.channel::<Scales, I>(scales, from(rotations.len() + translations.len()), out);
    }

    #[inline(always)]
    fn channel<C: LatticeChannel, I: Ints>(
        &self,
        groups: &[LatticeGroup<C::References>],
        places: &[PackedGroup],
        out: &mut PoseSlice<'_>,
    ) {
        let mut left = groups_of(out, groups);
        while let Some(run) = next_run(groups, &mut left, out) {
            for (number, group) in run.clone().zip(&groups[run]) {
                let places = if self.is_on_anchors() { None } else { places.get(number) };
                let registers = if usize::from(group.tracks) > I::WIDTH { EIGHT / I::WIDTH } else { 1 };
                for register in (0..registers).rev() {
                    let tracks = Tracks { group, first: register * I::WIDTH };
                    let (a, b) = self.both::<I, _>(tracks, places);
                    C::put::<I>(tracks, a, if self.alpha > 0.0 { Some(b) } else { None }, self.alpha, out);
                }
            }
        }
    }

    /// The integers of both samples. `places` has the places of residuals; none are needed on anchors.
    #[inline(always)]
    fn both<I: Ints, R>(&self, tracks: Tracks<'_, R>, places: Option<&PackedGroup>) -> (Three<I>, Three<I>) {
        let (anchors, lowest) = (tracks.group.anchors.places::<I>(tracks.first), tracks.lowest::<I>());
        let start = anchors.read(tracks.first, self, self.anchors.0).plus(lowest);
        let end = if self.nodes.1 == Node::Start {
            start
        } else {
            anchors.read(tracks.first, self, self.anchors.1).plus(lowest)
        };
        let Some(places) = places else {
            return (if self.nodes.0 == Node::End { end } else { start }, end);
        };
        let residual = places.places::<I>(0, tracks.first, self.wide_more).residuals(tracks.first, self, self.middle);
        let middle = predict_middle(start, end, self.is_uneven).plus(residual);
        match self.nodes {
            (Node::Start, Node::Middle) => return (start, middle),
            (Node::Middle, Node::End) => return (middle, end),
            (Node::Middle, Node::Middle) => return (middle, middle),
            _ => {}
        }
        let (before, after) = if self.is_late { (middle, end) } else { (start, middle) };
        let own = places.places::<I>(1, tracks.first, self.wide_more).residuals(tracks.first, self, self.fine);
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
    /// What a group has besides steps and anchors.
    type References;
    /// Writes the values of integers `a`, or their blend with `b`, to the wanted joints.
    fn put<I: Ints>(
        tracks: Tracks<'_, Self::References>,
        a: Three<I>,
        b: Option<Three<I>>,
        alpha: f32,
        out: &mut PoseSlice<'_>,
    );
}

struct Rotations;
struct Translations;
struct Scales;

impl LatticeChannel for Rotations {
    type References = References;

    #[inline(always)]
    fn put<I: Ints>(
        tracks: Tracks<'_, References>,
        a: Three<I>,
        b: Option<Three<I>>,
        alpha: f32,
        out: &mut PoseSlice<'_>,
    ) {
        let a = tracks.rotations::<I>(a);
        let [x, y, z, w] = if let Some(b) = b { nlerp_lanes(a, tracks.rotations::<I>(b), alpha) } else { a };
        let keys = |quad| rotations([I::quad(x, quad), I::quad(y, quad), I::quad(z, quad), I::quad(w, quad)]);
        tracks.put::<I, _>(out, keys, |out, q| out.rotation = q);
    }
}

impl LatticeChannel for Translations {
    type References = ();

    #[inline(always)]
    fn put<I: Ints>(tracks: Tracks<'_, ()>, a: Three<I>, b: Option<Three<I>>, alpha: f32, out: &mut PoseSlice<'_>) {
        put_vectors::<I>(tracks, (a, b), alpha, out, |out, v| out.translation = v);
    }
}

impl LatticeChannel for Scales {
    type References = ();

    #[inline(always)]
    fn put<I: Ints>(tracks: Tracks<'_, ()>, a: Three<I>, b: Option<Three<I>>, alpha: f32, out: &mut PoseSlice<'_>) {
        put_vectors::<I>(tracks, (a, b), alpha, out, |out, v| out.scale = v);
    }
}

#[inline(always)]
fn put_vectors<I: Ints>(
    tracks: Tracks<'_, ()>,
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
    use crate::math::{Kernel, Quad, run};
    use proptest::prelude::*;

    /// Reads the residuals of a row.
    struct Row<'a> {
        group: &'a PackedGroup,
        row: usize,
        spot: &'a Spot<'a>,
        at: usize,
        out: &'a mut [[i32; EIGHT]; 3],
    }

    impl Kernel for Row<'_> {
        #[inline(always)]
        fn run<I: Ints>(self) {
            for first in (0..EIGHT).step_by(I::WIDTH) {
                let places = self.group.places::<I>(self.row, first, self.spot.wide_more);
                for (out, residuals) in self.out.iter_mut().zip(places.residuals(first, self.spot, self.at)) {
                    out[first..][..I::WIDTH].copy_from_slice(&residuals.numbers()[..I::WIDTH]);
                }
            }
        }
    }

    /// Reads anchors of a row.
    struct Anchors<'a>(&'a RowPlaces, &'a Spot<'a>, usize, &'a mut [[i32; EIGHT]; 3]);

    impl Kernel for Anchors<'_> {
        #[inline(always)]
        fn run<I: Ints>(self) {
            for first in (0..EIGHT).step_by(I::WIDTH) {
                let places = self.0.places::<I>(first);
                for (out, anchors) in self.3.iter_mut().zip(places.read(first, self.1, self.2)) {
                    out[first..][..I::WIDTH].copy_from_slice(&anchors.numbers()[..I::WIDTH]);
                }
            }
        }
    }

    fn spot(bytes: &[u8], wide_bits: u32) -> Spot<'_> {
        let (nodes, anchors) = ((Node::Start, Node::Start), (0, 0));
        let wide_more = (wide_bits - WIDE).into();
        Spot { bytes, alpha: 0.0, nodes, anchors, is_uneven: false, middle: 0, fine: 0, is_late: false, wide_more }
    }

    /// Consecutive tracks from bit `at` of a row on.
    fn places_of(widths: &[[u8; 3]], at: u32) -> Vec<PackedIntegers> {
        let place = |track: usize| {
            let before = widths[..track].iter().flatten().map(|width| u32::from(*width)).sum::<u32>();
            PackedIntegers { at: at + before, widths: widths[track] }
        };
        (0..widths.len()).map(place).collect()
    }

    proptest! {
        #[test]
        fn residuals_are_read_whatever_their_widths(
            bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..3500, first_bit in 0u32..60,
            codes in prop::collection::vec(prop::array::uniform3(prop_oneof![0..=WIDE, 0u32..6]), 1..=EIGHT),
            wide_bits in WIDE..32, row in 0usize..2,
        ) {
            let layout = Layout { length: 0, wide_bits, has_exact: false, least_code: 0, code_bits: 0 };
            let widths: Vec<_> = codes.iter().map(|codes| codes.map(|code| layout.width(code) as u8)).collect();
            let mut group = PackedGroup { first_bits: [0; 2], xy: [[0; EIGHT]; 2], z: [0; EIGHT] };
            group.first_bits[row] = first_bit;
            codes.iter().enumerate().for_each(|(track, codes)| _ = group.set(row, track, *codes, &layout));
            let (spot, (mut fast, mut portable)) = (&spot(&bytes, wide_bits), ([[0; EIGHT]; 3], [[0; EIGHT]; 3]));
            run(Row { group: &group, row, spot, at, out: &mut fast });
            Row { group: &group, row, spot, at, out: &mut portable }.run::<Quad>();
            prop_assert_eq!(fast, portable);
            for (lane, place) in places_of(&widths, first_bit).iter().enumerate() {
                let stored = place.read(&bytes, at);
                let expected = three(|i| stored[i] - residual_bias(place.widths[i]));
                prop_assert_eq!(fast.map(|numbers| numbers[lane]), expected, "track {} of {:?}", lane, codes);
            }
        }

        #[test]
        fn anchors_are_read_whatever_their_widths(
            bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..3500, first_bit in 0u32..60,
            widths in prop::collection::vec(prop::array::uniform3(prop_oneof![0u8..32, 0u8..17]), 1..=EIGHT),
        ) {
            let places = places_of(&widths, first_bit);
            let (anchors, spot) = (RowPlaces::new(&places), &spot(&bytes, WIDE));
            let (mut fast, mut portable) = ([[0; EIGHT]; 3], [[0; EIGHT]; 3]);
            run(Anchors(&anchors, spot, at, &mut fast));
            Anchors(&anchors, spot, at, &mut portable).run::<Quad>();
            prop_assert_eq!(fast, portable);
            for (lane, place) in places.iter().enumerate() {
                prop_assert_eq!(fast.map(|numbers| numbers[lane]), place.read(&bytes, at), "track {} of {:?}", lane, places);
            }
        }
    }
}
