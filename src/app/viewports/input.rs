use super::place::SceneRect;
use crate::actions::{action_of, list};
use crate::commands::{CameraCommand, DrawCommand, JointCommand};
use crate::panels::PanelCx;
use crate::render::{Side, ViewScene};
use crate::widgets::{Icon, focus, paint_icon};
use egui::{CursorIcon, Key, PointerButton, Pos2, Rect, Response, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};
use posepress_core::view::CameraPreset;

/// Largest distance from a click to the joint that it selects, points.
pub const PICK_RADIUS: f32 = 14.0;
/// Step of the wipe line per arrow key, as a fraction of the viewport.
const WIPE_STEP: f32 = 0.02;
/// Camera rotation per arrow key: 5 degrees.
const KEY_TURN_RAD: f32 = 0.0873;

/// Orbit, pan, dolly and picking in one viewport.
pub fn handle(ui: &mut Ui, cx: &mut PanelCx<'_>, scene: &ViewScene, place: SceneRect) {
    let SceneRect { rect, name, .. } = place;
    let response = ui.interact(rect, ui.scope_id().with(("viewport", name)), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, format!("Viewport {name}")));
    let pointer = ui.ctx().pointer_hover_pos().unwrap_or(rect.center());
    let side = place.side_at(pointer.x);
    steer(ui, cx, &response, rect, side);
    response.context_menu(|ui| {
        let looks = CameraPreset::ALL.map(|preset| CameraCommand::LookFrom(preset).into());
        let framing = [&list::FRAME_ALL, &list::FRAME_SELECTION, &list::GO_WORST, &list::GO_WORST_CONTACT];
        for action in framing.into_iter().chain(looks.iter().filter_map(action_of)).chain([&list::ONE_CAMERA]) {
            cx.entry(ui, action);
        }
    });
    keys(ui, cx, &response, side);
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        let picked = pick(scene, rect, place.side_at(pointer.x), pointer, PICK_RADIUS);
        cx.push(JointCommand::SelectJoint(picked));
        if response.double_clicked() {
            cx.run(if picked.is_some() { &list::FRAME_SELECTION } else { &list::FRAME_ALL });
        }
    }
}

/// Orbit, pan and dolly.
pub fn steer(ui: &Ui, cx: &mut PanelCx<'_>, response: &Response, rect: Rect, side: Side) {
    drag(ui, cx, response, rect, side);
    if !response.hovered() {
        return;
    }
    let scroll = ui.input(|i| i.smooth_scroll_delta().y + (i.zoom_delta() - 1.0) * 300.0);
    if scroll != 0.0 {
        let at = ui.ctx().pointer_hover_pos().unwrap_or(rect.center()) - rect.min;
        let factor = (-scroll * 0.002).exp();
        cx.push(CameraCommand::Dolly { side, factor, at: at.into(), size: rect.size().into() });
    }
}

/// With the focus, arrows turn the camera, and Space plays.
fn keys(ui: &Ui, cx: &mut PanelCx<'_>, response: &Response, side: Side) {
    let (right, down) = focus::arrows(ui, response);
    if (right, down) != (0, 0) {
        cx.push(CameraCommand::Orbit {
            side,
            yaw_rad: right as f32 * KEY_TURN_RAD,
            pitch_rad: down as f32 * -KEY_TURN_RAD,
        });
    }
    if response.has_focus() && ui.input(|i| i.key_pressed(Key::Space)) {
        cx.run(&list::TOGGLE_PLAY);
    }
}

fn drag(ui: &Ui, cx: &mut PanelCx<'_>, response: &Response, rect: Rect, side: Side) {
    let by = |button| response.dragged_by(button);
    let delta = response.drag_delta();
    if delta == Vec2::ZERO {
        return;
    }
    let shift = ui.input(|i| i.modifiers.shift);
    if by(PointerButton::Secondary) || by(PointerButton::Middle) || shift {
        cx.push(CameraCommand::Pan { side, delta: delta.into(), size: rect.size().into() });
    } else if by(PointerButton::Primary) {
        cx.push(CameraCommand::Orbit { side, yaw_rad: -delta.x * 0.008, pitch_rad: delta.y * 0.008 });
    }
}

/// The joint nearest to the pointer within a radius, at its drawn position on a side.
pub fn pick(scene: &ViewScene, rect: Rect, side: Side, pointer: Pos2, radius: f32) -> Option<usize> {
    let at = pointer - rect.min;
    let (at, size) = (glam::vec2(at.x, at.y), glam::vec2(rect.width(), rect.height()));
    scene.camera.pick_joint(&scene.drawn_joints(side), at, size, radius)
}

/// The wipe line and its handle. It is dragged, moved by arrow keys, or follows the pointer while V is held.
pub fn wipe_line(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) {
    let share = cx.view.settings.wipe;
    let x = rect.left() + rect.width() * share;
    let grip = Rect::from_x_y_ranges((x - 8.0)..=(x + 8.0), rect.y_range());
    let response =
        ui.interact(grip, ui.scope_id().with("wipe"), Sense::drag()).on_hover_cursor(CursorIcon::ResizeHorizontal);
    response.widget_info(|| WidgetInfo::slider(true, f64::from(share), "Wipe line"));
    let dragged = response.interact_pointer_pos().filter(|_| response.dragged());
    let followed = ui.ctx().pointer_hover_pos().filter(|p| cx.view.held.divider && rect.contains(*p));
    if let Some(pointer) = dragged.or(followed) {
        cx.push(DrawCommand::SetWipe((pointer.x - rect.left()) / rect.width()));
    }
    let (steps, _) = focus::arrows(ui, &response);
    if steps != 0 {
        cx.push(DrawCommand::SetWipe(share + steps as f32 * WIPE_STEP));
    }
    let response = response.on_hover_text("Drag the line, or hold V: it follows the pointer.");
    let painter = ui.painter();
    let width = if response.has_focus() { 3.0 } else { 2.0 };
    painter.vline(x, rect.y_range(), Stroke::new(width, cx.theme.on_picture));
    let handle = pos2(x, rect.bottom() - rect.height() * 0.14);
    let line = if response.has_focus() { cx.theme.accent } else { cx.theme.on_picture };
    painter.circle(handle, 11.0, cx.theme.glass, Stroke::new(2.0, line));
    for (icon, dx) in [(Icon::StepBack, -4.0), (Icon::StepForward, 4.0)] {
        let at = Rect::from_center_size(handle + vec2(dx, 0.0), Vec2::splat(8.0));
        paint_icon(painter, at, 8.0, icon, cx.theme.on_picture);
    }
}
