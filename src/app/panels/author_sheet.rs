use super::PanelCx;
use crate::commands::ReviewCommand;
use crate::theme::size;
use crate::widgets::label;
use egui::{Button, Frame, Id, Key, Margin, Modal, RichText, TextEdit, Ui, WidgetInfo, vec2};

const WIDTH: f32 = 420.0;
const FIELD: &str = "author";

/// The sheet that asks for the reviewer's name, before the first decision or to change it.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(sheet) = &cx.view.sheets.author else { return };
    let mut sheet = sheet.clone();
    let frame = Frame::popup(ui.style()).inner_margin(Margin::same(16));
    let mut is_done = false;
    let modal = Modal::new(Id::unique("who decides")).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 48.0));
        label(ui, "Your name", size::TITLE, cx.theme.text1);
        ui.add_space(8.0);
        let words = "Your name is saved with each decision, note and blind test, in the project and in its sign-off.";
        ui.label(RichText::new(words).color(cx.theme.text2));
        ui.add_space(8.0);
        let field = TextEdit::singleline(&mut sheet.name).id(Id::unique(FIELD)).desired_width(f32::INFINITY);
        let response = ui.add(field);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Name"));
        let is_entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if !is_entered && ui.memory(|memory| memory.focused()).is_none() {
            response.request_focus();
        }
        ui.add_space(12.0);
        ui.horizontal(|ui| {
            let is_named = !sheet.name.trim().is_empty();
            let words = RichText::new(sheet.button()).color(cx.theme.on_accent);
            let button = Button::new(words).fill(cx.theme.accent_fill).min_size(vec2(104.0, 28.0));
            let is_clicked = ui.add_enabled(is_named, button).on_hover_text("Enter").clicked();
            is_done = is_named && (is_clicked || is_entered);
            if ui.add(Button::new("Cancel").min_size(vec2(104.0, 28.0))).on_hover_text("Esc").clicked() {
                cx.push(ReviewCommand::AskAuthor(None));
            }
        });
    });
    if is_done {
        cx.push(ReviewCommand::SetAuthor(sheet.name.trim().to_owned()));
        cx.push(ReviewCommand::AskAuthor(None));
        sheet.then.into_iter().for_each(|decision| cx.push(decision));
    } else if modal.should_close() {
        cx.push(ReviewCommand::AskAuthor(None));
    } else if cx.view.sheets.author.as_ref().is_some_and(|shown| shown.name != sheet.name) {
        cx.push(ReviewCommand::AskAuthor(Some(sheet)));
    }
}
