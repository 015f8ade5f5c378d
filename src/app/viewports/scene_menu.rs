use super::mode_bar::layer_check_box;
use crate::actions::{action_of, list};
use crate::commands::{CameraCommand, ImportCommand};
use crate::panels::{CONTACTS, PanelCx, apply};
use crate::theme::size;
use crate::widgets::{Change, check_box, control, typed_note};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Button, PopupCloseBehavior, RichText, Ui, WidgetInfo};
use posepress_core::import::UpAxis;
use posepress_core::metrics::ContactSettings;
use posepress_core::settings::{ParamValue, Settings};
use posepress_core::text;
use posepress_core::view::{CameraPreset, Layer, LayerKind};

/// A menu that stays open while its entries are used.
pub fn stays_open(name: &str) -> MenuButton<'_> {
    MenuButton::new(name).config(MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside))
}

/// Menu of camera directions, ground and up axis.
pub fn camera(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (response, _) = stays_open("Camera").ui(ui, |ui| {
        ui.set_min_width(236.0);
        let presets = CameraPreset::ALL.map(|preset| CameraCommand::LookFrom(preset).into());
        let presets = presets.iter().filter_map(action_of);
        for action in [&list::FRAME_ALL, &list::FRAME_SELECTION].into_iter().chain(presets).chain([&list::ONE_CAMERA]) {
            cx.entry(ui, action);
        }
        ui.separator();
        ui.push_id(cx.workspace.active_slot(), |ui| ground(ui, cx)); // a drag ends when the recipe changes
        up_axis(ui, cx);
        Layer::of(LayerKind::OfOverlay).for_each(|layer| layer_check_box(ui, cx, layer));
    });
    response.on_hover_text("Camera direction, ground and up axis. Drag in a viewport to orbit, Shift-drag to pan.");
}

/// Height of the ground: detected from the feet, or set by the user. It is part of the recipe, because it affects
/// contacts.
fn ground(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(setting) = ContactSettings::setting("ground_m") else { return };
    let set = setting.get(&cx.workspace.active_recipe().contacts);
    let is_set = set.is_some();
    let found_m = cx.report().map_or(0.0, |r| r.slide.plan.ground_m);
    let found = ParamValue::Float(text::shifted(found_m, 0));
    let row = ui.horizontal(|ui| {
        let mut follows = !is_set;
        let help =
            "Find the height of the ground from the lowest foot. Off: type the height. Contacts are measured from the ground.";
        if check_box(ui, cx.theme, &mut follows, "Detect ground").on_hover_text(help).changed() {
            let change = if follows { Change::Reset } else { Change::Edit(found.clone()) };
            apply(cx, CONTACTS, setting, change);
        }
        let before = set.unwrap_or(found);
        let (param, mut now) = (setting.param(), before.clone());
        let control = ui.add_enabled_ui(is_set, |ui| control(ui, cx.theme, &param, setting.range(), &mut now)).inner;
        let response = control
            .on_hover_text("Height of the ground. Drag, or click to type.")
            .on_disabled_hover_text("Detected from the feet. Turn that off to set it.");
        response.widget_info(|| WidgetInfo::labeled(egui::Role::SpinButton, is_set, "Ground height"));
        if let Some(change) = Change::of(&response, &before, now) {
            apply(cx, CONTACTS, setting, change);
        }
        response
    });
    typed_note(ui, cx.theme, &row.inner);
}

/// Buttons that read the file again with another up axis.
fn up_axis(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let source = cx.workspace.selected().and_then(|id| cx.workspace.library().source(id.source));
    let has_file = source.is_some_and(|s| s.path.is_some());
    let chosen = source.and_then(|s| s.options.up).unwrap_or(UpAxis::Y);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Up axis of the file").size(size::SMALL).color(cx.theme.text2));
        for (axis, name) in [(UpAxis::Y, "Y"), (UpAxis::Z, "Z")] {
            let response = ui
                .add_enabled(has_file, Button::selectable(chosen == axis, name))
                .on_hover_text("Read the file again with this axis upwards.")
                .on_disabled_hover_text("The sample has Y upwards. Open a file to choose.");
            let words = format!("Up axis {name}");
            response
                .widget_info(|| WidgetInfo::selected(egui::Role::RadioButton, has_file, chosen == axis, words.clone()));
            if response.clicked() && chosen != axis {
                cx.push(ImportCommand::SetUpAxis(axis));
            }
        }
    });
}
