//! Which clips are looked at, and which are picked besides.

use crate::App;
use crate::panels::clip_listing;
use crate::state::Desk;
use crate::state::View;
use posepress_core::session::{ClipId, ClipRow, Workspace};

impl App {
    /// The clip that is looked at may have become another without being picked, by undo or by a file that was read: joints that
    /// it has not and moments after its end are left.
    pub(crate) fn keep_to_clip(&mut self) {
        let seen = self.workspace.selected().and_then(|id| self.workspace.library().clip(id));
        if let Some((rig, clip)) = seen {
            self.view.selection.take_rig(rig);
            self.view.transport.keep_within(clip.duration_secs());
        }
    }

    pub(crate) fn select_clip(&mut self, id: ClipId) {
        let other_file = self.workspace.selected().is_none_or(|old| old.source != id.source);
        self.view.selection.clips.clear();
        self.workspace.select(Some(id));
        self.keep_to_clip();
        self.clip_changed();
        if other_file || self.view.cameras.framed != Some(id.source) {
            self.frame_all();
            self.view.cameras.framed = Some(id.source);
        }
    }

    pub(crate) fn select_clip_by(&mut self, by: i32) {
        let clips = self.listed_clips();
        let at = clips.iter().position(|id| Some(*id) == self.workspace.selected()).unwrap_or(0) as i32;
        if let Some(id) = clips.get((at + by).clamp(0, (clips.len() as i32 - 1).max(0)) as usize) {
            self.select_clip(*id);
        }
    }

    /// The clips of the list that is shown.
    pub(crate) fn listed_clips(&self) -> Vec<ClipId> {
        match self.view.settings.desk {
            Desk::Clip | Desk::Budget => self.clip_rows().iter().filter_map(ClipRow::clip).collect(),
            Desk::Review => {
                let queue = self.workspace.queue(self.workspace.active_slot(), &clip_listing(&self.view));
                queue.into_iter().map(|(id, _)| id).collect()
            }
        }
    }

    /// The list of clips as it is shown.
    fn clip_rows(&self) -> Vec<ClipRow> {
        self.workspace.clip_rows(self.workspace.active_slot(), &clip_listing(&self.view))
    }

    pub(crate) fn select_failing_clip(&mut self, forward: bool) {
        let slot = self.workspace.active_slot();
        match self.workspace.failing_clip(&self.clip_rows(), slot, forward) {
            Some(id) => self.select_clip(id),
            None => self.view.messages.say("No clip of the list fails."),
        }
    }

    /// Picks a clip besides the one that is looked at, or no more.
    pub(crate) fn pick_clip(&mut self, id: ClipId) {
        if self.workspace.selected() != Some(id) {
            self.view.selection.toggle_clip(id);
        }
    }

    /// Picks all clips of the list from the one that is looked at to another.
    pub(crate) fn pick_clips_to(&mut self, id: ClipId) {
        let clips = self.listed_clips();
        let at = |wanted| clips.iter().position(|clip| Some(*clip) == wanted);
        if let Some((from, to)) = at(self.workspace.selected()).zip(at(Some(id))) {
            self.view.selection.clips = clips[from.min(to)..=from.max(to)].iter().copied().collect();
        }
    }

    /// Picks every clip of the list.
    pub(crate) fn pick_listed(&mut self) {
        self.view.selection.clips = self.listed_clips().into_iter().collect();
    }
}

/// The clips that something is done with: the one that is looked at, and those that were picked besides.
pub fn picked(workspace: &Workspace, view: &View) -> Vec<ClipId> {
    let besides = &view.selection.clips;
    let is_picked = |id: &ClipId| Some(*id) == workspace.selected() || besides.contains(id);
    workspace.library().clip_ids().filter(is_picked).collect()
}
