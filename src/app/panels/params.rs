use super::PanelCx;
use super::candidates;
use super::codec::{Field, form_row};
use crate::commands::Command;
use crate::theme::{Theme, font, size};
use crate::widgets::{check_box, section};
use egui::text::LayoutJob;
use egui::{ComboBox, DragValue, RichText, Ui};
use posepress_core::codecs::{Param, ParamKind, ParamValue, is_on};
use posepress_core::session::Recipe;

/// Names of formats are long; the list shows them whole.
const COMBO_WIDTH: f32 = 144.0;

/// The form of the codec's own parameters, generated from its list.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let recipe = Recipe::clone(cx.workspace.active_recipe());
    let codec = recipe.codec;
    let changed = recipe.values.changed().count();
    let fact = if changed > 0 { format!("{changed} changed") } else { String::new() };
    let fact = LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.accent);
    section(ui, cx.theme, "Parameters", fact, |ui| {
        if codec.params().is_empty() {
            ui.label(RichText::new("This codec has none.").color(cx.theme.text3));
        }
        for param in codec.params().iter().filter(|p| recipe.values.is_active(codec.params(), p)) {
            match param.kind {
                ParamKind::Lines(_) => list_row(ui, cx, &recipe, codec.params(), param),
                _ => param_row(ui, cx, &recipe, codec.params(), param),
            }
        }
    });
}

fn param_row(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, params: &[Param], param: &Param) {
    let mut value = recipe.values.get(param);
    let changed = recipe.values.is_changed(param.key).then_some(());
    let help = format!("{} Default {}.", param.help, param.shown(&param.default_value()));
    let Field { response, reset } =
        form_row(ui, cx, param.label, &help, changed, |ui| control(ui, cx.theme, param, &mut value));
    if reset {
        value = param.default_value();
    }
    if value == recipe.values.get(param) {
        if response.drag_stopped() {
            cx.push(Command::CommitRecipe(format!("{} to {}", param.label, param.shown(&value))));
        }
        return;
    }
    let label = format!("{} to {}", param.label, param.shown(&value));
    let mut recipe = recipe.clone();
    if recipe.values.set(params, param.key, value).is_err() {
        return; // the control keeps to the range; a value beyond it is not taken
    }
    let recipe = Box::new(recipe);
    cx.push(if response.dragged() { Command::PreviewRecipe(recipe) } else { Command::EditRecipe(label, recipe) });
}

/// A list takes the width of the panel, below its name and the arrow back to the default.
fn list_row(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, params: &[Param], param: &Param) {
    let changed = recipe.values.is_changed(param.key).then_some(());
    let ParamValue::Lines(lines) = recipe.values.get(param) else { return };
    let on = lines.iter().filter(|line| is_on(line)).count();
    let field = form_row(ui, cx, param.label, param.help, changed, |ui| ui.label(format!("{on} of {}", lines.len())));
    if field.reset {
        let mut recipe = recipe.clone();
        recipe.values.reset(param.key);
        cx.push(Command::EditRecipe(format!("{} to the default", param.label), Box::new(recipe)));
    }
    candidates::show(ui, cx, recipe, params, param);
}

fn control(ui: &mut Ui, theme: &Theme, param: &Param, value: &mut ParamValue) -> egui::Response {
    match (param.kind, value) {
        (ParamKind::Bool { .. }, ParamValue::Bool(on)) => check_box(ui, theme, on, ""),
        (ParamKind::Choice { options, .. }, ParamValue::Choice(chosen)) => {
            let label = options.iter().find(|o| o.key == chosen).map_or(chosen.as_str(), |o| o.label);
            let width = (ui.available_width() - 8.0).min(COMBO_WIDTH);
            let combo = ComboBox::from_id_salt(param.key).width(width).selected_text(label.to_owned()).truncate();
            let inner = combo.show_ui(ui, |ui| {
                for option in options {
                    ui.selectable_value(chosen, option.key.to_owned(), option.label).on_hover_text(option.help);
                }
            });
            inner.response
        }
        (ParamKind::Int { min, max, unit, .. }, ParamValue::Int(number)) => {
            ui.add(DragValue::new(number).range(min..=max).speed(0.1).suffix(unit.suffix()))
        }
        (ParamKind::Float { min, max, unit, .. }, ParamValue::Float(number)) => {
            let mut scaled = unit.shown(*number);
            let range = unit.shown(min)..=unit.shown(max);
            let speed = (scaled.abs() * 0.01).max(1e-4);
            let response = ui.add(DragValue::new(&mut scaled).range(range).speed(speed).suffix(unit.suffix()));
            if response.changed() {
                *number = unit.stored_of(scaled);
            }
            response
        }
        _ => ui.label("?"),
    }
}
