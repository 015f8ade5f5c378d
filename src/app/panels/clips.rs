use super::PanelCx;
use crate::actions::list;
use crate::commands::Command;
use crate::theme::{font, size};
use crate::widgets::{Icon, RowList, header, label, paint_icon, quantity, text_elided, text_right, verdict_icon};
use egui::text::LayoutJob;
use egui::{Align2, Margin, Rect, Response, ScrollArea, Sense, TextEdit, Ui, Vec2, WidgetInfo, pos2};
use posepress_core::metrics::Verdict;
use posepress_core::session::{ClipId, Summary, TaskError};
use posepress_core::text;
use std::sync::Arc;

/// Height of a row.
const ROW: f32 = 24.0;

/// Every clip with its verdict, worst slide and size.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let total = cx.workspace.library().clip_ids().count();
    if !cx.narrow {
        let totals = cx.workspace.totals(cx.workspace.active_slot());
        let look = totals.failing + totals.warning;
        let fact = if look > 0 { format!("{total}   {look} need a look") } else { total.to_string() };
        header(ui, cx.theme, None, "Clips", LayoutJob::simple_singleline(fact, font(size::TICK), cx.theme.text3));
    }
    egui::Frame::new().inner_margin(Margin { left: 8, right: 8, top: 6, bottom: 4 }).show(ui, |ui| {
        filter(ui, cx);
    });
    if total == 0 {
        return empty(ui, cx);
    }
    let clips = found(cx);
    if clips.is_empty() {
        return no_hit(ui, cx);
    }
    column_heads(ui, cx);
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().id_salt("clips").auto_shrink(false).show_rows(ui, ROW, clips.len(), |ui, range| {
        let selected = clips.iter().position(|id| Some(*id) == cx.workspace.selected());
        let list = RowList::new(ui, "clips", selected, clips.len(), ROW);
        for index in range.clone() {
            let place = list.row(ui, index, &range);
            row(ui, cx, clips[index], place);
        }
        if let Some(row) = list.keys(ui, &range).moved {
            cx.push(Command::SelectClip(clips[row]));
        }
    });
}

/// Clips whose name holds what the filter says.
pub fn found(cx: &PanelCx<'_>) -> Vec<ClipId> {
    cx.workspace.library().clips_named(&cx.view.filters.clips)
}

fn name(cx: &PanelCx<'_>, id: ClipId) -> String {
    cx.workspace.library().clip(id).map(|(_, clip)| clip.name().to_owned()).unwrap_or_default()
}

fn filter(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let mut wanted = cx.view.filters.clips.clone();
    let edit = TextEdit::singleline(&mut wanted).hint_text("Filter by name").desired_width(f32::INFINITY);
    let response = ui.add(edit).on_hover_text("Show only clips whose name holds this.");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "Filter clips by name"));
    if response.changed() {
        cx.push(Command::FilterClips(wanted));
    }
}

fn empty(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.vertical_centered(|ui| {
        ui.add_space(16.0);
        label(ui, "No clips. Open or drop a file", size::BODY, cx.theme.text2);
        ui.add_space(8.0);
        for action in [&list::OPEN, &list::OPEN_SAMPLE] {
            cx.control(ui, action, |ui, _, help| ui.button(&*action.label).on_hover_text(help));
        }
    });
}

fn no_hit(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    ui.vertical_centered(|ui| {
        ui.add_space(16.0);
        label(ui, format!("No clip matches '{}'", cx.view.filters.clips), size::BODY, cx.theme.text2);
        if ui.button("Clear").clicked() {
            cx.push(Command::FilterClips(String::new()));
        }
    });
}

/// Right edges of the slide and size columns.
fn columns(cx: &PanelCx<'_>, rect: Rect) -> (f32, f32) {
    let size = rect.right() - 12.0;
    (size - if cx.narrow { 48.0 } else { 72.0 }, size)
}

fn column_heads(ui: &mut Ui, cx: &PanelCx<'_>) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 18.0), Sense::hover());
    let (slide, bytes) = columns(cx, rect);
    let y = rect.center().y;
    let (slide_head, bytes_head) = if cx.narrow { ("mm", "KB") } else { ("slide", "size") };
    let painter = ui.painter();
    let color = cx.theme.text3;
    painter.text(pos2(rect.left() + 30.0, y), Align2::LEFT_CENTER, "name", font(size::TICK), color);
    painter.text(pos2(slide, y), Align2::RIGHT_CENTER, slide_head, font(size::TICK), color);
    painter.text(pos2(bytes, y), Align2::RIGHT_CENTER, bytes_head, font(size::TICK), color);
}

