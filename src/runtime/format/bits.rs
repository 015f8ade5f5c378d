use super::DecodeError;

/// Most bits that [`bits_at`] reads at once: 8 bytes minus up to 7 bits before the first.
pub const MAX_BITS_AT: u32 = 57;

/// `count` bits (at most 57) that start at bit `at`, lowest first. Bits past the end read as zero: check the length
/// of the whole stream once, then read without further checks.
#[inline(always)]
pub fn bits_at(bytes: &[u8], at: usize, count: u32) -> u64 {
    debug_assert!(count <= MAX_BITS_AT);
    word_at(bytes, at) & ((1 << count) - 1)
}

/// The 57 bits that start at bit `at`, and arbitrary bits above them; see [`bits_at`].
#[inline(always)]
pub fn word_at(bytes: &[u8], at: usize) -> u64 {
    let byte = at / 8;
    let word = match bytes.get(byte..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => tail_word(bytes.get(byte..).unwrap_or_default()),
    };
    word >> (at % 8)
}

/// An IEEE single that starts at bit `at`; see [`bits_at`].
#[inline]
pub fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(bits_at(bytes, at, 32) as u32)
}

#[cold]
fn tail_word(rest: &[u8]) -> u64 {
    rest.iter().take(8).rev().fold(0, |word, b| word << 8 | u64::from(*b))
}

/// Reads integers of any width, lowest bit first; every read is checked, and its error has the offset.
#[derive(Debug, Clone)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    /// A reader at the first bit.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Offset in bits of the next read.
    pub fn bit_position(&self) -> usize {
        self.at
    }

    /// The next `count` bits (at most 57).
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn read(&mut self, what: &'static str, count: u32) -> Result<u64, DecodeError> {
        let at = self.skip(what, count as usize)?;
        Ok(bits_at(self.bytes, at, count))
    }

    /// IEEE single that must be finite.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn f32(&mut self, what: &'static str) -> Result<f32, DecodeError> {
        let at = self.skip(what, 32)?;
        let value = f32_at(self.bytes, at);
        if value.is_finite() { Ok(value) } else { Err(DecodeError::invalid(what, at / 8, value, "a finite number")) }
    }

    /// Skips bits that are read later. Returns the offset of the first.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn skip(&mut self, what: &'static str, count: usize) -> Result<usize, DecodeError> {
        let left = 8 * self.bytes.len() - self.at;
        if count > left {
            return Err(DecodeError::Truncated { what, at: self.at / 8, needed: count.div_ceil(8), left: left / 8 });
        }
        let at = self.at;
        self.at += count;
        Ok(at)
    }

    /// Checks that fewer than eight bits are left, all zero.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`].
    pub fn finish(self, what: &'static str) -> Result<(), DecodeError> {
        let left = 8 * self.bytes.len() - self.at;
        if left >= 8 {
            let found = format_args!("followed by {} more bytes", left / 8);
            return Err(DecodeError::invalid(what, self.at.div_ceil(8), found, "the end"));
        }
        match bits_at(self.bytes, self.at, left as u32) {
            0 => Ok(()),
            bits => Err(DecodeError::invalid(what, self.at / 8, format_args!("padded with {bits:b}"), "zero bits")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_past_the_end_fails_and_padding_must_be_zero() {
        let mut reader = BitReader::new(&[0xff]);
        assert_eq!(reader.read("a", 5), Ok(31));
        let error = DecodeError::Truncated { what: "b", at: 0, needed: 1, left: 0 };
        assert_eq!(reader.clone().read("b", 4), Err(error));
        assert!(matches!(reader.finish("end"), Err(DecodeError::Invalid { .. })));
        assert!(matches!(BitReader::new(&[0, 0]).finish("end"), Err(DecodeError::Invalid { .. })));
        assert_eq!(bits_at(&[], 100, 57), 0);
    }
}
