use super::scene_menu;
use crate::app::commands::Command;
use crate::app::panels::PanelCx;
use crate::app::view_state::{Layer, ViewMode};
use crate::app::widgets::{Icon, icon_button, segment};
use egui::{Align, Layout, Ui};

const MODES: [(ViewMode, &str, &str, &str); 4] = [
    (ViewMode::SideBySide, "1", "Side by side", "Two views, one camera. 1"),
    (ViewMode::Wipe, "2", "Wipe", "Original left of the line, compressed right of it. Drag the line, or hold V. 2"),
    (ViewMode::Onion, "3", "Onion", "Both figures over each other, the original grey, the compressed one violet. 3"),
    (ViewMode::Blink, "4", "Blink", "One picture, original and compressed in turns. Hold B for it in other modes. 4"),
];

/// Over any of the modes.
const OVERLAYS: [(Layer, &str, &str, &str); 2] = [
    (Layer::Heat, "5", "Heat map", "Error on the skin in mm, compressed side. The scale is tied to the tolerance. 5"),
    (
        Layer::Difference,
        "6",
        "Difference",
        "The compressed side further from the original than it is. + and - set how far. 6",
    ),
];

const LAYERS: [(Layer, &str, &str); 6] = [
    (Layer::Mesh, "Mesh", "The skinned mesh. Off: bones only."),
    (Layer::Skeleton, "Skeleton", "Bones over the mesh."),
    (Layer::Plants, "Plants", "Soles of planted feet on the ground, and where they slide to."),
    (Layer::Ground, "Ground", "Ground with lines every 0.25 m and 1 m."),
    (Layer::Trails, "Trails", "Paths of the selected joint, half a second back and ahead. Shift+T keeps one. T"),
    (Layer::FootLens, "Foot lens", "The worst plant of the moment from above, when it is at warn or worse."),
];

/// Narrower bars keep their layers in a menu.
const ROOM_FOR_LAYERS: f32 = 1120.0;
/// Narrower bars name only what is on.
const ROOM_FOR_NAMES: f32 = 700.0;

/// View modes, overlays, layers, camera.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let room = ui.available_width();
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.add_space(8.0);
        modes(ui, cx, room >= ROOM_FOR_NAMES);
        ui.add_space(4.0);
        overlays(ui, cx, room >= ROOM_FOR_NAMES);
        ui.add_space(8.0);
        if room < ROOM_FOR_LAYERS {
            scene_menu::stays_open("Show").ui(ui, |ui| layers(ui, cx)).0.on_hover_text("What is drawn.");
        } else {
            ui.spacing_mut().item_spacing.x = 10.0;
            layers(ui, cx);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.add_space(8.0);
            scene_menu::camera(ui, cx);
            lock(ui, cx);
        });
    });
}

fn modes(ui: &mut Ui, cx: &mut PanelCx<'_>, names: bool) {
    for (mode, key, name, help) in MODES {
        let on = cx.view.settings.mode == mode;
        if labelled(ui, cx, on, names, (key, name, help)) {
            cx.push(Command::SetMode(mode));
        }
    }
}

fn overlays(ui: &mut Ui, cx: &mut PanelCx<'_>, names: bool) {
    for (layer, key, name, help) in OVERLAYS {
        let on = cx.view.settings.layers.get(layer);
        if labelled(ui, cx, on, names, (key, name, help)) {
            cx.push(Command::ToggleLayer(layer));
        }
    }
}

/// A segment that keeps its accessible name where there is no room to write it.
fn labelled(
    ui: &mut Ui,
    cx: &PanelCx<'_>,
    on: bool,
    names: bool,
    (key, name, help): (&str, &'static str, &str),
) -> bool {
    let written = if names || on { name } else { "" };
    let response = segment(ui, cx.theme, on, key, written, help);
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::RadioButton, true, on, name));
    response.clicked()
}

fn layers(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    for (layer, name, help) in LAYERS {
        let mut on = cx.view.settings.layers.get(layer);
        if ui.checkbox(&mut on, name).on_hover_text(help).changed() {
            cx.push(Command::ToggleLayer(layer));
        }
    }
}

fn lock(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if cx.view.settings.mode != ViewMode::SideBySide {
        return;
    }
    let (icon, help) = match cx.view.second_camera {
        None => (Icon::Lock, "Both sides follow one camera. Click for one each. K"),
        Some(_) => (Icon::Unlock, "Each side has its own camera. Click for one: the original's. K"),
    };
    if icon_button(ui, cx.theme, icon, false, "One camera", help).clicked() {
        cx.push(Command::ToggleCameraLock);
    }
}
