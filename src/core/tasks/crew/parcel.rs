//! Rigs and clips of orders. Those that the order before needed too are not sent again.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Things by number. `None` for a thing that the worker has.
pub(super) type Parcel<T> = Vec<(u64, Option<Arc<T>>)>;

/// The things that an order needs, each once.
#[derive(Debug)]
pub(super) struct Packing<T>(Vec<Arc<T>>);

impl<T> Default for Packing<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Packing<T> {
    /// Index of a thing in the parcel.
    pub fn put(&mut self, thing: &Arc<T>) -> usize {
        self.0.iter().position(|known| Arc::ptr_eq(known, thing)).unwrap_or_else(|| {
            self.0.push(thing.clone());
            self.0.len() - 1
        })
    }
}

/// The window's side: what the worker has.
#[derive(Debug)]
pub(super) struct Sent<T> {
    known: Vec<(u64, Arc<T>)>,
    next: u64,
}

impl<T> Default for Sent<T> {
    fn default() -> Self {
        Self { known: Vec::new(), next: 0 }
    }
}

impl<T> Sent<T> {
    /// Packs what the worker lacks.
    pub fn pack(&mut self, wanted: Packing<T>) -> Parcel<T> {
        let before = std::mem::take(&mut self.known);
        let mut parcel = Vec::with_capacity(wanted.0.len());
        for thing in wanted.0 {
            let known = before.iter().find(|(_, known)| Arc::ptr_eq(known, &thing)).map(|(number, _)| *number);
            let number = known.unwrap_or_else(|| {
                self.next += 1;
                self.next
            });
            parcel.push((number, known.is_none().then(|| thing.clone())));
            self.known.push((number, thing));
        }
        parcel
    }

    /// The worker has nothing any more.
    pub fn forget(&mut self) {
        self.known.clear();
    }
}

/// The worker's side: the things of the order before.
#[derive(Debug)]
pub(super) struct Held<T>(Vec<(u64, Arc<T>)>);

impl<T> Default for Held<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Held<T> {
    /// The things of a parcel. `None` if one is missing.
    pub fn unpack(&mut self, parcel: Parcel<T>) -> Option<Vec<Arc<T>>> {
        let before = std::mem::take(&mut self.0);
        for (number, thing) in parcel {
            let known = || before.iter().find(|(known, _)| *known == number).map(|(_, thing)| thing.clone());
            self.0.push((number, thing.or_else(known)?));
        }
        Some(self.0.iter().map(|(_, thing)| thing.clone()).collect())
    }
}

/// A clip with its rig: their indices in the parcels of an order.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Subject {
    pub rig: usize,
    pub clip: usize,
}
