use super::error::{TaskError, TaskFault, TaskSubject, guarded};
use crate::codecs::{FittedCurve, Progress};
use crate::lod::Platform;
use crate::metrics::{Blame, Complaint};
use crate::model::Channel;
use crate::pipeline::{LodFault, MeasuredLod, TierFault, TierLevel, TierSettings, measure_lods, tier_levels};
use crate::report::Sides;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Answers a question about a compressed clip.
#[derive(Debug, Clone)]
pub struct ExplainTask {
    /// The clip, raw and compressed.
    pub of: Sides,
    /// The question.
    pub question: Question,
}

/// A question about a compressed clip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// The joints that cause an error.
    Blame(Complaint),
    /// The fit of a track with some of its keys.
    Fit(FitOf),
    /// The clip without its tiers.
    Tiers(TierSettings),
    /// The clip at the levels of detail of a platform.
    Lods(Arc<Platform>, TierSettings),
}

/// A track and the number of keys for which its fit is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitOf {
    /// Index of the joint.
    pub joint: usize,
    /// Channel of the joint's transform.
    pub channel: Channel,
    /// Number of keys.
    pub keys: usize,
}

/// The answer. `None` if there is no such contact, joint or moment, or if the codec's fits cannot be replayed.
#[derive(Debug, Clone)]
pub enum Explanation {
    /// Answer to [`Question::Blame`].
    Blame(Option<Blame>),
    /// Answer to [`Question::Fit`].
    Fit(Option<FittedCurve>),
    /// Answer to [`Question::Tiers`]: the levels, or why there are none.
    Tiers(Result<Vec<TierLevel>, Arc<TierFault>>),
    /// Answer to [`Question::Lods`]: each level, or why there is none.
    Lods(Vec<Result<MeasuredLod, LodFault>>),
}

impl ExplainTask {
    /// Answers the question. Only tiers and levels of detail take long enough to check for a stop.
    ///
    /// # Errors
    ///
    /// Returns [`TaskFault::Panicked`](super::TaskFault::Panicked) for an internal error,
    /// [`TaskFault::Compress`](super::TaskFault::Compress) if the outcome does not belong to the clip, and
    /// [`TaskFault::Stopped`](super::TaskFault::Stopped) for tiers. The place is the clip.
    pub fn run(&self, progress: &Progress) -> Result<Explanation, TaskError> {
        let Sides { source, outcome, .. } = &self.of;
        guarded(TaskSubject::clip(source.clip.name()), || match &self.question {
            Question::Blame(complaint) => Ok(Explanation::Blame(self.blame(*complaint))),
            Question::Fit(fit) => {
                let kept = outcome.kept(fit.channel, fit.joint);
                let curve = kept.map(|kept| outcome.replay(source, kept, fit.keys)).transpose()?;
                Ok(Explanation::Fit(curve.flatten()))
            }
            Question::Tiers(settings) => {
                let levels = tier_levels(source, outcome, settings, progress);
                progress.check().map_err(|_| TaskFault::Stopped)?;
                Ok(Explanation::Tiers(levels.map_err(Arc::new)))
            }
            Question::Lods(platform, tiers) => {
                let levels = measure_lods(source, outcome, (platform, tiers), progress);
                progress.check().map_err(|_| TaskFault::Stopped)?;
                Ok(Explanation::Lods(levels))
            }
        })
    }

    fn blame(&self, complaint: Complaint) -> Option<Blame> {
        let (source, outcome) = (&self.of.source, &self.of.outcome);
        let plan = &outcome.report.slide.plan;
        Blame::find(&source.rig, &source.clip, plan, &source.raw, &outcome.decoded, &outcome.shells_m, complaint)
    }

    /// True if both ask the same about the same outcome.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.question == other.question && self.is_of_same(other)
    }

    /// True if both ask about the same bytes.
    fn is_of_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.of.outcome.decoded, &other.of.outcome.decoded)
    }

    /// True if its answer is shown until a newer question is answered. This is an answer about the same complaint or the same clip's tiers
    /// with an older recipe, or about the same fit with another number of keys.
    fn may_stand_for(&self, newer: &Self) -> bool {
        let is_same_clip = Arc::ptr_eq(&self.of.source.clip, &newer.of.source.clip);
        match (&self.question, &newer.question) {
            (Question::Blame(old), Question::Blame(new)) => is_same_clip && old == new,
            (Question::Tiers(_), Question::Tiers(_)) => is_same_clip,
            (Question::Lods(old, _), Question::Lods(new, _)) => is_same_clip && old.levels.len() == new.levels.len(),
            (Question::Fit(old), Question::Fit(new)) => {
                (old.joint, old.channel) == (new.joint, new.channel) && self.is_of_same(newer)
            }
            _ => false,
        }
    }
}

/// A question that stays open until it is answered or replaced, and the last answer.
#[derive(Debug)]
pub struct OpenQuestion<A> {
    open: Option<ExplainTask>,
    answered: Option<(ExplainTask, A)>,
}

impl<A> Default for OpenQuestion<A> {
    fn default() -> Self {
        Self { open: None, answered: None }
    }
}

impl<A> OpenQuestion<A> {
    /// Asks a question and returns true if it is new. Asking the same again does nothing. `None` drops question and answer, and returns
    /// true if the question was open.
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

    /// Takes an answer. An answer to an older question is dropped. Returns true if it was taken.
    pub fn take_in(&mut self, task: &ExplainTask, answer: Option<A>) -> bool {
        let Some(open) = self.open.take_if(|open| open.is_same(task)) else { return false };
        self.answered = answer.map(|answer| (open, answer));
        true
    }

    /// The question that is not answered yet.
    pub fn open(&self) -> Option<&ExplainTask> {
        self.open.as_ref()
    }

    /// The last answer. It may belong to an older question while a newer one is open.
    pub fn answer(&self) -> Option<&A> {
        self.answered.as_ref().map(|(_, answer)| answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{ImportOptions, import_file};
    use crate::pipeline::{MeasuredClip, compress};
    use crate::recipe::Recipe;
    use std::path::Path;

    #[test]
    fn an_answer_stands_for_the_same_complaint_of_the_same_clip_only() {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/assets/sample.glb");
        let imported = import_file(&sample, &ImportOptions::default()).unwrap();
        let (rig, recipe) = (Arc::new(imported.rig), Recipe::chosen("raw").unwrap());
        let clips: Vec<_> = imported.clips.into_iter().map(Arc::new).collect();
        let blame = |clip: usize| {
            let source = MeasuredClip::new(rig.clone(), clips[clip].clone(), &recipe);
            let outcome = compress(&source, &recipe, &Progress::new()).unwrap();
            let question = Question::Blame(Complaint::Moment { joint: 1, step: 0 });
            ExplainTask { of: Sides::new("sample.glb", source, outcome), question }
        };
        let mut open = OpenQuestion::default();
        let first = blame(0);
        assert!(open.ask(Some(first.clone())) && open.take_in(&first, Some("first")));
        assert!(open.ask(Some(blame(0))), "encoded again");
        assert_eq!(open.answer(), Some(&"first"), "shown until the new answer");
        assert!(open.ask(Some(blame(1))));
        assert_eq!(open.answer(), None, "another clip");
    }
}
