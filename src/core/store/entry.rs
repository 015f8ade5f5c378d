use super::ResultKey;
use thiserror::Error;

/// First words of an entry's first line: format and version.
const MAGIC: &str = "posepress-entry 1";

/// A result in a store: a description in JSON, and bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The description, a JSON object.
    pub head: String,
    /// The bytes of the result. May be empty.
    pub payload: Vec<u8>,
}

/// Why the bytes of a file are not a usable entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EntryFault {
    /// The first line is not that of an entry.
    #[error("it does not begin as an entry of this version does")]
    Form,
    /// The bytes have another checksum than the first line says.
    #[error("its bytes do not have the checksum that was written with them")]
    Checksum,
    /// The bytes are whole, but belong to another key.
    #[error("it is the entry of another key")]
    Key,
    /// The description cannot be read.
    #[error("its description cannot be read")]
    Head,
}

impl Entry {
    /// The bytes of the file: one line with format, checksum, key and length of the description; the description; the payload.
    pub fn to_bytes(&self, key: &ResultKey) -> Vec<u8> {
        let line = format!("{MAGIC} {} {key} {}\n", self.checksum(), self.head.len());
        [line.as_bytes(), self.head.as_bytes(), &self.payload].concat()
    }

    /// Reads an entry. Any bytes are safe to pass.
    ///
    /// # Errors
    /// See [`EntryFault`].
    pub fn read(key: &ResultKey, bytes: &[u8]) -> Result<Self, EntryFault> {
        let end = bytes.iter().position(|byte| *byte == b'\n').ok_or(EntryFault::Form)?;
        let line = std::str::from_utf8(&bytes[..end]).ok().and_then(|line| line.strip_prefix(MAGIC));
        let fields: Vec<&str> = line.ok_or(EntryFault::Form)?.split_whitespace().collect();
        let &[checksum, of_key, length] = &fields[..] else { return Err(EntryFault::Form) };
        let rest = &bytes[end + 1..];
        let length = length.parse().ok().filter(|length| *length <= rest.len()).ok_or(EntryFault::Form)?;
        let (head, payload) = rest.split_at(length);
        let head = String::from_utf8(head.to_vec()).map_err(|_| EntryFault::Checksum)?;
        let entry = Self { head, payload: payload.to_vec() };
        match () {
            () if entry.checksum() != checksum => Err(EntryFault::Checksum),
            () if of_key != key.to_string() => Err(EntryFault::Key),
            () => Ok(entry),
        }
    }

    fn checksum(&self) -> String {
        let mut digest = blake3::Hasher::new();
        // The length marks the end of the description.
        digest.update(&(self.head.len() as u64).to_le_bytes());
        digest.update(self.head.as_bytes());
        digest.update(&self.payload);
        digest.finalize().to_hex()[..32].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_every_missing_end_is_found() {
        let key = ResultKey::of(&[("clip", "walk")]);
        let entry = Entry { head: "{\"a\":1}".into(), payload: vec![1, 2, 3, 10] };
        let bytes = entry.to_bytes(&key);
        assert_eq!(Entry::read(&key, &bytes), Ok(entry.clone()));
        for length in 0..bytes.len() {
            assert!(Entry::read(&key, &bytes[..length]).is_err(), "{length} bytes");
        }
        for bit in 0..bytes.len() * 8 {
            let mut other = bytes.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            // A space may become another space, which changes nothing.
            assert!(Entry::read(&key, &other).map_or(true, |read| read == entry), "bit {bit}");
        }
        assert_eq!(Entry::read(&ResultKey::of(&[("clip", "run")]), &bytes), Err(EntryFault::Key));
    }
}
