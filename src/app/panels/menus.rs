//! The menus of the top bar.

use super::PanelCx;
use crate::actions::{Action, Menu, groups, list};
use crate::commands::FileCommand;
use egui::{Align, Layout, ScrollArea, Ui, Vec2};

/// Width of the menu bar.
const MENU_WIDTH: f32 = 236.0;
/// Width of a menu; the longest entry fits with its keys.
const MENU_ENTRY_WIDTH: f32 = 270.0;
/// Height that a menu leaves free in the window.
const MENU_MARGIN: f32 = 64.0;

/// The menu bar.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    // A menu bar takes all the width that it is given.
    ui.allocate_ui_with_layout(Vec2::new(MENU_WIDTH, 36.0), Layout::left_to_right(Align::Center), |ui| {
        egui::MenuBar::new().ui(ui, |ui| {
            for menu in Menu::ALL {
                ui.menu_button(menu.name(), |ui| {
                    ui.set_min_width(MENU_ENTRY_WIDTH);
                    let room = ui.ctx().content_rect().height() - MENU_MARGIN;
                    // By default a popup is at most 400 points high.
                    ui.set_max_height(room);
                    ScrollArea::vertical().max_height(room).show(ui, |ui| menu_entries(ui, cx, menu));
                });
            }
        });
    });
}

/// The groups of a menu, with a line between them.
fn menu_entries(ui: &mut Ui, cx: &mut PanelCx<'_>, menu: Menu) {
    let of_menu = groups().iter().filter(|group| group.first().is_some_and(|action| action.menu == menu));
    for (index, group) in of_menu.enumerate() {
        if index > 0 {
            ui.separator();
        }
        group_entries(ui, cx, group);
    }
}

/// The entries of a group. Actions of a submenu are one entry.
fn group_entries(ui: &mut Ui, cx: &mut PanelCx<'_>, group: &[&'static Action]) {
    for part in group.chunk_by(|a, b| a.submenu().is_some() && a.submenu() == b.submenu()) {
        match part[0].submenu() {
            Some(name) => cx.submenu(ui, name, |ui, cx| part.iter().for_each(|action| menu_entry(ui, cx, action))),
            None => menu_entry(ui, cx, part[0]),
        }
        if *part[0] == list::OPEN_SAMPLE {
            recent(ui, cx);
        }
    }
}

fn menu_entry(ui: &mut Ui, cx: &mut PanelCx<'_>, action: &'static Action) {
    if cx.entry(ui, action).clicked() {
        ui.close();
    }
}

fn recent(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let settings = &cx.view.settings;
    for (name, paths) in [("Open recent", &settings.recent), ("Recent projects", &settings.recent_projects)] {
        ui.add_enabled_ui(!paths.is_empty(), |ui| {
            cx.submenu(ui, name, |ui, cx| {
                for path in paths {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                        cx.push(FileCommand::Open(vec![path.clone()]));
                        ui.close();
                    }
                }
            });
        });
    }
}
