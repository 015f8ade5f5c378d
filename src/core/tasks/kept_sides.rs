//! Complete results of compressions in the store.

use super::{CompressTask, KeptResults, RawSides, Task};
use crate::batch::{clip_entry, clip_key, sides_in};
use crate::report::Sides;
use crate::store::{ResultKey, StoreError, Subjects};

impl KeptResults {
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
            self.report(error);
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
