//! Shared values. `Arc` would do, but it ends the process if memory runs out, and stable Rust has no fallible constructor.
#![allow(unsafe_code)]

use super::{Boxed, NoMemory, boxed};
use core::fmt::{Debug, Formatter};
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering, fence};

/// A reference-counted value that never changes. Its clones share the memory.
pub struct Shared<T>(NonNull<Counted<T>>);

/// A value and the number of its [`Shared`] owners. The last one frees it.
struct Counted<T> {
    owners: AtomicUsize,
    value: T,
}

// Safety: threads share an atomic counter and a value that never changes. The last owner, on any thread, drops the value.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// Safety: as above.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// Takes a value.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(value: T) -> Result<Self, NoMemory> {
        let counted = boxed(Counted { owners: AtomicUsize::new(1), value })?;
        Ok(Self(NonNull::from(Boxed::leak(counted))))
    }

    fn counted(&self) -> &Counted<T> {
        // Safety: the pointer came from a box. The box is freed with its last owner, and this one still exists.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        let before = self.counted().owners.fetch_add(1, Ordering::Relaxed);
        // Memory holds fewer owners than this. A larger count means that owners were leaked.
        assert!(before < isize::MAX as usize, "owners of a shared value");
        Self(self.0)
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if self.counted().owners.fetch_sub(1, Ordering::Release) == 1 {
            // Uses by other threads happen before the value is freed.
            fence(Ordering::Acquire);
            // Safety: it came from a box, and this was its last owner.
            drop(unsafe { Boxed::from_raw(self.0.as_ptr()) });
        }
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.counted().value
    }
}

impl<T: Debug> Debug for Shared<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::sync::Arc;

    #[test]
    fn clones_are_one_value_until_the_last_is_gone() {
        let value = Arc::new("clip");
        let first = Shared::new(value.clone()).unwrap();
        let clones: Vec<_> = (0..4).map(|_| first.clone()).collect();
        let place = (&raw const *first).addr();
        drop(first);
        std::thread::scope(|scope| {
            for clone in clones {
                scope.spawn(move || assert!(**clone == "clip" && (&raw const *clone).addr() == place));
            }
        });
        assert_eq!(Arc::strong_count(&value), 1, "the value is dropped with its last owner");
    }
}
