//! The values of a binary layer. The reader of the crate allocates what their counts say, and follows their places to any depth.

use super::crate_bytes::{CrateBytes, cut};
use super::{Ask, Budget, Fault};

/// Deepest nesting of dictionaries.
const MAX_DEPTH: usize = 64;
/// Fewer elements are never compressed.
const LEAST_COMPRESSED: u64 = 4;

const ARRAY: u64 = 1 << 63;
const INLINED: u64 = 1 << 62;
const COMPRESSED: u64 = 1 << 61;
const PLACE: u64 = (1 << 48) - 1;

/// Bytes per element of an array, by type.
const SIZES: [u64; 59] = [
    0, 1, 1, 4, 4, 8, 8, 2, 4, 8, 4, 4, 4, 32, 72, 128, 32, 16, 8, 16, 8, 4, 8, 24, 12, 6, 12, 32, 16, 8, 16, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 4, 4, 0, 0, 0, 8, 0, 0, 8, 16, 4, 0, 0, 0, 0, 0, 8, 4, 8,
];

/// Checks values. Each is a type and a place.
#[derive(Debug)]
pub(super) struct CrateValues<'a> {
    bytes: &'a [u8],
    /// Minor version of the format.
    version: u8,
    /// Memory for the longest text.
    text_bytes: u64,
    /// Values that may still be visited.
    left: u64,
}

impl<'a> CrateValues<'a> {
    /// Checks the values of a layer.
    pub fn new(bytes: &'a [u8], version: u8, text_bytes: u64) -> Self {
        Self { bytes, version, text_bytes, left: (1 << 16) + 16 * bytes.len() as u64 }
    }

    /// Checks a value of a field, with everything in it. Its memory fits the budget.
    pub fn check(&mut self, value: u64, budget: &Budget) -> Result<(), Fault> {
        let memory = self.value(value, 0)?;
        if memory > budget.left(Ask::Decoded) {
            budget.claim(Ask::Decoded, memory)?;
        }
        Ok(())
    }

    /// Memory of a value.
    fn value(&mut self, value: u64, depth: usize) -> Result<u64, Fault> {
        self.left = self.left.checked_sub(1).ok_or_else(|| Fault::new("its values share each other without end"))?;
        if depth > MAX_DEPTH {
            return Err(Fault::new(format!("its values are nested more than {MAX_DEPTH} deep")));
        }
        let kind = value >> 48 & 0xff;
        if value & INLINED != 0 || (value & ARRAY != 0 && value & PLACE == 0) {
            return Ok(size_of::<u128>() as u64);
        }
        let at = CrateBytes::at(self.bytes, value & PLACE)?;
        match kind {
            10 | 12 | 57 if value & ARRAY != 0 => self.list(at, kind),
            48 => self.array(at, 9, value),
            _ if value & ARRAY != 0 => self.array(at, kind, value),
            31 => self.dictionary(at, depth).map(|(memory, _)| memory),
            32..=39 | 54 | 55 => self.list_op(at, kind, depth),
            40 | 41 | 45 | 49 | 50 | 58 => self.list(at, kind),
            46 => self.samples(at, depth),
            _ => Ok(self.text_bytes),
        }
    }

    fn each(&self, kind: u64) -> Result<u64, Fault> {
        SIZES.get(kind as usize).copied().filter(|size| *size > 0).ok_or_else(cut)
    }

    /// Memory per element of a kind.
    fn memory(&self, kind: u64) -> u64 {
        let is_text = matches!(kind, 10..=12 | 32..=35 | 40 | 41 | 45 | 50 | 54 | 55 | 57 | 58);
        let size = SIZES.get(kind as usize).copied().unwrap_or_default();
        if is_text { 2 * self.text_bytes } else { size.max(1) }
    }

    /// A count and that many elements.
    fn list(&self, mut at: CrateBytes<'_>, kind: u64) -> Result<u64, Fault> {
        let count = at.u64()?;
        at.skip(count, self.each(kind)?)?;
        Ok(count.saturating_mul(self.memory(kind)))
    }

