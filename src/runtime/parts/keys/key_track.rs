use super::key::KeyFormat;
use super::key_blocks::{BlockSize, KeyBlocks};
use super::key_coding::KeyCoding;
use super::key_search::KeySearch;
use crate::Channel;
use crate::format::{BitReader, DecodeError};
use crate::memory::{TryList, TryPush, with_room};
use crate::parts::tracks::track_table::TrackTable;
use alloc::vec::Vec;

/// One track's keys at some of the samples. Played forwards or backwards with a [`KeyPair`], each step costs a comparison
/// and a blend; a jump costs a binary search.
///
/// On disk: format or [`crate::parts::RANGED_CODE`] (4 bits), number of keys ([`count_bits`]), what [`KeyCoding`] stores once a
/// track, key times, keys. The
/// first and the last sample are always keys, so their times are not stored. The times between are whichever is
/// smallest: nothing when every sample is a key, a bit a sample, or a sample index a key ([`time_bits`] each).
///
/// In blocks: format, what [`KeyCoding`] stores, [`KeyBlocks`], keys.
#[derive(Debug, Clone)]
pub struct KeyTrack<F: KeyFormat> {
    joint: usize,
    coding: KeyCoding<F>,
    /// Samples of the keys, ascending; the first is 0.
    times: Vec<u32>,
    first_bit: usize,
    /// Bits from one key to the next.
    key_step: usize,
    /// Of a track in blocks: there a search need not look farther, and keys may have ranges of their own.
    blocks: Option<KeyBlocks>,
}

/// Two neighbouring keys of a track, decoded: where a player of the track is.
#[derive(Debug, Clone, Copy)]
pub struct KeyPair<K> {
    index: usize,
    a: K,
    b: K,
}

/// How the times of keys are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLayout {
    /// Nothing: every sample is a key.
    EverySample,
    /// A bit a sample but for the first and the last, set for keys.
    Mask,
    /// A sample index a key but for the first and the last, [`time_bits`] each.
    List,
}

impl TimeLayout {
    /// Of `count` keys of a clip, at least two unless it has one sample. Encoder and decoder choose alike, so the choice is
    /// not stored.
    pub fn of(count: usize, samples: usize) -> Self {
        if count == samples {
            Self::EverySample
        } else if (count - 2) * time_bits(samples) as usize <= samples - 2 {
            Self::List
        } else {
            Self::Mask
        }
    }
}

/// Bits of a sample index.
pub fn time_bits(samples: usize) -> u32 {
    usize::BITS - (samples - 1).leading_zeros()
}

/// Bits of a number of keys, `1..=samples`.
pub fn count_bits(samples: usize) -> u32 {
    usize::BITS - samples.leading_zeros()
}

/// Reads the times of a track's keys in the [`TimeLayout`] that so many have: ascending samples from 0 to the last.
///
/// # Errors
/// See [`DecodeError`].
pub fn read_times(input: &mut BitReader<'_>, count: usize, samples: usize) -> Result<Vec<u32>, DecodeError> {
    let at = input.bit_position() / 8;
    let last = samples as u32 - 1;
    let times = match TimeLayout::of(count, samples) {
        TimeLayout::EverySample => return Ok((0..=last).try_list()?),
        TimeLayout::List => {
            let bits = time_bits(samples);
            let start = input.clone();
            input.skip("key times", (count - 2) * bits as usize)?;
            let mut times = with_room(count)?;
            times.push(0);
            let mut input = start;
            for _ in 2..count {
                times.push(input.read("key time", bits)? as u32);
            }
            times.push(last);
            times
        }
        TimeLayout::Mask => {
            let start = input.clone();
            input.skip("key times", samples - 2)?;
            let mut times = with_room(count)?;
            times.push(0);
            let mut input = start;
            for sample in 1..last {
                if input.read("key time", 1)? == 1 {
                    times.try_push(sample)?;
                }
            }
            times.try_push(last)?;
            times
        }
    };
    let is_ascending = times.windows(2).all(|w| w[0] < w[1]);
    if times.len() == count && is_ascending {
        Ok(times)
    } else {
        Err(DecodeError::invalid(
            "key times",
            at,
            "out of order or miscounted",
            format_args!("{count} ascending samples"),
        ))
    }
}

