use super::{Filters, View};
use posepress_core::model::ClipId;
use posepress_core::workspace::{ClipListing, Workspace};

/// The clips that a command applies to: the selected one, and those picked besides.
pub fn picked(workspace: &Workspace, view: &View) -> Vec<ClipId> {
    let besides = &view.selection.clips;
    let is_picked = |id: &ClipId| Some(*id) == workspace.selected() || besides.contains(id);
    workspace.library().clip_ids().filter(is_picked).collect()
}

/// The note that was written on an undecided clip.
pub fn draft_of<'a>(workspace: &Workspace, view: &'a View, clip: ClipId) -> Option<&'a str> {
    let key = workspace.library().clip_key(clip)?;
    view.review.drafts.get(&key).map(String::as_str)
}

/// The note on a clip: its draft, else the note of its decision, else empty.
pub fn note_of<'a>(workspace: &'a Workspace, view: &'a View, clip: ClipId) -> &'a str {
    draft_of(workspace, view, clip).or_else(|| Some(workspace.decision(clip)?.note.as_str())).unwrap_or_default()
}

/// Current filters, order and grouping of the list of clips.
pub fn clip_listing(view: &View) -> ClipListing {
    let Filters { clips, verdict, review, folded_files, .. } = &view.filters;
    ClipListing {
        name_part: clips.clone(),
        verdict: *verdict,
        review: *review,
        sort: view.settings.clip_sort.clone(),
        by_file: view.settings.clips_by_file,
        folded: folded_files.clone(),
    }
}
