//! Decoding of tracks on lattices, in groups of eight.

use super::head::{Head, Record};
use super::layout::{Node, predict_fine, predict_middle};
use super::places::ResidualPlaces;
use crate::Channel;
use crate::math::{Bytes, EIGHT, Ints, LANES, Whole, lerp_lanes, nlerp_lanes, quat_mul, rodrigues_unmap};
use crate::memory::{Boxed, Fixed, NoMemory, TryList, TryPush, boxed, fixed, with_room};
use crate::parts::{
    ChannelEnds, PoseSlice, QUARTER, References, RowPlaces, Tail, Three, TrackGroup, groups_of, next_run,
    packed_reference, put_rotations, put_vectors, references,
};
use alloc::vec::Vec;
use core::num::NonZero;

/// Eight animated tracks of a channel. A last group with fewer tracks repeats its first joint.
#[derive(Debug, Clone, Copy)]
pub struct LatticeGroup {
    joints: [u16; EIGHT],
    /// Values of zero bits of anchors, if they are small.
    lowest: [[[u8; 2]; EIGHT]; 3],
    /// Codes of the steps.
    steps: [[u8; EIGHT]; 3],
    /// Widths of anchors.
    widths: [[u8; EIGHT]; 3],
    /// Bits from the start of a row of anchors to the first of them.
    anchors_at: u32,
    /// One more than the index of the group's [`LatticeGroups::lowest`], if some are not small.
    far: Option<NonZero<u16>>,
    tracks: u8,
    /// [`SCALE`] and [`MANY_BITS`].
    flags: u8,
}

/// Flag of a group of scales.
const SCALE: u8 = 1;
/// Flag of a group whose anchors are [wide](RowPlaces::are_wide).
const MANY_BITS: u8 = 2;

/// Values of zero bits of anchors.
type Lowest = [[i32; EIGHT]; 3];

/// The groups of all channels.
#[derive(Debug)]
pub struct LatticeGroups {
    /// Rotations, translations, scales.
    groups: Fixed<LatticeGroup>,
    ends: ChannelEnds,
    /// One per group of rotations.
    references: Fixed<References>,
    /// Those of groups in which some are not small. Few clips have them.
    lowest: Option<Boxed<Vec<Lowest>>>,
}

/// The place of a sample, or of two neighbouring samples to blend.
pub struct Spot<'a> {
    pub bytes: &'a [u8],
    pub alpha: f32,
    pub nodes: (Node, Node),
    /// First bits of the rows of anchors before and after.
    pub anchors: (usize, usize),
    pub is_uneven: bool,
    /// True if the other residual is that of a sample after the middle.
    pub is_late: bool,
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
        let channels = Channel::ALL.map(|channel| head.of_channel(channel));
        let [rotations, translations, scales] = channels.map(|tracks| tracks.len().div_ceil(EIGHT));
        let mut groups = with_room(rotations + translations + scales)?;
        let references = channels[0].chunks(EIGHT).map(references_of).try_list()?;
        let (mut row_bits, mut ends, mut lowest) = (0, ChannelEnds::default(), Vec::new());
        for tracks in channels.into_iter().flat_map(|tracks| tracks.chunks(EIGHT)) {
            let mut group = LatticeGroup::new(tracks, &mut row_bits);
            if !group.set_lowest(tracks) {
                lowest.try_push(lowest_of(tracks))?;
                group.far = NonZero::new(lowest.len() as u16);
            }
            ends.add(tracks[0].channel);
            groups.push(group);
        }
        let lowest = if lowest.is_empty() { None } else { Some(boxed(lowest)?) };
        Ok((Self { groups: fixed(groups)?, ends, references: fixed(references)?, lowest }, row_bits))
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        let lowest = self.lowest.as_ref().map_or(0, |lowest| size_of_val(&**lowest) + size_of_val(&lowest[..]));
        size_of_val(&self.groups[..]) + size_of_val(&self.references[..]) + lowest
    }
}

fn references_of(tracks: &[Record]) -> References {
    let mut out = [0; EIGHT];
    out.iter_mut().zip(tracks).for_each(|(out, track)| *out = packed_reference(track.reference));
    out
}

fn lowest_of(tracks: &[Record]) -> Lowest {
    let mut out = [[0; EIGHT]; 3];
    for (lane, track) in tracks.iter().enumerate() {
        out.iter_mut().zip(&track.anchors).for_each(|(out, range)| out[lane] = range.lowest);
    }
    out
}

