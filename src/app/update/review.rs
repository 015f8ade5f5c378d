//! Decisions about clips, and the next clip.

use super::clips::{listed_clips, review_changed, select_clip, selected_clip};
use super::find::{go_worst, go_worst_contact};
use super::main_tab::show_main_tab;
use super::notes::{add_note, ask_moment_note, change_note, show_note};
use crate::commands::ReviewCommand;
use crate::state::{AuthorSheet, MainTab, View, Waiting, note_of, picked};
use posepress_core::clock;
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::model::ClipId;
use posepress_core::project::{DecisionKind, Reviewer};
use posepress_core::text;
use posepress_core::workspace::Workspace;

/// Carries out commands about decisions and notes.
pub fn carry_out(workspace: &mut Workspace, view: &mut View, command: ReviewCommand) {
    match command {
        ReviewCommand::Judge(DecisionKind::Rejected) => ask_reason(workspace, view),
        ReviewCommand::Judge(kind) => judge(workspace, view, kind),
        ReviewCommand::SetReason(reason) => view.review.reason = reason,
        ReviewCommand::Reject => reject(workspace, view),
        ReviewCommand::ApprovePassing => approve_passing(workspace, view),
        ReviewCommand::ApproveSmallest => approve_smallest(workspace, view),
        ReviewCommand::AskApproveAgain(is_open) => view.sheets.approve_again = is_open,
        ReviewCommand::ApproveAgain => approve_again(workspace, view),
        ReviewCommand::DecideLater => decide_later(workspace, view),
        ReviewCommand::AskAuthor(sheet) => view.sheets.author = sheet,
        ReviewCommand::SetAuthor(name) => view.settings.author = name,
        ReviewCommand::WriteNote(note) => write_note(workspace, view, note),
        ReviewCommand::AskNote => ask_note(workspace, view),
        ReviewCommand::AskMomentNote => ask_moment_note(workspace, view),
        ReviewCommand::NoteFocused => view.review.note_focused(),
        ReviewCommand::AddNote(text) => add_note(workspace, view, text),
        ReviewCommand::ChangeNote(index, text) => change_note(workspace, index, &text),
        ReviewCommand::ShowNote(index) => show_note(workspace, view, index),
    }
}

/// Decides about the picked clips. Approving a failing clip needs a note with the reason.
fn judge(workspace: &mut Workspace, view: &mut View, kind: DecisionKind) {
    let Some(id) = workspace.selected().filter(|_| view.sheets.author.is_none()) else { return };
    let (clips, slot) = (picked(workspace, view), workspace.active_slot());
    let note = note_of(workspace, view, id).to_owned();
    let failing = clips.iter().filter(|clip| workspace.verdict(**clip, slot) == Some(Verdict::Fail)).count();
    if kind == DecisionKind::Approved && failing > 0 && note.trim().is_empty() {
        ask_note(workspace, view);
        let which = if clips.len() == 1 { "This clip fails".to_owned() } else { format!("{failing} of them fail") };
        let words = format!("{which}. Write why it is still good enough, then approve.");
        return view.messages.say(words);
    }
    let again = if kind == DecisionKind::Rejected { Waiting::Reject } else { Waiting::Judge(kind) };
    let Some(by) = reviewer(view, again) else { return };
    let (by, listed) = (Reviewer { note, ..by }, listed_clips(workspace, view));
    let count = workspace.decide(&clips, kind, &by);
    if count > 0 {
        let name = selected_clip(workspace).map_or(String::new(), |clip| clip.name().to_owned());
        let (name, is) = if count == 1 { (name, "is") } else { (format!("{count} clips"), "are") };
        view.messages.say(format!("{name} {is} {}", kind.name()));
        let keys = clips.iter().filter_map(|clip| workspace.library().clip_key(*clip));
        keys.for_each(|key| drop(view.review.drafts.remove(&key)));
        view.selection.clips.clear();
        go_on_reviewing(workspace, view, &listed);
    }
}

/// Opens the field for the reason of a rejection. It contains the note on the selected clip.
fn ask_reason(workspace: &Workspace, view: &mut View) {
    let note = workspace.selected().map(|id| note_of(workspace, view, id).to_owned());
    view.review.reason = note;
}

