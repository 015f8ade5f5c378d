//! Undo and redo.

use crate::state::View;
use posepress_core::workspace::Workspace;

/// Undoes the last change, and reports its label.
pub fn undo(workspace: &mut Workspace, view: &mut View) {
    let label = workspace.history().undo_label().map(str::to_owned);
    if let (true, Some(label)) = (workspace.undo(), label) {
        view.messages.say(format!("Undone: {label}"));
    }
}

/// Redoes the change that was undone last, and reports its label.
pub fn redo(workspace: &mut Workspace, view: &mut View) {
    let label = workspace.history().redo_label().map(str::to_owned);
    if let (true, Some(label)) = (workspace.redo(), label) {
        view.messages.say(format!("Redone: {label}"));
    }
}
