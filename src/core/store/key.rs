use serde::{Deserialize, Serialize};
use std::fmt;

/// Digest of the code that imports, compresses and measures.
pub const CODE_DIGEST: &str = env!("POSEPRESS_CODE_DIGEST");

/// Hexadecimal digits of a key.
const DIGITS: usize = 64;

/// Identifies a result: the digest of everything that decides it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResultKey(String);

impl ResultKey {
    /// Digest of this program's code and of named parts, in order.
    ///
    /// ```
    /// use posepress_core::store::ResultKey;
    ///
    /// let key = ResultKey::of(&[("clip", "walk"), ("recipe", "")]);
    /// assert_ne!(key, ResultKey::of(&[("clip", "wal"), ("recipe", "k")]));
    /// assert_eq!(ResultKey::read(&key.to_string()), Some(key));
    /// ```
    pub fn of(parts: &[(&str, &str)]) -> Self {
        let mut digest = blake3::Hasher::new();
        let code = [("code", CODE_DIGEST)];
        for text in code.iter().chain(parts).flat_map(|(name, value)| [name, value]) {
            // Lengths keep two lists of parts apart whose texts only join to the same bytes.
            digest.update(&(text.len() as u64).to_le_bytes());
            digest.update(text.as_bytes());
        }
        Self(digest.finalize().to_hex().to_string())
    }

    /// Reads a key. `None` for other texts.
    pub fn read(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == DIGITS && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// Name of its folder, and of its file there.
    pub(super) fn place(&self) -> (&str, &str) {
        self.0.split_at(2)
    }
}

impl fmt::Display for ResultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
