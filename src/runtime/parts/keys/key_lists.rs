use super::key_place::KeyAt;
use super::key_search::KeySearch;
use crate::format::{BitReader, DecodeError};
use crate::memory::{NoMemory, TryPush, copied};
use alloc::vec::Vec;
use core::ops::Range;

/// Times of the keys of all tracks of a clip, in one list. Takes with more samples than 16 bits can count are cut into
/// [`Stretches`](crate::parts::Stretches).
#[derive(Debug, Default)]
pub struct KeyLists {
    tracks: Vec<ListedTrack>,
    /// Samples of the keys, ascending within a track.
    times: Vec<u16>,
}

/// A track in [`KeyLists`].
#[derive(Debug, Clone, Copy)]
struct ListedTrack {
    first_time: u32,
    /// Number of keys, at least one. A track with one key is constant.
    keys: u32,
    first_bit: u32,
    /// Bits from one key to the next.
    key_step: u32,
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

/// Reads the times of `count` keys in their [`TimeLayout`]: ascending samples from 0 to the last. Appends them to `times`.
///
/// # Errors
/// See [`DecodeError`].
pub fn read_times(
    input: &mut BitReader<'_>,
    count: usize,
    samples: usize,
    times: &mut Vec<u16>,
) -> Result<(), DecodeError> {
    let (at, first) = (input.bit_position() / 8, times.len());
    let last = (samples - 1) as u16;
    match TimeLayout::of(count, samples) {
        TimeLayout::EverySample => return Ok(times.try_extend(0..=last)?),
        TimeLayout::List => {
            let bits = time_bits(samples);
            input.clone().skip("key times", (count - 2) * bits as usize)?;
            times.try_push(0)?;
            for _ in 2..count {
                times.try_push(input.read("key time", bits)? as u16)?;
            }
        }
        TimeLayout::Mask => {
            input.clone().skip("key times", samples - 2)?;
            times.try_push(0)?;
            for sample in 1..last {
                if input.read("key time", 1)? == 1 {
                    times.try_push(sample)?;
                }
            }
        }
    }
    times.try_push(last)?;
    if times.len() - first == count && is_ascending(&times[first..]) {
        return Ok(());
    }
    let expected = format_args!("{count} ascending samples");
    Err(DecodeError::invalid("key times", at, "out of order or miscounted", expected))
}

/// True if each time is later than the one before it.
pub fn is_ascending(times: &[u16]) -> bool {
    times.windows(2).all(|w| w[0] < w[1])
}

impl KeyLists {
    /// Adds a track. `read` appends its times, at least one, and returns the bit of its first key. The next key follows after `key_step`
    /// bits.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn add(
        &mut self,
        key_step: u32,
        read: impl FnOnce(&mut Vec<u16>) -> Result<usize, DecodeError>,
    ) -> Result<(), DecodeError> {
        let first_time = self.times.len();
        let first_bit = read(&mut self.times)? as u32;
        let keys = (self.times.len() - first_time) as u32;
        Ok(self.tracks.try_push(ListedTrack { first_time: first_time as u32, keys, first_bit, key_step })?)
    }

    /// The last key at or before a sample, and the key after it. `last` is the index of the first key that was found last.
    #[inline]
    pub fn around(&self, track: usize, sample: u16, search: KeySearch, last: u16) -> [KeyAt; 2] {
        let times = self.times_of(track);
        let before = if times.len() < 2 { 0 } else { search.find(times, sample, last.into()) };
        let key = |index: usize| KeyAt { sample: times[index], index: index as u16 };
        [key(before), key((before + 1).min(times.len() - 1))]
    }

    /// A key by its index, if the track has that many.
    pub fn key(&self, track: usize, index: usize) -> Option<KeyAt> {
        Some(KeyAt { sample: *self.times_of(track).get(index)?, index: index as u16 })
    }

    /// The bit of a key.
    #[inline]
    pub fn bit(&self, track: usize, key: KeyAt) -> usize {
        let ListedTrack { first_bit, key_step, .. } = self.tracks[track];
        first_bit as usize + usize::from(key.index) * key_step as usize
    }

    /// The bits of a track's keys, which have `key_bits` each.
    pub fn bits_of(&self, track: usize, key_bits: u32) -> Range<usize> {
        let ListedTrack { first_bit, key_step, keys, .. } = self.tracks[track];
        first_bit as usize..first_bit as usize + (keys as usize - 1) * key_step as usize + key_bits as usize
    }

    /// Says that the keys of a track were moved from one bit to another.
    pub fn moved(&mut self, track: usize, (from, to): (usize, usize)) {
        let first_bit = &mut self.tracks[track].first_bit;
        *first_bit = *first_bit - from as u32 + to as u32;
    }

    /// Gives up the room that growing lists keep.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn fit(&mut self) -> Result<(), NoMemory> {
        (self.tracks, self.times) = (copied(&self.tracks)?, copied(&self.times)?);
        Ok(())
    }

    #[inline]
    fn times_of(&self, track: usize) -> &[u16] {
        let ListedTrack { first_time, keys, .. } = self.tracks[track];
        &self.times[first_time as usize..][..keys as usize]
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.tracks[..]) + size_of_val(&self.times[..])
    }
}
