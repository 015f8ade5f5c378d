//! Selection, picks and filter of clips.

use super::framing::frame_all;
use crate::commands::ClipCommand;
use crate::state::{MainTab, View, clip_listing};
use posepress_core::model::{Clip, ClipId};
use posepress_core::workspace::{ClipRow, Workspace};
use std::sync::Arc;

/// Carries out commands about clips and their list.
pub fn carry_out(workspace: &mut Workspace, view: &mut View, command: ClipCommand) {
    match command {
        ClipCommand::SelectClip(id) => select_clip(workspace, view, id),
        ClipCommand::SelectBy(rows) => select_clip_by(workspace, view, rows),
        ClipCommand::SelectFailing(forward) => select_failing_clip(workspace, view, forward),
        ClipCommand::PickClip(id) => pick_clip(workspace, view, id),
        ClipCommand::PickClipsTo(id) => pick_clips_to(workspace, view, id),
        ClipCommand::PickListed => pick_listed(workspace, view),
        ClipCommand::FilterClips(text) => view.filters.clips = text,
        ClipCommand::FilterVerdict(verdict) => view.filters.verdict = verdict,
        ClipCommand::FilterReview(review) => view.filters.review = review,
        ClipCommand::SortClips(sort) => view.settings.clip_sort = sort,
        ClipCommand::ToggleColumn(key) => view.settings.toggle_clip_column(key),
        ClipCommand::GroupClips(by_file) => view.settings.clips_by_file = by_file,
        ClipCommand::ToggleFile(source) => view.filters.toggle_file(source),
    }
}

/// Adapts selected joints and playhead to the selected clip, which undo or a reread file may have changed.
pub fn keep_to_clip(workspace: &Workspace, view: &mut View) {
    let seen = workspace.selected().and_then(|id| workspace.library().clip(id));
    if let Some((rig, clip)) = seen {
        view.selection.take_rig(rig);
        view.transport.keep_within(clip.duration_secs());
    }
}

/// Selects a clip. If it is in another file, frames its character.
pub fn select_clip(workspace: &mut Workspace, view: &mut View, id: ClipId) {
    let other_file = workspace.selected().is_none_or(|old| old.source != id.source);
    view.selection.clips.clear();
    workspace.select(Some(id));
    keep_to_clip(workspace, view);
    clip_changed(workspace, view);
    if other_file || view.cameras.framed != Some(id.source) {
        frame_all(workspace, view);
        view.cameras.framed = Some(id.source);
    }
}

/// Selects the clip this many rows below in the list.
fn select_clip_by(workspace: &mut Workspace, view: &mut View, by: i32) {
    let clips = listed_clips(workspace, view);
    let at = clips.iter().position(|id| Some(*id) == workspace.selected()).unwrap_or(0) as i32;
    if let Some(id) = clips.get((at + by).clamp(0, (clips.len() as i32 - 1).max(0)) as usize) {
        select_clip(workspace, view, *id);
    }
}

/// The clips of the visible list.
pub fn listed_clips(workspace: &Workspace, view: &View) -> Vec<ClipId> {
    match view.settings.main_tab {
        MainTab::Clip | MainTab::Budget => clip_rows(workspace, view).iter().filter_map(ClipRow::clip).collect(),
        MainTab::Review => {
            let queue = workspace.queue(workspace.active_slot(), &clip_listing(view));
            queue.into_iter().map(|(id, _)| id).collect()
        }
    }
}

/// The rows of the list of clips.
fn clip_rows(workspace: &Workspace, view: &View) -> Vec<ClipRow> {
    workspace.clip_rows(workspace.active_slot(), &clip_listing(view))
}

/// Selects the next failing clip of the list, or the previous one.
fn select_failing_clip(workspace: &mut Workspace, view: &mut View, forward: bool) {
    let slot = workspace.active_slot();
    match workspace.failing_clip(&clip_rows(workspace, view), slot, forward) {
        Some(id) => select_clip(workspace, view, id),
        None => view.messages.say("No clip of the list fails."),
    }
}

/// Picks a clip besides the selected one, or unpicks it.
fn pick_clip(workspace: &Workspace, view: &mut View, id: ClipId) {
    if workspace.selected() != Some(id) {
        view.selection.toggle_clip(id);
    }
}

/// Picks all clips of the list from the selected one to another.
fn pick_clips_to(workspace: &Workspace, view: &mut View, id: ClipId) {
    let clips = listed_clips(workspace, view);
    let at = |wanted| clips.iter().position(|clip| Some(*clip) == wanted);
    if let Some((from, to)) = at(workspace.selected()).zip(at(Some(id))) {
        view.selection.clips = clips[from.min(to)..=from.max(to)].iter().copied().collect();
    }
}

/// Picks every clip of the list.
fn pick_listed(workspace: &Workspace, view: &mut View) {
    view.selection.clips = listed_clips(workspace, view).into_iter().collect();
}

/// Resets timeline, played range and selection within the clip, after another clip was selected.
pub fn clip_changed(workspace: &Workspace, view: &mut View) {
    view.range = (0.0, 1.0);
    view.selection.clip_changed();
    let duration_secs = duration_secs(workspace);
    view.transport.clip_changed(duration_secs);
    review_changed(workspace, view);
}

/// In the Review tab, requests the worst frame of the selected clip.
pub fn review_changed(workspace: &Workspace, view: &mut View) {
    view.review.looks_at = workspace.selected().filter(|_| view.settings.main_tab == MainTab::Review);
}

/// The selected clip.
pub fn selected_clip(workspace: &Workspace) -> Option<&Arc<Clip>> {
    let (_, clip) = workspace.library().clip(workspace.selected()?)?;
    Some(clip)
}

/// Duration of the selected clip; 0 without one.
pub fn duration_secs(workspace: &Workspace) -> f32 {
    let clip = workspace.selected().and_then(|id| workspace.library().clip(id));
    clip.map_or(0.0, |(_, clip)| clip.duration_secs())
}
