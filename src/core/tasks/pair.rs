use super::error::{Place, TaskError, guarded};
use crate::codecs::Progress;
use crate::pipeline::measured;
use crate::pipeline::{CompressError, MeasuredClip, Outcome, compress_shell};
use crate::recipe::Recipe;
use crate::report::Sides;
use std::sync::Arc;

/// Puts another side than the original beside a compressed clip.
#[derive(Debug, Clone)]
pub struct PairTask {
    /// The clip beside its original; its recipe's limits judge the pair, and its plants are looked at.
    pub of: Sides,
    /// What it is compared with instead of the original.
    pub with: PairWith,
}

/// What stands in the original's place.
#[derive(Debug, Clone)]
pub enum PairWith {
    /// The original itself.
    Original,
    /// What another slot made of the clip.
    Made(Arc<Outcome>),
    /// What a recipe makes of it that no slot has.
    Recipe(Arc<Recipe>),
}

impl PairTask {
    /// Everything but the error on the skin.
    ///
    /// # Errors
    /// [`TaskFault::Compress`](super::TaskFault::Compress), [`TaskFault::Stopped`](super::TaskFault::Stopped),
    /// [`TaskFault::Panicked`](super::TaskFault::Panicked); the place is the clip.
    pub fn run(&self, progress: &Progress) -> Result<Sides, TaskError> {
        let Sides { source, outcome, report, .. } = &self.of;
        guarded(Place::clip(source.clip.name()), || {
            let other = self.other(progress)?;
            let raw = other.as_ref().map_or_else(|| source.raw.clone(), |other| other.track_beside(source));
            let source = MeasuredClip { raw, ..source.clone() };
            let limits = outcome.report.limits;
            let mut outcome = measured(&source, &outcome.recipe, outcome.made.clone(), outcome.decoded.clone());
            outcome.report.limits = limits;
            Ok(Sides { reference: other, ..Sides::new(&report.source, source, outcome) })
        })
    }

    fn other(&self, progress: &Progress) -> Result<Option<Arc<Outcome>>, CompressError> {
        Ok(match &self.with {
            PairWith::Original => None,
            PairWith::Made(outcome) => Some(outcome.clone()),
            PairWith::Recipe(recipe) => Some(Arc::new(compress_shell(&self.of.source, recipe, progress)?)),
        })
    }

    /// True when both put the same beside the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_same_other = match (&self.with, &other.with) {
            (PairWith::Original, PairWith::Original) => true,
            (PairWith::Made(a), PairWith::Made(b)) => Arc::ptr_eq(&a.decoded, &b.decoded),
            (PairWith::Recipe(a), PairWith::Recipe(b)) => a == b,
            _ => false,
        };
        is_same_other && Arc::ptr_eq(&self.of.outcome.decoded, &other.of.outcome.decoded)
    }
}

/// The pair that is looked at.
#[derive(Debug, Default)]
pub struct Pair {
    wish: Option<PairTask>,
    is_open: bool,
    /// The last answer, which may be of an older wish while the newer one is worked on.
    made: Option<Sides>,
}

impl Pair {
    /// Wishes for a pair, or for none; true when that is new.
    pub fn wish(&mut self, wish: Option<PairTask>) -> bool {
        match (&self.wish, &wish) {
            (Some(old), Some(new)) if old.is_same(new) => return false,
            (None, None) => return false,
            (Some(old), Some(new)) if Arc::ptr_eq(&old.of.source.clip, &new.of.source.clip) => {}
            // Of another clip what was there would mislead.
            _ => self.made = None,
        }
        self.is_open = wish.is_some();
        self.wish = wish;
        true
    }

    /// What is not whole yet.
    pub fn open(&self) -> Option<&PairTask> {
        self.wish.as_ref().filter(|_| self.is_open)
    }

    /// Takes in an answer; one to an older wish is dropped. True when it was taken.
    pub fn take_in(&mut self, task: &PairTask, made: Option<Sides>, done: bool) -> bool {
        let is_it = self.wish.as_ref().is_some_and(|wish| wish.is_same(task));
        if is_it {
            self.made = made;
            self.is_open = !done;
        }
        is_it
    }

    /// The pair, once there is one.
    pub fn made(&self) -> Option<&Sides> {
        self.made.as_ref()
    }
}
