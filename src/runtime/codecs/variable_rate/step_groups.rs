//! Tracks in whole steps, decoded in groups of eight.

use super::layout::exact_bits;
use super::segment_table::Walk;
use crate::Channel;
use crate::format::DecodeError;
use crate::math::{EIGHT, Ints, Range3, Whole, lerp_lanes, nlerp_lanes, quat_mul, rodrigues_unmap};
use crate::memory::{Fixed, NoMemory, TryPush, fixed};
use crate::parts::{
    ChannelEnds, KeyFormat, PoseSlice, QUARTER, References, RotationFormat, RowPlaces, Tail, Three, TrackGroup,
    VectorFormat, check_key, groups_of, next_run, put_rotations, put_vectors, references,
};
use alloc::vec::Vec;
use glam::Quat;

/// Up to eight tracks of a channel that follow each other in a sample, or one float32 track.
#[derive(Debug, Clone, Copy)]
pub struct StepGroup {
    /// A group with fewer tracks repeats its last joint. Of four tracks, the first is written last, so it overwrites the repetitions.
    joints: [u16; EIGHT],
    /// Codes of the steps.
    steps: Three<[u8; EIGHT]>,
    pub tracks: u8,
    channel: Channel,
    /// Bits of a sample of a float32 track; 0 for other groups.
    pub exact_bits: u8,
}

/// A track, as its group needs it.
#[derive(Debug, Clone, Copy)]
pub struct StepTrack {
    pub joint: usize,
    pub channel: Channel,
    pub is_exact: bool,
    /// Codes of the steps.
    pub steps: [u8; 3],
    /// An item of [`References`].
    pub reference: i32,
}

/// The groups of all channels: rotations, translations, scales.
#[derive(Debug, Default)]
pub struct StepGroups {
    groups: Fixed<StepGroup>,
    /// The rotations that tracks are relative to, one item per group of rotations.
    references: Fixed<References>,
    ends: ChannelEnds,
}

impl TrackGroup<EIGHT> for StepGroup {
    #[inline(always)]
    fn joints(&self) -> &[u16; EIGHT] {
        &self.joints
    }
}

impl StepGroups {
    /// The groups of all tracks, which are in the order of samples.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn of(tracks: &[StepTrack]) -> Result<Self, NoMemory> {
        let (mut groups, mut references, mut ends) = (Vec::new(), Vec::new(), ChannelEnds::default());
        let runs = tracks.chunk_by(|a, b| a.channel == b.channel && !a.is_exact && !b.is_exact);
        for tracks in runs.flat_map(|run| run.chunks(EIGHT)) {
            let channel = tracks[0].channel;
            let (group, words) = StepGroup::of(tracks);
            groups.try_push(group)?;
            if channel == Channel::Rotation {
                references.try_push(words)?;
            }
            ends.add(channel);
        }
        Ok(Self { groups: fixed(groups)?, references: fixed(references)?, ends })
    }

    /// The groups, in the order of samples.
    pub fn all(&self) -> &[StepGroup] {
        &self.groups
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.groups[..]) + size_of_val(&self.references[..])
    }
}

impl StepGroup {
    /// The group of up to eight tracks of a channel, or of one float32 track, and its references.
    fn of(tracks: &[StepTrack]) -> (Self, References) {
        let StepTrack { channel, is_exact, .. } = tracks[0];
        let exact_bits = if is_exact { exact_bits(channel) as u8 } else { 0 };
        let (mut joints, mut steps, mut references) = ([0; EIGHT], [[0; EIGHT]; 3], [0; EIGHT]);
        for lane in 0..EIGHT {
            let track = &tracks[lane.min(tracks.len() - 1)];
            (joints[lane], references[lane]) = (track.joint as u16, track.reference);
            steps.iter_mut().zip(track.steps).for_each(|(steps, step)| steps[lane] = step);
        }
        (Self { joints, steps, tracks: tracks.len() as u8, channel, exact_bits }, references)
    }

