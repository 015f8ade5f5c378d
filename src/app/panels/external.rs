use super::PanelCx;
use super::codec::limits;
use super::recipe_field::rows;
use crate::actions::{Action, list};
use crate::commands::CompareCommand;
use crate::theme::{font, size};
use crate::widgets::{label, section};
use egui::text::LayoutJob;
use egui::{RichText, Ui};
use posepress_core::report::ExternalRow;
use posepress_core::text;

/// The panel of an external file, in place of a codec: file, offset in time, and limits.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(file) = cx.workspace.document().external.as_ref() else { return };
    let fact = LayoutJob::simple_singleline("another tool's file".into(), font(size::TICK), cx.theme.text3);
    section(ui, cx.theme, "Codec", fact, |ui| {
        let name = cx.workspace.slot_title(cx.workspace.active_slot());
        label(ui, name, size::BODY, cx.theme.text1).on_hover_text(file.path.display().to_string());
        let row = cx.workspace.compressed().and_then(|shown| shown.report.external.as_ref());
        match row {
            Some(row) => _ = label(ui, facts(row), size::SMALL, cx.theme.text3),
            None => ui.add_space(14.0),
        }
        ui.add_space(4.0);
        rows(ui, cx, &file.alignment, CompareCommand::Align);
        ui.horizontal(|ui| {
            for action in [&list::SHIFT_EARLIER, &list::SHIFT_LATER, &list::STOP_COMPARING] {
                button(ui, cx, action);
            }
        });
        ui.add_space(6.0);
        limits(ui, cx);
        let note = "An external file is not encoded. Its error is only compared with the tolerance.";
        ui.label(RichText::new(note).size(size::TICK).color(cx.theme.text3));
    });
}

/// The clip's name in the file, its samples and its size.
fn facts(row: &ExternalRow) -> String {
    let samples = text::count(row.samples, "sample");
    let rate = if row.samples > 1 { format!(" at {}", text::rate(row.rate_hz)) } else { String::new() };
    format!("{}: {samples}{rate}, {}", row.clip, text::bytes(row.bytes))
}

fn button(ui: &mut Ui, cx: &mut PanelCx<'_>, action: &'static Action) {
    let words = match action {
        _ if *action == list::SHIFT_EARLIER => "\u{2212} 1 sample",
        _ if *action == list::SHIFT_LATER => "+ 1 sample",
        _ => &*action.label,
    };
    cx.control(ui, action, |ui, _, help| ui.button(words).on_hover_text(help));
}
