//! Options of the curve plot.

use crate::commands::CurveCommand;
use crate::state::{Ghost, GhostOf, View};
use posepress_core::workspace::Workspace;

/// Carries out commands about curves.
pub fn carry_out(workspace: &Workspace, view: &mut View, command: CurveCommand) {
    match command {
        CurveCommand::SetCurve(kind) => view.settings.curve = kind,
        CurveCommand::ToggleCurveAxis(axis) => view.settings.curve_axes[axis] ^= true,
        CurveCommand::ZoomCurves(values) => view.zoom_curves(workspace.selected(), values),
        CurveCommand::SetFirstFloat(first) => view.settings.first_float = first,
        CurveCommand::SetReplay(keys) => view.selection.replay_keys = keys,
        CurveCommand::ToggleResidual => view.settings.curve_residual ^= true,
        CurveCommand::ShowGhost(ghost) => {
            let is_shown = view.settings.ghost == ghost;
            view.settings.ghost = if is_shown { GhostOf::Nothing } else { ghost };
        }
    }
}

/// Updates the curves before the last change.
pub fn keep_ghost(workspace: &Workspace, view: &mut View) {
    let slot = workspace.active_slot();
    let shown = workspace.selected().zip(workspace.compressed());
    let shown = shown.map(|(clip, sides)| (clip, slot, sides));
    let is_stale = workspace.selected().is_some_and(|clip| !workspace.is_fresh(clip, slot));
    if view.settings.ghost == GhostOf::LastChange {
        view.ghost.see(shown, is_stale || workspace.history().is_open());
    } else {
        view.ghost = Ghost::default();
    }
}