    /// Checks a sample of a float32 track once, so that reading it needs no checks.
    ///
    /// # Errors
    /// [`DecodeError`] if it is no rotation, or too large.
    pub fn check(&self, bytes: &[u8], bit: usize) -> Result<(), DecodeError> {
        match self.channel {
            Channel::Rotation => check_key(bytes, bit, RotationFormat::Full),
            Channel::Translation | Channel::Scale => check_key(bytes, bit, VectorFormat::Float96),
        }
    }
}

/// A sample, or two neighbouring samples to blend.
#[derive(Clone, Copy)]
pub struct Spot<'a> {
    pub bytes: &'a [u8],
    pub alpha: f32,
    /// Bits from the first sample to the second in the same segment.
    pub row_bits: usize,
}

impl Spot<'_> {
    /// Samples the wanted joints. `walk` is at the first sample, and `next` at a second sample in the next segment.
    #[inline(always)]
    pub fn put<I: Ints>(
        &self,
        all: &StepGroups,
        (mut walk, mut next): (Walk<'_>, Option<Walk<'_>>),
        out: &mut PoseSlice<'_>,
    ) {
        let mut integers = [[[0; EIGHT]; 3]; 2];
        for channel in all.ends.channels(all.groups.len(), out.is_whole()) {
            let (first, groups) = (channel.start, all.groups.get(channel).unwrap_or_default());
            let mut left = groups_of(out, groups);
            while let Some(run) = next_run(groups, &mut left, out) {
                let run = first + run.start..first + run.end;
                walk.start(&run, &all.groups);
                next.iter_mut().for_each(|next| next.start(&run, &all.groups));
                for (index, group) in run.clone().zip(&all.groups[run]) {
                    let tracks = Tracks { spot: self, group, references: all.references.get(index) };
                    tracks.put::<I>(&mut walk, &mut next, &mut integers, out);
                }
            }
        }
    }
}

/// A group of a sample.
#[derive(Clone, Copy)]
struct Tracks<'a> {
    spot: &'a Spot<'a>,
    group: &'a StepGroup,
    references: Option<&'a References>,
}

