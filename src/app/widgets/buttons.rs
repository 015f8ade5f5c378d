use super::icon::{Icon, paint_icon};
use super::text::text_elided;
use crate::theme::{Theme, font, rounding, size};
use egui::{Button, Color32, Rect, Response, RichText, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2};

/// A square button with a painted icon. `name` is its accessible name, `help` its tooltip.
pub fn icon_button(ui: &mut Ui, theme: &Theme, icon: Icon, primary: bool, name: &str, help: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(if primary { 32.0 } else { 26.0 }, 26.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, ui.is_enabled(), name));
    let (fill, outline, text) = match (primary, response.hovered()) {
        (true, _) => (theme.accent_fill, theme.accent_fill, theme.on_accent),
        (false, true) => (theme.hover, theme.strong, theme.text1),
        (false, false) => (theme.raised, theme.stroke, theme.text1),
    };
    ui.painter().rect(rect, rounding::WIDGET as f32, fill, Stroke::new(1.0, outline), StrokeKind::Inside);
    let text = if icon == Icon::Reset { theme.accent } else { text };
    let color = if ui.is_enabled() { text } else { theme.text3 };
    paint_icon(ui.painter(), rect, 12.0, icon, color);
    response.on_hover_text(help)
}

/// One of a row of exclusive choices. Its key is shown before the name.
pub fn segment(ui: &mut Ui, theme: &Theme, on: bool, key: &str, name: &str, help: &str) -> Response {
    let color = if on { theme.text1 } else { theme.text2 };
    let mut job = egui::text::LayoutJob::default();
    if !key.is_empty() {
        let format = egui::TextFormat::simple(crate::theme::font(size::TICK), theme.text3);
        job.append(key, 0.0, format);
    }
    let lead = if key.is_empty() { 0.0 } else { 6.0 };
    job.append(name, lead, egui::TextFormat::simple(crate::theme::font(size::SMALL), color));
    let fill = if on { theme.selection } else { theme.raised };
    let outline = if on { theme.selection_line } else { theme.stroke };
    let button = Button::new(job).fill(fill).stroke(Stroke::new(1.0, outline)).min_size(Vec2::new(0.0, 24.0));
    let response = ui.add(button).on_hover_text(help);
    response.widget_info(|| WidgetInfo::selected(egui::Role::RadioButton, ui.is_enabled(), on, name));
    response
}

/// A button as wide as its room, with an icon before its name and its key in weak text at the end.
pub fn wide_button(
    ui: &mut Ui,
    theme: &Theme,
    (icon, color): (Icon, Color32),
    (name, key): (&str, &str),
    help: &str,
) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 34.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, ui.is_enabled(), name));
    let (fill, outline) = match response.hovered() {
        true => (theme.hover, theme.strong),
        false => (theme.raised, theme.stroke),
    };
    let (color, text) = if ui.is_enabled() { (color, theme.text1) } else { (theme.text3, theme.text3) };
    let painter = ui.painter();
    painter.rect(rect, rounding::WIDGET as f32, fill, Stroke::new(1.0, outline), StrokeKind::Inside);
    let y = rect.center().y;
    paint_icon(painter, Rect::from_center_size(pos2(rect.left() + 18.0, y), Vec2::splat(14.0)), 13.0, icon, color);
    let (left, right) = (rect.left() + 32.0, rect.right() - 10.0);
    let words = painter.layout_no_wrap(name.to_owned(), font(size::BODY), text);
    let keys = painter.layout_no_wrap(key.to_owned(), font(size::TICK), theme.text3);
    // The tooltip has the key too.
    if left + words.size().x + 8.0 + keys.size().x <= right {
        painter.galley(pos2(right - keys.size().x, y - keys.size().y / 2.0), keys, theme.text3);
    }
    text_elided(painter, pos2(left, y), right, name, size::BODY, text);
    response.on_hover_text(help)
}

/// A plain button, 24 points high, with its key in weak text.
pub fn tool_button(ui: &mut Ui, theme: &Theme, name: &str, key: &str, help: &str) -> Response {
    let mut button = Button::new(RichText::new(name).size(size::SMALL)).min_size(Vec2::new(0.0, 24.0));
    if !key.is_empty() {
        button = button.right_text(RichText::new(key).size(size::TICK).color(theme.text3));
    }
    let response = ui.add(button).on_hover_text(help);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, ui.is_enabled(), name));
    response
}
