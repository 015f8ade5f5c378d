use crate::codecs::runtime::{
    BlockSize, Ranged, RangedPart, block_count_bits, combination_bits, combinations, width_bits,
};
use crate::format::BitWriter;
use std::ops::Range;

/// Appends the number of keys among a block's open samples, and the samples. [`crate::codecs::runtime::KeyBlocks`] reads them before the
/// range of the block. `times`: samples of all keys, ascending.
pub fn write_block_times(times: &[u32], open: Range<usize>, out: &mut BitWriter) {
    let first = times.partition_point(|time| (*time as usize) < open.start);
    let among = times[first..].iter().take_while(|time| (**time as usize) < open.end);
    let places: Vec<usize> = among.map(|time| *time as usize - open.start).collect();
    out.push(places.len() as u64, block_count_bits(open.len()));
    out.push(combination_number(open.len(), &places), combination_bits(open.len(), places.len()));
}

/// The number of a set, from which [`crate::codecs::runtime::combination`] returns the set.
fn combination_number(things: usize, chosen: &[usize]) -> u64 {
    // For each chosen thing, counts the sets before it: those without it, with all remaining things chosen behind it.
    let before = |(i, thing): (usize, &usize)| combinations(things - thing - 1, chosen.len() - i);
    chosen.iter().enumerate().map(before).sum()
}

/// The keys of each block, as index ranges in a list of times.
pub fn keys_of_blocks(times: &[u32], size: BlockSize, samples: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let first = move |block: usize| times.partition_point(|time| size.of(*time as usize) < block);
    (0..size.count(samples)).map(move |block| first(block)..first(block + 1))
}

/// Appends a key with those codes on its track, relative to a part of the track's range.
pub fn write_codes_over(part: &RangedPart, codes: [u32; 3], out: &mut BitWriter) {
    for ((code, above), width) in codes.into_iter().zip(part.above()).zip(part.widths()) {
        out.push((code - above).into(), width.into());
    }
}

/// The range of some keys relative to their track: per component, the bits that are saved, and the least value above the track's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRange {
    narrower: [u8; 3],
    above: [u32; 3],
}

impl BlockRange {
    /// The range of keys with those codes on their track, if it saves bits.
    pub fn of(ranged: &Ranged, codes: &[[u32; 3]]) -> Option<Self> {
        let widths = ranged.widths();
        let (mut range, mut saved) = (Self { narrower: [0; 3], above: [0; 3] }, 0);
        for i in 0..3 {
            let low = codes.iter().map(|code| code[i]).min()?;
            let high = codes.iter().map(|code| code[i]).max()?;
            let narrower = widths[i] - (u32::BITS - (high - low).leading_zeros()) as u8;
            let gain = i64::from(narrower) * codes.len() as i64 - i64::from(widths[i]);
            saved -= i64::from(width_bits(widths[i]));
            if gain > 0 {
                saved += gain;
                // The part must end within the track's range.
                let above = low.min((1 << widths[i]) - (1 << (widths[i] - narrower)));
                (range.narrower[i], range.above[i]) = (narrower, above);
            }
        }
        // Keys without bits cannot be read.
        (saved > 0 && ranged.part(range.narrower, range.above).is_some()).then_some(range)
    }

    /// The part of the track's range that a decoder gets.
    pub fn part(&self, ranged: &Ranged) -> RangedPart {
        ranged.part(self.narrower, self.above).unwrap_or(ranged.whole())
    }

    /// Writes the range of a block, or a flag that it has none.
    pub fn write(range: Option<&Self>, ranged: &Ranged, out: &mut BitWriter) {
        out.push(u64::from(range.is_some()), 1);
        let Some(Self { narrower, above }) = range else { return };
        for (narrower, width) in narrower.iter().zip(ranged.widths()) {
            out.push(u64::from(*narrower), width_bits(width));
        }
        for ((above, narrower), width) in above.iter().zip(narrower).zip(ranged.widths()) {
            out.push(u64::from(*above), if *narrower > 0 { width.into() } else { 0 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::runtime::KeyBlocks;
    use crate::format::BitReader;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_and_their_blocks_read_back(
            samples in 1usize..300, seed in any::<u64>(), density in 1u64..64, size in 8usize..=56,
        ) {
            let size = BlockSize::near(size);
            let is_key = |s: &usize| *s == 0 || *s + 1 == samples || (seed.wrapping_mul(*s as u64 + 1) >> 32) % 64 < density;
            let times: Vec<u32> = (0..samples).filter(is_key).map(|s| s as u32).collect();
            let code = |key: usize| [(7 * key as u32) % 1000, 900 + (key as u32) % 3, 5];
            let ranged = Ranged::new([100; 3], 0, [-4, 7, 0], [10, 10, 3]).unwrap();
            let mut out = BitWriter::new();
            let mut expected = Vec::new();
            let mut bit = 0;
            for (block, keys) in keys_of_blocks(&times, size, samples).enumerate() {
                write_block_times(&times, size.open(block, samples), &mut out);
                let codes: Vec<[u32; 3]> = keys.clone().map(code).collect();
                let range = BlockRange::of(&ranged, &codes);
                BlockRange::write(range.as_ref(), &ranged, &mut out);
                let part = range.map_or(ranged.whole(), |range| range.part(&ranged));
                for key in keys {
                    for i in 0..3 {
                        prop_assert!(code(key)[i] - part.above()[i] < 1 << part.widths()[i]);
                    }
                    expected.push((part, bit));
                    bit += part.bits() as usize;
                }
            }
            let head_bits = out.bit_len();
            let mut bytes = out.finish();
            bytes.resize((head_bits + bit).div_ceil(8), 0);
            let (mut input, mut blocks) = (BitReader::new(&bytes), KeyBlocks::new(size, samples));
            prop_assert_eq!(blocks.add(&mut input, Some(&ranged), ranged.bits()), Ok((times.len(), bit)));
            prop_assert_eq!(input.bit_position(), head_bits);
            blocks.moved(0, (0, head_bits));
            let widths = &|| ranged.widths();
            prop_assert_eq!(blocks.bits_of(0, widths), head_bits..head_bits + bit);
            for (time, (part, bit)) in times.iter().zip(&expected) {
                let (found, place) = blocks.place_until(0, widths, *time as usize);
                prop_assert_eq!((found as u32, place.part, place.bit as usize), (*time, *part, head_bits + bit));
            }
            for sample in 0..samples {
                let before = times.partition_point(|t| *t as usize <= sample) - 1;
                let key = |index: usize| times.get(index).map(|time| *time as usize);
                prop_assert_eq!((blocks.key_until(0, sample), blocks.key_after(0, sample)), (key(before), key(before + 1)));
            }
        }
    }
}
