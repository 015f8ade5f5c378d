use super::{Figures, Place};
use crate::app::panels::PanelCx;
use crate::app::render::{Side, ViewScene};
use crate::app::theme::{font, rounding, size};
use crate::text;
use egui::{Painter, Pos2, Rect, Stroke, vec2};

/// The vertex that is pointed at: a ring on both sides, its error beside the compressed one.
pub fn draw(painter: &Painter, cx: &PanelCx<'_>, figures: &Figures, scene: &ViewScene, place: Place, side: Side) {
    let Some((mesh, vertex)) = cx.view.marked_vertex else { return };
    let Some(mesh) = figures.rig.meshes.get(mesh).filter(|mesh| vertex < mesh.positions.len()) else { return };
    let pose = scene.pose(side);
    let world = mesh.skin_vertex(vertex, &scene.drawn_joints(side), &pose.floats);
    let size_px = glam::vec2(place.rect.width(), place.rect.height());
    let Some(at) = scene.camera.project(world, size_px) else { return };
    let at = place.rect.min + vec2(at.x, at.y);
    let color = match side {
        Side::Original => cx.theme.original,
        Side::Compressed => cx.theme.compressed,
    };
    painter.circle_stroke(at, 8.0, Stroke::new(3.5, cx.theme.glass));
    painter.circle_stroke(at, 8.0, Stroke::new(1.6, color));
    if let (Side::Compressed, Some(decoded)) = (side, &figures.decoded) {
        let true_place = mesh.skin_vertex(vertex, &figures.raw.joints, &figures.raw.floats);
        let error_m = true_place.distance(mesh.skin_vertex(vertex, &decoded.joints, &decoded.floats));
        label(painter, cx, at, &format!("vertex {vertex}  {}", text::length(error_m)), place.rect);
    }
}

/// Beside the ring, on the side that has room.
fn label(painter: &Painter, cx: &PanelCx<'_>, at: Pos2, words: &str, area: Rect) {
    let galley = painter.layout_no_wrap(words.to_owned(), font(size::SMALL), cx.theme.text1);
    let card = galley.size() + vec2(14.0, 8.0);
    let left = if at.x + 16.0 + card.x < area.right() - 8.0 { at.x + 16.0 } else { at.x - 16.0 - card.x };
    let rect = Rect::from_min_size(Pos2::new(left, at.y - card.y / 2.0), card);
    painter.rect_filled(rect, rounding::WIDGET as f32, cx.theme.glass);
    painter.galley(rect.min + vec2(7.0, 4.0), galley, cx.theme.text1);
}
