use super::key::KeyFormat;
use super::key_blocks::{BlockSize, KeyBlocks};
use super::key_coding::KeyCoding;
use super::key_search::KeySearch;
use crate::Channel;
use crate::format::{BitReader, DecodeError};
use crate::memory::{TryList, TryPush, with_room};
use crate::parts::StoredTracks;
use alloc::vec::Vec;

/// One track's keys at some of the samples. With a [`KeyPair`], most steps of forward playback cost a comparison and a blend. A jump
/// costs a binary search.
///
/// On disk: format or [`crate::parts::RANGED_CODE`] (4 bits), number of keys ([`count_bits`]), the settings of [`KeyCoding`], key times,
/// keys. The first and the last sample are always keys, so their times are not stored. [`TimeLayout`] describes the times between.
///
/// On disk, in blocks: format, the settings of [`KeyCoding`], [`KeyBlocks`], keys.
#[derive(Debug, Clone)]
pub struct KeyTrack<F: KeyFormat> {
    joint: usize,
    coding: KeyCoding<F>,
    /// Samples of the keys, ascending. Takes with more samples than 16 bits can count are cut into [`Stretches`](crate::parts::Stretches).
    times: Vec<u16>,
    first_bit: usize,
    /// Bits from one key to the next.
    key_step: usize,
    /// Blocks of keys, if any. A search covers one block, and the keys of a block may have their own range.
    blocks: Option<KeyBlocks>,
}

/// The cursor of a track: two neighbouring keys, decoded.
#[derive(Debug, Clone, Copy)]
pub struct KeyPair<K> {
    index: usize,
    a: K,
    b: K,
}

/// The storage of key times, without the first and the last sample, which are always keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLayout {
    /// Nothing is stored: every sample is a key.
    EverySample,
    /// One bit per sample, set for keys.
    Mask,
    /// One sample index per key, [`time_bits`] each.
    List,
}

impl TimeLayout {
    /// The smallest layout for `count` keys: at least two, or one in a clip of one sample. It follows from the two numbers, so it is not
    /// stored.
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

/// Reads the times of `count` keys in their [`TimeLayout`]: ascending samples from 0 to the last.
///
/// # Errors
/// See [`DecodeError`].
pub fn read_times(input: &mut BitReader<'_>, count: usize, samples: usize) -> Result<Vec<u16>, DecodeError> {
    let at = input.bit_position() / 8;
    let last = (samples - 1) as u16;
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
                times.push(input.read("key time", bits)? as u16);
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
    /// Reads and checks a track. `input` reads from `bytes`.
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
        // Checks that the keys are present before memory for their times is allocated.
        input.clone().skip("keys of a track", count * coding.bits() as usize)?;
        let times = read_times(input, count, samples)?;
        let first_bit = coding.check_keys(input, bytes, count)?;
        Ok(Self { joint, coding, times, first_bit, key_step: coding.bits() as usize, blocks: None })
    }

    /// Like [`KeyTrack::read`], for a track in blocks.
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

    /// Reads the tracks of all animated joints of a channel, in joint order. They are in blocks if there is a block size.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read_all(
        input: &mut BitReader<'_>,
        bytes: &[u8],
        table: &StoredTracks,
        channel: Channel,
        (samples, blocks): (usize, Option<BlockSize>),
    ) -> Result<Vec<Self>, DecodeError> {
        let mut tracks = with_room(table.animated(channel).count())?;
        for joint in table.animated(channel) {
            tracks.push(match blocks {
                Some(size) => Self::read_in_blocks(input, bytes, joint, samples, size)?,
                None => Self::read(input, bytes, joint, samples)?,
            });
        }
        Ok(tracks)
    }

    /// A track whose keys the caller has checked: the first key at `first_bit`, then one every `key_step` bits. `times` has at least one
    /// sample, ascending. A track with one key is constant.
    pub fn from_parts(
        joint: usize,
        coding: KeyCoding<F>,
        times: Vec<u16>,
        (first_bit, key_step): (usize, usize),
    ) -> Self {
        Self { joint, coding, times, first_bit, key_step, blocks: None }
    }

    /// A cursor at the first key. The track was read from `bytes`.
    pub fn start(&self, bytes: &[u8]) -> KeyPair<F::Key> {
        KeyPair { index: 0, a: self.key(bytes, 0), b: self.key(bytes, usize::from(self.times.len() > 1)) }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.times[..]) + self.blocks.as_ref().map_or(0, KeyBlocks::heap_bytes)
    }

    /// Its joint.
    pub fn joint(&self) -> usize {
        self.joint
    }

    /// The coding of its keys.
    pub fn coding(&self) -> KeyCoding<F> {
        self.coding
    }

    /// Samples of the keys, ascending.
    pub fn times(&self) -> &[u16] {
        &self.times
    }

    /// The value at a fractional sample. Outside the keys, the value of the nearest key.
    #[inline]
    pub fn sample(&self, bytes: &[u8], at: f64, search: KeySearch, cursor: &mut KeyPair<F::Key>) -> F::Key {
        if self.times.len() < 2 {
            return cursor.a;
        }
        let KeyPair { index, a, b } = match search {
            KeySearch::Cursor => self.moved(bytes, at, cursor),
            // As in the published codecs, nothing is cached: each search starts again and reads both keys.
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

    /// Index of the last key at or before a fractional sample; at most that of the second-last key. There are at least two keys. `cursor`
    /// is the result of the last search.
    #[inline]
    pub fn find(&self, search: KeySearch, at: f64, cursor: usize) -> usize {
        match &self.blocks {
            None => search.find(&self.times, at, cursor),
            Some(blocks) => search.find_among(&self.times, at, cursor, || blocks.around(at)),
        }
    }

    /// Moves the cursor. In the next interval, it reuses the shared key.
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
