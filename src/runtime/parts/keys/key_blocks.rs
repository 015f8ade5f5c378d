use super::combinations::{MOST_THINGS, combination, combination_bits, combinations};
use super::key_pair::{BlockPlace, KeySpan, Step, Widths};
use super::ranged::{Ranged, RangedPart, codes};
use crate::format::{BitReader, DecodeError, MAX_BITS_AT, bits_at, word_at};
use crate::memory::{NoMemory, TryPush, copied};
use alloc::vec::Vec;
use core::iter;
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
    #[inline]
    pub fn samples(self) -> usize {
        usize::from(self.0)
    }

    /// Number of blocks of a clip.
    #[inline]
    pub fn count(self, samples: usize) -> usize {
        (samples as u32).div_ceil(u32::from(self.0)) as usize
    }

    /// Samples of a block that may or may not be keys. The first and the last sample of the clip are excluded: they are always keys.
    pub fn open(self, block: usize, samples: usize) -> Range<usize> {
        let start = (block * self.samples()).max(1);
        start..((block + 1) * self.samples()).min(samples.saturating_sub(1)).max(start)
    }

    /// The block of a sample.
    #[inline]
    pub fn of(self, sample: usize) -> usize {
        // A division of 32 bits takes half the time of one of 64 bits.
        (sample as u32 / u32::from(self.0)) as usize
    }
}

/// Bits of the number of keys among `open` samples.
pub fn block_count_bits(open: usize) -> u32 {
    usize::BITS - open.leading_zeros()
}

/// Bits of the number by which a component of `width` bits is narrower in a block.
#[inline]
pub fn width_bits(width: u8) -> u32 {
    u8::BITS - width.leading_zeros()
}

/// Keys of all tracks of a clip, in blocks of samples. In memory, a bit per sample is set for keys, so the keys around a time are found
/// without a search. In a track with [`Ranged`] keys, each block may have its own range.
///
/// On disk, per track and block:
/// - the number of its keys ([`block_count_bits`]), without the first and the last sample of the clip, which are always keys;
/// - the number of their set among all sets of that size, see [`combination_bits`];
/// - for a track with [`Ranged`] keys, a bit that is set if the block has its own range. The range follows: for each component, the
///   number of bits by which it is narrower than on the track ([`width_bits`]); then, for each narrower component, the difference of its
///   least value from that of the track, in the component's bits on the track.
///
/// Then, per track, its keys.
#[derive(Debug)]
pub struct KeyBlocks {
    size: BlockSize,
    samples: u32,
    /// Blocks per track.
    blocks: u32,
    /// Bytes of [`KeyBlocks::is_key`] per track.
    stride: u32,
    /// Items of [`KeyBlocks::heads`] per track.
    head: u32,
    /// Per track, a bit for each sample, from a new byte on. [`PADDING`] bytes follow the last track.
    is_key: Vec<u8>,
    /// Per track, the first byte of its ranges, or [`NO_RANGES`]; then, per [`GROUP`] of its blocks, the bit of the first key.
    heads: Vec<u32>,
    /// Per track and block, the bit of its first key, from that of its group on.
    starts: Vec<u16>,
    /// For tracks with blocks that have their own range, a range per block: three widths of [`WIDTH_BITS`], then, from the next byte on, the
    /// least values above those of the track, in the bits that these components have on the track.
    ranges: Vec<u8>,
}

/// Blocks whose bits are counted from the first of them on. 16 bits count those of all keys.
const GROUP: usize = 8;
const _: () = assert!(GROUP * BlockSize::MAX * MOST_KEY_BITS < 1 << u16::BITS);
/// Most bits of a key: a quaternion of four float32.
const MOST_KEY_BITS: usize = 128;
/// Bytes that let a window of bits begin at any sample.
const PADDING: usize = 7;
/// Farther steps forward are jumps: a key in between is likely.
const SHORT_STEP: u16 = 1;
const NO_RANGES: u32 = u32::MAX;
const WIDTH_BITS: u32 = 5;
const WIDTHS_BYTES: usize = 2;

impl KeyBlocks {
    /// No tracks yet.
    pub fn new(size: BlockSize, samples: usize) -> Self {
        let blocks = size.count(samples);
        let (stride, head) = (samples.div_ceil(8) as u32, 1 + blocks.div_ceil(GROUP) as u32);
        let (is_key, heads, starts, ranges) = Default::default();
        Self { size, samples: samples as u32, blocks: blocks as u32, stride, head, is_key, heads, starts, ranges }
    }

