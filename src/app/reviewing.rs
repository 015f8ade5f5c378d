//! What is decided about clips, and which is looked at next.

use super::App;
use super::settings::Desk;
use posepress_core::metrics::Verdict;
use posepress_core::session::{ClipId, Judgement, Reviewer};
use posepress_core::text;
use std::time::SystemTime;

impl App {
    /// Decides about the selected clip. Who approves one that fails says why.
    pub(super) fn judge(&mut self, judgement: Judgement) {
        let Some(id) = self.workspace.selected() else { return };
        let fails = self.workspace.verdict(id, self.workspace.active_slot()) == Some(Verdict::Fail);
        if judgement == Judgement::Approved && fails && self.view.review.note.trim().is_empty() {
            self.ask_note();
            return self
                .view
                .messages
                .say("This clip fails. Write why it is good enough all the same, then approve it.");
        }
        let by = Reviewer { note: self.view.review.note.clone(), ..reviewer() };
        let name = self.selected_clip().map_or(String::new(), |clip| clip.name().to_owned());
        if self.workspace.decide(&[id], judgement, &by) > 0 {
            self.view.messages.say(format!("{name} is {}", judgement.name()));
            self.go_on_reviewing();
        }
    }

    /// A clip is to do again.
    pub(super) fn decide_later(&mut self) {
        let Some(id) = self.workspace.selected() else { return };
        self.workspace.undecide(&[id]);
        self.view.review.note.clear();
    }

    /// The field for what there is to say.
    pub(super) fn ask_note(&mut self) {
        self.show_desk(Desk::Review);
        self.view.review.wants_note = true;
    }

    /// Approves what passes with the active recipe.
    pub(super) fn approve_passing(&mut self) {
        let clips = self.workspace.passing_to_do();
        let count = self.workspace.decide(&clips, Judgement::Approved, &reviewer());
        self.approved(count);
    }

    /// Approves what passes with any recipe, with the one that makes it smallest.
    pub(super) fn approve_smallest(&mut self) {
        let count = self.workspace.approve_smallest(&reviewer());
        self.approved(count);
    }

    fn approved(&mut self, count: usize) {
        self.view.messages.say(format!("{} approved", text::count(count, "clip")));
        self.review_changed();
    }

    /// Arranges the window for something else.
    pub(super) fn show_desk(&mut self, desk: Desk) {
        if self.view.settings.desk != desk {
            self.view.settings.desk = desk;
            self.view.settings.hint_seen |= desk == Desk::Review;
            self.review_changed();
        }
    }

    /// Another clip is judged: its note, and its worst moment.
    pub(super) fn review_changed(&mut self) {
        let id = self.workspace.selected();
        let note = id.and_then(|id| self.workspace.decision(id)).map(|decision| decision.note.clone());
        self.view.review.note = note.unwrap_or_default();
        self.view.review.looks_at = id.filter(|_| self.view.settings.desk == Desk::Review);
    }

    /// After a decision the next clip that somebody has to decide about.
    fn go_on_reviewing(&mut self) {
        if self.view.settings.desk == Desk::Review
            && let Some(next) = self.workspace.next_to_decide(&self.listed_clips())
        {
            self.select_clip(next);
        }
    }

    /// The worst moment of what is judged, as soon as it is known.
    pub(super) fn look_at_reviewed(&mut self) {
        let is_there = |id: &ClipId| self.workspace.verdict(*id, self.workspace.active_slot()).is_some();
        if self.view.review.looks_at.is_some_and(|id| Some(id) == self.workspace.selected() && is_there(&id))
            && self.workspace.shown().is_some()
        {
            self.view.review.looks_at = None;
            self.go_worst();
        }
    }
}

/// Who sits here.
fn reviewer() -> Reviewer {
    let author = ["USER", "USERNAME"].into_iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
    Reviewer { author, note: String::new(), time: SystemTime::now() }
}
