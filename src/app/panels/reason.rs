//! The field for the reason of a rejection.

use super::PanelCx;
use crate::commands::ReviewCommand;
use crate::theme::size;
use crate::widgets::label;
use egui::{Align2, Area, Frame, Id, Key, Margin, Order, TextEdit, Ui, Vec2, WidgetInfo};

/// Width of the field outside the Review tab.
const WIDTH: f32 = 320.0;
/// Offset from the upper right corner, below the top bar.
const BELOW_BAR: Vec2 = Vec2::new(-12.0, 54.0);

/// The field, while a reason is asked for.
pub fn field(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(reason) = &cx.view.review.reason else { return };
    let mut text = reason.clone();
    let edit = TextEdit::singleline(&mut text).id(Id::unique("reason")).desired_width(f32::INFINITY);
    let response = ui.add(edit.hint_text("Why rejected? (optional)"));
    response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Reason"));
    let response = response.on_hover_text("Enter rejects the clip with this note. Esc leaves it undecided.");
    if response.changed() {
        cx.push(ReviewCommand::SetReason(Some(text)));
    }
    if !response.lost_focus() {
        if !response.has_focus() {
            response.request_focus();
        }
    } else if ui.input(|input| input.key_pressed(Key::Enter)) {
        cx.push(ReviewCommand::Reject);
    } else {
        let is_left = !ui.input(|input| input.key_pressed(Key::Escape)) && !reason.is_empty();
        is_left.then(|| cx.push(ReviewCommand::WriteNote(reason.clone()))); // it stays as the note
        cx.push(ReviewCommand::SetReason(None));
    }
}

/// The field below the top bar, for other tabs than Review.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if cx.view.review.reason.is_none() {
        return;
    }
    let area = Area::new(Id::unique("reason area")).order(Order::Foreground).anchor(Align2::RIGHT_TOP, BELOW_BAR);
    area.show(ui.ctx(), |ui| {
        Frame::popup(ui.style()).inner_margin(Margin::same(8)).show(ui, |ui| {
            ui.set_width(WIDTH);
            let name = cx.selected().map_or(String::new(), |(_, clip)| format!("Reject {}", clip.name()));
            label(ui, name, size::SMALL, cx.theme.text2);
            field(ui, cx);
        });
    });
}
