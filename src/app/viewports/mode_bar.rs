use super::{mesh_menu, scene_menu};
use crate::actions::{action_of, list};
use crate::commands::{Command, DrawCommand};
use crate::panels::PanelCx;
use crate::widgets::{Icon, check_box, icon_button, right_group, segment};
use egui::Ui;
use posepress_core::view::{Layer, LayerKind, ViewMode};

/// A narrower bar has its layers in a menu.
const ROOM_FOR_LAYERS: f32 = 1120.0;
/// A narrower bar names only what is on.
const ROOM_FOR_NAMES: f32 = 700.0;
/// A narrower bar has no names, only highlighted keys.
const ROOM_FOR_A_NAME: f32 = 490.0;

/// View modes, overlays, layers, camera.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let room = ui.available_width();
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.add_space(8.0);
        modes(ui, cx, room);
        ui.add_space(4.0);
        overlays(ui, cx, room);
        ui.add_space(8.0);
        if !cx.shows_all() {
            // The View menu has the layers.
        } else if room < ROOM_FOR_LAYERS {
            let drawn = scene_menu::stays_open("Show").ui(ui, |ui| {
                layers(ui, cx);
                mesh_menu::part(ui, cx);
            });
            drawn.0.on_hover_text("Choose what is drawn.");
        } else {
            ui.spacing_mut().item_spacing.x = 10.0;
            layers(ui, cx);
        }
        right_group(ui, "camera", |ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            lock(ui, cx);
            if cx.shows_all() {
                scene_menu::camera(ui, cx); // a right-click on a picture shows its directions
            }
            if room >= ROOM_FOR_LAYERS {
                mesh_menu::show(ui, cx);
            }
            ui.add_space(8.0);
        });
    });
}

fn modes(ui: &mut Ui, cx: &mut PanelCx<'_>, room: f32) {
    for mode in ViewMode::ALL {
        let is_on = cx.view.settings.mode == mode;
        if !cx.shows_all() && !is_essential(mode, cx.view.settings.mode) {
            continue;
        }
        entry(ui, cx, is_on, room, Command::Draw(DrawCommand::SetMode(mode)));
    }
}

/// True if Essentials has a button for a mode: side by side there is *Wipe*, otherwise the mode and the way back. All modes have keys.
fn is_essential(mode: ViewMode, now: ViewMode) -> bool {
    match now {
        ViewMode::SideBySide => mode == ViewMode::Wipe,
        _ => mode == now || mode == ViewMode::SideBySide,
    }
}

fn overlays(ui: &mut Ui, cx: &mut PanelCx<'_>, room: f32) {
    for layer in Layer::of(LayerKind::Overlay) {
        let is_on = cx.view.settings.layers.is_on(layer);
        if layer == Layer::Difference && !is_on && !cx.shows_all() {
            continue;
        }
        entry(ui, cx, is_on, room, Command::Draw(DrawCommand::ToggleLayer(layer)));
    }
}

/// An action as a segment. It keeps its accessible name if there is no room for the label.
fn entry(ui: &mut Ui, cx: &mut PanelCx<'_>, on: bool, room: f32, command: Command) {
    let Some(action) = action_of(&command) else { return };
    let needed = if on { ROOM_FOR_A_NAME } else { ROOM_FOR_NAMES };
    let written = if room >= needed { &*action.label } else { "" };
    // With only the essentials, keys are in the tooltips.
    let key = if cx.shows_all() || written.is_empty() { action.key_text(ui.ctx()) } else { String::new() };
    let response = cx.control(ui, action, |ui, theme, help| segment(ui, theme, on, &key, written, help));
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::RadioButton, true, on, &*action.label));
}

fn layers(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    for layer in Layer::of(LayerKind::Drawn) {
        layer_check_box(ui, cx, layer);
    }
}

/// A layer as a check box.
pub fn layer_check_box(ui: &mut Ui, cx: &mut PanelCx<'_>, layer: Layer) {
    let Some(action) = action_of(&Command::Draw(DrawCommand::ToggleLayer(layer))) else { return };
    let mut on = cx.view.settings.layers.is_on(layer);
    cx.control(ui, action, |ui, theme, help| check_box(ui, theme, &mut on, &action.label).on_hover_text(help));
}

fn lock(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let is_one = cx.view.cameras.compressed.is_none();
    if cx.view.settings.mode != ViewMode::SideBySide || is_one && !cx.shows_all() {
        return;
    }
    let (icon, help) = match cx.view.cameras.compressed {
        None => (Icon::Lock, "Both sides share one camera. Click to use one per side."),
        Some(_) => (Icon::Unlock, "Each side has its own camera. Click to share the original's."),
    };
    let action = &list::ONE_CAMERA;
    let help = format!("{help} {}", action.key_text(ui.ctx()));
    cx.control(ui, action, |ui, theme, _| icon_button(ui, theme, icon, false, &action.label, &help));
}