impl LatticeGroup {
    /// The group of up to eight tracks of a channel, without the lowest values. `row_bits` has the bits of a row of anchors so far, and is
    /// updated.
    fn new(tracks: &[Record], row_bits: &mut u32) -> Self {
        let mut out = Self {
            joints: [tracks[0].joint as u16; EIGHT],
            lowest: [[[0; 2]; EIGHT]; 3],
            steps: [[0; EIGHT]; 3],
            widths: [[0; EIGHT]; 3],
            anchors_at: *row_bits,
            far: None,
            tracks: tracks.len() as u8,
            flags: if tracks[0].channel == Channel::Scale { SCALE } else { 0 },
        };
        for (lane, track) in tracks.iter().enumerate() {
            out.joints[lane] = track.joint as u16;
            for i in 0..3 {
                out.steps[i][lane] = track.codes[i];
                out.widths[i][lane] = track.anchors[i].bits as u8;
                *row_bits += track.anchors[i].bits;
            }
        }
        out.flags |= if RowPlaces::are_wide(out.widths.map(Bytes::from_le_bytes)) { MANY_BITS } else { 0 };
        out
    }

    /// Sets the lowest values. False if they are not small.
    fn set_lowest(&mut self, tracks: &[Record]) -> bool {
        let all = lowest_of(tracks);
        self.lowest = all.map(|lowest| lowest.map(|lowest| (lowest as i16).to_le_bytes()));
        all.as_flattened()
            .iter()
            .zip(self.lowest.as_flattened())
            .all(|(whole, small)| *whole == i16::from_le_bytes(*small).into())
    }

    /// The places of anchors in the row that starts at bit `row`.
    #[inline(always)]
    fn anchors(&self, row: usize) -> RowPlaces {
        let [x, y, z] = &self.widths;
        let widths = [Bytes::from_le_bytes(*x), Bytes::from_le_bytes(*y), Bytes::from_le_bytes(*z)];
        RowPlaces::new(widths, self.flags & MANY_BITS != 0, row + self.anchors_at as usize)
    }
}

/// Tracks of a group from `first` on, as many as a register holds.
#[derive(Clone, Copy)]
struct Tracks<'a> {
    group: &'a LatticeGroup,
    /// Values of zero bits of anchors, if they are not small.
    lowest: Option<&'a Lowest>,
    first: usize,
}

impl Tracks<'_> {
    /// Values of zero bits of anchors.
    #[inline(always)]
    fn lowest<I: Ints>(self) -> Three<I> {
        if let Some([x, y, z]) = self.lowest {
            return [I::load(x, self.first), I::load(y, self.first), I::load(z, self.first)];
        }
        let [x, y, z] = &self.group.lowest;
        [I::load_small(x, self.first), I::load_small(y, self.first), I::load_small(z, self.first)]
    }

    /// The integers times the steps, divided by `2^HALVINGS`.
    #[inline(always)]
    fn scaled<const HALVINGS: i32, I: Ints>(self, [x, y, z]: Three<I>) -> [I::Real; 3] {
        let ([a, b, c], first) = (&self.group.steps, self.first);
        [
            x.real() * I::steps::<HALVINGS>(a, first),
            y.real() * I::steps::<HALVINGS>(b, first),
            z.real() * I::steps::<HALVINGS>(c, first),
        ]
    }

    /// Writes the rotations of the first integers to the wanted joints, or blends of the rotations of both.
    #[inline(always)]
    fn put_rotations<I: Ints>(
        self,
        words: &References,
        (a, b): (Three<I>, Three<I>),
        alpha: f32,
        out: &mut PoseSlice<'_>,
    ) {
        let references = references::<I>(words, self.first);
        let a = quat_mul(references, rodrigues_unmap(self.scaled::<QUARTER, I>(a)));
        let rotations = if alpha > 0.0 {
            nlerp_lanes(a, quat_mul(references, rodrigues_unmap(self.scaled::<QUARTER, I>(b))), alpha)
        } else {
            a
        };
        put_rotations::<I>(&self.group.joints, self.first, rotations, out);
    }

    /// Like [`Tracks::put_rotations`], for translations or scales.
    #[inline(always)]
    fn put_vectors<I: Ints>(self, (a, b): (Three<I>, Three<I>), alpha: f32, out: &mut PoseSlice<'_>) {
        let a = self.scaled::<0, I>(a);
        let vectors = if alpha > 0.0 { lerp_lanes(a, self.scaled::<0, I>(b), alpha) } else { a };
        put_vectors::<I>(&self.group.joints, self.first, vectors, self.group.flags & SCALE != 0, out);
    }
}

