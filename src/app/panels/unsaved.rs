use super::PanelCx;
use crate::commands::ProjectCommand;
use crate::state::LeavingAnswer;
use crate::state::file_name;
use crate::theme::size;
use crate::widgets::label;
use egui::{Button, Frame, Id, Key, Margin, Modal, Modifiers, RichText, Ui, vec2};

const WIDTH: f32 = 460.0;

/// The question about unsaved changes, before a project is left.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (Some(leaving), Some(path)) = (&cx.view.unsaved.asked, &cx.view.project) else { return };
    let frame = Frame::popup(ui.style()).inner_margin(Margin::same(16));
    let mut answer =
        ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter)).then_some(LeavingAnswer::Save);
    let modal = Modal::new(Id::unique("unsaved")).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 48.0));
        label(ui, format!("Save the changes to {}?", file_name(path)), size::TITLE, cx.theme.text1);
        ui.add_space(8.0);
        ui.label(RichText::new(leaving.words()).color(cx.theme.text2));
        ui.add_space(12.0);
        ui.horizontal(|ui| {
            let save = RichText::new("Save").color(cx.theme.on_accent);
            for (button, help, of) in [
                (Button::new(save).fill(cx.theme.accent_fill), "Enter", LeavingAnswer::Save),
                (Button::new("Do not save"), leaving.without_saving(), LeavingAnswer::Discard),
                (Button::new("Cancel"), "Esc", LeavingAnswer::Stay),
            ] {
                if ui.add(button.min_size(vec2(104.0, 28.0))).on_hover_text(help).clicked() {
                    answer = Some(of);
                }
            }
        });
    });
    let stay = modal.should_close().then_some(LeavingAnswer::Stay);
    if let Some(answer) = answer.or(stay) {
        cx.push(ProjectCommand::LeaveProject(answer));
    }
}
