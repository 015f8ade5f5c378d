use super::notes::Notes;
use crate::batch::StoredNumbers;
use crate::model::{Clip, Rig};
use crate::pipeline::KnownNumbers;
use crate::store::{Store, StoreError, Subject, subjects_of};
use crate::study::StudiedClips;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The store in which a scheduler keeps results and finds them again. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct KeptResults(Arc<Mutex<Kept>>);

/// The clips of a study, which may be closed.
type WeakClips = Weak<[(Arc<Rig>, Arc<Clip>)]>;

#[derive(Debug, Default)]
struct Kept {
    store: Option<Store>,
    /// The numbers of this session, if they are kept without a store.
    notes: Option<Notes>,
    fault: Option<String>,
    /// The subjects of the last study, which each of its recipes needs.
    studied: Option<(WeakClips, Vec<Subject>)>,
}

impl KeptResults {
    /// Numbers in memory, without a store.
    pub(super) fn noted(notes: Notes) -> Self {
        Self(Arc::new(Mutex::new(Kept { notes: Some(notes), ..Kept::default() })))
    }

    /// Uses a store from now on. `None`: results are kept in memory only.
    pub fn set_store(&self, store: Option<Store>) {
        self.with(|kept| *kept = Kept { store, notes: kept.notes.take(), ..Kept::default() });
    }

    /// The store.
    pub fn store(&self) -> Option<Store> {
        self.with(|kept| kept.store.clone())
    }

    /// Why a result could not be kept. Only the first call after a fault has it.
    pub fn take_fault(&self) -> Option<String> {
        self.with(|kept| kept.fault.take())
    }

    /// The numbers of clips that are kept, for studies, budgets and trials.
    pub(super) fn numbers(&self, clips: &StudiedClips) -> Box<dyn KnownNumbers + '_> {
        let named = || {
            let names = clips.iter().map(|(_, clip)| clip.name().to_owned());
            self.subjects(clips).into_iter().zip(names).collect()
        };
        let (store, notes) = self.with(|kept| (kept.store.clone(), kept.notes.clone()));
        match (store, notes) {
            (Some(store), _) => Box::new(StoredNumbers::new(store, named(), |error| self.report(error))),
            (None, Some(notes)) => Box::new(notes.of(named())),
            (None, None) => Box::new(()),
        }
    }

    fn subjects(&self, clips: &StudiedClips) -> Vec<Subject> {
        if clips.len() == 1 {
            return subjects_of(clips); // a trial must not cost a study its own
        }
        let known = self.with(|kept| {
            let of_these = kept.studied.as_ref().filter(|(of, _)| std::ptr::eq(of.as_ptr(), Arc::as_ptr(clips)));
            of_these.map(|(_, subjects)| subjects.clone())
        });
        known.unwrap_or_else(|| {
            let subjects = subjects_of(clips);
            self.with(|kept| kept.studied = Some((Arc::downgrade(clips), subjects.clone())));
            subjects
        })
    }

    /// Keeps the reason, unless the store is no longer used.
    pub(super) fn report(&self, error: StoreError) {
        self.with(|kept| kept.fault = kept.store.as_ref().map(|_| error.to_string()));
    }

    fn with<T>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
