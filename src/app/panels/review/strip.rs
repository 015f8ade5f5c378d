//! Error over time of the clip under review, with the contacts of its worst foot.

use super::super::lane_row::LANE;
use super::super::time_axis::TimeAxis;
use super::super::{PanelCx, error_plot, lanes};
use crate::commands::PlayCommand;
use egui::{Rangef, Rect, Sense, Stroke, Ui, WidgetInfo, vec2};

/// Height of the plot.
const PLOT: f32 = 104.0;
/// Space for names left of the plot, and for numbers right of it.
const BESIDE: [f32; 2] = [96.0, 56.0];

/// Height of the strip; 0 without results.
pub fn height(cx: &PanelCx<'_>) -> f32 {
    match cx.report() {
        Some(_) => PLOT + if worst_foot(cx).is_some() { LANE + 8.0 } else { 0.0 },
        None => 0.0,
    }
}

/// The foot that slides most.
fn worst_foot(cx: &PanelCx<'_>) -> Option<usize> {
    Some(cx.report()?.slide.worst()?.foot)
}

/// Plot and contacts. A click or a drag moves the playhead.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let (Some((_, clip)), Some(report)) = (cx.selected(), cx.report()) else { return };
    let area = ui.available_rect_before_wrap();
    let [left, right] = BESIDE;
    let x = Rangef::new(area.left() + left, (area.right() - right).max(area.left() + left + 20.0));
    let axis = TimeAxis::new(x, clip.grid(), (0.0, 1.0));
    let scrub = ui.interact(area, ui.scope_id().with("strip"), Sense::click_and_drag());
    scrub.widget_info(|| WidgetInfo::labeled(egui::Role::Slider, true, "Error over time"));
    let (plot, lane) = area.split_top_bottom_at_y((area.top() + PLOT).min(area.bottom()));
    error_plot::show(ui, cx, &axis, plot);
    let lane = Rect::from_min_size(lane.min + vec2(0.0, 4.0), vec2(lane.width(), LANE));
    let is_taken = worst_foot(cx).is_some_and(|foot| lanes::show_lane(ui, cx, &axis, lane, &report.slide, foot));
    let playhead = axis.x_of_secs(cx.view.transport.time_secs);
    ui.painter().vline(playhead, area.y_range(), Stroke::new(1.5, cx.theme.accent));
    let pointer = scrub.interact_pointer_pos().filter(|_| !is_taken && (scrub.clicked() || scrub.dragged()));
    if let Some(pointer) = pointer.filter(|at| axis.x.contains(at.x) || scrub.dragged()) {
        cx.push(PlayCommand::Seek(axis.snapped_secs(pointer.x)));
    }
}
