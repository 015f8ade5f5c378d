//! Workspace: Clip, Review or Budget.

use super::clips::review_changed;
use crate::state::{Desk, View};
use posepress_core::workspace::Workspace;

/// Arranges the window for something else.
pub fn show_desk(workspace: &Workspace, view: &mut View, desk: Desk) {
    if view.settings.desk != desk {
        view.settings.desk = desk;
        view.settings.hint_seen |= desk == Desk::Review;
        review_changed(workspace, view);
    }
}