/// Rejects the picked clips. The typed reason, which may be empty, becomes the note.
fn reject(workspace: &mut Workspace, view: &mut View) {
    let Some(key) = workspace.selected().and_then(|id| workspace.library().clip_key(id)) else { return };
    view.review.drafts.extend(view.review.reason.take().map(|reason| (key, reason)));
    judge(workspace, view, DecisionKind::Rejected);
}

/// Removes the decisions of the picked clips.
fn decide_later(workspace: &mut Workspace, view: &mut View) {
    let Some(id) = workspace.selected() else { return };
    // The note stays as a draft.
    let note = note_of(workspace, view, id).to_owned();
    workspace.undecide(&picked(workspace, view));
    write_note(workspace, view, note);
}

/// Sets the note of the selected clip: in its decision, or as a draft until there is one.
fn write_note(workspace: &mut Workspace, view: &mut View, note: String) {
    let Some(id) = workspace.selected() else { return };
    if !workspace.preview_note(id, &note) {
        view.review.drafts.extend(workspace.library().clip_key(id).map(|key| (key, note)));
    }
}

/// Shows the field for the clip's note and requests its focus.
fn ask_note(workspace: &Workspace, view: &mut View) {
    show_main_tab(workspace, view, MainTab::Review);
    view.review.wants_note = true;
}

/// Approves undecided clips that pass with the active recipe.
fn approve_passing(workspace: &mut Workspace, view: &mut View) {
    let Some(by) = reviewer(view, Waiting::ApprovePassing) else { return };
    let clips = workspace.passing_to_do();
    let count = workspace.decide(&clips, DecisionKind::Approved, &by);
    approved(workspace, view, count);
}

/// Approves undecided clips, each with its smallest recipe that passes.
fn approve_smallest(workspace: &mut Workspace, view: &mut View) {
    let Some(by) = reviewer(view, Waiting::ApproveSmallest) else { return };
    let count = workspace.approve_smallest(&by);
    approved(workspace, view, count);
}

/// Approves again the clips that changed since their approval and still pass.
fn approve_again(workspace: &mut Workspace, view: &mut View) {
    let Some(by) = reviewer(view, Waiting::ApproveAgain) else { return };
    view.sheets.approve_again = false;
    let count = workspace.approve_again(&by);
    approved(workspace, view, count);
}

/// Reports how many clips were approved.
fn approved(workspace: &Workspace, view: &mut View, count: usize) {
    view.messages.say(format!("{} approved", text::count(count, "clip")));
    review_changed(workspace, view);
}

/// Reviewer and current time. Without a name, opens the sheet that asks for it and returns `None`; the decision waits.
pub fn reviewer(view: &mut View, decision: Waiting) -> Option<Reviewer> {
    let author = view.settings.author.clone();
    if author.trim().is_empty() {
        let then = Some(decision);
        view.sheets.author = Some(AuthorSheet { name: login_name(), then });
        return None;
    }
    Some(Reviewer { author, note: String::new(), time: clock::now() })
}

/// In the Review tab, selects the next undecided clip of the list before the decision.
fn go_on_reviewing(workspace: &mut Workspace, view: &mut View, listed: &[ClipId]) {
    if view.settings.main_tab == MainTab::Review
        && let Some(next) = workspace.next_to_decide(listed)
    {
        select_clip(workspace, view, next);
    }
}

/// Goes to the worst frame of the clip under review, as soon as it is measured.
pub fn look_at_reviewed(workspace: &Workspace, view: &mut View) {
    let is_there = |id: &ClipId| workspace.verdict(*id, workspace.active_slot()).is_some();
    if view.review.looks_at.is_some_and(|id| Some(id) == workspace.selected() && is_there(&id))
        && workspace.compressed().is_some()
    {
        view.review.looks_at = None;
        if is_about_feet(workspace) { go_worst_contact(workspace, view) } else { go_worst(workspace, view) }
    }
}

/// True if the shown clip has a worse verdict on slides than on the skin, and not a good one.
fn is_about_feet(workspace: &Workspace) -> bool {
    let judged = |aspect| {
        let report = &workspace.compressed()?.report;
        report.judged.iter().find(|judged| judged.by == aspect).map(|judged| judged.verdict)
    };
    judged(Aspect::Slide) > judged(Aspect::Skin).max(Some(Verdict::Good))
}

/// The user name of the system, as a proposal; empty without one.
fn login_name() -> String {
    ["USER", "USERNAME"].into_iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default()
}
