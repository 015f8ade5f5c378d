use super::PanelCx;
use crate::theme::size;
use crate::widgets::{label, tool_button};
use egui::{FontId, TextEdit, Ui, WidgetInfo};
use posepress_core::codecs::{Param, ParamError, ParamKind, ParamValue, ParamValues};
use posepress_core::recipe::Recipe;

/// The list as text while it is being edited, one candidate per line.
#[derive(Debug, Clone)]
struct Draft {
    text: String,
    /// True until it was seen.
    is_new: bool,
}

/// A button that opens the list as text, to add, remove, switch off and change lines.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, recipe: &Recipe, params: &[Param], param: &Param, lines: &[String]) {
    let id = ui.scope_id().with("draft");
    let Some(Draft { mut text, is_new }) = ui.data(|d| d.get_temp::<Draft>(id)) else {
        let help = "One candidate per line: CODEC[:PRESET] [KEY=VALUE]... Lines that start with # are skipped.";
        if tool_button(ui, cx.theme, &format!("Edit {}", name_of(param)), "", help).clicked() {
            ui.data_mut(|d| d.insert_temp(id, Draft { text: lines.join("\n"), is_new: true }));
        }
        return;
    };
    let edit = TextEdit::multiline(&mut text).font(FontId::monospace(size::SMALL)).desired_rows(8);
    let response = ui.add(edit.desired_width(f32::INFINITY));
    response
        .widget_info(|| WidgetInfo::labeled(egui::Role::MultilineTextInput, true, format!("{} as text", param.label)));
    let changed = changed(recipe, params, param, &text);
    if let Err(error) = &changed {
        label(ui, error.to_string(), size::SMALL, cx.theme.fail);
    }
    let mut open = true;
    let buttons = ui.horizontal(|ui| {
        ui.add_enabled_ui(changed.is_ok(), |ui| {
            let apply = tool_button(ui, cx.theme, "Apply", "", "Try this list.").clicked();
            if let Some(changed) = changed.ok().filter(|_| apply) {
                open = false;
                cx.edit_recipe(param.label, move |recipe| recipe.values.clone_from(&changed));
            }
        });
        open &= !tool_button(ui, cx.theme, "Cancel", "", "Keep the old list.").clicked();
    });
    if is_new {
        buttons.response.scroll_to_me(None);
    }
    ui.data_mut(|d| {
        if open {
            d.insert_temp(id, Draft { text, is_new: false });
        } else {
            d.remove::<Draft>(id);
        }
    });
}

/// The recipe's values with the edited list.
fn changed(recipe: &Recipe, params: &[Param], param: &Param, text: &str) -> Result<ParamValues, ParamError> {
    let lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
    let mut values = recipe.values.clone();
    // Check with empty lines, so that line numbers in errors match the text.
    param.check(ParamValue::Lines(lines.clone()))?;
    let lines = lines.into_iter().filter(|line| !line.is_empty()).collect();
    values.set(params, param.key, ParamValue::Lines(lines))?;
    Ok(values)
}

/// A word for the lines of a list.
fn name_of(param: &Param) -> &'static str {
    match param.kind {
        ParamKind::Lines(rules) => rules.name,
        _ => param.key,
    }
}