    /// Reads and checks the blocks of the next track. Returns the number of its keys and their bits. The keys follow: see [`KeyBlocks::moved`].
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn add(
        &mut self,
        input: &mut BitReader<'_>,
        ranged: Option<&Ranged>,
        key_bits: u32,
    ) -> Result<(usize, usize), DecodeError> {
        let (blocks, samples) = (self.blocks as usize, self.samples as usize);
        // A block takes at least one bit, unless it has no open samples.
        input.clone().skip("blocks of keys", blocks.saturating_sub(2))?;
        let (first_byte, first_head, first_range) = (self.is_key.len(), self.heads.len(), self.ranges.len());
        self.is_key.try_extend((0..self.stride).map(|_| 0))?;
        let is_key = &mut self.is_key[first_byte..];
        let mut set = |sample: usize| is_key[sample / 8] |= 1 << (sample % 8);
        [0, samples - 1].into_iter().for_each(&mut set);
        self.heads.try_push(NO_RANGES)?;
        let (mut bits, mut base, mut count) = (0, 0, 0);
        for block in 0..blocks {
            let ends = usize::from(block == 0) + usize::from(block + 1 == blocks && samples > 1);
            let keys = ends + read_times(input, self.size.open(block, samples), &mut set)?;
            if block % GROUP == 0 {
                base = bits;
                self.heads.try_push(base as u32)?;
            }
            self.starts.try_push((bits - base) as u16)?;
            let mut key_bits = key_bits;
            if let Some(ranged) = ranged {
                let own = read_own(input, ranged)?;
                if own.is_some() {
                    self.heads[first_head] = first_range as u32;
                }
                let part = own.unwrap_or(ranged.whole());
                store(ranged, &part, &mut self.ranges)?;
                key_bits = part.bits();
            }
            (bits, count) = (bits + keys * key_bits as usize, count + keys);
            // Checks that the keys are present, so that memory stays in proportion to the bytes.
            input.clone().skip("keys of a track", bits)?;
        }
        if self.heads[first_head] == NO_RANGES {
            self.ranges.truncate(first_range);
        }
        Ok((count, bits))
    }

    /// Number of tracks.
    pub fn count(&self) -> usize {
        self.heads.len() / self.head as usize
    }

