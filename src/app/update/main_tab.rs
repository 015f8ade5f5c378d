//! The main tabs.

use super::clips::review_changed;
use crate::state::{MainTab, View};
use posepress_core::workspace::Workspace;

/// Shows a main tab: Clip, Review or Budget.
pub fn show_main_tab(workspace: &Workspace, view: &mut View, main_tab: MainTab) {
    if view.settings.main_tab != main_tab {
        view.settings.main_tab = main_tab;
        view.settings.hint_seen |= main_tab == MainTab::Review;
        review_changed(workspace, view);
    }
}
