use super::JobResult;
use crate::metrics::{Blame, Complaint, ErrorReport, Verdict};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Finds out in the background which joint is to blame. One wish at a time; a newer one takes its place.
pub(super) struct Explainer {
    notify: Arc<dyn Fn() + Send + Sync>,
    sender: Sender<(u64, Option<Blame>)>,
    answers: Receiver<(u64, Option<Blame>)>,
    wish: Option<Wish>,
    answer: Option<Blame>,
    asked: u64,
    pending: bool,
}

/// Of which outcome, and what.
#[derive(Debug, Clone)]
struct Wish {
    result: JobResult,
    complaint: Complaint,
}

impl Wish {
    fn is_same(&self, result: &JobResult, complaint: Complaint) -> bool {
        self.complaint == complaint && Arc::ptr_eq(&self.result.outcome.decoded, &result.outcome.decoded)
    }

    fn answer(&self) -> Option<Blame> {
        let (source, outcome) = (&self.result.source, &self.result.outcome);
        let plan = &outcome.report.contacts.plan;
        Blame::find(&source.rig, &source.clip, plan, &source.raw, &outcome.decoded, &outcome.shells_m, self.complaint)
    }
}

impl std::fmt::Debug for Explainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { wish, answer, pending, .. } = self;
        f.debug_struct("Explainer").field("wish", wish).field("answer", answer).field("pending", pending).finish()
    }
}

impl Explainer {
    /// `notify` is called when an answer is there.
    pub(super) fn new(notify: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (sender, answers) = channel();
        Self { notify, sender, answers, wish: None, answer: None, asked: 0, pending: false }
    }

    /// What is to be explained now; asked again with the same, it does nothing.
    pub(super) fn ask(&mut self, wish: Option<(&JobResult, Complaint)>) {
        let Some((result, complaint)) = wish else {
            (self.wish, self.answer, self.pending) = (None, None, false);
            return;
        };
        if self.wish.as_ref().is_some_and(|w| w.is_same(result, complaint)) {
            return;
        }
        if self.wish.as_ref().is_none_or(|w| w.complaint != complaint) {
            self.answer = None; // an answer to another question would mislead; of an older recipe it is only late
        }
        self.asked += 1;
        self.pending = true;
        let wish = Wish { result: result.clone(), complaint };
        let (sender, notify, asked) = (self.sender.clone(), self.notify.clone(), self.asked);
        self.wish = Some(wish.clone());
        rayon::spawn(move || {
            let _ = sender.send((asked, wish.answer())); // nobody listens any more: the window is closing
            notify();
        });
    }

    /// Takes in what is there; true when something changed.
    pub(super) fn poll(&mut self) -> bool {
        let mut changed = false;
        while let Ok((asked, answer)) = self.answers.try_recv() {
            if asked == self.asked && self.pending {
                (self.answer, self.pending, changed) = (answer, false, true);
            }
        }
        changed
    }

    /// The answer to what was asked last; of an older recipe until the new one is there.
    pub(super) fn answer(&self) -> Option<&Blame> {
        self.answer.as_ref()
    }

    pub(super) fn is_pending(&self) -> bool {
        self.pending
    }
}

/// What is worth explaining when nobody has asked yet: the plant that slides most if it does not hold, else the joint
/// and moment of the largest shell error.
pub fn worst_complaint(report: &ErrorReport) -> Option<Complaint> {
    let slides = report.contacts.verdict() > Verdict::Good;
    worst_plant(report).filter(|_| slides).or_else(|| worst_moment(report))
}

/// The plant that slides most, the first of equals; `None` without plants.
pub fn worst_plant(report: &ErrorReport) -> Option<Complaint> {
    let plants = &report.contacts.plants;
    let slide_m = |i: &usize| plants[*i].slide_m;
    (0..plants.len()).rev().max_by(|a, b| slide_m(a).total_cmp(&slide_m(b))).map(Complaint::Plant)
}

/// The joint and step of the largest shell error; `None` when there is no error.
pub fn worst_moment(report: &ErrorReport) -> Option<Complaint> {
    let worst = if report.samples.worst.error_m >= report.between.worst.error_m {
        report.samples.worst
    } else {
        report.between.worst
    };
    let step = report.per_step.iter().position(|e| *e == worst.error_m)?;
    (worst.error_m > 0.0).then_some(Complaint::Moment { joint: worst.joint, step })
}
