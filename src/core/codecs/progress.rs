use std::any::Any;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// A job's way to hear that it should stop and to tell how far it is. Clones share their state.
#[derive(Debug, Clone)]
pub struct Progress {
    cancelled: Arc<AtomicBool>,
    told: Arc<Told>,
    /// The part of the whole that this handle tells of.
    share: (f32, f32),
    /// A clip of so many bytes is of no use.
    room: usize,
}

impl Default for Progress {
    fn default() -> Self {
        Self { cancelled: Arc::default(), told: Arc::default(), share: (0.0, 1.0), room: usize::MAX }
    }
}

/// What a job tells.
#[derive(Debug, Default)]
struct Told {
    permille: AtomicU32,
    besides: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Somebody asked the job to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

/// A clip is no smaller than what is known already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{at_least} bytes or more, and something smaller is known")]
pub struct NoRoom {
    /// Bytes that are certain by then.
    pub at_least: usize,
}

impl Progress {
    /// Nothing done, not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// For a part of the job: stops with it, and tells its own progress to nobody.
    pub fn part(&self) -> Self {
        Self { cancelled: self.cancelled.clone(), room: self.room, ..Self::default() }
    }

    /// For a job that is of no use once it comes to `room` bytes.
    pub fn with_room(&self, room: usize) -> Self {
        Self { room, ..self.clone() }
    }

    /// `Err` once so many bytes of a clip, which are certain, are too many.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub fn check_room(&self, bytes: usize) -> Result<(), NoRoom> {
        if bytes < self.room { Ok(()) } else { Err(NoRoom { at_least: bytes }) }
    }

    /// For one of several steps: its `0..=1` is that range of this one's.
    pub fn share(&self, range: Range<f32>) -> Self {
        let (from, to) = self.share;
        let at = |fraction: f32| from + (to - from) * fraction;
        Self { share: (at(range.start), at(range.end)), ..self.clone() }
    }

    /// Asks the job to stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// True once somebody cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// `Err` once somebody cancelled; call it a few thousand times per second at most.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Tells how much is done, `0..=1`.
    pub fn set_fraction(&self, fraction: f32) {
        let (from, to) = self.share;
        let whole = from + (to - from) * fraction.clamp(0.0, 1.0);
        self.told.permille.store((whole * 1000.0) as u32, Ordering::Relaxed);
    }

    /// How much is done, `0..=1`.
    pub fn fraction(&self) -> f32 {
        self.told.permille.load(Ordering::Relaxed) as f32 / 1000.0
    }

    /// What a job tells besides, of a type that only those who write and read it know; empty at first.
    pub(super) fn with_told<T: Any + Send + Default, R>(&self, visit: impl FnOnce(&mut T) -> R) -> R {
        let mut besides = self.told.besides.lock().unwrap_or_else(PoisonError::into_inner);
        let told = besides.get_or_insert_with(|| Box::new(T::default()));
        if !told.is::<T>() {
            *told = Box::new(T::default());
        }
        visit(told.downcast_mut().expect("it was made to be one"))
    }
}
