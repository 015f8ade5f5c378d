use super::combinations::{MOST_THINGS, combination, combination_bits, combinations};
use super::ranged::{Ranged, RangedPart};
use crate::format::{BitReader, DecodeError};
use crate::memory::{TryPush, copied, with_room};
use alloc::vec::Vec;
use core::ops::Range;

/// Number of samples per block of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSize(u8);

impl BlockSize {
    /// Fewest samples.
    pub const MIN: usize = 8;
    /// Most samples. The number of a block's set of keys still fits in one read.
    pub const MAX: usize = MOST_THINGS;
    /// Bits on disk.
    pub const BITS: u32 = 6;

    /// The size nearest to `samples`.
    pub fn near(samples: usize) -> Self {
        Self(samples.clamp(Self::MIN, Self::MAX) as u8)
    }

    /// Reads a size.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let samples = input.read("samples per block", Self::BITS)? as usize;
        let invalid =
            || DecodeError::invalid("samples per block", at, samples, format_args!("{} to {}", Self::MIN, Self::MAX));
        (Self::MIN..=Self::MAX).contains(&samples).then_some(Self(samples as u8)).ok_or_else(invalid)
    }

    /// Samples per block.
    pub fn samples(self) -> usize {
        usize::from(self.0)
    }

    /// Number of blocks of a clip.
    pub fn count(self, samples: usize) -> usize {
        samples.div_ceil(self.samples())
    }

    /// Samples of a block that may or may not be keys. The first and the last sample of the clip are excluded: they are always keys.
    pub fn open(self, block: usize, samples: usize) -> Range<usize> {
        let start = (block * self.samples()).max(1);
        start..((block + 1) * self.samples()).min(samples.saturating_sub(1)).max(start)
    }

    /// The block of a sample.
    pub fn of(self, sample: usize) -> usize {
        // A division of 32 bits takes half the time of one of 64 bits.
        (sample as u32 / u32::from(self.0)) as usize
    }
}

/// Bits of the number of keys among `open` samples.
pub fn block_count_bits(open: usize) -> u32 {
    usize::BITS - open.leading_zeros()
}

/// The keys of each block of a track. In a track with [`Ranged`] keys, each block may have its own range.
///
/// On disk, per block:
/// - the number of its keys ([`block_count_bits`]), without the first and the last sample of the clip, which are always keys;
/// - the number of their set among all sets of that size, see [`combination_bits`];
/// - for a track with [`Ranged`] keys, a bit that is set if the block has its own range. The range follows: for each component, the
///   number of bits by which it is narrower than on the track ([`width_bits`]); then, for each narrower component, the difference of its
///   least value from that of the track, in the component's bits on the track.
#[derive(Debug, Clone)]
pub struct KeyBlocks {
    size: BlockSize,
    /// One per block, then the end of the last block.
    starts: Vec<BlockStart>,
    /// Ranges of blocks that have their own.
    own: Vec<RangedPart>,
}

#[derive(Debug, Clone, Copy)]
struct BlockStart {
    /// Index of the block's first key.
    key: u32,
    /// Offset of the block's keys from the track's first key, bits.
    bit: u32,
    /// Index of the block's own range, or [`NO_RANGE`].
    own: u32,
}

const NO_RANGE: u32 = u32::MAX;

/// Bits of the number by which a component of `width` bits is narrower in a block.
pub fn width_bits(width: u8) -> u32 {
    u8::BITS - width.leading_zeros()
}