    fn array(&self, mut at: CrateBytes<'_>, kind: u64, value: u64) -> Result<u64, Fault> {
        if self.version < 5 {
            at.u32()?;
        }
        let count = if self.version < 7 { at.u32()?.into() } else { at.u64()? };
        let is_compressed = value & COMPRESSED != 0 && count >= LEAST_COMPRESSED;
        match kind {
            3..=6 if is_compressed && self.version >= 5 => _ = at.integers(count)?,
            7..=9 | 56 if is_compressed && self.version >= 6 => {
                if at.u8()? == b't' {
                    let table = at.u32()?;
                    at.skip(table.into(), self.each(kind)?)?;
                }
                at.integers(count)?;
            }
            _ => at.skip(count, self.each(kind)?)?,
        }
        Ok(count.saturating_mul(self.memory(kind)))
    }

    /// Memory of a dictionary, and the place after it.
    fn dictionary<'b>(&mut self, mut at: CrateBytes<'b>, depth: usize) -> Result<(u64, CrateBytes<'b>), Fault> {
        let count = at.u64()?;
        let mut memory = 0u64;
        for _ in 0..count {
            at.u32()?;
            at.follow()?;
            let value = at.u64()?;
            memory = memory.saturating_add(self.text_bytes).saturating_add(self.value(value, depth + 1)?);
        }
        Ok((memory, at))
    }

    /// Up to six lists after a byte that says which ones there are.
    fn list_op(&mut self, mut at: CrateBytes<'_>, kind: u64, depth: usize) -> Result<u64, Fault> {
        let lists = (at.u8()? >> 1 & 0b11_1111).count_ones();
        let mut memory = 0u64;
        for _ in 0..lists {
            let count = at.u64()?;
            let each = match kind {
                35 => 32,
                37 | 39 => 8,
                55 if self.version >= 8 => 24,
                55 => 8,
                _ => 4,
            };
            memory = memory.saturating_add(count.saturating_mul(self.memory(kind)));
            let mut after = at;
            after.skip(count, each)?;
            for _ in 0..if kind == 35 { count } else { 0 } {
                at.skip(1, 24)?;
                let (own, next) = self.dictionary(at, depth)?;
                (memory, at) = (memory.saturating_add(own), next);
            }
            if kind != 35 {
                at = after;
            }
        }
        Ok(memory)
    }

    fn samples(&mut self, mut at: CrateBytes<'_>, depth: usize) -> Result<u64, Fault> {
        at.follow()?;
        let times = at.u64()?;
        let mut memory = self.value(times, depth + 1)?;
        at.follow()?;
        let count = at.u64()?;
        let mut values = CrateBytes::at(at.take(count.saturating_mul(8))?, 0)?;
        for _ in 0..count {
            memory = memory.saturating_add(self.value(values.u64()?, depth + 1)?);
        }
        Ok(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DICTIONARY: u64 = 31 << 48;

    /// A dictionary at place 0 whose values are at places.
    fn dictionary(values: &[u64]) -> Vec<u8> {
        let mut bytes = (values.len() as u64).to_le_bytes().to_vec();
        for value in values {
            bytes.extend(0u32.to_le_bytes());
            bytes.extend(8i64.to_le_bytes());
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }

    fn checked(bytes: &[u8], value: u64) -> Result<(), String> {
        let budget = Budget::new(bytes.len());
        CrateValues::new(bytes, 8, 10).check(value, &budget).map_err(|fault| fault.to_string())
    }

    #[test]
    fn values_end_somewhere() {
        let number = 3 << 48 | INLINED;
        assert_eq!(checked(&dictionary(&[number, number]), DICTIONARY), Ok(()));
        let endless = checked(&dictionary(&[DICTIONARY]), DICTIONARY).unwrap_err();
        assert!(endless.contains("nested more than 64 deep"), "{endless}");
        // Sixty levels, each with two times the next: 2 to the power of 60 values.
        let level = |n: usize| dictionary(&[DICTIONARY + 48 * (n as u64 + 1); 2]);
        let mut shared: Vec<u8> = (0..60).flat_map(level).collect();
        shared.extend(dictionary(&[number, number]));
        assert!(checked(&shared, DICTIONARY).unwrap_err().contains("share each other"));
    }

    #[test]
    fn counts_ask_for_no_more_than_the_file_holds() {
        let floats = |count: u64| count.to_le_bytes().into_iter().chain([0; 16]).collect::<Vec<u8>>();
        let array = 8 << 48 | ARRAY;
        let at = |bytes: Vec<u8>| checked(&[vec![0; 8], bytes].concat(), array | 8);
        assert_eq!(at(floats(4)), Ok(()));
        for count in [5, u64::MAX] {
            assert!(at(floats(count)).unwrap_err().contains("cut short"), "{count}");
        }
    }
}