impl<F: KeyFormat> KeyTrack<F> {
    /// Reads and checks a track; `bytes` is what `input` reads from.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>, bytes: &[u8], joint: usize, samples: usize) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let format = KeyCoding::read_code(input)?;
        let count = input.read("number of keys", count_bits(samples))? as usize;
        if count < samples.min(2) || count > samples {
            return Err(DecodeError::invalid("number of keys", at, count, format_args!("2 to {samples}")));
        }
        let coding = KeyCoding::read(format, input)?;
        // Check that the keys are there before their times are made.
        input.clone().skip("keys of a track", count * coding.bits() as usize)?;
        let times = read_times(input, count, samples)?;
        let first_bit = coding.check_keys(input, bytes, count)?;
        Ok(Self { joint, coding, times, first_bit, key_step: coding.bits() as usize, blocks: None })
    }

    /// The same of a track in blocks.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read_in_blocks(
        input: &mut BitReader<'_>,
        bytes: &[u8],
        joint: usize,
        samples: usize,
        size: BlockSize,
    ) -> Result<Self, DecodeError> {
        let format = KeyCoding::read_code(input)?;
        let coding = KeyCoding::read(format, input)?;
        let (blocks, times) = KeyBlocks::read(input, size, samples, coding.ranged())?;
        let first_bit = match coding {
            KeyCoding::Ranged(_) => input.skip("keys of a track", blocks.key_bits())?,
            KeyCoding::Format(..) => coding.check_keys(input, bytes, times.len())?,
        };
        Ok(Self { joint, coding, times, first_bit, key_step: coding.bits() as usize, blocks: Some(blocks) })
    }

    /// Reads the tracks of all animated joints of a channel, in joint order; in blocks where there is a size of these.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read_all(
        input: &mut BitReader<'_>,
        bytes: &[u8],
        table: &TrackTable,
        channel: Channel,
        (samples, blocks): (usize, Option<BlockSize>),
    ) -> Result<Vec<Self>, DecodeError> {
        let track = |joint: usize| match blocks {
            Some(size) => Self::read_in_blocks(input, bytes, joint, samples, size),
            None => Self::read(input, bytes, joint, samples),
        };
        table.animated(channel).map(track).try_list_of()
    }

    /// A track whose keys were checked by the caller: the first at a bit, each of the others a step of bits later.
    /// `times` are ascending samples, at least one; a track of one key keeps its value.
    pub fn from_parts(
        joint: usize,
        coding: KeyCoding<F>,
        times: Vec<u32>,
        (first_bit, key_step): (usize, usize),
    ) -> Self {
        Self { joint, coding, times, first_bit, key_step, blocks: None }
    }

    /// Where a player begins; `bytes` are those that the track was read from.
    pub fn start(&self, bytes: &[u8]) -> KeyPair<F::Key> {
        KeyPair { index: 0, a: self.key(bytes, 0), b: self.key(bytes, usize::from(self.times.len() > 1)) }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.times[..]) + self.blocks.as_ref().map_or(0, KeyBlocks::heap_bytes)
    }

    /// Joint that it moves.
    pub fn joint(&self) -> usize {
        self.joint
    }

    /// How its keys are stored.
    pub fn coding(&self) -> KeyCoding<F> {
        self.coding
    }

    /// Samples of the keys, ascending.
    pub fn times(&self) -> &[u32] {
        &self.times
    }

    /// The value at a fractional sample within the clip; outside the keys, that of the nearest.
    #[inline]
    pub fn sample(&self, bytes: &[u8], at: f64, search: KeySearch, cursor: &mut KeyPair<F::Key>) -> F::Key {
        if self.times.len() < 2 {
            return cursor.a;
        }
        let KeyPair { index, a, b } = match search {
            KeySearch::Cursor => self.moved(bytes, at, cursor),
            // Nothing is remembered, as in the sources: each search is a new one and reads both keys.
            _ => self.pair_at(bytes, self.find(search, at, 0)),
        };
        let (start, end) = (f64::from(self.times[index]), f64::from(self.times[index + 1]));
        if at <= start {
            a
        } else if at >= end {
            b
        } else {
            F::blend(a, b, ((at - start) / (end - start)) as f32)
        }
    }

    /// Index of the key at or before a fractional sample, but not of the very last; there are two at least. `cursor` is where the
    /// last search ended.
    #[inline]
    pub fn find(&self, search: KeySearch, at: f64, cursor: usize) -> usize {
        match &self.blocks {
            None => search.find(&self.times, at, cursor),
            Some(blocks) => search.find_among(&self.times, at, cursor, || blocks.around(at)),
        }
    }

    /// Moves the cursor, which keeps the key that two neighbouring intervals share.
    #[inline]
    fn moved(&self, bytes: &[u8], at: f64, cursor: &mut KeyPair<F::Key>) -> KeyPair<F::Key> {
        let index = self.find(KeySearch::Cursor, at, cursor.index);
        if index == cursor.index + 1 {
            *cursor = KeyPair { index, a: cursor.b, b: self.key(bytes, index + 1) };
        } else if index != cursor.index {
            *cursor = self.pair_at(bytes, index);
        }
        *cursor
    }

    fn pair_at(&self, bytes: &[u8], index: usize) -> KeyPair<F::Key> {
        KeyPair { index, a: self.key(bytes, index), b: self.key(bytes, index + 1) }
    }

    /// The value of one key.
    pub fn key(&self, bytes: &[u8], index: usize) -> F::Key {
        match (&self.coding, &self.blocks) {
            (KeyCoding::Ranged(ranged), Some(blocks)) => {
                let (part, bit) = blocks.place(ranged, index, self.times[index]);
                F::key_without(ranged.dropped(), ranged.numbers_over(&part, bytes, self.first_bit + bit))
            }
            _ => self.coding.key(bytes, self.first_bit + index * self.key_step),
        }
    }
}
