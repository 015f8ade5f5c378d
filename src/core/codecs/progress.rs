use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// The handle through which a job reports its progress and learns that it was cancelled. Clones share their state.
#[derive(Debug, Clone)]
pub struct Progress {
    cancelled: Arc<AtomicBool>,
    told: Arc<Reports>,
    /// The part of the whole job that this handle reports on.
    share: (f32, f32),
    /// A clip of this many bytes or more is of no use.
    room: usize,
}

impl Default for Progress {
    fn default() -> Self {
        Self { cancelled: Arc::default(), told: Arc::default(), share: (0.0, 1.0), room: usize::MAX }
    }
}

/// The reports of a job.
#[derive(Default)]
struct Reports {
    permille: AtomicU32,
    besides: Mutex<Option<Box<dyn Any + Send>>>,
    watch: Option<Watch>,
}

type Watch = Box<dyn Fn(&Progress) + Send + Sync>;

impl fmt::Debug for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reports").field("permille", &self.permille).finish_non_exhaustive()
    }
}

/// The job was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

/// The clip is not smaller than the best result so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the clip takes {at_least} bytes or more; a smaller result is known")]
pub struct NoRoom {
    /// A lower bound of the clip's size.
    pub at_least: usize,
}

impl Progress {
    /// A job that has just begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// A job that has just begun. `watch` is called with every report of its progress, in the thread that reports.
    pub fn watched(watch: impl Fn(&Self) + Send + Sync + 'static) -> Self {
        let reports = Reports { watch: Some(Box::new(watch)), ..Reports::default() };
        Self { told: Arc::new(reports), ..Self::default() }
    }

    /// A handle for a part of the job. It stops with the job; its own progress is not reported.
    pub fn part(&self) -> Self {
        Self { cancelled: self.cancelled.clone(), room: self.room, ..Self::default() }
    }

    /// A handle for a job that is of no use once its result reaches `room` bytes.
    pub fn with_room(&self, room: usize) -> Self {
        Self { room, ..self.clone() }
    }

    /// Returns an error if `bytes`, a lower bound on the clip, is over the limit.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub fn check_room(&self, bytes: usize) -> Result<(), NoRoom> {
        if bytes < self.room { Ok(()) } else { Err(NoRoom { at_least: bytes }) }
    }

    /// A handle for one of several phases. Its `0..=1` is mapped to `range` of this handle.
    pub fn share(&self, range: Range<f32>) -> Self {
        let (from, to) = self.share;
        let at = |fraction: f32| from + (to - from) * fraction;
        Self { share: (at(range.start), at(range.end)), ..self.clone() }
    }

    /// Asks the job to stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// True once the job was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Fails once the job was cancelled. Call it at most a few thousand times per second.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Reports the fraction that is done, `0..=1`.
    pub fn set_fraction(&self, fraction: f32) {
        let (from, to) = self.share;
        let whole = from + (to - from) * fraction.clamp(0.0, 1.0);
        self.told.permille.store((whole * 1000.0) as u32, Ordering::Relaxed);
        if let Some(watch) = &self.told.watch {
            watch(self);
        }
    }

    /// The fraction that is done, `0..=1`.
    pub fn fraction(&self) -> f32 {
        self.told.permille.load(Ordering::Relaxed) as f32 / 1000.0
    }

    /// Other reports of a job. Their type is known only to the code that writes and reads them. Empty at first.
    pub(super) fn with_details<T: Any + Send + Default, R>(&self, visit: impl FnOnce(&mut T) -> R) -> R {
        let mut besides = self.told.besides.lock().unwrap_or_else(PoisonError::into_inner);
        let told = besides.get_or_insert_with(|| Box::new(T::default()));
        if !told.is::<T>() {
            *told = Box::new(T::default());
        }
        visit(told.downcast_mut().expect("it was made to be one"))
    }
}
