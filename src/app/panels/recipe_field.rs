use super::PanelCx;
use crate::commands::Command;
use crate::widgets::{Change, value_row};
use egui::Ui;
use posepress_core::session::Recipe;
use posepress_core::settings::{At, ParamValue, Setting, Settings};

/// The recipe itself, as a part of it.
pub const WHOLE: At<Recipe, Recipe> = At { get: |r| r, get_mut: |r| r };

/// A row for every setting of a part of the active recipe that has an effect. `unset` is shown where nothing is set.
pub fn form<S: Settings>(ui: &mut Ui, cx: &mut PanelCx<'_>, part: At<Recipe, S>, unset: Option<ParamValue>) {
    for setting in S::ALL.iter().filter(|s| s.in_form) {
        if setting.is_active((part.get)(cx.workspace.active_recipe())) {
            setting_row(ui, cx, part, setting, unset.clone());
        }
    }
}

/// The row of one setting of a part of the active recipe.
pub fn setting_row<S: Settings>(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    part: At<Recipe, S>,
    setting: &'static Setting<S>,
    unset: Option<ParamValue>,
) {
    let settings = (part.get)(cx.workspace.active_recipe());
    let Some(value) = setting.get(settings).or(unset) else { return };
    let (param, is_changed) = (setting.param(), setting.is_changed(settings));
    let default = setting.default_text();
    if let Some(change) = value_row(ui, cx.theme, &param, setting.range(), &default, &value, is_changed) {
        apply(cx, part, setting, &value, change);
    }
}

/// Sends what became of a setting.
pub fn apply<S: Settings>(
    cx: &mut PanelCx<'_>,
    part: At<Recipe, S>,
    setting: &Setting<S>,
    before: &ParamValue,
    change: Change,
) {
    let mut recipe = Recipe::clone(cx.workspace.active_recipe());
    let settings = (part.get_mut)(&mut recipe);
    let to = |value: &ParamValue| format!("{} to {}", setting.label, setting.param().shown(value));
    let (label, is_preview) = match change {
        Change::Settle => return cx.push(Command::CommitRecipe(to(before))),
        Change::Reset => {
            setting.reset(settings);
            (format!("{} to {}", setting.label, setting.default_text()), false)
        }
        Change::Preview(ref value) | Change::Edit(ref value) => {
            if setting.set(settings, value.clone()).is_err() {
                return; // the control keeps to the range; a value beyond it is not taken
            }
            (to(value), matches!(change, Change::Preview(_)))
        }
    };
    let recipe = Box::new(recipe);
    cx.push(if is_preview { Command::PreviewRecipe(recipe) } else { Command::EditRecipe(label, recipe) });
}
