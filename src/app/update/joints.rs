//! Selection and filter of joints.

use crate::commands::JointCommand;
use crate::state::View;
use posepress_core::metrics::Blame;
use posepress_core::view::Layer;
use posepress_core::workspace::Workspace;

/// Carries out commands about joints and their list.
pub fn carry_out(workspace: &Workspace, view: &mut View, command: JointCommand) {
    match command {
        JointCommand::SelectJoint(joint) => view.selection.joint = joint,
        JointCommand::SelectBlamed => view.selection.joint = workspace.blame().and_then(Blame::joint),
        JointCommand::FilterJoints(text) => view.filters.joints = text,
        JointCommand::SortJoints(sort) => view.settings.joint_sort = sort,
        JointCommand::ToggleJoint(joint) => view.selection.toggle_folded(joint),
        JointCommand::CompareJoint(joint) => view.selection.toggle_compared(joint),
        JointCommand::KeepTrail => keep_trail(view),
    }
}

/// Turns on trails, and keeps or releases the trail of the selected joint.
fn keep_trail(view: &mut View) {
    view.settings.layers.set(Layer::Trails, true);
    view.selection.toggle_trail();
}
