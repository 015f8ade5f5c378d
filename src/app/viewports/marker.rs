use super::Figures;
use super::room::Room;
use crate::panels::PanelCx;
use crate::render::{FigurePose, Side, ViewScene};
use crate::theme::{font, rounding, size};
use egui::{Painter, Pos2, Rect, Stroke, Vec2, vec2};
use posepress_core::text;

/// A vertex that is pointed at, as one side shows it.
#[derive(Debug, Clone, Copy)]
pub struct Marker {
    /// Where it is drawn, points.
    pub at: Pos2,
    side: Side,
    vertex: usize,
    /// Between the two sides, metres; `None` without a compressed one.
    error_m: Option<f32>,
}

impl Marker {
    /// The marked vertex on a side, if one is marked and before the camera.
    pub fn of(cx: &PanelCx<'_>, figures: &Figures, scene: &ViewScene, rect: Rect, side: Side) -> Option<Self> {
        let (mesh, vertex) = cx.view.selection.marked_vertex?;
        let mesh = figures.rig.meshes.get(mesh).filter(|mesh| vertex < mesh.positions.len())?;
        let world = mesh.skin_vertex(vertex, &scene.drawn_joints(side), &scene.pose(side).floats);
        let px = scene.camera.project(world, glam::vec2(rect.width(), rect.height()))?;
        let place = |pose: &FigurePose| mesh.skin_vertex(vertex, &pose.joints, &pose.floats);
        let error_m = figures.decoded.as_ref().map(|decoded| place(decoded).distance(place(&figures.raw)));
        Some(Self { at: rect.min + vec2(px.x, px.y), side, vertex, error_m })
    }

    /// A ring; beside the compressed one its error, where there is room.
    pub fn draw(&self, painter: &Painter, cx: &PanelCx<'_>, room: &Room) {
        let color = match self.side {
            Side::Original => cx.theme.original,
            Side::Compressed => cx.theme.compressed,
        };
        painter.circle_stroke(self.at, 8.0, Stroke::new(3.5, cx.theme.glass));
        painter.circle_stroke(self.at, 8.0, Stroke::new(1.6, color));
        let is_seen = painter.clip_rect().contains(self.at);
        if let (Side::Compressed, Some(error_m), true) = (self.side, self.error_m, is_seen) {
            let words = format!("vertex {}  {}", self.vertex, text::length(error_m));
            label(painter, cx, self.at, &words, room);
        }
    }
}

/// Beside the ring, where there is room: right, left, below, above, or as near as it gets.
fn label(painter: &Painter, cx: &PanelCx<'_>, at: Pos2, words: &str, room: &Room) {
    let galley = painter.layout_no_wrap(words.to_owned(), font(size::SMALL), cx.theme.text1);
    let places = around(at, galley.size() + vec2(14.0, 8.0));
    let visible = room.find(&places).unwrap_or(places[0]);
    painter.rect_filled(visible, rounding::WIDGET as f32, cx.theme.glass);
    painter.galley(visible.min + vec2(7.0, 4.0), galley, cx.theme.text1);
}

/// Places of a card around a point, best first.
fn around(at: Pos2, card: Vec2) -> [Rect; 4] {
    const GAP: f32 = 18.0;
    let (dx, dy) = (GAP + card.x / 2.0, GAP + card.y / 2.0);
    [vec2(dx, 0.0), vec2(-dx, 0.0), vec2(0.0, dy), vec2(0.0, -dy)]
        .map(|offset| Rect::from_center_size(at + offset, card))
}

#[cfg(test)]
mod tests {
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
