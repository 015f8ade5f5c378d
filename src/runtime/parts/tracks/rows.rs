use super::track_table::{TrackTable, read_format};
use crate::Channel;
use crate::format::{BitReader, DecodeError};
use crate::math::{LANES, Range3, Transform, each_lane};
use crate::memory::{TryList, with_room};
use crate::parts::formats::rotation_format::RotationFormat;
use crate::parts::formats::vector_format::{RangeSource, VectorFormat};
use crate::parts::keys::key::{KeyFormat, TrackGroup, check_keys, read_range, sample_groups};
use crate::parts::{PoseSlice, RangeLanes};
use alloc::vec::Vec;

/// Whole poses of fixed formats, read in place: all tracks of a pose lie together, so a pose is one read.
///
/// On disk: the track table, the three formats' codes, the ranges that they want, then the poses one after another.
#[derive(Debug)]
pub struct PoseRows {
    /// First bit of the first row, and bits from one row to the next.
    first_bit: usize,
    row_bits: usize,
    still: Vec<Transform>,
    rotations: ChannelKeys<RotationFormat>,
    translations: ChannelKeys<VectorFormat>,
    scales: ChannelKeys<VectorFormat>,
}

/// Animated tracks of one channel, four at a time: what one instruction does for one track, it does for four.
#[derive(Debug)]
struct ChannelKeys<F> {
    format: F,
    tracks: usize,
    groups: Vec<RowGroup>,
}

/// Four tracks whose keys follow each other in a row.
#[derive(Debug)]
struct RowGroup {
    joints: [usize; LANES],
    /// First bit of the first key, from the start of the row.
    offset: usize,
    ranges: RangeLanes,
}

impl TrackGroup for RowGroup {
    #[inline(always)]
    fn joints(&self) -> &[usize; LANES] {
        &self.joints
    }
}

impl PoseRows {
    /// Reads and checks `rows` poses, up to the end of the bytes; `bytes` is what `input` reads from.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(mut input: BitReader<'_>, bytes: &[u8], bind: &[Transform], rows: usize) -> Result<Self, DecodeError> {
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let formats = (read_format(&mut input)?, read_format(&mut input)?, read_format(&mut input)?);
        let mut row_bits = 0;
        let rotations = ChannelKeys::read(&mut input, formats.0, &table, Channel::Rotation, &mut row_bits)?;
        let translations = ChannelKeys::read(&mut input, formats.1, &table, Channel::Translation, &mut row_bits)?;
        let scales = ChannelKeys::read(&mut input, formats.2, &table, Channel::Scale, &mut row_bits)?;
        let first_bit = input.clone().skip("samples", rows.saturating_mul(row_bits))?;
        // Rows of no bits have nothing to check, however many a header says there are.
        for _ in 0..if row_bits > 0 { rows } else { 0 } {
            rotations.check(&mut input, bytes)?;
            translations.check(&mut input, bytes)?;
            scales.check(&mut input, bytes)?;
        }
        input.finish("samples")?;
        Ok(Self { first_bit, row_bits, still: table.still, rotations, translations, scales })
    }

    /// The wanted joints `alpha` of the way from row `a` to row `b`; `b` is not read where alpha is zero. `bytes` are those
    /// that the rows were read from.
    #[inline]
    pub fn sample(&self, bytes: &[u8], (a, b): (usize, usize), alpha: f32, mut out: PoseSlice<'_>) {
        let start = |row: usize| self.first_bit + row * self.row_bits;
        let rows = (start(a), start(b));
        out.copy_from(&self.still);
        self.rotations.sample(bytes, rows, alpha, &mut out, |out, q| out.rotation = q);
        self.translations.sample(bytes, rows, alpha, &mut out, |out, v| out.translation = v);
        self.scales.sample(bytes, rows, alpha, &mut out, |out, v| out.scale = v);
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        let groups = self.rotations.groups.len() + self.translations.groups.len() + self.scales.groups.len();
        size_of_val(&self.still[..]) + groups * size_of::<RowGroup>()
    }
}

impl<F: KeyFormat> ChannelKeys<F> {
    fn read(
        input: &mut BitReader<'_>,
        format: F,
        table: &TrackTable,
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
                joints: each_lane([0, 1, 2, 3], |lane| joints.get(lane).copied().unwrap_or(joints[0])),
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

    /// Reads the wanted tracks of the rows that start at bits `a` and `b`, blended.
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
