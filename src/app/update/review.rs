//! What is decided about clips, and which is looked at next.

use crate::App;
use crate::commands::Command;
use crate::panels::NOTES;
use crate::state::Desk;
use crate::state::{AuthorSheet, View};
use crate::update::picked;
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::session::{ClipId, Judgement, MomentNote, Reviewer, Workspace};
use posepress_core::text;
use std::time::SystemTime;

impl App {
    /// Decides about the picked clips. Who approves one that fails says why.
    pub(crate) fn judge(&mut self, judgement: Judgement) {
        let Some(id) = self.workspace.selected().filter(|_| self.view.sheets.author.is_none()) else { return };
        let (clips, slot) = (picked(&self.workspace, &self.view), self.workspace.active_slot());
        let note = note_of(&self.workspace, &self.view, id).to_owned();
        let failing = clips.iter().filter(|clip| self.workspace.verdict(**clip, slot) == Some(Verdict::Fail)).count();
        if judgement == Judgement::Approved && failing > 0 && note.trim().is_empty() {
            self.ask_note();
            let which = if clips.len() == 1 { "This clip fails".to_owned() } else { format!("{failing} of them fail") };
            let words = format!("{which}. Write why that is good enough all the same, then approve.");
            return self.view.messages.say(words);
        }
        let again = if judgement == Judgement::Rejected { Command::Reject } else { Command::Judge(judgement) };
        let Some(by) = self.reviewer(again) else { return };
        let (by, listed) = (Reviewer { note, ..by }, self.listed_clips());
        let count = self.workspace.decide(&clips, judgement, &by);
        if count > 0 {
            let name = self.selected_clip().map_or(String::new(), |clip| clip.name().to_owned());
            let (name, is) = if count == 1 { (name, "is") } else { (format!("{count} clips"), "are") };
            self.view.messages.say(format!("{name} {is} {}", judgement.name()));
            clips.iter().for_each(|clip| drop(self.view.review.drafts.remove(clip)));
            self.view.selection.clips.clear();
            self.go_on_reviewing(&listed);
        }
    }

    /// Asks in place why the picked clips are rejected. What was written about the first of them stands there.
    pub(crate) fn ask_reason(&mut self) {
        let note = self.workspace.selected().map(|id| note_of(&self.workspace, &self.view, id).to_owned());
        self.view.review.reason = note;
    }

    /// Rejects them for the reason that was typed, or for none.
    pub(crate) fn reject(&mut self) {
        let Some(id) = self.workspace.selected() else { return };
        self.view.review.drafts.extend(self.view.review.reason.take().map(|reason| (id, reason)));
        self.judge(Judgement::Rejected);
    }

    /// The picked clips are to do again.
    pub(crate) fn decide_later(&mut self) {
        let Some(id) = self.workspace.selected() else { return };
        // What was said stays in the field.
        let note = note_of(&self.workspace, &self.view, id).to_owned();
        self.workspace.undecide(&picked(&self.workspace, &self.view));
        self.write_note(note);
    }

    /// What is said about the selected clip: part of the decision where there is one, else kept until there is.
    pub(crate) fn write_note(&mut self, note: String) {
        let Some(id) = self.workspace.selected() else { return };
        if !self.workspace.preview_note(id, &note) {
            self.view.review.drafts.insert(id, note);
        }
    }

    /// The field for what there is to say.
    pub(crate) fn ask_note(&mut self) {
        self.show_desk(Desk::Review);
        self.view.review.wants_note = true;
    }

    /// The field for what there is to say about the playhead's moment.
    pub(crate) fn ask_moment_note(&mut self) {
        match self.view.settings.desk {
            Desk::Clip => self.view.show_panel(&NOTES),
            Desk::Review => {} // in sight there
            Desk::Budget => self.show_desk(Desk::Review),
        }
        self.view.review.wants_moment_note = true;
    }

    /// Says something about the playhead's moment and the selected joint.
    pub(crate) fn add_note(&mut self, text: String) {
        let (Some(id), at_secs) = (self.workspace.selected(), self.view.transport.time_secs) else { return };
        let rig = self.workspace.library().clip(id).map(|(rig, _)| rig);
        let joint = rig.zip(self.view.selection.joint).filter(|(rig, joint)| *joint < rig.skeleton.len());
        let joint = joint.map(|(rig, joint)| rig.skeleton.name(joint).to_owned());
        let author = self.view.settings.author.clone();
        let note = MomentNote::new(at_secs, joint, Reviewer { author, note: text, time: SystemTime::now() });
        self.workspace.add_note(id, note);
    }

