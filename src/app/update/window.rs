//! Tabs, panels and sheets of the window.

use super::keymap::use_keys;
use super::main_tab::show_main_tab;
use crate::commands::WindowCommand;
use crate::manual::CHANGES;
use crate::state::{Manual, View, is_hint_shown, manual_page};
use posepress_core::workspace::{Reference, Workspace};

/// Factor of a zoom step.
const ZOOM_STEP: f32 = 1.1;

/// Carries out commands about the window.
pub fn carry_out(workspace: &mut Workspace, view: &mut View, ctx: &egui::Context, command: WindowCommand) {
    let View { settings, sheets, messages, .. } = view;
    match command {
        WindowCommand::ShowMainTab(main_tab) => show_main_tab(workspace, view, main_tab),
        WindowCommand::ShowPanel(panel) => view.show_panel(panel),
        WindowCommand::PanelShown => view.wanted_panel = None,
        WindowCommand::ShowLeft(tab) => settings.left_tab = tab,
        WindowCommand::ShowRight(tab) => settings.right_tab = tab,
        WindowCommand::ShowTimeline(tab) => settings.timeline_tab = tab,
        WindowCommand::SizePanel(panel, share) => {
            settings.layout.panel_shares.insert(panel.into_owned(), share);
        }
        WindowCommand::SetLevel(level) => settings.set_level(level),
        WindowCommand::SetDark(dark) => settings.dark = dark,
        WindowCommand::StepZoom(true) => settings.set_zoom(ctx.zoom_factor() * ZOOM_STEP),
        WindowCommand::StepZoom(false) => settings.set_zoom(ctx.zoom_factor() / ZOOM_STEP),
        WindowCommand::ActualSize => settings.zoom = 1.0,
        WindowCommand::SetPalette(palette) => sheets.palette = palette,
        WindowCommand::ToggleFrameTimes => sheets.frame_times ^= true,
        WindowCommand::ToggleManual => {
            let page = manual_page(workspace, view);
            view.sheets.manual = if view.sheets.manual.is_some() { None } else { Some(Manual::at(page)) };
        }
        WindowCommand::ShowChanges => sheets.manual = Some(Manual::at(CHANGES)),
        WindowCommand::SetManual(manual) => sheets.manual = manual,
        WindowCommand::ToggleKeys => sheets.keys ^= true,
        WindowCommand::UseKeys(choice) => use_keys(view, choice),
        WindowCommand::ToggleNotices => sheets.notices ^= true,
        WindowCommand::Dismiss(index) => messages.close(index),
        WindowCommand::DismissAll => messages.problems.clear(),
        WindowCommand::DismissHint => settings.hint_seen = true,
        // The first needs the whole model, the second ends by `leave_tour`.
        WindowCommand::StartTour(_) | WindowCommand::StopTour => {}
        WindowCommand::Escape => escape(workspace, view, ctx),
        WindowCommand::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
    }
}

/// Closes the topmost sheet, else the guide, else the latest message, else hides the curves before the last change, else
/// ends the comparison with another clip. If nothing is open, clears the selection.
fn escape(workspace: &mut Workspace, view: &mut View, ctx: &egui::Context) {
    if view.imports.rig.take().is_some() {
        return;
    }
    let is_table = std::mem::take(&mut view.imports.is_table_open);
    if is_table || view.sheets.palette.take().is_some() || view.sheets.path.take().is_some() {
        return;
    }
    if view.sheets.manual.take().is_some() {
        return;
    }
    if view.sheets.keys || view.sheets.notices {
        (view.sheets.keys, view.sheets.notices) = (false, false);
    } else if is_hint_shown(workspace, view) {
        view.settings.hint_seen = true;
    } else if view.messages.close_latest() || ctx.text_edit_focused() || view.ghost.forget() {
        // It was that.
    } else if matches!(workspace.reference(), Reference::Clip(_) | Reference::Lod(_)) {
        view.lod_by_camera = false;
        workspace.compare_to(Reference::Original);
    } else {
        view.selection.clear();
    }
}