impl Spot<'_> {
    /// Samples the wanted joints. `residuals` has the places of residuals; clips of one sample have none.
    #[inline(always)]
    pub fn put<I: Ints>(&self, all: &LatticeGroups, residuals: Option<ResidualPlaces<'_>>, out: &mut PoseSlice<'_>) {
        let mut residuals = if self.is_on_anchors() { None } else { residuals };
        let tracks_of = |group: usize| usize::from(all.groups[group].tracks);
        for channel in all.ends.channels(all.groups.len(), out.is_whole()) {
            let (first, groups) = (channel.start, all.groups.get(channel).unwrap_or_default());
            let mut left = groups_of(out, groups);
            while let Some(run) = next_run(groups, &mut left, out) {
                for (index, group) in (first + run.start..).zip(&groups[run]) {
                    let rows = residuals.as_mut().map(|places| places.at(index, group.tracks.into(), tracks_of));
                    self.group::<I>(all, (index, group), rows, out);
                }
            }
        }
    }

    /// Samples a group.
    #[inline(always)]
    fn group<I: Ints>(
        &self,
        all: &LatticeGroups,
        (index, group): (usize, &LatticeGroup),
        rows: Option<[RowPlaces; 2]>,
        out: &mut PoseSlice<'_>,
    ) {
        let references = all.references.get(index);
        let lowest = group.far.and_then(|far| all.lowest.as_ref()?.get(usize::from(far.get()) - 1));
        if I::WIDTH > LANES && group.tracks == 1 && references.is_none() {
            // Many rigs have one translation, that of their root.
            let tracks = Tracks { group, lowest, first: 0 };
            return tracks.put_vectors(self.both::<i32>(tracks, rows), self.alpha, out);
        }
        let registers = if usize::from(group.tracks) > I::WIDTH { EIGHT / I::WIDTH } else { 1 };
        for register in (0..registers).rev() {
            let tracks = Tracks { group, lowest, first: register * I::WIDTH };
            let integers = self.both::<I>(tracks, rows);
            match references {
                Some(references) => tracks.put_rotations(references, integers, self.alpha, out),
                None => tracks.put_vectors(integers, self.alpha, out),
            }
        }
    }

    /// The integers of both samples. `rows` has the places of residuals; none are needed on anchors.
    #[inline(always)]
    fn both<I: Ints>(&self, tracks: Tracks<'_>, rows: Option<[RowPlaces; 2]>) -> (Three<I>, Three<I>) {
        let (bytes, first, mut tails) = (self.bytes, tracks.first, <[Tail<_>; 4]>::default());
        let [of_start, of_end, of_middle, of_fine] = &mut tails;
        let (anchors, lowest) = (tracks.group.anchors(self.anchors.0), tracks.lowest::<I>());
        let end_anchors = anchors.after(self.anchors.1 - self.anchors.0);
        // All windows come first: in the midst of the reads, their rare case would cost registers.
        let start_window = anchors.window(bytes, of_start);
        let end_window = end_anchors.window(bytes, of_end);
        let rows = rows.map(|[middles, fines]| {
            let fine_window = fines.window(bytes, of_fine);
            ((middles, middles.window(bytes, of_middle)), (fines, fine_window))
        });
        let start = anchors.read::<I>(first, bytes, start_window).plus(lowest);
        let end = match self.nodes.1 {
            Node::Start => start,
            _ => end_anchors.read::<I>(first, bytes, end_window).plus(lowest),
        };
        let Some(((middles, middle_window), (fines, fine_window))) = rows else {
            return (if self.nodes.0 == Node::End { end } else { start }, end);
        };
        let residual = middles.signed::<I>(first, bytes, middle_window);
        let middle = predict_middle(start, end, self.is_uneven).plus(residual);
        match self.nodes {
            (Node::Start, Node::Middle) => return (start, middle),
            (Node::Middle, Node::End) => return (middle, end),
            (Node::Middle, Node::Middle) => return (middle, middle),
            _ => {}
        }
        let (before, after) = if self.is_late { (middle, end) } else { (start, middle) };
        let own = fines.signed::<I>(first, bytes, fine_window);
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
