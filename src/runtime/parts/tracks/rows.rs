use super::track_table::read_format;
use crate::Channel;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::math::{LANES, Range3, Transform, each_lane};
use crate::memory::{TryList, with_room};
use crate::parts::formats::rotation_format::RotationFormat;
use crate::parts::formats::vector_format::{RangeSource, VectorFormat};
use crate::parts::keys::key::{KeyFormat, TrackGroup, check_keys, read_range, sample_groups};
use crate::parts::{PoseSlice, RangeLanes, StillPose, StoredTracks};
use alloc::vec::Vec;

/// Whole poses in fixed formats, read in place. All tracks of a pose are stored together.
///
/// On disk: the track table; the code of each channel's format; per channel, the ranges that the format needs; then the poses.
#[derive(Debug)]
pub struct PoseRows {
    /// First bit of the first row.
    first_bit: usize,
    /// Bits per row.
    row_bits: usize,
    still: StillPose,
    rotations: ChannelKeys<RotationFormat>,
    translations: ChannelKeys<VectorFormat>,
    scales: ChannelKeys<VectorFormat>,
}

/// Animated tracks of one channel, in groups of four that one vector instruction decodes at a time.
#[derive(Debug)]
struct ChannelKeys<F> {
    format: F,
    tracks: usize,
    groups: Vec<RowGroup>,
}

/// Four tracks whose keys are consecutive in a row.
#[derive(Debug)]
struct RowGroup {
    joints: [u16; LANES],
    /// Bits from the start of the row to the first key.
    offset: usize,
    ranges: RangeLanes,
}

impl TrackGroup for RowGroup {
    #[inline(always)]
    fn joints(&self) -> &[u16; LANES] {
        &self.joints
    }
}

impl PoseRows {
    /// Reads and checks `rows` poses, up to the end of the bytes. `input` reads from `bytes`.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(mut input: BitReader<'_>, bytes: &[u8], bind: &BindPose, rows: usize) -> Result<Self, DecodeError> {
        let table = StoredTracks::read(&mut input, bytes, bind)?;
        let formats = (read_format(&mut input)?, read_format(&mut input)?, read_format(&mut input)?);
        let mut row_bits = 0;
        let rotations = ChannelKeys::read(&mut input, formats.0, &table, Channel::Rotation, &mut row_bits)?;
        let translations = ChannelKeys::read(&mut input, formats.1, &table, Channel::Translation, &mut row_bits)?;
        let scales = ChannelKeys::read(&mut input, formats.2, &table, Channel::Scale, &mut row_bits)?;
        let first_bit = input.clone().skip("samples", rows.saturating_mul(row_bits))?;
        // Empty rows need no check. A damaged header may claim very many of them.
        for _ in 0..if row_bits > 0 { rows } else { 0 } {
            rotations.check(&mut input, bytes)?;
            translations.check(&mut input, bytes)?;
            scales.check(&mut input, bytes)?;
        }
        input.finish("samples")?;
        Ok(Self { first_bit, row_bits, still: table.still, rotations, translations, scales })
    }

    /// Samples the wanted joints at a fraction `alpha` between rows `a` and `b`. Row `b` is not read if `alpha` is zero. The rows were read
    /// from `bytes`.
    #[inline]
    pub fn sample(&self, bytes: &[u8], (a, b): (usize, usize), alpha: f32, mut out: PoseSlice<'_>) {
        let start = |row: usize| self.first_bit + row * self.row_bits;
        let rows = (start(a), start(b));
        self.still.put(&mut out);
        self.rotations.sample(bytes, rows, alpha, &mut out, |out, q| out.rotation = q);
        self.translations.sample(bytes, rows, alpha, &mut out, |out, v| out.translation = v);
        self.scales.sample(bytes, rows, alpha, &mut out, |out, v| out.scale = v);
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        let groups = self.rotations.groups.len() + self.translations.groups.len() + self.scales.groups.len();
        self.still.heap_bytes() + groups * size_of::<RowGroup>()
    }
}

impl<F: KeyFormat> ChannelKeys<F> {
    fn read(
        input: &mut BitReader<'_>,
        format: F,
        table: &StoredTracks,
        channel: Channel,
        row_bits: &mut usize,
    ) -> Result<Self, DecodeError> {
        let joints = table.animated(channel).try_list()?;
        let shared = match format.range_source() {
            RangeSource::Clip if !joints.is_empty() => read_range(input)?,
            _ => Range3::UNIT,
        };
        let mut ranges = with_room(joints.len())?;
        for _ in &joints {
            ranges.push(if format.range_source() == RangeSource::Track { read_range(input)? } else { shared });
        }
        let (first_bit, key_bits) = (*row_bits, format.bits() as usize);
        *row_bits += joints.len() * key_bits;
        let group = |(number, joints): (usize, &[usize])| {
            let first = LANES * number;
            let range = |lane| ranges.get(first + lane).copied().unwrap_or(Range3::UNIT);
            RowGroup {
                joints: each_lane([0, 1, 2, 3], |lane| *joints.get(lane).unwrap_or(&joints[0]) as u16),
                offset: first_bit + first * key_bits,
                ranges: RangeLanes::new(each_lane([0, 1, 2, 3], range)),
            }
        };
        let groups = joints.chunks(LANES).enumerate().map(group).try_list()?;
        Ok(Self { format, tracks: joints.len(), groups })
    }

    /// Checks the keys of one row, so that sampling needs no checks.
    fn check(&self, input: &mut BitReader<'_>, bytes: &[u8]) -> Result<(), DecodeError> {
        check_keys(input, bytes, self.format, self.tracks).map(|_| ())
    }

    /// Blends the wanted tracks of the rows that start at bits `a` and `b`.
    #[inline]
    fn sample(
        &self,
        bytes: &[u8],
        (a, b): (usize, usize),
        alpha: f32,
        out: &mut PoseSlice<'_>,
        put: impl Fn(&mut Transform, F::Key),
    ) {
        let read = |group: &RowGroup, row: usize| self.format.read_lanes(bytes, row + group.offset, &group.ranges);
        sample_groups::<F, _>(&self.groups, alpha, out, |_, g| read(g, a), |_, g| (read(g, a), read(g, b)), put);
    }
}
