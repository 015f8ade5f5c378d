use super::{Workspace, WorkspaceEvent};
use crate::codecs::FittedCurve;
use crate::lod::Platform;
use crate::metrics::{Blame, Complaint};
use crate::pipeline::{LodFault, MeasuredLod, TierFault, TierLevel, TierSettings};
use crate::tasks::{ExplainTask, Explanation, FitOf, Lane, Question, Request, Task, TaskError};
use std::sync::Arc;

impl Workspace {
    /// Asks which joints cause an error in the displayed pair. [`Self::blame`] has the answer once it is known. Asking the same again does
    /// nothing.
    pub fn explain(&mut self, complaint: Option<Complaint>) {
        let task = complaint.and_then(|complaint| self.question(Question::Blame(complaint)));
        if self.blame.ask(task) {
            self.schedule_questions();
        }
    }

    /// Asks for the fit of a displayed track with some of its keys. [`Self::fit`] has the answer once it is known.
    pub fn replay(&mut self, fit: Option<FitOf>) {
        let task = fit.and_then(|fit| self.question(Question::Fit(fit)));
        if self.fit.ask(task) {
            self.schedule_questions();
        }
    }

    /// The answer to the last question about a cause. It may be of an older recipe until the new answer is known.
    pub fn blame(&self) -> Option<&Blame> {
        self.blame.answer()?.as_ref()
    }

    /// The answer to the last question about a fit. It may have other keys until the new answer is known.
    pub fn fit(&self) -> Option<&FittedCurve> {
        self.fit.answer()?.as_ref()
    }

    /// Asks for the levels of the outcome in the active slot, with and without its tiers. [`Self::tiers`] has the answer once it is known.
    pub fn ask_tiers(&mut self, settings: Option<TierSettings>) {
        let of = self.compressed().filter(|of| of.outcome.encoding().is_some()).cloned();
        let question = settings.map(Question::Tiers);
        let task = of.zip(question).map(|(of, question)| ExplainTask { of, question });
        if self.tiers.ask(task) {
            self.schedule_questions();
        }
    }

    /// The levels of the clip, the whole clip first, or why it has none. They may be of an older recipe until the new answer is known.
    pub fn tiers(&self) -> Option<&Result<Vec<TierLevel>, Arc<TierFault>>> {
        self.tiers.answer()
    }

    /// Asks for the outcome in the active slot at the levels of detail of a platform. [`Self::lods`] has the answer once it is known.
    pub fn ask_lods(&mut self, platform: Option<Arc<Platform>>) {
        let of = self.compressed().filter(|of| of.outcome.encoding().is_some()).cloned();
        let question = platform.map(|platform| Question::Lods(platform, self.document().tiers));
        let task = of.zip(question).map(|(of, question)| ExplainTask { of, question });
        if self.lods.ask(task) {
            self.schedule_questions();
        }
    }

    /// The clip at each level of detail, or why it has no such level. They may be of an older recipe until the new answer is known.
    pub fn lods(&self) -> Option<&[Result<MeasuredLod, LodFault>]> {
        self.lods.answer().map(Vec::as_slice)
    }

    /// One of these levels.
    pub fn lod(&self, level: usize) -> Option<&MeasuredLod> {
        self.lods()?.get(level)?.as_ref().ok()
    }

    /// True while levels of detail are measured.
    pub fn is_measuring_lods(&self) -> bool {
        self.lods.open().is_some()
    }

    /// One of these levels.
    pub fn tier_level(&self, level: usize) -> Option<&TierLevel> {
        self.tiers()?.as_ref().ok()?.get(level)
    }

    fn question(&self, question: Question) -> Option<ExplainTask> {
        Some(ExplainTask { of: self.shown()?.clone(), question })
    }

    /// Requests the open questions. The pair comes first, then the fit, which follows a slider. Tiers take longest.
    pub(super) fn schedule_questions(&self) {
        let pair =
            self.open_pair().map(|pair| Request { key: None, task: Task::Pair(Box::new(pair.clone())), live: true });
        let open =
            self.fit.open().into_iter().chain(self.blame.open()).chain(self.tiers.open()).chain(self.lods.open());
        let request = |task: &ExplainTask| {
            let task = Task::Explain(Box::new(task.clone()));
            Request { key: None, task, live: true }
        };
        self.scheduler.set_wanted(Lane::Explain, pair.into_iter().chain(open.map(request)).collect());
    }

    pub(super) fn take_in_explanation(
        &mut self,
        task: &ExplainTask,
        result: Result<Explanation, TaskError>,
    ) -> Option<WorkspaceEvent> {
        let (explanation, failure) = match result {
            Ok(explanation) => (Some(explanation), None),
            Err(error) => (None, Some(WorkspaceEvent::Failed(error))),
        };
        let was_open = match (&task.question, explanation) {
            (Question::Blame(_), Some(Explanation::Blame(blame))) => self.blame.take_in(task, Some(blame)),
            (Question::Fit(_), Some(Explanation::Fit(fit))) => self.fit.take_in(task, Some(fit)),
            (Question::Tiers(_), Some(Explanation::Tiers(tiers))) => {
                let was_open = self.tiers.take_in(task, Some(tiers));
                self.renew_pair();
                was_open
            }
            (Question::Lods(..), Some(Explanation::Lods(levels))) => {
                let was_open = self.lods.take_in(task, Some(levels));
                self.renew_pair();
                was_open
            }
            (Question::Lods(..), _) => self.lods.take_in(task, None),
            (Question::Tiers(_), _) => self.tiers.take_in(task, None),
            (Question::Blame(_), _) => self.blame.take_in(task, None),
            (Question::Fit(_), _) => self.fit.take_in(task, None),
        };
        failure.filter(|_| was_open)
    }
}
