use super::View;
use crate::render::Side;
use posepress_core::metrics::ErrorReport;
use posepress_core::model::{Clip, Rig};
use posepress_core::report::Sides;
use posepress_core::workspace::Workspace;
use std::sync::Arc;

/// The state that panels and action conditions read. They change nothing.
#[derive(Clone, Copy)]
pub struct State<'a> {
    /// Files, recipes, answers.
    pub workspace: &'a Workspace,
    /// Selection, playhead, settings.
    pub view: &'a View,
}

impl<'a> State<'a> {
    /// Rig and clip that are looked at.
    pub fn selected(self) -> Option<(&'a Arc<Rig>, &'a Arc<Clip>)> {
        self.workspace.library().clip(self.workspace.selected()?)
    }

    /// The outcome that is shown, which may be older than the recipe.
    pub fn shown(self) -> Option<&'a Sides> {
        self.workspace.shown()
    }

    /// Its report.
    pub fn report(self) -> Option<&'a ErrorReport> {
        self.shown().map(|shown| &shown.outcome.report)
    }

    /// Whose pictures are left.
    pub fn left_side(self) -> Side {
        if self.workspace.is_swapped() { Side::Compressed } else { Side::Original }
    }
}
