use super::PanelCx;
use crate::commands::WindowCommand;
use crate::manual::{self, Entry, Page};
use crate::state::Manual;
use crate::theme::size;
use crate::widgets::{Icon, icon_button, label};
use egui::mutex::Mutex;
use egui::{Align2, Button, Id, Rect, RichText, ScrollArea, TextEdit, Ui, UiBuilder, WidgetInfo, Window, vec2};
use egui_commonmark::{CommonMarkCache, CommonMarkViewer};
use std::sync::Arc;

/// Width of the list of pages.
const LIST: f32 = 230.0;
/// Height of the row with the field and the button *Back*.
const HEAD: f32 = 32.0;

/// The manual: the list of pages, and one page.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some(at) = &cx.view.sheets.manual else { return };
    let mut open = true;
    let content = ui.ctx().content_rect();
    let size = vec2(980.0, content.height() - 120.0).min(content.size() - vec2(60.0, 100.0));
    let window = Window::new("Manual").open(&mut open).collapsible(false).resizable(false);
    window.pivot(Align2::CENTER_CENTER).fixed_pos(content.center()).fixed_size(size).show(ui.ctx(), |ui| {
        let area = ui.available_rect_before_wrap();
        ui.allocate_rect(area, egui::Sense::hover());
        let list = area.with_max_x(area.left() + LIST);
        let page = area.with_min_x(list.right() + 16.0);
        inside(ui, "pages", list, |ui| pages(ui, cx, at));
        inside(ui, "page", page, |ui| {
            if ui.input(|i| i.key_pressed(egui::Key::Backspace)) && !ui.ctx().text_edit_focused() {
                turn_back(cx, at);
            }
            text(ui, cx, at);
        });
    });
    if !open {
        cx.push(WindowCommand::SetManual(None));
    }
}

fn inside(ui: &mut Ui, name: &str, place: Rect, contents: impl FnOnce(&mut Ui)) {
    ui.scope_builder(UiBuilder::new().id_salt(name).max_rect(place), |ui| {
        ui.shrink_clip_rect(place);
        contents(ui);
    });
}

fn turn_back(cx: &mut PanelCx<'_>, at: &Manual) {
    if let Some(back) = at.turned_back() {
        cx.push(WindowCommand::SetManual(Some(back)));
    }
}

/// The field that searches, and the pages that contain its words.
fn pages(ui: &mut Ui, cx: &mut PanelCx<'_>, at: &Manual) {
    ui.horizontal(|ui| {
        ui.set_height(HEAD - 8.0);
        let back = ui.add_enabled_ui(!at.back.is_empty(), |ui| {
            icon_button(ui, cx.theme, Icon::StepBack, false, "Back", "Turn back to the page before. Backspace")
        });
        if back.inner.clicked() {
            turn_back(cx, at);
        }
        let mut query = at.query.clone();
        let edit = TextEdit::singleline(&mut query).hint_text("Search").desired_width(f32::INFINITY);
        let response = ui.add(edit).on_hover_text("List the pages that contain all of these words.");
        response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Search the manual"));
        if response.changed() {
            cx.push(WindowCommand::SetManual(Some(Manual { query, ..at.clone() })));
        }
    });
    ui.add_space(4.0);
    let found = (!at.query.trim().is_empty()).then(|| manual::search(&at.query));
    if let Some(first) = found.iter().flatten().next().filter(|_| ui.input(|i| i.key_pressed(egui::Key::Enter))) {
        cx.push(WindowCommand::SetManual(Some(at.turned(first.path))));
    }
    ScrollArea::vertical().id_salt("pages").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        match found {
            None => manual::contents().for_each(|entry| match entry {
                Entry::Part(part) => {
                    ui.add_space(8.0);
                    label(ui, part, size::SMALL, cx.theme.text3);
                }
                Entry::Page(page) => page_entry(ui, cx, at, page),
            }),
            Some(pages) if pages.is_empty() => {
                label(ui, format!("No page contains '{}'", at.query), size::BODY, cx.theme.text2);
            }
            Some(pages) => {
                pages.into_iter().for_each(|page| page_entry(ui, cx, at, Page { is_below: false, ..page }));
            }
        }
    });
}

fn page_entry(ui: &mut Ui, cx: &mut PanelCx<'_>, at: &Manual, Page { title, path, is_below }: Page) {
    let is_on = at.path == path;
    ui.horizontal(|ui| {
        ui.add_space(if is_below { 12.0 } else { 0.0 });
        let words = RichText::new(title).size(size::BODY);
        let button = Button::new(words).selected(is_on).frame_when_inactive(false).truncate();
        let response = ui.add_sized(vec2(ui.available_width(), 22.0), button.right_text(""));
        response.widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, true, is_on, title));
        if response.clicked() && !is_on {
            cx.push(WindowCommand::SetManual(Some(at.turned(path))));
        }
    });
}

/// The page. Links to other pages turn to them.
fn text(ui: &mut Ui, cx: &mut PanelCx<'_>, at: &Manual) {
    let cache =
        ui.data_mut(|data| data.get_temp_mut_or_default::<Arc<Mutex<CommonMarkCache>>>(Id::unique("manual")).clone());
    let mut cache = cache.lock();
    let links: Vec<(&str, String)> = manual::text(&at.path)
        .into_iter()
        .flat_map(manual::links)
        .map(|link| (link, manual::target(&at.path, link)))
        .filter(|(_, target)| manual::text(target).is_some())
        .collect();
    cache.link_hooks_clear();
    links.iter().for_each(|(link, _)| cache.add_link_hook(*link));
    let area = ScrollArea::vertical().id_salt(&at.path).auto_shrink(false);
    area.show(ui, |ui| {
        ui.set_max_width(ui.available_width() - 12.0);
        CommonMarkViewer::new().show(ui, &mut cache, &manual::shown(&at.path));
        ui.add_space(24.0);
    });
    let clicked = links.into_iter().find(|(link, _)| cache.get_link_hook(link) == Some(true));
    if let Some((_, target)) = clicked {
        cx.push(WindowCommand::SetManual(Some(at.turned(target))));
    }
}
