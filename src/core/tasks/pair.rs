use super::error::{TaskError, TaskFault, TaskSubject, guarded};
use crate::codecs::Progress;
use crate::model::{Clip, Rig};
use crate::pipeline::measured;
use crate::pipeline::{ExternalClip, MeasuredClip, NoCounterpart, Outcome, OutcomeRecord, RigMatch, compress_shell};
use crate::recipe::Recipe;
use crate::report::Sides;
use std::sync::Arc;

/// Compares a compressed clip with a chosen side.
#[derive(Debug, Clone)]
pub struct PairTask {
    /// The clip beside its original. The limits of its recipe and its contacts judge the pair.
    pub of: Sides,
    /// The other side.
    pub with: PairWith,
}

/// The side with which the clip is compared.
#[derive(Debug, Clone)]
pub enum PairWith {
    /// The original itself.
    Original,
    /// The outcome of another slot.
    Made(Arc<Outcome>),
    /// The outcome of a recipe that no slot has.
    Recipe(Arc<Recipe>),
    /// Another clip.
    Clip(OtherClip),
}

/// A clip that is played beside another one, with its own rig.
#[derive(Debug, Clone)]
pub struct OtherClip {
    /// The name of its file for reports.
    pub file: Arc<str>,
    /// Its rig.
    pub rig: Arc<Rig>,
    /// The clip.
    pub clip: Arc<Clip>,
}

impl OtherClip {
    /// The clip on the rig of a source. It starts where the source starts, and keeps its last pose after its end.
    fn beside(&self, source: &MeasuredClip, recipe: &Recipe) -> Result<Outcome, NoCounterpart> {
        let clip = match Arc::ptr_eq(&self.rig, &source.rig) {
            true => self.clip.clone(),
            false => {
                let put = RigMatch::new(&source.rig, &self.rig).put_all_on([&*self.clip]);
                let mismatch = |why| NoCounterpart::Rig { file: self.file.clone(), why: Arc::new(why) };
                put.map_err(mismatch)?.swap_remove(0)
            }
        };
        let bytes = clip.raw_bytes() as u64;
        Ok(ExternalClip::beside(&source.clip, (self.file.clone(), clip), bytes, 0.0).judge(source, recipe))
    }
}

impl PairTask {
    /// Compares the sides, except for the error on the skin.
    ///
    /// # Errors
    ///
    /// Returns [`TaskFault::Compress`], [`TaskFault::NoCounterpart`], [`TaskFault::Stopped`] or [`TaskFault::Panicked`]. The place is the
    /// clip.
    pub fn run(&self, progress: &Progress) -> Result<Sides, TaskError> {
        let Sides { source, outcome, report, .. } = &self.of;
        guarded(TaskSubject::clip(source.clip.name()), || {
            let other = self.other(progress)?;
            let source = self.beside(other.as_ref());
            let limits = outcome.report.limits;
            let mut outcome = measured(&source, &outcome.recipe, outcome.made.clone(), outcome.decoded.clone());
            outcome.report.limits = limits;
            Ok(Sides { reference: other, ..Sides::new(&report.source, source, outcome) })
        })
    }

    /// The recipe that makes the other side, `Some(None)` for the original. `None` for a side that no recipe makes.
    pub(super) fn recipe(&self) -> Option<Option<&Recipe>> {
        match &self.with {
            PairWith::Original => Some(None),
            PairWith::Made(outcome) => outcome.is_by_recipe().then_some(Some(&outcome.recipe)),
            PairWith::Recipe(recipe) => Some(Some(recipe)),
            PairWith::Clip(_) => None,
        }
    }

    /// The pair that another process found.
    pub(super) fn paired(&self, other: Option<Box<OutcomeRecord>>, found: OutcomeRecord) -> Option<Sides> {
        let Sides { source, outcome, report, .. } = &self.of;
        let other = match &self.with {
            PairWith::Made(outcome) => Some(outcome.clone()),
            PairWith::Recipe(recipe) => Some(Arc::new(other?.outcome(source, recipe)?)),
            PairWith::Original | PairWith::Clip(_) => None,
        };
        let source = self.beside(other.as_ref());
        let found = found.outcome(&source, &outcome.recipe)?;
        let outcome = Outcome { made: outcome.made.clone(), decoded: outcome.decoded.clone(), ..found };
        Some(Sides { reference: other, ..Sides::new(&report.source, source, outcome) })
    }

    /// The source with the other side in place of the raw clip.
    fn beside(&self, other: Option<&Arc<Outcome>>) -> MeasuredClip {
        let source = &self.of.source;
        let raw = other.map_or_else(|| source.raw.clone(), |other| other.track_beside(source));
        MeasuredClip { raw, ..source.clone() }
    }

    fn other(&self, progress: &Progress) -> Result<Option<Arc<Outcome>>, TaskFault> {
        let Sides { source, outcome, .. } = &self.of;
        Ok(match &self.with {
            PairWith::Original => None,
            PairWith::Made(outcome) => Some(outcome.clone()),
            PairWith::Recipe(recipe) => Some(Arc::new(compress_shell(source, recipe, progress)?)),
            PairWith::Clip(other) => Some(Arc::new(other.beside(source, &outcome.recipe)?)),
        })
    }

    /// True if both compare the same sides.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_same_other = match (&self.with, &other.with) {
            (PairWith::Original, PairWith::Original) => true,
            (PairWith::Made(a), PairWith::Made(b)) => Arc::ptr_eq(&a.decoded, &b.decoded),
            (PairWith::Recipe(a), PairWith::Recipe(b)) => a == b,
            (PairWith::Clip(a), PairWith::Clip(b)) => Arc::ptr_eq(&a.clip, &b.clip),
            _ => false,
        };
        is_same_other && Arc::ptr_eq(&self.of.outcome.decoded, &other.of.outcome.decoded)
    }
}

/// The pair on display.
#[derive(Debug, Default)]
pub struct Pair {
    wish: Option<PairTask>,
    is_open: bool,
    /// The last answer. It may belong to an older request while a newer one is open.
    made: Option<Sides>,
}

impl Pair {
    /// Requests a pair, or none. Returns true if the request is new.
    pub fn wish(&mut self, wish: Option<PairTask>) -> bool {
        match (&self.wish, &wish) {
            (Some(old), Some(new)) if old.is_same(new) => return false,
            (None, None) => return false,
            (Some(old), Some(new)) if Arc::ptr_eq(&old.of.source.clip, &new.of.source.clip) => {}
            // The pair of another clip would mislead.
            _ => self.made = None,
        }
        self.is_open = wish.is_some();
        self.wish = wish;
        true
    }

    /// The request that is not finished yet.
    pub fn open(&self) -> Option<&PairTask> {
        self.wish.as_ref().filter(|_| self.is_open)
    }

    /// Takes an answer. An answer to an older request is dropped. Returns true if it was taken.
    pub fn take_in(&mut self, task: &PairTask, made: Option<Sides>, done: bool) -> bool {
        let is_it = self.wish.as_ref().is_some_and(|wish| wish.is_same(task));
        if is_it {
            self.made = made;
            self.is_open = !done;
        }
        is_it
    }

    /// The pair, once it is ready.
    pub fn made(&self) -> Option<&Sides> {
        self.made.as_ref()
    }
}
