use super::PanelCx;
use crate::actions::list;
use crate::theme::{font, size};
use egui::{RichText, ScrollArea, Ui, Window};

/// The licences of all crates in the program. The same file is shipped with the program.
const THIRD_PARTY_NOTICES: &str = include_str!("../assets/third-party-notices.txt");

const ROW_HEIGHT: f32 = 16.0;

/// A sheet with the notices. Only visible lines are laid out.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if !cx.view.sheets.notices {
        return;
    }
    let mut open = true;
    let content = ui.ctx().content_rect();
    let area = egui::vec2(760.0, content.height() - 160.0).min(content.size() - egui::vec2(60.0, 100.0));
    let lines: Vec<&str> = THIRD_PARTY_NOTICES.lines().collect();
    let window = Window::new("Third-party notices").open(&mut open).collapsible(false).resizable(false);
    window.pivot(egui::Align2::CENTER_CENTER).fixed_pos(content.center()).fixed_size(area).show(ui.ctx(), |ui| {
        ScrollArea::both().auto_shrink(false).show_rows(ui, ROW_HEIGHT, lines.len(), |ui, rows| {
            for line in &lines[rows] {
                let words = RichText::new(*line).font(font(size::SMALL)).color(cx.theme.text2);
                ui.add_sized([0.0, ROW_HEIGHT], egui::Label::new(words).extend());
            }
        });
    });
    if !open {
        cx.run(&list::NOTICES);
    }
}
