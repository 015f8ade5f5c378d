use super::PanelCx;
use super::codec::form_row;
use crate::commands::Command;
use crate::theme::{font, size};
use crate::widgets::{check_box, section};
use egui::text::LayoutJob;
use egui::{ComboBox, DragValue, Response, RichText, Ui};
use posepress_core::codecs::{Compensation, CompensationMethod, CompensationResult};
use posepress_core::session::Recipe;
use posepress_core::text;

/// The list shows the methods' names whole.
const COMBO_WIDTH: f32 = 144.0;

/// How the codec's error is compensated, and what became of it.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let recipe = Recipe::clone(cx.workspace.active_recipe());
    let result = cx.shown().map(|s| s.outcome.encoded.compensation).unwrap_or_default();
    let fact = LayoutJob::simple_singleline(fact(&result), font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Compensation", fact, |ui| {
        let mut wanted = recipe.compensation.clone();
        method(ui, cx, &recipe, &mut wanted);
        match wanted.method {
            CompensationMethod::None => return,
            CompensationMethod::InPlace => new_tracks(ui, cx, &recipe, &mut wanted),
            CompensationMethod::Additive | CompensationMethod::Ik => accuracy(ui, cx, &recipe, &mut wanted),
        }
        loosen(ui, cx, &recipe, &mut wanted);
        if let Some(why) = result.left_off {
            let note = format!("Left off for this clip: {}.", why.text());
            ui.label(RichText::new(note).size(size::TICK).color(cx.theme.text3));
        }
    });
}

fn fact(result: &CompensationResult) -> String {
    match (result.applied, result.left_off, result.tracks) {
        (_, Some(_), _) => "left off".into(),
        (CompensationMethod::None, ..) | (_, _, 0) => String::new(),
        (_, _, 1) => "1 track".into(),
        (_, _, tracks) => format!("{tracks} tracks"),
    }
}

fn method(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, wanted: &mut Compensation) {
    let before = wanted.method;
    let help = "How the error that the codec leaves is made smaller, in the bytes. Default none.";
    let changed = (before != CompensationMethod::None).then_some(());
    let field = form_row(ui, cx, "Method", help, changed, |ui| {
        let width = (ui.available_width() - 8.0).min(COMBO_WIDTH);
        let combo = ComboBox::from_id_salt("compensation").width(width).selected_text(wanted.method.option().label);
        let inner = combo.show_ui(ui, |ui| {
            for method in CompensationMethod::ALL {
                let option = method.option();
                ui.selectable_value(&mut wanted.method, method, option.label).on_hover_text(option.help);
            }
        });
        inner.response
    });
    if field.reset {
        wanted.method = CompensationMethod::None;
    }
    if wanted.method != before {
        edit(cx, recipe, wanted, &field.response, &format!("Compensation to {}", wanted.method.option().label));
    }
}

fn new_tracks(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, wanted: &mut Compensation) {
    let help =
        "Joints without an animated track may get one to hold their correction: nearer, and larger. Default off.";
    let changed = wanted.new_tracks.then_some(());
    let field = form_row(ui, cx, "New tracks", help, changed, |ui| check_box(ui, cx.theme, &mut wanted.new_tracks, ""));
    if field.reset {
        wanted.new_tracks = false;
    }
    if wanted.new_tracks != recipe.compensation.new_tracks {
        let label = if wanted.new_tracks { "New tracks on" } else { "New tracks off" };
        edit(cx, recipe, wanted, &field.response, label);
    }
}

fn accuracy(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, wanted: &mut Compensation) {
    let before_m = wanted.accuracy_m.unwrap_or(recipe.tolerance_m);
    let mut mm = f64::from(before_m) * 1000.0;
    let help = "Errors below this are not corrected, and corrections are stored as finely. Default the tolerance.";
    let speed = mm * 0.01;
    let field = form_row(ui, cx, "Accuracy", help, wanted.accuracy_m.map(|_| ()), |ui| {
        ui.add(DragValue::new(&mut mm).range(0.001..=1000.0).speed(speed).max_decimals(3).suffix(" mm"))
    });
    if field.reset {
        wanted.accuracy_m = None;
    } else if field.response.changed() {
        wanted.accuracy_m = Some((mm / 1000.0) as f32);
    }
    let shown_m = wanted.accuracy_m.unwrap_or(recipe.tolerance_m);
    edit_or_settle(cx, recipe, wanted, &field.response, &format!("Accuracy to {}", text::length(shown_m)));
}

fn loosen(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, wanted: &mut Compensation) {
    let help = "The codec works at this many times the tolerance, and compensation is to win it back. Default 1.";
    let changed = (wanted.loosen != 1.0).then_some(());
    let field = form_row(ui, cx, "Loosen", help, changed, |ui| {
        ui.add(DragValue::new(&mut wanted.loosen).range(1.0..=1000.0).speed(0.02).max_decimals(1).suffix(" x"))
    });
    if field.reset {
        wanted.loosen = 1.0;
    }
    edit_or_settle(cx, recipe, wanted, &field.response, &format!("Loosen to {:.1}", wanted.loosen));
}

fn edit_or_settle(cx: &mut PanelCx<'_>, recipe: &Recipe, wanted: &Compensation, response: &Response, label: &str) {
    if *wanted != recipe.compensation {
        edit(cx, recipe, wanted, response, label);
    } else if response.drag_stopped() {
        cx.push(Command::CommitRecipe(label.into()));
    }
}

/// While dragged the recipe is previewed; typed or clicked values are one step.
fn edit(cx: &mut PanelCx<'_>, recipe: &Recipe, wanted: &Compensation, response: &Response, label: &str) {
    let changed = Box::new(Recipe { compensation: wanted.clone(), ..recipe.clone() });
    cx.push(match response.dragged() {
        true => Command::PreviewRecipe(changed),
        false => Command::EditRecipe(label.into(), changed),
    });
}
