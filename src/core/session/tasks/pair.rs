use super::error::{Place, TaskError, guarded};
use super::task::Sides;
use crate::codecs::{LOSSLESS, Progress};
use crate::metrics::ModelTrack;
use crate::session::compress::{Made, measured};
use crate::session::{CompressError, MeasuredClip, Outcome, Recipe, compress_shell};
use std::sync::Arc;

/// Puts another side than the original beside a compressed clip, or swaps the two.
#[derive(Debug, Clone)]
pub struct PairTask {
    /// The clip beside its original; its recipe's limits judge the pair, and its plants are looked at.
    pub of: Sides,
    /// What it is compared with instead of the original.
    pub with: PairWith,
    /// The compressed clip is what the other is compared with.
    pub swapped: bool,
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

/// One side: who made it, unless it is the original, and its matrices.
struct Side {
    outcome: Option<Arc<Outcome>>,
    track: Arc<ModelTrack>,
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
            let compressed = Side { outcome: Some(outcome.clone()), track: outcome.decoded.clone() };
            let other = self.other(progress)?;
            let (left, right) = if self.swapped { (compressed, other) } else { (other, compressed) };
            let source = MeasuredClip { raw: left.track, ..source.clone() };
            let made = right.outcome.as_ref().map_or(Made::Original(source.clip.clone()), |right| right.made.clone());
            let recipe = judging(right.outcome.as_deref(), &outcome.recipe);
            let limits = outcome.report.limits;
            let mut outcome = measured(&source, &recipe, made, right.track);
            outcome.report.limits = limits;
            Ok(Sides { reference: left.outcome, ..Sides::new(&report.source, source, outcome) })
        })
    }

    fn other(&self, progress: &Progress) -> Result<Side, CompressError> {
        let source = &self.of.source;
        let outcome = match &self.with {
            PairWith::Original => return Ok(Side { outcome: None, track: source.raw.clone() }),
            PairWith::Made(outcome) => outcome.clone(),
            PairWith::Recipe(recipe) => Arc::new(compress_shell(source, recipe, progress)?),
        };
        let track = outcome.track_beside(source);
        Ok(Side { outcome: Some(outcome), track })
    }

    /// True when both put the same beside the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_same_other = match (&self.with, &other.with) {
            (PairWith::Original, PairWith::Original) => true,
            (PairWith::Made(a), PairWith::Made(b)) => Arc::ptr_eq(&a.decoded, &b.decoded),
            (PairWith::Recipe(a), PairWith::Recipe(b)) => a == b,
            _ => false,
        };
        is_same_other
            && self.swapped == other.swapped
            && Arc::ptr_eq(&self.of.outcome.decoded, &other.of.outcome.decoded)
    }
}

/// How a side was made, with the limits by which the pair is judged.
fn judging(made: Option<&Outcome>, limits: &Recipe) -> Recipe {
    let plain =
        Recipe { codec: LOSSLESS, values: Default::default(), compensation: Default::default(), ..limits.clone() };
    match made.map(|made| &made.recipe) {
        Some(Recipe { codec, values, compensation, .. }) => {
            Recipe { codec: *codec, values: values.clone(), compensation: compensation.clone(), ..plain }
        }
        None => plain,
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
