use super::PanelCx;
use crate::actions::{Menu, actions, held_keys, key_text, list};
use crate::commands::WindowCommand;
use crate::state::KeymapChoice;
use crate::theme::size;
use crate::widgets::{label, segment};
use egui::{Align, Layout, RichText, ScrollArea, Ui, Window, vec2};

/// Width of the column of keys.
const KEY_COLUMN: f32 = 150.0;

/// Every key on one sheet, made from the list of actions.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    if !cx.view.sheets.keys {
        return;
    }
    let mut open = true;
    let content = ui.ctx().content_rect();
    let size = egui::vec2(720.0, content.height() - 160.0).min(content.size() - egui::vec2(60.0, 100.0));
    let window = Window::new("All keys").open(&mut open).collapsible(false).resizable(false);
    window.pivot(egui::Align2::CENTER_CENTER).fixed_pos(content.center()).fixed_size(size).show(ui.ctx(), |ui| {
        sets(ui, cx);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for menu in Menu::ALL {
                sheet(ui, cx, menu);
            }
            label(ui, "Pointer and held keys", size::SMALL, cx.theme.text3);
            for (key, help) in held_keys(ui.ctx()) {
                row(ui, cx, &key, help);
            }
        });
    });
    if !open {
        cx.run(&list::ALL_KEYS);
    }
}

/// The sets of keys; the one in use is highlighted.
fn sets(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.horizontal(|ui| {
        label(ui, "Keys as in", size::SMALL, cx.theme.text2);
        for choice in KeymapChoice::ALL {
            let help = match choice {
                KeymapChoice::Own => {
                    "Keys of the file keys.toml, which is made with all commands and read again at each click."
                }
                _ => "Use these keys. Held keys and the pointer stay the same.",
            };
            let is_on = cx.view.settings.keymap == choice;
            if segment(ui, cx.theme, is_on, "", choice.name(), help).clicked() {
                cx.push(WindowCommand::UseKeys(choice));
            }
        }
    });
    ui.add_space(6.0);
}

fn sheet(ui: &mut Ui, cx: &PanelCx<'_>, menu: Menu) {
    label(ui, menu.name(), size::SMALL, cx.theme.text3);
    for action in actions().iter().filter(|action| action.menu == menu) {
        let keys: Vec<String> = action.keys_now(ui.ctx()).iter().map(|key| key_text(ui.ctx(), key)).collect();
        if keys.is_empty() {
            continue;
        }
        let only = action.keyed_at().map_or(String::new(), |main_tab| format!(" Only in {}.", main_tab.name()));
        row(ui, cx, &keys.join("   "), &format!("{}: {}{only}", action.label, action.help));
    }
    ui.add_space(6.0);
}

fn row(ui: &mut Ui, cx: &PanelCx<'_>, key: &str, help: &str) {
    ui.horizontal_top(|ui| {
        let column = vec2(KEY_COLUMN, 16.0);
        ui.allocate_ui_with_layout(column, Layout::left_to_right(Align::Min), |ui| {
            ui.set_min_width(KEY_COLUMN);
            ui.label(RichText::new(key).color(cx.theme.text1));
        });
        ui.add(egui::Label::new(RichText::new(help).color(cx.theme.text2)).wrap());
    });
}
