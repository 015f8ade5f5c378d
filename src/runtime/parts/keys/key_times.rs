use super::key::KeyFormat;
use super::key_blocks::KeyBlocks;
use super::key_coding::KeyReader;
use super::key_lists::KeyLists;
use super::key_place::KeyAt;
use super::key_search::KeySearch;
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
    /// The last key at or before a sample, and the key after it. The sample is not the last one of the clip, unless it is its only one. `last`
    /// is the first of the keys that were found last.
    #[inline]
    pub fn around(&self, track: usize, sample: u16, search: KeySearch, last: u16) -> [KeyAt; 2] {
        match self {
            Self::Lists(lists) => lists.around(track, sample, search, last),
            Self::Blocks(blocks) => {
                let from = blocks.key_until(track, sample.into()).unwrap_or(0);
                [from, blocks.key_after(track, sample.into()).unwrap_or(from)].map(KeyAt::of_sample)
            }
        }
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

    /// The value of a key. The keys were read from `bytes`, or copied.
    #[inline]
    pub fn value<F: KeyFormat>(&self, track: usize, coding: &KeyReader<F>, bytes: &[u8], key: KeyAt) -> F::Key {
        match self {
            Self::Lists(lists) => coding.key(bytes, lists.bit(track, key)),
            Self::Blocks(blocks) => blocks.value(track, coding, bytes, key.sample.into()),
        }
    }

    /// The bits of a track's keys.
    pub fn bits_of<F: KeyFormat>(&self, track: usize, coding: &KeyReader<F>) -> Range<usize> {
        match self {
            Self::Lists(lists) => lists.bits_of(track, coding.bits()),
            Self::Blocks(blocks) => blocks.bits_of(track, coding),
        }
    }

    /// Says that the keys of a track were moved from one bit to another.
    pub fn moved(&mut self, track: usize, (from, to): (usize, usize)) {
        match self {
            Self::Lists(lists) => lists.moved(track, (from, to)),
            Self::Blocks(blocks) => blocks.moved(track, (from, to)),
        }
    }

    /// Gives up the room that growing lists keep.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn fit(&mut self) -> Result<(), NoMemory> {
        match self {
            Self::Lists(lists) => lists.fit(),
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
