//! The picked recipe against the current sizes, clip by clip.

use super::super::PanelCx;
use crate::commands::ClipCommand;
use crate::theme::{font, size};
use crate::widgets::text_middle;
use egui::{Align2, Color32, Rect, Sense, Ui, Vec2, WidgetInfo, pos2, vec2};
use posepress_core::study::StudyPoint;
use posepress_core::text;

const ROW: f32 = 26.0;
/// Largest number of listed clips.
const LISTED: usize = 40;
/// Width of both sizes right of the bars.
const FIGURES: f32 = 104.0;

/// One row per clip: its current size and its size with the picked recipe, largest first.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, point: &StudyPoint) {
    let slot = cx.workspace.active_slot();
    let now = |id| cx.workspace.answer(id, slot).and_then(|answer| Some(answer.report.as_ref().ok()?.bytes as u64));
    let studied = cx.workspace.studied_ids();
    let mut rows: Vec<_> = studied.iter().zip(&point.clips).map(|(id, of)| (*id, now(*id), of.figures.bytes)).collect();
    rows.sort_by_key(|(id, now, picked)| (std::cmp::Reverse(now.unwrap_or(0).max(*picked)), *id));
    let largest = rows.first().map_or(1, |(_, now, picked)| now.unwrap_or(0).max(*picked)).max(1);
    for (id, now, picked) in rows.iter().take(LISTED) {
        let Some((_, clip)) = cx.workspace.library().clip(*id) else { continue };
        let (rect, response) = ui.allocate_exact_size(Vec2::new(ui.available_width(), ROW), Sense::click());
        let [before, after] = [now.map_or(text::NOT_MEASURED.into(), text::bytes), text::bytes(*picked)];
        let spoken = format!("{}: {before} now, {after} picked", clip.name());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &spoken));
        let (painter, theme) = (ui.painter(), cx.theme);
        if response.hovered() {
            painter.rect_filled(rect, 3.0, theme.hover);
        }
        let names = rect.left() + 0.42 * (rect.width() - FIGURES);
        text_middle(painter, rect.left_center(), names - 6.0, clip.name(), size::SMALL, theme.text1);
        let bars = Rect::from_min_max(pos2(names, rect.top() + 6.0), pos2(rect.right() - FIGURES, rect.bottom() - 6.0));
        let bar = |top: f32, bytes: u64, color: Color32| {
            let width = bars.width() * bytes as f32 / largest as f32;
            painter.rect_filled(Rect::from_min_size(pos2(bars.left(), top), vec2(width.max(1.0), 5.0)), 1.0, color);
        };
        bar(bars.top(), now.unwrap_or(0), theme.text3);
        bar(bars.top() + 8.0, *picked, theme.compressed);
        for (right, words, color) in [(52.0, &before, theme.text3), (0.0, &after, theme.text1)] {
            let at = pos2(rect.right() - right, rect.center().y);
            painter.text(at, Align2::RIGHT_CENTER, words, font(size::TICK), color);
        }
        if response.on_hover_text(format!("{spoken}. Click to look at it.")).clicked() {
            cx.push(ClipCommand::SelectClip(*id));
        }
    }
    if rows.len() > LISTED {
        let rest = text::count(rows.len() - LISTED, "smaller clip");
        crate::widgets::label(ui, format!("and {rest}"), size::TICK, cx.theme.text3);
    }
}
