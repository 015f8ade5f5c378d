//! Shared texts. `Arc<str>` would do, but it ends the process if memory runs out, and stable Rust has no fallible constructor.
#![allow(unsafe_code)]

use crate::memory::{NoMemory, joined};
use alloc::string::String;
use allocator_api2::boxed::Box;
use core::fmt::{Debug, Formatter};
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering, fence};

/// A reference-counted text. Its clones share the bytes.
pub struct SharedText(NonNull<Counted>);

/// A text and the number of its [`SharedText`] owners. The last one frees it.
struct Counted {
    owners: AtomicUsize,
    text: String,
}

// Safety: threads share an atomic counter and a text that never changes.
unsafe impl Send for SharedText {}
// Safety: as above.
unsafe impl Sync for SharedText {}

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
        let counted = Box::try_new(Counted { owners: AtomicUsize::new(1), text })?;
        Ok(Self(NonNull::from(Box::leak(counted))))
    }

    fn counted(&self) -> &Counted {
        // Safety: the pointer came from a box. The box is freed with its last `SharedText`, and this one still exists.
        unsafe { self.0.as_ref() }
    }
}

impl Clone for SharedText {
    fn clone(&self) -> Self {
        let before = self.counted().owners.fetch_add(1, Ordering::Relaxed);
        // Memory holds fewer owners than this. A larger count means that owners were leaked.
        assert!(before < isize::MAX as usize, "owners of a shared text");
        Self(self.0)
    }
}

impl Drop for SharedText {
    fn drop(&mut self) {
        if self.counted().owners.fetch_sub(1, Ordering::Release) == 1 {
            // Uses by other threads happen before the text is freed.
            fence(Ordering::Acquire);
            // Safety: it came from a box, and this was its last owner.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.counted().text
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
    fn copies_are_one_text_until_the_last_is_gone() {
        let first = SharedText::new("codec").unwrap();
        let copies: Vec<_> = (0..4).map(|_| first.clone()).collect();
        let place = first.as_ptr().addr();
        drop(first);
        std::thread::scope(|scope| {
            for copy in copies {
                scope.spawn(move || assert!(*copy == *"codec" && copy.as_ptr().addr() == place));
            }
        });
        assert_eq!(SharedText::from("a"), SharedText::from("a".to_owned()));
        assert_ne!(SharedText::from("a"), SharedText::from(""));
    }
}
