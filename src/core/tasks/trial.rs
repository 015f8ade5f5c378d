use super::error::{Place, TaskError, guarded};
use crate::codecs::Progress;
use crate::metrics::Aspect;
use crate::pipeline::compress;
use crate::report::{Remedy, Sides, Trial};
use std::sync::Arc;

/// Tries on a compressed clip what a change of its recipe would bring and cost.
#[derive(Debug, Clone)]
pub struct TrialTask {
    /// The clip as it is.
    pub of: Sides,
    /// The change.
    pub remedy: Remedy,
    /// What of the verdict it is meant to help.
    pub aspect: Aspect,
}

impl TrialTask {
    /// Compresses the clip with the change, and compares.
    ///
    /// # Errors
    /// [`TaskFault::Compress`](super::TaskFault::Compress), [`TaskFault::Stopped`](super::TaskFault::Stopped),
    /// [`TaskFault::Panicked`](super::TaskFault::Panicked); the place is the clip.
    pub fn run(&self, progress: &Progress) -> Result<Trial, TaskError> {
        let Sides { source, outcome, .. } = &self.of;
        guarded(Place::clip(source.clip.name()), || {
            let after = compress(source, &self.remedy.changed(&outcome.recipe), progress)?;
            Ok(Trial::new(self.remedy.clone(), self.aspect, &self.of, &after))
        })
    }

    /// True when both try the same on the same outcome.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.remedy == other.remedy && self.aspect == other.aspect && self.is_of(&other.of)
    }

    /// True when it is tried on that outcome.
    fn is_of(&self, sides: &Sides) -> bool {
        Arc::ptr_eq(&self.of.outcome, &sides.outcome)
    }
}

/// What may help the clip that is looked at, and what came of trying it.
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
    /// Another clip or recipe is looked at, or none: what was tried before is forgotten.
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

    /// What is still to be tried.
    pub fn open(&self) -> impl Iterator<Item = &TrialTask> {
        self.tried.iter().filter(|(_, state)| matches!(state, State::Open)).map(|(task, _)| task)
    }

    /// Takes in what was found; of a trial that failed nothing is said, it is no work that a person asked for.
    pub fn take_in(&mut self, task: &TrialTask, result: Result<Trial, TaskError>) {
        if let Some((_, state)) = self.tried.iter_mut().find(|(known, _)| known.is_same(task)) {
            *state = result.map_or(State::Failed, State::Found);
        }
    }

    /// What was found.
    pub fn found(&self) -> impl Iterator<Item = &Trial> {
        self.tried.iter().filter_map(|(_, state)| match state {
            State::Found(trial) => Some(trial),
            State::Open | State::Failed => None,
        })
    }
}
