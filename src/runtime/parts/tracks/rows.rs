use super::track_table::read_format;
use crate::Channel;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::math::{LANES, Range3, Transform, each_lane};
use crate::memory::{Fixed, NoMemory, TryList, copied, fixed, with_room};
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
    /// The rows alone, if the decoder owns them.
    copy: Option<Vec<u8>>,
}

/// Animated tracks of one channel, in groups of four that one vector instruction decodes at a time.
#[derive(Debug)]
struct ChannelKeys<F> {
    format: F,
    tracks: usize,
    groups: Fixed<RowGroup>,
    /// One per group for ranges of tracks, one for a range of all tracks, or none.
    ranges: Fixed<RangeLanes>,
}

/// Four tracks whose keys are consecutive in a row.
#[derive(Debug, Clone, Copy)]
struct RowGroup {
    joints: [u16; LANES],
    /// Bits from the start of the row to the first key.
    offset: u32,
    /// Index of their ranges.
    ranges: u32,
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
        Ok(Self { first_bit, row_bits, still: table.still, rotations, translations, scales, copy: None })
    }

    /// Copies the rows, without what was read when the clip was opened.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn own(&mut self, bytes: &[u8]) -> Result<(), NoMemory> {
        if self.copy.is_none() {
            self.copy = Some(copied(bytes.get(self.first_bit / 8..).unwrap_or_default())?);
            self.first_bit %= 8;
        }
        Ok(())
    }

    /// Samples the wanted joints at a fraction `alpha` between rows `a` and `b`. Row `b` is not read if `alpha` is zero. The rows were read
    /// from `bytes`, which may be empty once they are copied.
    #[inline]
    pub fn sample(&self, bytes: &[u8], (a, b): (usize, usize), alpha: f32, mut out: PoseSlice<'_>) {
        let bytes = self.copy.as_deref().unwrap_or(bytes);
        let start = |row: usize| self.first_bit + row * self.row_bits;
        let rows = (start(a), start(b));
        self.still.put(&mut out);
        self.rotations.sample(bytes, rows, alpha, &mut out, |out, q| out.rotation = q);
        self.translations.sample(bytes, rows, alpha, &mut out, |out, v| out.translation = v);
        self.scales.sample(bytes, rows, alpha, &mut out, |out, v| out.scale = v);
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        let channels = self.rotations.heap_bytes() + self.translations.heap_bytes() + self.scales.heap_bytes();
        self.still.heap_bytes() + channels + self.copy.as_ref().map_or(0, Vec::len)
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
        let ranges = match format.range_source() {
            RangeSource::Track => read_ranges(input, joints.len())?,
            RangeSource::Clip if !joints.is_empty() => copied(&[RangeLanes::new([read_range(input)?; LANES])])?,
            _ => Vec::new(),
        };
        let (first_bit, key_bits) = (*row_bits, format.bits() as usize);
        *row_bits += joints.len() * key_bits;
        let group = |(number, joints): (usize, &[usize])| RowGroup {
            joints: each_lane([0, 1, 2, 3], |lane| *joints.get(lane).unwrap_or(&joints[0]) as u16),
            offset: (first_bit + LANES * number * key_bits) as u32,
            ranges: number.min(ranges.len().saturating_sub(1)) as u32,
        };
        let groups = joints.chunks(LANES).enumerate().map(group).try_list()?;
        Ok(Self { format, tracks: joints.len(), groups: fixed(groups)?, ranges: fixed(ranges)? })
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
        let ranges = if self.ranges.is_empty() { &[RangeLanes::UNIT][..] } else { &self.ranges[..] };
        let read = |group: &RowGroup, row: usize| {
            self.format.read_lanes(bytes, row + group.offset as usize, &ranges[group.ranges as usize])
        };
        sample_groups::<F, _>(&self.groups, alpha, out, |_, g| read(g, a), |_, g| (read(g, a), read(g, b)), put);
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(&self.groups[..]) + size_of_val(&self.ranges[..])
    }
}

/// Reads a range per track, for each four tracks.
fn read_ranges(input: &mut BitReader<'_>, tracks: usize) -> Result<Vec<RangeLanes>, DecodeError> {
    let mut lanes = with_room(tracks.div_ceil(LANES))?;
    for first in (0..tracks).step_by(LANES) {
        let mut four = [Range3::UNIT; LANES];
        for range in four.iter_mut().take(tracks - first) {
            *range = read_range(input)?;
        }
        lanes.push(RangeLanes::new(four));
    }
    Ok(lanes)
}
