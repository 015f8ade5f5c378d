use super::PanelCx;
use crate::commands::WindowCommand;
use crate::theme::{font, size};
use crate::widgets::{Icon, icon_button, label, paint_icon, right_group};
use egui::{Align, Frame, Layout, Margin, RichText, ScrollArea, Sense, Stroke, Ui, Vec2};
use posepress_core::text;

/// Largest share of the height for messages. More messages scroll.
const MOST_HEIGHT: f32 = 0.45;
const WIDTH: f32 = 640.0;

/// Messages above the viewports or lists, in their own area. They stay until they are closed.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if cx.view.messages.problems.is_empty() {
        return;
    }
    let most = (MOST_HEIGHT * ui.available_height()).max(96.0);
    let frame = Frame::new().fill(cx.theme.app).inner_margin(Margin { left: 12, right: 12, top: 8, bottom: 0 });
    egui::Panel::top("problems").resizable(false).frame(frame).show(ui, |ui| {
        count(ui, cx);
        let cards = ScrollArea::vertical().id_salt("problems").max_height(most).min_scrolled_height(most);
        cards.auto_shrink([false, true]).show(ui, |ui| {
            ui.set_max_width(WIDTH.min(ui.available_width()));
            for index in 0..cx.view.messages.problems.len() {
                card(ui, cx, index);
                ui.add_space(8.0);
            }
        });
    });
}

/// Number of messages, and a button that closes all. A single message has neither.
fn count(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let count = cx.view.messages.problems.len();
    if count < 2 {
        return;
    }
    ui.horizontal(|ui| {
        ui.set_max_width(WIDTH.min(ui.available_width()));
        label(ui, text::count(count, "message"), size::BODY, cx.theme.text1);
        right_group(ui, "close messages", |ui| {
            if ui.button("Close all").on_hover_text("Close all messages.").clicked() {
                cx.push(WindowCommand::DismissAll);
            }
        });
    });
    ui.add_space(4.0);
}

fn card(ui: &mut Ui, cx: &mut PanelCx<'_>, index: usize) {
    let theme = cx.theme;
    let problem = &cx.view.messages.problems[index];
    let (icon, color) = match problem.offers.is_empty() {
        false => (Icon::Warn, theme.warn),
        true => (Icon::Fail, theme.fail),
    };
    Frame::new()
        .fill(theme.panel)
        .stroke(Stroke::new(1.0, color))
        .corner_radius(6)
        .inner_margin(Margin::same(12))
        .show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let name = format!("Close message {}", index + 1);
                    if icon_button(ui, theme, Icon::Cross, false, &name, "Close. Esc").clicked() {
                        cx.push(WindowCommand::Dismiss(index));
                    }
                    if ui.button("Copy").on_hover_text("Copy the message.").clicked() {
                        ui.ctx().copy_text(format!("{}\n{}", problem.title, problem.detail));
                    }
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                        let (rect, _) = ui.allocate_exact_size(Vec2::splat(18.0), Sense::hover());
                        paint_icon(ui.painter(), rect, 16.0, icon, color);
                        let title = RichText::new(&problem.title).font(font(size::TITLE)).color(theme.text1);
                        ui.add(egui::Label::new(title).truncate());
                    });
                });
            });
            ui.label(RichText::new(&problem.detail).color(theme.text2));
            ui.horizontal_wrapped(|ui| {
                for (index, (words, command)) in problem.offers.iter().enumerate() {
                    let button = match index {
                        0 => egui::Button::new(RichText::new(words).color(theme.on_accent)).fill(theme.accent_fill),
                        _ => egui::Button::new(words),
                    };
                    if ui.add(button).clicked() {
                        cx.push(command.clone());
                    }
                }
            });
        });
}
