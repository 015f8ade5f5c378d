use super::card::{Card, Otherwise, Picture};
use crate::panels::PanelCx;
use crate::render::{FigurePose, Side};
use crate::theme::{font, rounding, size};
use egui::{Pos2, Rect, Stroke, Vec2, vec2};
use posepress_core::text;

/// Radius around the marked vertex that other cards leave free.
const CLEAR: f32 = 12.0;

/// The ring at the marked vertex of the original.
pub(super) fn on_original<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    ring(cx, picture, Side::Original)
}

/// The same on the compressed side.
pub(super) fn on_compressed<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    picture.compared(cx)?;
    ring(cx, picture, Side::Compressed)
}

fn ring<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>, side: Side) -> Option<Card<'f>> {
    let (part, painter) = picture.part(side)?;
    let at = vertex_at(cx, picture, side)?;
    let place = Rect::from_center_size(at, Vec2::splat(2.0 * CLEAR));
    Some(Card::new([place], part, Otherwise::Fixed, move |_, cx, rect| {
        let color = match side {
            Side::Original => cx.theme.original,
            Side::Compressed => cx.theme.compressed,
        };
        painter.circle_stroke(rect.center(), 8.0, Stroke::new(3.5, cx.theme.glass));
        painter.circle_stroke(rect.center(), 8.0, Stroke::new(1.6, color));
    }))
}

/// Error of the marked vertex, beside its ring on the compressed side.
pub(super) fn label<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let part = picture.compared(cx)?;
    let at = vertex_at(cx, picture, Side::Compressed).filter(|at| part.contains(*at))?;
    let (mesh, vertex) = cx.view.selection.marked_vertex?;
    let figures = picture.figures;
    let mesh = figures.rig.meshes.get(mesh)?;
    let place = |pose: &FigurePose| mesh.skin_vertex(vertex, &pose.joints, &pose.floats);
    let error_m = place(figures.decoded.as_ref()?).distance(place(&figures.raw));
    let words = format!("vertex {vertex}  {}", text::length(error_m));
    let painter = picture.painter.with_clip_rect(part);
    let galley = painter.layout_no_wrap(words, font(size::SMALL), cx.theme.text1);
    let places = around(at, galley.size() + vec2(14.0, 8.0));
    Some(Card::new(places, part, Otherwise::Near, move |_, cx, rect| {
        painter.rect_filled(rect, rounding::WIDGET as f32, cx.theme.glass);
        painter.galley(rect.min + vec2(7.0, 4.0), galley, cx.theme.text1);
    }))
}

/// Position of the marked vertex on a side, if it is in front of the camera.
fn vertex_at(cx: &PanelCx<'_>, picture: &Picture<'_>, side: Side) -> Option<Pos2> {
    let (mesh, vertex) = cx.view.selection.marked_vertex?;
    let mesh = picture.figures.rig.meshes.get(mesh).filter(|mesh| vertex < mesh.positions.len())?;
    let world = mesh.skin_vertex(vertex, &picture.scene.drawn_joints(side), &picture.scene.pose(side).floats);
    let rect = picture.place.rect;
    let px = picture.scene.camera.project(world, glam::vec2(rect.width(), rect.height()))?;
    Some(rect.min + vec2(px.x, px.y))
}

/// Positions of a card around a point, best first.
fn around(at: Pos2, card: Vec2) -> [Rect; 4] {
    const GAP: f32 = 18.0;
    let (dx, dy) = (GAP + card.x / 2.0, GAP + card.y / 2.0);
    [vec2(dx, 0.0), vec2(-dx, 0.0), vec2(0.0, dy), vec2(0.0, -dy)]
        .map(|offset| Rect::from_center_size(at + offset, card))
}

#[cfg(test)]
mod tests {
    use super::super::room::Room;
    use super::*;

    #[test]
    fn the_label_keeps_clear_of_edges_and_of_what_is_there() {
        let (card, area) = (vec2(100.0, 20.0), Rect::from_min_size(Pos2::ZERO, vec2(400.0, 300.0)));
        let middle = Pos2::new(200.0, 150.0);
        let place = |at: Pos2, taken: &[Rect]| {
            let mut room = Room::new(area);
            room.take(taken.iter().copied());
            room.find(&around(at, card)).unwrap()
        };
        assert!(place(middle, &[]).left() > middle.x);
        assert!(place(middle, &[Rect::from_min_size(middle, vec2(150.0, 20.0))]).right() < middle.x);
        assert!(place(Pos2::new(380.0, 150.0), &[]).right() < 380.0);
        assert!(place(middle, &[Rect::from_center_size(middle, vec2(390.0, 20.0))]).top() > middle.y);
    }
}