impl Tracks<'_> {
    /// Samples a float32 track, which begins at bit `row` of the first sample and at bit `next` of the second.
    #[cold]
    #[inline(never)]
    fn put_exact(self, row: usize, next: usize, out: &mut PoseSlice<'_>) {
        let Some(out) = out.joint(self.group.joints[0].into()) else { return };
        match self.group.channel {
            Channel::Rotation => {
                let rotation = self.exact(RotationFormat::Full, row, next).to_array();
                // Its reference is no rotation.
                out.rotation = Quat::from_array(quat_mul([0.0, 0.0, 0.0, 1.0], rotation));
            }
            Channel::Translation => out.translation = self.exact(VectorFormat::Float96, row, next),
            Channel::Scale => out.scale = self.exact(VectorFormat::Float96, row, next),
        }
    }

    fn exact<F: KeyFormat>(self, format: F, row: usize, next: usize) -> F::Key {
        let Spot { bytes, alpha, .. } = *self.spot;
        let read = |bit: usize| format.read(bytes, bit, &Range3::UNIT);
        if alpha > 0.0 { F::blend(read(row), read(next), alpha) } else { read(row) }
    }

    /// Samples the group, and goes past it. `integers` is scratch memory.
    #[inline(always)]
    fn put<I: Ints>(
        self,
        walk: &mut Walk<'_>,
        next: &mut Option<Walk<'_>>,
        integers: &mut [Three<[i32; EIGHT]>; 2],
        out: &mut PoseSlice<'_>,
    ) {
        let (Spot { bytes, alpha, row_bits }, tracks) = (*self.spot, self.group.tracks);
        if self.group.exact_bits > 0 {
            let row = walk.skip(self.group);
            return self.put_exact(row, next.as_mut().map_or(row + row_bits, |next| next.skip(self.group)), out);
        }
        let place = walk.place(tracks);
        // Many rigs have one translation, that of their root.
        let is_single = tracks == 1 && self.references.is_none();
        if I::WIDTH == EIGHT && next.is_none() && !is_single && !place.is_rare() {
            let row = place.row();
            walk.pass(&place, row.end());
            return self.put_at_once::<I>(row, place.lowest(), out);
        }
        let [a, b] = &mut *integers;
        walk.pass(&place, place.read(bytes, 0, a));
        if alpha > 0.0 {
            let (place, after) = next.as_ref().map_or((place, row_bits), |next| (next.place(tracks), 0));
            let end = place.read(bytes, after, b);
            next.iter_mut().for_each(|next| next.pass(&place, end));
        }
        if I::WIDTH == EIGHT && is_single {
            self.put_each::<i32>(integers, out)
        } else {
            self.put_each::<I>(integers, out)
        }
    }

    /// Samples the group, with vector shifts.
    #[inline(always)]
    fn put_at_once<I: Ints>(self, row: RowPlaces, lowest: Three<&[[u8; 2]; EIGHT]>, out: &mut PoseSlice<'_>) {
        let (Spot { bytes, alpha, row_bits }, mut tails) = (*self.spot, <[Tail<_>; 2]>::default());
        let [of_row, of_after] = &mut tails;
        let window = row.window(bytes, of_row);
        let [x, y, z] = lowest;
        let lowest = [I::load_small(x, 0), I::load_small(y, 0), I::load_small(z, 0)];
        let a = row.read::<I>(0, bytes, window).plus(lowest);
        if alpha == 0.0 {
            return self.put_integers::<I>(0, a, a, out);
        }
        let after = row.after(row_bits);
        let b = after.read::<I>(0, bytes, after.window(bytes, of_after)).plus(lowest);
        self.put_integers::<I>(0, a, b, out);
    }

    /// Samples the tracks of these integers.
    #[inline(always)]
    fn put_each<I: Ints>(self, [a, b]: &[Three<[i32; EIGHT]>; 2], out: &mut PoseSlice<'_>) {
        for first in (0..self.group.tracks.into()).step_by(I::WIDTH) {
            let load = |[x, y, z]: &Three<[i32; EIGHT]>| [I::load(x, first), I::load(y, first), I::load(z, first)];
            let a = load(a);
            self.put_integers::<I>(first, a, if self.spot.alpha > 0.0 { load(b) } else { a }, out);
        }
    }

    /// Writes the values of integers, or blends of both, from track `first` on, as many as a register holds.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn put_integers<I: Ints>(self, first: usize, a: Three<I>, b: Three<I>, out: &mut PoseSlice<'_>) {
        let (StepGroup { joints, steps: [x, y, z], channel, .. }, alpha) = (self.group, self.spot.alpha);
        let Some(words) = self.references else {
            let (x, y, z) = (I::steps::<0>(x, first), I::steps::<0>(y, first), I::steps::<0>(z, first));
            let scaled = |[a, b, c]: Three<I>| [x * a.real(), y * b.real(), z * c.real()];
            let a = scaled(a);
            let vectors = if alpha > 0.0 { lerp_lanes(a, scaled(b), alpha) } else { a };
            return put_vectors::<I>(joints, first, vectors, *channel == Channel::Scale, out);
        };
        let (x, y, z) = (I::steps::<QUARTER>(x, first), I::steps::<QUARTER>(y, first), I::steps::<QUARTER>(z, first));
        let scaled = |[a, b, c]: Three<I>| [x * a.real(), y * b.real(), z * c.real()];
        let a = rodrigues_unmap(scaled(a));
        let rotations = if alpha > 0.0 { nlerp_lanes(a, rodrigues_unmap(scaled(b)), alpha) } else { a };
        put_rotations::<I>(joints, first, quat_mul(references::<I>(words, first), rotations), out);
    }
}
