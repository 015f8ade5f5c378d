//! Rows of pins in the timeline: one per pinned joint, one block per pin. Marked pins are filled, others are outlined.

use super::PanelCx;
use super::lane_row::{self, LANE, hatch};
use super::pins::{mark_of, set_marked};
use super::time_axis::TimeAxis;
use crate::commands::FindCommand;
use crate::theme::rounding;
use crate::widgets::Icon;
use egui::{Rect, Response, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use posepress_core::metrics::{PinDrift, PinMark, PinReport, Verdict};
use posepress_core::model::Rig;
use posepress_core::text;
use std::sync::Arc;

/// Largest number of shown joints, to leave room for the plots.
const MAX_LANES: usize = 4;

/// Height of all rows together. 0 without pins.
pub fn height(cx: &PanelCx<'_>) -> f32 {
    cx.report().map_or(0.0, |r| LANE * joints(&r.pins).len() as f32)
}

/// The pinned joints that are shown, those with marked pins first.
fn joints(report: &PinReport) -> Vec<usize> {
    let mut joints: Vec<_> = report.pins.iter().map(|pin| (!pin.marked, pin.joint)).collect();
    joints.sort_unstable();
    let mut shown = Vec::new();
    joints.into_iter().for_each(|(_, joint)| {
        if !shown.contains(&joint) {
            shown.push(joint);
        }
    });
    shown.truncate(MAX_LANES);
    shown
}

/// Returns true if a pin was clicked.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, rows: Rect) -> bool {
    let Some((report, (rig, _))) = cx.report().zip(cx.selected()) else { return false };
    let (report, rig) = (&report.pins, rig);
    let mut clicked = false;
    for (row, joint) in joints(report).into_iter().enumerate() {
        let top = rows.top() + LANE * row as f32;
        let lane = Rect::from_min_max(pos2(rows.left(), top), pos2(rows.right(), top + LANE));
        clicked |= show_lane(ui, cx, axis, lane, (report, rig), joint);
    }
    clicked
}

fn show_lane(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    axis: &TimeAxis,
    lane: Rect,
    (report, rig): (&PinReport, &Arc<Rig>),
    joint: usize,
) -> bool {
    lane_row::ground(ui, cx, axis, lane, Icon::Joint);
    let own: Vec<_> = report.pins.iter().enumerate().filter(|(_, pin)| pin.joint == joint).collect();
    let spaces: Vec<_> = own.iter().map(|(_, pin)| pin.on).collect();
    let name = match spaces.iter().all(|on| *on == spaces[0]) {
        true => format!("{} on {}", rig.skeleton.name(joint), spaces[0].name(&rig.skeleton)),
        false => rig.skeleton.name(joint).to_owned(),
    };
    lane_row::name(ui, cx, axis, lane, (&name, joint));
    if let Some((_, worst)) = own.iter().rev().max_by(|a, b| a.1.drift_m.total_cmp(&b.1.drift_m)) {
        lane_row::worst(ui, cx, lane, worst.drift_m, worst.verdict);
    }
    let duration_secs = cx.selected().map_or(0.0, |(_, clip)| clip.duration_secs());
    let mut clicked = false;
    for (index, pin) in own {
        for span in report.plan.pins[index].spans(duration_secs) {
            clicked |= show_pin(ui, cx, axis, lane, span, (index, pin));
        }
    }
    clicked
}

fn show_pin(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    axis: &TimeAxis,
    lane: Rect,
    (start_secs, end_secs): (f32, f32),
    (index, pin): (usize, &PinDrift),
) -> bool {
    let (from, to) = (axis.x_of_secs(start_secs), axis.x_of_secs(end_secs));
    let block = Rect::from_x_y_ranges(from..=to.max(from + 3.0), lane.y_range()).shrink2(vec2(0.0, 2.0));
    let block = block.intersect(axis.plot(lane));
    let Some((rig, _)) = cx.selected().filter(|_| block.is_positive()) else { return false };
    let mark = mark_of(rig, pin);
    let response = ui.interact(block, ui.scope_id().with(("pin", index, start_secs.to_bits())), Sense::click());
    let drift = text::length(pin.drift_m);
    response.widget_info(|| {
        let verdict = if pin.marked { format!("{:?}", pin.verdict) } else { "not marked".to_owned() };
        WidgetInfo::labeled(egui::Role::Button, true, format!("Pin {mark}, drifts {drift}, {verdict}"))
    });
    let is_under = (start_secs..=end_secs).contains(&cx.view.transport.time_secs);
    paint(ui, cx, block, pin, is_under);
    menu(cx, &response, &mark, pin.marked);
    let response = response.on_hover_text(tooltip(cx, &mark, pin));
    if response.clicked() {
        cx.push(FindCommand::ShowPin(index));
    }
    response.clicked()
}

fn paint(ui: &Ui, cx: &PanelCx<'_>, block: Rect, pin: &PinDrift, is_under: bool) {
    let theme = cx.theme;
    let painter = ui.painter().with_clip_rect(block);
    let color = if pin.marked { theme.verdict(pin.verdict) } else { theme.strong };
    if pin.marked {
        painter.rect_filled(block, rounding::LANE as f32, theme.verdict_fill(pin.verdict));
    }
    if pin.verdict == Verdict::Fail {
        hatch(&painter, block, color);
    }
    let outline = if is_under { Stroke::new(2.0, theme.text1) } else { Stroke::new(1.0, color) };
    painter.rect_stroke(block, rounding::LANE as f32, outline, StrokeKind::Inside);
}

fn menu(cx: &mut PanelCx<'_>, response: &Response, mark: &PinMark, is_marked: bool) {
    response.context_menu(|ui| {
        let (text, help) = match is_marked {
            true => ("Unmark pin", "Stop judging this pin."),
            false => ("Mark pin", "Judge and lock this pin in all clips with this recipe."),
        };
        if ui.button(text).on_hover_text(help).clicked() {
            set_marked(cx, mark, !is_marked);
        }
    });
}

fn tooltip(cx: &PanelCx<'_>, mark: &PinMark, pin: &PinDrift) -> String {
    let frames = cx.frames_of([pin.start_secs, pin.end_secs]);
    let judged = if pin.marked { "" } else { "\nNot judged. Right-click to mark it." };
    format!(
        "{} keeps still on {} from {frames}. Compressed, it drifts {}.\nIn the original it moves by {} there. Click to jump to its worst frame.{judged}",
        mark.joint,
        mark.on,
        text::length(pin.drift_m),
        text::length(pin.source_m),
    )
}
