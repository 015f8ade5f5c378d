use super::combinations::{MOST_THINGS, combination, combination_bits, combinations};
use super::ranged::{Ranged, RangedPart};
use crate::format::{BitReader, DecodeError};
use crate::memory::{TryPush, with_room};
use alloc::vec::Vec;
use core::ops::Range;

/// Samples of a block of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSize(u8);

impl BlockSize {
    /// Fewest samples.
    pub const MIN: usize = 8;
    /// Most samples: their sets of keys have numbers that are read at once.
    pub const MAX: usize = MOST_THINGS;
    /// Bits on disk.
    pub const BITS: u32 = 6;

    /// Of that many samples, or as near as there is.
    pub fn near(samples: usize) -> Self {
        Self(samples.clamp(Self::MIN, Self::MAX) as u8)
    }

    /// Reads how many.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let samples = input.read("samples a block", Self::BITS)? as usize;
        let invalid =
            || DecodeError::invalid("samples a block", at, samples, format_args!("{} to {}", Self::MIN, Self::MAX));
        (Self::MIN..=Self::MAX).contains(&samples).then_some(Self(samples as u8)).ok_or_else(invalid)
    }

    /// How many.
    pub fn samples(self) -> usize {
        usize::from(self.0)
    }

    /// How many blocks a clip has.
    pub fn count(self, samples: usize) -> usize {
        samples.div_ceil(self.samples())
    }

    /// Samples of a block that may be keys or not: the first of a clip and its last always are.
    pub fn open(self, block: usize, samples: usize) -> Range<usize> {
        let start = (block * self.samples()).max(1);
        start..((block + 1) * self.samples()).min(samples.saturating_sub(1)).max(start)
    }

    /// The block in which a sample lies.
    pub fn of(self, sample: usize) -> usize {
        // 32 bits divide in half the time of 64.
        (sample as u32 / u32::from(self.0)) as usize
    }
}

/// Bits of a number of keys among so many samples.
pub fn block_count_bits(open: usize) -> u32 {
    usize::BITS - open.leading_zeros()
}

/// Which keys lie in which block of a clip, and of keys that take as many bits as they need, which range they have there.
///
/// On disk, block after block: how many of its samples are keys ([`block_count_bits`]; the first sample of the clip and its last are
/// always and are not counted); the number of the set that they are, in as few bits as count such sets; of tracks with a
/// [`Ranged`] a bit, set where the block has a range of its own, which then follows: by how many bits each component is narrower
/// there ([`width_bits`]), and of one that is by any, how far its least value lies above that of the track, in as many bits as the
/// component takes.
#[derive(Debug, Clone)]
pub struct KeyBlocks {
    size: BlockSize,
    /// One a block, and where the keys of the last end.
    starts: Vec<BlockStart>,
    /// Of blocks that have one of their own.
    own: Vec<RangedPart>,
}

#[derive(Debug, Clone, Copy)]
struct BlockStart {
    key: u32,
    /// From the first key of the track on.
    bit: u32,
    /// Place in the list of own ranges, or [`NO_RANGE`].
    own: u32,
}

const NO_RANGE: u32 = u32::MAX;

/// Bits that say how much narrower a component is in a block than on its track.
pub fn width_bits(width: u8) -> u32 {
    u8::BITS - width.leading_zeros()
}

impl KeyBlocks {
    /// Reads the blocks of a track, whose range is `ranged` where its keys take as many bits as they need, and the samples of
    /// its keys.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        input: &mut BitReader<'_>,
        size: BlockSize,
        samples: usize,
        ranged: Option<&Ranged>,
    ) -> Result<(Self, Vec<u32>), DecodeError> {
        let count = size.count(samples);
        // Every block takes a bit at least, but for one without open samples.
        input.clone().skip("blocks of keys", count.saturating_sub(2))?;
        let (mut starts, mut own, mut times) = (with_room(count + 1)?, Vec::new(), Vec::new());
        times.try_push(0)?;
        let (mut key, mut bit) = (0, 0);
        for block in 0..count {
            read_times(input, size.open(block, samples), &mut times)?;
            if block + 1 == count && samples > 1 {
                times.try_push(samples as u32 - 1)?;
            }
            let mut start = BlockStart { key: key as u32, bit: bit as u32, own: NO_RANGE };
            if let Some(ranged) = ranged {
                let part = read_own(input, ranged)?;
                bit += (times.len() - key) * part.unwrap_or(ranged.whole()).bits() as usize;
                // That the keys are there: nothing is remembered of more than the bytes have.
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
        Ok((Self { size, starts, own }, times))
    }

    /// Bits of all keys of a track that has a [`Ranged`].
    pub fn key_bits(&self) -> usize {
        self.starts.last().map_or(0, |end| end.bit as usize)
    }

    /// The part of its track's range over which the key of that number at that sample is stored, and its bit from the track's
    /// first on.
    #[inline]
    pub fn place(&self, ranged: &Ranged, key: usize, sample: u32) -> (RangedPart, usize) {
        let start = self.starts[self.size.of(sample as usize)];
        let part = self.own.get(start.own as usize).copied().unwrap_or(ranged.whole());
        (part, start.bit as usize + (key - start.key as usize) * part.bits() as usize)
    }

    /// The keys among which the two around a fractional sample are: those of its block, the one before and the one after.
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

fn read_times(input: &mut BitReader<'_>, open: Range<usize>, times: &mut Vec<u32>) -> Result<(), DecodeError> {
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
    Ok(times.try_extend(combination(open.len(), keys, number).map(|place| (open.start + place) as u32))?)
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
        let found = format_args!("{narrower:?} less, {above:?} above");
        DecodeError::invalid("range of a block", at, found, format_args!("a part of {:?} bits", ranged.widths()))
    })
}
