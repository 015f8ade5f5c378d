//! What somebody marks a clip as; and what is played over and over: clips that loop, their seam, and the part that was chosen.

use crate::App;
use posepress_core::model::{Additive, BaseOf};
use posepress_core::session::ClipId;

impl App {
    /// Marks the selected clip as looping or not; nothing goes back to what was found.
    pub(crate) fn mark_loop(&mut self, mark: Option<bool>) {
        let Some(id) = self.workspace.selected() else { return };
        let label = match mark {
            Some(true) => "Marked as looping",
            Some(false) => "Marked as not looping",
            None => "Loops as found",
        };
        self.workspace.mark_loop(id, label, mark);
    }

    /// Marks a clip as additive or not; nothing goes back to what its file says.
    pub(crate) fn mark_additive(&mut self, id: ClipId, mark: Option<Additive>) {
        let label = match &mark {
            Some(Additive { base: BaseOf::Nothing, .. }) => "Marked as not additive",
            Some(_) => "Marked as additive",
            None => "Additive as its file says",
        };
        self.workspace.mark_additive(id, label, mark);
    }

    /// What is played begins at the playhead.
    pub(crate) fn mark_in(&mut self) {
        let duration_secs = self.duration_secs();
        self.view.transport.mark_in(duration_secs);
    }

    /// Half a second before and after a loop's seam, over and over; again: the whole loop.
    pub(crate) fn toggle_seam(&mut self) {
        let loops = self.selected_clip().is_some_and(|clip| clip.is_looping());
        let transport = &mut self.view.transport;
        transport.seam = loops && !transport.seam;
        transport.playing |= transport.seam;
    }

    /// A clip that loops no more, marked so or by undo, has no seam to play.
    pub(crate) fn keep_to_seam(&mut self) {
        self.view.transport.seam &= self.selected_clip().is_some_and(|clip| clip.is_looping());
    }
}
