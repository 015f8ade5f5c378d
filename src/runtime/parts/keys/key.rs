use crate::format::{BitReader, DecodeError};
use crate::math::{LANES, Range3, Transform, each_lane, lerp_lanes, nlerp, nlerp_lanes};
use crate::memory::{NoMemory, TryList};
use crate::parts::formats::lanes::{RangeLanes, rotations, vectors};
use crate::parts::formats::rotation_format::RotationFormat;
use crate::parts::formats::vector_format::{RangeSource, VectorFormat, is_usable};
use crate::parts::pose_slice::PoseSlice;
use crate::parts::rates::rate::rotation3;
use alloc::vec::Vec;
use core::ops::Range;
use glam::{Quat, Vec3, Vec4};

/// A format of keys, so that code for rotations and vectors is written once.
pub trait KeyFormat: Copy + PartialEq + core::fmt::Debug + Send + Sync + 'static {
    /// What a key is.
    type Key: Copy + Default + PartialEq + core::fmt::Debug + Send + Sync;
    /// Keys of opposite signs mean the same, and have length one.
    const IS_ROTATION: bool;
    /// Four of them, component by component.
    type Lanes: Copy + Default;
    /// Bits a key.
    fn bits(self) -> u32;
    /// Code on disk.
    fn code(self) -> u8;
    /// The format of a code.
    fn from_code(code: u8) -> Option<Self>;
    /// Which range keys are fractions of.
    fn range_source(self) -> RangeSource;
    /// Reads the key at a bit.
    fn read(self, bytes: &[u8], at: usize, range: &Range3) -> Self::Key;
    /// False when the key at a bit is damaged.
    fn is_valid(self, bytes: &[u8], at: usize) -> bool;
    /// A key as four numbers, for what treats all kinds alike.
    fn numbers(key: Self::Key) -> Vec4;
    /// The key of four numbers; a rotation's have length one.
    fn key_of(numbers: Vec4) -> Self::Key;
    /// The key of three numbers; of a rotation all but the component `dropped` (0 to 3), which is not negative.
    fn key_without(dropped: u8, rest: Vec3) -> Self::Key;
    /// Between two keys.
    fn blend(a: Self::Key, b: Self::Key, alpha: f32) -> Self::Key;
    /// [`KeyFormat::read`] of four keys that follow each other.
    fn read_lanes(self, bytes: &[u8], at: usize, range: &RangeLanes) -> Self::Lanes;
    /// [`KeyFormat::blend`] of four pairs, to the same bits; `alpha` is above 0.
    fn blend_lanes(a: Self::Lanes, b: Self::Lanes, alpha: f32) -> Self::Lanes;
    /// One by one.
    fn keys(lanes: Self::Lanes) -> [Self::Key; LANES];
}

impl KeyFormat for RotationFormat {
    type Key = Quat;
    const IS_ROTATION: bool = true;
    type Lanes = [Vec4; 4];

    fn bits(self) -> u32 {
        self.bits()
    }

    fn code(self) -> u8 {
        self as u8
    }

    fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    fn range_source(self) -> RangeSource {
        if self.has_range() { RangeSource::Track } else { RangeSource::None }
    }

    #[inline]
    fn read(self, bytes: &[u8], at: usize, range: &Range3) -> Quat {
        self.read(bytes, at, range)
    }

    fn is_valid(self, bytes: &[u8], at: usize) -> bool {
        self.is_valid(bytes, at)
    }

    fn numbers(key: Quat) -> Vec4 {
        key.into()
    }

    #[inline]
    fn key_of(numbers: Vec4) -> Quat {
        Quat::from_vec4(numbers)
    }

    #[inline]
    fn key_without(dropped: u8, rest: Vec3) -> Quat {
        rotation3(dropped, rest.into())
    }

    #[inline]
    fn blend(a: Quat, b: Quat, alpha: f32) -> Quat {
        nlerp(a, b, alpha)
    }

    #[inline(always)]
    fn read_lanes(self, bytes: &[u8], at: usize, range: &RangeLanes) -> [Vec4; 4] {
        self.read_lanes(bytes, at, range)
    }

    #[inline(always)]
    fn blend_lanes(a: [Vec4; 4], b: [Vec4; 4], alpha: f32) -> [Vec4; 4] {
        nlerp_lanes(a, b, alpha)
    }

