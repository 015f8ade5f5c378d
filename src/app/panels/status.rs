use super::PanelCx;
use crate::actions::list;
use crate::commands::{Command, ExportCommand, FileCommand};
use crate::theme::size;
use crate::widgets::{Icon, label, paint_icon};
use egui::{Align, Layout, Sense, Ui, Vec2};
use posepress_core::tasks::Activity;
use std::path::Path;

/// The last event, running work, and useful keys.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.horizontal_centered(|ui| {
        ui.add_space(4.0);
        let (icon, text) = activity(cx);
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(13.0), Sense::hover());
        let color = if icon == Icon::Good { cx.theme.ok } else { cx.theme.accent };
        paint_icon(ui.painter(), rect, 11.0, icon, color);
        label(ui, text, size::SMALL, cx.theme.text2);
        if cx.workspace.reading().next().is_some() {
            let help = "Stop reading. Open files stay.";
            cancel_button(ui, cx, help, Command::File(FileCommand::CancelLoading));
        } else if !cx.workspace.writing().is_empty() || cx.view.filming.is_some() {
            cancel_button(ui, cx, "Stop writing. The old file stays.", Command::Export(ExportCommand::CancelExport));
        }
        if let Some(step) = cx.workspace.history().undo_label() {
            ui.add_space(24.0);
            label(ui, format!("{step}   {} undoes", list::UNDO.key_text(ui.ctx())), size::SMALL, cx.theme.text3);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(8.0);
            let keys = if cx.narrow { "? all keys" } else { "R hold original   W worst   ? all keys" };
            label(ui, keys, size::SMALL, cx.theme.text3);
        });
    });
}

fn cancel_button(ui: &mut Ui, cx: &mut PanelCx<'_>, help: &str, command: Command) {
    let button = egui::Button::new(egui::RichText::new("Cancel").size(size::TICK)).small();
    if ui.add(button).on_hover_text(help).clicked() {
        cx.push(command);
    }
}

fn activity(cx: &PanelCx<'_>) -> (Icon, String) {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(reading) = cx.reading() {
        return (Icon::Working, reading);
    }
    if let Some(target) = cx.workspace.writing().first() {
        return (Icon::Working, format!("Writing {}", name(target)));
    }
    if let Some(filming) = &cx.view.filming {
        let (drawn, name) = (filming.drawn(), name(&filming.path));
        return (Icon::Working, format!("Writing {name}, frame {drawn} of {}", filming.pictures));
    }
    let clip = |id| cx.workspace.library().clip(id).map_or("", |(_, clip)| clip.name());
    if let Some(id) = cx.workspace.fixing() {
        return (Icon::Working, format!("Applying fixes to {}", clip(id)));
    }
    match cx.workspace.activity() {
        Some(Activity { key, waiting, .. }) => {
            let name = clip(key.clip);
            let rest = if waiting > 0 { format!(", {waiting} more to go") } else { String::new() };
            (Icon::Working, format!("Compressing {name}{rest}"))
        }
        None if cx.view.messages.status.is_empty() => (Icon::Good, "Ready".into()),
        None => (Icon::Good, cx.view.messages.status.clone()),
    }
}
