use crate::app::commands::{Command, Viewpoint};
use crate::app::panels::PanelCx;
use crate::app::view_state::{Layer, ViewMode};
use crate::app::widgets::{segment, tool_button};
use egui::{Align, ComboBox, Layout, Ui};

const LAYERS: [(Layer, &str, &str); 5] = [
    (Layer::Mesh, "Mesh", "The skinned mesh. Off: bones only."),
    (Layer::Skeleton, "Skeleton", "Bones over the mesh."),
    (Layer::Plants, "Plants", "Soles of planted feet on the ground, and where they slide to."),
    (Layer::Ground, "Ground", "Ground with lines every 0.25 m and 1 m."),
    (Layer::FootLens, "Foot lens", "The worst plant of the moment from above, when it is at warn or worse."),
];

/// View modes, overlays, layers, camera.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.add_space(8.0);
        modes(ui, cx);
        ui.add_space(8.0);
        if cx.narrow {
            ui.menu_button("Show", |ui| layers(ui, cx)).response.on_hover_text("What is drawn.");
        } else {
            ui.spacing_mut().item_spacing.x = 10.0;
            layers(ui, cx);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(8.0);
            camera(ui, cx);
        });
    });
}

fn modes(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let mode = cx.view.settings.mode;
    let all = [
        (ViewMode::SideBySide, "1", "Side by side", "Two views, one camera. 1"),
        (ViewMode::Wipe, "2", "Wipe", "Original left of the line, compressed right of it. Drag the line. 2"),
    ];
    for (value, key, name, help) in all {
        if segment(ui, cx.theme, mode == value, key, name, help).clicked() {
            cx.push(Command::SetMode(value));
        }
    }
    ui.add_space(4.0);
    let heat = cx.view.settings.layers.heat;
    let help = "Error on the skin in mm, on the compressed side. The scale is tied to the tolerance. 5";
    if segment(ui, cx.theme, heat, "5", "Heat map", help).clicked() {
        cx.push(Command::ToggleLayer(Layer::Heat));
    }
    if heat {
        let by_joint = cx.view.settings.layers.heat_by_joint;
        let help = "Colour by each joint's shell error instead of the error on the skin.";
        if segment(ui, cx.theme, by_joint, "", "by joint", help).clicked() {
            cx.push(Command::ToggleLayer(Layer::HeatByJoint));
        }
    }
}

fn layers(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    for (layer, name, help) in LAYERS {
        let mut on = cx.view.settings.layers.get(layer);
        if ui.checkbox(&mut on, name).on_hover_text(help).changed() {
            cx.push(Command::ToggleLayer(layer));
        }
    }
}

fn camera(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let combo = ComboBox::from_id_salt("camera").selected_text("Camera").width(88.0);
    let response = combo.show_ui(ui, |ui| {
        let views = [
            (Viewpoint::ThreeQuarter, "Front 3/4"),
            (Viewpoint::Front, "Front"),
            (Viewpoint::Side, "Side"),
            (Viewpoint::Top, "Top"),
        ];
        for (view, name) in views {
            if ui.selectable_label(false, name).clicked() {
                cx.push(Command::LookFrom(view));
            }
        }
    });
    let response = response.response.on_hover_text("Look from a side. Drag in a viewport to turn, Shift-drag to move.");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Camera"));
    if cx.narrow {
        return;
    }
    if tool_button(ui, cx.theme, "Frame all", "A", "Fit the whole character. A").clicked() {
        cx.push(Command::FrameAll);
    }
}
