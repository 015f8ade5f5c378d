use super::View;
use posepress_core::metrics::{ContactSlide, Verdict};
use posepress_core::workspace::Workspace;

/// True while the guide is shown: a contact of the sample fails or another recipe than A is active, and the guide was not closed.
pub fn is_hint_shown(workspace: &Workspace, view: &View) -> bool {
    let is_followed = || workspace.active_slot() > 0 && is_sample(workspace);
    !view.settings.hint_seen && (failing_contact(workspace).is_some() || is_followed())
}

fn is_sample(workspace: &Workspace) -> bool {
    let source = workspace.selected().and_then(|clip| workspace.library().source(clip.source));
    source.is_some_and(|source| source.path.is_none())
}

/// The worst contact of the selected clip, if the clip is of the bundled sample and the contact fails.
pub fn failing_contact(workspace: &Workspace) -> Option<&ContactSlide> {
    let report = &workspace.compressed().filter(|_| is_sample(workspace))?.outcome.report;
    report.slide.worst().filter(|contact| contact.verdict == Verdict::Fail)
}
