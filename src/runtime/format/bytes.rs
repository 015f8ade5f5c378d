use super::DecodeError;
use alloc::format;
use core::ops::Range;

/// The bytes of a range that was checked when they were opened.
#[inline]
pub(crate) fn section<'a>(bytes: &'a [u8], range: &Range<usize>) -> &'a [u8] {
    bytes.get(range.clone()).unwrap_or_default()
}

/// Reads little-endian values; every read is checked and says where it failed.
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
    /// Starts at the first byte.
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
        let at = self.at;
        let bytes = self.bytes(what, count)?;
        core::str::from_utf8(bytes)
            .map_err(|e| DecodeError::invalid(what, at + e.valid_up_to(), "other bytes", "UTF-8"))
    }

    /// Everything must have been read.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] when bytes are left.
    pub fn finish(self, what: &'static str) -> Result<(), DecodeError> {
        match self.left() {
            0 => Ok(()),
            left => Err(DecodeError::invalid(what, self.at, format!("followed by {left} more bytes"), "the end")),
        }
    }
}