    #[inline(always)]
    fn keys(lanes: [Vec4; 4]) -> [Quat; LANES] {
        rotations(lanes)
    }
}

impl KeyFormat for VectorFormat {
    type Key = Vec3;
    const IS_ROTATION: bool = false;
    type Lanes = [Vec4; 3];

    fn bits(self) -> u32 {
        self.bits()
    }

    fn code(self) -> u8 {
        self as u8
    }

    fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    fn range_source(self) -> RangeSource {
        self.range_source()
    }

    #[inline]
    fn read(self, bytes: &[u8], at: usize, range: &Range3) -> Vec3 {
        self.read(bytes, at, range)
    }

    fn is_valid(self, bytes: &[u8], at: usize) -> bool {
        self.is_valid(bytes, at)
    }

    fn numbers(key: Vec3) -> Vec4 {
        key.extend(0.0)
    }

    #[inline]
    fn key_of(numbers: Vec4) -> Vec3 {
        numbers.truncate()
    }

    #[inline]
    fn key_without(_: u8, rest: Vec3) -> Vec3 {
        rest
    }

    #[inline]
    fn blend(a: Vec3, b: Vec3, alpha: f32) -> Vec3 {
        a + (b - a) * alpha
    }

    #[inline(always)]
    fn read_lanes(self, bytes: &[u8], at: usize, range: &RangeLanes) -> [Vec4; 3] {
        self.read_lanes(bytes, at, range)
    }

    #[inline(always)]
    fn blend_lanes(a: [Vec4; 3], b: [Vec4; 3], alpha: f32) -> [Vec4; 3] {
        lerp_lanes(a, b, alpha)
    }

    #[inline(always)]
    fn keys(lanes: [Vec4; 3]) -> [Vec3; LANES] {
        vectors(lanes)
    }
}

/// Tracks that are read so many at a time.
pub trait TrackGroup<const N: usize = LANES> {
    /// Joints of the tracks. The last group may have fewer: what is read in place of the others is put where the first
    /// then goes.
    fn joints(&self) -> &[usize; N];
}

/// Tracks in groups. In a last one of fewer the first track stands in place of those that are missing.
///
/// # Errors
/// [`NoMemory`].
pub fn grouped<T, G>(tracks: &[T], group: impl Fn([&T; LANES]) -> G) -> Result<Vec<G>, NoMemory> {
    let full = |tracks: &[T]| group(each_lane([0, 1, 2, 3], |lane| tracks.get(lane).unwrap_or(&tracks[0])));
    tracks.chunks(LANES).map(full).try_list()
}

/// Which groups, ordered by joint, move a joint that there is room for.
#[inline]
pub fn groups_of<const N: usize, G: TrackGroup<N>>(wanted: &PoseSlice<'_>, groups: &[G]) -> Range<usize> {
    if wanted.is_whole() {
        return 0..groups.len();
    }
    let Range { start, end } = wanted.range();
    // Places of tracks that are not there repeat the group's first joint.
    let last = |group: &G| group.joints().iter().copied().max().unwrap_or(0);
    groups.partition_point(|g| last(g) < start)..groups.partition_point(|g| g.joints()[0] < end)
}

/// Groups that are read before they are blended.
const BLOCK: usize = 4;

/// Puts the keys that `read` gives for each group that moves a wanted joint, and its number: at one sample, or at two with how
/// far to go from the first to the second.
#[inline(always)]
pub fn sample_groups<F: KeyFormat, G: TrackGroup>(
    groups: &[G],
    alpha: f32,
    out: &mut PoseSlice<'_>,
    read: impl Fn(usize, &G) -> F::Lanes,
    read_both: impl Fn(usize, &G) -> (F::Lanes, F::Lanes),
    put: impl Fn(&mut Transform, F::Key),
) {
    sample_finished_groups::<F, G>(groups, alpha, out, (read, read_both), |_, lanes| lanes, put);
}

