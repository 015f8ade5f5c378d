use crate::format::{BitReader, DecodeError, bits_at};
use crate::memory::{NoMemory, TryPush, with_room};
use alloc::vec::Vec;

/// Where a scan through keys in the order in which they are needed can start other than at the first key: Riot's jump
/// tables for seeking.
///
/// A jump holds what a scan up to its sample knows: for each track the places of the keys that it read last, then the place
/// of the next key. Jumps lie `every` samples apart, the first at `every`: before it, the first key is as near. A place is
/// whatever numbers the keys of a stream from 0 on: bits, or words of 16 bits.
///
/// On disk: `every` (16 bits), bits of a place (6 bits), then the places, jump after jump. A clip that has none on disk gets
/// one in memory when it is opened: [`JumpTable::to_build`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JumpTable {
    every: usize,
    count: usize,
    /// Of one jump: the keys of all tracks, and the next.
    places: usize,
    store: Store,
}

/// Where the places are.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Store {
    /// In the payload.
    Payload { place_bits: u32, first_bit: usize },
    /// Made when the clip was opened.
    Built(Vec<u32>),
}

/// A table in memory takes at most one in so many bytes of the keys that it leads to.
const KEY_BYTES_A_BYTE: usize = 4;
/// Jumps that lie closer gain little: few keys are passed between them.
const CLOSEST_SAMPLES: usize = 8;

/// A place is read at once, and no file is longer.
const MAX_PLACE_BITS: u32 = 48;

impl JumpTable {
    /// Bits of the samples from jump to jump.
    pub const EVERY_BITS: u32 = 16;
    /// Bits of the number of bits of a place.
    pub const WIDTH_BITS: u32 = 6;

    /// Number of jumps of a clip of `samples`.
    fn count(every: usize, samples: usize) -> usize {
        (samples - 1) / every
    }

    /// The samples at which jumps lie; `every` is at least 1.
    pub fn samples(every: usize, samples: usize) -> impl Iterator<Item = u32> {
        (1..=Self::count(every, samples)).map(move |jump| (jump * every) as u32)
    }

    /// Reads a table of `places` a jump. What they say is checked by whoever scans the keys: [`JumpTable::note`].
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>, samples: usize, places: usize) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let every = input.read("samples from jump to jump", Self::EVERY_BITS)? as usize;
        let place_bits = input.read("bits of a jump's place", Self::WIDTH_BITS)? as u32;
        if every == 0 || place_bits > MAX_PLACE_BITS {
            let found = format_args!("{place_bits} bits every {every} samples");
            return Err(DecodeError::invalid("jump table", at, found, "1 sample or more, 48 bits or less"));
        }
        let count = Self::count(every, samples);
        let bits = count.saturating_mul(places).saturating_mul(place_bits as usize);
        let first_bit = input.skip("jump table", bits)?;
        Ok(Self { every, count, places, store: Store::Payload { place_bits, first_bit } })
    }

    /// A table for a clip that has none, to be filled by [`JumpTable::note`], of `places` a jump: as many jumps as a fourth of
    /// `key_bytes` holds. `None` where that is not one.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn to_build(samples: usize, places: usize, key_bytes: usize) -> Result<Option<Self>, NoMemory> {
        let most = key_bytes / KEY_BYTES_A_BYTE / (places * size_of::<u32>());
        let every = samples.div_ceil(most + 1).max(CLOSEST_SAMPLES);
        let count = Self::count(every, samples).min(most);
        let store = Store::Built(with_room(count * places)?);
        Ok((count > 0).then_some(Self { every, count, places, store }))
    }

    /// Number of jumps.
    #[allow(clippy::len_without_is_empty)] // a clip shorter than a jump has none, which nobody asks
    pub fn len(&self) -> usize {
        self.count
    }

    /// Samples from jump to jump.
    pub fn every(&self) -> usize {
        self.every
    }

    /// The last jump at or before a fractional sample.
    #[inline]
    pub fn before(&self, at: f64) -> Option<usize> {
        (at as usize / self.every).min(self.count).checked_sub(1)
    }

    /// Sample of a jump.
    #[inline]
    pub fn sample_of(&self, jump: usize) -> usize {
        (jump + 1) * self.every
    }

    /// One of a jump's places; `bytes` are those that the table was read from.
    #[inline]
    pub fn place(&self, bytes: &[u8], jump: usize, index: usize) -> usize {
        let number = jump * self.places + index;
        match &self.store {
            Store::Payload { place_bits, first_bit } => {
                bits_at(bytes, first_bit + number * *place_bits as usize, *place_bits) as usize
            }
            Store::Built(places) => places[number] as usize,
        }
    }

    /// Hears of each jump in turn what a scan from the first key finds. A table of the payload must say the same; after that it
    /// can be trusted. One that is built keeps it.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`].
    pub fn note(&mut self, bytes: &[u8], jump: usize, scanned: impl Iterator<Item = usize>) -> Result<(), DecodeError> {
        let Store::Payload { place_bits, first_bit } = self.store else {
            if let Store::Built(places) = &mut self.store {
                places.try_extend(scanned.map(|place| place as u32))?;
            }
            return Ok(());
        };
        for (index, expected) in scanned.enumerate() {
            let place = self.place(bytes, jump, index);
            if place != expected {
                let at = first_bit + (jump * self.places + index) * place_bits as usize;
                return Err(DecodeError::invalid("place in the jump table", at / 8, place, expected));
            }
        }
        Ok(())
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        match &self.store {
            Store::Payload { .. } => 0,
            Store::Built(places) => size_of_val(&places[..]),
        }
    }
}
