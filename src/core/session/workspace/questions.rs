use super::{Workspace, WorkspaceEvent};
use crate::codecs::FittedCurve;
use crate::metrics::{Blame, Complaint};
use crate::session::{ExplainTask, Explanation, FitOf, Lane, Question, Request, Task, TaskError};

impl Workspace {
    /// Asks which joint is to blame in what is shown; [`Self::blame`] has the answer as soon as it is there. Asked again
    /// with the same, it does nothing.
    pub fn explain(&mut self, complaint: Option<Complaint>) {
        let task = complaint.and_then(|complaint| self.question(Question::Blame(complaint)));
        if self.blame.ask(task) {
            self.schedule_questions();
        }
    }

    /// Asks what a fit in what is shown was with some of its keys; [`Self::fit`] has the answer as soon as it is there.
    pub fn replay(&mut self, fit: Option<FitOf>) {
        let task = fit.and_then(|fit| self.question(Question::Fit(fit)));
        if self.fit.ask(task) {
            self.schedule_questions();
        }
    }

    /// Which joint is to blame for what was asked last; of an older recipe until the new answer is there.
    pub fn blame(&self) -> Option<&Blame> {
        self.blame.answer()?.as_ref()
    }

    /// The fit that was asked for last; with other keys until the new answer is there.
    pub fn fit(&self) -> Option<&FittedCurve> {
        self.fit.answer()?.as_ref()
    }

    fn question(&self, question: Question) -> Option<ExplainTask> {
        Some(ExplainTask { of: self.shown()?.clone(), question })
    }

    /// What both sides are comes first, then the fit: it follows a slider.
    pub(super) fn schedule_questions(&self) {
        let pair =
            self.open_pair().map(|pair| Request { key: None, task: Task::Pair(Box::new(pair.clone())), live: true });
        let open = self.fit.open().into_iter().chain(self.blame.open());
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
        let was_open = match (task.question, explanation) {
            (Question::Blame(_), Some(Explanation::Blame(blame))) => self.blame.take_in(task, Some(blame)),
            (Question::Fit(_), Some(Explanation::Fit(fit))) => self.fit.take_in(task, Some(fit)),
            (Question::Blame(_), _) => self.blame.take_in(task, None),
            (Question::Fit(_), _) => self.fit.take_in(task, None),
        };
        failure.filter(|_| was_open)
    }
}