    /// Gives up the room that growing lists keep.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn fit(&mut self) -> Result<(), NoMemory> {
        self.is_key.try_extend([0; PADDING])?;
        (self.is_key, self.heads) = (copied(&self.is_key)?, copied(&self.heads)?);
        (self.starts, self.ranges) = (copied(&self.starts)?, copied(&self.ranges)?);
        Ok(())
    }

    /// The bits of a track's keys.
    pub fn bits_of(&self, track: usize, widths: Widths<'_>) -> Range<usize> {
        let (_, last) = self.place_until(track, widths, self.samples as usize - 1);
        self.first_bit(track, 0) as usize..last.bit as usize + usize::from(last.bits)
    }

    /// Says that the keys of a track, which begin at bit 0 after [`KeyBlocks::add`], were moved from one bit to another.
    pub fn moved(&mut self, track: usize, (from, to): (usize, usize)) {
        let heads = self.heads_of(track);
        self.heads[heads.start + 1..heads.end].iter_mut().for_each(|base| *base = *base - from as u32 + to as u32);
    }

    /// The last key at or before a sample.
    pub fn key_until(&self, track: usize, sample: usize) -> Option<usize> {
        let is_key = self.is_key.get(track * self.stride as usize..)?;
        let first = is_key.get(sample / 8)? & (u8::MAX >> (7 - sample % 8));
        let before = is_key[..sample / 8].iter().rev().copied();
        let (back, keys) = iter::once(first).chain(before).enumerate().find(|(_, keys)| *keys != 0)?;
        Some((sample / 8 - back) * 8 + keys.ilog2() as usize)
    }

    /// The first key after a sample.
    pub fn key_after(&self, track: usize, sample: usize) -> Option<usize> {
        (sample + 1 < self.samples as usize).then(|| self.next_key(track, sample))
    }

    /// The first key after a sample, which is not the last one.
    #[inline]
    fn next_key(&self, track: usize, sample: usize) -> usize {
        let keys = self.window(track, sample + 1);
        if keys == 0 { self.far_next_key(track, sample) } else { sample + 1 + keys.trailing_zeros() as usize }
    }

    #[cold]
    fn far_next_key(&self, track: usize, sample: usize) -> usize {
        let windows = (sample + 1..self.samples as usize).step_by(MAX_BITS_AT as usize);
        let mut with_keys = windows.map(|first| (first, self.window(track, first))).filter(|(_, keys)| *keys != 0);
        with_keys.next().map_or(self.samples as usize - 1, |(first, keys)| first + keys.trailing_zeros() as usize)
    }

    /// Bits of the samples from one on. At least [`MAX_BITS_AT`] are of samples.
    #[inline]
    fn window(&self, track: usize, sample: usize) -> u64 {
        word_at(&self.is_key, 8 * track * self.stride as usize + sample)
    }

    /// Moves a cursor to the keys around a sample. `widths`: see [`KeyReader::widths`](super::KeyReader::widths).
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn enter(&self, track: usize, widths: Widths<'_>, sample: u16, span: &mut KeySpan) -> Step {
        let mut to = 0;
        if sample >= span.to && sample - span.to <= SHORT_STEP {
            to = self.next_key(track, span.to.into());
        }
        let mut step = Step::Next;
        if usize::from(sample) < to {
            span.from = span.to;
        } else {
            let (from, place) = self.place_until(track, widths, sample.into());
            (span.from, span.next, step) = (from as u16, place, Step::Jump(place));
            if self.samples == 1 {
                span.to = span.from;
                return step;
            }
            span.next.bit += u32::from(place.bits);
            to = self.next_key(track, sample.into());
        }
        if to >= span.next.block_end.into() {
            // The key before lies in an earlier block, so this is the first one of its own.
            span.next = self.start(track, widths, self.size.of(to));
        }
        span.to = to as u16;
        step
    }

    /// The last key at or before a sample, and its place.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn place_until(&self, track: usize, widths: Widths<'_>, sample: usize) -> (usize, BlockPlace) {
        let mut block = self.size.of(sample);
        let mut keys = self.keys_until(track, block, sample);
        if keys == 0 {
            let before = self.key_until(track, sample).unwrap_or(0);
            block = self.size.of(before);
            keys = self.keys_until(track, block, before) | u64::from(before == 0);
        }
        let mut place = self.start(track, widths, block);
        place.bit += (keys.count_ones() - 1) * u32::from(place.bits);
        (block * self.size.samples() + keys.ilog2() as usize, place)
    }

    /// The bit of a block's first key.
    #[inline]
    fn first_bit(&self, track: usize, block: usize) -> u32 {
        let base = self.heads[self.heads_of(track).start + 1 + block / GROUP];
        base + u32::from(self.starts[track * self.blocks as usize + block])
    }

    /// Places of a track in [`KeyBlocks::heads`].
    #[inline]
    fn heads_of(&self, track: usize) -> Range<usize> {
        track * self.head as usize..(track + 1) * self.head as usize
    }

    /// Bits of a block's samples up to one of them.
    #[inline]
    fn keys_until(&self, track: usize, block: usize, sample: usize) -> u64 {
        let first = block * self.size.samples();
        self.window(track, first) & (u64::MAX >> (63 - (sample - first)))
    }

    /// The place of a block's first key. The range is that of the track, if no block has its own.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn start(&self, track: usize, widths: Widths<'_>, block: usize) -> BlockPlace {
        let bit = self.first_bit(track, block);
        let block_end = ((block + 1) * self.size.samples()).min(u16::MAX.into()) as u16;
        let at = self.heads[self.heads_of(track).start];
        if at == NO_RANGES {
            return BlockPlace { bit, block_end, bits: sum(widths()) as u8, part: RangedPart::new(widths(), [0; 3]) };
        }
        let widths = widths();
        let at = at as usize + block * stored_bytes(sum(widths));
        let own = bits_at(&self.ranges, 8 * at, 3 * WIDTH_BITS) as u32;
        let own = [0, 1, 2].map(|i| (own >> (i * WIDTH_BITS)) as u8 & ((1 << WIDTH_BITS) - 1));
        let part = RangedPart::new(own, codes(widths, &self.ranges, 8 * (at + WIDTHS_BYTES)));
        BlockPlace { bit, block_end, bits: part.bits() as u8, part }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        self.is_key.len() + size_of_val(&self.heads[..]) + size_of_val(&self.starts[..]) + self.ranges.len()
    }
}

/// Bits of a key.
#[inline]
fn sum(widths: [u8; 3]) -> u32 {
    widths.iter().map(|width| u32::from(*width)).sum()
}

/// Reads the times of a block's keys and passes them to `set`. Returns their number.
fn read_times(
    input: &mut BitReader<'_>,
    open: Range<usize>,
    set: &mut impl FnMut(usize),
) -> Result<usize, DecodeError> {
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
    combination(open.len(), keys, number).for_each(|place| set(open.start + place));
    Ok(keys)
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

/// Bytes of a block's range in memory, for a track with keys of some bits.
#[inline]
fn stored_bytes(key_bits: u32) -> usize {
    WIDTHS_BYTES + key_bits.div_ceil(8) as usize
}

/// Appends the bytes of a block's range in memory.
fn store(ranged: &Ranged, part: &RangedPart, out: &mut Vec<u8>) -> Result<(), NoMemory> {
    let (mut widths, mut above, mut shift) = (0, 0, 0);
    for i in 0..3 {
        widths |= u64::from(part.widths()[i]) << (i as u32 * WIDTH_BITS);
        above |= u64::from(part.above()[i]) << shift;
        shift += u32::from(ranged.widths()[i]);
    }
    for (word, count) in [(widths, WIDTHS_BYTES), (above, stored_bytes(shift) - WIDTHS_BYTES)] {
        for byte in &word.to_le_bytes()[..count] {
            out.try_push(*byte)?;
        }
    }
    Ok(())
}
