use super::PanelCx;
use super::recipe_field::form;
use crate::theme::{font, size};
use crate::widgets::section;
use egui::text::LayoutJob;
use egui::{RichText, Ui};
use posepress_core::codecs::{Compensation, CompensationMethod, CompensationResult};
use posepress_core::recipe::Recipe;
use posepress_core::settings::{At, ParamValue};
use posepress_core::text;

const COMPENSATION: At<Recipe, Compensation> = At { get: |r| &r.compensation, get_mut: |r| &mut r.compensation };

/// Settings of compensation, and its result for the clip.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if cx.workspace.is_external_active() {
        return; // nothing is encoded
    }
    let encoding = cx.workspace.compressed().and_then(|shown| shown.outcome.encoding());
    let result = encoding.map(|made| made.encoded.compensation).unwrap_or_default();
    let fact = LayoutJob::simple_singleline(fact(&result), font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Compensation", fact, |ui| {
        let unset = accuracy_unset(cx);
        form(ui, cx, COMPENSATION, Some(unset));
        if cx.workspace.active_recipe().compensation.is_none() {
            return;
        }
        if let Some(why) = result.left_off {
            let note = format!("{} skipped for this clip: {}.", result.missing().option().label, why.text());
            ui.label(RichText::new(note).size(size::TICK).color(cx.theme.text3));
        }
    });
}

fn fact(result: &CompensationResult) -> String {
    match (result.applied, result.left_off, result.tracks) {
        (_, Some(_), _) if result.missing() == result.asked => "skipped".into(),
        (_, Some(_), _) => "skipped in part".into(),
        (CompensationMethod::None, ..) | (_, _, 0) => String::new(),
        (_, _, 1) => "1 track".into(),
        (_, _, tracks) => format!("{tracks} tracks"),
    }
}

/// The accuracy that is shown while none is set: the recipe's tolerance.
fn accuracy_unset(cx: &PanelCx<'_>) -> ParamValue {
    ParamValue::Float(text::shifted(cx.workspace.active_recipe().tolerance_m, 0))
}
