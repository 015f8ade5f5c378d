use super::MAX_SHARED_NAME_BYTES;

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

    /// An empty writer with reserved capacity.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes) }
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

    /// An IEEE 754 single.
    pub fn f32(&mut self, value: f32) {
        self.bytes(&value.to_le_bytes());
    }

    /// A number below 2^63 in as few bytes as it needs, for [`ByteReader::varint`](super::ByteReader::varint).
    pub fn varint(&mut self, mut value: u64) {
        debug_assert!(value >> 63 == 0, "{value} has more than 63 bits");
        while value >= 0x80 {
            self.u8(value as u8 | 0x80);
            value >>= 7;
        }
        self.u8(value as u8);
    }

    /// Length as a varint, then UTF-8.
    pub fn long_text(&mut self, text: &str) {
        self.varint(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    /// A name in a list: the number of bytes that it shares with the name before it, then the rest.
    pub fn name(&mut self, before: &str, name: &str) {
        let same = before.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        let mut shared = same.min(MAX_SHARED_NAME_BYTES);
        while !name.is_char_boundary(shared) {
            shared -= 1;
        }
        self.u8(shared as u8);
        self.long_text(&name[shared..]);
    }

    /// Length as u16, then UTF-8. Longer text is cut at a character.
    pub fn text(&mut self, text: &str) {
        let mut end = text.len().min(usize::from(u16::MAX));
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.u16(end as u16);
        self.bytes(&text.as_bytes()[..end]);
    }
}

/// Adds bytes before and after others. It moves the bytes within their buffer and builds no second one.
pub fn surrounded(before: &[u8], mut bytes: Vec<u8>, behind: &[u8]) -> Vec<u8> {
    bytes.reserve_exact(before.len() + behind.len());
    bytes.splice(0..0, before.iter().copied());
    bytes.extend_from_slice(behind);
    bytes
}
