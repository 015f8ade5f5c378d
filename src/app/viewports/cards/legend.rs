use super::card::{Card, Otherwise, Picture};
use super::{chips, gizmo};
use crate::panels::PanelCx;
use crate::render::{HEAT_STOPS, Shading, heat_position};
use crate::theme::{self, font, rounding, size};
use egui::{Align2, Mesh, Painter, Rect, Stroke, Vec2, pos2, vec2};
use posepress_core::text;

/// Size of the legend, points. It is narrower in a narrow viewport.
const SIZE: Vec2 = vec2(200.0, 38.0);
/// A narrower legend shows only numbers.
const ROOM_FOR_WORDS: f32 = 180.0;
/// Distance of the bar from the sides of the card.
const INSET: f32 = 10.0;
/// Distance by which the legend moves up, to leave room for the ground chip.
const GROUND_ROW: f32 = 44.0;

/// The scale of the heat map, ticked at the tolerance.
pub(super) fn card<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let corner = corner(cx, picture)?;
    let tolerance_m = tolerance_m(picture)?;
    let painter = picture.painter.clone();
    let mut right = corner;
    right.set_center(pos2(picture.place.rect.right() - chips::LEFT - corner.width() / 2.0, corner.center().y));
    let mut places = picture.clear_of_figure(vec![corner, right]);
    places.extend([corner, right].map(|place| place.translate(vec2(0.0, -GROUND_ROW))));
    Some(Card::new(places, picture.place.rect, Otherwise::Near, move |_, cx, card| {
        draw(&painter, cx, card, tolerance_m);
    }))
}

fn tolerance_m(picture: &Picture<'_>) -> Option<f32> {
    match picture.scene.shading {
        Shading::Material => None,
        Shading::Heat { tolerance_m } | Shading::JointError { tolerance_m, .. } => Some(tolerance_m),
    }
}

/// Its position, right of the world axes if the viewport has them; `None` without a heat map.
pub(super) fn corner(cx: &PanelCx<'_>, picture: &Picture<'_>) -> Option<Rect> {
    tolerance_m(picture)?;
    let part = picture.compared(cx)?;
    let beside_gizmo = picture.has_gizmo(cx) && part.left() == picture.place.rect.left();
    let indent = chips::LEFT + if beside_gizmo { gizmo::SIZE } else { 0.0 };
    let size = vec2(SIZE.x.min(part.width() - indent - chips::LEFT), SIZE.y);
    Some(Rect::from_min_size(part.left_bottom() + vec2(indent, -48.0), size))
}

fn draw(painter: &Painter, cx: &PanelCx<'_>, card: Rect, tolerance_m: f32) {
    painter.rect_filled(card, rounding::WIDGET as f32, cx.theme.glass);
    let bar = Rect::from_min_size(card.min + vec2(INSET, 8.0), vec2(card.width() - 2.0 * INSET, 9.0));
    let place = |ratio: f32| bar.left() + bar.width() * heat_position(ratio);
    let mut mesh = Mesh::default();
    for (at, rgb) in HEAT_STOPS {
        let color = theme::color(rgb);
        mesh.colored_vertex(pos2(place(at), bar.top()), color);
        mesh.colored_vertex(pos2(place(at), bar.bottom()), color);
    }
    for i in 0..HEAT_STOPS.len() as u32 - 1 {
        mesh.add_triangle(2 * i, 2 * i + 1, 2 * i + 2);
        mesh.add_triangle(2 * i + 1, 2 * i + 3, 2 * i + 2);
    }
    painter.add(mesh);
    let tick = place(1.0);
    painter.vline(tick, (bar.top() - 3.0)..=(bar.bottom() + 3.0), Stroke::new(1.5, cx.theme.text1));
    let y = bar.bottom() + 11.0;
    let label = |x: f32, align, text: String| {
        painter.text(pos2(x, y), align, text, font(size::TICK), cx.theme.text1);
    };
    label(bar.left(), Align2::LEFT_CENTER, "0".into());
    let word = if card.width() < ROOM_FOR_WORDS { "" } else { " tol." };
    label(tick, Align2::CENTER_CENTER, format!("{}{word}", text::length(tolerance_m)));
    label(bar.right(), Align2::RIGHT_CENTER, text::length(tolerance_m * 10.0));
}
