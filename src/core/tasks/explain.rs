use super::error::{Place, TaskError, TaskFault, guarded};
use crate::codecs::{FittedCurve, Progress};
use crate::metrics::{Blame, Complaint};
use crate::model::Channel;
use crate::pipeline::{TierFault, TierLevel, TierSettings, tier_levels};
use crate::report::Sides;
use std::sync::Arc;

/// Finds out how a compressed clip came to be what it is.
#[derive(Debug, Clone)]
pub struct ExplainTask {
    /// The clip, raw and compressed.
    pub of: Sides,
    /// What is to be found out.
    pub question: Question,
}

/// What can be asked of a compressed clip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Question {
    /// Which joint's loss causes an error.
    Blame(Complaint),
    /// What the fit of a track was with some of its keys.
    Fit(FitOf),
    /// What is left of it without its tiers.
    Tiers(TierSettings),
}

/// A track whose fit is to be seen again, and up to which key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitOf {
    /// Its joint.
    pub joint: usize,
    /// Its part of the joint's transform.
    pub channel: Channel,
    /// Keys that the fit had.
    pub keys: usize,
}

/// What was found out. `None` where there is nothing to be found: no such plant, joint or moment; a codec whose fits cannot
/// be seen again.
#[derive(Debug, Clone)]
pub enum Explanation {
    /// Answers [`Question::Blame`].
    Blame(Option<Blame>),
    /// Answers [`Question::Fit`].
    Fit(Option<FittedCurve>),
    /// Answers [`Question::Tiers`]: the levels, or why there are none.
    Tiers(Result<Vec<TierLevel>, Arc<TierFault>>),
}

impl ExplainTask {
    /// Finds it out. Only tiers take so long that they look whether they should stop.
    ///
    /// # Errors
    /// [`TaskFault::Panicked`](super::TaskFault::Panicked), and
    /// [`TaskFault::Compress`](super::TaskFault::Compress) where the outcome is not that of the clip; the place is the clip.
    pub fn run(&self, progress: &Progress) -> Result<Explanation, TaskError> {
        let Sides { source, outcome, .. } = &self.of;
        guarded(Place::clip(source.clip.name()), || match self.question {
            Question::Blame(complaint) => Ok(Explanation::Blame(self.blame(complaint))),
            Question::Fit(fit) => {
                let kept = outcome.kept(fit.channel, fit.joint);
                let curve = kept.map(|kept| outcome.replay(source, kept, fit.keys)).transpose()?;
                Ok(Explanation::Fit(curve.flatten()))
            }
            Question::Tiers(settings) => {
                let levels = tier_levels(source, outcome, &settings, progress);
                progress.check().map_err(|_| TaskFault::Stopped)?;
                Ok(Explanation::Tiers(levels.map_err(Arc::new)))
            }
        })
    }

    fn blame(&self, complaint: Complaint) -> Option<Blame> {
        let (source, outcome) = (&self.of.source, &self.of.outcome);
        let plan = &outcome.report.contacts.plan;
        Blame::find(&source.rig, &source.clip, plan, &source.raw, &outcome.decoded, &outcome.shells_m, complaint)
    }

    /// True when both ask the same of the same outcome.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.question == other.question && self.is_of_same(other)
    }

    /// True when both ask of the same bytes.
    fn is_of_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.of.outcome.decoded, &other.of.outcome.decoded)
    }

    /// True when its answer is only late for a newer question, and would not mislead: blame for the same complaint, even of
    /// an older recipe; another step of the same fit.
    fn may_stand_for(&self, newer: &Self) -> bool {
        match (self.question, newer.question) {
            (Question::Blame(old), Question::Blame(new)) => old == new,
            (Question::Tiers(_), Question::Tiers(_)) => Arc::ptr_eq(&self.of.source.clip, &newer.of.source.clip),
            (Question::Fit(old), Question::Fit(new)) => {
                (old.joint, old.channel) == (new.joint, new.channel) && self.is_of_same(newer)
            }
            _ => false,
        }
    }
}

/// One question that stays open until it is answered or replaced, and the last answer.
#[derive(Debug)]
pub struct Asked<A> {
    open: Option<ExplainTask>,
    answered: Option<(ExplainTask, A)>,
}

impl<A> Default for Asked<A> {
    fn default() -> Self {
        Self { open: None, answered: None }
    }
}

impl<A> Asked<A> {
    /// Asks; true when the question is new. Asked again with the same it does nothing, and nothing takes the question back.
    pub fn ask(&mut self, wish: Option<ExplainTask>) -> bool {
        let Some(wish) = wish else {
            let was_open = self.open.is_some();
            *self = Self::default();
            return was_open;
        };
        let known = self.open.as_ref().or(self.answered.as_ref().map(|(task, _)| task));
        if known.is_some_and(|task| task.is_same(&wish)) {
            return false;
        }
        self.answered.take_if(|(old, _)| !old.may_stand_for(&wish));
        self.open = Some(wish);
        true
    }

    /// Takes in an answer; one to an older question is dropped. True when it was taken.
    pub fn take_in(&mut self, task: &ExplainTask, answer: Option<A>) -> bool {
        let Some(open) = self.open.take_if(|open| open.is_same(task)) else { return false };
        self.answered = answer.map(|answer| (open, answer));
        true
    }

    /// What is not answered yet.
    pub fn open(&self) -> Option<&ExplainTask> {
        self.open.as_ref()
    }

    /// The last answer, which may be to an older question while the newer one is worked on.
    pub fn answer(&self) -> Option<&A> {
        self.answered.as_ref().map(|(_, answer)| answer)
    }
}
