use super::PanelCx;
use crate::commands::{Command, RecipeCommand};
use crate::state::RecipeEdit;
use crate::widgets::{Change, value_row};
use egui::Ui;
use posepress_core::metrics::ContactSettings;
use posepress_core::recipe::Recipe;
use posepress_core::settings::{At, Param, ParamError, ParamValue, Setting, Settings};

/// The recipe itself, as a part of it.
pub const WHOLE: At<Recipe, Recipe> = At { get: |r| r, get_mut: |r| r };

/// The contact settings of a recipe.
pub const CONTACTS: At<Recipe, ContactSettings> = At { get: |r| &r.contacts, get_mut: |r| &mut r.contacts };

/// A row for every setting of a part of the active recipe that has an effect. `unset` is shown if no value is set.
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
        apply(cx, part, setting, change);
    }
}

/// A row for every setting outside recipes that has an effect. `command` turns the changed settings into a command.
pub fn rows<S: Settings, C: Into<Command>>(ui: &mut Ui, cx: &mut PanelCx<'_>, before: &S, command: impl Fn(S) -> C) {
    for setting in S::ALL.iter().filter(|s| s.in_form && s.is_active(before)) {
        let Some(value) = setting.get(before) else { continue };
        let (param, default) = (setting.param(), setting.default_text());
        let changed = setting.is_changed(before);
        let row = value_row(ui, cx.theme, &param, setting.range(), &default, &value, changed);
        let mut now = before.clone();
        let is_preview = matches!(row, Some(Change::Preview(_)));
        match row {
            None => continue,
            Some(Change::Settle) => {}
            Some(Change::Reset) => setting.reset(&mut now),
            // The control limits values to the range. Others are ignored.
            Some(Change::Preview(value) | Change::Edit(value)) => _ = setting.set(&mut now, value),
        }
        cx.push(command(now));
        if !is_preview {
            cx.push(RecipeCommand::Settle);
        }
    }
}

/// Sends a change of a setting of a part of the active recipe.
pub fn apply<S: Settings>(cx: &mut PanelCx<'_>, part: At<Recipe, S>, setting: &'static Setting<S>, change: Change) {
    let named = Named { name: setting.label, default: &setting.default_text() };
    send(cx, &named, &setting.param(), change, move |recipe, value| match value {
        Some(value) => setting.set((part.get_mut)(recipe), value),
        None => {
            setting.reset((part.get_mut)(recipe));
            Ok(())
        }
    });
}

/// Names of a value for undo labels.
pub struct Named<'a> {
    /// Name of the value.
    pub name: &'a str,
    /// Its default as text.
    pub default: &'a str,
}

/// Sends a change of a value of the active recipe: a preview during a drag, one undo step at its end. `set` takes a
/// value, or `None` for the default.
pub fn send(
    cx: &mut PanelCx<'_>,
    named: &Named<'_>,
    param: &Param,
    change: Change,
    set: impl Fn(&mut Recipe, Option<ParamValue>) -> Result<(), ParamError> + Send + Sync + 'static,
) {
    let Named { name, default } = named;
    let to = |value: &ParamValue| format!("{name} to {}", param.shown(value));
    let (label, is_preview, value) = match change {
        Change::Settle => return cx.push(RecipeCommand::Settle),
        Change::Reset => (format!("{name} to {default}"), false, None),
        Change::Preview(value) => (to(&value), true, Some(value)),
        Change::Edit(value) => (to(&value), false, Some(value)),
    };
    let edit = RecipeEdit::new(cx.workspace.active_place(), label, move |recipe| {
        // The control limits values to the range. Others are ignored.
        let _ = set(recipe, value.clone());
    });
    cx.push(if is_preview {
        Command::Recipe(RecipeCommand::PreviewRecipe(edit))
    } else {
        Command::Recipe(RecipeCommand::EditRecipe(edit))
    });
}