    /// Changes what is said about a moment of the selected clip.
    pub(crate) fn change_note(&mut self, index: usize, text: &str) {
        if let Some(id) = self.workspace.selected() {
            self.workspace.change_note(id, index, text);
        }
    }

    /// Goes where a note was made.
    pub(crate) fn show_note(&mut self, index: usize) {
        let Some(id) = self.workspace.selected() else { return };
        let Some(MomentNote { at_secs, joint, .. }) = self.workspace.notes(id).get(index).cloned() else { return };
        let rig = self.workspace.library().clip(id).map(|(rig, _)| rig.clone());
        self.seek(at_secs);
        if let Some(joint) = rig.zip(joint).and_then(|(rig, joint)| rig.skeleton.find(&joint)) {
            self.view.selection.joint = Some(joint);
        }
    }

    /// Approves what passes with the active recipe.
    pub(crate) fn approve_passing(&mut self) {
        let Some(by) = self.reviewer(Command::ApprovePassing) else { return };
        let clips = self.workspace.passing_to_do();
        let count = self.workspace.decide(&clips, Judgement::Approved, &by);
        self.approved(count);
    }

    /// Approves what passes with any recipe, with the one that makes it smallest.
    pub(crate) fn approve_smallest(&mut self) {
        let Some(by) = self.reviewer(Command::ApproveSmallest) else { return };
        let count = self.workspace.approve_smallest(&by);
        self.approved(count);
    }

    fn approved(&mut self, count: usize) {
        self.view.messages.say(format!("{} approved", text::count(count, "clip")));
        self.review_changed();
    }

    /// Who decides, now. Until that is known it is asked, and the decision waits.
    fn reviewer(&mut self, decision: Command) -> Option<Reviewer> {
        let author = self.view.settings.author.clone();
        if author.trim().is_empty() {
            let then = Some(Box::new(decision));
            self.view.sheets.author = Some(AuthorSheet { name: login_name(), then });
            return None;
        }
        Some(Reviewer { author, note: String::new(), time: SystemTime::now() })
    }

    /// Arranges the window for something else.
    pub(crate) fn show_desk(&mut self, desk: Desk) {
        if self.view.settings.desk != desk {
            self.view.settings.desk = desk;
            self.view.settings.hint_seen |= desk == Desk::Review;
            self.review_changed();
        }
    }

    /// Another clip is judged: its worst moment.
    pub(crate) fn review_changed(&mut self) {
        self.view.review.looks_at = self.workspace.selected().filter(|_| self.view.settings.desk == Desk::Review);
    }

    /// After a decision the next clip of the list, as it was then, that somebody has to decide about.
    fn go_on_reviewing(&mut self, listed: &[ClipId]) {
        if self.view.settings.desk == Desk::Review
            && let Some(next) = self.workspace.next_to_decide(listed)
        {
            self.select_clip(next);
        }
    }

    /// The worst moment of what is judged, as soon as it is known.
    pub(crate) fn look_at_reviewed(&mut self) {
        let is_there = |id: &ClipId| self.workspace.verdict(*id, self.workspace.active_slot()).is_some();
        if self.view.review.looks_at.is_some_and(|id| Some(id) == self.workspace.selected() && is_there(&id))
            && self.workspace.compressed().is_some()
        {
            self.view.review.looks_at = None;
            if self.is_about_feet() { self.go_worst_plant() } else { self.go_worst() }
        }
    }

    /// The feet are what is wrong with the clip that is shown, more than its skin.
    fn is_about_feet(&self) -> bool {
        let judged = |aspect| {
            let report = &self.workspace.compressed()?.report;
            report.judged.iter().find(|judged| judged.by == aspect).map(|judged| judged.verdict)
        };
        judged(Aspect::Slide) > judged(Aspect::Skin).max(Some(Verdict::Good))
    }
}

/// What is said about a clip.
pub fn note_of<'a>(workspace: &'a Workspace, view: &'a View, clip: ClipId) -> &'a str {
    let draft = view.review.drafts.get(&clip).map(String::as_str);
    draft.or_else(|| Some(workspace.decision(clip)?.note.as_str())).unwrap_or_default()
}

/// What the system calls who sits here: a proposal.
fn login_name() -> String {
    ["USER", "USERNAME"].into_iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default()
}