impl KeyBlocks {
    /// Reads the blocks of a track. Returns them and the samples of its keys. `ranged` is set for [`Ranged`] keys.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        input: &mut BitReader<'_>,
        size: BlockSize,
        samples: usize,
        ranged: Option<&Ranged>,
    ) -> Result<(Self, Vec<u16>), DecodeError> {
        let count = size.count(samples);
        // A block takes at least one bit, unless it has no open samples.
        input.clone().skip("blocks of keys", count.saturating_sub(2))?;
        let (mut starts, mut own, mut times) = (with_room(count + 1)?, Vec::new(), Vec::new());
        times.try_push(0)?;
        let (mut key, mut bit) = (0, 0);
        for block in 0..count {
            read_times(input, size.open(block, samples), &mut times)?;
            if block + 1 == count && samples > 1 {
                times.try_push((samples - 1) as u16)?;
            }
            let mut start = BlockStart { key: key as u32, bit: bit as u32, own: NO_RANGE };
            if let Some(ranged) = ranged {
                let part = read_own(input, ranged)?;
                bit += (times.len() - key) * part.unwrap_or(ranged.whole()).bits() as usize;
                // Checks that the keys are present, so that memory stays in proportion to the bytes.
                input.clone().skip("keys of a track", bit)?;
                if let Some(part) = part {
                    start.own = own.len() as u32;
                    own.try_push(part)?;
                }
            }
            starts.push(start);
            key = times.len();
        }
        starts.push(BlockStart { key: key as u32, bit: bit as u32, own: NO_RANGE });
        // Without the room that growing lists keep.
        Ok((Self { size, starts, own: copied(&own)? }, copied(&times)?))
    }

    /// Bits of all keys of a track with [`Ranged`] keys.
    pub fn key_bits(&self) -> usize {
        self.starts.last().map_or(0, |end| end.bit as usize)
    }

    /// The range of a key, as a part of its track's range, and its offset in bits from the track's first key. `key` is its index, `sample`
    /// its time.
    #[inline]
    pub fn place(&self, ranged: &Ranged, key: usize, sample: u16) -> (RangedPart, usize) {
        let start = self.starts[self.size.of(sample.into())];
        let part = self.own.get(start.own as usize).copied().unwrap_or(ranged.whole());
        (part, start.bit as usize + (key - start.key as usize) * part.bits() as usize)
    }

    /// A range of keys that contains both keys around a fractional sample: those of its block, one before and one after.
    #[inline]
    pub fn around(&self, at: f64) -> Range<usize> {
        let block = self.size.of(at as usize).min(self.starts.len() - 2);
        let (first, end) = (self.starts[block].key as usize, self.starts[block + 1].key as usize);
        first.saturating_sub(1)..end + 1
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.own[..])
    }
}

fn read_times(input: &mut BitReader<'_>, open: Range<usize>, times: &mut Vec<u16>) -> Result<(), DecodeError> {
    let at = input.bit_position() / 8;
    let keys = input.read("keys of a block", block_count_bits(open.len()))? as usize;
    if keys > open.len() {
        return Err(DecodeError::invalid("keys of a block", at, keys, format_args!("0 to {}", open.len())));
    }
    let number = input.read("times of a block", combination_bits(open.len(), keys))?;
    let sets = combinations(open.len(), keys);
    if number >= sets {
        return Err(DecodeError::invalid("times of a block", at, number, format_args!("less than {sets}")));
    }
    Ok(times.try_extend(combination(open.len(), keys, number).map(|place| (open.start + place) as u16))?)
}

fn read_own(input: &mut BitReader<'_>, ranged: &Ranged) -> Result<Option<RangedPart>, DecodeError> {
    let at = input.bit_position() / 8;
    if input.read("range of a block", 1)? == 0 {
        return Ok(None);
    }
    let (mut narrower, mut above) = ([0; 3], [0; 3]);
    for (narrower, width) in narrower.iter_mut().zip(ranged.widths()) {
        *narrower = input.read("bits of a block", width_bits(width))? as u8;
    }
    for ((above, narrower), width) in above.iter_mut().zip(narrower).zip(ranged.widths()) {
        *above = input.read("least value of a block", if narrower > 0 { width.into() } else { 0 })? as u32;
    }
    ranged.part(narrower, above).map(Some).ok_or_else(|| {
        let found = format_args!("{narrower:?} bits narrower, {above:?} steps higher");
        DecodeError::invalid(
            "range of a block",
            at,
            found,
            format_args!("a part of the track's {:?} bits", ranged.widths()),
        )
    })
}
