use super::key_blocks::KeyBlocks;
use super::key_lists::{KeyLists, read_count, read_times};
use super::key_pair::{BlockPlace, KeySpan, Step, Widths};
use super::key_place::KeyAt;
use super::key_search::KeySearch;
use super::ranged::Ranged;
use crate::format::{BitReader, DecodeError};
use crate::memory::NoMemory;
use core::ops::Range;

/// Times and places of the keys of all tracks of a clip.
#[derive(Debug)]
pub enum KeyTimes {
    /// A list of times per track.
    Lists(KeyLists),
    /// Blocks of samples.
    Blocks(KeyBlocks),
}

impl KeyTimes {
    /// Reads the number of a track's keys, which precedes their coding in lists.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read_count(&self, input: &mut BitReader<'_>, samples: usize) -> Result<usize, DecodeError> {
        match self {
            Self::Lists(_) => read_count(input, samples),
            Self::Blocks(_) => Ok(0),
        }
    }

    /// Reads and checks the times of the next track, with its number of keys in lists. Returns the number of its keys and their bits. The keys
    /// follow: see [`KeyTimes::moved`].
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn add(
        &mut self,
        input: &mut BitReader<'_>,
        (ranged, key_bits): (Option<&Ranged>, u32),
        (listed, samples): (usize, usize),
    ) -> Result<(usize, usize), DecodeError> {
        match self {
            Self::Lists(lists) => {
                let bits = listed * key_bits as usize;
                // Checks that the keys are present before memory for their times is allocated.
                input.clone().skip("keys of a track", bits)?;
                lists.add((0, key_bits, listed), |times| read_times(input, listed, samples, times))?;
                Ok((listed, bits))
            }
            Self::Blocks(blocks) => blocks.add(input, ranged, key_bits),
        }
    }

    /// The last key at or before a sample, and the key after it. The sample is not the last one of the clip, unless it is its only one. `last`
    /// is the first of the keys that were found last.
    pub fn around(&self, track: usize, widths: Widths<'_>, sample: u16, last: KeyAt) -> [KeyAt; 2] {
        let mut span = KeySpan { to: KeySpan::NOWHERE, index: last.index, ..KeySpan::default() };
        self.enter(track, widths, (sample, KeySearch::Cursor), &mut span);
        let index = |sample: u16, index: u16| KeyAt { sample, index: if self.is_listed() { index } else { sample } };
        [index(span.from, span.index), index(span.to, span.index + u16::from(span.from < span.to))]
    }

    fn is_listed(&self) -> bool {
        matches!(self, Self::Lists(_))
    }

    /// The key before another one.
    pub fn before(&self, track: usize, key: KeyAt) -> Option<KeyAt> {
        match self {
            Self::Lists(lists) => lists.key(track, usize::from(key.index).checked_sub(1)?),
            Self::Blocks(blocks) => {
                let sample = usize::from(key.sample).checked_sub(1)?;
                blocks.key_until(track, sample).map(KeyAt::of_sample)
            }
        }
    }

    /// The key after another one.
    pub fn after(&self, track: usize, key: KeyAt) -> Option<KeyAt> {
        match self {
            Self::Lists(lists) => lists.key(track, usize::from(key.index) + 1),
            Self::Blocks(blocks) => blocks.key_after(track, key.sample.into()).map(KeyAt::of_sample),
        }
    }

    /// Moves a cursor to the keys around a sample. The sample is not the last one of the clip, unless it is its only one.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn enter(
        &self,
        track: usize,
        widths: Widths<'_>,
        (sample, search): (u16, KeySearch),
        span: &mut KeySpan,
    ) -> Step {
        match self {
            Self::Lists(lists) => lists.enter(track, widths, (sample, search), span),
            Self::Blocks(blocks) => blocks.enter(track, widths, sample, span),
        }
    }

    /// The place of a key.
    pub fn place(&self, track: usize, widths: Widths<'_>, key: KeyAt) -> BlockPlace {
        match self {
            Self::Lists(lists) => lists.place(track, widths, key),
            Self::Blocks(blocks) => blocks.place_until(track, widths, key.sample.into()).1,
        }
    }

    /// The bits of a track's keys.
    pub fn bits_of(&self, track: usize, widths: Widths<'_>) -> Range<usize> {
        match self {
            Self::Lists(lists) => lists.bits_of(track, widths),
            Self::Blocks(blocks) => blocks.bits_of(track, widths),
        }
    }

    /// Says that the keys of a track were moved from one bit to another.
    pub fn moved(&mut self, track: usize, (from, to): (usize, usize)) {
        match self {
            Self::Lists(lists) => lists.moved(track, (from, to)),
            Self::Blocks(blocks) => blocks.moved(track, (from, to)),
        }
    }

    /// Number of tracks.
    pub fn count(&self) -> usize {
        match self {
            Self::Lists(lists) => lists.count(),
            Self::Blocks(blocks) => blocks.count(),
        }
    }

    /// Gives up the room that growing lists keep.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn fit(&mut self) -> Result<(), NoMemory> {
        match self {
            Self::Lists(_) => Ok(()),
            Self::Blocks(blocks) => blocks.fit(),
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Lists(lists) => lists.heap_bytes(),
            Self::Blocks(blocks) => blocks.heap_bytes(),
        }
    }
}
