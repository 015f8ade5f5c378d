use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// A value that is made at its first use. Clones share it.
#[derive(Clone)]
pub struct Late<T>(Arc<LazyLock<T, Make<T>>>);

type Make<T> = Box<dyn FnOnce() -> T + Send>;

impl<T> Late<T> {
    /// A value that is made at its first use.
    pub fn new(make: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(make))))
    }

    /// Makes the value now, so that its first use does not wait.
    pub fn make(&self) {
        LazyLock::force(&self.0);
    }
}

impl<T: Send + 'static> From<T> for Late<T> {
    fn from(value: T) -> Self {
        Self::new(move || value)
    }
}

impl<T> Deref for Late<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Default + Send + 'static> Default for Late<T> {
    fn default() -> Self {
        Self::new(T::default)
    }
}

impl<T: fmt::Debug> fmt::Debug for Late<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Late<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Serialize> Serialize for Late<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(to)
    }
}

impl<'de, T: Deserialize<'de> + Send + 'static> Deserialize<'de> for Late<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn it_is_made_once_and_not_before_its_first_use() {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let late = Late::new(|| MADE.fetch_add(1, Ordering::Relaxed) + 7);
        let other = late.clone();
        assert_eq!(MADE.load(Ordering::Relaxed), 0);
        assert_eq!((*other, *late, MADE.load(Ordering::Relaxed)), (7, 7, 1));
    }
}