/// The same, where something is left to be done to keys of a group after they are blended, once instead of twice.
#[inline(always)]
pub fn sample_finished_groups<F: KeyFormat, G: TrackGroup>(
    groups: &[G],
    alpha: f32,
    out: &mut PoseSlice<'_>,
    (read, read_both): (impl Fn(usize, &G) -> F::Lanes, impl Fn(usize, &G) -> (F::Lanes, F::Lanes)),
    finish: impl Fn(&G, F::Lanes) -> F::Lanes,
    put: impl Fn(&mut Transform, F::Key),
) {
    let mut left = groups_of(out, groups);
    while let Some(run) = next_run(groups, &mut left, out) {
        let first = run.start;
        let read = |number: usize, group: &G| read(first + number, group);
        let read_both = |number: usize, group: &G| read_both(first + number, group);
        let mut room = [0; LANES];
        let put_lanes = |group: &G, lanes: F::Lanes| {
            let (joints, keys) = (out.wanted_of(group.joints(), &mut room), F::keys(finish(group, lanes)));
            // The first is put last.
            each_lane([3, 2, 1, 0], |lane| out.room(joints[lane]).into_iter().for_each(|out| put(out, keys[lane])));
        };
        sample_run::<F, G>(&groups[run], alpha, read, read_both, put_lanes);
    }
}

/// [`PoseSlice::next_run`] of groups that move a wanted joint, of those that are left.
#[inline(always)]
pub fn next_run<const N: usize, G: TrackGroup<N>>(
    groups: &[G],
    left: &mut Range<usize>,
    out: &PoseSlice<'_>,
) -> Option<Range<usize>> {
    out.next_run(left, |group, out| groups[group].joints().iter().any(|joint| out.wants(*joint)))
}

/// [`sample_groups`] of groups that follow each other, counted from the first of them.
///
/// Reading and blending are long chains of operations that wait for each other; cut in two, a processor has more groups of
/// either in flight.
#[inline(always)]
fn sample_run<F: KeyFormat, G: TrackGroup>(
    groups: &[G],
    alpha: f32,
    read: impl Fn(usize, &G) -> F::Lanes,
    read_both: impl Fn(usize, &G) -> (F::Lanes, F::Lanes),
    mut put_lanes: impl FnMut(&G, F::Lanes),
) {
    if alpha == 0.0 {
        groups.iter().enumerate().for_each(|(number, group)| put_lanes(group, read(number, group)));
        return;
    }
    let mut both = [(F::Lanes::default(), F::Lanes::default()); BLOCK];
    for (block, groups) in groups.chunks(BLOCK).enumerate() {
        for (i, (group, both)) in groups.iter().zip(&mut both).enumerate() {
            *both = read_both(block * BLOCK + i, group);
        }
        for (group, (a, b)) in groups.iter().zip(&both) {
            put_lanes(group, F::blend_lanes(*a, *b, alpha));
        }
    }
}

/// Bits of a stored range.
pub const RANGE_BITS: u32 = 6 * 32;

/// Reads a range: minimum and extent as six float32.
///
/// # Errors
/// [`DecodeError`] when it is cut short, not finite, negative or too large to be used.
pub fn read_range(input: &mut BitReader<'_>) -> Result<Range3, DecodeError> {
    let at = input.bit_position() / 8;
    let mut three = || -> Result<Vec3, DecodeError> {
        Ok(Vec3::new(input.f32("range of a track")?, input.f32("range of a track")?, input.f32("range of a track")?))
    };
    let range = Range3 { min: three()?, extent: three()? };
    let is_range = is_usable(range.min) && is_usable(range.extent * 0.5) && range.extent.cmpge(Vec3::ZERO).all();
    if is_range { Ok(range) } else { Err(DecodeError::invalid("range of a track", at, "no range", "a usable extent")) }
}

/// Checks keys that follow each other once, so that reading them later needs no checks. Returns the bit of the first.
///
/// # Errors
/// [`DecodeError`] when they are cut short or hold something else than rotations or usable numbers.
pub fn check_keys<F: KeyFormat>(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    format: F,
    count: usize,
) -> Result<usize, DecodeError> {
    let start = input.skip("keys of a track", count.saturating_mul(format.bits() as usize))?;
    for key in 0..count {
        check_key(bytes, start + key * format.bits() as usize, format)?;
    }
    Ok(start)
}

/// Checks one key.
///
/// # Errors
/// [`DecodeError::Invalid`].
pub fn check_key<F: KeyFormat>(bytes: &[u8], at: usize, format: F) -> Result<(), DecodeError> {
    if format.is_valid(bytes, at) {
        return Ok(());
    }
    Err(DecodeError::invalid("key of a track", at / 8, "damaged", "a rotation or numbers below 1e18"))
}
