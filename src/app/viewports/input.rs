use super::Figures;
use crate::app::commands::Command;
use crate::app::panels::PanelCx;
use crate::app::render::{Show, Side, ViewScene};
use crate::app::widgets::{Icon, paint_icon};
use egui::{CursorIcon, PointerButton, Pos2, Rect, Response, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};

/// A click this near to a joint picks it, points.
const PICK_RADIUS: f32 = 14.0;

/// Orbit, pan, dolly and picking in one viewport.
pub fn handle(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    figures: &Figures,
    scene: &ViewScene,
    rect: Rect,
    show: Show,
    id: u64,
) {
    let response = ui.interact(rect, ui.scope_id().with(("viewport", id)), Sense::click_and_drag());
    let name = match show {
        Show::Side(Side::Original) => "Viewport original",
        Show::Side(Side::Compressed) => "Viewport compressed",
        Show::Wipe { .. } => "Viewport wipe",
    };
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, name));
    drag(ui, cx, &response, rect);
    if response.hovered() {
        let scroll = ui.input(|i| i.smooth_scroll_delta().y + (i.zoom_delta() - 1.0) * 300.0);
        if scroll != 0.0 {
            let pointer = ui.ctx().pointer_hover_pos().unwrap_or(rect.center());
            let at = pointer - rect.min;
            cx.push(Command::Dolly { factor: (-scroll * 0.002).exp(), at, size: rect.size() });
        }
    }
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        let picked = pick(figures, scene, rect, show, pointer);
        cx.push(Command::SelectJoint(picked));
        if response.double_clicked() {
            cx.push(if picked.is_some() { Command::FrameSelection } else { Command::FrameAll });
        }
    }
}

fn drag(ui: &Ui, cx: &mut PanelCx<'_>, response: &Response, rect: Rect) {
    let by = |button| response.dragged_by(button);
    let delta = response.drag_delta();
    if delta == Vec2::ZERO {
        return;
    }
    let shift = ui.input(|i| i.modifiers.shift);
    if by(PointerButton::Secondary) || shift {
        cx.push(Command::Pan { delta, size: rect.size() });
    } else if by(PointerButton::Primary) || by(PointerButton::Middle) {
        cx.push(Command::Orbit { yaw_rad: -delta.x * 0.008, pitch_rad: delta.y * 0.008 });
    }
}

fn pick(figures: &Figures, scene: &ViewScene, rect: Rect, show: Show, pointer: Pos2) -> Option<usize> {
    let at = pointer - rect.min;
    let side = match show {
        Show::Side(side) => side,
        Show::Wipe { split } if at.x < split * rect.width() => Side::Original,
        Show::Wipe { .. } => Side::Compressed,
    };
    let pose = match side {
        Side::Original => &figures.raw,
        Side::Compressed => figures.decoded.as_ref().unwrap_or(&figures.raw),
    };
    let (at, size) = (glam::vec2(at.x, at.y), glam::vec2(rect.width(), rect.height()));
    scene.camera.pick_joint(&pose.joints, at, size, PICK_RADIUS)
}

/// The line of the wipe and its handle.
pub fn wipe_line(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) {
    let x = rect.left() + rect.width() * cx.view.settings.wipe;
    let grip = Rect::from_x_y_ranges((x - 8.0)..=(x + 8.0), rect.y_range());
    let response =
        ui.interact(grip, ui.scope_id().with("wipe"), Sense::drag()).on_hover_cursor(CursorIcon::ResizeHorizontal);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Slider, true, "Wipe line"));
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged()) {
        cx.push(Command::SetWipe((pointer.x - rect.left()) / rect.width()));
    }
    let painter = ui.painter();
    painter.vline(x, rect.y_range(), Stroke::new(2.0, egui::Color32::WHITE));
    let handle = pos2(x, rect.bottom() - rect.height() * 0.14);
    painter.circle(handle, 11.0, cx.theme.glass, Stroke::new(2.0, egui::Color32::WHITE));
    for (icon, dx) in [(Icon::StepBack, -4.0), (Icon::StepForward, 4.0)] {
        let at = Rect::from_center_size(handle + vec2(dx, 0.0), Vec2::splat(8.0));
        paint_icon(painter, at, 8.0, icon, egui::Color32::WHITE);
    }
}
