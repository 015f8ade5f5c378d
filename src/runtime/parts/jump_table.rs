use crate::format::{BitReader, BitWriter, DecodeError, bits_at};
use alloc::format;
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

const EVERY_BITS: u32 = 16;
const WIDTH_BITS: u32 = 6;
/// A place is read at once, and no file is longer.
const MAX_PLACE_BITS: u32 = 48;

impl JumpTable {
    /// Number of jumps of a clip of `samples`.
    fn count(every: usize, samples: usize) -> usize {
        (samples - 1) / every
    }

    /// The samples at which jumps lie; `every` is at least 1.
    pub fn samples(every: usize, samples: usize) -> impl Iterator<Item = u32> {
        (1..=Self::count(every, samples)).map(move |jump| (jump * every) as u32)
    }

    /// Appends the table; `jumps` are the places of each, in the order of [`JumpTable::samples`].
    pub fn write(every: usize, jumps: &[Vec<usize>], out: &mut BitWriter) {
        let largest = jumps.iter().flatten().max().copied().unwrap_or(0);
        let place_bits = usize::BITS - largest.leading_zeros();
        out.push(every as u64, EVERY_BITS);
        out.push(u64::from(place_bits), WIDTH_BITS);
        jumps.iter().flatten().for_each(|place| out.push(*place as u64, place_bits));
    }

    /// Reads a table of `places` a jump. What they say is checked by whoever scans the keys: [`JumpTable::note`].
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>, samples: usize, places: usize) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let every = input.read("samples from jump to jump", EVERY_BITS)? as usize;
        let place_bits = input.read("bits of a jump's place", WIDTH_BITS)? as u32;
        if every == 0 || place_bits > MAX_PLACE_BITS {
            let found = format!("{place_bits} bits every {every} samples");
            return Err(DecodeError::invalid("jump table", at, found, "1 sample or more, 48 bits or less"));
        }
        let count = Self::count(every, samples);
        let bits = count.saturating_mul(places).saturating_mul(place_bits as usize);
        let first_bit = input.skip("jump table", bits)?;
        Ok(Self { every, count, places, store: Store::Payload { place_bits, first_bit } })
    }

    /// A table for a clip that has none, to be filled by [`JumpTable::note`], of `places` a jump: as many jumps as a fourth of
    /// `key_bytes` holds. `None` where that is not one.
    pub fn to_build(samples: usize, places: usize, key_bytes: usize) -> Option<Self> {
        let most = key_bytes / KEY_BYTES_A_BYTE / (places * size_of::<u32>());
        let every = samples.div_ceil(most + 1).max(CLOSEST_SAMPLES);
        let count = Self::count(every, samples).min(most);
        let store = Store::Built(Vec::with_capacity(count * places));
        (count > 0).then_some(Self { every, count, places, store })
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
                places.extend(scanned.map(|place| place as u32));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table(every: usize, samples: usize, jumps: &[Vec<usize>]) -> (Vec<u8>, JumpTable) {
        let mut out = BitWriter::new();
        JumpTable::write(every, jumps, &mut out);
        let bytes = out.finish();
        let mut input = BitReader::new(&bytes);
        let read = JumpTable::read(&mut input, samples, jumps.first().map_or(0, Vec::len)).unwrap();
        input.finish("table").unwrap();
        (bytes, read)
    }

    #[test]
    fn places_read_back_and_the_jump_before_a_time_is_the_last_one() {
        let jumps: Vec<Vec<usize>> = (0..5).map(|j| vec![j * 31, 7, 1000 + j]).collect();
        let (bytes, mut table) = table(8, 41, &jumps);
        assert_eq!(JumpTable::samples(8, 41).collect::<Vec<_>>(), [8, 16, 24, 32, 40]);
        for (jump, places) in jumps.iter().enumerate() {
            assert_eq!(table.note(&bytes, jump, places.iter().copied()), Ok(()));
            assert!(table.note(&bytes, jump, places.iter().map(|p| p + 1)).is_err());
            assert_eq!(table.sample_of(jump), 8 * (jump + 1));
            assert_eq!(table.before(table.sample_of(jump) as f64), Some(jump));
            assert_eq!(table.before(table.sample_of(jump) as f64 - 0.25), jump.checked_sub(1));
        }
        assert_eq!((table.before(0.0), table.before(1e6)), (None, Some(4)));
    }

    #[test]
    fn a_clip_shorter_than_a_jump_has_none() {
        let (bytes, table) = table(16, 16, &[]);
        assert_eq!((table.before(15.0), 8 * bytes.len()), (None, 24));
    }

    #[test]
    fn tables_longer_than_their_bytes_are_rejected() {
        let mut out = BitWriter::new();
        JumpTable::write(1, &[vec![usize::from(u16::MAX); 4]], &mut out);
        let bytes = out.finish();
        assert!(JumpTable::read(&mut BitReader::new(&bytes), 2, 4).is_ok());
        for (samples, places) in [(4, 4), (2, 6), (1 << 20, usize::MAX / 2)] {
            assert!(JumpTable::read(&mut BitReader::new(&bytes), samples, places).is_err());
        }
        assert!(JumpTable::read(&mut BitReader::new(&[0; 8]), 2, 4).is_err());
    }
}
