use super::DecodeError;
use core::ops::Range;

/// The bytes of a range that opening has checked.
#[inline]
pub(crate) fn section<'a>(bytes: &'a [u8], range: &Range<usize>) -> &'a [u8] {
    bytes.get(range.clone()).unwrap_or_default()
}

/// Reads little-endian values; every read is checked, and its error has the offset.
#[derive(Debug, Clone)]
pub struct ByteReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

macro_rules! read_number {
    ($name:ident, $type:ty, $doc:literal) => {
        #[doc = $doc]
        ///
        /// # Errors
        /// [`DecodeError::Truncated`].
        pub fn $name(&mut self, what: &'static str) -> Result<$type, DecodeError> {
            const SIZE: usize = size_of::<$type>();
            let mut buffer = [0u8; SIZE];
            buffer.copy_from_slice(self.bytes(what, SIZE)?);
            Ok(<$type>::from_le_bytes(buffer))
        }
    };
}

impl<'a> ByteReader<'a> {
    /// A reader at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Offset of the next read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Bytes not yet read.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// [`DecodeError::Truncated`].
    pub fn bytes(&mut self, what: &'static str, count: usize) -> Result<&'a [u8], DecodeError> {
        if count > self.left() {
            return Err(DecodeError::Truncated { what, at: self.at, needed: count, left: self.left() });
        }
        let out = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(out)
    }

    read_number!(u8, u8, "One byte.");
    read_number!(u16, u16, "Two bytes.");
    read_number!(u32, u32, "Four bytes.");
    read_number!(u64, u64, "Eight bytes.");

    /// IEEE single that must be finite.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn f32(&mut self, what: &'static str) -> Result<f32, DecodeError> {
        let at = self.at;
        let value = f32::from_bits(self.u32(what)?);
        if value.is_finite() { Ok(value) } else { Err(DecodeError::invalid(what, at, value, "a finite number")) }
    }

    /// Text: its length as u16, then UTF-8.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn text(&mut self, what: &'static str) -> Result<&'a str, DecodeError> {
        let count = usize::from(self.u16(what)?);
        self.utf8(what, count)
    }

    /// Text of any length: its length as a varint, then UTF-8.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn long_text(&mut self, what: &'static str) -> Result<&'a str, DecodeError> {
        let count = usize::try_from(self.varint(what)?).unwrap_or(usize::MAX);
        self.utf8(what, count)
    }

    fn utf8(&mut self, what: &'static str, count: usize) -> Result<&'a str, DecodeError> {
        let at = self.at;
        let bytes = self.bytes(what, count)?;
        core::str::from_utf8(bytes)
            .map_err(|e| DecodeError::invalid(what, at + e.valid_up_to(), "other bytes", "UTF-8"))
    }

    /// A number in as few bytes as possible: seven bits per byte, lowest first, with the top bit set in all but the last (LEB128).
    ///
    /// # Errors
    /// [`DecodeError`], also for a number with more bytes than needed: every file has one form.
    pub fn varint(&mut self, what: &'static str) -> Result<u64, DecodeError> {
        let at = self.at;
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.u8(what)?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return match byte == 0 && shift > 0 {
                    true => Err(DecodeError::invalid(what, at, "longer than it needs to be", "no zero bits on top")),
                    false => Ok(value),
                };
            }
        }
        Err(DecodeError::invalid(what, at, "longer than nine bytes", "a number below 2^63"))
    }

    /// Checks that every byte was read.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] if bytes are left.
    pub fn finish(self, what: &'static str) -> Result<(), DecodeError> {
        match self.left() {
            0 => Ok(()),
            left => Err(DecodeError::invalid(what, self.at, format_args!("followed by {left} more bytes"), "the end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_have_one_form() {
        let read = |bytes: &[u8]| ByteReader::new(bytes).varint("count");
        assert_eq!((read(&[0]), read(&[0x7f]), read(&[0x80, 1])), (Ok(0), Ok(127), Ok(128)));
        let largest = [[0xff; 8].as_slice(), &[0x7f]].concat();
        assert_eq!(read(&largest), Ok((1 << 63) - 1));
        assert!(matches!(read(&[0x80, 0]), Err(DecodeError::Invalid { .. })), "two bytes for a zero");
        assert!(matches!(read(&[0xff; 10]), Err(DecodeError::Invalid { .. })), "no end");
        assert!(matches!(read(&[0x80]), Err(DecodeError::Truncated { .. })));
    }
}
