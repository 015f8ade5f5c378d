use super::DecodeError;

/// Appends little-endian values.
#[derive(Debug, Default, Clone)]
pub struct ByteWriter {
    bytes: Vec<u8>,
}

impl ByteWriter {
    /// An empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes written so far.
    #[allow(clippy::len_without_is_empty)] // a position, not a collection
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Raw bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// One byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Two bytes.
    pub fn u16(&mut self, value: u16) {
        self.bytes(&value.to_le_bytes());
    }

    /// Four bytes.
    pub fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    /// Eight bytes.
    pub fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    /// IEEE single.
    pub fn f32(&mut self, value: f32) {
        self.bytes(&value.to_le_bytes());
    }

    /// Length as u16, then UTF-8; longer text is cut at a character.
    pub fn text(&mut self, text: &str) {
        let mut end = text.len().min(usize::from(u16::MAX));
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.u16(end as u16);
        self.bytes(&text.as_bytes()[..end]);
    }
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

    /// Text written by [`ByteWriter::text`].
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn text(&mut self, what: &'static str) -> Result<&'a str, DecodeError> {
        let count = usize::from(self.u16(what)?);
        let at = self.at;
        let bytes = self.bytes(what, count)?;
        std::str::from_utf8(bytes).map_err(|e| DecodeError::invalid(what, at + e.valid_up_to(), "other bytes", "UTF-8"))
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
