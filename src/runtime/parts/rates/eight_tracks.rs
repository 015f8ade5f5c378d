//! Groups of eight tracks, and the writing of their rotations and vectors.

use super::row_places::Three;
use crate::Channel;
use crate::math::{EIGHT, Ints, LANES, Transform, each_lane};
use crate::parts::PoseSlice;
use crate::parts::formats::lanes::{rotations, vectors};
use core::ops::Range;

/// The ends of the groups of rotations and of translations; those of scales follow.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChannelEnds([u16; 2]);

impl ChannelEnds {
    /// Appends a group of a channel.
    pub fn add(&mut self, channel: Channel) {
        self.0[0] += u16::from(channel == Channel::Rotation);
        self.0[1] += u16::from(channel != Channel::Scale);
    }

    /// The groups of each channel that has some, of so many. Joints ascend within a channel. A whole pose needs no order, so it gets all
    /// groups at once.
    #[inline(always)]
    pub fn channels(self, all: usize, is_whole: bool) -> impl Iterator<Item = Range<usize>> {
        let [rotations, translations] = self.0.map(usize::from);
        let channels =
            if is_whole { [0..all, 0..0, 0..0] } else { [0..rotations, rotations..translations, translations..all] };
        channels.into_iter().filter(|channel| !channel.is_empty())
    }
}

/// Writes the rotations of a register to the wanted joints, the first track last: see [`TrackGroup::joints`](crate::parts::TrackGroup).
#[inline(always)]
pub fn put_rotations<I: Ints>(
    joints: &[u16; EIGHT],
    first: usize,
    [x, y, z, w]: [I::Real; 4],
    out: &mut PoseSlice<'_>,
) {
    let keys = |quad| rotations([I::quad(x, quad), I::quad(y, quad), I::quad(z, quad), I::quad(w, quad)]);
    put::<I, _>(joints, first, out, keys, |out, q| out.rotation = q);
}

/// Like [`put_rotations`], for translations or scales.
#[inline(always)]
pub fn put_vectors<I: Ints>(
    joints: &[u16; EIGHT],
    first: usize,
    [x, y, z]: Three<I::Real>,
    is_scale: bool,
    out: &mut PoseSlice<'_>,
) {
    let keys = |quad| vectors([I::quad(x, quad), I::quad(y, quad), I::quad(z, quad)]);
    put::<I, _>(joints, first, out, keys, |out, v| *(if is_scale { &mut out.scale } else { &mut out.translation }) = v);
}

/// `keys` returns four keys.
#[inline(always)]
fn put<I: Ints, T: Copy>(
    joints: &[u16; EIGHT],
    first: usize,
    out: &mut PoseSlice<'_>,
    keys: impl Fn(usize) -> [T; LANES],
    put: impl Fn(&mut Transform, T),
) {
    let (mut room, mut out) = ([0; EIGHT], out.again());
    let joints = out.wanted_of(joints, &mut room);
    if I::WIDTH == 1 {
        return out.room(usize::from(joints[first])).into_iter().for_each(|out| put(out, keys(0)[0]));
    }
    for quad in (0..I::WIDTH / LANES).rev() {
        let (keys, first) = (keys(quad), (first + LANES * quad) % EIGHT);
        each_lane([3, 2, 1, 0], |lane| {
            out.room(usize::from(joints[first + lane])).into_iter().for_each(|out| put(out, keys[lane]));
        });
    }
}
