use super::KeptResults;
use super::error::{TaskError, TaskSubject, guarded};
use crate::codecs::Progress;
use crate::metrics::Aspect;
use crate::pipeline::{Asked, CompressError, compress, known_or};
use crate::report::{Remedied, Remedy, Sides, Trial};
use crate::study::StudiedClips;
use std::sync::Arc;

/// The kind of the numbers of trials.
const TRIAL: &str = "trial";

/// Tries a remedy on a compressed clip and measures its effect and its cost.
#[derive(Debug, Clone)]
pub struct TrialTask {
    /// The clip without the remedy.
    pub of: Sides,
    /// The remedy.
    pub remedy: Remedy,
    /// The aspect that it is meant to help.
    pub aspect: Aspect,
}

impl TrialTask {
    /// Compresses the clip with the remedy, unless the numbers are kept, and compares.
    ///
    /// # Errors
    ///
    /// Returns [`TaskFault::Compress`](super::TaskFault::Compress), [`TaskFault::Stopped`](super::TaskFault::Stopped) or
    /// [`TaskFault::Panicked`](super::TaskFault::Panicked). The place is the clip.
    pub fn run(&self, kept: &KeptResults, progress: &Progress) -> Result<Trial, TaskError> {
        let Sides { source, outcome, .. } = &self.of;
        guarded(TaskSubject::clip(source.clip.name()), || {
            let clips: StudiedClips = [(source.rig.clone(), source.clip.clone())].into();
            let recipe = self.remedy.changed(&outcome.recipe);
            let asked = Asked { kind: TRIAL, clip: 0, recipe: &recipe, tolerance_m: recipe.tolerance_m };
            let after = known_or(&*kept.numbers(&clips), &asked, || {
                Ok::<_, CompressError>(Remedied::of(&compress(source, &recipe, progress)?))
            })?;
            Ok(Trial::new(self.remedy.clone(), self.aspect, &self.of, &after))
        })
    }

    /// True if both try the same on the same outcome.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.remedy == other.remedy && self.aspect == other.aspect && self.is_of(&other.of)
    }

    /// True if it is tried on that outcome.
    fn is_of(&self, sides: &Sides) -> bool {
        Arc::ptr_eq(&self.of.outcome, &sides.outcome)
    }
}

/// Remedies for the displayed clip, with the results of trying them.
#[derive(Debug, Default)]
pub struct Trials {
    of: Option<Sides>,
    tried: Vec<(TrialTask, State)>,
}

#[derive(Debug)]
enum State {
    Open,
    Found(Trial),
    Failed,
}

impl Trials {
    /// Lists the remedies for another outcome, or for none. Earlier trials are dropped. The same outcome changes nothing.
    pub fn look_at(&mut self, shown: Option<&Sides>) {
        let same = match (&self.of, shown) {
            (Some(old), Some(new)) => Arc::ptr_eq(&old.outcome, &new.outcome),
            (None, None) => true,
            _ => false,
        };
        if !same {
            let task = |of: &Sides| {
                let of = of.clone();
                move |(aspect, remedy)| (TrialTask { of: of.clone(), remedy, aspect }, State::Open)
            };
            self.tried = shown.map_or(Vec::new(), |of| Remedy::of(of).into_iter().map(task(of)).collect());
            self.of = shown.cloned();
        }
    }

    /// Trials that have not run yet.
    pub fn open(&self) -> impl Iterator<Item = &TrialTask> {
        self.tried.iter().filter(|(_, state)| matches!(state, State::Open)).map(|(task, _)| task)
    }

    /// Takes the result of a trial. A failed trial is not reported, because the user did not ask for it.
    pub fn take_in(&mut self, task: &TrialTask, result: Result<Trial, TaskError>) {
        if let Some((_, state)) = self.tried.iter_mut().find(|(known, _)| known.is_same(task)) {
            *state = result.map_or(State::Failed, State::Found);
        }
    }

    /// The results.
    pub fn found(&self) -> impl Iterator<Item = &Trial> {
        self.tried.iter().filter_map(|(_, state)| match state {
            State::Found(trial) => Some(trial),
            State::Open | State::Failed => None,
        })
    }
}
