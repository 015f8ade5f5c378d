//! Zoom of values, by wheel and box. A double-click shows all.

use crate::actions::command_key;
use crate::commands::{CurveCommand, PlayCommand};
use crate::panels::PanelCx;
use crate::panels::time_axis::MIN_BOX;
use crate::panels::time_axis::TimeAxis;
use egui::{PointerButton, Pos2, Rect, Response, Stroke, StrokeKind, Ui};

/// Smallest and largest span of values: finer than any codec stores, larger than any track moves.
const SPANS: [f64; 2] = [1e-5, 1e6];

/// Help for the pointer, in two lines.
pub fn help(ctx: &egui::Context) -> String {
    let command = command_key(ctx);
    format!("{command}-wheel zooms the values, {command}-drag\nto a box. Double-click: back to all.")
}

/// Zooms by wheel and by box. Returns true while a box is drawn, so that the drag does not move the playhead.
pub fn handle(ui: &Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, area: Rect, scrub: &Response, values: [f64; 2]) -> bool {
    let pointer = ui.ctx().pointer_hover_pos().filter(|p| area.contains(*p) && scrub.contains_pointer());
    if let Some(pointer) = pointer {
        let factor = ui.input(|i| i.zoom_delta());
        if factor != 1.0 {
            let share = (area.bottom() - pointer.y) / area.height();
            cx.push(CurveCommand::ZoomCurves(Some(zoomed(values, share, factor))));
        } else if scrub.double_clicked() {
            cx.push(CurveCommand::ZoomCurves(None));
        }
    }
    boxed(ui, cx, axis, area, scrub, values)
}

/// Values after a zoom around the value at a share of the height.
fn zoomed([low, high]: [f64; 2], share: f32, factor: f32) -> [f64; 2] {
    let share = f64::from(share);
    let at = low + (high - low) * share;
    let span = ((high - low) / f64::from(factor)).clamp(SPANS[0], SPANS[1]);
    [at - span * share, at + span * (1.0 - share)]
}

fn boxed(ui: &Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, area: Rect, scrub: &Response, values: [f64; 2]) -> bool {
    let id = scrub.id.with("box of values");
    let begins = scrub.drag_started_by(PointerButton::Primary) && ui.input(|i| i.modifiers.command);
    let origin = ui.input(|i| i.pointer.press_origin()).filter(|p| begins && area.contains(*p));
    if let Some(origin) = origin {
        ui.data_mut(|d| d.insert_temp(id, origin));
    }
    let Some(start) = ui.data(|d| d.get_temp::<Pos2>(id)) else { return false };
    let end = scrub.interact_pointer_pos();
    if let Some(end) = end.filter(|_| scrub.dragged_by(PointerButton::Primary)) {
        let marked = Rect::from_two_pos(start, end).intersect(area);
        ui.painter().rect_filled(marked, 0.0, cx.theme.accent.gamma_multiply(0.18));
        ui.painter().rect_stroke(marked, 0.0, Stroke::new(1.0, cx.theme.accent), StrokeKind::Inside);
        return true;
    }
    ui.data_mut(|d| d.remove_temp::<Pos2>(id));
    if let Some(end) = end {
        zoom_to(cx, axis, area, Rect::from_two_pos(start, end).intersect(area), values);
    }
    true
}

/// Zooms to a box. A flat box zooms only time, a narrow one only values.
fn zoom_to(cx: &mut PanelCx<'_>, axis: &TimeAxis, area: Rect, marked: Rect, [low, high]: [f64; 2]) {
    if marked.width() > MIN_BOX {
        cx.push(PlayCommand::ZoomTimeline(axis.share_at(marked.left()), axis.share_at(marked.right())));
    }
    if marked.height() > MIN_BOX {
        let value = |y: f32| low + (high - low) * f64::from((area.bottom() - y) / area.height());
        let [from, to] = [value(marked.bottom()), value(marked.top())];
        cx.push(CurveCommand::ZoomCurves(Some([from, to.max(from + SPANS[0])])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_under_the_pointer_stays_where_it_is() {
        let [low, high] = zoomed([-10.0, 30.0], 0.25, 4.0);
        assert!((low - -2.5).abs() < 1e-9 && (high - 7.5).abs() < 1e-9, "{low} to {high}");
        assert_eq!(zoomed([low, high], 0.25, 0.25), [-10.0, 30.0]);
        let [low, high] = zoomed([0.0, 1.0], 0.5, 1e30);
        assert!((high - low - SPANS[0]).abs() < 1e-9, "never so near that numbers have no more digits");
    }
}
