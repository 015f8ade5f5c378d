use super::PanelCx;
use crate::actions::list;
use crate::commands::{Command, ExportCommand, FileCommand, WindowCommand};
use crate::state::Level;
use crate::theme::size;
use crate::widgets::{Icon, label, paint_icon, right_group};
use egui::{Sense, Ui, Vec2, WidgetInfo};
use posepress_core::tasks::Activity;
use std::path::Path;

/// Width of the keys and the switch at the right end, in a narrow window and in a wide one.
const RIGHT_ROOM: [f32; 2] = [270.0, 430.0];

/// The last event, running work, useful keys, and the switch of the level.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.horizontal_centered(|ui| {
        let room = ui.available_width() - RIGHT_ROOM[usize::from(!cx.narrow)];
        ui.scope(|ui| {
            ui.set_max_width(room.max(0.0));
            events(ui, cx);
        });
        right_group(ui, "levels", |ui| {
            let keys = if cx.narrow { "? all keys" } else { "R hold original   W worst   ? all keys" };
            let keys = egui::RichText::new(keys).size(size::SMALL).color(cx.theme.text3);
            ui.add(egui::Label::new(keys).extend());
            ui.add_space(12.0);
            levels(ui, cx);
            ui.add_space(8.0);
        });
    });
}

/// The last event and running work, with a button that stops it, and what undo would take back.
fn events(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.add_space(4.0);
    let (icon, text) = activity(cx);
    let (rect, _) = ui.allocate_exact_size(Vec2::splat(13.0), Sense::hover());
    let color = match icon {
        Icon::Good => cx.theme.ok,
        Icon::Warn => cx.theme.warn,
        _ => cx.theme.accent,
    };
    paint_icon(ui.painter(), rect, 11.0, icon, color);
    label(ui, text, size::SMALL, cx.theme.text2);
    if cx.view.messages.says_written() && icon == Icon::Good {
        let action = &list::SHOW_IN_FOLDER;
        let words = egui::RichText::new(&*action.label).size(size::SMALL);
        if ui.link(words).on_hover_text(&*action.help).clicked() {
            cx.run(action);
        }
    }
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
}

/// The switch between the essentials and all settings. A level that would change nothing has no button.
fn levels(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.spacing_mut().item_spacing.x = 0.0;
    ui.spacing_mut().button_padding.y = 0.0;
    let settings = &cx.view.settings;
    let (now, is_pure) = (settings.level, settings.asked_panels.is_empty());
    for level in Level::ALL.into_iter().filter(|level| *level != now || now == Level::Essentials && !is_pure) {
        let is_on = now == level;
        let color = if is_on { cx.theme.text1 } else { cx.theme.text2 };
        let words = egui::RichText::new(level.name()).size(size::SMALL).color(color);
        let (fill, line) = match is_on {
            true => (cx.theme.selection, cx.theme.selection_line),
            false => (cx.theme.raised, cx.theme.stroke),
        };
        let button =
            egui::Button::new(words).fill(fill).stroke(egui::Stroke::new(1.0, line)).min_size(Vec2::new(0.0, 20.0));
        let response = ui.add(button).on_hover_text(level.help());
        response.widget_info(|| WidgetInfo::selected(egui::Role::RadioButton, true, is_on, level.name()));
        if response.clicked() {
            cx.push(WindowCommand::SetLevel(level));
        }
    }
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
        None if cx.view.messages.warns() => (Icon::Warn, cx.view.messages.status.clone()),
        None => (Icon::Good, cx.view.messages.status.clone()),
    }
}
