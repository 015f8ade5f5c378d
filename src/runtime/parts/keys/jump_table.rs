use crate::format::{BitReader, DecodeError, bits_at};
use crate::memory::{NoMemory, TryPush, with_room};
use alloc::vec::Vec;

/// Start points for scans through a [`NeedOrder`](crate::parts::NeedOrder) stream: Riot's jump tables for seeking.
///
/// A jump is the state of a scan at its sample: per track, the places of the last keys; then the place of the next key. Jumps are at
/// multiples of `every` samples. There is none at sample 0, where the first key is. A place is an offset from the first key, in bits or
/// in words of 16 bits.
///
/// On disk: `every` (16 bits), bits of a place (6 bits), then the places, jump by jump. For a clip without a stored table, one is built
/// in memory when the clip is opened: [`JumpTable::to_build`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JumpTable {
    every: usize,
    count: usize,
    /// Places per jump: the last keys of all tracks, and the next key.
    places: usize,
    store: Store,
}

/// Storage of the places.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Store {
    /// In the payload.
    Payload { place_bits: u32, first_bit: usize },
    /// Built when the clip was opened.
    Built(Vec<u32>),
}

/// A table in memory takes at most one byte per this many bytes of keys.
const KEY_BYTES_A_BYTE: usize = 4;
/// Fewest samples between jumps of a built table. Closer jumps would skip few keys.
const CLOSEST_SAMPLES: usize = 8;

/// Most bits of a place: more than any file needs, and few enough for one read.
const MAX_PLACE_BITS: u32 = 48;

impl JumpTable {
    /// Bits of the number of samples from jump to jump.
    pub const EVERY_BITS: u32 = 16;
    /// Bits of the width of a place.
    pub const WIDTH_BITS: u32 = 6;

    /// Number of jumps of a clip of `samples`.
    fn count(every: usize, samples: usize) -> usize {
        (samples - 1) / every
    }

    /// The samples of all jumps. `every` is at least 1.
    pub fn samples(every: usize, samples: usize) -> impl Iterator<Item = u32> {
        (1..=Self::count(every, samples)).map(move |jump| (jump * every) as u32)
    }

    /// Reads a table with `places` per jump. The scan that opens the clip checks the places: see [`JumpTable::note`].
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

    /// An empty table for a clip without a stored one, with `places` per jump. [`JumpTable::note`] fills it. It takes at most a fourth of
    /// `key_bytes`. `None` if not even one jump fits.
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
    #[allow(clippy::len_without_is_empty)] // no caller needs `is_empty`
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

    /// One of a jump's places. The table was read from `bytes`.
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

    /// Takes the places that a scan from the first key finds at a jump, jump by jump. A stored table must be equal. A built table keeps
    /// them.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] if a stored place differs, or [`DecodeError::NoMemory`].
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
