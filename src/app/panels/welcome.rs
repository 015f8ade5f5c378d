use super::PanelCx;
use crate::actions::{TOURS_MENU, actions, list};
use crate::commands::{FileCommand, WindowCommand};
use crate::manual::{CHANGES, FIRST_PAGE};
use crate::state::{Manual, file_name};
use crate::theme::size;
use crate::widgets::label;
use egui::{Button, Rect, RichText, Stroke, Ui, UiBuilder, WidgetInfo, vec2};
use posepress_core::import::readable_kinds;
use std::path::PathBuf;

/// Largest number of recent files and projects in the list.
const RECENT: usize = 6;
/// Width of the contents.
const WIDTH: f32 = 480.0;

/// The start of a window without clips: where to drop files, what to open, recent files and the manual.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, area: Rect) {
    let frame = area.shrink(32.0);
    let corners = [frame.left_top(), frame.right_top(), frame.right_bottom(), frame.left_bottom(), frame.left_top()];
    ui.painter().extend(egui::Shape::dashed_line(&corners, Stroke::new(1.5, cx.theme.strong), 8.0, 6.0));
    let recent = recent(cx);
    let height = 160.0 + if recent.is_empty() { 0.0 } else { 30.0 + 22.0 * recent.len() as f32 };
    let place = Rect::from_center_size(area.center(), vec2(WIDTH.min(frame.width() - 16.0), height)).intersect(frame);
    ui.scope_builder(UiBuilder::new().id_salt("welcome").max_rect(place), |ui| {
        ui.shrink_clip_rect(frame);
        ui.vertical_centered(|ui| {
            label(ui, "Drop files here", size::TITLE, cx.theme.text1);
            label(ui, readable_kinds(), size::BODY, cx.theme.text3);
            ui.add_space(10.0);
        });
        row(ui, "open", |ui| {
            for action in [&list::OPEN, &list::OPEN_PROJECT, &list::OPEN_SAMPLE] {
                cx.control(ui, action, |ui, _, help| ui.button(&*action.label).on_hover_text(help));
            }
        });
        recent_rows(ui, cx, &recent);
        ui.add_space(10.0);
        row(ui, "watch", |ui| {
            label(ui, "Tours:", size::BODY, cx.theme.text3);
            for action in actions().iter().copied().filter(|action| action.submenu() == Some(TOURS_MENU)) {
                ui.add_space(8.0);
                let name = action.label.trim_start_matches("Tour: ").to_owned();
                if ui.link(name).on_hover_text(&*action.help).clicked() {
                    cx.run(action);
                }
            }
        });
        row(ui, "read", |ui| {
            for (words, page) in [("First clip", FIRST_PAGE), ("What changed", CHANGES)] {
                if ui.link(words).on_hover_text("Opens this page of the manual.").clicked() {
                    cx.push(WindowCommand::SetManual(Some(Manual::at(page))));
                }
                ui.add_space(8.0);
            }
            if ui.link("All keys").on_hover_text(&*list::ALL_KEYS.help).clicked() {
                cx.run(&list::ALL_KEYS);
            }
        });
    });
}

/// A row in the middle. Its width is that of the last frame.
fn row(ui: &mut Ui, name: &str, contents: impl FnOnce(&mut Ui)) {
    let id = ui.scope_id().with(("width", name));
    let known: f32 = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let shown = ui.horizontal(|ui| {
        ui.add_space(((ui.available_width() - known) / 2.0).max(0.0));
        ui.scope(|ui| ui.horizontal(contents)).response.rect.width()
    });
    if (shown.inner - known).abs() > 0.5 {
        ui.data_mut(|data| data.insert_temp(id, shown.inner));
        ui.ctx().request_discard("a row in the middle has another width");
    }
}

/// Projects, then files, each latest first.
fn recent(cx: &PanelCx<'_>) -> Vec<PathBuf> {
    let settings = &cx.view.settings;
    settings.recent_projects.iter().chain(&settings.recent).take(RECENT).cloned().collect()
}

fn recent_rows(ui: &mut Ui, cx: &mut PanelCx<'_>, recent: &[PathBuf]) {
    if recent.is_empty() {
        return;
    }
    ui.add_space(10.0);
    label(ui, "Recent", size::SMALL, cx.theme.text3);
    ui.spacing_mut().item_spacing.y = 0.0;
    for path in recent {
        let name = file_name(path);
        let folder = path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
        let words = RichText::new(&name).size(size::BODY).color(cx.theme.text1);
        let place = RichText::new(folder).size(size::SMALL).color(cx.theme.text3);
        let button = Button::new((words, place)).frame_when_inactive(false).truncate().min_size(vec2(WIDTH, 22.0));
        let response = ui.add(button).on_hover_text(path.display().to_string());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Open {name}")));
        if response.clicked() {
            cx.push(FileCommand::Open(vec![path.clone()]));
        }
    }
}
