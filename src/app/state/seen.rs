use super::View;
use crate::render::Side;
use posepress_core::metrics::ErrorReport;
use posepress_core::model::{Clip, Rig};
use posepress_core::report::Sides;
use posepress_core::workspace::Workspace;
use std::sync::Arc;

/// The state that panels and conditions of actions read.
#[derive(Clone, Copy)]
pub struct State<'a> {
    /// Files, recipes, results.
    pub workspace: &'a Workspace,
    /// Selection, playhead, settings.
    pub view: &'a View,
}

impl<'a> State<'a> {
    /// Rig and clip of the selection.
    pub fn selected(self) -> Option<(&'a Arc<Rig>, &'a Arc<Clip>)> {
        self.workspace.library().clip(self.workspace.selected()?)
    }

    /// Both sides as shown. The outcome may be older than the recipe.
    pub fn shown(self) -> Option<&'a Sides> {
        self.workspace.shown()
    }

    /// The report of the shown outcome.
    pub fn report(self) -> Option<&'a ErrorReport> {
        self.shown().map(|shown| &shown.outcome.report)
    }

    /// The side that is shown on the left.
    pub fn left_side(self) -> Side {
        if self.workspace.is_swapped() { Side::Compressed } else { Side::Original }
    }
}
