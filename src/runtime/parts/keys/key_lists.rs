use super::key_pair::{BlockPlace, KeySpan, Step, Widths};
use super::key_place::KeyAt;
use super::key_search::KeySearch;
use super::ranged::RangedPart;
use crate::format::{BitReader, DecodeError};
use crate::memory::{NoMemory, TryPush};
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

/// Reads the number of a track's keys.
///
/// # Errors
/// See [`DecodeError`].
pub fn read_count(input: &mut BitReader<'_>, samples: usize) -> Result<usize, DecodeError> {
    let at = input.bit_position() / 8;
    let count = input.read("number of keys", count_bits(samples))? as usize;
    if count < samples.min(2) || count > samples {
        return Err(DecodeError::invalid("number of keys", at, count, format_args!("2 to {samples}")));
    }
    Ok(count)
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
        TimeLayout::List => {
            let bits = time_bits(samples);
            input.clone().skip("key times", (count - 2) * bits as usize)?;
            times.try_push(0)?;
            for _ in 2..count {
                times.try_push(input.read("key time", bits)? as u16)?;
            }
        }
        layout => {
            let bits = u32::from(layout == TimeLayout::Mask);
            input.clone().skip("key times", samples.saturating_sub(2) * bits as usize)?;
            times.try_push(0)?;
            for sample in 1..last {
                if input.read("key time", bits)? == u64::from(bits) {
                    times.try_push(sample)?;
                }
            }
        }
    }
    if last > 0 {
        times.try_push(last)?;
    }
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
    /// Adds a track. `read` appends its times, at least one. The first key is at `first_bit`, the next one follows after `key_step` bits.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn add(
        &mut self,
        (first_bit, key_step, keys): (usize, u32, usize),
        read: impl FnOnce(&mut Vec<u16>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let first_time = self.times.len() as u32;
        // Exactly, without the room that growing lists keep.
        self.tracks.try_reserve_exact(1).map_err(NoMemory::from)?;
        self.times.try_reserve_exact(keys).map_err(NoMemory::from)?;
        read(&mut self.times)?;
        Ok(self.tracks.try_push(ListedTrack {
            first_time,
            keys: keys as u32,
            first_bit: first_bit as u32,
            key_step,
        })?)
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

    /// Moves a cursor to the keys around a sample.
    pub fn enter(
        &self,
        track: usize,
        widths: Widths<'_>,
        (sample, search): (u16, KeySearch),
        span: &mut KeySpan,
    ) -> Step {
        let [from, to] = self.around(track, sample, search, span.index);
        if [from.sample, to.sample] == [span.from, span.to] {
            return Step::Stay;
        }
        let is_next = from.sample == span.to;
        *span = KeySpan { from: from.sample, to: to.sample, index: from.index, next: self.place(track, widths, to) };
        if is_next { Step::Next } else { Step::Jump(self.place(track, widths, from)) }
    }

    /// The place of a key.
    pub fn place(&self, track: usize, widths: Widths<'_>, key: KeyAt) -> BlockPlace {
        let ListedTrack { first_bit, key_step, .. } = self.tracks[track];
        let bit = first_bit + u32::from(key.index) * key_step;
        BlockPlace { bit, block_end: 0, bits: 0, part: RangedPart::new(widths(), [0; 3]) }
    }

    /// The bits of a track's keys.
    pub fn bits_of(&self, track: usize, widths: Widths<'_>) -> Range<usize> {
        let ListedTrack { first_bit, key_step, keys, .. } = self.tracks[track];
        first_bit as usize
            ..first_bit as usize
                + (keys as usize - 1) * key_step as usize
                + RangedPart::new(widths(), [0; 3]).bits() as usize
    }

    /// Says that the keys of a track were moved from one bit to another.
    pub fn moved(&mut self, track: usize, (from, to): (usize, usize)) {
        let first_bit = &mut self.tracks[track].first_bit;
        *first_bit = *first_bit - from as u32 + to as u32;
    }

    /// Number of tracks.
    pub fn count(&self) -> usize {
        self.tracks.len()
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
