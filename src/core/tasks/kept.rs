use super::{CompressTask, RawSides, Task};
use crate::batch::{clip_entry, clip_key, sides_in};
use crate::report::Sides;
use crate::store::{ResultKey, Store, StoreError, Subjects};
use std::sync::{Arc, Mutex, PoisonError};

/// The store in which a scheduler keeps results and finds them again. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct KeptResults(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    store: Option<Store>,
    fault: Option<String>,
}

impl KeptResults {
    /// Uses a store from now on. `None`: results are kept in memory only.
    pub fn set_store(&self, store: Option<Store>) {
        self.with(|kept| *kept = Kept { store, fault: None });
    }

    /// The store.
    pub fn store(&self) -> Option<Store> {
        self.with(|kept| kept.store.clone())
    }

    /// Why a result could not be kept. Only the first call after a fault has it.
    pub fn take_fault(&self) -> Option<String> {
        self.with(|kept| kept.fault.take())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The complete result of a compression, if the store has it. A damaged one is removed and made again.
    pub(super) fn find(&self, task: &Task, subjects: &mut Subjects, raw_sides: &mut RawSides) -> Option<Sides> {
        let (store, task) = (self.store()?, kept_task(task)?);
        let key = key_of(task, subjects);
        let entry = match store.get(&key) {
            Ok(entry) => entry.filter(|_| store.has(&key))?,
            Err(error) => {
                if matches!(error, StoreError::Damaged { .. }) {
                    let _ = store.remove(&key); // the new result replaces it
                }
                return None;
            }
        };
        let known = raw_sides.known(task);
        let sides = sides_in(&entry, &task.file, (&task.rig, &task.clip), (&task.recipe, known.as_ref()))?;
        if known.is_none() {
            raw_sides.keep(task, sides.source.clone());
        }
        Some(sides)
    }

    /// Adds the complete result of a compression to the store.
    pub(super) fn keep(&self, task: &Task, sides: &Sides, subjects: &mut Subjects) {
        let (Some(store), Some(task)) = (self.store(), kept_task(task)) else { return };
        let Some((entry, _)) = clip_entry(&sides.report, sides) else { return };
        if let Err(error) = store.put(&key_of(task, subjects), &entry) {
            self.with(|kept| kept.fault = Some(error.to_string()));
        }
    }
}

/// The compression whose result is kept. `None` for other work.
fn kept_task(task: &Task) -> Option<&CompressTask> {
    match task {
        Task::Compress(task) if task.external.is_none() => Some(task),
        _ => None,
    }
}

fn key_of(task: &CompressTask, subjects: &mut Subjects) -> ResultKey {
    clip_key(&subjects.of(&task.rig, &task.clip), task.clip.name(), Some(&task.recipe))
}
