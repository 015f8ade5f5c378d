//! Numbers of compressed clips that an earlier run kept.

use crate::recipe::Recipe;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A compression whose numbers may be known.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The kind of the numbers.
    pub kind: &'static str,
    /// Index of the clip among those that are worked on.
    pub clip: usize,
    /// The recipe whose limits the errors are compared with.
    pub recipe: &'a Recipe,
    /// The tolerance that the clip is compressed with, metres.
    pub tolerance_m: f32,
}

/// Finds the numbers of earlier runs, and keeps new ones for later runs. `()` does neither.
pub trait KnownNumbers: Sync {
    /// The bytes that were kept. `None`: the clip is compressed.
    fn find(&self, asked: &Asked<'_>) -> Option<Vec<u8>>;

    /// Keeps bytes.
    fn keep(&self, asked: &Asked<'_>, numbers: Vec<u8>);
}

impl KnownNumbers for () {
    fn find(&self, _: &Asked<'_>) -> Option<Vec<u8>> {
        None
    }

    fn keep(&self, _: &Asked<'_>, _: Vec<u8>) {}
}

/// The numbers of an earlier run, or else those that are measured now, which are kept.
pub fn known_or<T: Serialize + DeserializeOwned, E>(
    known: &dyn KnownNumbers,
    asked: &Asked<'_>,
    measure: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    if let Some(found) = known.find(asked).and_then(|bytes| rmp_serde::from_slice(&bytes).ok()) {
        return Ok(found);
    }
    let made = measure()?;
    if let Ok(bytes) = rmp_serde::to_vec_named(&made) {
        known.keep(asked, bytes);
    }
    Ok(made)
}
