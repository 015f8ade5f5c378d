use crate::memory::{NoMemory, Shared, joined};
use alloc::string::String;
use core::fmt::{Debug, Formatter};
use core::ops::Deref;

/// A reference-counted text. Its clones share the bytes.
#[derive(Clone)]
pub struct SharedText(Shared<String>);

impl SharedText {
    /// Copies a text.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(of: &str) -> Result<Self, NoMemory> {
        Self::of(joined(&[of])?)
    }

    /// Takes a text.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub(crate) fn of(text: String) -> Result<Self, NoMemory> {
        Shared::new(text).map(Self)
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Conversion for writers.
///
/// # Panics
/// If memory runs out.
impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Self::new(text).expect("memory for a text")
    }
}

/// Like the conversion from `&str`.
impl From<String> for SharedText {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl Debug for SharedText {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        Debug::fmt(&**self, f)
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedText {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_their_bytes_and_equal_texts_are_equal() {
        let text = SharedText::new("codec").unwrap();
        assert_eq!(text.clone().as_ptr(), text.as_ptr());
        assert_eq!(SharedText::from("a"), SharedText::from("a".to_owned()));
        assert_ne!(SharedText::from("a"), SharedText::from(""));
    }
}
