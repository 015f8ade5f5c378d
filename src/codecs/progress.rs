use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A job's way to hear that it should stop and to tell how far it is. Clones share their state.
#[derive(Debug, Clone)]
pub struct Progress {
    shared: Arc<Shared>,
    /// The part of the whole that this handle tells of.
    part: (f32, f32),
}

impl Default for Progress {
    fn default() -> Self {
        Self { shared: Arc::default(), part: (0.0, 1.0) }
    }
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    permille: AtomicU32,
}

/// Somebody asked the job to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl Progress {
    /// Nothing done, not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A handle for one step of several: its `0..=1` is that range of this one's.
    pub fn part(&self, range: Range<f32>) -> Self {
        let (from, to) = self.part;
        let at = |fraction: f32| from + (to - from) * fraction;
        Self { shared: self.shared.clone(), part: (at(range.start), at(range.end)) }
    }

    /// Asks the job to stop soon.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
    }

    /// True once somebody cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Relaxed)
    }

    /// `Err` once somebody cancelled; call it a few thousand times a second at most.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Tells how much is done, `0..=1`.
    pub fn set_fraction(&self, fraction: f32) {
        let (from, to) = self.part;
        let whole = from + (to - from) * fraction.clamp(0.0, 1.0);
        self.shared.permille.store((whole * 1000.0) as u32, Ordering::Relaxed);
    }

    /// How much is done, `0..=1`.
    pub fn fraction(&self) -> f32 {
        self.shared.permille.load(Ordering::Relaxed) as f32 / 1000.0
    }
}