fn row(ui: &mut Ui, cx: &mut PanelCx<'_>, id: ClipId, (rect, response): (Rect, Response)) {
    let theme = cx.theme;
    let name = name(cx, id);
    let selected = cx.workspace.selected() == Some(id);
    response.widget_info(|| WidgetInfo::selected(egui::Role::ListBoxOption, true, selected, name.clone()));
    let painter = ui.painter();
    if selected {
        painter.rect_filled(rect, 0.0, theme.selection);
        let bar = Rect::from_min_size(rect.min, Vec2::new(3.0, ROW));
        painter.rect_filled(bar, 0.0, theme.selection_line);
    } else if response.hovered() {
        painter.rect_filled(rect, 0.0, theme.hover);
    }
    let slot = cx.workspace.active_slot();
    let answer = cx.workspace.answer(id, slot);
    let fresh = cx.workspace.is_fresh(id, slot);
    let icon = Rect::from_min_size(pos2(rect.left() + 10.0, rect.top() + 6.0), Vec2::splat(12.0));
    let summary = answer.and_then(|a| a.summary.as_ref().ok());
    match (summary, answer) {
        (Some(s), _) if fresh => paint_icon(painter, icon, 12.0, verdict_icon(s.verdict), theme.verdict(s.verdict)),
        (None, Some(_)) if fresh => paint_icon(painter, icon, 12.0, Icon::Fail, theme.fail),
        _ => paint_icon(painter, icon, 11.0, Icon::Working, theme.text3),
    }
    let (slide_x, bytes_x) = columns(cx, rect);
    let room = slide_x - if cx.narrow { 34.0 } else { 52.0 };
    text_elided(painter, pos2(rect.left() + 30.0, rect.center().y), room, &name, size::BODY, theme.text1);
    if let Some(summary) = summary {
        numbers(ui, cx, rect.center().y, (slide_x, bytes_x), summary, fresh);
    }
    let response = response.on_hover_text(tooltip(cx, id, summary, answer.and_then(|a| a.summary.as_ref().err())));
    response.context_menu(|ui| {
        for action in [&list::MARK_LOOPING, &list::MARK_NOT_LOOPING, &list::LOOP_AS_FOUND, &list::CLOSE_FILE] {
            if ui.button(&*action.label).on_hover_text(action.tooltip(ui.ctx())).clicked() {
                // It may not be the selected clip, of which the action is asked then.
                cx.push(Command::SelectClip(id));
                cx.run(action);
                ui.close();
            }
        }
    });
    if response.clicked() {
        cx.push(Command::SelectClip(id));
    }
}

fn numbers(ui: &Ui, cx: &PanelCx<'_>, y: f32, (slide_x, bytes_x): (f32, f32), summary: &Summary, fresh: bool) {
    let theme = cx.theme;
    let color = |verdict| match (fresh, verdict) {
        (false, _) => theme.text3,
        (true, Verdict::Good) => theme.text2,
        (true, verdict) => theme.verdict(verdict),
    };
    let slide = summary.worst_slide_m.map_or(text::NOT_MEASURED.to_owned(), text::length);
    let bytes = text::bytes(summary.bytes as u64);
    let (slide, bytes) = if cx.narrow { (bare_mm(summary), bare_kb(summary)) } else { (slide, bytes) };
    let slide_color = color(if summary.worst_slide_m.is_some() { summary.verdict } else { Verdict::Good });
    text_right(ui.painter(), pos2(slide_x, y), quantity(theme, &slide, size::SMALL, slide_color));
    text_right(ui.painter(), pos2(bytes_x, y), quantity(theme, &bytes, size::SMALL, color(Verdict::Good)));
}

fn bare_mm(summary: &Summary) -> String {
    summary.worst_slide_m.map_or(text::NOT_MEASURED.to_owned(), |m| format!("{:.1}", m * 1000.0))
}

fn bare_kb(summary: &Summary) -> String {
    format!("{:.1}", summary.bytes as f32 / 1024.0)
}

fn tooltip(cx: &PanelCx<'_>, id: ClipId, summary: Option<&Summary>, error: Option<&Arc<TaskError>>) -> String {
    let Some((rig, clip)) = cx.workspace.library().clip(id) else { return String::new() };
    let mut out = format!(
        "{}\n{}, {} samples, {}, {}",
        clip.name(),
        rig.name,
        clip.samples(),
        text::rate(clip.grid().rate_hz()),
        text::duration(clip.duration_secs())
    );
    if clip.is_looping() {
        out.push_str(", loops");
    }
    if cx.workspace.loop_mark(id).is_some() {
        out.push_str(if clip.is_looping() { " as marked" } else { ", marked as not looping" });
    }
    if let Some(s) = summary {
        let ratio = s.raw_bytes as f32 / s.bytes as f32;
        out += &format!("\n{} bytes, {}", text::exact(s.bytes as u64), text::ratio(ratio));
        out += &format!("\nmax error {}", text::length(s.max_error_m));
    }
    if let Some(error) = error {
        out += &format!("\n{error}");
    }
    out
}
