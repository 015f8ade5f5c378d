//! Files of the project that are not open, above the list of clips.

use super::PanelCx;
use crate::commands::{Command, FileCommand};
use crate::state::PendingState;
use crate::state::file_name;
use crate::theme::size;
use crate::widgets::{Icon, paint_icon, text_middle};
use egui::{Align, Layout, Rect, RichText, ScrollArea, Sense, Ui, UiBuilder, Vec2, WidgetInfo, pos2};
use std::path::Path;

/// Height of a row: the name, below it the reason and the buttons.
const ROW: f32 = 44.0;
/// Number of rows before the list scrolls.
const MOST_ROWS: usize = 3;

/// Height of the list.
pub fn height(cx: &PanelCx<'_>) -> f32 {
    ROW * files(cx).len().min(MOST_ROWS) as f32
}

fn files<'a>(cx: &PanelCx<'a>) -> Vec<(&'a Path, &'a PendingState)> {
    let pending = &cx.view.pending;
    let sources = pending.absent().map(|absent| (&*absent.source.path, &absent.state));
    sources.chain(pending.absent_external().map(|(file, state)| (&*file.path, state))).collect()
}

/// Shows a row for each file.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let files = files(cx);
    if files.is_empty() {
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let height = height(cx);
    let area = ScrollArea::vertical().id_salt("absent files").max_height(height).min_scrolled_height(height);
    area.auto_shrink([false, true]).show(ui, |ui| files.into_iter().for_each(|file| row(ui, cx, file)));
}

fn row(ui: &mut Ui, cx: &mut PanelCx<'_>, (path, state): (&Path, &PendingState)) {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::hover());
    let name = file_name(path);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("{name} {}", state.words())));
    ui.painter().rect_filled(rect, 0.0, cx.theme.head);
    let icon = Rect::from_min_size(pos2(rect.left() + 10.0, rect.top() + 5.0), Vec2::splat(12.0));
    paint_icon(ui.painter(), icon, 12.0, Icon::Warn, cx.theme.warn);
    let (left, right) = (rect.left() + 30.0, rect.right() - 8.0);
    text_middle(ui.painter(), pos2(left, rect.top() + 11.0), right, &name, size::SMALL, cx.theme.text1);
    let below = Rect::from_min_max(pos2(left, rect.top() + 21.0), pos2(right, rect.bottom() - 3.0));
    let (words, command) = offer(path, state);
    ui.scope_builder(UiBuilder::new().max_rect(below).layout(Layout::right_to_left(Align::Center)), |ui| {
        let button = |words: &str| egui::Button::new(RichText::new(words).size(size::TICK)).small();
        let help = "Remove the file from the project. Decisions about its clips stay.";
        if ui.add(button("Remove")).on_hover_text(help).clicked() {
            cx.push(FileCommand::RemovePending(path.to_path_buf()));
        }
        if ui.add(button(words)).on_hover_text(place(path, state)).clicked() {
            cx.push(command);
        }
        let text = RichText::new(state.words()).size(size::TICK).color(cx.theme.warn);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.add(egui::Label::new(text).truncate()));
    });
    response.on_hover_text(place(path, state));
}

/// Tooltip of a row: the path, and why the file is not open.
fn place(path: &Path, state: &PendingState) -> String {
    let path = path.display();
    match state {
        PendingState::Failed(reason) => format!("{path}\n{reason}"),
        state => format!("{path}\n{}", state.words()),
    }
}

/// Label and command of the button that locates or opens the file.
fn offer(path: &Path, state: &PendingState) -> (&'static str, Command) {
    match state {
        PendingState::NotFound | PendingState::Failed(_) => {
            ("Locate\u{2026}", Command::File(FileCommand::Locate(path.to_path_buf())))
        }
        _ => ("Open", Command::File(FileCommand::OpenPending(path.to_path_buf()))),
    }
}
