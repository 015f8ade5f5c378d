use super::View;
use posepress_core::metrics::{ContactSlide, Verdict};
use posepress_core::workspace::Workspace;

/// True while the guide is shown: a contact of the sample fails, and the guide was neither followed nor closed.
pub fn is_hint_shown(workspace: &Workspace, view: &View) -> bool {
    !view.settings.hint_seen && failing_contact(workspace).is_some()
}

/// The worst contact of the selected clip, if the clip is of the bundled sample and the contact fails.
pub fn failing_contact(workspace: &Workspace) -> Option<&ContactSlide> {
    let source = workspace.library().source(workspace.selected()?.source)?;
    let report = &workspace.compressed().filter(|_| source.path.is_none())?.outcome.report;
    report.slide.worst().filter(|contact| contact.verdict == Verdict::Fail)
}
