use super::recipe_field::{Named, send};
use super::{PanelCx, candidate_list, candidates};
use crate::state::Panel;
use crate::theme::{font, size};
use crate::widgets::{about, form_row, section, value_row};
use egui::text::LayoutJob;
use egui::{RichText, Ui};
use posepress_core::codecs::{CANDIDATE_LINES, Param, ParamKind, ParamValue, is_on};
use posepress_core::recipe::Recipe;

/// Rows of the codec's parameters, made from its list. For codecs with one main setting they are in the panel Codec
/// instead.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let recipe = Recipe::clone(cx.workspace.active_recipe());
    if cx.workspace.is_external_active() || recipe.codec.has_one_knob() {
        return; // nothing is encoded, or the rows are in the panel Codec
    }
    let changed = recipe.values.changed().count();
    let fact = if changed > 0 { format!("{changed} changed") } else { String::new() };
    let fact = LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.accent);
    section(ui, cx.theme, "Parameters", fact, |ui| {
        if recipe.codec.params().is_empty() {
            ui.label(RichText::new("This codec has none.").color(cx.theme.text3));
        }
        rows(ui, cx, &recipe);
    });
}

/// A row for every parameter of a recipe's codec that has an effect.
pub fn rows(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe) {
    let params = recipe.codec.params();
    let shows_all = cx.shows_fields(Panel::Parameters);
    let is_shown = |param: &&Param| shows_all || recipe.values.is_changed(param.key);
    for param in params.iter().filter(|p| recipe.values.is_active(params, p)).filter(is_shown) {
        match param.kind {
            ParamKind::Lines(_) => list_row(ui, cx, recipe, params, param),
            _ => param_row(ui, cx, recipe, param),
        }
    }
}

fn param_row(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, param: &Param) {
    let (before, default) = (recipe.values.get(param), param.shown(&param.default_value()));
    let is_changed = recipe.values.is_changed(param.key);
    let Some(change) = value_row(ui, cx.theme, param, None, &default, &before, is_changed) else { return };
    let named = Named { name: param.label, default: &default };
    let (key, default) = (param.key, param.default_value());
    send(cx, &named, param, change, move |recipe, value| {
        recipe.values.set(recipe.codec.params(), key, value.unwrap_or_else(|| default.clone()))
    });
}

/// A list parameter: its name with a reset arrow, below it the list in the full width of the panel.
fn list_row(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, params: &[Param], param: &Param) {
    let changed = recipe.values.is_changed(param.key);
    let ParamValue::Lines(lines) = recipe.values.get(param) else { return };
    let on = lines.iter().filter(|line| is_on(line)).count();
    let field =
        form_row(ui, cx.theme, param.label, param.help, changed, |ui| ui.label(format!("{on} of {}", lines.len())));
    if field.reset {
        let key = param.key;
        cx.edit_recipe(format!("{} to the default", param.label), move |recipe| recipe.values.reset(key));
    }
    about(ui, "how-to/pick-a-codec.md", |ui| {
        ui.push_id(param.key, |ui| {
            if param.kind == ParamKind::Lines(&CANDIDATE_LINES) {
                candidates::show(ui, cx, recipe, params, param);
            } else {
                candidate_list::show(ui, cx, recipe, params, param, &lines);
            }
        });
    });
}
