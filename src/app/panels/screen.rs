//! Errors and tolerance in pixels.

use super::PanelCx;
use super::recipe_field::{Named, rows, send};
use crate::commands::RecipeCommand;
use crate::theme::{font, size};
use crate::widgets::{label, quantity, text_right, value_row};
use egui::{Align2, Sense, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::recipe::Recipe;
use posepress_core::report::ClipReport;
use posepress_core::settings::{Param, ParamKind, ParamValue, Range, Settings, Unit};
use posepress_core::text;

/// Allowed tolerances in pixels.
const PIXELS: Range = Range { min: 1e-4, max: 1000.0, unit: Unit::Pixels, decimals: (2, 4), slider: None };

/// Settings of the screen, and errors of the clip in pixels.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, report: &ClipReport) {
    let screen = cx.workspace.document().screen;
    rows(ui, cx, &screen, RecipeCommand::SetScreen);
    let Some(pixels) = report.clone().on_screen(&screen).pixels else { return };
    let errors = [("shell on screen", Some(pixels.max_px)), ("skin on screen", pixels.skin_px)];
    for (name, pixels) in errors.into_iter().chain([("slide on screen", pixels.slide_px)]) {
        if let Some(pixels) = pixels {
            row(ui, cx, name, pixels as f32);
        }
    }
    label(ui, format!("lengths across the view {}", screen.words()), size::TICK, cx.theme.text3);
}

fn row(ui: &mut Ui, cx: &PanelCx<'_>, name: &str, pixels: f32) {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 17.0), Sense::hover());
    let (y, value) = (rect.center().y, text::pixels(pixels));
    let spoken = format!("{name} {value}");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &spoken));
    ui.painter().text(pos2(rect.left(), y), Align2::LEFT_CENTER, name, font(size::SMALL), cx.theme.text2);
    text_right(ui.painter(), pos2(rect.right(), y), quantity(cx.theme, &value, size::SMALL, cx.theme.text1));
}

/// The tolerance of the active recipe in pixels, if lengths are shown in pixels. The recipe stores metres.
pub fn tolerance(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let screen = cx.workspace.document().screen;
    let Some(setting) = Recipe::setting("tolerance_m").filter(|_| screen.shown) else { return };
    let recipe = cx.workspace.active_recipe();
    let (is_changed, before) = (setting.is_changed(recipe), screen.pixels(recipe.tolerance_m));
    let default_px = screen.pixels(Recipe::of(recipe.codec).tolerance_m);
    let Range { min, max, unit, .. } = PIXELS;
    let param = Param {
        key: "tolerance_px",
        label: "on screen",
        help: "The tolerance in pixels of the report's camera. The recipe stores millimetres, so another camera changes only this number.",
        kind: ParamKind::Float { min, max, default: f64::from(default_px), unit },
        only_if: None,
    };
    let (default, value) = (text::pixels(default_px), ParamValue::Float(text::shifted(before, 0)));
    let Some(change) = value_row(ui, cx.theme, &param, Some(&PIXELS), &default, &value, is_changed) else { return };
    send(cx, &Named { name: setting.label, default: &default }, &param, change, move |recipe, value| match value {
        Some(ParamValue::Float(pixels)) => {
            setting.set(recipe, ParamValue::Float(text::shifted(screen.metres(pixels as f32), 0)))
        }
        _ => {
            setting.reset(recipe);
            Ok(())
        }
    });
}
