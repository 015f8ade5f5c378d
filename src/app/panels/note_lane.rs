use super::time_axis::TimeAxis;
use super::{PanelCx, notes};
use crate::commands::ReviewCommand;
use crate::theme::{font, size};
use crate::widgets::{Icon, paint_icon, text_elided};
use egui::{Align2, Rect, Sense, Ui, Vec2, WidgetInfo, pos2};

/// Height of the row.
const LANE: f32 = 20.0;
/// Largest width of a note, points.
const WIDEST: f32 = 160.0;

/// Height of the row; 0 without notes.
pub fn height(cx: &PanelCx<'_>) -> f32 {
    let is_empty = cx.workspace.selected().is_none_or(|id| cx.workspace.notes(id).is_empty());
    if is_empty { 0.0 } else { LANE }
}

/// An icon per note, and as much of its text as fits before the next one. Returns true if a note was clicked.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, lane: Rect) -> bool {
    let (Some(id), Some((_, clip))) = (cx.workspace.selected(), cx.selected()) else { return false };
    let all = cx.workspace.notes(id);
    let (plot, theme) = (axis.plot(lane), cx.theme);
    if all.is_empty() || !lane.is_positive() {
        return false;
    }
    let at = pos2(lane.left() + 12.0, lane.center().y);
    ui.painter().text(at, Align2::LEFT_CENTER, "Notes", font(size::SMALL), theme.text2);
    let mut clicked = false;
    for (index, note) in all.iter().enumerate() {
        let x = axis.x_of_secs(note.at_secs);
        if !plot.x_range().contains(x) {
            continue;
        }
        let next = all.get(index + 1).map_or(plot.right(), |next| axis.x_of_secs(next.at_secs));
        let right = next.min(x + WIDEST).min(plot.right());
        let place = Rect::from_x_y_ranges(x - 6.0..=right.max(x + 8.0), lane.y_range());
        let response = ui.interact(place, ui.scope_id().with(("note", index)), Sense::click());
        let said = notes::place(cx, clip, note.at_secs, note.joint.as_deref());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Note {said}: {}", note.text)));
        let color = if response.hovered() { theme.text1 } else { theme.text2 };
        let icon = Rect::from_center_size(pos2(x, lane.center().y), Vec2::splat(12.0));
        paint_icon(ui.painter(), icon, 12.0, Icon::Note, theme.accent);
        text_elided(ui.painter(), pos2(x + 10.0, lane.center().y), right - 8.0, &note.text, size::TICK, color);
        let author = if note.author.is_empty() { String::new() } else { format!("\n{}", note.author) };
        clicked |= response.clicked();
        if response.on_hover_text(format!("{said}\n{}{author}", note.text)).clicked() {
            cx.push(ReviewCommand::ShowNote(index));
        }
    }
    clicked
}
