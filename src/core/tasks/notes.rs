//! Numbers of compressions in memory, where there is no store.

use crate::batch::number_key;
use crate::pipeline::{Asked, KnownNumbers};
use crate::store::{ResultKey, Subject};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Numbers by their keys. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Notes {
    numbers: Arc<Mutex<HashMap<ResultKey, Vec<u8>>>>,
    used: Option<Used>,
}

/// Called with every number that is found or kept.
type Used = Arc<dyn Fn(&ResultKey, &[u8]) + Send + Sync>;

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notes").field("numbers", &self.lock().len()).finish_non_exhaustive()
    }
}

impl Notes {
    /// The same numbers. `used` is called with those that a task needs.
    pub fn reporting(&self, used: impl Fn(&ResultKey, &[u8]) + Send + Sync + 'static) -> Self {
        Self { numbers: self.numbers.clone(), used: Some(Arc::new(used)) }
    }

    /// Keeps numbers.
    pub fn put(&self, key: ResultKey, numbers: Vec<u8>) {
        self.lock().insert(key, numbers);
    }

    /// The numbers of clips, each with its subject and name.
    pub fn of(self, clips: Vec<(Subject, String)>) -> impl KnownNumbers {
        NotedNumbers { notes: self, clips }
    }

    fn report(&self, key: &ResultKey, numbers: &[u8]) {
        if let Some(used) = &self.used {
            used(key, numbers);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ResultKey, Vec<u8>>> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct NotedNumbers {
    notes: Notes,
    clips: Vec<(Subject, String)>,
}

impl KnownNumbers for NotedNumbers {
    fn find(&self, asked: &Asked<'_>) -> Option<Vec<u8>> {
        let key = number_key(asked, &self.clips[asked.clip]);
        let numbers = self.notes.lock().get(&key)?.clone();
        self.notes.report(&key, &numbers);
        Some(numbers)
    }

    fn keep(&self, asked: &Asked<'_>, numbers: Vec<u8>) {
        let key = number_key(asked, &self.clips[asked.clip]);
        self.notes.report(&key, &numbers);
        self.notes.put(key, numbers);
    }
}
