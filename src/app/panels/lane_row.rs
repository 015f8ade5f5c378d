//! Parts that rows of contacts and of pins share.

use super::time_axis::TimeAxis;
use super::{PanelCx, joints};
use crate::commands::JointCommand;
use crate::theme::size;
use crate::widgets::{Icon, paint_icon, quantity, text_middle, text_right};
use egui::{Color32, Painter, Rect, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};
use posepress_core::metrics::Verdict;
use posepress_core::text;

/// Height of a row.
pub const LANE: f32 = 20.0;

/// Background and icon of a row.
pub fn ground(ui: &Ui, cx: &PanelCx<'_>, axis: &TimeAxis, lane: Rect, icon: Icon) {
    let painter = ui.painter();
    painter.rect_filled(axis.plot(lane).shrink2(vec2(0.0, 1.0)), 2.0, cx.theme.lane);
    let rect = Rect::from_min_size(pos2(lane.left() + 12.0, lane.top() + 4.0), Vec2::splat(12.0));
    paint_icon(painter, rect, 12.0, icon, cx.theme.text2);
}

/// Name of a row and its joint, left of the plot. A click selects the joint, and a right-click has its menu.
pub fn name(ui: &Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, lane: Rect, (name, joint): (&str, usize)) {
    let place = lane.with_max_x(axis.x.min - 4.0);
    let response = ui.interact(place, ui.scope_id().with(("name of row", name)), Sense::CLICK);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("Joint {name}")));
    if response.clicked() {
        cx.push(JointCommand::SelectJoint(Some(joint)));
    }
    joints::menu(cx, &response, joint);
    let color = if cx.view.selection.joint == Some(joint) { cx.theme.text1 } else { cx.theme.text2 };
    text_middle(ui.painter(), pos2(lane.left() + 32.0, lane.center().y), axis.x.min - 4.0, name, size::SMALL, color);
}

/// Largest length of a row, right of the plot, in the colour of its verdict.
pub fn worst(ui: &Ui, cx: &PanelCx<'_>, lane: Rect, length_m: f32, verdict: Verdict) {
    let color = if verdict == Verdict::Good { cx.theme.text2 } else { cx.theme.verdict(verdict) };
    let job = quantity(cx.theme, &text::length(length_m), size::TICK, color);
    text_right(ui.painter(), pos2(lane.right() - 8.0, lane.center().y), job);
}

/// Diagonal lines, so that a failing contact shows by pattern, not only by colour.
pub fn hatch(painter: &Painter, block: Rect, color: Color32) {
    let stroke = Stroke::new(1.0, color.gamma_multiply(0.45));
    let mut x = block.left() - block.height();
    while x < block.right() {
        painter.line_segment([pos2(x, block.bottom()), pos2(x + block.height(), block.top())], stroke);
        x += 5.0;
    }
}
