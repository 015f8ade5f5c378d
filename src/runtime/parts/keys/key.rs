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

/// A format of keys. Code for both rotations and vectors is generic over it.
pub trait KeyFormat: Copy + PartialEq + core::fmt::Debug + Send + Sync + 'static {
    /// Value of a key.
    type Key: Copy + Default + PartialEq + core::fmt::Debug + Send + Sync;
    /// True for unit quaternions: `q` and `-q` are the same rotation.
    const IS_ROTATION: bool;
    /// Four keys, component by component.
    type Lanes: Copy + Default;
    /// Bits per key.
    fn bits(self) -> u32;
    /// Code on disk.
    fn code(self) -> u8;
    /// The format of a code.
    fn from_code(code: u8) -> Option<Self>;
    /// Source of the range of its keys.
    fn range_source(self) -> RangeSource;
    /// Reads the key at a bit.
    fn read(self, bytes: &[u8], at: usize, range: &Range3) -> Self::Key;
    /// True if the key at a bit is valid.
    fn is_valid(self, bytes: &[u8], at: usize) -> bool;
    /// The key as four numbers, for code that handles all channels alike.
    fn numbers(key: Self::Key) -> Vec4;
    /// The key from its four numbers. Those of a rotation must have length one.
    fn key_of(numbers: Vec4) -> Self::Key;
    /// The key from three numbers. For a rotation, these are all components but `dropped` (0 to 3), which is not negative.
    fn key_without(dropped: u8, rest: Vec3) -> Self::Key;
    /// Blends two keys.
    fn blend(a: Self::Key, b: Self::Key, alpha: f32) -> Self::Key;
    /// [`KeyFormat::read`] of four consecutive keys.
    fn read_lanes(self, bytes: &[u8], at: usize, range: &RangeLanes) -> Self::Lanes;
    /// [`KeyFormat::blend`] of four pairs, with the same bits. `alpha` is above 0.
    fn blend_lanes(a: Self::Lanes, b: Self::Lanes, alpha: f32) -> Self::Lanes;
    /// Separates the four keys.
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

/// `N` tracks that are read together.
pub trait TrackGroup<const N: usize = LANES> {
    /// Joints of the tracks. A last group with fewer tracks repeats its first joint. The first track is written last, so it overwrites the
    /// repetitions.
    fn joints(&self) -> &[u16; N];
}

/// Groups of four tracks. A last group with fewer tracks repeats its first track.
///
/// # Errors
/// [`NoMemory`].
pub fn grouped<T, G>(tracks: &[T], group: impl Fn([&T; LANES]) -> G) -> Result<Vec<G>, NoMemory> {
    let full = |tracks: &[T]| group(each_lane([0, 1, 2, 3], |lane| tracks.get(lane).unwrap_or(&tracks[0])));
    tracks.chunks(LANES).map(full).try_list()
}

/// The range of groups with a joint in the range of the slice. `groups` is ordered by joint.
#[inline]
pub fn groups_of<const N: usize, G: TrackGroup<N>>(wanted: &PoseSlice<'_>, groups: &[G]) -> Range<usize> {
    if wanted.is_whole() {
        return 0..groups.len();
    }
    let Range { start, end } = wanted.range();
    // Missing tracks repeat the group's first joint.
    let last = |group: &G| group.joints().iter().copied().max().unwrap_or(0);
    groups.partition_point(|g| usize::from(last(g)) < start)
        ..groups.partition_point(|g| usize::from(g.joints()[0]) < end)
}

/// Number of groups that are read before they are blended.
const BLOCK: usize = 4;

/// Samples the groups with a wanted joint and passes their keys to `put`. `read` returns the keys at a sample, for the number of a group
/// and the group. If `alpha` is not zero, `read_both` returns the keys at both samples, which are blended.
#[inline(always)]
pub fn sample_groups<F: KeyFormat, G: TrackGroup>(
    groups: &[G],
    alpha: f32,
    out: &mut PoseSlice<'_>,
    read: impl Fn(usize, &G) -> F::Lanes,
    read_both: impl Fn(usize, &G) -> (F::Lanes, F::Lanes),
    put: impl Fn(&mut Transform, F::Key),
) {
    let mut left = groups_of(out, groups);
    while let Some(run) = next_run(groups, &mut left, out) {
        let first = run.start;
        let read = |number: usize, group: &G| read(first + number, group);
        let read_both = |number: usize, group: &G| read_both(first + number, group);
        let mut room = [0; LANES];
        let put_lanes = |group: &G, lanes: F::Lanes| {
            let (joints, keys) = (out.wanted_of(group.joints(), &mut room), F::keys(lanes));
            // The first track is written last: see `TrackGroup::joints`.
            each_lane([3, 2, 1, 0], |lane| {
                out.room(usize::from(joints[lane])).into_iter().for_each(|out| put(out, keys[lane]))
            });
        };
        sample_run::<F, G>(&groups[run], alpha, read, read_both, put_lanes);
    }
}

/// [`PoseSlice::next_run`] for groups of tracks: takes the next groups with a wanted joint from `left`.
#[inline(always)]
pub fn next_run<const N: usize, G: TrackGroup<N>>(
    groups: &[G],
    left: &mut Range<usize>,
    out: &PoseSlice<'_>,
) -> Option<Range<usize>> {
    out.next_run(left, |group, out| groups[group].joints().iter().any(|joint| out.wants(usize::from(*joint))))
}

/// [`sample_groups`] of consecutive groups. The first one has number 0.
///
/// Reading and blending are long chains of dependent operations. In separate loops, a processor can run those of several groups in
/// parallel.
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
/// [`DecodeError`] if it is cut short, not finite, negative or too large.
pub fn read_range(input: &mut BitReader<'_>) -> Result<Range3, DecodeError> {
    let at = input.bit_position() / 8;
    let mut three = || -> Result<Vec3, DecodeError> {
        Ok(Vec3::new(input.f32("range of a track")?, input.f32("range of a track")?, input.f32("range of a track")?))
    };
    let range = Range3 { min: three()?, extent: three()? };
    let is_range = is_usable(range.min) && is_usable(range.extent * 0.5) && range.extent.cmpge(Vec3::ZERO).all();
    if is_range { Ok(range) } else { Err(DecodeError::invalid("range of a track", at, "no range", "a usable extent")) }
}

/// Checks consecutive keys once, so that reading them later needs no checks. Returns the bit of the first key.
///
/// # Errors
/// [`DecodeError`] if they are cut short, or if one is not a rotation or has unusable numbers.
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
