use super::View;
use posepress_core::metrics::{ContactSlide, Verdict};
use posepress_core::workspace::Workspace;

/// The guide is to be seen: over the sample while a foot fails, until it was followed or closed.
pub fn is_hint_shown(workspace: &Workspace, view: &View) -> bool {
    !view.settings.hint_seen && failing_contact(workspace).is_some()
}

/// The contact that fails most, of the sample.
pub fn failing_contact(workspace: &Workspace) -> Option<&ContactSlide> {
    let source = workspace.library().source(workspace.selected()?.source)?;
    let report = &workspace.compressed().filter(|_| source.path.is_none())?.outcome.report;
    report.slide.worst().filter(|contact| contact.verdict == Verdict::Fail)
}
