//! Numbers of studies and budgets in a store: an entry for each compression of a clip.

use super::StoredHead;
use super::clip_entry::of_clip;
use crate::pipeline::{Asked, KnownNumbers};
use crate::store::{ResultKey, Store, StoreError, Subject};

/// The numbers of some clips in a store.
pub struct StoredNumbers<F> {
    store: Store,
    clips: Vec<(Subject, String)>,
    failed: F,
}

impl<F: Fn(StoreError) + Sync> StoredNumbers<F> {
    /// The numbers of clips: their subjects, and the names by which overrides know them. `failed` is called where numbers cannot be kept.
    pub fn new(store: Store, clips: Vec<(Subject, String)>, failed: F) -> Self {
        Self { store, clips, failed }
    }
}

/// The key of a compression's numbers. `clip` is the clip's subject and name.
pub fn number_key(asked: &Asked<'_>, clip: &(Subject, String)) -> ResultKey {
    let (subject, name) = clip;
    ResultKey::of(&[
        ("kind", asked.kind),
        ("subject", &subject.to_string()),
        ("recipe", &of_clip(asked.recipe, name).to_toml()),
        ("tolerance", &asked.tolerance_m.to_bits().to_string()),
    ])
}

impl<F: Fn(StoreError) + Sync> KnownNumbers for StoredNumbers<F> {
    /// A damaged entry is removed, so that new numbers replace it.
    fn find(&self, asked: &Asked<'_>) -> Option<Vec<u8>> {
        let key = number_key(asked, &self.clips[asked.clip]);
        match self.store.get(&key) {
            Ok(entry) => Some(entry?.payload),
            Err(error) => {
                if matches!(error, StoreError::Damaged { .. }) {
                    let _ = self.store.remove(&key); // they are measured again
                }
                None
            }
        }
    }

    fn keep(&self, asked: &Asked<'_>, numbers: Vec<u8>) {
        let head = StoredHead::Numbers { of: asked.kind.to_owned(), clip: self.clips[asked.clip].1.clone() };
        if let Err(error) = self.store.put(&number_key(asked, &self.clips[asked.clip]), &head.entry(numbers)) {
            (self.failed)(error);
        }
    }
}
